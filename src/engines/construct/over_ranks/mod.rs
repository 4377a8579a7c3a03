//! Collectives as phases over ranks, in which each step is a set of pairs of terminals: recursive doubling,
//! and dissemination. Barriers and all-reduces of one part are the shortest that way: with k ports nothing
//! needs fewer steps than the logarithm of the number of ranks to the base k + 1. With more partners in a
//! phase than ports there are fewer phases, and more rounds. The paths of a step are found as those of a
//! step of an all-to-all; pairs that find none wait for another step.

mod schemes;

use super::closed::disjoint::Disjoint;
use super::order;
use crate::ground::in_step::fits;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Joining, MessageId, Problem, Roots};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use schemes::{Phase, Sent};
use std::collections::HashSet;

/// Ranks up to which schedules of few steps are made: a phase has as many rounds there.
const MOST_RANKS: usize = 256;
/// What all searches of paths look at.
const MOST_LOOKS: usize = 20_000_000;
/// Pairs after which no other scheme is tried once there is a schedule.
const MOST_PAIRS: usize = 100_000;

/// The shortest schedule over ranks, of at most this many steps, with its name, if messages join, and
/// every terminal of the collective both sends and receives.
pub fn over_ranks(problem: &Problem, most: usize, rng: &mut Rng) -> Option<(Plan, &'static str)> {
    let mut routed = problem.collective().joins().then(|| Routed::of(problem))??;
    routed.shortest(routed.ports, most, rng)
}

/// Schedules over ranks of few steps with several rounds each, one for each number of steps that some
/// number of partners gives: of barriers, all-reduces of one part, all-gathers, and reduce-scatters.
pub fn in_few_steps(problem: &Problem, rng: &mut Rng) -> Vec<Plan> {
    let ranks = problem.senders().len();
    let Some(mut routed) = Routed::of(problem).filter(|_| ranks <= MOST_RANKS) else {
        return Vec::new();
    };
    let mut plans = Vec::new();
    for phases in 1..=schemes::fewest(ranks, routed.ports) {
        let reach = (routed.ports..ranks).find(|&reach| schemes::fewest(ranks, reach) <= phases);
        // With one partner less there is a phase more.
        if let Some(reach) = reach.filter(|&reach| schemes::fewest(ranks, reach) == phases) {
            plans.extend(routed.shortest(reach, usize::MAX, rng).map(|(plan, _)| plan));
        }
    }
    plans
}

/// What takes which path from which step on.
struct Hops {
    steps: usize,
    hops: Vec<(usize, Sent, Vec<ChannelId>)>,
}

/// Finds the paths of phases.
struct Routed<'p> {
    problem: &'p Problem,
    disjoint: Disjoint<'p>,
    /// Transfers of a terminal in one step, each way.
    ports: usize,
    /// By member, its messages: one, or its pieces.
    messages: Vec<Vec<MessageId>>,
    orders: Vec<Vec<usize>>,
}

impl<'p> Routed<'p> {
    /// None if some terminal of the collective does not both send and receive.
    fn of(problem: &'p Problem) -> Option<Self> {
        let (members, collective) = (problem.senders(), problem.collective());
        let is_common = collective.content().is_common() && collective.roots() == Roots::All;
        let is_of_all = (collective.joins() || is_common && !collective.is_all_reduce())
            && problem.groups().is_none()
            && members == problem.receivers();
        if !is_of_all {
            return None;
        }
        let at_once = |&v: &u32| problem.sends_at_once(v).min(problem.receives_at_once(v));
        let ports = members.iter().map(at_once).min().filter(|&ports| ports > 0)?;
        let ports = ports.min(members.len().saturating_sub(1)).max(1);
        let mut messages = vec![Vec::new(); members.len()];
        for message in 0..problem.messages() as MessageId {
            let place = members.binary_search(&problem.message(message).origin).ok()?;
            messages[place].push(message);
        }
        let mut orders = order::candidates(problem.network(), members).to_vec();
        orders.rotate_right(1);
        let disjoint = Disjoint::new(problem, members).within(MOST_LOOKS);
        Some(Routed { problem, disjoint, ports, messages, orders })
    }

