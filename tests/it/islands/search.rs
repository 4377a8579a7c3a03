//! Islands: the result depends only on the seed and the number of islands, and every failure of
//! more than an island ends the search with an error.

use crate::support::checked::{Checker, NEVER, complaints, file_of};
use crate::support::search::run_on;
use ccsched::bounds;
use ccsched::comm::{CommError, thread_group};
use ccsched::engines::Method;
use ccsched::engines::{Engine, Genome, Resume, Seat, Walker, hgsa};
use ccsched::islands::{
    Backend, Job, Keeper, Observer, Outcome, Progress, RankGroup, Search, SearchError, State,
    StopCondition, StopReason, Threads, run_on_threads, serve,
};
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::rng::Rng;
use ccsched::schedule::Plan;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

fn job(topology: &str, collective: Collective, switching: Switching, exchange_every: u64) -> Job {
    Job {
        network: spec::parse(topology).unwrap(),
        faults: vec![],
        request: Request { switching, ..Request::new(collective) },
        engine: Engine::from(hgsa::Params::default()),
        search: Search { seed: 7, exchange_every, goal: None, ..Search::default() },
        table: None,
    }
}

/// Twenty exchanges.
const ITERATIONS: u64 = 60;

/// A job for each kind of walker.
fn jobs() -> Vec<Job> {
    let job = |topology, collective, switching| job(topology, collective, switching, 3);
    vec![
        job("kautz:3,2", Collective::Aas, Switching::Wormhole),
        job("hypercube:3", Collective::Aab, Switching::Wormhole),
        job("kautz:2,3", Collective::Aab, Switching::StoreAndForward),
        job("torus:3x3", Collective::Aas, Switching::StoreAndForward),
    ]
}

/// Runs a job until its iterations are over: its last step target is one below the bound.
fn run(backend: &mut dyn Backend, job: &Job, iterations: u64) -> (Arc<Problem>, Outcome) {
    let problem = job.pose().unwrap();
    let bound = bounds::all(&problem)[0].steps;
    let stop = StopCondition::new(iterations, None, &NEVER);
    let outcome = run_on(backend, job, &problem, bound - 1, stop, &mut Checker(&problem)).unwrap();
    (problem, outcome)
}

/// The result of a search: the text of the schedule file and the progress.
fn result((problem, outcome): &(Arc<Problem>, Outcome)) -> (Option<String>, Progress) {
    (outcome.best.as_ref().map(|plan| file_of(problem, plan).to_json()), outcome.progress)
}

#[test]
fn the_same_seed_and_islands_give_the_same_file() {
    for job in jobs() {
        for islands in [1, 2, 3] {
            let [one, two] = [(); 2].map(|()| run(&mut Threads(islands), &job, ITERATIONS));
            assert!(one.1.progress.exchanges >= 5, "{:?}", one.1.progress);
            assert_eq!(result(&one), result(&two), "{islands} islands");
        }
    }
}

#[test]
fn another_seed_or_number_of_islands_gives_another_result() {
    let mut job = jobs().remove(0);
    let one = result(&run(&mut Threads(1), &job, 20 * ITERATIONS));
    assert_ne!(one, result(&run(&mut Threads(2), &job, 20 * ITERATIONS)));
    job.search.seed += 1;
    assert_ne!(one, result(&run(&mut Threads(1), &job, 20 * ITERATIONS)));
}

#[test]
fn any_number_of_islands_finds_valid_schedules() {
    for job in jobs() {
        for islands in [1, 2, 3, 8] {
            // The observer has checked every schedule.
            let (problem, outcome) = run(&mut Threads(islands), &job, 20 * ITERATIONS);
            let best = outcome.best.expect("twice the bound is easy");
            assert_eq!(complaints(&problem, &best), "");
        }
    }
}

#[test]
fn a_group_of_members_finds_what_threads_find() {
    for islands in [2, 3, 8] {
        let mut members = thread_group(islands).into_iter();
        let mut master = members.next().unwrap();
        // The master moves into the closure, so that members notice if an assertion fails.
        thread::scope(move |scope| {
            let served: Vec<_> =
                members.map(|mut member| scope.spawn(move || serve(&mut member, &NEVER))).collect();
            let mut group = RankGroup::new(&mut master);
            assert_eq!(group.islands(), islands);
            // One after the other: a group serves many searches.
            for job in jobs() {
                let of_threads = run(&mut Threads(islands), &job, ITERATIONS);
                let of_group = run(&mut group, &job, ITERATIONS);
                assert!(of_group.1.progress.exchanges >= 5, "{:?}", of_group.1.progress);
                assert_eq!(result(&of_threads), result(&of_group), "{islands} islands");
            }
            group.dismiss().unwrap();
            for member in served {
                member.join().unwrap().unwrap();
            }
        });
    }
}

