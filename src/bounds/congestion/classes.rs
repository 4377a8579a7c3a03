//! Classes of vertices and of resources that the symmetry of fabrics makes equal: the hosts of a leaf,
//! the processes of hosts that are alike, leaves with the same trunks and equally many hosts.
//!
//! The duals of a linear program can be averaged over its symmetries: some best weights are equal on all
//! resources of a class. So the lightest paths are found from one source of every class only, and
//! the loads that they cause are divided evenly among the resources of a class.
//!
//! Three kinds of symmetry are used. Where none of the first two makes senders alike, and paths have any
//! length, translations of the network are searched, which make all of them alike. The first two are
//! found without search: trees that hang on the same vertex and look the
//! same, and vertices with the same neighbours over the same links. Swapping two of them moves nothing
//! else, so all swaps together generate a group whose orbits these classes are.

use ccsched_base::rng::rng_of;
use ccsched_model::problem::{Problem, ResourceId, Roots, Routing};
use ccsched_model::symmetry::lookup::CarriedChannels;
use ccsched_model::symmetry::translations::translations;
use ccsched_network::{Network, VertexId};
use std::collections::HashMap;

/// Vertices of networks whose translations are searched: each is a permutation of all.
const MOST_TRANSLATED: usize = 4096;
/// Of the random numbers of that search.
const SEED: u64 = 1;

/// The number of a class, or of a shape.
type Number = u32;

/// What a vertex sees of a link: capacity and whether it is half duplex, out and in.
type Link = (bool, u32, bool);

/// Classes of vertices and resources.
pub struct Classes {
    /// By vertex, the first vertex of its class.
    first: Vec<VertexId>,
    /// By vertex, the size of its class.
    size: Vec<u32>,
    /// The classes of two resources or more.
    resources: Vec<Vec<ResourceId>>,
}

impl Classes {
    /// The classes of a problem in which every sender sends to every receiver; none if it has no two
    /// senders alike.
    pub fn of(problem: &Problem) -> Option<Self> {
        if problem.collective().roots() != Roots::All {
            return None;
        }
        Classes::of_twins(problem).or_else(|| Classes::of_translations(problem))
    }

    /// Those of trees and vertices that are alike.
    fn of_twins(problem: &Problem) -> Option<Self> {
        let class = vertices(problem);
        let mut members: HashMap<Number, (VertexId, u32)> = HashMap::new();
        for (v, &class) in (0..).zip(&class) {
            members.entry(class).or_insert((v, 0)).1 += 1;
        }
        let of = |v: usize| members[&class[v]];
        problem.senders().iter().find(|&&v| of(v as usize).1 > 1)?;
        Some(Classes {
            first: (0..class.len()).map(|v| of(v).0).collect(),
            size: (0..class.len()).map(|v| of(v).1).collect(),
            resources: resources(problem, &class),
        })
    }

    /// Those of a group of translations, which makes all vertices alike. It is searched where paths have any
    /// length: their walks from every source take longest.
    fn of_translations(problem: &Problem) -> Option<Self> {
        let (network, resources) = (problem.network(), problem.resources());
        let n = network.vertices().len();
        let takes_all = problem.senders().len() == n && problem.receivers().len() == n;
        if problem.routing() != Routing::Any || !takes_all || n > MOST_TRANSLATED {
            return None;
        }
        // Parallel channels of two kinds may be mapped to each other.
        let is_half = |half: bool| network.channels().iter().any(|c| c.exclusive == half);
        if is_half(true) && is_half(false) {
            return None;
        }
        let elements = translations(network, &mut rng_of(SEED, 0, 0))?;
        let carried = CarriedChannels::new(network);
        let mut classes: Vec<Vec<ResourceId>> = Vec::new();
        let mut seen = vec![false; resources.links()];
        for (c, _) in (0..).zip(network.channels()) {
            if seen[resources.of_channel(c) as usize] {
                continue;
            }
            let mut class = Vec::new();
            for element in &elements {
                let link = resources.of_channel(carried.image(c, element)?);
                if !std::mem::replace(&mut seen[link as usize], true) {
                    class.push(link);
                }
            }
            classes.push(class);
        }
        let vertices = || 0..n as VertexId;
        classes.push(vertices().filter_map(|v| resources.send_port(v)).collect());
        classes.push(vertices().filter_map(|v| resources.receive_port(v)).collect());
        classes.retain(|class| class.len() > 1);
        Some(Classes { first: vec![0; n], size: vec![n as u32; n], resources: classes })
    }

    /// The number of senders that one sender stands for; 0 if another one stands for it.
    pub fn stands_for(&self, sender: VertexId) -> u32 {
        let v = sender as usize;
        if self.first[v] == sender { self.size[v] } else { 0 }
    }

    /// Divides the load of each class evenly among its resources.
    pub fn level(&self, load: &mut [f64]) {
        for class in &self.resources {
            let all: f64 = class.iter().map(|&r| load[r as usize]).sum();
            let each = all / class.len() as f64;
            class.iter().for_each(|&r| load[r as usize] = each);
        }
    }

