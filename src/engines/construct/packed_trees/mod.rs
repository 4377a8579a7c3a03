//! All-gathers in pieces along packed trees: each piece has a tree of its own from its source to all
//! terminals, and together the trees use no channel more often than the least number of steps allows. That
//! number is exact: it is the least for which every cut between terminals carries the pieces that must cross it
//! (Zhao et al., ForestColl, arXiv 2402.06787, sections 5.2 to 5.4; the trees of Schrijver, Combinatorial
//! Optimization, section 53). The transfers of all trees then take the first steps that have room for them,
//! those with the longest way behind them first.

mod flatten;
mod packing;

use crate::ground::lists::{Hop, Lists, count_behind};
use ccsched_base::rng::Rng;
use ccsched_bounds::limit;
use ccsched_model::problem::{Message, MessageId, Problem, Routing, Switching};
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use ccsched_network::metrics::distances_from;
use flatten::{Tree, flattened};
use packing::{First, Links, MOST, pack};
use std::sync::Arc;

/// The most vertices: splitting a switch off takes a flow for each terminal and pair of links.
const MOST_VERTICES: usize = 160;
/// The most transfers of all trees.
const MOST_TRANSFERS: usize = 1 << 19;
/// Transfers above which one way to pack them is tried.
const FEW: usize = 1 << 14;
/// Transfers in all lists that are tried for a packing, about.
const WORK: usize = 1 << 17;
/// Numbers of steps for which trees are packed, besides the least, and the share of it between two of them.
const MORE: i64 = 2;
const EACH: i64 = 25;
/// Weights of what channels are needed for yet, and orders of equal transfers, that are tried.
const WEIGHTS: [(f64, f64); 6] =
    [(0.0, 0.0), (0.5, 0.0), (10.0, 0.0), (0.0, 1.0), (0.5, 5.0), (10.0, 5.0)];
const ORDERS: usize = 3;

/// The schedule, if the network is small enough and its paths allow the trees.
pub(super) fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    let network = problem.network();
    let terminals: Vec<VertexId> = problem.senders().to_vec();
    let pieces = problem.pieces() as usize;
    let transfers = terminals.len() * (terminals.len() - 1) * pieces;
    let is_small = terminals.len() <= MOST && network.vertices().len() <= MOST_VERTICES;
    if pieces < 2
        || !is_small
        || transfers > MOST_TRANSFERS
        || problem.receivers() != problem.senders()
    {
        return None;
    }
    let order = Order::of(problem, &terminals)?;
    let least = limit(problem)?.steps_of(problem.pieces()) as i64;
    let mut best: Option<Plan> = None;
    // With some room to spare trees are flatter, and their transfers wait less.
    let tries = (WORK / transfers).clamp(1, WEIGHTS.len() * ORDERS);
    let more = if transfers <= FEW { MORE } else { 0 };
    for steps in (0..=more).map(|more| least + more * (least / EACH + 1)) {
        if best.as_ref().is_some_and(|best| best.len() as i64 <= steps) {
            break;
        }
        let links = order.links(problem, steps);
        let ways =
            if transfers <= FEW { &[First::Wide, First::Narrow][..] } else { &[First::Narrow] };
        for &first in ways {
            let Some(classes) = pack(&links, terminals.len(), pieces as i64, first) else {
                continue;
            };
            let trees = flattened(&classes, terminals.len(), rng);
            let hops = hops(problem, &trees, links.clone(), &terminals)?;
            let weights = WEIGHTS.iter().cycle().take(tries);
            let lists = Lists::new(problem, &hops);
            let plans = weights.map(|&weight| lists.plan(weight, rng));
            best = best.into_iter().chain(plans).min_by_key(Plan::len);
        }
    }
    best
}

/// The vertices, numbered with the terminals first.
struct Order {
    vertices: Vec<VertexId>,
    /// By vertex, its number.
    numbers: Vec<usize>,
    terminals: usize,
}

impl Order {
    /// None if terminals that take no part could pass messages on.
    fn of(problem: &Problem, terminals: &[VertexId]) -> Option<Self> {
        let network = problem.network();
        let all = 0..network.vertices().len() as VertexId;
        let others = all.filter(|v| !terminals.contains(v));
        let vertices: Vec<VertexId> = terminals.iter().copied().chain(others).collect();
        let mut numbers = vec![0; vertices.len()];
        vertices.iter().enumerate().for_each(|(i, &v)| numbers[v as usize] = i);
        let are_switches = vertices[terminals.len()..].iter().all(|&v| !network.is_terminal(v));
        are_switches.then_some(Order { vertices, numbers, terminals: terminals.len() })
    }

    /// All channels, each `steps` times as wide.
    fn wide(&self, problem: &Problem, steps: i64) -> Links {
        let mut links = Links::new(self.vertices.len());
        for (id, channel) in (0..).zip(problem.network().channels()) {
            let [from, to] = [channel.from, channel.to].map(|v| self.numbers[v as usize]);
            links.add(from, to, vec![id], i64::from(channel.capacity) * steps);
        }
        links
    }

