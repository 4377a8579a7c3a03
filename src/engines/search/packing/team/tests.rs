//! Teams of islands, without masters: legs, and windows handed to all.

use super::super::{Phase, State};
use super::*;
use crate::search::packing::Packing;
use crate::{Genome, Resume, Walker};
use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::{Collective, Ports, Request, Switching};
use ccsched_model::schedule::Plan;
use ccsched_model::schedule::file::Provenance;
use ccsched_network::spec;
use ccsched_verify::verify;
use std::sync::Arc;

/// Iterations between two exchanges.
const LEG: u32 = 10;

/// The islands of a team.
struct Islands {
    problem: Arc<ccsched_model::Problem>,
    members: Vec<(Packing, Rng)>,
}

impl Islands {
    fn new(problem: &Arc<ccsched_model::Problem>, of: u32) -> Self {
        let model = Packing::new(problem.clone());
        let member = |index| {
            let mut packing = model.clone();
            packing.join(Share { index, of });
            (packing, rng_of(3, index as usize, 0))
        };
        Islands { problem: problem.clone(), members: (0..of).map(member).collect() }
    }

    /// A leg of all, and the exchange. Returns the schedule that the first one shows, if any.
    fn go_on(&mut self) -> Option<Plan> {
        for (packing, rng) in &mut self.members {
            for _ in 0..LEG {
                if packing.cost() > 0 {
                    packing.iterate(rng);
                }
            }
        }
        let window = |(packing, _): &(Packing, Rng)| match packing.genome() {
            Genome::Part(part) => part,
            other => panic!("{other:?} is no window"),
        };
        let windows = Genome::Parts(Arc::new(self.members.iter().map(window).collect()));
        let mut shown = None;
        for (index, (packing, rng)) in self.members.iter_mut().enumerate() {
            assert!(packing.can_meet(&windows));
            if packing.cost() == 0 {
                assert_eq!(index, 0, "the first island alone has the whole schedule");
                shown = Some(packing.plan());
            }
            packing.cross_over(&windows, rng);
            packing.seek(1, rng);
        }
        shown
    }

    /// After some legs.
    fn begun(problem: &Arc<ccsched_model::Problem>, of: u32) -> Self {
        let mut islands = Islands::new(problem, of);
        for _ in 0..4 {
            islands.go_on();
        }
        islands
    }

    /// Takes the states of others, as many as there are islands.
    fn load(&mut self, saved: &Islands) {
        for ((packing, _), (saved, _)) in self.members.iter_mut().zip(&saved.members) {
            packing.load(&saved.save().unwrap()).unwrap();
        }
    }

    fn team(&self, index: usize) -> &Team {
        self.members[index].0.state.team.as_ref().unwrap()
    }

    /// Goes on until all members are so far; returns the numbers of steps shown. All that is shown is
    /// valid, and all islands agree on what is left.
    fn run(&mut self, is_so_far: impl Fn(&State) -> bool) -> Vec<usize> {
        let mut shown = Vec::new();
        for _ in 0..3000 {
            if let Some(plan) = self.go_on() {
                let file = plan.record(&self.problem, &[], Provenance::default());
                assert!(verify(&file).is_empty(), "{:?}", verify(&file));
                shown.push(plan.len());
            }
            for index in 1..self.members.len() {
                assert_eq!(self.team(index).pool, self.team(0).pool);
            }
            if self.members.iter().all(|(packing, _)| is_so_far(&packing.state)) {
                return shown;
            }
        }
        panic!("a pass has no end");
    }
}

fn problem(topology: &str, change: impl Fn(&mut Request)) -> Arc<ccsched_model::Problem> {
    let mut request = Request::new(Collective::Aas);
    change(&mut request);
    Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
}

#[test]
fn teams_find_valid_schedules() {
    let one_port = |r: &mut Request| r.ports = Ports(Some(1));
    let stored = |r: &mut Request| r.switching = Switching::StoreAndForward;
    for (of, problem) in [
        (2, problem("random-regular:16,4,1", |_| ())),
        (3, problem("random-regular:12,4,1,width=2", |_| ())),
        (5, problem("random-regular:12,3,2", one_port)),
        (2, problem("random-regular:12,3,2", stored)),
        (3, problem("two-switch:6,5", |_| ())),
    ] {
        let shown = Islands::new(&problem, of).run(|state| state.phase == Phase::Finish);
        assert!(shown.is_sorted_by(|a, b| a > b), "{shown:?}");
        let bound = ccsched_bounds::all(&problem)[0].steps as usize;
        let last = *shown.last().unwrap();
        assert!(last <= bound + bound.div_ceil(4), "{last} of {bound}");
    }
}

