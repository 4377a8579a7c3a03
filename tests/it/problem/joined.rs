//! Barriers and all-reduces of one part: fewest steps, and damaged schedules that are refused.

use ccsched::islands::Limits;
use ccsched::network::spec;
use ccsched::problem::{Collective, Ports, Request, Switching};
use ccsched::schedule::file::TransferRecord;
use ccsched::schedule::{ScheduleFile, Steps, resolve};
use ccsched::verify::verify;
use ccsched::{Options, Solution, solve};
use std::collections::BTreeSet;

const BOTH: [Collective; 2] = [Collective::Barrier, Collective::AllReduceWhole];

fn solved(topology: &str, request: &Request) -> Solution {
    let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
    let limits = Limits { iterations: 2_000, ..Limits::default() };
    solve(&problem, &Options { islands: Some(2), limits, ..Options::default() }).unwrap()
}

fn stored(collective: Collective) -> Request {
    let switching = Switching::StoreAndForward;
    Request { switching, ..Request::new(collective) }
}

#[test]
fn as_many_steps_as_the_diameter_are_enough() {
    for (topology, steps) in [
        ("ring:8", 4),
        ("ring:7", 3),
        ("ring:5,simplex", 4),
        ("hypercube:3", 3),
        ("hypercube:4", 4),
        ("petersen", 2),
        ("kautz:2,2", 2),
        ("complete:4", 1),
        ("mesh:3x4", 5),
        ("torus:4x4", 4),
        ("torus:3x4x2", 4),
        ("dgx1", 2),
    ] {
        for collective in BOTH {
            let solution = solved(topology, &stored(collective));
            let file = solution.schedule().unwrap();
            assert_eq!(file.steps.len(), steps, "{collective} of {topology}");
            assert!(solution.is_optimal(), "{collective} of {topology}");
            assert_eq!(verify(&file), [], "{collective} of {topology}");
        }
    }
}

/// One port a host: as many steps as doubling takes.
#[test]
fn hosts_at_a_switch_double_what_they_know() {
    for collective in BOTH {
        let ports = Ports(Some(1));
        let request = Request { ports, ..Request::new(collective) };
        let solution = solved("fat-tree:8", &request);
        assert!(solution.is_optimal(), "{collective}");
        let file = solution.schedule().unwrap();
        assert_eq!((file.steps.len(), verify(&file)), (3, vec![]), "{collective}");
    }
}

#[test]
fn files_are_read_back() {
    for (collective, name, parts) in [(BOTH[0], "barrier", None), (BOTH[1], "all-reduce", Some(1))]
    {
        let file = solved("mesh:2x3", &stored(collective)).schedule().unwrap();
        assert_eq!((file.model.collective.as_str(), file.model.parts), (name, parts));
        let (problem, plan) = resolve(&file).unwrap();
        assert_eq!(problem.collective(), collective);
        assert_eq!(plan.record(&problem, &[], file.provenance.clone()).steps, file.steps);
    }
}

#[test]
fn damaged_schedules_are_refused() {
    for collective in BOTH {
        for topology in ["ring:6", "petersen", "mesh:2x3"] {
            let file = solved(topology, &stored(collective)).schedule().unwrap();
            let records = file.steps.records();
            let mut rules = BTreeSet::new();
            let mut refuse = |records: &[Vec<TransferRecord>], what: &str| {
                let steps = Steps::of(records);
                let found = verify(&ScheduleFile { steps, bounds: vec![], ..file.clone() });
                assert!(!found.is_empty(), "{collective} of {topology}: {what}");
                rules.extend(found.iter().map(|v| v.rule.to_string()));
            };
            for (step, transfers) in records.iter().enumerate() {
                for place in 0..transfers.len() {
                    let mut without = records.clone();
                    let transfer = without[step].remove(place);
                    refuse(&without, "a contribution is missing");
                    let mut twice = records.clone();
                    twice.push(vec![transfer.clone()]);
                    refuse(&twice, "a contribution comes again");
                    // A vertex may send its own contribution at any time.
                    if transfer.message.source != transfer.from {
                        without[0].push(transfer);
                        refuse(&without, "it is sent before it has come");
                    }
                }
            }
            for rule in ["completeness", "redundant", "causality"] {
                assert!(rules.contains(rule), "{collective} of {topology}: {rules:?}");
            }
        }
    }
}

/// On a line of four a sum that was added up at the second vertex is no longer its parts.
#[test]
fn a_sum_is_not_taken_apart() {
    let file = solved("mesh:4", &stored(Collective::AllReduceWhole)).schedule().unwrap();
    let channel = |from: &str, to: &str| {
        let channels = &file.network.channels;
        channels.iter().position(|c| c.from == from && c.to == to).unwrap() as u32
    };
    let template = file.steps.records()[0][0].clone();
    let sent = |source: &str, from: &str, to: &str| {
        let mut t = template.clone();
        (t.message.source, t.from, t.to) = (source.into(), from.into(), to.into());
        t.channels = vec![channel(from, to)];
        t
    };
    let first = vec![sent("0", "0", "1")];
    let second = vec![sent("0", "1", "2"), sent("1", "1", "2")];
    let whole = vec![sent("0", "2", "3"), sent("1", "2", "3")];
    let said = |third: Vec<TransferRecord>| {
        let steps = Steps::of(&[first.clone(), second.clone(), third]);
        let found = verify(&ScheduleFile { steps, bounds: vec![], ..file.clone() });
        found.iter().any(|v| v.to_string().contains("a part of a sum"))
    };
    assert!(!said(whole.clone()));
    assert!(said(whole[..1].to_vec()));
    assert!(said(whole[1..].to_vec()));
}

#[test]
fn pieces_and_other_ends_are_refused() {
    let pose = |request: Request| request.pose(spec::parse("ring:6").unwrap(), vec![]);
    for collective in BOTH {
        let why = pose(Request { pieces: 2, ..stored(collective) }).unwrap_err().to_string();
        assert!(why.contains("are not cut"), "{why}");
        let some = Some(vec!["0".to_string(), "1".into()]);
        let why = pose(Request { senders: some, ..stored(collective) }).unwrap_err().to_string();
        assert!(why.contains("all processes contribute"), "{why}");
    }
}
