//! The searches for large scatters, on small problems: step packing and relay scheduling find valid
//! schedules under all rules, no shorter than the bounds allow; saved and loaded they go on as before.
//! The opening of a run on a large problem.

use crate::support::checked::complaints;
use crate::support::tiny;
use ccsched::bounds;
use ccsched::engines::search::packing::{Packing, Relay};
use ccsched::engines::{Engine, Walker};
use ccsched::islands::{Job, Prepared, Search, StopCondition, StopReason, Threads, Watcher};
use ccsched::network::spec;
use ccsched::problem::{Collective, Ports, Problem, Request, Routing, Switching};
use ccsched::rng::{Rng, rng_of};
use ccsched::schedule::ScheduleFile;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

static NEVER: AtomicBool = AtomicBool::new(false);

/// The search for a problem, whatever its size.
fn walker(problem: &Arc<Problem>) -> Box<dyn Walker> {
    match problem.switching() {
        Switching::Wormhole | Switching::Hosts => Box::new(Packing::new(problem.clone())),
        Switching::StoreAndForward => Box::new(Relay::new(problem.clone())),
    }
}

/// Searches for a number of iterations; returns the steps of the last schedule shown. All are valid.
fn steps(problem: &Problem, walker: &mut dyn Walker, iterations: u32, rng: &mut Rng) -> usize {
    let mut least = usize::MAX;
    walker.seek(1, rng);
    for _ in 0..iterations {
        walker.iterate(rng);
        if walker.cost() == 0 {
            let plan = walker.plan();
            assert_eq!(complaints(problem, &plan), "", "{}", problem.network().name());
            // With store-and-forward switching a shorter schedule may follow from more steps.
            let is_shorter = plan.len() < least || problem.switching() != Switching::Wormhole;
            assert!(is_shorter, "a schedule that is shown is shorter than the last");
            least = least.min(plan.len());
            walker.seek(1, rng);
        }
    }
    least
}

fn posed(topology: &str, request: Request) -> Arc<Problem> {
    Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
}

#[test]
fn random_tiny_scatters_are_scheduled() {
    let mut rng = rng_of(5, 0, 0);
    let (mut tried, mut optimal) = (0, 0);
    for round in 0..300 {
        let collective = [Collective::Aas, Collective::Oas, Collective::Aog][round % 3];
        let problem = tiny::problem(&mut rng, collective);
        if problem.demands().is_empty() {
            continue;
        }
        let bound = bounds::all(&problem).first().map_or(0, |b| b.steps) as usize;
        let found = steps(&problem, &mut *walker(&problem), 30, &mut rng_of(1, 0, 0));
        assert!(found != usize::MAX && found >= bound, "{}", problem.network().name());
        tried += 1;
        optimal += usize::from(found == bound);
    }
    assert!(tried > 200 && optimal > tried / 3, "{optimal} of {tried}");
}

#[test]
fn first_fit_over_planned_routes_meets_the_bound_of_a_bottleneck() {
    for (topology, routing) in [
        ("full-binary-tree:63", Routing::Minimal),
        ("binary-tree:32", Routing::Minimal),
        ("mesh:4x4", "updown".parse().unwrap()),
    ] {
        let problem = posed(topology, Request { routing, ..Request::new(Collective::Aas) });
        let bound = bounds::all(&problem)[0].steps as usize;
        let found = steps(&problem, &mut *walker(&problem), 60, &mut rng_of(1, 0, 0));
        assert_eq!(found, bound, "{topology}");
    }
}

#[test]
fn wormhole_steps_give_schedules_for_store_and_forward_switching() {
    for ports in [None, Some(1)] {
        for topology in ["slim-fly:3,2", "fat-tree:16", "random-regular:30,4,1", "ring:8,half"] {
            let switching = Switching::StoreAndForward;
            let aas = Request::new(Collective::Aas);
            let problem = posed(topology, Request { switching, ports: Ports(ports), ..aas });
            let bound = bounds::all(&problem)[0].steps as usize;
            let mut packing = Packing::new(problem.clone());
            let found = steps(&problem, &mut packing, 60, &mut rng_of(1, 0, 0));
            assert!(found <= bound + bound / 3 + 2, "{topology} {ports:?}: {found}, bound {bound}");
        }
    }
}

#[test]
fn networks_without_symmetry_come_near_their_bounds() {
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        for ports in [None, Some(1)] {
            let request =
                Request { switching, ports: Ports(ports), ..Request::new(Collective::Aas) };
            let problem = posed("random-regular:30,4,1", request);
            let bound = bounds::all(&problem)[0].steps as usize;
            let found = steps(&problem, &mut *walker(&problem), 60, &mut rng_of(1, 0, 0));
            assert!(found <= bound + bound / 4, "{switching} {ports:?}: {found}, bound {bound}");
        }
    }
}

