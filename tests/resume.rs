//! A search that is broken off and goes on from its checkpoint comes to what it would have come to
//! anyway: the same schedule file and the same counts, wherever the break.

#[path = "common/checked.rs"]
mod checked;

use ccsched::bounds;
use ccsched::engines::{Config, hgsa, umda};
use ccsched::islands::{
    Crew, Job, Listener, Outcome, Progress, Search, State, Stop, StopReason, Threads, checkpoint,
};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::schedule::Plan;
use checked::{Checker, NEVER, file_of};
use std::sync::atomic::{AtomicBool, Ordering};

const ITERATIONS: u64 = 40;

fn job(engine: Config, topology: &str, collective: Collective, switching: Switching) -> Job {
    Job {
        network: spec::parse(topology).unwrap(),
        faults: vec![],
        request: Request { switching, ..Request::new(collective) },
        engine,
        search: Search { seed: 7, exchange_every: 1, goal: None },
    }
}

/// A job for every walker, on networks where it has something to do.
fn jobs() -> Vec<Job> {
    use Collective::{Aab, Aas, Oab, Oas};
    use Switching::{StoreAndForward, Wormhole};
    let paper = Config::Hgsa(hgsa::Params::default());
    let params = hgsa::Params { neighbourhood: hgsa::Neighbourhood::Auto, ..Default::default() };
    let auto = Config::Hgsa(params);
    let crossing = Config::Hgsa(hgsa::Params { exchange: Some(true), ..params });
    let umda = Config::Umda(umda::Params::default());
    vec![
        job(paper, "kautz:3,2", Aas, Wormhole),
        job(paper, "hypercube:3", Aab, Wormhole),
        job(paper, "kautz:2,3", Aab, StoreAndForward),
        job(auto, "levi", Aas, Wormhole),
        job(crossing, "mesh:3x3", Aas, Wormhole),
        job(auto, "petersen", Aas, StoreAndForward),
        job(auto, "kautz:3,2", Oas, Wormhole),
        job(auto, "full-binary-tree:15", Oab, Wormhole),
        job(auto, "full-binary-tree:15", Oab, StoreAndForward),
        job(auto, "heawood", Aab, Wormhole),
        job(auto, "mesh:3x3", Aab, StoreAndForward),
        job(auto, "ring:8", Aab, Wormhole),
        job(umda, "kautz:3,2", Aas, Wormhole),
        job(umda, "hypercube:3", Aab, Wormhole),
    ]
}

/// Goes on from a state, keeps states, and interrupts after so many exchanges.
#[derive(Default)]
struct Keeper {
    from: Option<State>,
    keeps_all: bool,
    kept: Vec<State>,
}

struct Watch<'a>(&'a mut Keeper, Checker<'a>);

impl Listener for Watch<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn improved(&mut self, plan: &Plan) -> Result<(), String> {
        self.1.improved(plan)
    }

    fn resumes(&mut self) -> Option<State> {
        self.0.from.take()
    }

    fn wants_state(&mut self, ends: bool) -> bool {
        ends || self.0.keeps_all
    }

    fn keep(&mut self, state: State) -> Result<(), String> {
        self.0.kept.push(state);
        Ok(())
    }
}

fn run(job: &Job, islands: usize, keeper: &mut Keeper, interrupted: &AtomicBool) -> Outcome {
    let problem = job.pose().unwrap();
    // Nothing is found at the end, so that the search uses up its iterations.
    let bound = bounds::all(&problem)[0].steps - 1;
    let stop = Stop::new(ITERATIONS, None, interrupted);
    let mut watch = Watch(keeper, Checker(&problem));
    Threads(islands).search(job, &problem, bound, stop, &mut watch).unwrap()
}

/// What a search came to, in bytes.
fn result(job: &Job, outcome: &Outcome) -> (Option<String>, String) {
    let problem = job.pose().unwrap();
    let file = outcome.best.as_ref().map(|plan| file_of(&problem, plan).to_json());
    (file, format!("{:?} {:?}", outcome.progress, outcome.reason))
}

fn islands_of(job: &Job) -> &'static [usize] {
    if job.engine.name() == "umda" { &[1] } else { &[1, 3] }
}

/// A state that has been through a file.
fn reread(job: &Job, state: &State) -> State {
    checkpoint::from_bytes(&checkpoint::to_bytes(job, state).unwrap(), job).unwrap()
}

#[test]
fn from_every_iteration_a_search_goes_on_as_if_nothing_had_been() {
    for job in jobs() {
        for &islands in islands_of(&job) {
            let mut all = Keeper { keeps_all: true, ..Keeper::default() };
            let whole = result(&job, &run(&job, islands, &mut all, &NEVER));
            let plain = result(&job, &run(&job, islands, &mut Keeper::default(), &NEVER));
            assert_eq!(whole, plain, "keeping states changes the course");
            assert_eq!(all.kept.len() as u64, ITERATIONS);
            for state in &all.kept {
                let at = state.iterations();
                let mut keeper = Keeper { from: Some(reread(&job, state)), ..Keeper::default() };
                let rest = run(&job, islands, &mut keeper, &NEVER);
                if at < ITERATIONS {
                    let name = job.network.name();
                    assert_eq!(result(&job, &rest), whole, "{name}, {islands} islands, from {at}");
                    assert_eq!(keeper.kept.last(), all.kept.last(), "{name}: the last states differ");
                }
            }
        }
    }
}
