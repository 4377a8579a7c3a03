//! All-reduces: fewest steps as independent solvers have found them, sums that are complete by a
//! simulation of its own, and damaged schedules that are refused.

use crate::support::tiny;
use ccsched::islands::Limits;
use ccsched::network::{Network, spec};
use ccsched::problem::{Collective, Phase, Request, Switching};
use ccsched::rng::rng_of;
use ccsched::schedule::file::TransferRecord;
use ccsched::schedule::{ScheduleFile, Steps};
use ccsched::verify::{verify, verify_bounds};
use ccsched::{Options, Solution, solve};
use std::collections::{BTreeMap, BTreeSet};

fn solved(network: Network, switching: Switching, iterations: u64) -> Solution {
    let request = Request { switching, ..Request::new(Collective::AllReduce) };
    let problem = request.pose(network, vec![]).unwrap();
    let limits = Limits { iterations, ..Limits::default() };
    let options = Options { islands: Some(2), limits, ..Options::default() };
    solve(&problem, &options).unwrap()
}

/// What a vertex has of a part: the numbers of its contributions, each as often as it was added; and
/// whether that is all.
type Held = BTreeMap<(String, String), (Vec<String>, bool)>;

/// Whether every process has the sum of every part in the end, with each contribution once. Where two
/// vertices reduce to each other in a step, both add what the other had.
fn is_complete(file: &ScheduleFile) -> bool {
    let all: BTreeSet<String> = file.model.senders.iter().cloned().collect();
    let mut held = Held::new();
    for part in &all {
        for v in &all {
            held.insert((part.clone(), v.clone()), (vec![v.clone()], all.len() == 1));
        }
    }
    for step in file.steps.records() {
        let before = held.clone();
        let at = |t: &TransferRecord, v: &String| (t.message.source.clone(), v.clone());
        let back = |t: &TransferRecord| {
            step.iter().any(|o| {
                (&o.from, &o.to, &o.message, o.phase) == (&t.to, &t.from, &t.message, t.phase)
            })
        };
        for t in step.iter().filter(|t| t.phase == Some(Phase::Reduce) && !back(t)) {
            held.insert(at(t, &t.from), (vec![], false));
        }
        for t in &step {
            let carried = before.get(&at(t, &t.from)).cloned().unwrap_or_default();
            let to = held.entry(at(t, &t.to)).or_default();
            match t.phase {
                Some(Phase::Gather) if carried.1 => *to = carried,
                Some(Phase::Gather) | None => return false,
                Some(Phase::Reduce) => to.0.extend(carried.0),
            }
        }
        for (contributions, is_all) in held.values_mut() {
            *is_all |= contributions.len() == all.len()
                && contributions.iter().collect::<BTreeSet<_>>().len() == all.len();
        }
    }
    let has_all = |part: &String| {
        all.iter().all(|v| held.get(&(part.clone(), v.clone())).is_some_and(|(_, is_all)| *is_all))
    };
    all.iter().all(has_all)
}

#[test]
fn small_networks_need_the_steps_that_exact_solvers_have_found() {
    for (topology, steps) in [
        ("ring:4", 3),
        ("ring:5", 4),
        ("ring:6", 5),
        ("ring:8", 7),
        ("hypercube:2", 3),
        ("hypercube:3", 5),
        ("mesh:2x3", 5),
        ("mesh:3x3", 8),
        ("petersen", 6),
        ("torus:4x4", 8),
        ("complete:4", 2),
        ("kautz:3,2", 8),
    ] {
        let network = spec::parse(topology).unwrap();
        let solution = solved(network, Switching::StoreAndForward, 5_000);
        let file = solution.schedule().unwrap();
        assert_eq!(file.steps.len(), steps, "{topology}");
        assert!(solution.is_optimal(), "{topology}");
        assert_eq!(verify(&file), [], "{topology}");
        assert!(is_complete(&file), "{topology}");
    }
}

/// Random networks with switches, of all kinds of links, in both switchings.
#[test]
fn every_sum_is_complete_everywhere_and_no_bound_is_above_the_steps() {
    let mut rng = rng_of(91, 0, 0);
    for _ in 0..60 {
        let problem = tiny::problem(&mut rng, Collective::AllReduce);
        let limits = Limits { iterations: 200, ..Limits::default() };
        let options = Options { islands: Some(1), limits, ..Options::default() };
        let solution = solve(&problem, &options).unwrap();
        let file = solution.schedule().unwrap();
        assert_eq!(verify(&file), [], "{}", file.to_json());
        assert_eq!(verify_bounds(&file), []);
        assert!(is_complete(&file), "{}", file.to_json());
        assert!(file.bounds.iter().all(|bound| bound.steps as usize <= file.steps.len()));
        assert_eq!(solve(&problem, &options).unwrap().schedule().unwrap(), file);
    }
}

#[test]
fn damaged_schedules_are_refused() {
    for topology in ["ring:6", "mesh:2x3", "kautz:2,2"] {
        let network = spec::parse(topology).unwrap();
        let file = solved(network, Switching::StoreAndForward, 2_000).schedule().unwrap();
        let records = file.steps.records();
        let damaged = |records: &[Vec<TransferRecord>]| {
            let steps = Steps::of(records);
            verify(&ScheduleFile { steps, bounds: vec![], ..file.clone() })
        };
        assert_eq!(damaged(&records), []);
        for (step, transfers) in records.iter().enumerate() {
            for place in 0..transfers.len() {
                let mut without = records.clone();
                let transfer = without[step].remove(place);
                assert!(!damaged(&without).is_empty(), "{topology}: without {transfer:?}");
                let mut other = records.clone();
                let phase = &mut other[step][place].phase;
                *phase = Some(match phase {
                    Some(Phase::Reduce) => Phase::Gather,
                    _ => Phase::Reduce,
                });
                assert!(!damaged(&other).is_empty(), "{topology}: other phase of {transfer:?}");
                let mut nothing = records.clone();
                nothing[step][place].phase = None;
                assert!(!damaged(&nothing).is_empty(), "{topology}: no phase");
                let mut late = without;
                late.push(vec![transfer]);
                // Only a copy that is not passed on may come later.
                let steps = Steps::of(&late);
                let late = ScheduleFile { steps, bounds: vec![], ..file.clone() };
                assert_eq!(verify(&late).is_empty(), is_complete(&late), "{topology}");
            }
        }
        let mut fewer = file.clone();
        fewer.model.parts = Some(1);
        assert!(!verify(&fewer).is_empty());
    }
}

#[test]
fn other_engines_and_other_ends_are_refused() {
    let network = || spec::parse("ring:6").unwrap();
    let some = Some(vec!["0".to_string(), "1".into()]);
    let request = Request { senders: some, ..Request::new(Collective::AllReduce) };
    let why = request.pose(network(), vec![]).unwrap_err().to_string();
    assert!(why.contains("all processes contribute"), "{why}");
    let problem = Request::new(Collective::AllReduce).pose(network(), vec![]).unwrap();
    let engine = ccsched::engines::Engine::from(ccsched::engines::hgsa::Params::default());
    let why = solve(&problem, &Options { engine, ..Options::default() }).unwrap_err().to_string();
    assert!(why.contains("auto does"), "{why}");
}
