//! Collectives in two tiers ([`tiers`](crate::reduce::tiers)): the lanes of the outer tier are coloured at once. Where each
//! path has one link that the most messages leave by and one by which they come in, such as the adapters of two hosts, the
//! messages are the edges of a bipartite graph between these links, and its colours are steps: as many as the busiest
//! link needs. Elsewhere lanes are filled by first fit.

use super::first_fit;
use crate::Method;
use crate::ground::edge_colours;
use crate::ground::in_step::fits;
use crate::reduce::TIERS;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use std::sync::Arc;

/// More ends of links times the number of steps take too much memory to colour.
const MOST_CELLS: usize = 50_000_000;

/// The schedule, if the problem has boxes.
pub(super) fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    Some(made(problem, rng)?.0)
}

/// The same, with the method.
pub(super) fn made(problem: &Arc<Problem>, rng: &mut Rng) -> Option<(Plan, Method)> {
    let tiers = (TIERS.of)(problem)?;
    let lanes = tiers.inner();
    let coloured = coloured(lanes).map(|plan| (plan, "colours"));
    let (plan, name) = coloured.or_else(|| Some((first_fit::plan(lanes, rng)?, "first fit")))?;
    let method = tiers.method(Method::Construction(name.into()));
    Some((tiers.plan(plan), method))
}

