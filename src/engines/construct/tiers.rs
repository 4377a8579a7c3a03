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
    use ccsched_base::rng::rng_of;
    use ccsched_bounds as bounds;
    use ccsched_model::problem::{Collective, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    #[test]
    fn probe() {
        use Collective::*;
        let all = std::env::var("PROBE").unwrap_or_default();
        for word in all.split_whitespace() {
            let (topology, pieces) = word.split_once('/').unwrap_or((word, "1"));
            for switching in [Switching::Wormhole, Switching::Hosts] {
                for collective in [Aas, Aab, ReduceScatter, AllReduce] {
                    let pieces = pieces.parse().unwrap();
                    let request = Request { switching, pieces, ..Request::new(collective) };
                    let network = spec::parse(topology).unwrap();
                    let problem = Arc::new(request.pose(network, vec![]).unwrap());
                    let begin = std::time::Instant::now();
                    let Some(plan) = plan(&problem, &mut rng_of(1, 0, 2)) else {
                        println!("{word} {switching} {collective}: none");
                        continue;
                    };
                    let took = begin.elapsed();
                    let file = plan.record(&problem, &[], Provenance::default());
                    assert!(verify(&file).is_empty(), "{:?}", verify(&file));
                    let bound = bounds::quick(&problem).first().map_or(0, |b| b.steps);
                    println!(
                        "{word} {switching} {collective}: {} of {bound} in {took:?}",
                        plan.len()
                    );
                    if std::env::var("LOADS").is_ok() {
                        let net = problem.network();
                        let mut loads = vec![0u32; net.channels().len()];
                        plan.transfers()
                            .for_each(|t| t.channels.iter().for_each(|&c| loads[c as usize] += 1));
                        let mut all: Vec<(f64, String)> = loads
                            .iter()
                            .enumerate()
                            .map(|(c, &l)| {
                                let ch = net.channel(c as u32);
                                (
                                    f64::from(l) / f64::from(ch.capacity),
                                    format!(
                                        "{}>{}",
                                        net.vertex_name(ch.from),
                                        net.vertex_name(ch.to)
                                    ),
                                )
                            })
                            .collect();
                        all.sort_by(|a, b| b.0.total_cmp(&a.0));
                        println!("   {:?}", &all[..12]);
                        let per: Vec<usize> = plan
                            .steps()
                            .map(|s| s.iter().filter(|t| t.channels.len() == 4).count())
                            .collect();
                        println!("   crossing {per:?}");
                        let per: Vec<usize> = plan
                            .steps()
                            .map(|s| s.iter().filter(|t| t.channels.len() != 4).count())
                            .collect();
                        println!("   inside {per:?}");
                    }
                }
            }
        }
    }
}
