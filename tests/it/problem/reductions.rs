//! Reductions: what a broadcast on the reversed network needs, run backwards; every contribution
//! reaches its root once.

use ccsched::network::{Network, spec};
use ccsched::problem::{Collective, Ports, Request, Switching};
use ccsched::schedule::file::TransferRecord;
use ccsched::schedule::{ScheduleFile, Steps, resolve};
use ccsched::verify::verify;
use ccsched::{Options, solve};
use std::collections::{BTreeMap, BTreeSet};

fn solved(network: Network, request: &Request) -> (ScheduleFile, bool) {
    let problem = request.pose(network, vec![]).unwrap();
    let limits = ccsched::islands::Limits { iterations: 300, ..Default::default() };
    let options = Options { islands: Some(2), limits, ..Options::default() };
    let solution = solve(&problem, &options).unwrap();
    let file = solution.schedule().expect("a schedule was found");
    let optimal = solution.bounds.iter().any(|bound| bound.steps as usize == file.steps.len());
    (file, optimal)
}

/// The contributions that each root has in the end, by a simulation of its own: a transfer moves all
/// that its start had of the sum at the beginning of the step.
fn received(file: &ScheduleFile) -> BTreeMap<String, Vec<String>> {
    let mut held: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for root in &file.model.receivers {
        for sender in &file.model.senders {
            held.insert((root.clone(), sender.clone()), vec![sender.clone()]);
        }
    }
    for step in file.steps.records() {
        let part = |t: &TransferRecord| (t.message.source.clone(), t.from.clone());
        let moved: Vec<_> =
            step.iter().map(|t| (t, held.remove(&part(t)).unwrap_or_default())).collect();
        for (t, contributions) in moved {
            let at = (t.message.source.clone(), t.to.clone());
            held.entry(at).or_default().extend(contributions);
        }
    }
    let at_root = |root: &String| {
        let mut all = held.get(&(root.clone(), root.clone())).cloned().unwrap_or_default();
        all.sort();
        (root.clone(), all)
    };
    file.model.receivers.iter().map(at_root).collect()
}

#[test]
fn every_contribution_reaches_its_root_once_in_the_steps_of_the_reversed_broadcast() {
    for topology in ["ring:5", "kautz:2,2", "mesh:2x3", "hypercube:3", "fat-tree:4", "torus:3x3"] {
        for switching in [Switching::Wormhole, Switching::StoreAndForward] {
            for ports in [Ports(None), Ports(Some(1))] {
                for (collective, twin) in [
                    (Collective::Reduce, Collective::Oab),
                    (Collective::ReduceScatter, Collective::Aab),
                ] {
                    let network = spec::parse(topology).unwrap();
                    let request = Request { switching, ports, ..Request::new(collective) };
                    let (file, _) = solved(network.clone(), &request);
                    let what = format!("{collective} of {topology}, {switching}, {ports:?}");
                    assert_eq!(verify(&file), [], "{what}");
                    let mut senders = file.model.senders.clone();
                    senders.sort();
                    for (root, contributions) in received(&file) {
                        assert_eq!(contributions, senders, "{what}: {root}");
                    }
                    let request = Request { collective: twin, ..request };
                    let (broadcast, _) = solved(network.reversed(), &request);
                    assert_eq!(file.steps.len(), broadcast.steps.len(), "{what}");
                    let bounds = |file: &ScheduleFile| -> Vec<(String, u32)> {
                        file.bounds.iter().map(|b| (b.name.clone(), b.steps)).collect()
                    };
                    assert_eq!(bounds(&file), bounds(&broadcast), "{what}");
                }
            }
        }
    }
}

#[test]
fn files_are_read_back() {
    for (topology, collective) in
        [("kautz:2,2", Collective::ReduceScatter), ("mesh:2x3", Collective::Reduce)]
    {
        let switching = Switching::StoreAndForward;
        let request = Request { switching, ..Request::new(collective) };
        let (file, _) = solved(spec::parse(topology).unwrap(), &request);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sum.json");
        file.write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"root\"") && text.contains("\"piece\""), "{text}");
        let read = ScheduleFile::read(&path).unwrap();
        assert_eq!(read, file);
        let (problem, plan) = resolve(&read).unwrap();
        let again = plan.record(&problem, &[], file.provenance.clone());
        assert_eq!((again.steps, again.network), (file.steps, file.network));
    }
}

/// Each kind of damage, and the rule that it breaks.
#[test]
fn damaged_reductions_are_refused() {
    let switching = Switching::StoreAndForward;
    let request = Request { switching, ..Request::new(Collective::ReduceScatter) };
    let (file, _) = solved(spec::parse("mesh:2x3").unwrap(), &request);
    assert_eq!(verify(&file), []);
    let records = file.steps.records();
    let mut rules = BTreeSet::new();
    let mut refuse = |records: &[Vec<TransferRecord>], what: &str| {
        let broken = ScheduleFile { steps: Steps::of(records), bounds: vec![], ..file.clone() };
        let found = verify(&broken);
        assert!(!found.is_empty(), "{what}");
        rules.extend(found.iter().map(|v| v.rule.to_string()));
    };
    for (step, transfers) in records.iter().enumerate() {
        for place in 0..transfers.len() {
            let mut without = records.clone();
            let transfer = without[step].remove(place);
            refuse(&without, "a transfer is missing");
            let mut twice = without.clone();
            twice[step].push(transfer.clone());
            twice.push(vec![transfer.clone()]);
            refuse(&twice, "a part is handed over twice");
            let mut for_other = without.clone();
            let mut other = transfer.clone();
            let roots = &file.model.receivers;
            let at = roots.iter().position(|r| *r == other.message.source).unwrap();
            other.message.source = roots[(at + 1) % roots.len()].clone();
            for_other[step].push(other);
            refuse(&for_other, "a part of another sum is handed over");
        }
    }
    let mut backwards = records.clone();
    backwards.reverse();
    refuse(&backwards, "the steps run backwards");
    for rule in ["completeness", "redundant"] {
        assert!(rules.contains(rule), "{rules:?}");
    }
    let mut other = file.clone();
    other.model.collective = "aab".into();
    assert!(verify(&other).iter().any(|v| v.to_string().contains("`root`")));
}

#[test]
fn a_root_that_a_sender_does_not_reach_is_named() {
    let mut one_way = ccsched::network::NetworkBuilder::new("one way");
    let [a, b] = ["a", "b"].map(|name| one_way.terminal(name));
    one_way.one_way(a, b);
    let request = Request { source: Some("a".into()), ..Request::new(Collective::Reduce) };
    let why = request.pose(one_way.build().unwrap(), vec![]).unwrap_err().to_string();
    assert!(why.contains("terminal 'a' cannot be reached from 'b'"), "{why}");
}