    /// By resource, the number of its class, and the number of classes.
    pub fn numbers(&self, resources: usize) -> (Vec<usize>, usize) {
        let mut of = vec![usize::MAX; resources];
        for (number, class) in self.resources.iter().enumerate() {
            class.iter().for_each(|&r| of[r as usize] = number);
        }
        let mut next = self.resources.len();
        for number in of.iter_mut().filter(|number| **number == usize::MAX) {
            *number = next;
            next += 1;
        }
        (of, next)
    }

    /// Whether weights are equal in every class.
    pub fn are_level(&self, weights: &[u64]) -> bool {
        let weight = |r: &ResourceId| weights[*r as usize];
        self.resources.iter().all(|class| class.iter().all(|r| weight(r) == weight(&class[0])))
    }
}

/// By vertex, the number of its class.
fn vertices(problem: &Problem) -> Vec<Number> {
    let network = problem.network();
    let n = network.vertices().len();
    let neighbours: Vec<Vec<(VertexId, Vec<Link>)>> =
        (0..n as VertexId).map(|v| links(network, v)).collect();
    let mut roles = vec![0; n];
    for (v, role) in roles.iter_mut().enumerate() {
        *role = u8::from(problem.senders().binary_search(&(v as VertexId)).is_ok())
            + 2 * u8::from(problem.receivers().binary_search(&(v as VertexId)).is_ok());
    }
    // From the leaves of the network inwards: the shape of the tree that hangs on a vertex.
    let mut shapes = HashMap::new();
    let mut shape: Vec<Option<Number>> = vec![None; n];
    let mut hanging: Vec<Vec<(Vec<Link>, Number)>> = vec![vec![]; n];
    let mut open: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    let mut order: Vec<VertexId> = (0..n as VertexId).filter(|&v| open[v as usize] == 1).collect();
    let mut parent = vec![None; n];
    let mut next = 0;
    while let Some(&v) = order.get(next) {
        next += 1;
        let i = v as usize;
        // The last two vertices of a tree are each other's only neighbour; one of them stays.
        let is_above = |&&(u, _): &&(VertexId, Vec<Link>)| shape[u as usize].is_none();
        let Some((above, link)) = neighbours[i].iter().find(is_above) else { continue };
        hanging[i].sort_unstable();
        let key = (roles[i], std::mem::take(&mut hanging[i]));
        let number = number_of(&mut shapes, key);
        shape[i] = Some(number);
        parent[i] = Some((*above, link.clone()));
        hanging[*above as usize].push((link.clone(), number));
        open[*above as usize] -= 1;
        if open[*above as usize] == 1 {
            order.push(*above);
        }
    }
    // From the core outwards: the classes.
    let (mut cores, mut trees) = (HashMap::new(), HashMap::new());
    let mut class: Vec<Number> = vec![Number::MAX; n];
    for v in (0..n).filter(|&v| shape[v].is_none()) {
        hanging[v].sort_unstable();
        let core: Vec<_> =
            neighbours[v].iter().filter(|(u, _)| shape[*u as usize].is_none()).cloned().collect();
        class[v] = number_of(&mut cores, (roles[v], std::mem::take(&mut hanging[v]), core));
    }
    for &v in order.iter().rev() {
        let v = v as usize;
        if let (Some((above, link)), Some(shape)) = (parent[v].take(), shape[v]) {
            let number = number_of(&mut trees, (class[above as usize], link, shape));
            class[v] = cores.len() as Number + number;
        }
    }
    class
}

/// The neighbours of a vertex, ascending, each with its links in a fixed order.
fn links(network: &Network, v: VertexId) -> Vec<(VertexId, Vec<Link>)> {
    let link = |out: bool, c: u32| {
        let channel = network.channel(c);
        let other = if out { channel.to } else { channel.from };
        (other, (out, channel.capacity, channel.exclusive))
    };
    let out = network.outgoing(v).iter().map(|&c| link(true, c));
    let mut all: Vec<_> = out.chain(network.incoming(v).iter().map(|&c| link(false, c))).collect();
    all.sort_unstable();
    let same = |a: &(VertexId, Link), b: &(VertexId, Link)| a.0 == b.0;
    let chunks = all.chunk_by(same);
    chunks.map(|c| (c[0].0, c.iter().map(|(_, link)| *link).collect())).collect()
}

