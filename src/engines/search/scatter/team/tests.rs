//! Teams without masters: legs, and parts handed to all, or to the worse half.

use super::*;
use crate::search::scatter::Hops;
use crate::search::scatter::places::Crossing;
use crate::{Genome, Leg, Resume, Seat, Walker};
use ccsched_model::problem::{Collective, Ports, Problem, Request, Switching};
use ccsched_model::schedule::file::Provenance;
use ccsched_network::spec;
use ccsched_verify::{Rule, verify};
use std::sync::Arc;

/// The islands of a team.
struct Islands(Vec<(Teamed, Rng)>);

impl Islands {
    fn new(problem: &Arc<Problem>, of: usize) -> Self {
        let hops = Arc::new(Hops::new(problem.clone(), problem.routing().listed_slack()));
        let model = Teamed::new(ScatterSearch::new(problem.clone(), hops));
        let member = |index| {
            let mut walker = model.clone();
            walker.settle(Seat::among(index, of).with_team(|_| true));
            (walker, rng_of(3, index, 0))
        };
        Islands((0..of).map(member).collect())
    }

    fn seek(&mut self, steps: u32) {
        self.0.iter_mut().for_each(|(walker, rng)| _ = walker.seek(steps, rng));
    }

    fn team(&self, index: usize) -> &Team {
        self.0[index].0.team.as_ref().unwrap()
    }

    /// A leg of all.
    fn go_on(&mut self) {
        for (walker, rng) in self.0.iter_mut().filter(|(walker, _)| walker.cost() > 0) {
            walker.iterate(rng);
            assert!(walker.pause().is_due);
        }
    }

    /// The exchange; all receive the best schedule if a new search begins.
    fn exchange(&mut self, begins: bool) {
        let parts = self.0.iter().map(|(walker, _)| walker.genome().part().unwrap().clone());
        let mut parts: Vec<_> = parts.collect();
        let is_apart = self.team(0).is_apart;
        parts.sort_by_key(|part| part.cost);
        let half = parts.len() / 2;
        for (i, (walker, rng)) in self.0.iter_mut().enumerate() {
            let given = match is_apart {
                true if begins => vec![parts[0].clone()],
                true if i < half => vec![parts[i].clone()],
                true => continue,
                false => parts.clone(),
            };
            let given = Genome::Parts(Arc::new(given));
            assert!(walker.can_meet(&given));
            walker.cross_over(&given, rng);
        }
    }

    fn schedule(&self, index: usize) -> (Vec<Crossing>, &[i16]) {
        let search = &self.0[index].0.search;
        let places = (0..search.transfers() as u32).flat_map(|t| search.places.of(t));
        (places.copied().collect(), &search.weight)
    }

    /// Whether all have the same schedule, with the same weights and the same generator.
    fn agree(&self) -> bool {
        let of = |index| (self.schedule(index), self.team(index).waiting.clone());
        (1..self.0.len()).all(|i| of(i) == of(0) && self.team(i).rng == self.team(0).rng)
    }
}

fn problem(topology: &str, change: impl Fn(&mut Request)) -> Arc<Problem> {
    let mut request = Request::new(Collective::Aas);
    change(&mut request);
    Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
}

/// Legs at two step targets: islands agree after each exchange, and all schedules are valid.
#[test]
fn islands_have_the_same_schedule_after_each_exchange() {
    let stored = |r: &mut Request| r.switching = Switching::StoreAndForward;
    let one_port = |r: &mut Request| r.ports = Ports(Some(1));
    for (of, problem, steps) in [
        (2, problem("random-regular:12,3,1", |_| ()), 12),
        (5, problem("random-regular:16,3,2", |_| ()), 15),
        (3, problem("random-regular:12,3,1", stored), 12),
        (3, problem("mesh:3x3", one_port), 14),
        (4, problem("fat-tree:16", |_| ()), 16),
    ] {
        let mut islands = Islands::new(&problem, of);
        for steps in [steps, steps - 2] {
            islands.seek(steps);
            assert!(islands.agree());
            for leg in 0..200 {
                islands.go_on();
                let index = (0..of).find(|&i| islands.0[i].0.cost() == 0);
                let plan = islands.0[index.unwrap_or(0)].0.plan();
                let wrong = verify(&plan.record(&problem, &[], Provenance::default()));
                let is_allowed = |rule| rule == Rule::Completeness && index.is_none();
                assert!(wrong.iter().all(|v| is_allowed(v.rule)), "{wrong:?}");
                let is_over = index.is_some() || leg == 199;
                islands.exchange(is_over);
                if !islands.team(0).is_apart || is_over {
                    assert!(islands.agree(), "{} {leg}", problem.network().name());
                }
                if is_over {
                    break;
                }
            }
        }
    }
}

