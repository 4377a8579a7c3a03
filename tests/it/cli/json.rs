//! Lines of JSON have the keys that docs/json.md lists, and no others.

use crate::support::program::Desk;
use ccsched::Options;
use ccsched::comm::Solo;
use ccsched::experiments::fault_sweep::fault_sets;
use ccsched::experiments::repairs::{RepairBook, RepairSweep};
use ccsched::islands::RankGroup;
use ccsched::network::Network;
use ccsched::repair::Target;
use ccsched::schedule::ScheduleFile;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The keys of a section's table: those that are always there, and those that may be.
fn documented(section: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let text = include_str!("../../../docs/json.md");
    let (_, rest) = text.split_once(&format!("\n## {section}\n")).expect("the section");
    let rest = rest.split("\n## ").next().unwrap();
    let rows = rest.lines().filter(|line| line.starts_with("| `"));
    let (mut always, mut sometimes) = (BTreeSet::new(), BTreeSet::new());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let keys = cells[0].split('`').skip(1).step_by(2).map(String::from);
        match cells[1].ends_with('?') {
            true => sometimes.extend(keys),
            false => always.extend(keys),
        }
    }
    (always, sometimes)
}

/// Makes the book of repairs after all single links of a schedule.
fn make_book(schedule: &Path, book: &Path) {
    let options = Options { islands: Some(1), ..Options::default() };
    let sets = |network: &Network| fault_sets(network, Some(1), None);
    let old = ScheduleFile::read(schedule).unwrap();
    let sweep = RepairSweep::new(old, sets, (Target::Fewest(0), options)).unwrap();
    let mut book = RepairBook::open(book, &sweep).unwrap();
    let never = AtomicBool::new(false);
    sweep.run((&mut RankGroup::new(&mut Solo), &never), &mut book, &|_| {}).unwrap();
}

fn check(section: &str, lines: &[Value]) {
    assert!(!lines.is_empty(), "{section}");
    let (always, sometimes) = documented(section);
    assert!(always.len() > 4, "{section}: {always:?}");
    for line in lines {
        let keys: BTreeSet<String> = line.as_object().unwrap().keys().cloned().collect();
        let missing: Vec<_> = always.difference(&keys).collect();
        let unknown: Vec<_> =
            keys.iter().filter(|key| !always.contains(*key) && !sometimes.contains(*key)).collect();
        assert!(missing.is_empty() && unknown.is_empty(), "{section}: {missing:?} {unknown:?}");
    }
}

#[test]
fn every_line_has_the_keys_that_are_documented() {
    let desk = Desk::new();
    let lines = |line: &str| desk.run(line).lines();
    check("solve", &lines("solve -t ring:6 -c all --iterations 20 -o s.json --json --e-hop 1"));
    for problem in [
        "ring:5 -c aas --spare 1",
        "swiss-t1:1,1,0,0,1,0,0,0 -c aas",
        "heawood -c aas --engine hgsa --steps 9 --iterations 2",
    ] {
        check("solve", &lines(&format!("solve -t {problem} --json")));
    }
    desk.write("p.csv", "0,1,30\n1,0,9\n");
    for form in ["--timed", "--minimize time"] {
        let line = format!("solve -t ring:4 --pairs p.csv {form} -o p.json --json");
        check("Least time", &lines(&line));
        check("verify", &lines("verify p.json --json"));
    }
    check("bound", &lines("bound -t ring:4 --pairs p.csv --json"));
    check("bound", &lines("bound -t mesh:2x3 -c every --json"));
    check("verify", &lines("verify s-aas.json s-aab.json --json"));
    check("show", &lines("show s-aas.json --json"));
    check("repair", &lines("repair s-aas.json --fail-link 0-1 --frontier --json"));
    check("verify --diff", &lines("verify --diff s-aas.json s-aas.json --json"));
    make_book(&desk.at("s-aas.json"), &desk.at("book"));
    check("faults lookup", &lines("faults lookup book --fail 0-1 --json"));
    check("faults sample", &lines("faults sample -t ring:4 --faults 1 --samples 2 -q --json"));
    check("topology A B", &lines("topology ring:4 mesh:2x2 -c aas -q --json"));
    check("topology", &lines("topology -t omega:4 --json"));
    check("routes", &lines("routes -t mesh:2x2 --json"));
    check("tradeoff", &lines("tradeoff -t mesh:2x2 -c aab --bytes 1K --most-pieces 1 -q --json"));
    check("deploy", &lines("deploy -t mesh:2x2 --bytes 1K --dry-run --json"));
    let progress = desk.run("solve -t petersen -c aas --progress json -q --iterations 30").err;
    let lines = progress.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
    let (log, told): (Vec<Value>, Vec<Value>) = lines.partition(|line| line.get("level").is_some());
    check("Progress", &told);
    assert!(log.iter().all(|line| line["message"].is_string()), "{log:?}");
}

#[test]
fn verify_says_what_is_wrong_in_json() {
    let mut file = crate::support::small::get("path-oas");
    file["steps"] = serde_json::json!([[]]);
    let desk = Desk::with(&[("s.json", &file.to_string())]);
    let line = &desk.run("verify s.json --json").with(1).lines()[0];
    assert_eq!(line["valid"], false);
    assert!(!line["violations"].as_array().unwrap().is_empty());
}