#[test]
fn passes_follow_each_other() {
    let problem = problem("random-regular:8,3,1", |_| ());
    let shown = Islands::new(&problem, 3).run(|state| state.pass == 3);
    let bound = ccsched_bounds::all(&problem)[0].steps as usize;
    assert!(*shown.last().unwrap() <= bound + 1, "{shown:?} of {bound}");
}

#[test]
fn a_team_resumes_where_it_was() {
    let problem = problem("random-regular:12,4,1", |_| ());
    let mut whole = Islands::begun(&problem, 3);
    let mut resumed = Islands::new(&problem, 3);
    resumed.load(&whole);
    for ((_, rng), (_, at)) in resumed.members.iter_mut().zip(&whole.members) {
        *rng = at.clone();
    }
    let is_filled = |state: &State| state.phase == Phase::Finish;
    assert_eq!(whole.run(is_filled), resumed.run(is_filled));
    assert_eq!(whole.members[0].0.save().unwrap(), resumed.members[0].0.save().unwrap());
}

#[test]
fn a_team_of_another_size_begins_anew() {
    let problem = problem("random-regular:12,4,1", |_| ());
    let mut three = Islands::begun(&problem, 3);
    let mut two = Islands::new(&problem, 2);
    two.load(&three);
    // Windows that were under way are of no use.
    let (packing, rng) = &mut three.members[0];
    let Genome::Part(window) = packing.genome() else { panic!("no window") };
    let (other, _) = &mut two.members[0];
    other.cross_over(&Genome::Parts(Arc::new(vec![window])), rng);
    assert_eq!(two.team(0).messages, problem.demands().len() as u64);
    assert!(!two.run(|state| state.phase == Phase::Finish).is_empty());
}

/// Steps of messages, by pair; paths do not matter here.
fn steps(pairs: &[&[u32]]) -> Packed {
    let mut packed = Packed::default();
    for step in pairs {
        step.iter().for_each(|&pair| packed.push(pair, &[pair]));
        packed.close_step();
    }
    packed
}

fn share(index: u32) -> Share {
    Share { index, of: 2 }
}

fn window(index: u32, drafts: &[&[u32]]) -> Window {
    Window { share: share(index), drafts: steps(drafts), ..Window::default() }
}

#[test]
fn a_message_in_two_windows_stays_in_the_first() {
    let ground = Ground::new(problem("ring:4", |_| ()));
    let mut team = Team::new(&ground, share(1));
    let windows = [window(0, &[&[0, 1], &[2]]), window(1, &[&[3, 4], &[1, 5]])];
    assert_eq!(team.take(&windows), steps(&[&[0, 1], &[2], &[3, 4]]));
    assert_eq!((team.messages, &team.open, &team.pending), (6, &steps(&[&[5]]), &steps(&[&[5]])));

    // No time to mend: the step stays as it is. The other island takes more, and one of these twice.
    let shown = team.shown(vec![]);
    assert_eq!((&shown.mended, &shown.given), (&steps(&[&[5]]), &vec![5]));
    assert_eq!(team.take(&[window(0, &[&[6, 6, 7]]), shown]), steps(&[&[5]]));
    assert_eq!((team.messages, &team.pending), (4, &steps(&[&[6, 7]])));
    assert!(team.open.len() == 0 && !team.is_filled());
}

#[test]
fn windows_of_other_problems_are_not_sound() {
    let ground = Ground::new(problem("ring:4", |_| ()));
    let loads = vec![0; ground.problem.resources().capacities().len()];
    let sound = Window { loads, drafts: steps(&[&[0, 7]]), ..Window::default() };
    assert!(sound.is_sound(&ground));
    assert!(!Window { drafts: steps(&[&[12]]), ..sound.clone() }.is_sound(&ground));
    assert!(!Window { end: Some(steps(&[&[8]])), ..sound.clone() }.is_sound(&ground));
    assert!(!Window { given: vec![12], ..sound.clone() }.is_sound(&ground));
    assert!(!Window { loads: vec![], ..sound }.is_sound(&ground));
}
