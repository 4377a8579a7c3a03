//! Schedule files as text: what is written is read back and written again byte for byte, in whatever
//! order the keys come; mistakes in a transfer have their line.

use crate::support::tiny;
use ccsched::Options;
use ccsched::network::spec;
use ccsched::problem::{Collective, Pair, Problem, Request, Switching};
use ccsched::rng::rng_of;
use ccsched::schedule::file::TransferRecord;
use ccsched::schedule::{ScheduleFile, Steps};
use ccsched::solve;
use serde_json::Value;
use std::sync::Arc;

/// Reads a text as a file.
fn read(text: &str) -> Result<ScheduleFile, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    std::fs::write(&path, text).unwrap();
    let wrong = |e: ccsched::Error| e.to_string().rsplit_once("s.json:").unwrap().1.to_string();
    ScheduleFile::read(&path).map_err(wrong)
}

/// A schedule of a small problem; none where a short search finds none, far above the bound.
fn found(problem: &Arc<Problem>) -> Option<ScheduleFile> {
    let mut options = Options::default();
    options.limits.iterations = 50;
    solve(problem, &options).unwrap().schedule()
}

fn solved(problem: &Arc<Problem>) -> ScheduleFile {
    found(problem).expect("a small problem is solved")
}

/// The text of the schedule of a request.
fn text_of(request: &Request, topology: &str) -> String {
    let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
    solved(&Arc::new(problem)).to_json()
}

fn sample() -> String {
    text_of(&Request { source: Some("0".into()), ..Request::new(Collective::Aog) }, "ring:4")
}

#[test]
fn files_come_back_byte_for_byte() {
    let mut rng = rng_of(72, 0, 0);
    for collective in Collective::all() {
        let problems = (0..12).map(|_| tiny::problem(&mut rng, collective));
        let files: Vec<ScheduleFile> = problems.filter_map(|problem| found(&problem)).collect();
        assert!(files.len() >= 10, "{collective}: {} of 12 are solved", files.len());
        for file in files {
            let again = read(&file.to_json()).unwrap();
            assert_eq!(again, file);
            assert_eq!(again.to_json(), file.to_json());
            assert_eq!(Steps::of(&file.steps.records()), file.steps);
        }
    }
    let pair = |bytes| Pair { source: "2".into(), destination: "0".into(), bytes, count: 2 };
    let pairs = Some(vec![pair(Some(7)), Pair { source: "1".into(), ..pair(None) }]);
    let switching = Switching::StoreAndForward;
    let traffic = Request { pairs, switching, ..Request::new(Collective::Traffic) };
    let text = text_of(&traffic, "ring:5");
    assert!(text.contains("\"copy\": 2, \"bytes\": 7}"), "{text}");
    assert_eq!(read(&text).unwrap().to_json(), text);
}

#[test]
fn the_order_of_keys_does_not_matter_and_unknown_keys_are_refused() {
    let text = sample();
    let file = read(&text).unwrap();
    // Without a map that keeps the order, keys come by the alphabet: `steps` last, `to` last.
    let sorted: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read(&sorted.to_string()).unwrap(), file);
    let (head, rest) = text.split_once("\n \"network\"").unwrap();
    let (network, rest) = rest.split_once("\n \"steps\"").unwrap();
    let (steps, rest) = rest.split_once("\n \"faults\"").unwrap();
    let turned = format!("{head}\"steps\"{steps}\"network\"{network}\"faults\"{rest}");
    assert_eq!(read(&turned).unwrap(), file);
    for (known, key) in [("\"from\"", "of"), ("{\"source\"", "for")] {
        let more = known.replacen('"', &format!("\"{key}\": [{{\"a\": 1}}], \""), 1);
        let why = read(&text.replace(known, &more)).unwrap_err();
        assert!(why.contains(&format!("unknown field `{key}`")), "{why}");
    }
}

#[test]
fn names_that_the_network_lacks_are_kept() {
    let mut file = read(&sample()).unwrap();
    let mut steps = file.steps.records();
    let odd = |t: &mut TransferRecord| (t.from, t.message.source) = ("\u{e9}\"".into(), "".into());
    odd(&mut steps[1][0]);
    file.steps = Steps::of(&steps);
    let again = read(&file.to_json()).unwrap();
    assert_eq!((again.steps.records(), again.to_json()), (steps, file.to_json()));
}

#[test]
fn mistakes_in_a_transfer_have_their_line() {
    let text = sample();
    let line = 1 + text.lines().position(|line| line.contains("\"message\"")).unwrap();
    let first = text.lines().nth(line - 1).unwrap();
    let said = |from: &str, to: &str| {
        assert!(first.contains(from), "{first} has no {from}");
        read(&text.replacen(first, &first.replace(from, to), 1)).unwrap_err()
    };
    let path = &first[first.find("\"channels\": [").unwrap() + 13..first.find("]}").unwrap()];
    let to = &first[first.find("\"to\"").unwrap()..first.find("\"channels\"").unwrap()];
    for (from, to, why) in [
        ("\"from\"", "\"form\"", "unknown field `form`"),
        ("\"channels\"", "\"links\"", "unknown field `links`"),
        ("\"message\"", "\"cargo\"", "unknown field `cargo`"),
        ("\"source\"", "\"origin\"", "unknown field `origin`"),
        (to, "", "missing field `to`"),
        ("\"to\"", "\"from\"", "duplicate field `from`"),
        ("\"destination\"", "\"source\"", "duplicate field `source`"),
        (path, "true", "invalid type: boolean `true`, expected u32"),
        (path, "4294967296", "invalid value: integer `4294967296`, expected u32"),
        (path, "0.5", "invalid type: floating point `0.5`, expected u32"),
        ("\"to\": ", "\"to\": null, \"as\": ", "invalid type: null, expected a string"),
        ("{\"message\"", "7, {\"message\"", "invalid type: integer `7`, expected struct Transfer"),
        ("\"message\": ", "\"message\": 1, \"as\": ", "expected struct MessageRecord"),
    ] {
        let error = said(from, to);
        assert!(error.starts_with(&format!("{line}: wrong shape")), "line {line}: {error}");
        assert!(error.contains(why), "'{error}' does not say '{why}'");
    }
    // A bracket that is missing makes a wrong shape before it shows.
    assert!(said("\"source\": ", "\"source\": 1").contains("not JSON"));
    assert!(said(", \"from\"", " \"from\"").starts_with(&format!("{line}: not JSON")));
}

#[test]
fn the_format_is_checked_before_the_shape() {
    let other = |text: &str| read(text).unwrap_err();
    let last = "{\"steps\": 7,\n\"network\": [],\n\"format\": \"ccsched-schedule/2\"}";
    assert_eq!(
        other(last),
        "3: this program reads ccsched-schedule/1, the file says \"ccsched-schedule/2\""
    );
    assert!(other("{\"format\": 1}").contains("the file says 1"));
    for none in ["{\"steps\": 7}", "[1, 2]", "7", "\"format\""] {
        assert!(other(none).starts_with("1: not a schedule file"), "{none}");
    }
    assert!(other("{\"format\": \"ccsched-schedule/1\",\n\n\"steps\": 7}").starts_with("3: wrong"));
    assert!(other(&(sample() + "x")).contains("not JSON"));
}
