//! Searches under groups of automorphisms give schedules that pass `verify`.

use super::*;
use crate::network::spec;
use crate::problem::{Collective, Ports, Request};
use crate::schedule::file::Provenance;
use crate::verify::verify;

/// A schedule of this number of steps that is invariant under each group of a network is found.
fn schedules(topology: &str, ports: Option<u32>, steps: u32) -> usize {
    let request = Request { ports: Ports(ports), ..Request::new(Collective::Aas) };
    let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
    let mut race = Race::new(problem.clone(), Params::default(), 1);
    race.steps = steps;
    let fits = |g: &&Arc<Group>| !g.has_chains() || steps.is_multiple_of(g.order() as u32);
    let groups: Vec<Arc<Group>> = race.groups.iter().flatten().filter(fits).cloned().collect();
    let rng = &mut rng_of(1, 0, 0);
    for group in &groups {
        let (mut part, _) = race.under(std::slice::from_ref(group), rng).expect("there are steps");
        for _ in 0..2000 {
            part.iterate(rng);
            if part.cost() == 0 {
                break;
            }
        }
        assert_eq!(part.cost(), 0, "{topology}, group of order {}", group.order());
        let file = part.plan().record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology}: {:?}", verify(&file));
        assert_eq!(file.steps.len(), steps as usize);
    }
    groups.len()
}

#[test]
fn groups_that_fix_a_centre() {
    assert!(schedules("mesh:3x3", None, 9) > 0);
    assert!(schedules("mesh:3x5x5", None, 110) > 0);
    assert!(schedules("mesh:3x5x5", Some(1), 130) > 0);
}

#[test]
fn groups_that_fix_demands_along_chains() {
    assert!(schedules("mesh:3x3", None, 12) > 2);
    assert!(schedules("mesh:3x3x3", None, 24) > 5);
    assert!(schedules("mesh:5x5x5", None, 168) > 5);
}

#[test]
fn groups_that_move_every_terminal() {
    assert!(schedules("torus:4x4", None, 10) > 2);
    assert!(schedules("mesh:4x4", Some(1), 24) > 1);
}
