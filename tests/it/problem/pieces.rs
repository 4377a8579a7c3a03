//! Messages in pieces: schedules of all collectives, their files, and damage that is refused.

use ccsched::network::spec;
use ccsched::problem::{Collective, Group, Joining, Pair, Request, Switching};
use ccsched::schedule::file::TransferRecord;
use ccsched::schedule::{ScheduleFile, Steps, TimeModel, resolve, resolve_onto};
use ccsched::verify::verify;
use ccsched::{Options, solve};
use std::collections::BTreeSet;

fn solved(topology: &str, request: &Request) -> ScheduleFile {
    let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
    let limits = ccsched::islands::Limits { iterations: 300, ..Default::default() };
    let options = Options { islands: Some(2), limits, ..Options::default() };
    solve(&problem, &options).unwrap().schedule().expect("a schedule was found")
}

fn stored(collective: Collective, pieces: u32) -> Request {
    let switching = Switching::StoreAndForward;
    Request { switching, pieces, ..Request::new(collective) }
}

/// The steps of the worst cut times the pieces, where these make that a whole number.
#[test]
fn all_gathers_reach_the_worst_cut() {
    for (topology, pieces, steps) in [
        ("ring:8", 2, 7),
        ("hypercube:3", 3, 7),
        ("heawood", 3, 13),
        ("kautz:2,2", 2, 5),
        ("petersen", 1, 3),
        ("mesh:3x3", 1, 4),
        ("dgx1", 6, 7),
    ] {
        if spec::parse(topology).is_err() {
            continue;
        }
        let file = solved(topology, &stored(Collective::Aab, pieces));
        assert_eq!(verify(&file), [], "{topology}");
        assert_eq!(file.steps.len(), steps, "{topology}");
    }
}

#[test]
fn every_collective_is_solved_and_its_file_is_read_back() {
    let pair = |source: &str, count| Pair {
        source: source.into(),
        destination: "0".into(),
        bytes: Some(1000),
        count,
    };
    let pairs = vec![pair("1", 2), pair("2", 1)];
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        let has_content = |c: &Collective| c.joining() == Joining::Apart;
        for collective in Collective::all().filter(has_content) {
            let pairs = (collective == Collective::Traffic).then(|| pairs.clone());
            let group = |collective, members: [&str; 3]| Group {
                collective,
                members: members.map(String::from).to_vec(),
                root: None,
                bytes: None,
            };
            let of_groups = match collective {
                Collective::Groups => Some([Collective::Aab, Collective::Aas]),
                Collective::ReduceGroups => Some([Collective::ReduceScatter; 2]),
                Collective::SumGroups => Some([Collective::AllReduce, Collective::ReduceScatter]),
                _ => None,
            };
            let groups = of_groups.map(|[first, second]| {
                let both = [(first, ["0", "1", "2"]), (second, ["2", "3", "4"])];
                both.map(|(collective, members)| group(collective, members)).to_vec()
            });
            let request = Request { switching, pairs, groups, ..stored(collective, 3) };
            let file = solved("ring:5", &request);
            let what = format!("{collective}, {switching}");
            assert_eq!(verify(&file), [], "{what}");
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("pieces.json");
            file.write(&path).unwrap();
            let read = ScheduleFile::read(&path).unwrap();
            assert_eq!(read, file, "{what}");
            let (problem, plan) = resolve(&read).unwrap();
            let again = plan.record(&problem, &[], file.provenance.clone());
            assert_eq!((&again.steps, &again.model), (&file.steps, &file.model), "{what}");
            assert_eq!(file.model.pieces, Some(3));
            // Pieces do not fit a problem of whole messages.
            let whole = Request { pieces: 1, ..request };
            let whole = whole.pose(spec::parse("ring:5").unwrap(), vec![]).unwrap();
            let why = resolve_onto(&file, &whole).unwrap_err().to_string();
            assert!(why.contains("3 pieces"), "{why}");
            let step = TimeModel::default().of_pieces(3).step_us(1, None);
            let time = file.time_us(&TimeModel::default());
            let has_lengths = collective == Collective::Traffic;
            assert!(has_lengths || (time - step * file.steps.len() as f64).abs() < 1e-9, "{what}");
        }
    }
}

/// Each kind of damage, and the rules that it breaks.
#[test]
fn damaged_pieces_are_refused() {
    let mut rules = BTreeSet::new();
    for collective in [Collective::Aab, Collective::Aas, Collective::ReduceScatter] {
        let file = solved("mesh:2x2", &stored(collective, 2));
        assert_eq!(verify(&file), []);
        let records = file.steps.records();
        let mut refuse = |records: &[Vec<TransferRecord>], what: &str| {
            let broken = ScheduleFile { steps: Steps::of(records), bounds: vec![], ..file.clone() };
            let found = verify(&broken);
            assert!(!found.is_empty(), "{collective}: {what}");
            rules.extend(found.iter().map(|v| v.rule.to_string()));
        };
        for step in 0..records.len() {
            for place in 0..records[step].len() {
                let changed = |piece: Option<u32>| {
                    let mut records = records.clone();
                    records[step][place].message.piece = piece;
                    records
                };
                let piece = records[step][place].message.piece.unwrap();
                refuse(&changed(Some(1 - piece)), "the other piece");
                refuse(&changed(Some(2)), "no such piece");
                refuse(&changed(None), "no piece");
                let mut without = records.clone();
                without[step].remove(place);
                refuse(&without, "a transfer is missing");
            }
        }
        let mut fewer = file.clone();
        fewer.model.pieces = None;
        assert!(!verify(&fewer).is_empty());
        for pieces in [0, 3, 1025] {
            fewer.model.pieces = Some(pieces);
            assert!(!verify(&fewer).is_empty(), "{pieces} pieces");
        }
        for bound in &file.bounds {
            let mut more = file.clone();
            more.bounds = vec![bound.clone()];
            more.bounds[0].steps += 1;
            assert!(!bound.certified || !verify(&more).is_empty(), "{collective}: {bound:?}");
        }
    }
    for rule in ["structure", "completeness", "causality", "redundant"] {
        assert!(rules.contains(rule), "{rule} in {rules:?}");
    }
}

#[test]
fn impossible_numbers_of_pieces_are_refused() {
    for pieces in [0, 1025] {
        let request = Request { pieces, ..Request::new(Collective::Aas) };
        let why = request.pose(spec::parse("ring:4").unwrap(), vec![]).unwrap_err().to_string();
        assert!(why.contains("1 to 1024 pieces"), "{why}");
    }
    let request = Request { pieces: 1024, ..Request::new(Collective::Aas) };
    let why = request.pose(spec::parse("ring:600").unwrap(), vec![]).unwrap_err().to_string();
    assert!(why.contains("fewer pieces"), "{why}");
}
