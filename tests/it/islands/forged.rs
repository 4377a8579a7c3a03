//! Checkpoints that are changed behind a right checksum: they are refused, or the search that resumes
//! from them ends as any other. None panics, takes memory for lengths that are not there, or lets an
//! invalid schedule out.

use super::kept::Kept;
use crate::support::checked::{NEVER, file_of};
use crate::support::search::run_kept;
use ccsched::bounds;
use ccsched::engines::hgsa::Neighbourhood;
use ccsched::engines::{Engine, hgsa, umda};
use ccsched::islands::{Inspector, Job, Search, SearchError, StopCondition, Threads, checkpoint};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::rng::rng_of;
use ccsched::verify::verify;
use rand::RngExt;
use std::time::Duration;

/// Changed checkpoints of each job.
const CASES: usize = 150;

/// Jobs that begin to search, each with the steps by which its goal lies below the bound: by one it
/// is out of reach. Floods need the bound, and the moves of the paper do not reach it in these
/// iterations.
fn jobs() -> Vec<(Job, u32)> {
    use Collective::{Aab, Aas, Oab};
    let paper = Engine::from(hgsa::Params::default());
    let neighbourhood = Neighbourhood::Paper;
    let slow = Engine::from(hgsa::Params { neighbourhood, ..hgsa::Params::default() });
    let of = |engine, topology, collective, switching| Job {
        network: spec::parse(topology).unwrap(),
        faults: vec![],
        request: Request { switching, ..Request::new(collective) },
        engine,
        search: Search { seed: 7, exchange_every: 1, goal: None, ..Search::default() },
        table: None,
    };
    let auto = Engine::default();
    vec![
        (of(paper, "ring:6", Aas, Switching::Wormhole), 1),
        (of(slow, "hypercube:4", Aab, Switching::StoreAndForward), 0),
        (of(auto, "petersen", Aas, Switching::StoreAndForward), 1),
        (of(auto, "full-binary-tree:15", Oab, Switching::Wormhole), 1),
        (of(auto, "ring:8", Aab, Switching::Wormhole), 1),
        (of(Engine::from(umda::Params::default()), "ring:6", Aas, Switching::Wormhole), 1),
    ]
}

/// A search of a few iterations, for this number of steps below the bound.
fn search(job: &Job, below: u32, keeper: &mut Kept) -> Result<(), SearchError> {
    let problem = job.pose().unwrap();
    let stop = StopCondition::new(4, Some(Duration::from_secs(2)), &NEVER);
    let bound = bounds::all(&problem)[0].steps - below;
    let observer = &mut Inspector { problem: &problem, bounds: &[] };
    let of = (&problem, bound);
    let outcome = run_kept(&mut Threads(1), job, of, stop, observer, Some(keeper))?;
    if let Some(plan) = &outcome.best {
        assert_eq!(verify(&file_of(&problem, plan)), []);
    }
    Ok(())
}

#[test]
fn a_checkpoint_with_a_right_checksum_is_still_checked() {
    let (mut refused, mut resumed, mut failed) = (0, 0, 0);
    for (job, below) in jobs() {
        let problem = job.pose().unwrap();
        let mut all = Kept { keeps_all: true, ..Kept::default() };
        search(&job, below, &mut all).unwrap();
        let state = &all.kept[all.kept.len() / 2];
        let whole = checkpoint::to_bytes(&job, state).unwrap();
        let body = &whole[checkpoint::with_head(&[]).len()..];
        assert_eq!(checkpoint::with_head(body), whole);
        let mut rng = rng_of(1, 0, 0);
        for _ in 0..CASES {
            let mut body = body.to_vec();
            for _ in 0..rng.random_range(1..4) {
                // The state is behind the job.
                let place = rng.random_range(body.len() / 3..body.len());
                body[place] = match rng.random_range(0..3) {
                    0 => rng.random(),
                    1 => [0, 1, 250, 251, 252, 253, 254, 255][rng.random_range(0..8)],
                    _ => body[place].wrapping_add(1),
                };
            }
            let read = checkpoint::from_bytes(&checkpoint::with_head(&body), &job);
            let Some(state) = read.ok().filter(|state| state.check(&problem).is_ok()) else {
                refused += 1;
                continue;
            };
            match search(&job, below, &mut Kept { from: Some(state), ..Kept::default() }) {
                Ok(()) => resumed += 1,
                Err(SearchError::Comm(_) | SearchError::Observer(_)) => failed += 1,
                Err(other) => panic!("{}: {other}", job.network.name()),
            }
        }
    }
    println!("{refused} refused, {resumed} resumed, {failed} that did not fit");
    assert!(refused > 0 && resumed > 0);
}

#[test]
fn a_claimed_length_takes_no_memory() {
    let (job, below) = &jobs()[0];
    let mut all = Kept { keeps_all: true, ..Kept::default() };
    search(job, *below, &mut all).unwrap();
    let whole = checkpoint::to_bytes(job, &all.kept[0]).unwrap();
    let body = &whole[checkpoint::with_head(&[]).len()..];
    for place in 0..body.len() {
        // 253 announces a number of eight bytes.
        let mut forged = body[..place].to_vec();
        forged.extend([253, 255, 255, 255, 255, 255, 255, 255, 15]);
        forged.extend(&body[place..]);
        // Whether it is refused depends on what is there; it must come back.
        let _ = checkpoint::from_bytes(&checkpoint::with_head(&forged), job);
    }
}
