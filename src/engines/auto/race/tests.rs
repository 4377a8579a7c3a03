//! Searches under groups of automorphisms give schedules that pass `verify`.

use super::*;
use ccsched_model::problem::{Collective, Ports, Request, Switching};
use ccsched_model::schedule::file::Provenance;
use ccsched_network::spec;
use ccsched_verify::verify;

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
        assert!(!part.is_stuck());
        assert_eq!(part.cost(), 0, "{topology}, group of order {}", group.order());
        let file = part.plan().record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology}: {:?}", verify(&file));
        // Some may be empty.
        assert!(file.steps.len() <= steps as usize);
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

/// With store-and-forward switching messages keep their steps under a group: two that cross a half-duplex link against
/// each other, images of each other, never get a place.
#[test]
fn searches_that_are_stuck_give_way() {
    let (switching, ports) = (Switching::StoreAndForward, Ports(Some(1)));
    let request = Request { switching, ports, ..Request::new(Collective::Aas) };
    let problem = request.pose(spec::parse("octagon,half").unwrap(), vec![]).unwrap();
    let mut race = Race::new(Arc::new(problem), Params::default(), 1);
    let rng = &mut rng_of(1, 0, 0);
    race.seek(14, rng);
    let groups: Vec<Arc<Group>> = race.groups.iter().flatten().cloned().collect();
    race.parts.clear();
    for group in &groups {
        let (mut part, _) = race.under(std::slice::from_ref(group), rng).unwrap();
        for _ in 0..50 {
            part.iterate(rng);
        }
        if part.is_stuck() {
            assert!(part.cost() > 0 && part.iterate(rng) == 0);
            race.parts.push(part);
        }
    }
    assert!(!race.parts.is_empty());
    (race.turn, race.left) = (race.parts.len() - 1, 10);
    race.iterate(rng);
    assert_eq!(race.left, 0);
    // A short turn of the search on the whole network, then a new race.
    race.next_turn(rng);
    assert_eq!((race.turn, race.left), (race.parts.len(), race.lengths.0));
    race.next_turn(rng);
    assert!(race.turn == 0 && !race.are_stuck());
}
