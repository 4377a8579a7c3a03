//! The repair of an all-reduce: what is reduced is a broadcast backwards in time, from where the sum is
//! complete, and what is gathered one forwards. Where the sum of a part is complete stays; two ends that
//! exchange what they hold do so as before, unless their link is broken: then one of them gets all.

use super::{Hop, Work, hang};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Message, MessageId, Phase, Problem};
use ccsched_model::schedule::{Plan, ScheduleFile, resolve};
use ccsched_network::VertexId;
use std::collections::{BTreeMap, BTreeSet};

/// Where the sums of an old all-reduce are complete.
pub(in crate::repair) struct Sums {
    /// By part, the ends; none if they are gone, or the part is new.
    ends: Vec<Vec<VertexId>>,
    /// By part, the transfers that collect it.
    collected: Vec<usize>,
}

/// The transfers of one part.
#[derive(Default)]
struct Part {
    reduced: Vec<Hop>,
    gathered: Vec<Hop>,
    exchange: Vec<Hop>,
    ends: Vec<VertexId>,
    /// The step before which all is collected, and after which it is spread.
    middle: u32,
}

impl Sums {
    /// The ends of an old schedule, in the vertices of a problem; none if that is no all-reduce.
    pub fn of(old: &ScheduleFile, problem: &Problem) -> Result<Option<Self>, Error> {
        if !problem.collective().is_all_reduce() {
            return Ok(None);
        }
        let (before, plan) = resolve(old)?;
        let network = before.network();
        let half = before.messages() as MessageId / 2;
        let (mut sends, mut gets) = (vec![BTreeSet::new(); before.messages()], BTreeSet::new());
        for t in plan.transfers().filter(|t| t.message >= half) {
            let [first, last] = [t.channels[0], t.channels[t.channels.len() - 1]];
            sends[t.message as usize].insert(network.channel(first).from);
            gets.insert((t.message, network.channel(last).to));
        }
        let known = |v: VertexId| problem.network().find(network.vertex_name(v));
        let mut collected_of = vec![0; half as usize];
        plan.transfers().filter(|t| t.message < half).for_each(|t| {
            collected_of[t.message as usize] += 1;
        });
        let mut ends = vec![Vec::new(); problem.messages() / 2];
        let mut collected = vec![0; ends.len()];
        for (message, sends) in (half..).zip(&sends[half as usize..]) {
            let row = before.message(message);
            let there = known(row.origin).and_then(|origin| {
                let row = Message { origin, phase: Some(Phase::Reduce), ..row };
                problem.find_message(&row)
            });
            let Some(part) = there else { continue };
            let own = sends.iter().filter(|&&v| !gets.contains(&(message, v)));
            let own: Option<Vec<VertexId>> = own.map(|&v| known(v)).collect();
            ends[part as usize] = own.unwrap_or_default();
            collected[part as usize] = collected_of[(message - half) as usize];
        }
        Ok(Some(Sums { ends, collected }))
    }

    /// The repair in a number of steps; `possible` has the transfers that are still possible. Where parts
    /// that have lost a transfer cannot be collected in time, they are spread later; at last all are.
    pub fn rehang(
        &self,
        problem: &Problem,
        possible: &Plan,
        of: (u32, u64),
        is_over: &dyn Fn() -> bool,
    ) -> Option<Plan> {
        let more = of.0.saturating_sub(possible.len() as u32);
        let late = [(0, false), (more.div_ceil(2), false), (more, false), (more.div_ceil(2), true)];
        let tries = if more > 0 { late.len() } else { 1 };
        late[..tries].iter().find_map(|&late| {
            let parts = self.parts(problem, possible, (of.0, late));
            self.hung(problem, &parts, of, is_over)
        })
    }

