//! Scatters with store-and-forward switching on large networks with limited ports: a timetable of channels, along which
//! messages are forwarded.
//!
//! With few ports, terminals that forward much are the bottleneck: each has to send and to receive
//! in every step. Planned routes keep the largest load of a port small. Their channels are the
//! edges of a bipartite graph, from senders to receivers, one edge a message. The number of colours
//! needed is the largest load (König). A colour is a turn, in which the channels of its edges carry
//! a message. The turns of each channel are spread evenly, so that few of them come before a
//! message for them; these idle, and turns after the last make up for them.

mod queues;
mod routes;
mod turns;

use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use queues::Queues;
use routes::Routes;
use std::sync::Arc;

/// The schedule, if the problem is such a scatter, and messages have a choice of routes: first fit is better where they
/// have none.
pub fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    let applies = problem.switching().stores()
        && problem.collective().content().is_personal()
        && problem.resources().have_ports()
        && problem.network().uniform_capacity() == Some(1)
        && !problem.network().is_half_duplex()
        && !problem.has_fixed_routes();
    let routes = applies.then(|| Routes::balanced(problem, rng)).flatten()?;
    Some(Queues::new(problem, &routes, rng).run().plan(problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_bounds as bounds;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    fn problem(topology: &str, ports: Option<u32>) -> Arc<Problem> {
        let (switching, ports) = (Switching::StoreAndForward, Ports(ports));
        let request = Request { switching, ports, ..Request::new(Collective::Aas) };
        Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
    }

    #[test]
    fn schedules_are_valid_and_near_the_bound() {
        for (topology, ports, most) in [
            ("mesh:9x9", 1, 1.25),
            ("mesh:9x9", 3, 1.25),
            ("random-regular:80,3,1", 1, 1.1),
            ("random-regular:80,4,1", 2, 1.2),
            ("hypercube:6", 2, 1.2),
        ] {
            let problem = problem(topology, Some(ports));
            let plan = plan(&problem, &mut rng_of(1, 0, 0)).unwrap();
            let found = bounds::all(&problem);
            let file = plan.record(&problem, &found, Provenance::default());
            assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
            let ratio = plan.len() as f64 / f64::from(found[0].steps);
            assert!(ratio <= most, "{topology} {ports}: {ratio}");
        }
    }

    #[test]
    fn other_problems_are_left_to_others() {
        for (topology, ports) in [
            ("mesh:9x9", None),
            ("mesh:9x9,width=2", Some(1)),
            ("mesh:9x9,half", Some(1)),
            ("full-binary-tree:63", Some(1)),
            ("kautz:3,4", Some(2)),
            ("dragonfly:4,2,2", Some(1)),
        ] {
            assert!(plan(&problem(topology, ports), &mut rng_of(1, 0, 0)).is_none(), "{topology}");
        }
    }
}