/// A broadcast whose optimum exceeds every bound.
fn abilene() -> Job {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/topologies/abilene.toml");
    let job = job("petersen", Collective::Oab, Switching::Wormhole, 10);
    let engine = Engine::default();
    Job { network: spec::load(file).unwrap(), engine, ..job }
}

#[test]
fn a_refutation_ends_the_search_at_the_same_place_everywhere() {
    let job = abilene();
    let problem = job.pose().unwrap();
    let bound = bounds::all(&problem)[0].steps;
    let search = |backend: &mut dyn Backend| {
        let stop = StopCondition::new(1_000_000, None, &NEVER);
        let outcome = run_on(backend, &job, &problem, bound, stop, &mut Checker(&problem)).unwrap();
        assert_eq!(outcome.reason, StopReason::Refuted);
        (problem.clone(), outcome)
    };
    let of_threads = search(&mut Threads(2));
    assert_eq!(of_threads.1.best.as_ref().map(|plan| plan.len() as u32), Some(bound + 1));
    let [mut master, mut member] = thread_group(2).try_into().ok().unwrap();
    thread::scope(|scope| {
        let served = scope.spawn(move || serve(&mut member, &NEVER));
        let mut group = RankGroup::new(&mut master);
        assert_eq!(result(&of_threads), result(&search(&mut group)));
        group.dismiss().unwrap();
        served.join().unwrap().unwrap();
    });
}

#[test]
fn a_requested_number_of_steps_may_be_refuted() {
    let mut job = abilene();
    let problem = job.pose().unwrap();
    let bound = bounds::all(&problem)[0].steps;
    job.search.goal = Some(bound);
    let outcome = |job: &Job| {
        let stop = StopCondition::new(1000, None, &NEVER);
        run_on(&mut Threads(1), job, &problem, bound, stop, &mut Checker(&problem)).unwrap()
    };
    assert_eq!((outcome(&job).reason, outcome(&job).best), (StopReason::Refuted, None));
    // The faithful engine runs without refutation.
    job.engine = Engine::from(hgsa::Params::default());
    assert_eq!(outcome(&job).reason, StopReason::Iterations);
}

#[test]
fn members_notice_that_the_master_is_gone() {
    let mut member = thread_group(3).pop().unwrap();
    let error = within_seconds(move || serve(&mut member, &NEVER)).unwrap_err();
    assert!(matches!(error, SearchError::Comm(CommError::Lost(0))), "{error}");
}

#[test]
fn iterations_end_the_search() {
    let job = jobs().remove(0);
    let (_, outcome) = run(&mut Threads(2), &job, 31);
    assert_eq!(outcome.reason, StopReason::Iterations);
    // Exchanges are every third iteration: the first after 31 iterations is the eleventh.
    assert_eq!(outcome.progress.iterations, 33);
    assert_eq!(outcome.progress.exchanges, 11);
}

#[test]
fn the_bound_ends_the_search() {
    let job = job("ring:4", Collective::Oas, Switching::Wormhole, 10);
    let problem = job.pose().unwrap();
    let bound = bounds::all(&problem)[0].steps;
    let stop = StopCondition::new(1000, None, &NEVER);
    let mut checker = Checker(&problem);
    let outcome = run_on(&mut Threads(2), &job, &problem, bound, stop, &mut checker).unwrap();
    assert_eq!(outcome.reason, StopReason::Goal);
    assert_eq!(outcome.best.unwrap().len() as u32, bound);
}

#[test]
fn no_time_ends_the_search() {
    let job = jobs().remove(0);
    let problem = job.pose().unwrap();
    let stop = StopCondition::new(u64::MAX, Some(Duration::ZERO), &NEVER);
    let mut checker = Checker(&problem);
    let outcome = run_on(&mut Threads(2), &job, &problem, 1, stop, &mut checker).unwrap();
    assert_eq!((outcome.reason, outcome.progress.exchanges), (StopReason::Time, 1));
}

/// Refuses the second improvement.
#[derive(Default)]
struct Grumbler {
    improvements: usize,
}

impl Observer for Grumbler {
    fn progress(&mut self, _: &Progress) {}

    fn improved(&mut self, _: &Arc<Plan>, _: &Method) -> Result<(), String> {
        self.improvements += 1;
        if self.improvements < 2 { Ok(()) } else { Err("the disk is full".into()) }
    }
}