    /// The repair of what is left of the parts.
    fn hung(
        &self,
        problem: &Problem,
        parts: &[Part],
        (steps, seed): (u32, u64),
        is_over: &dyn Fn() -> bool,
    ) -> Option<Plan> {
        let halves = problem.halves();
        let half = self.ends.len() as MessageId;
        let all = |of: fn(&Part) -> &Vec<Hop>| {
            let mut plan = Plan::new(steps);
            for (m, part) in (0..).zip(parts) {
                for (step, path) in of(part) {
                    plan.push(*step as usize, m, path.iter().copied());
                }
            }
            plan
        };
        let [reduced, gathered, exchange] =
            [all(|part| &part.reduced), all(|part| &part.gathered), all(|part| &part.exchange)];
        let receivers = |problem: &Problem| {
            let of = |part: &Part| {
                let all = problem.receivers().iter().copied();
                all.filter(|v| !part.ends.contains(v)).collect::<Vec<_>>()
            };
            parts.iter().map(of).collect::<Vec<_>>()
        };
        let begin = |of: &dyn Fn(usize, &Part) -> u32| -> Vec<BTreeMap<VertexId, u32>> {
            let first =
                |(m, part): (usize, &Part)| part.ends.iter().map(|&v| (v, of(m, part))).collect();
            parts.iter().enumerate().map(first).collect()
        };
        let work = Work {
            problem: &halves[0],
            receivers: receivers(&halves[0]),
            first: begin(&|_, part| steps - part.middle),
            old: &reduced.reversed(),
            fixed: &joined(&[(&gathered, 0), (&exchange, 0)], steps).reversed(),
        };
        let reduced = hang(&work, seed, is_over)?.reversed();
        // A part is complete after what is collected last.
        let mut complete = vec![0; parts.len()];
        for plan in [&reduced, &exchange] {
            for (step, transfers) in (0..).zip(plan.steps()) {
                transfers.iter().for_each(|t| complete[t.message as usize] = step + 1);
            }
        }
        let work = Work {
            problem: &halves[1],
            receivers: receivers(&halves[1]),
            first: begin(&|m, _| complete[m]),
            old: &gathered,
            fixed: &joined(&[(&reduced, 0), (&exchange, 0)], steps),
        };
        let gathered = hang(&work, seed, is_over)?;
        Some(joined(&[(&reduced, 0), (&exchange, 0), (&gathered, half)], steps))
    }

    /// What is left of each part within a number of steps. Those that have lost a transfer that collects
    /// them, or all, are spread later.
    fn parts(
        &self,
        problem: &Problem,
        possible: &Plan,
        (steps, (late, are_all)): (u32, (u32, bool)),
    ) -> Vec<Part> {
        let network = problem.network();
        let half = self.ends.len();
        let mut parts: Vec<Part> = (0..half).map(|_| Part::default()).collect();
        for (m, part) in (0..).zip(&mut parts) {
            part.ends.clone_from(&self.ends[m as usize]);
            if part.ends.is_empty() {
                part.ends.push(problem.message(m).origin);
            }
        }
        for (step, transfers) in (0..steps).zip(possible.steps()) {
            for t in transfers {
                let hop = (step, t.channels.to_vec());
                let part = &mut parts[t.message as usize % half];
                let [first, last] = [hop.1[0], hop.1[hop.1.len() - 1]];
                let ends = [network.channel(first).from, network.channel(last).to];
                if t.message as usize >= half {
                    part.gathered.push(hop);
                } else if ends.iter().all(|v| part.ends.contains(v)) {
                    part.exchange.push(hop);
                } else {
                    part.reduced.push(hop);
                }
            }
        }
        for (m, part) in parts.iter_mut().enumerate() {
            let is_whole = part.reduced.len() + part.exchange.len() == self.collected[m];
            if part.ends.len() > 1 && part.exchange.len() < part.ends.len() {
                part.ends.truncate(1);
                part.exchange.clear();
            }
            let last = part.reduced.iter().map(|hop| hop.0 + 1).max().unwrap_or(0);
            let sends = part
                .gathered
                .iter()
                .filter(|hop| part.ends.contains(&network.channel(hop.1[0]).from));
            let first = sends.map(|hop| hop.0).min();
            let exchange = part.exchange.iter().map(|hop| hop.0).min();
            part.middle = exchange.or(first).unwrap_or(last.max(steps / 2)).min(steps);
            if part.exchange.is_empty() && (are_all || !is_whole) {
                part.middle = (part.middle + late).min(steps);
                let middle = part.middle;
                part.gathered.retain(|hop| hop.0 >= middle);
            }
        }
        parts
    }
}

/// The transfers of several plans together, each with what is added to its messages.
fn joined(plans: &[(&Plan, MessageId)], steps: u32) -> Plan {
    let mut all = Plan::new(steps);
    for (plan, more) in plans {
        for (step, transfers) in plan.steps().enumerate() {
            for t in transfers {
                all.push(step, t.message + more, t.channels.iter().copied());
            }
        }
    }
    all
}
