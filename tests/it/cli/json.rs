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
use std::path::Path;
use std::sync::atomic::AtomicBool;

const PAGE: &str = include_str!("../../../docs/json.md");

/// The types of JSON that words of a table stand for.
fn types(words: &str) -> Vec<&'static str> {
    let words = words.trim_end_matches('?');
    let known = [
        ("text", "string"),
        ("number", "number"),
        ("list", "array"),
        ("object", "object"),
        ("boolean", "boolean"),
        ("true", "boolean"),
        ("null", "null"),
    ];
    let found: Vec<_> = known.iter().filter(|(word, _)| words.contains(word)).collect();
    assert!(!found.is_empty(), "a type: {words}");
    found.into_iter().map(|(_, name)| *name).collect()
}

/// The schema of the lines: a definition for each section of the page.
fn schema() -> Value {
    let mut definitions = serde_json::Map::new();
    for section in PAGE.split("\n## ").skip(1) {
        let name = section.lines().next().unwrap();
        let (mut properties, mut required) = (serde_json::Map::new(), Vec::new());
        for row in section.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
            for key in cells[0].split('`').skip(1).step_by(2) {
                properties.insert(key.into(), serde_json::json!({ "type": types(cells[1]) }));
                required.extend((!cells[1].ends_with('?')).then(|| key.to_string()));
            }
        }
        let definition =
            serde_json::json!({ "type": "object", "properties": properties, "required": required });
        definitions.insert(name.into(), definition);
    }
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lines of JSON that ccsched prints",
        "$defs": definitions,
    })
}

#[test]
fn the_schema_is_that_of_the_page() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.schema.json");
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("CCSCHED_WRITE").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(there == text, "CCSCHED_WRITE=1 cargo test the_schema writes it anew");
}

/// The type of a value in a schema.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
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
    let schema = schema();
    let definition = &schema["$defs"][section];
    let properties = definition["properties"].as_object().expect(section);
    assert!(properties.len() > 4, "{section}");
    for line in lines {
        let line = line.as_object().unwrap();
        for key in definition["required"].as_array().unwrap() {
            assert!(line.contains_key(key.as_str().unwrap()), "{section}: {key} is missing");
        }
        for (key, value) in line {
            let types =
                properties.get(key).unwrap_or_else(|| panic!("{section}: {key} is unknown"));
            let types = types["type"].as_array().unwrap();
            assert!(types.iter().any(|t| t == type_of(value)), "{section}: {key}: {value}");
        }
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
        "ring:8 -c aab --switching sf --delay 0-1=5us --minimize time --iterations 20",
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