    /// The shortest schedule with `reach` partners in a phase, as many as there are ports or more, in at most
    /// `most` steps, and its name.
    fn shortest(
        &mut self,
        reach: usize,
        most: usize,
        rng: &mut Rng,
    ) -> Option<(Plan, &'static str)> {
        let ranks = self.orders[0].len();
        let adds = self.problem.collective().joining() == Joining::Sum;
        let spread = if adds { schemes::sums } else { schemes::signals };
        // Doubling first: there all ranks add in one order.
        let mut schemes: Vec<(Vec<Phase>, &str)> = Vec::new();
        let doubling = schemes::doubling(ranks, reach).map(|phases| (phases, "recursive doubling"));
        schemes.extend(doubling);
        schemes.extend(spread(ranks, reach).map(|phases| (phases, "dissemination")));
        if self.problem.collective().joins() && reach == self.ports {
            for block in self.blocks() {
                let led = schemes::led(ranks, reach, block);
                schemes.extend(led.map(|phases| (phases, "doubling among leaders")));
            }
        } else {
            // Ranks that hand over get the result last, and have a part of it already.
            let fewest = schemes::fewest(ranks, reach);
            schemes.retain(|(phases, _)| phases.len() == fewest);
        }
        let orders = self.orders.clone();
        // Those that may be the shortest come first; of equals doubling does.
        let mut tried: Vec<(usize, &Vec<Phase>, &Vec<usize>, &'static str)> = Vec::new();
        for (phases, name) in &schemes {
            let steps = self.at_once(phases);
            let least = |order: &[usize]| -> usize {
                steps.iter().map(|sent| self.least(sent, order)).sum()
            };
            tried.extend(orders.iter().map(|order| (least(order), phases, order, *name)));
        }
        tried.sort_by_key(|tried| tried.0);
        let mut best: Option<(Hops, &Vec<usize>, &'static str)> = None;
        let mut left = MOST_PAIRS;
        for (least, phases, order, name) in tried {
            let most = best.as_ref().map_or(most, |(hops, ..)| hops.steps - 1);
            if least > most || (left == 0 && best.is_some()) {
                break;
            }
            let found = self.hops(phases, order, most, &mut left, rng);
            best = found.map(|hops| (hops, order, name)).or(best);
        }
        let (hops, order, name) = best?;
        Some((self.plan(&hops, order)?, name))
    }

    /// The paths of some phases, by the ranks' places in `order`, if they have at most this many steps.
    fn hops(
        &mut self,
        phases: &[Phase],
        order: &[usize],
        most: usize,
        pairs_left: &mut usize,
        rng: &mut Rng,
    ) -> Option<Hops> {
        let network = self.problem.network();
        let pair = |sent: &Sent| (order[sent.from], order[sent.to]);
        let is_adjacent = |sent: &Sent| {
            let (from, to) = pair(sent);
            let [from, to] = [from, to].map(|member| self.problem.senders()[member]);
            network.heads(from).any(|head| head == to)
        };
        let mut all = phases.iter().flatten().flatten();
        if self.problem.switching().stores() && !all.all(is_adjacent) {
            return None;
        }
        let steps = self.at_once(phases);
        // Steps of all that comes later, at least.
        let mut later: usize = steps.iter().map(|sent| self.least(sent, order)).sum();
        let (mut hops, mut step) = (Vec::new(), 0);
        for mut left in steps {
            later -= self.least(&left, order);
            while !left.is_empty() {
                if step + self.least(&left, order) + later > most {
                    return None;
                }
                let pairs: Vec<_> = left.iter().map(pair).collect();
                *pairs_left = pairs_left.saturating_sub(pairs.len());
                let paths = self.disjoint.most_paths(&pairs, rng);
                let (mut sent, mut waiting) = (Vec::new(), Vec::new());
                for (of, path) in left.into_iter().zip(paths) {
                    match path {
                        Some(path) if self.is_hop(&path) => {
                            hops.push((step, of, path));
                            sent.push(of);
                        }
                        Some(_) => return None,
                        None => waiting.push(of),
                    }
                }
                if sent.is_empty() {
                    return None;
                }
                step += self.steps_of(&sent);
                left = waiting;
            }
        }
        Some(Hops { steps: step, hops })
    }

    /// The schedule of some paths, if it is free of conflicts: half-duplex links may cause some. Messages that do
    /// not join go one by one, in the steps from that of the path on. What a rank has is not sent to it again, but
    /// for sums: they are sent as a whole.
    fn plan(&self, Hops { hops, .. }: &Hops, order: &[usize]) -> Option<Plan> {
        let joining = self.problem.collective().joining();
        let mut plan = Plan::default();
        let own = |rank| HashSet::from([rank]);
        let mut has: Vec<HashSet<usize>> = (0..order.len()).map(own).collect();
        for (first, sent, path) in hops {
            let mut step = *first;
            for rank in (0..sent.count).map(|i| (sent.first + i) % order.len()) {
                if joining != Joining::Sum && !has[sent.to].insert(rank) {
                    continue;
                }
                for (piece, &message) in self.messages[order[rank]].iter().enumerate() {
                    plan.push(step + piece, message, path);
                }
                if joining == Joining::Apart {
                    step += self.messages[0].len();
                }
            }
        }
        plan.tidy();
        let is_free = match joining {
            Joining::Sum | Joining::Signal => {
                fits(self.problem, &plan.of_joined(self.problem.pieces()))
            }
            Joining::Apart => fits(self.problem, &plan),
        };
        is_free.then_some(plan)
    }

    /// The numbers of consecutive ranks for all of which one may act: powers of two, and those at a switch.
    fn blocks(&self) -> Vec<usize> {
        let (network, members) = (self.problem.network(), self.problem.senders());
        let switch = |&v: &VertexId| network.heads(v).next();
        let at_first = members.iter().filter(|v| switch(v) == switch(&members[0])).count();
        let doubled = std::iter::successors(Some(2), |block| Some(2 * block));
        let mut blocks: Vec<usize> =
            doubled.take_while(|&block| block < 2 * members.len()).chain([at_first]).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// The transfers of some phases that the ports send at once.
    fn at_once(&self, phases: &[Phase]) -> Vec<Vec<Sent>> {
        let of_phase =
            |phase: &Phase| phase.chunks(self.ports).map(<[Vec<Sent>]>::concat).collect::<Vec<_>>();
        phases.iter().flat_map(of_phase).collect()
    }

    /// Steps of some transfers, at least.
    fn least(&self, sent: &[Sent], order: &[usize]) -> usize {
        let pairs: Vec<_> = sent.iter().map(|sent| (order[sent.from], order[sent.to])).collect();
        self.steps_of(sent) + self.disjoint.steps_of(&pairs) - 1
    }

    /// Steps of some transfers at once: one for each piece if messages join, else one for each message of the
    /// longest.
    fn steps_of(&self, sent: &[Sent]) -> usize {
        let pieces = self.messages[0].len();
        match self.problem.collective().joins() {
            true => pieces,
            false => sent.iter().map(|sent| sent.count * pieces).max().unwrap_or(0),
        }
    }

    /// Whether one transfer can take a path.
    fn is_hop(&self, path: &[ChannelId]) -> bool {
        let (network, switching) = (self.problem.network(), self.problem.switching());
        let inner = &path[..path.len() - 1];
        let stops = |&c: &ChannelId| network.is_terminal(network.channel(c).to);
        match (switching.stores(), switching.relays()) {
            (true, _) => inner.is_empty(),
            (false, true) => !inner.iter().any(stops),
            (false, false) => true,
        }
    }
}
