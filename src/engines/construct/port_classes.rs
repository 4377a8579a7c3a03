//! Scatters with store-and-forward switching and limited ports on large networks: a schedule without the limit, each
//! step of which becomes a few.
//!
//! Channels are divided into *classes*, such that those of one class ask no terminal for more than its ports: the
//! colours of a bipartite graph whose edges are the channels, from senders to receivers, of which as many as a terminal has ports
//! make a class. The hops of a step go by turns, class by class. Messages stop at every
//! vertex, so they keep their order. Where channels are equally busy, as in regular networks, hardly a port is idle
//! more than in the schedule without the limit.

use super::{FIRST_FIT, first_fit, plan_before};
use crate::engines::{edge_colours, is_large};
use crate::network::{ChannelId, VertexId};
use crate::problem::{Content, Problem, Switching};
use crate::rng::Rng;
use crate::schedule::Plan;
use std::sync::Arc;

/// More ends of channels times the largest degree take too much memory to colour: a star of many thousand vertices.
const MOST_CELLS: usize = 50_000_000;

/// The schedule, if the problem is large.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let is_narrow = problem.network.channels().iter().all(|c| c.capacity == 1);
    let applies = problem.switching == Switching::StoreAndForward
        && problem.collective.content() == Content::Personal
        && is_large(problem)
        && is_narrow
        && problem.resources.have_ports();
    if !applies {
        return None;
    }
    let classes = classes(problem)?;
    let count = classes.iter().max()? + 1;
    let turn = |c: ChannelId| classes[c as usize];
    let free = Arc::new(problem.without_ports());
    match plan_before(FIRST_FIT, &free, rng) {
        Some(plan) => Some(plan.in_turns(count, turn)),
        None => first_fit::plan_in_turns(&free, rng, count, turn),
    }
}

/// By channel, its class; none if there is a single one, or too much to colour.
fn classes(problem: &Problem) -> Option<Vec<usize>> {
    let Problem { network, ports, .. } = problem;
    // What a switch sends and receives is not limited: every channel has an end of its own there.
    let mut others = network.vertices().len();
    let mut end = |v: VertexId| {
        if network.is_terminal(v) {
            return v as usize;
        }
        others += 1;
        others - 1
    };
    let edges: Vec<[usize; 2]> =
        network.channels().iter().map(|c| [c.from, c.to].map(&mut end)).collect();
    if others.saturating_mul(edge_colours::degree(&edges)) > MOST_CELLS {
        return None;
    }
    let ports = ports.0? as usize;
    let classes: Vec<usize> = edge_colours::colours(&edges).iter().map(|c| c / ports).collect();
    classes.iter().any(|&class| class > 0).then_some(classes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::construct::first;
    use crate::network::spec;
    use crate::problem::{Collective, Ports, Request};
    use crate::rng::rng_of;
    use crate::schedule::file::Provenance;
    use crate::verify::verify;

    fn problem(topology: &str, collective: Collective, ports: Option<u32>) -> Problem {
        let (switching, ports) = (Switching::StoreAndForward, Ports(ports));
        let request = Request { switching, ports, ..Request::new(collective) };
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
    }

    #[test]
    fn a_step_becomes_as_many_as_there_are_classes() {
        let rng = &mut rng_of(1, 0, 0);
        for (topology, ports, classes) in
            [("mesh:9x9", 1, 4), ("mesh:9x9", 3, 2), ("random-regular:80,3,1", 2, 2)]
        {
            let problem = problem(topology, Collective::Aas, Some(ports));
            let (free, _) = first(&Arc::new(problem.without_ports()), rng).unwrap();
            let plan = plan(&problem, rng).unwrap();
            let file = plan.record(&problem, &[], Provenance::default());
            assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
            let most = classes * free.len();
            assert!((free.len() + 1..=most).contains(&plan.len()), "{topology}: {}", plan.len());
        }
    }

    #[test]
    fn other_problems_are_left_to_others() {
        let rng = &mut rng_of(1, 0, 0);
        // The hosts of a fat tree have one channel, so that the limit changes nothing.
        for (topology, collective, ports) in [
            ("mesh:9x9", Collective::Aas, None),
            ("mesh:4x4", Collective::Aas, Some(1)),
            ("mesh:9x9", Collective::Aab, Some(1)),
            ("mesh:9x9,width=2", Collective::Aas, Some(1)),
            ("fat-tree:128", Collective::Aas, Some(1)),
            ("complete-bipartite:1,8000", Collective::Oas, Some(1)),
        ] {
            assert!(plan(&problem(topology, collective, ports), rng).is_none(), "{topology}");
        }
    }
}