/// Of two teams one is a step ahead, and goes on with its schedule when the other has found one.
#[test]
fn every_other_team_is_a_step_ahead() {
    let problem = problem("random-regular:16,3,1", |_| ());
    let least = ccsched_bounds::quick(&problem)[0].steps;
    let hops = Arc::new(Hops::new(problem.clone(), 0));
    let model = Teamed::new(ScatterSearch::new(problem.clone(), hops));
    let seated = |island, is_open| {
        let mut walker = model.clone();
        let seat = Seat { group: 2, is_open, ..Seat::among(island, 4) };
        walker.settle(seat.with_team(|_| true));
        walker
    };
    let asked = least + 2 + least % 2;
    let rng = &mut rng_of(1, 0, 0);
    let mut teams = [0, 2].map(|island| seated(island, true));
    teams.iter_mut().for_each(|walker| _ = walker.seek(asked, rng));
    assert_eq!(teams.each_ref().map(|walker| walker.search.steps), [asked, asked - 1]);
    teams[1].iterate(rng);
    let before = teams[1].save().unwrap();
    teams.iter_mut().for_each(|walker| _ = walker.seek(asked - 1, rng));
    assert_eq!(teams.each_ref().map(|walker| walker.search.steps), [asked - 2, asked - 1]);
    assert_eq!(teams[1].save().unwrap(), before);
    // No team seeks fewer steps than the bound, or than were asked for.
    for (island, is_open, steps) in [(0, true, least), (2, true, least), (2, false, asked)] {
        let mut walker = seated(island, is_open);
        walker.seek(steps, rng);
        assert_eq!(walker.search.steps, steps);
    }
}

/// A saved state goes on as the island itself does, whether islands are together or apart.
#[test]
fn saved_islands_go_on_as_they_would_have() {
    let problem = problem("random-regular:16,3,1", |_| ());
    let mut islands = Islands::new(&problem, 4);
    islands.seek(13);
    let mut phases = [false; 2];
    for leg in 0..60 {
        islands.go_on();
        phases[usize::from(islands.team(0).is_apart)] = true;
        let mut again = Islands::new(&problem, 4);
        for ((walker, rng), (saved, of)) in again.0.iter_mut().zip(&islands.0) {
            walker.load(&saved.save().unwrap()).unwrap();
            *rng = of.clone();
        }
        for islands in [&mut islands, &mut again] {
            islands.exchange(false);
            islands.go_on();
        }
        for (of, saved) in islands.0.iter().zip(&again.0) {
            assert_eq!(of.0.save().unwrap(), saved.0.save().unwrap(), "leg {leg}");
        }
        islands.exchange(false);
    }
    assert_eq!(phases, [true; 2]);
}

#[test]
fn a_team_of_another_size_begins_anew() {
    let problem = problem("random-regular:16,3,1", |_| ());
    let mut three = Islands::new(&problem, 3);
    three.seek(15);
    three.go_on();
    let mut two = Islands::new(&problem, 2);
    for ((walker, _), (saved, _)) in two.0.iter_mut().zip(&three.0) {
        walker.load(&saved.save().unwrap()).unwrap();
    }
    assert!(two.agree());
    let begun = two.schedule(0).0;
    // Parts that were under way are of no use.
    let part = three.0[0].0.genome().part().unwrap().clone();
    two.0[0].0.cross_over(&Genome::Parts(Arc::new(vec![part])), &mut rng_of(1, 0, 0));
    assert!(two.agree() && begun == two.schedule(0).0);
    // An island alone waits for all that has no place.
    let mut one = Islands::new(&problem, 1);
    one.0[0].0.load(&three.0[1].0.save().unwrap()).unwrap();
    assert_eq!(one.0[0].0.cost(), three.0[1].0.cost());
}

#[test]
fn parts_with_impossible_places_are_refused() {
    let problem = problem("random-regular:12,3,1", |_| ());
    let mut islands = Islands::new(&problem, 2);
    islands.seek(12);
    let search = &islands.0[0].0.search;
    let placed = (0..).find(|&t| search.places.of(t).len() > 1).unwrap();
    let place = search.places.of(placed);
    let of = |t, weight, place: &[(u32, u32)]| {
        let mut changes = Changes::default();
        changes.push(t, weight, place);
        changes.is_sound(search)
    };
    assert!(of(placed, 1, place) && of(placed, 1, &[]));
    let late: Vec<_> = place.iter().map(|&(c, _)| (c, 12)).collect();
    let twice = [place, place].concat();
    assert!(!of(search.transfers() as u32, 1, &[]) && !of(placed, -1, place));
    assert!(!of(placed, 1, &place[1..]) && !of(placed, 1, &late) && !of(placed, 1, &twice));
}

/// Members that take turns find valid schedules, and go on from a saved state as they would have.
#[test]
fn members_take_turns_on_one_island() {
    let problem = problem("random-regular:16,3,1", |_| ());
    let hops = Arc::new(Hops::new(problem.clone(), 0));
    let mut walker = Teamed::new(ScatterSearch::new(problem.clone(), hops));
    let model = walker.clone();
    let rng = &mut rng_of(1, 0, 0);
    let (mut apart, mut complete) = (0, 0);
    for steps in [16, 13, 12, 11] {
        walker.seek(steps, rng);
        walker.take_turns(4);
        for _ in 0..30 {
            if walker.cost() == 0 {
                break;
            }
            let mut again = model.clone();
            again.load(&walker.save().unwrap()).unwrap();
            let same = &mut rng.clone();
            assert_eq!(walker.iterate(rng), again.iterate(same));
            assert_eq!(walker.save().unwrap(), again.save().unwrap());
            assert_eq!(walker.pause(), Leg::default());
            apart += usize::from(!walker.copies.is_empty());
        }
        let wrong = verify(&walker.plan().record(&problem, &[], Provenance::default()));
        let is_whole = walker.cost() == 0;
        complete += usize::from(is_whole);
        let is_allowed = |rule| rule == Rule::Completeness && !is_whole;
        assert!(wrong.iter().all(|v| is_allowed(v.rule)), "{wrong:?}");
    }
    assert!(apart > 10 && complete > 0, "{apart} apart, {complete} complete");
}
