//! Tables of slots, run as the hardware would: what is injected is followed from table to table.

use super::{exported, samples, solved, text};
use ccsched::export::{self, Output, Settings, Subject};
use ccsched::problem::{Collective, Switching};
use ccsched::schedule::ScheduleFile;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// A line by the names of its columns.
pub(super) type Row = BTreeMap<String, String>;

pub(super) fn rows(text: &str) -> Vec<Row> {
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().unwrap().clone();
    let row = |record: ::csv::StringRecord| {
        head.iter().zip(record.iter()).map(|(k, v)| (k.to_string(), v.to_string())).collect()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// What arrives where by the tables alone: step, source, destination, vertices of the path.
pub(super) fn run(rows: &[Row]) -> BTreeSet<(String, String, String, Vec<String>)> {
    // What a vertex does with what a lane of a channel brings in a step.
    let mut actions: BTreeMap<[&str; 4], &Row> = BTreeMap::new();
    for row in rows.iter().filter(|row| row["action"] != "inject") {
        let input = [&row["vertex"], &row["step"], &row["input"], &row["input_lane"]];
        assert!(actions.insert(input.map(String::as_str), row).is_none(), "two actions: {row:?}");
    }
    let mut arrived = BTreeSet::new();
    for injected in rows.iter().filter(|row| row["action"] == "inject") {
        let mut path = vec![injected["vertex"].clone()];
        let mut at = injected;
        while at["action"] != "eject" {
            let input = [&at["output_to"], &injected["step"], &at["output"], &at["output_lane"]];
            at = actions.remove(&input.map(String::as_str)).expect("a vertex takes what comes");
            assert_eq!(at["input_from"], path[path.len() - 1]);
            path.push(at["vertex"].clone());
        }
        let [step, source, destination] =
            ["step", "source", "destination"].map(|name| injected[name].clone());
        assert!(arrived.insert((step, source, destination, path)));
    }
    assert!(actions.is_empty(), "nothing waits for what never comes");
    arrived
}

pub(super) fn planned(schedule: &ScheduleFile) -> BTreeSet<(String, String, String, Vec<String>)> {
    let mut all = BTreeSet::new();
    for (k, step) in schedule.steps.iter().enumerate() {
        for t in step {
            let ends = t.channels.iter().map(|&c| schedule.network.channels[c as usize].to.clone());
            let path: Vec<String> = std::iter::once(t.from.to_string()).chain(ends).collect();
            let destination = t.message.destination.unwrap_or("").to_string();
            all.insert(((k + 1).to_string(), t.message.source.to_string(), destination, path));
        }
    }
    all
}

#[test]
fn the_tables_carry_every_message_along_its_path() {
    for schedule in samples() {
        let rows = rows(&text(&schedule, "slots"));
        assert_eq!(run(&rows), planned(&schedule), "{}", schedule.network.name);
        for row in &rows {
            let of = |name: &str| row[name].parse::<usize>().ok();
            for (channel, lane) in [("input", "input_lane"), ("output", "output_lane")] {
                if let Some(channel) = of(channel) {
                    let capacity = schedule.network.channels[channel].capacity;
                    assert!(of(lane).unwrap() < capacity as usize, "{row:?}");
                }
            }
        }
        // No lane of a link carries two transfers in a step; half-duplex channels share theirs.
        let mut used = BTreeSet::new();
        for row in rows.iter().filter(|row| row["action"] != "eject") {
            let channel: usize = row["output"].parse().unwrap();
            let link =
                schedule.network.channels[channel].excludes.map_or(channel, |e| e.min(channel));
            assert!(used.insert((row["step"].clone(), link, row["output_lane"].clone())));
        }
    }
}

/// The files of a folder, by name.
pub(super) fn files(schedule: &ScheduleFile, node: Option<&str>) -> BTreeMap<String, String> {
    let node = node.map(String::from);
    let settings = Settings { node, folder: true, ..Settings::default() };
    match exported(schedule, "slots", &settings) {
        Output::Folder(files) => files.into_iter().collect(),
        _ => panic!("a folder was asked for"),
    }
}

/// Follows what passes the words of all routers: a message that begins in a slot goes from table to table until one
/// hands it to its processor. Returns how many arrive.
pub(super) fn follow(tables: &BTreeMap<String, Value>) -> usize {
    let number = |v: &Value| v.as_u64().unwrap() as usize;
    let ends = |table: &Value, slot: usize, key: &str, port: usize| {
        let of = |m: &&Value| number(&m["slot"]) == slot && m[key] == json!(port);
        let found: Vec<&Value> = table["messages"].as_array().unwrap().iter().filter(of).collect();
        assert_eq!(found.len(), 1, "one message a line of the processor");
        [found[0]["source"].clone(), found[0]["destination"].clone()]
    };
    let mut arrived = 0;
    for table in tables.values() {
        for message in table["messages"].as_array().unwrap() {
            let Some(mut input) = message.get("input").map(number) else { continue };
            let (slot, mut at) = (number(&message["slot"]), table);
            loop {
                let word = at["words"][slot - 1].as_array().unwrap();
                let output = word.iter().position(|i| number(i) == input).expect("it goes on");
                let port = &at["outputs"][output];
                if port.get("processor").is_some() {
                    let [source, destination] = ends(at, slot, "output", output + 1);
                    assert_eq!(
                        [&source, &destination],
                        [&message["source"], &message["destination"]]
                    );
                    arrived += 1;
                    break;
                }
                at = &tables[port["beside"].as_str().unwrap()];
                let is_it =
                    |i: &Value| i["channel"] == port["channel"] && i["lane"] == port["lane"];
                let place = at["inputs"].as_array().unwrap().iter().position(is_it);
                input = place.expect("the channel ends there") + 1;
            }
        }
    }
    arrived
}

/// The tables among the files of a folder, by vertex.
pub(super) fn tables(files: BTreeMap<String, String>) -> BTreeMap<String, Value> {
    (files.into_iter())
        .filter(|(name, _)| name.ends_with(".json"))
        .map(|(_, text)| serde_json::from_str::<Value>(&text).unwrap())
        .map(|table| (table["vertex"].as_str().unwrap().to_string(), table))
        .collect()
}

#[test]
fn words_of_routers_carry_every_message_to_its_end() {
    for schedule in samples() {
        let tables = tables(files(&schedule, None));
        assert_eq!(tables.len(), schedule.network.vertices.len());
        for table in tables.values() {
            assert_eq!(table["period"], json!(schedule.steps.len()));
        }
        let transfers: usize = schedule.steps.iter().map(|step| step.len()).sum();
        assert_eq!(follow(&tables), transfers, "{}", schedule.network.name);
    }
}

#[test]
fn one_vertex_alone_and_names_that_files_may_lack() {
    let mut schedule = solved("fat-tree:8", Collective::Aas, Switching::Wormhole);
    let one = files(&schedule, Some("3"));
    assert_eq!(one.keys().collect::<Vec<_>>(), ["3.csv", "3.json"]);
    let all = text(&schedule, "slots");
    let settings = Settings { node: Some("3".into()), ..Settings::default() };
    let Output::File(lines) = exported(&schedule, "slots", &settings) else { panic!("a file") };
    let of_3 = |line: &&str| line.starts_with("vertex,") || line.starts_with("3,");
    assert!(all.lines().filter(of_3).eq(lines.lines()) && lines.lines().count() > 7);
    let settings = Settings { node: Some("x".into()), ..Settings::default() };
    let subject = Subject::of(&schedule).unwrap();
    let wrong = export::write(export::find("slots").unwrap(), &subject, &settings).unwrap_err();
    assert!(wrong.to_string().contains("'x' is no vertex"), "{wrong}");
    schedule = solved("mesh:12x2", Collective::Oas, Switching::Wormhole);
    assert!(files(&schedule, None).contains_key("11.1.csv"));
}

/// The reader in C prints the words that the table has.
#[test]
fn the_reader_in_c_does_what_the_words_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/slots.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let strict = ["-Wall", "-Wextra", "-Werror", "-o"];
    let Ok(made) = Command::new(&compiler).args(strict).arg(path("slots")).arg(source).output()
    else {
        eprintln!("skipped: {compiler} is not installed");
        return;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let schedule = solved("fat-tree:8", Collective::Aas, Switching::Wormhole);
    let files = files(&schedule, Some("s0.0"));
    std::fs::write(path("table.csv"), &files["s0.0.csv"]).unwrap();
    let run = Command::new(path("slots")).arg(path("table.csv")).arg("2").output().unwrap();
    let table: Value = serde_json::from_str(&files["s0.0.json"]).unwrap();
    let words = table["words"].as_array().unwrap();
    let inputs = words.iter().cycle().take(2 * words.len()).flat_map(|word| {
        let word = word.as_array().unwrap().iter().filter_map(Value::as_u64);
        word.filter(|input| *input > 0).collect::<Vec<_>>()
    });
    let printed = String::from_utf8(run.stdout).unwrap();
    let got = printed.lines().map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap());
    assert!(run.status.success() && got.eq(inputs), "{printed}");
}
