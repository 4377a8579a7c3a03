//! All-to-all scatters by wormhole switching with limited ports: the steps of a construction without the limit,
//! less the messages for which a terminal has no port left in their step. These go last, in the first
//! steps where they fit. Few are left where the steps send at most one message a terminal, as those of meshes do.

use super::draft;
use crate::engines::construct::{LIMITED_PORTS, first_fit, plan_before};
use crate::problem::{Ports, Problem, Request, ResourceId, Resources};
use crate::rng::Rng;
use crate::schedule::{Plan, PlanBuilder};
use std::sync::Arc;

/// The schedule, if some terminal has a limit on its ports and there is such a construction.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    if !problem.resources.have_ports() || !draft::is_total(problem) {
        return None;
    }
    let plan = plan_before(LIMITED_PORTS, &Arc::new(unlimited(problem)), rng)?;
    let kept = kept(problem, &plan);
    let is_complete = kept.transfers().count() == problem.demands.len();
    Some(if is_complete { kept } else { first_fit::completed(problem, kept) })
}

/// The problem with as many ports as a terminal has channels.
fn unlimited(problem: &Problem) -> Problem {
    let ports = Ports(None);
    let request = Request { ports, ..problem.request.clone() };
    let resources = Resources::new(&problem.network, ports);
    Problem { request, ports, resources, ..problem.clone() }
}

/// The transfers of a plan, in its order, for which ports are left in their step.
fn kept(problem: &Problem, plan: &Plan) -> Plan {
    let resources = &problem.resources;
    // By resource: the last step in which it was used, and how often.
    let mut uses = vec![(u32::MAX, 0); resources.capacities().len()];
    let mut builder = PlanBuilder::default();
    for (number, step) in (0..).zip(plan.steps()) {
        for t in step.iter() {
            let demand = &problem.demands[t.message as usize];
            let ends = (demand.source, demand.destination);
            let ports = || resources.at_ends(problem.switching, ends.0, ends.1);
            let used = |uses: &[(u32, u32)], port: ResourceId| match uses[port as usize] {
                (step, count) if step == number => count,
                _ => 0,
            };
            if ports().all(|port| used(&uses, port) < resources.capacity(port)) {
                ports().for_each(|port| uses[port as usize] = (number, used(&uses, port) + 1));
                builder.push(number, t.message, t.channels);
            }
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;
    use crate::problem::{Collective, Switching};
    use crate::rng::rng_of;
    use crate::schedule::file::Provenance;
    use crate::verify::verify;

    fn problem(topology: &str, ports: Option<u32>, switching: Switching) -> Problem {
        let request = Request { ports: Ports(ports), switching, ..Request::new(Collective::Aas) };
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
    }

    #[test]
    fn few_steps_are_added_to_those_without_the_limit() {
        // At the bound, that of the channels, and a little above it.
        for (topology, ports, bound, most) in [
            ("ring:100", 1, 1250, 1250),
            ("mesh:12x30", 1, 2700, 2700),
            ("torus:8x8x8", 2, 512, 512),
            ("torus:9x7", 1, 70, 75),
            ("mesh:15x15", 1, 840, 880),
            ("torus:15x15", 2, 420, 440),
        ] {
            let problem = problem(topology, Some(ports), Switching::Wormhole);
            let plan = plan(&problem, &mut rng_of(1, 0, 0)).unwrap();
            let file = plan.record(&problem, &[], Provenance::default());
            assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
            assert!((bound..=most).contains(&plan.len()), "{topology}: {}", plan.len());
        }
    }

    #[test]
    fn other_problems_are_left_to_others() {
        let rng = &mut rng_of(1, 0, 0);
        assert!(plan(&problem("mesh:8x8", None, Switching::Wormhole), rng).is_none());
        assert!(plan(&problem("mesh:8x8", Some(1), Switching::StoreAndForward), rng).is_none());
        let without = problem("random-regular:50,3,1", Some(1), Switching::Wormhole);
        assert!(plan(&without, rng).is_none());
    }
}
