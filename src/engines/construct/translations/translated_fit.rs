//! First fit of one message for many, on networks whose translations no other constructor uses,
//! such as circulant networks and Moebius ladders.
//!
//! A subgroup of the translations permutes the steps too: its elements act on blocks with one step
//! each. Whatever a step carries, the translated step carries translated. So a channel is free in a
//! step if and only if its images are free in the images of the step, and a message that is placed
//! by first fit places its images. A step has at most one image of a transfer; they do not
//! conflict. First fit decides for one message of an orbit, and can try all its paths. The last
//! block may be poor, so blocks are short compared with the schedule.

use super::Sums;
use crate::construct::first_fit::Fit;
use ccsched_base::cores;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::{Plan, PlanBuilder};
use ccsched_model::symmetry::lookup::CarriedChannels;
use ccsched_model::symmetry::translations::translations;
use ccsched_network::metrics::distances_from;
use ccsched_network::{ChannelId, Network, VertexId};
use rand::seq::SliceRandom;
use std::cmp::Reverse;
use std::sync::Mutex;

/// Blocks of a schedule, at least.
const BLOCKS: usize = 64;
/// Messages that are placed together, about, before they are added to the plan.
const TOGETHER: usize = 1 << 12;

/// The schedule, if the network has translations.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let network = problem.network();
    let sums = Sums::of(translations(network, rng)?);
    let subgroup = sums.subgroup(least(network) / BLOCKS);
    if subgroup.len() < 2 {
        return None;
    }
    let images = Images::of(network, &sums, &subgroup)?;
    let vertices = 0..network.vertices().len() as VertexId;
    let distances = DistanceTable::to(network, vertices);
    let mut order = first_of_orbits(problem, &sums, &subgroup);
    order.shuffle(rng);
    order.sort_by_key(|d| Reverse(distances.row(d.destination)[d.source as usize]));
    let orbits: Vec<&[Demand]> = order.chunks(TOGETHER.div_ceil(subgroup.len())).collect();
    let fit = Mutex::new(Fit::new(problem));
    // Images are added to the plan while the next messages are placed.
    let place = |some: usize| -> Vec<(Demand, usize, Vec<ChannelId>)> {
        let mut fit = fit.lock().expect("one thread places messages");
        let mut image = Vec::new();
        let place = |demand: &Demand| {
            let ends = (demand.source, demand.destination);
            let step = fit.choose(problem, ends, distances.row(ends.1)) as usize;
            let path = fit.path().to_vec();
            for g in 0..subgroup.len() {
                images.carry(&path, g, &mut image);
                fit.occupy(problem, &image, images.step(step, g));
            }
            (*demand, step, path)
        };
        orbits[some].iter().map(place).collect()
    };
    let (mut builder, mut image) = (PlanBuilder::default(), Vec::new());
    cores::ahead(orbits.len(), place, |some| {
        for (Demand { source, destination, .. }, step, path) in some {
            for (g, &d) in subgroup.iter().enumerate() {
                let [from, to] = [source, destination].map(|v| sums.sum(v, d) as usize);
                images.carry(&path, g, &mut image);
                builder.push(images.step(step, g), problem.exchanged(from, to), &image);
            }
        }
    });
    Some(builder.build())
}

/// About the fewest steps: the channels that all shortest paths take, over those of a step.
fn least(network: &Network) -> usize {
    let capacity: usize = network.channels().iter().map(|c| c.capacity as usize).sum();
    let hops: usize = distances_from(network, 0).iter().map(|&d| d as usize).sum();
    hops * network.vertices().len() / capacity.max(1)
}

/// A demand of each orbit under a subgroup: those of one source in every coset.
fn first_of_orbits(problem: &Problem, sums: &Sums, subgroup: &[VertexId]) -> Vec<Demand> {
    let mut is_source = vec![true; problem.network().vertices().len()];
    for v in 0..is_source.len() {
        if is_source[v] {
            let others = subgroup[1..].iter().map(|&d| sums.sum(v as VertexId, d));
            others.for_each(|image| is_source[image as usize] = false);
        }
    }
    problem.demands().iter().filter(|d| is_source[d.source as usize]).copied().collect()
}

/// The images of channels and steps under the elements of a subgroup.
struct Images {
    order: usize,
    /// By channel, element.
    channels: Vec<ChannelId>,
    /// By place in a block, element: the place of the image.
    places: Vec<usize>,
}

impl Images {
    fn of(network: &Network, sums: &Sums, subgroup: &[VertexId]) -> Option<Self> {
        let carried = CarriedChannels::new(network);
        let all = 0..network.channels().len() as ChannelId;
        let of_channel = |c| subgroup.iter().map(move |&d| (c, d));
        let image = |(c, d)| carried.image(c, sums.row(d));
        let channels = all.flat_map(of_channel).map(image).collect::<Option<_>>()?;
        let mut place = vec![0; network.vertices().len()];
        (0..).zip(subgroup).for_each(|(at, &d)| place[d as usize] = at);
        let of_place = |&at: &VertexId| subgroup.iter().map(move |&d| (at, d));
        let image = |(at, d)| place[sums.sum(at, d) as usize];
        let places = subgroup.iter().flat_map(of_place).map(image).collect();
        Some(Images { order: subgroup.len(), channels, places })
    }

    /// Writes the image of a path.
    fn carry(&self, path: &[ChannelId], element: usize, image: &mut Vec<ChannelId>) {
        image.clear();
        image.extend(path.iter().map(|&c| self.channels[c as usize * self.order + element]));
    }

    fn step(&self, step: usize, element: usize) -> u32 {
        let place = step % self.order;
        (step - place + self.places[place * self.order + element]) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    /// Steps of the schedule, which is verified, and about the fewest.
    fn steps(topology: &str, ports: Option<u32>) -> Option<(usize, usize)> {
        let request = Request { ports: Ports(ports), ..Request::new(Collective::Aas) };
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let plan = plan(&problem, &mut rng_of(1, 0, 0))?;
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        Some((plan.len(), least(problem.network())))
    }

    #[test]
    fn many_messages_are_placed_with_one() {
        for topology in ["ring:80", "ring:99,simplex", "torus:16x16", "ring:80,width=2"] {
            for ports in [None, Some(1)] {
                let (steps, least) = steps(topology, ports).unwrap();
                assert!((least..least * 7 / 6).contains(&steps), "{topology}: {steps} {least}");
            }
        }
        // A step in one direction of a half-duplex link is taken from the other.
        let (steps, least) = steps("ring:80,half", None).unwrap();
        assert!((2 * least..least * 9 / 4).contains(&steps), "{steps} {least}");
    }
}