/// The resources in classes, by the classes of their ends; those alone in their class are left out.
fn resources(problem: &Problem, class: &[Number]) -> Vec<Vec<ResourceId>> {
    let (network, resources) = (problem.network(), problem.resources());
    let mut numbers = HashMap::new();
    let mut classes: Vec<Vec<ResourceId>> = Vec::new();
    let mut add = |key: (u8, Number, Number, u32, bool), resource: ResourceId| {
        let number = number_of(&mut numbers, key) as usize;
        if number == classes.len() {
            classes.push(Vec::new());
        }
        classes[number].push(resource);
    };
    let mut seen = vec![false; resources.links()];
    for (id, c) in (0..).zip(network.channels()) {
        let link = resources.of_channel(id);
        if !std::mem::replace(&mut seen[link as usize], true) {
            let (mut a, mut b) = (class[c.from as usize], class[c.to as usize]);
            if c.exclusive && a > b {
                std::mem::swap(&mut a, &mut b);
            }
            add((0, a, b, c.capacity, c.exclusive), link);
        }
    }
    for v in 0..network.vertices().len() as VertexId {
        let ports = [resources.send_port(v), resources.receive_port(v)];
        for (kind, port) in (1..).zip(ports) {
            if let Some(port) = port {
                add((kind, class[v as usize], 0, 0, false), port);
            }
        }
    }
    classes.retain(|class| class.len() > 1);
    classes
}

/// The number of a key, the next free one if it is new.
fn number_of<K: std::hash::Hash + Eq>(numbers: &mut HashMap<K, Number>, key: K) -> Number {
    let next = numbers.len() as Number;
    *numbers.entry(key).or_insert(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::lightest::Lightest;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_network::processes::{PerNode, place};
    use ccsched_network::{LinkKind, NetworkBuilder, spec};

    fn classes(network: Network) -> Vec<usize> {
        let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
        let class = vertices(&problem);
        let mut sizes = HashMap::new();
        problem.senders().iter().for_each(|&v| *sizes.entry(class[v as usize]).or_insert(0) += 1);
        let mut sizes: Vec<usize> = sizes.into_values().collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn hosts_of_a_leaf_and_processes_of_equal_hosts_are_alike() {
        let net = spec::parse("binary-tree:8").unwrap();
        // All leaves of a complete tree, also those of different halves.
        assert_eq!(classes(net.clone()), [8]);
        assert_eq!(classes(place(&net, PerNode { processes: 3, width: 1 }).unwrap()), [24]);
        assert_eq!(classes(spec::parse("dragonfly:2,2,1").unwrap()), [2; 6]);
        assert_eq!(classes(spec::parse("petersen").unwrap()), [1; 10]);
        assert_eq!(classes(spec::parse("ring:6").unwrap()), [1; 6]);
    }

    /// One source proves as many steps as all of them do.
    #[test]
    fn translations_make_all_sources_alike() {
        for (topology, ports) in [
            ("torus:4x4", None),
            ("ring:7", Some(1)),
            ("hypercube:3,half", None),
            ("petersen", None),
        ] {
            let request = Request {
                switching: Switching::StoreAndForward,
                routing: Routing::Any,
                ports: Ports(ports),
                ..Request::new(Collective::Aas)
            };
            let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
            let classes = Classes::of(&problem);
            // No group of translations.
            assert_eq!(classes.is_none(), topology == "petersen", "{topology}");
            let Some(classes) = classes else { continue };
            let [one, all] = [Some(&classes), None].map(|c| Lightest::new(&problem, c).unwrap());
            assert_eq!((one.sources.len(), all.sources.len()), (1, problem.senders().len()));
            let mut weights: Vec<u64> = vec![0; problem.resources().capacities().len()];
            for (class, weight) in classes.resources.iter().zip(3..) {
                class.iter().for_each(|&r| weights[r as usize] = weight);
            }
            assert!(one.fits(&weights));
            assert_eq!(one.weigh(&weights), all.weigh(&weights), "{topology}");
        }
    }

    #[test]
    fn a_wider_link_makes_a_class_of_its_own() {
        let mut builder = NetworkBuilder::new("star");
        let hub = builder.switch("hub");
        for (number, width) in [1, 1, 2, 2, 2, 3].into_iter().enumerate() {
            let v = builder.terminal(format!("n{number}"));
            builder.wide_link(v, hub, LinkKind::FullDuplex, width);
        }
        assert_eq!(classes(builder.build().unwrap()), [1, 2, 3]);
    }

    #[test]
    fn equal_loads_after_levelling() {
        let net = spec::parse("binary-tree:8").unwrap();
        let problem = Request::new(Collective::Aas).pose(net, vec![]).unwrap();
        let classes = Classes::of(&problem).unwrap();
        let links = problem.resources().links();
        let mut load: Vec<f64> = (0..links).map(|r| r as f64).collect();
        let all: f64 = load.iter().sum();
        classes.level(&mut load);
        assert!((load.iter().sum::<f64>() - all).abs() < 1e-9);
        let of = |c: usize| load[problem.resources().of_channel(c as u32) as usize];
        let ends = problem.network().channels();
        let up: Vec<f64> = (0..ends.len())
            .filter(|&c| problem.network().is_terminal(ends[c].from))
            .map(of)
            .collect();
        assert!(up.iter().all(|l| (l - up[0]).abs() < 1e-9), "{up:?}");
        let senders = problem.senders().iter().map(|&v| classes.stands_for(v)).collect::<Vec<_>>();
        assert_eq!(senders.iter().sum::<u32>(), 8);
    }
}