#[test]
fn an_observer_that_refuses_ends_the_search_with_its_message() {
    for islands in [1, 2, 3] {
        let mut job = job("kautz:2,2", Collective::Aas, Switching::Wormhole, 10);
        // The moves of the paper improve a schedule several times.
        job.engine = Engine::from(hgsa::Params {
            neighbourhood: hgsa::Neighbourhood::Paper,
            ..Default::default()
        });
        let ended = within_seconds(move || {
            let problem = job.pose().unwrap();
            let stop = StopCondition::new(100_000, None, &NEVER);
            let mut grumbler = Grumbler::default();
            let result = run_on(&mut Threads(islands), &job, &problem, 1, stop, &mut grumbler);
            (result.map(|outcome| outcome.reason), grumbler.improvements)
        });
        let (error, improvements) = (ended.0.unwrap_err(), ended.1);
        assert_eq!((error.to_string().as_str(), improvements), ("the disk is full", 2));
    }
}

/// A walker that finds a schedule of the first number of steps, no better one, and panics on the islands in `doomed`. It
/// derives its island from the random numbers, since nothing else differs between islands.
#[derive(Clone)]
struct Doomed {
    doomed: Vec<usize>,
    island: Option<usize>,
    seeks: usize,
    sweeps: usize,
}

impl Walker for Doomed {
    fn seek(&mut self, _: u32, rng: &mut Rng) -> u64 {
        self.seeks += 1;
        self.island = (0..8).find(|&island| *rng == ccsched::rng::rng_of(7, island, 0));
        0
    }

    fn iterate(&mut self, _: &mut Rng) -> u64 {
        self.sweeps += 1;
        let island = self.island.expect("one of the first islands");
        assert!(self.sweeps < 25 || !self.doomed.contains(&island), "island {island} is doomed");
        1
    }

    fn cross_over(&mut self, _: &Genome, _: &mut Rng) -> u64 {
        0
    }

    fn method(&self) -> Method {
        Method::Annealing
    }

    fn cost(&self) -> u64 {
        u64::from(self.seeks > 1 || self.sweeps < 5)
    }

    fn genome(&self) -> Genome {
        Genome::Nothing
    }

    fn plan(&self) -> Plan {
        Plan::new(2)
    }
}

impl Resume for Doomed {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        Ok(Vec::new())
    }

    fn load(&mut self, _: &[u8]) -> Result<(), CommError> {
        Ok(())
    }
}

/// A search in which some islands panic.
fn panicking(islands: usize, doomed: &[usize], keeper: Option<Saved>) -> (Outcome, usize) {
    let walker = Doomed { doomed: doomed.to_vec(), island: None, seeks: 0, sweeps: 0 };
    within_seconds(move || {
        let search = Search { seed: 7, exchange_every: 10, goal: None, ..Search::default() };
        let stop = StopCondition::new(1000, None, &NEVER);
        let (mut listener, mut keeper) = (Grumbler::default(), keeper);
        let keeps = keeper.as_mut().map(|keeper| keeper as &mut dyn Keeper);
        let walker = Box::new(walker);
        let ended = run_on_threads(walker, &search, islands, 1, stop, &mut listener, keeps);
        (ended.unwrap(), keeper.map_or(0, |Saved(states)| states))
    })
}

#[test]
fn a_search_goes_on_without_the_islands_that_panic() {
    for (islands, doomed) in [(3, &[1][..]), (3, &[2]), (4, &[1, 2, 3]), (3, &[0]), (2, &[0])] {
        let (outcome, _) = panicking(islands, doomed, None);
        assert_eq!(outcome.reason, StopReason::Iterations, "{doomed:?} of {islands}");
        assert_eq!((outcome.best.unwrap().len(), outcome.progress.conflicts), (2, 1));
        // The others go on: 5 iterations with a schedule, and 99 legs.
        let whole = (islands - doomed.len()) as u64 * 995;
        assert_eq!(outcome.progress.evaluations, whole + doomed.len() as u64 * 15, "{doomed:?}");
    }
}

#[test]
fn a_search_whose_islands_all_panic_ends_with_the_schedule_that_is_known() {
    for islands in [1, 3] {
        let doomed: Vec<usize> = (0..islands).collect();
        let (outcome, _) = panicking(islands, &doomed, None);
        assert_eq!(outcome.reason, StopReason::Failed);
        assert_eq!((outcome.best.unwrap().len(), outcome.progress.iterations), (2, 30));
    }
}

