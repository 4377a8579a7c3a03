//! A search that is interrupted and resumed from its checkpoint has the result of an uninterrupted
//! one: the same schedule file and the same counts, wherever the interrupt.

use super::kept::{Kept, reread};
use crate::support::checked::{Checker, NEVER, file_of};
use crate::support::search::run_kept;
use crate::support::share::share;
use ccsched::bounds;
use ccsched::engines::{Engine, auto, hgsa, umda};
use ccsched::islands::{
    Job, Keeper, Outcome, Search, StopCondition, StopReason, Threads, checkpoint,
};
use ccsched::network::spec;
use ccsched::problem::{Collective, Ports, Request, Routing, Switching};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

const ITERATIONS: u64 = 40;

fn job(engine: Engine, topology: &str, collective: Collective, switching: Switching) -> Job {
    Job {
        network: spec::parse(topology).unwrap(),
        faults: vec![],
        request: Request { switching, ..Request::new(collective) },
        engine,
        search: Search { seed: 7, exchange_every: 1, goal: None, ..Search::default() },
        table: None,
    }
}

fn over_any_paths(mut job: Job) -> Job {
    job.request.routing = Routing::Any;
    job
}

/// A job for every walker, on networks where it has to search. Where messages are forwarded, the bound
/// is larger than the eccentricity: no search is for fewer steps than that.
fn jobs() -> Vec<Job> {
    use Collective::{Aab, Aas, Oab, Oas};
    use Switching::{StoreAndForward, Wormhole};
    let paper = Engine::from(hgsa::Params::default());
    let auto = Engine::default();
    let team = Engine::from(auto::Params { symmetry: false });
    let umda = Engine::from(umda::Params::default());
    let one_port = |mut job: Job| {
        job.request.ports = Ports(Some(1));
        job
    };
    vec![
        job(paper, "kautz:3,2", Aas, Wormhole),
        job(paper, "hypercube:3", Aab, Wormhole),
        job(paper, "kautz:2,3", Aab, StoreAndForward),
        job(auto, "levi", Aas, Wormhole),
        job(auto, "mesh:3x3", Aas, Wormhole),
        job(auto, "petersen", Aas, StoreAndForward),
        over_any_paths(job(auto, "debruijn:2,3", Aas, StoreAndForward)),
        over_any_paths(job(auto, "debruijn:2,3", Aas, Wormhole)),
        job(auto, "kautz:3,2", Oas, Wormhole),
        job(auto, "full-binary-tree:15", Oab, Wormhole),
        one_port(job(auto, "full-binary-tree:15", Oab, StoreAndForward)),
        job(auto, "mesh:3x3", Aab, Wormhole),
        job(auto, "petersen", Aab, StoreAndForward),
        job(auto, "ring:8", Aab, Wormhole),
        job(umda, "kautz:3,2", Aas, Wormhole),
        job(umda, "hypercube:3", Aab, Wormhole),
        job(auto, "dragonfly:2,2,1", Aas, Wormhole),
        // A team, which exchanges several times in an iteration.
        job(team, "random-regular:12,3,1", Aas, Wormhole),
    ]
}

fn run(job: &Job, islands: usize, keeper: &mut Kept, interrupted: &AtomicBool) -> Outcome {
    let problem = job.pose().unwrap();
    // The bound is out of reach, so that the search uses up its iterations.
    let bound = bounds::all(&problem)[0].steps - 1;
    let stop = StopCondition::new(ITERATIONS, None, interrupted);
    let observer = &mut Checker(&problem);
    let of = (&problem, bound);
    run_kept(&mut Threads(islands), job, of, stop, observer, Some(keeper)).unwrap()
}

/// The result of a search, as text.
fn result(job: &Job, outcome: &Outcome) -> (Option<String>, String) {
    let problem = job.pose().unwrap();
    let file = outcome.best.as_ref().map(|plan| file_of(&problem, plan).to_json());
    (file, format!("{:?} {:?}", outcome.progress, outcome.reason))
}

fn islands_of(job: &Job) -> &'static [usize] {
    if job.engine.name() == "umda" { &[1] } else { &[1, 3] }
}

#[test]
fn a_search_resumed_from_any_iteration_has_the_same_result() {
    for job in jobs() {
        for &islands in islands_of(&job) {
            let mut all = Kept { keeps_all: true, ..Kept::default() };
            let whole = result(&job, &run(&job, islands, &mut all, &NEVER));
            let plain = result(&job, &run(&job, islands, &mut Kept::default(), &NEVER));
            assert_eq!(whole, plain, "keeping states changes the result");
            assert!(all.kept.len() as u64 >= ITERATIONS);
            for state in all.kept.iter().step_by(all.kept.len() / share(ITERATIONS as usize)) {
                assert_eq!(state.check(&job.pose().unwrap()), Ok(()));
                let at = state.iterations();
                let mut keeper = Kept { from: Some(reread(&job, state)), ..Kept::default() };
                let rest = run(&job, islands, &mut keeper, &NEVER);
                let name = job.network.name();
                let rest = result(&job, &rest);
                assert_eq!(rest.1, whole.1, "{name}, {islands} islands, from {at}");
                assert!(rest.0 == whole.0, "{name}, from {at}: the files differ");
                if at < ITERATIONS {
                    assert_eq!(
                        keeper.kept.last(),
                        all.kept.last(),
                        "{name}: the last states differ"
                    );
                }
            }
        }
    }
}

/// Rounds of a search that is interrupted; the last one is not.
const ROUNDS: u32 = 15;

