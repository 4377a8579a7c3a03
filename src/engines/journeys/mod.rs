//! Schedules for store-and-forward switching, hop by hop, from paths alone or from a schedule for
//! wormhole switching: each message takes the earliest journey along its path, after those before
//! it, so that it follows them hop by hop; justification then fills what is left idle.

mod hops;
mod justify;
mod orders;
mod timetable;

pub use hops::{Hops, Unsorted};
pub use justify::justified;
pub use orders::{shortest, shuffled};
pub use timetable::Timetable;

use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use justify::MOST_HOPS;

/// The schedule of a scatter after justification, if that applies and makes it shorter.
pub fn shorter(problem: &Problem, plan: &Plan) -> Option<Plan> {
    let is_stored = problem.switching().stores();
    let applies = is_stored && problem.collective().content().is_personal();
    if !applies || plan.channel_steps() > MOST_HOPS {
        return None;
    }
    let justified = justified(problem, Hops::of(plan));
    (justified.steps.len() < plan.len()).then(|| justified.plan(problem))
}

/// The schedule of messages along given paths, in this order. A message is given by its demand.
pub fn along<'r>(
    problem: &Problem,
    messages: impl Iterator<Item = (u32, &'r [ChannelId])>,
) -> Hops {
    justified(problem, earliest(problem, messages))
}

/// The same without justification: messages take the earliest journeys along given paths.
pub fn earliest<'r>(
    problem: &Problem,
    messages: impl Iterator<Item = (u32, &'r [ChannelId])>,
) -> Hops {
    let (mut table, mut hops) = (Timetable::new(problem), Unsorted::default());
    let mut journey = Vec::new();
    for (demand, path) in messages {
        journey.clear();
        journey.extend(table.earliest(path));
        for &(c, step) in &journey {
            table.take(c, step);
            hops.push(step, demand, c);
        }
    }
    hops.into_sorted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::first_fit::fitted;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;
    use std::sync::Arc;

    /// The schedules of an all-to-all whose messages follow those of a first fit for wormhole switching:
    /// steps before justification and after it.
    fn steps(topology: &str, ports: Ports) -> (usize, usize) {
        let switching = Switching::StoreAndForward;
        let request = Request { switching, ports, ..Request::new(Collective::Aas) };
        let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
        let twin = problem.with_switching(Switching::Wormhole);
        let plan = fitted(&twin, &mut rng_of(1, 0, 0));
        let mut table = Timetable::new(&problem);
        let mut last = 0;
        for t in plan.transfers() {
            let mut from = 0;
            for &c in t.channels {
                from = table.next(c, from) + 1;
                table.take(c, from - 1);
            }
            last = last.max(from);
        }
        let hops = along(&problem, plan.transfers().map(|t| (t.message, t.channels)));
        let file = hops.plan(&problem).record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        (last as usize, hops.steps.len())
    }

    #[test]
    fn justified_schedules_are_valid_and_never_longer() {
        let mut gained = 0;
        for topology in [
            "mesh:4x4",
            "fat-tree:16",
            "kautz:2,3",
            "ring:7,half",
            "torus:4x4,width=2",
            "slim-fly:5,3",
        ] {
            for ports in [None, Some(1), Some(2)] {
                let (before, after) = steps(topology, Ports(ports));
                assert!(after <= before, "{topology}, {ports:?} ports: {before} and {after}");
                gained += before - after;
            }
        }
        assert!(gained > 0);
    }

    #[test]
    fn a_schedule_is_made_shorter_where_that_applies() {
        // The hop of the second message could be in the first step.
        let pose = |switching| {
            let request = Request { switching, ..Request::new(Collective::Aas) };
            request.pose(spec::parse("ring:4,simplex").unwrap(), vec![]).unwrap()
        };
        let problem = pose(Switching::StoreAndForward);
        let messages = problem.demands().iter().map(|d| d.message);
        // One hop a step.
        let mut plan = Plan::new(0);
        for (message, d) in messages.zip(problem.demands()) {
            let mut at = d.source;
            while at != d.destination {
                let c = problem.network().outgoing(at)[0];
                plan.push(plan.len(), message, [c]);
                at = problem.network().channel(c).to;
            }
        }
        let shorter = shorter(&problem, &plan).unwrap();
        assert_eq!((plan.len(), shorter.channel_steps()), (24, 24));
        assert!(shorter.len() <= 8, "{}", shorter.len());
        let file = shorter.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{:?}", verify(&file));
        assert!(super::shorter(&pose(Switching::Wormhole), &plan).is_none());
    }

    #[test]
    fn a_hop_moves_to_the_step_that_another_leaves_idle() {
        // A message from leaf to leaf of a tree, and one from the root, which waits behind it although
        // its channel is idle before.
        let request =
            Request { switching: Switching::StoreAndForward, ..Request::new(Collective::Aas) };
        let problem = request.pose(spec::parse("full-binary-tree:3").unwrap(), vec![]).unwrap();
        let network = problem.network();
        let channel = |from, to| {
            let leads = |c: &&ChannelId| network.channel(**c).to == to;
            *network.outgoing(from).iter().find(leads).unwrap()
        };
        let (first, second) = (channel(1, 0), channel(0, 2));
        let late = Hops::sorted((0..).zip([(0, first), (0, second), (1, second)]));
        assert_eq!(justified(&problem, late).steps.len(), 2);
    }
}