/// The schedule of a traffic by colours, if it is free of conflicts.
fn coloured(problem: &Problem) -> Option<Plan> {
    let network = problem.network();
    let destinations = problem.demands().iter().map(|d| d.destination);
    let distances = DistanceTable::to(network, destinations);
    let mut loads = vec![0u32; network.channels().len()];
    let mut paths: Vec<Vec<ChannelId>> = Vec::new();
    for &Demand { source, destination, .. } in problem.demands() {
        let row = distances.row(destination);
        let (mut path, mut at) = (Vec::new(), source);
        while at != destination {
            let is_nearer =
                |c: &&ChannelId| row[network.channel(**c).to as usize] < row[at as usize];
            let nearer = network.outgoing(at).iter().filter(is_nearer);
            let &next = nearer.min_by_key(|&&c| loads[c as usize])?;
            loads[next as usize] += 1;
            path.push(next);
            at = network.channel(next).to;
        }
        paths.push(path);
    }
    // Messages of a wide link are divided among links of capacity 1.
    let load = |c: ChannelId| loads[c as usize].div_ceil(network.channel(c).capacity);
    let busiest = |path: &[ChannelId]| path.iter().copied().max_by_key(|&c| load(c));
    let widest = network.channels().iter().map(|c| c.capacity as usize).max()?;
    let mut taken = vec![[0; 2]; network.channels().len()];
    let mut end = |c: ChannelId, side: usize| {
        let number = &mut taken[c as usize][side];
        *number += 1;
        c as usize * widest + (*number - 1) % network.channel(c).capacity as usize
    };
    let edges: Option<Vec<[usize; 2]>> = paths
        .iter()
        .map(|path| {
            let (first, last) = path.split_at(path.len().div_ceil(2));
            let last = if last.is_empty() { first } else { last };
            Some([end(busiest(first)?, 0), end(busiest(last)?, 1)])
        })
        .collect();
    let edges = edges?;
    let cells = network.channels().len() * widest * edge_colours::degree(&edges);
    if cells > MOST_CELLS {
        return None;
    }
    let mut plan = Plan::default();
    let colours = edge_colours::colours(&edges);
    for ((d, path), step) in problem.demands().iter().zip(&paths).zip(colours) {
        plan.push(step, d.message, path);
    }
    fits(problem, &plan).then_some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::TIERS;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::Collective::{self, Aab, Aas, AllReduce, ReduceScatter};
    use ccsched_model::problem::{Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::processes::{PerNode, place};
    use ccsched_network::{Network, spec};
    use ccsched_verify::verify;

    const SWITCHINGS: [Switching; 2] = [Switching::Wormhole, Switching::Hosts];

    fn posed(network: Network, request: Request) -> Arc<Problem> {
        Arc::new(request.pose(network, vec![]).unwrap())
    }

    /// Steps of the schedule, which is verified, if there is one.
    fn steps(problem: &Arc<Problem>) -> Option<usize> {
        let plan = plan(problem, &mut rng_of(1, 0, 0))?;
        let file = plan.record(problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{:?}", verify(&file));
        Some(plan.len())
    }

    /// The outer steps, one before them in which boxes collect, one behind them in which they spread.
    #[test]
    fn what_happens_in_boxes_is_in_the_shadow_of_what_goes_between() {
        let cases: [(&str, Collective, u32, usize); 12] = [
            ("rail:4,8,8", Aas, 1, 24),
            ("rail:4,8,8", Aab, 1, 3 + 1),
            ("rail:4,8,8", ReduceScatter, 1, 1 + 3),
            ("rail:4,8,8", AllReduce, 1, 1 + 6 + 1),
            ("rail:4,8,8", AllReduce, 2, 1 + 12 + 1),
            // Two accelerators share an adapter.
            ("rail:3,8,4", Aas, 1, 32),
            ("rail:3,8,4", Aab, 1, 4 + 1),
            ("rail:3,8,4", AllReduce, 1, 1 + 8 + 1),
            ("dgx-a100:4", Aas, 1, 24),
            ("dgx-a100:4", AllReduce, 1, 1 + 6 + 1),
            ("dgx-a100:3", Aab, 3, 6 + 1),
            ("dgx-a100:2", AllReduce, 1, 1 + 2 + 1),
        ];
        for (topology, collective, pieces, expected) in cases {
            for switching in SWITCHINGS {
                let request = Request { switching, pieces, ..Request::new(collective) };
                let problem = posed(spec::parse(topology).unwrap(), request);
                let about = format!("{topology} {collective} {switching} {pieces}");
                assert_eq!(steps(&problem), Some(expected), "{about}");
            }
        }
    }

    /// Two steps before and behind the outer ones: boxes of diameter 2, in which messages stop at every accelerator.
    #[test]
    fn boxes_need_no_switch() {
        let request = |collective, pieces| Request {
            switching: Switching::Hosts,
            pieces,
            ..Request::new(collective)
        };
        for (collective, pieces, expected) in [(Aab, 4, 8 + 2), (AllReduce, 4, 2 + 16 + 2)] {
            let problem = posed(spec::parse("dgx1:2").unwrap(), request(collective, pieces));
            assert_eq!(steps(&problem), Some(expected), "{collective}");
        }
    }

    #[test]
    fn processes_of_a_host_are_a_box() {
        let hosts = place(&spec::parse("fat-tree:4").unwrap(), PerNode { processes: 4, width: 1 });
        let hosts = hosts.unwrap();
        for ports in [Ports(None), Ports(Some(1))] {
            let request = Request { ports, ..Request::new(Aas) };
            // 16 messages to each of three other hosts.
            assert_eq!(steps(&posed(hosts.clone(), request)), Some(4 * 4 * 3), "{ports:?}");
        }
    }

    /// Each of any steps of the inner problem leads to a schedule, one message after the other, too.
    #[test]
    fn any_schedule_between_boxes_leads_to_one() {
        for topology in ["rail:2,4,2", "dgx-a100:2", "rail:3,3,3"] {
            for collective in [Aas, Aab, ReduceScatter, AllReduce] {
                for switching in SWITCHINGS {
                    let request = Request { switching, ..Request::new(collective) };
                    let problem = posed(spec::parse(topology).unwrap(), request);
                    let tiers = (TIERS.of)(&problem).unwrap();
                    let mut slow = Plan::default();
                    for d in tiers.inner().demands().iter().rev() {
                        slow.push(slow.len(), d.message, &[] as &[ChannelId]);
                    }
                    let plan = tiers.plan(slow);
                    let file = plan.record(&problem, &[], Provenance::default());
                    assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
                }
            }
        }
    }

    #[test]
    fn other_networks_have_no_boxes() {
        for topology in ["mesh:4x4", "fat-tree:16", "dgx1", "dgx-a100:1", "slim-fly:3,2"] {
            let network = spec::parse(topology).unwrap();
            for collective in [Aas, Aab, AllReduce] {
                let problem = posed(network.clone(), Request::new(collective));
                assert_eq!(steps(&problem), None, "{topology} {collective}");
            }
        }
        let request =
            Request { switching: Switching::StoreAndForward, ..Request::new(Collective::Aab) };
        assert_eq!(steps(&posed(spec::parse("rail:2,2,2").unwrap(), request)), None);
    }
}
