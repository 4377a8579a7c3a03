//! All ports and full-duplex links for limited ports and half-duplex links, in large scatters with store-and-forward
//! switching: each step becomes a few.
//!
//! Channels are divided into *classes*, such that those of one class ask no terminal for more than its ports: the
//! colours of a bipartite graph whose edges are the channels, from senders to receivers, of which as many as a terminal
//! has ports make a class. Where all links are half duplex, each is first given a direction, such that as many enter a
//! vertex as leave it, but for one; the channels in this direction make classes of their own, and those in the other
//! one likewise. The hops of a step go by turns, class by class. Messages stop at every vertex, so they keep their
//! order. Where channels are equally busy, as in regular networks, hardly a port or a link is idle more than in the
//! schedule without the limits.

use super::Reduction;
use crate::Method;
use crate::ground::edge_colours;
use crate::policy::is_large;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, Network, VertexId};
use std::sync::Arc;

/// The name of its schedules.
pub const NAME: &str = "channel classes";
/// More ends of channels times the largest degree take too much memory to colour: a star of many thousand vertices.
const MOST_CELLS: usize = 50_000_000;

/// A problem without limits, and the classes of its channels.
#[derive(Debug)]
pub struct Turns {
    inner: Arc<Problem>,
    /// By channel, its class, and their number.
    classes: (Vec<usize>, usize),
}

impl Turns {
    /// None unless the problem is large.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        let network = problem.network();
        let is_half_duplex = network.is_half_duplex() && problem.is_exchange();
        let applies = problem.switching().stores()
            && problem.collective().content().is_personal()
            && is_large(problem)
            && network.uniform_capacity() == Some(1)
            && (problem.resources().have_ports() || is_half_duplex);
        if !applies {
            return None;
        }
        let free = problem.without_ports();
        let (free, groups) = match is_half_duplex {
            true => (free.at_full_duplex(), directions(network)),
            false => (free, vec![(0..network.channels().len() as ChannelId).collect()]),
        };
        Some(Turns { classes: classes(problem, &groups)?, inner: Arc::new(free) })
    }
}

impl Reduction for Turns {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        let (classes, count) = &self.classes;
        inner.in_turns(*count, |c| classes[c as usize])
    }

    fn method(&self, _: Method) -> Method {
        Method::Construction(NAME.into())
    }
}

/// By channel, its class, and their number, where the channels of each group have classes of their own; none if there
/// is a single one, or too much to colour.
fn classes(problem: &Problem, groups: &[Vec<ChannelId>]) -> Option<(Vec<usize>, usize)> {
    let mut classes = vec![0; problem.network().channels().len()];
    let mut count = 0;
    for group in groups {
        let of_group = classes_within(problem, group)?;
        let first = count;
        for (&c, class) in group.iter().zip(of_group) {
            classes[c as usize] = first + class;
            count = count.max(first + class + 1);
        }
    }
    (count > 1).then_some((classes, count))
}

/// By channel of a group, its class; none if there is too much to colour.
fn classes_within(problem: &Problem, group: &[ChannelId]) -> Option<Vec<usize>> {
    let Some(ports) = problem.ports().0 else { return Some(vec![0; group.len()]) };
    let (edges, ends) = edge_colours::edges(problem, group.iter().copied());
    if ends.saturating_mul(edge_colours::degree(&edges)) > MOST_CELLS {
        return None;
    }
    Some(edge_colours::colours(&edges).iter().map(|c| c / ports as usize).collect())
}

/// The channels of half-duplex links in two groups, one of each link in either: those along walks that use every link
/// once, and those against them. Walks begin where the links of a vertex are odd in number, as long as there are such vertices, so
/// each ends at another one, and the others end where they began.
fn directions(network: &Network) -> Vec<Vec<ChannelId>> {
    let vertices = 0..network.vertices().len() as VertexId;
    let is_odd = |v: &VertexId| network.outgoing(*v).len() % 2 == 1;
    let mut is_used = vec![false; network.channels().len()];
    // By vertex, the channels from this place on may be unused.
    let mut next = vec![0; vertices.len()];
    let mut groups = vec![Vec::new(), Vec::new()];
    for start in vertices.clone().filter(is_odd).chain(vertices) {
        let mut at = start;
        while let Some(&c) = network.outgoing(at).get(next[at as usize]) {
            next[at as usize] += 1;
            if !std::mem::replace(&mut is_used[c as usize], true) {
                let channel = network.channel(c);
                groups[0].push(c);
                groups[1].extend(channel.reverse);
                channel.reverse.iter().for_each(|&back| is_used[back as usize] = true);
                at = channel.to;
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::{self, through};
    use crate::reduce::TURNS;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    fn problem(topology: &str, collective: Collective, ports: Option<u32>) -> Arc<Problem> {
        let (switching, ports) = (Switching::StoreAndForward, Ports(ports));
        let request = Request { switching, ports, ..Request::new(collective) };
        Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
    }

    fn plan(problem: &Arc<Problem>) -> Option<Plan> {
        Some(through(&TURNS, problem, &rng_of(1, 0, 0))?.0)
    }

    /// The schedule is verified, and longer than that of a problem without limits, at most by this factor.
    fn check(topology: &str, problem: &Arc<Problem>, free: Problem, classes: usize) {
        let (free, _) = construct::plan(&Arc::new(free), 1).unwrap();
        let plan = plan(problem).unwrap();
        let file = plan.record(problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        let most = classes * free.len();
        assert!((free.len() + 1..=most).contains(&plan.len()), "{topology}: {}", plan.len());
    }

    #[test]
    fn a_step_becomes_as_many_as_there_are_classes() {
        for (topology, ports, classes) in
            [("mesh:9x9", 1, 4), ("mesh:9x9", 3, 2), ("random-regular:80,3,1", 2, 2)]
        {
            let problem = problem(topology, Collective::Aas, Some(ports));
            check(topology, &problem, problem.without_ports(), classes);
        }
    }

    #[test]
    fn half_duplex_links_go_one_way_at_a_time() {
        for (topology, ports, classes) in [
            ("mesh:9x9,half", None, 2),
            ("mesh:9x9,half", Some(1), 4),
            ("random-regular:80,3,1,half", Some(2), 2),
            ("torus:9x9,half", Some(2), 2),
        ] {
            let problem = problem(topology, Collective::Aas, ports);
            check(topology, &problem, problem.without_ports().at_full_duplex(), classes);
        }
    }

    #[test]
    fn other_problems_are_left_to_others() {
        // The hosts of a fat tree have one channel, so that the limit changes nothing.
        for (topology, collective, ports) in [
            ("mesh:9x9", Collective::Aas, None),
            ("mesh:4x4", Collective::Aas, Some(1)),
            ("mesh:22x23,half", Collective::Oas, None),
            ("mesh:9x9", Collective::Aab, Some(1)),
            ("mesh:9x9,width=2", Collective::Aas, Some(1)),
            ("fat-tree:128", Collective::Aas, Some(1)),
            ("complete-bipartite:1,8000", Collective::Oas, Some(1)),
        ] {
            assert!(plan(&problem(topology, collective, ports)).is_none(), "{topology}");
        }
    }
}