/// Counts the states.
struct Saved(usize);

impl Keeper for Saved {
    fn resumes(&mut self) -> Option<State> {
        None
    }

    fn wants_state(&mut self, _: bool) -> bool {
        true
    }

    fn keep(&mut self, _: State) -> Result<(), String> {
        self.0 += 1;
        Ok(())
    }
}

/// The last one before the panic stays: another run can go on from it with a better program.
#[test]
fn after_a_panic_no_state_is_saved() {
    let (outcome, states) = panicking(3, &[1], Some(Saved(0)));
    assert_eq!((outcome.reason, states), (StopReason::Iterations, 2));
    let (outcome, states) = panicking(2, &[0, 1], Some(Saved(0)));
    assert_eq!((outcome.reason, states), (StopReason::Failed, 2));
}

/// A walker whose iterations take longer than any test waits, except on island 1, which finds a
/// schedule in its first iteration.
#[derive(Clone, Default)]
struct Slow {
    island: usize,
    swept: bool,
}

impl Walker for Slow {
    fn settle(&mut self, Seat { island, .. }: Seat) {
        self.island = island;
    }

    fn seek(&mut self, _: u32, _: &mut Rng) -> u64 {
        0
    }

    fn iterate(&mut self, _: &mut Rng) -> u64 {
        if self.island != 1 {
            thread::sleep(Duration::from_secs(600));
        }
        self.swept = true;
        1
    }

    fn cross_over(&mut self, _: &Genome, _: &mut Rng) -> u64 {
        0
    }

    fn method(&self) -> Method {
        Method::Annealing
    }

    fn cost(&self) -> u64 {
        u64::from(!self.swept)
    }

    fn genome(&self) -> Genome {
        Genome::Nothing
    }

    fn temperature(&self) -> f64 {
        0.0
    }

    fn polish(&mut self, _: &mut Rng) {}

    fn plan(&self) -> Plan {
        Plan::new(3)
    }
}

impl Resume for Slow {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        Ok(vec![self.swept.into()])
    }

    fn load(&mut self, _: &[u8]) -> Result<(), CommError> {
        Ok(())
    }
}

/// An observer that counts the schedules found, and interrupts the search if `interrupt` is set.
struct Witness<'a> {
    interrupt: Option<&'a AtomicBool>,
    found: usize,
}

/// A keeper that counts the states of three islands without a completed iteration.
#[derive(Default)]
struct Counter(usize);

impl Keeper for Counter {
    fn resumes(&mut self) -> Option<State> {
        None
    }

    fn wants_state(&mut self, _: bool) -> bool {
        true
    }

    fn keep(&mut self, state: State) -> Result<(), String> {
        assert_eq!((state.islands(), state.iterations()), (3, 0));
        self.0 += 1;
        Ok(())
    }
}

impl Observer for Witness<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn found(&mut self, plan: &Arc<Plan>, _: &Method) -> Result<(), String> {
        assert_eq!(plan.len(), 3);
        self.found += 1;
        if let Some(flag) = self.interrupt {
            flag.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn improved(&mut self, _: &Arc<Plan>, _: &Method) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn a_stop_does_not_wait_for_the_end_of_an_iteration() {
    for interrupts in [true, false] {
        let (reason, best, found, kept) = within_seconds(move || {
            let flag = AtomicBool::new(false);
            let interrupt = interrupts.then_some(&flag);
            let mut witness = Witness { interrupt, found: 0 };
            let mut kept = Counter::default();
            let search = Search { seed: 7, exchange_every: 10, goal: None, ..Search::default() };
            let stop = StopCondition::new(1000, Some(Duration::from_secs(1)), &flag);
            let walker = Box::new(Slow::default());
            let outcome =
                run_on_threads(walker, &search, 3, 1, stop, &mut witness, Some(&mut kept)).unwrap();
            (outcome.reason, outcome.best, witness.found, kept.0)
        });
        let expected = if interrupts { StopReason::Interrupted } else { StopReason::Time };
        assert_eq!((reason, found), (expected, 1));
        // The interrupt may come before all islands have begun.
        assert!(kept == 1 || interrupts && kept == 0, "{kept} states kept");
        assert_eq!(best.map(|plan| plan.len()), Some(3));
    }
}

/// Runs work that may hang, on a thread that is abandoned after some seconds.
fn within_seconds<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    thread::spawn(move || {
        // An error means that the receiver no longer waits.
        let _ = done.send(work());
    });
    wait.recv_timeout(Duration::from_secs(20)).expect("the search hangs or has panicked")
}
