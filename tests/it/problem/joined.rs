//! Barriers and all-reduces of one part: fewest steps, and damaged schedules that are refused.

use ccsched::islands::{Gap, Limits};
use ccsched::network::spec;
use ccsched::problem::{Collective, Ports, Request, Switching};
use ccsched::schedule::file::TransferRecord;
use ccsched::schedule::{ScheduleFile, Steps, resolve};
use ccsched::verify::verify;
use ccsched::{Options, Solution, solve};
use std::collections::BTreeSet;

const BOTH: [Collective; 2] = [Collective::Barrier, Collective::AllReduceWhole];

fn solved(topology: &str, request: &Request) -> Solution {
    solved_within(Gap::default(), topology, request)
}

fn solved_within(gap: Gap, topology: &str, request: &Request) -> Solution {
    let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
    let limits = Limits { iterations: 2_000, gap, ..Limits::default() };
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

/// The all-reduce of one part in pieces, solved within half of the bound above it.
fn in_pieces(topology: &str, pieces: u32) -> Solution {
    let request = Request { pieces, ..stored(Collective::AllReduceWhole) };
    solved_within(Gap(500_000), topology, &request)
}

#[test]
fn pieces_share_the_channels() {
    // Whole vectors take as many steps each as in the table above.
    for (topology, pieces, steps) in [
        ("dgx1", 4, 3),
        ("complete:4", 2, 2),
        ("ring:4", 2, 3),
        ("hypercube:3", 3, 3),
        ("mesh:3x3", 2, 4),
    ] {
        let file = in_pieces(topology, pieces).schedule().unwrap();
        assert_eq!(verify(&file), [], "{topology}");
        assert!(file.steps.len() <= steps, "{} steps, {topology}", file.steps.len());
        assert_eq!((file.model.parts, file.model.pieces), (Some(1), Some(pieces)));
        let (problem, plan) = resolve(&file).unwrap();
        assert_eq!((problem.collective(), problem.pieces()), (BOTH[1], pieces));
        assert_eq!(plan.record(&problem, &[], file.provenance.clone()).steps, file.steps);
    }
}

#[test]
fn sums_of_several_pieces_and_contributions_twice_are_refused() {
    let file = in_pieces("ring:4", 2).schedule().unwrap();
    let records = file.steps.records();
    let said = |changed| complaints(&file, changed);
    assert_eq!(said(records.clone()), [""; 0]);
    for (step, transfers) in records.iter().enumerate() {
        for place in 0..transfers.len() {
            let with = |change: &dyn Fn(&mut TransferRecord)| {
                let mut changed = records.clone();
                change(&mut changed[step][place]);
                said(changed)
            };
            // A contribution to another piece leaves its sum: it takes a channel of its own, lacks in
            // the one sum and is twice in the other.
            let other = with(&|t| t.message.piece = Some(1 - t.message.piece.unwrap()));
            assert!(!other.is_empty(), "{step} {place}");
            assert!(!with(&|t| t.message.piece = None).is_empty(), "{step} {place}");
            assert!(!with(&|t| t.message.piece = Some(2)).is_empty(), "{step} {place}");
            let mut twice = records.clone();
            twice[step].push(transfers[place].clone());
            let why = said(twice);
            assert!(why.iter().any(|why| why.contains("added twice")), "{why:?}");
            let mut less = records.clone();
            less[step].remove(place);
            assert!(!said(less).is_empty(), "{step} {place}");
        }
    }
}

/// What is wrong with a file whose transfers are these.
fn complaints(file: &ScheduleFile, records: Vec<Vec<TransferRecord>>) -> Vec<String> {
    let file = ScheduleFile { steps: Steps::of(&records), bounds: vec![], ..file.clone() };
    verify(&file).iter().map(|violation| violation.to_string()).collect()
}

#[test]
fn pieces_and_other_ends_are_refused() {
    let pose = |request: Request| request.pose(spec::parse("ring:6").unwrap(), vec![]);
    let why = pose(Request { pieces: 2, ..stored(BOTH[0]) }).unwrap_err().to_string();
    assert!(why.contains("no content to cut"), "{why}");
    for collective in BOTH {
        let some = Some(vec!["0".to_string(), "1".into()]);
        let why = pose(Request { senders: some, ..stored(collective) }).unwrap_err().to_string();
        assert!(why.contains("all processes contribute"), "{why}");
    }
}