/// Interrupts come repeatedly and at any time: during an iteration, after it on some islands only,
/// or before a walker exists, which leaves no state. Times are parts of the time that the search takes
/// here, so that the test is the same on slow machines.
#[test]
fn interrupts_at_any_time_do_not_change_the_result() {
    let (mut breaks, mut searches) = (0, 0);
    for mut job in jobs() {
        job.search.exchange_every = 10;
        for &islands in islands_of(&job) {
            let mut last = Kept::default();
            let begin = Instant::now();
            let whole = result(&job, &run(&job, islands, &mut last, &NEVER));
            let took = begin.elapsed();
            searches += 1;
            let mut from = None;
            for round in 0..=ROUNDS {
                // The first round is interrupted before it begins, the others later and later.
                let flag = AtomicBool::new(round == 0);
                let late = took * round * round / 100;
                let mut keeper = Kept { from: from.clone(), ..Kept::default() };
                let outcome = std::thread::scope(|scope| {
                    if (1..ROUNDS).contains(&round) {
                        scope.spawn(|| {
                            std::thread::sleep(late);
                            flag.store(true, Ordering::Relaxed);
                        });
                    }
                    run(&job, islands, &mut keeper, &flag)
                });
                let state = keeper.kept.pop();
                if outcome.reason == StopReason::Iterations {
                    // After an interrupt at the last exchange the state was complete before.
                    let state = state.or(from);
                    let rest = result(&job, &outcome);
                    assert_eq!(rest.1, whole.1, "{}, {islands} islands", job.network.name());
                    assert!(rest.0 == whole.0, "{}: the files differ", job.network.name());
                    assert_eq!(state.as_ref(), last.kept.last(), "the last states differ");
                    break;
                }
                assert_eq!(outcome.reason, StopReason::Interrupted);
                breaks += 1;
                from = state.map(|state| reread(&job, &state)).or(from);
                assert!(round < ROUNDS, "a run that nothing interrupts does not complete");
            }
        }
    }
    assert!(breaks >= searches, "{breaks} breaks of {searches} searches");
}

#[test]
fn another_number_of_islands_can_resume() {
    let job = jobs().remove(3);
    let mut all = Kept { keeps_all: true, ..Kept::default() };
    run(&job, 3, &mut all, &NEVER);
    for islands in [1, 2, 5] {
        let from = all.kept[20].clone();
        let outcome = run(&job, islands, &mut Kept { from: Some(from), ..Kept::default() }, &NEVER);
        assert_eq!(outcome.progress.iterations, ITERATIONS);
        assert!(outcome.best.is_some());
    }
}

#[test]
fn every_flipped_or_missing_byte_is_noticed() {
    let job =
        job(Engine::from(hgsa::Params::default()), "ring:4", Collective::Aas, Switching::Wormhole);
    let mut keeper = Kept::default();
    run(&job, 1, &mut keeper, &NEVER);
    let bytes = checkpoint::to_bytes(&job, &keeper.kept[0]).unwrap();
    assert_eq!(checkpoint::from_bytes(&bytes, &job).unwrap(), keeper.kept[0]);
    for i in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[i] ^= 1 << (i % 8);
        assert!(checkpoint::from_bytes(&broken, &job).is_err(), "byte {i} flipped");
        assert!(checkpoint::from_bytes(&bytes[..i], &job).is_err(), "{i} bytes");
    }
}

#[test]
fn refusals_say_why() {
    let mut jobs = jobs();
    // Moves that find nothing here, so that the state has no schedule.
    let weak = hgsa::Params::new(hgsa::Neighbourhood::Paper);
    jobs[0].engine = Engine::from(hgsa::Params { swap_share: 0.25, ..weak });
    let mut keeper = Kept::default();
    run(&jobs[0], 1, &mut keeper, &NEVER);
    let bytes = checkpoint::to_bytes(&jobs[0], &keeper.kept[0]).unwrap();
    let refused =
        |bytes: &[u8], job: &Job| checkpoint::from_bytes(bytes, job).unwrap_err().to_string();
    let mut other = jobs[0].clone();
    other.search.seed = 8;
    let mut grouped = jobs[0].clone();
    grouped.search.exchange_group = 8;
    let umda = jobs.iter().find(|job| job.engine.name() == "umda").unwrap();
    for (job, word) in [
        (&jobs[1], "hypercube:3"),
        (&other, "seed is 7, here it is 8"),
        (&grouped, "in a group is 64, here it is 8"),
        (umda, "engine"),
    ] {
        let why = refused(&bytes, job);
        assert!(why.contains("another search") && why.contains(word), "{why}");
    }
    let mut older = bytes.clone();
    older.splice(..bytes.iter().position(|&b| b == b'\n').unwrap(), *b"ccsched-checkpoint/0 0.0.9");
    assert!(refused(&older, &jobs[0]).contains("0.0.9"));
    assert!(refused(b"{}\n", &jobs[0]).contains("not a checkpoint"));
    assert!(refused(&bytes[..bytes.len() - 3], &jobs[0]).contains("bytes"));
    // A checkpoint of the right network whose states are of another walker.
    let mut wrong = jobs[3].clone();
    wrong.request.collective = Collective::Aab;
    let foreign = checkpoint::to_bytes(&wrong, &keeper.kept[0]).unwrap();
    let state = checkpoint::from_bytes(&foreign, &wrong).unwrap();
    let problem = wrong.pose().unwrap();
    let mut keeper = Kept { from: Some(state), ..Kept::default() };
    let stop = StopCondition::new(2 * ITERATIONS, None, &NEVER);
    let observer = &mut Checker(&problem);
    let keeper: Option<&mut dyn Keeper> = Some(&mut keeper);
    assert!(run_kept(&mut Threads(1), &wrong, (&problem, 1), stop, observer, keeper).is_err());
}