    /// The links between terminals in a number of steps.
    fn links(&self, problem: &Problem, steps: i64) -> Links {
        let asked = (self.terminals, i64::from(problem.pieces()));
        let mut links = self.wide(problem, steps);
        let is_minimal = problem.routing() == Routing::Minimal && !problem.switching().stores();
        let distances: Option<Vec<Vec<u32>>> = is_minimal
            .then(|| self.vertices.iter().map(|&v| distances_from(problem.network(), v)).collect());
        let may_pass = |from: usize, to: usize, length: usize| {
            let distance = |all: &Vec<Vec<u32>>| all[from][self.vertices[to] as usize] as usize;
            distances.as_ref().is_none_or(|all| distance(all) == length)
        };
        for switch in self.terminals..self.vertices.len() {
            links.split_off(switch, asked, &may_pass);
        }
        links
    }
}

/// The transfers of all trees, each after the one that it waits for.
fn hops(
    problem: &Problem,
    trees: &[Tree],
    mut links: Links,
    terminals: &[VertexId],
) -> Option<Vec<Hop>> {
    let network = problem.network();
    let first = |&v: &VertexId| problem.find_message(&Message::new(v, None));
    let mut first: Vec<MessageId> = terminals.iter().map(first).collect::<Option<_>>()?;
    let mut hops: Vec<Hop> = Vec::new();
    for tree in trees {
        let message = first[tree.root];
        first[tree.root] += 1;
        // By vertex, the transfer that brings the message.
        let mut brought: Vec<Option<usize>> = vec![None; network.vertices().len()];
        let root = terminals[tree.root];
        for (from, to) in tree.links() {
            let (path, _) = links.take(from, to, 1).pop()?;
            let parts = match problem.switching() {
                Switching::StoreAndForward => path.chunks(1).collect(),
                Switching::Wormhole | Switching::Hosts => vec![&path[..]],
            };
            for part in parts {
                let from = network.channel(part[0]).from;
                let to = network.channel(*part.last()?).to;
                if to == root || brought[to as usize].is_some() {
                    continue;
                }
                let after = brought[from as usize].into_iter().collect();
                brought[to as usize] = Some(hops.len());
                hops.push(Hop { message, channels: part.to_vec(), after, behind: 0 });
            }
        }
    }
    count_behind(&mut hops);
    Some(hops)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;

    fn posed(topology: &str, pieces: u32, switching: Switching) -> Arc<Problem> {
        let request = Request { pieces, switching, ..Request::new(Collective::Aab) };
        Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
    }

    fn least_steps(problem: &Problem) -> i64 {
        limit(problem).unwrap().steps_of(problem.pieces()) as i64
    }

    /// The least number of steps by all cuts, and that of the flows.
    fn limits(problem: &Problem) -> (i64, i64) {
        let (network, senders) = (problem.network(), problem.senders());
        let all = network.vertices().len();
        let mut most = 0;
        for set in 1u32..1 << all {
            let is_in = |v: VertexId| set >> v & 1 == 1;
            let inside = senders.iter().filter(|&&v| is_in(v)).count() as i64;
            if inside == 0 || inside == senders.len() as i64 {
                continue;
            }
            let leave = network.channels().iter().filter(|c| is_in(c.from) && !is_in(c.to));
            let width: i64 = leave.map(|c| i64::from(c.capacity)).sum();
            let crossing = inside * i64::from(problem.pieces());
            most = most.max((crossing + width - 1) / width);
        }
        (most, least_steps(problem))
    }

    #[test]
    fn flows_find_the_worst_cut_and_the_trees_fit_it() {
        for topology in ["ring:5", "mesh:2x3", "fat-tree:4", "random-regular:8,3,1", "dgx1"] {
            for pieces in [2, 3, 5] {
                let problem = posed(topology, pieces, Switching::Hosts);
                let (by_cuts, by_flows) = limits(&problem);
                assert_eq!(by_cuts, by_flows, "{topology}");
                let order = Order::of(&problem, problem.senders()).unwrap();
                let links = order.links(&problem, by_flows);
                let first = if pieces == 2 { First::Wide } else { First::Narrow };
                let classes = pack(&links, order.terminals, pieces.into(), first).expect(topology);
                let mut used = vec![0; problem.network().channels().len()];
                let trees = flattened(&classes, order.terminals, &mut rng_of(1, 0, 0));
                let hops = hops(&problem, &trees, links, problem.senders()).unwrap();
                hops.iter().flat_map(|hop| &hop.channels).for_each(|&c| used[c as usize] += 1);
                for (channel, used) in problem.network().channels().iter().zip(used) {
                    assert!(used <= by_cuts * i64::from(channel.capacity), "{topology}");
                }
                assert_eq!(hops.len(), problem.demands().len(), "{topology}");
            }
        }
    }

    /// Steps of plans beside the least that channels allow.
    #[test]
    fn plans_are_near_the_least() {
        for (topology, pieces, least, most) in [
            ("dgx1", 6, 7, 7),
            ("mi250", 12, 28, 31),
            ("dgx-a100:2", 26, 30, 39),
            ("ring:6", 4, 10, 10),
        ] {
            let problem = posed(topology, pieces, Switching::Hosts);
            assert_eq!(least_steps(&problem), least, "{topology}");
            let plan = plan(&problem, &mut rng_of(1, 0, 0)).expect(topology);
            assert!(plan.len() <= most, "{topology}: {}", plan.len());
        }
    }
}
