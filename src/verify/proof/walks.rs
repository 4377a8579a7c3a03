//! The walks that the message of one demand may take, as hops between slots. A slot is a vertex
//! after a number of hops; the destination is one slot after any number.

use super::resources::{of_hop, receive_port, send_port};
use crate::graph::FAR;
use crate::plan::Plan;
use std::collections::HashMap;

/// One hop.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    /// Slot it starts from.
    pub from: usize,
    /// Slot it leads to.
    pub to: usize,
    /// Hops made before.
    pub made: u64,
    /// Its channel.
    pub channel: usize,
    /// The resources that it takes.
    pub takes: Vec<String>,
}

/// All walks of one demand. Slot 0 is the source; hops are in the order of hops made before, start
/// and channel.
#[derive(Debug)]
pub(super) struct Walks {
    /// By slot, its name. The last is the destination.
    pub slots: Vec<String>,
    /// The hops.
    pub hops: Vec<Hop>,
    /// The resources that every walk takes besides those of its hops.
    pub at_ends: Vec<String>,
}

impl Walks {
    /// The walks from one vertex to another: along the fixed route, or all that are short enough.
    pub fn of(plan: &Plan<'_>, from: usize, to: usize) -> Result<Self, String> {
        let steps = match &plan.demand.fixed {
            Some(fixed) => {
                let route = fixed.route(&plan.graph, from, to);
                let route = route.ok_or_else(|| format!("no route from {from} to {to}"))?;
                (0..).zip(route).collect()
            }
            None => allowed_hops(plan, from, to)?,
        };
        let mut slots = vec![format!("{from} 0")];
        let mut places: HashMap<(usize, u64), usize> = HashMap::from([((from, 0), 0)]);
        let mut hops = Vec::new();
        for (made, channel) in steps {
            let (start, end) = plan.graph.ends[channel];
            let next = slots.len();
            let next = match end == to {
                // The number of the last slot is known in the end.
                true => usize::MAX,
                false => *places.entry((end, made + 1)).or_insert(next),
            };
            if next == slots.len() {
                slots.push(format!("{end} {}", made + 1));
            }
            let start = places.get(&(start, made)).copied();
            let start = start.ok_or("a hop starts where no walk comes")?;
            hops.push(Hop { from: start, to: next, made, channel, takes: of_hop(plan, channel) });
        }
        let last = slots.len();
        slots.push(format!("{to} end"));
        hops.iter_mut().filter(|hop| hop.to == usize::MAX).for_each(|hop| hop.to = last);
        let at_ends = match plan.demand.wormhole {
            true => send_port(plan, from).into_iter().chain(receive_port(plan, to)).collect(),
            false => Vec::new(),
        };
        Ok(Walks { slots, hops, at_ends })
    }

    /// By slot, the least weight of hops from the source to there; none if no walk leads there.
    pub fn before(&self, weight: &dyn Fn(&Hop) -> u128) -> Vec<Option<u128>> {
        let mut least = vec![None; self.slots.len()];
        least[0] = Some(0);
        for hop in &self.hops {
            lower(&mut least, hop.from, hop.to, weight(hop));
        }
        least
    }

    /// By slot, the least weight of hops from there to the destination.
    pub fn after(&self, weight: &dyn Fn(&Hop) -> u128) -> Vec<Option<u128>> {
        let mut least = vec![None; self.slots.len()];
        *least.last_mut().expect("the destination is a slot") = Some(0);
        for hop in self.hops.iter().rev() {
            lower(&mut least, hop.to, hop.from, weight(hop));
        }
        least
    }

    /// The least weight of a walk.
    pub fn least(&self, weight: &dyn Fn(&Hop) -> u128) -> u128 {
        self.before(weight).last().copied().flatten().unwrap_or(0)
    }

    /// Whether every walk takes a resource.
    pub fn needs(&self, name: &str) -> bool {
        let takes = |hop: &Hop| u128::from(hop.takes.iter().any(|taken| taken == name));
        self.at_ends.iter().any(|taken| taken == name) || self.least(&takes) > 0
    }

    /// Keeps the hops of walks of at most `most`, and of these the ones on a whole walk.
    pub fn keep(&mut self, weight: &dyn Fn(&Hop) -> u128, most: u128) {
        let (before, after) = (self.before(weight), self.after(weight));
        self.hops.retain(|hop| match (before[hop.from], after[hop.to]) {
            (Some(a), Some(b)) => a + weight(hop) + b <= most,
            _ => false,
        });
        let (before, after) = (self.before(&|_| 1), self.after(&|_| 1));
        self.hops.retain(|hop| before[hop.from].is_some() && after[hop.to].is_some());
    }
}

fn lower(least: &mut [Option<u128>], from: usize, to: usize, weight: u128) {
    if let Some(sum) = least[from].map(|so_far| so_far + weight) {
        least[to] = Some(least[to].map_or(sum, |old| old.min(sum)));
    }
}

/// The hops of all walks that are not too long, by hops made before, start and channel. A path
/// visits no vertex twice, so no walk needs to come back to its source or to be longer than that.
fn allowed_hops(plan: &Plan<'_>, from: usize, to: usize) -> Result<Vec<(u64, usize)>, String> {
    let graph = &plan.graph;
    let distance = graph.distances_to(to);
    if distance[from] == FAR {
        return Err(format!("no path from {from} to {to}"));
    }
    let longest = distance[from].saturating_add(plan.demand.slack).min(graph.len() as u64 - 1);
    let mut hops = Vec::new();
    let mut layer = vec![from];
    for made in 0..longest {
        let mut next = Vec::new();
        for &u in &layer {
            for &c in &graph.outgoing[u] {
                let end = graph.ends[c].1;
                let in_time = distance[end] != FAR && made + 1 + distance[end] <= longest;
                if end == to || (in_time && end != from) {
                    hops.push((made, u, c));
                    next.extend((end != to).then_some(end));
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        layer = next;
    }
    hops.sort_unstable();
    Ok(hops.into_iter().map(|(made, _, c)| (made, c)).collect())
}