#[test]
fn a_saved_search_goes_on_as_before() {
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        for topology in ["random-regular:20,3,1", "mesh:4x4,width=2"] {
            let request = Request { switching, ..Request::new(Collective::Aas) };
            let problem = posed(topology, request);
            // The last ones are in the search of the last steps.
            for saved_after in [0, 1, 3, 8, 13, 40, 60, 85, 130] {
                let (mut one, mut rng) = (walker(&problem), rng_of(7, 0, 0));
                one.seek(1, &mut rng);
                for _ in 0..saved_after {
                    one.iterate(&mut rng);
                }
                let mut other = walker(&problem);
                other.load(&one.save().unwrap()).unwrap();
                let mut same = rng.clone();
                for _ in 0..20 {
                    assert_eq!(one.iterate(&mut rng), other.iterate(&mut same), "{topology}");
                    assert_eq!(one.cost(), other.cost());
                }
                assert!(one.save().unwrap() == other.save().unwrap(), "{topology}, {saved_after}");
            }
        }
    }
}

#[test]
fn a_state_of_another_network_is_refused() {
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        let of = |topology| posed(topology, Request { switching, ..Request::new(Collective::Aas) });
        let state = walker(&of("mesh:3x3")).save().unwrap();
        assert!(walker(&of("mesh:3x4")).load(&state).is_err());
    }
}

/// A run with a time limit.
fn run(topology: &str, request: Request, goal: Option<u32>, seconds: f64) -> ccsched::Solution {
    let problem = posed(topology, request);
    let search = Search { seed: 1, exchange_every: 10, goal, ..Search::default() };
    let job = Job::of(&problem, Engine::default(), search);
    let prepared = Prepared::of(job, problem, 2).unwrap();
    let stop = StopCondition::new(u64::MAX, Some(Duration::from_secs_f64(seconds)), &NEVER);
    prepared.run(&mut Threads(2), stop, &mut (), None).unwrap()
}

#[test]
fn a_large_problem_has_a_schedule_at_once() {
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        let request = Request { switching, ..Request::new(Collective::Aas) };
        let problem = posed("random-regular:90,4,1", request.clone());
        // Without iterations there is no search.
        let search = Search { seed: 1, exchange_every: 1, goal: None, ..Search::default() };
        let job = Job::of(&problem, Engine::default(), search);
        let stop = StopCondition::new(0, None, &NEVER);
        let prepared = Prepared::of(job, problem, 1).unwrap();
        let solution = prepared.run(&mut Threads(1), stop, &mut (), None).unwrap();
        assert_eq!(solution.method.unwrap().to_string(), "first fit");
        let steps = solution.plan.unwrap().len();
        let bound = solution.bounds[0].steps as usize;
        assert!(steps < 2 * bound, "{steps}, bound {bound}");
        assert_eq!(solution.bounds[0].name, "congestion", "all bounds are known at the end");
    }
}

#[test]
fn a_large_problem_without_time_still_ends_well() {
    let solution = run("random-regular:90,4,1", Request::new(Collective::Aas), None, 0.0);
    assert_eq!(solution.reason, StopReason::Time);
    // A goal that the first schedule does not reach: nothing is found, and nothing longer shown.
    let solution = run("random-regular:90,4,1", Request::new(Collective::Aas), Some(85), 1.5);
    assert!(solution.plan.is_none_or(|plan| plan.len() <= 85));
}

/// A watcher that needs more than a second to save a schedule, and counts.
#[derive(Default)]
struct Slow {
    saved: u32,
    saved_at_end: u32,
}

impl Watcher for Slow {
    fn schedule(&mut self, _: &ScheduleFile, is_valid: &mut dyn FnMut() -> bool) -> bool {
        std::thread::sleep(Duration::from_millis(1100));
        self.saved += 1;
        is_valid()
    }

    fn end(&mut self, schedule: Option<&ScheduleFile>) -> Result<(), String> {
        self.saved_at_end += u32::from(schedule.is_some());
        Ok(())
    }
}

#[test]
fn a_schedule_is_not_saved_again_for_its_bounds_if_that_breaks_the_limit() {
    // The bound of congestion is found beside the first schedule, and is not in its file.
    for (limit, at_end) in [(None, 1), (Some(Duration::from_secs(2)), 0)] {
        let problem = posed("random-regular:90,4,1", Request::new(Collective::Aas));
        let search = Search { seed: 1, exchange_every: 1, goal: None, ..Search::default() };
        let job = Job::of(&problem, Engine::default(), search);
        let prepared = Prepared::of(job, problem, 1).unwrap();
        // Without iterations there is no search.
        let stop = StopCondition::new(0, limit, &NEVER);
        let mut slow = Slow::default();
        let solution = prepared.run(&mut Threads(1), stop, &mut slow, None).unwrap();
        assert!(slow.saved == 1 || limit.is_some(), "there is time for a schedule");
        assert_eq!(slow.saved_at_end, at_end, "{limit:?}");
        // The bounds that are told are those of the file.
        let is_last = solution.bounds[0].name == "congestion";
        assert!(is_last == (at_end == 1) || slow.saved == 0, "{:?}", solution.bounds[0].name);
    }
}
