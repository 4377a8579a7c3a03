//! Checkpoints behind a right checksum: real states of all kinds of walkers, changed as the input says.
//! What is not refused must resume, and give valid schedules alone. Annealers check their states, so
//! none of them may panic; a panic of another search that resumes is caught by its island, and ends
//! the run with an error.
//!
//! The first byte of the input chooses the state; then each five bytes are a change: a place (three
//! bytes), what to do, and a value.

use ccsched::Problem;
use ccsched::bounds;
use ccsched::engines::hgsa::Neighbourhood;
use ccsched::engines::{Engine, auto, hgsa, umda};
use ccsched::islands::{
    Alone, Backend, Inspector, Job, Keeper, Run, Search, SearchError, State, StopCondition,
    checkpoint,
};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

static NEVER: AtomicBool = AtomicBool::new(false);

/// A state that was kept in the middle of a search.
struct Kept {
    job: Job,
    problem: Arc<Problem>,
    /// The goal of its searches.
    bound: u32,
    /// The body of its checkpoint.
    body: Vec<u8>,
}

/// Keeps states in memory.
#[derive(Default)]
struct Memory {
    from: Option<State>,
    keeps: bool,
    kept: Vec<State>,
}

impl Keeper for Memory {
    fn is_resuming(&self) -> bool {
        self.from.is_some()
    }

    fn resumes(&mut self) -> Option<State> {
        self.from.take()
    }

    fn wants_state(&mut self, _: bool) -> bool {
        self.keeps
    }

    fn keep(&mut self, state: State) -> Result<(), String> {
        self.kept.push(state);
        Ok(())
    }
}

/// A job of a few iterations.
fn job(engine: Engine, topology: &str, collective: Collective, switching: Switching) -> Job {
    Job {
        network: spec::parse(topology).expect("a family"),
        faults: vec![],
        request: Request { switching, ..Request::new(collective) },
        engine,
        search: Search { seed: 7, exchange_every: 1, goal: None, ..Search::default() },
        table: None,
    }
}

/// Jobs of annealers, each with the steps by which its goal lies below the bound, but not below the
/// distances of its messages.
fn annealers() -> Vec<(Job, u32)> {
    use Collective::{Aab, Aas, Oab};
    use Switching::{StoreAndForward, Wormhole};
    let paper = || Engine::from(hgsa::Params::default());
    let slow = hgsa::Params { neighbourhood: Neighbourhood::Paper, ..hgsa::Params::default() };
    vec![
        (job(paper(), "ring:6", Aas, Wormhole), 1),
        (job(paper(), "ring:8", Oab, Wormhole), 1),
        (job(paper(), "ring:6", Aab, Wormhole), 1),
        (job(paper(), "ring:6", Aas, StoreAndForward), 1),
        (job(Engine::from(slow), "hypercube:4", Aab, StoreAndForward), 0),
    ]
}

/// Jobs of all other kinds of walkers.
fn searches() -> Vec<(Job, u32)> {
    use Collective::{Aab, Aas, Oab, Oas};
    use Switching::{StoreAndForward, Wormhole};
    let auto = || Engine::default();
    let umda = || Engine::from(umda::Params::default());
    vec![
        (job(auto(), "petersen", Aas, StoreAndForward), 1),
        (job(auto(), "petersen", Aas, Wormhole), 1),
        (job(auto(), "full-binary-tree:15", Oab, Wormhole), 1),
        (job(auto(), "ring:8", Aab, Wormhole), 1),
        (job(auto(), "petersen", Aab, StoreAndForward), 1),
        (job(auto(), "petersen", Oas, StoreAndForward), 1),
        (job(umda(), "ring:6", Aas, Wormhole), 1),
        (job(umda(), "ring:6", Oab, Wormhole), 1),
        (job(umda(), "ring:6", Aab, Wormhole), 1),
    ]
}

/// A search of a few iterations.
fn search(
    job: &Job,
    problem: &Arc<Problem>,
    bound: u32,
    keeper: &mut Memory,
) -> Result<(), SearchError> {
    let stop = StopCondition::new(4, Some(Duration::from_secs(1)), &NEVER);
    // The inspector refuses schedules that are not valid.
    let observer = &mut Inspector { problem, bounds: &[] };
    let run = Run { problem, bound, first: None, stop, observer, keeper: Some(keeper) };
    Alone.search(job, run).map(drop)
}

/// A state of each job, in the middle of its search.
fn states(jobs: Vec<(Job, u32)>) -> Vec<Kept> {
    let kept = |(job, below): (Job, u32)| {
        let problem: Arc<Problem> = job.pose().expect("a problem of the family");
        let bound = bounds::all(&problem)[0].steps.saturating_sub(below).max(1);
        let mut memory = Memory { keeps: true, ..Memory::default() };
        search(&job, &problem, bound, &mut memory).expect("a search of a few iterations");
        let state = memory.kept.get(memory.kept.len() / 2)?;
        let whole = checkpoint::to_bytes(&job, state).expect("a state is written");
        let body = whole[checkpoint::with_head(&[]).len()..].to_vec();
        Some(Kept { job, problem, bound, body })
    };
    jobs.into_iter().filter_map(kept).collect()
}

/// Changes the state of an annealer.
pub fn annealer(data: &[u8]) {
    static STATES: OnceLock<Vec<Kept>> = OnceLock::new();
    edited(data, STATES.get_or_init(|| states(annealers())));
}

/// Changes the state of another search.
pub fn searcher(data: &[u8]) {
    static STATES: OnceLock<Vec<Kept>> = OnceLock::new();
    let states = STATES.get_or_init(|| {
        // That of libFuzzer ends the process before the island can catch the panic.
        std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
        states(searches())
    });
    edited(data, states);
}

/// Changes a state, and resumes from it if it is not refused.
fn edited(data: &[u8], all: &[Kept]) {
    let Some((&which, changes)) = data.split_first() else { return };
    let Kept { job, problem, bound, body } = &all[usize::from(which) % all.len()];
    let mut body = body.clone();
    for change in changes.as_chunks::<5>().0 {
        let &[a, b, c, what, value] = change;
        let place = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        let place = place % body.len().max(1);
        match what % 5 {
            0 => body[place] = value,
            1 => body[place] = body[place].wrapping_add(value),
            2 => body.insert(place, value),
            3 if body.len() > 1 => drop(body.remove(place)),
            // A number of eight bytes.
            _ => {
                drop(body.splice(place..=place, [253, value, 255, 255, 255, 255, 255, 255, value]))
            }
        }
    }
    let Ok(state) = checkpoint::from_bytes(&checkpoint::with_head(&body), job) else { return };
    if state.check(problem).is_err() {
        return;
    }
    let mut keeper = Memory { from: Some(state), ..Memory::default() };
    match search(job, problem, *bound, &mut keeper) {
        // A state that does not fit its walker, or holds an invalid schedule.
        Ok(()) | Err(SearchError::Comm(_) | SearchError::Observer(_)) => {}
        Err(other) => panic!("{}: {other}", job.network.name()),
    }
}
