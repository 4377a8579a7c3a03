//! Patches of slot tables: the tables of the old schedule with the patch carry the new one.

use super::slots::{Row, files, follow, planned, rows, run, tables};
use super::{exported, solved, text};
use ccsched::Options;
use ccsched::export::{Output, Settings};
use ccsched::network::{VertexId, faults};
use ccsched::problem::{Collective, Switching};
use ccsched::repair::{Target, repair};
use ccsched::schedule::{ScheduleFile, asked};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A schedule, and a repair after its first channel or its last vertex is broken.
fn repaired(network: &str, switching: Switching, is_vertex: bool) -> [ScheduleFile; 2] {
    let old = solved(network, Collective::Aas, switching);
    let (whole, mut request) = asked(&old).unwrap();
    let last = whole.vertices().len() as VertexId - 1;
    let (channels, vertices) = match is_vertex {
        true => (vec![], vec![last]),
        false => (vec![0], vec![]),
    };
    let mut records: Vec<_> =
        channels.iter().map(|&c| faults::record(&whole, c, &channels)).collect();
    if is_vertex {
        let name = whole.vertex_name(last).to_string();
        [&mut request.senders, &mut request.receivers]
            .into_iter()
            .flatten()
            .for_each(|list| list.retain(|v| *v != name));
        records.push(faults::Fault::Vertex(name));
    }
    let rest = faults::apply(&whole, &channels, &vertices).unwrap();
    let problem = request.pose(rest, records).unwrap();
    let options = Options { islands: Some(1), ..Options::default() };
    let mut rows = repair(&old, &problem, Target::Fewest(1), &options).unwrap();
    [old, rows.pop().expect("a repair").schedule]
}

/// What a patch of slots is.
fn patch(old: &ScheduleFile, new: &ScheduleFile, folder: bool) -> Output {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("old.json");
    old.write(&path).unwrap();
    exported(new, "slots", &Settings { since: Some(path), folder, ..Settings::default() })
}

/// The old lines without those that go, with those that come.
fn applied(old: &str, patch: &str) -> (Vec<Row>, usize) {
    let mut lines: BTreeSet<Row> = rows(old).into_iter().collect();
    let changes = rows(patch);
    for mut line in changes.clone() {
        match &*line.remove("change").unwrap() {
            "-" => assert!(lines.remove(&line), "the line is there: {line:?}"),
            "+" => assert!(lines.insert(line), "the line is new"),
            other => panic!("{other}"),
        }
    }
    (lines.into_iter().collect(), changes.len())
}

const CASES: [(&str, Switching, bool); 5] = [
    ("mesh:3x3", Switching::Wormhole, false),
    ("mesh:3x3", Switching::StoreAndForward, false),
    ("hypercube:3,width=2", Switching::Wormhole, false),
    ("torus:2x3", Switching::Wormhole, false),
    ("petersen", Switching::Wormhole, true),
];

#[test]
fn old_lines_with_a_patch_are_the_new_tables() {
    for (network, switching, is_vertex) in CASES {
        let [old, new] = repaired(network, switching, is_vertex);
        let Output::File(patch) = patch(&old, &new, false) else { panic!("a file") };
        let (lines, changes) = applied(&text(&old, "slots"), &patch);
        assert_eq!(run(&lines), planned(&new), "{network}");
        assert!(changes > 0 && changes < 2 * lines.len(), "{network}: {changes}");
        // Where channels carry one message, the lines are those of the new schedule in the old numbers.
        if network == "mesh:3x3" {
            let number = |of: &ScheduleFile| -> BTreeMap<[String; 2], String> {
                let channels = of.network.channels.iter().enumerate();
                channels.map(|(i, c)| ([c.from.clone(), c.to.clone()], i.to_string())).collect()
            };
            let old_numbers = number(&old);
            let mut own = rows(&text(&new, "slots"));
            for row in &mut own {
                let [v, from, to] = ["vertex", "input_from", "output_to"].map(|k| row[k].clone());
                for (key, ends) in [("input", [from, v.clone()]), ("output", [v, to])] {
                    if let Some(number) = old_numbers.get(&ends) {
                        row.insert(key.into(), number.clone());
                    }
                }
            }
            assert_eq!(own.into_iter().collect::<BTreeSet<_>>(), lines.into_iter().collect());
        }
    }
}

#[test]
fn old_tables_with_patches_carry_the_new_schedule() {
    for (network, switching, is_vertex) in CASES {
        let [old, new] = repaired(network, switching, is_vertex);
        let Output::Folder(patch) = patch(&old, &new, true) else { panic!("a folder") };
        let mut patches: BTreeMap<String, String> = patch.into_iter().collect();
        let head: Value = serde_json::from_str(&patches.remove("patch.json").unwrap()).unwrap();
        let number = |v: &Value| v.as_u64().unwrap() as usize;
        let list = |v: &mut Value, key: &str| v[key].as_array_mut().unwrap().clone();
        let old_files = files(&old, None);
        let mut tables = tables(old_files.clone());
        let period = number(&head["period"]);
        for table in tables.values_mut() {
            table["words"].as_array_mut().unwrap().resize(period, Value::Array(vec![]));
            let messages = table["messages"].as_array_mut().unwrap();
            messages.retain(|m| number(&m["slot"]) <= period);
        }
        let mut patched = 0;
        for (name, text) in patches.iter().filter(|(name, _)| name.ends_with(".json")) {
            let mut patch: Value = serde_json::from_str(text).unwrap();
            let vertex = patch["vertex"].as_str().unwrap().to_string();
            let table = tables.get_mut(&vertex).expect("no vertex is new");
            for key in ["inputs", "outputs"] {
                let more = list(&mut patch, key);
                table[key].as_array_mut().unwrap().extend(more);
            }
            let words = list(&mut patch, "words");
            let outputs = table["outputs"].as_array().unwrap().len();
            for word in table["words"].as_array_mut().unwrap() {
                word.as_array_mut().unwrap().resize(outputs, 0.into());
            }
            for word in &words {
                let at = [&word["slot"], &word["output"]].map(|v| number(v) - 1);
                table["words"][at[0]][at[1]] = word["input"].clone();
            }
            let (removed, added) = (list(&mut patch, "removed"), list(&mut patch, "added"));
            let messages = table["messages"].as_array_mut().unwrap();
            messages.retain(|m| !removed.contains(m));
            messages.extend(added);
            // The CSV file says the same of the columns.
            let csv = rows(&patches[&name.replace(".json", ".csv")]);
            let columns: Vec<&str> = old_files[&name.replace(".json", ".csv")]
                .lines()
                .next()
                .unwrap()
                .split(',')
                .skip(1)
                .collect();
            assert_eq!(csv.len(), words.len());
            for (line, word) in csv.iter().zip(&words) {
                assert_eq!(
                    [&line["slot"], &line["input"]],
                    [&word["slot"].to_string(), &word["input"].to_string()]
                );
                if let Some(column) = columns.get(number(&word["output"]) - 1) {
                    assert_eq!(line["output"], *column);
                }
            }
            patched += 1;
        }
        assert_eq!(head["vertices"].as_array().unwrap().len(), patched);
        let transfers: usize = new.steps.iter().map(|step| step.len()).sum();
        assert_eq!(follow(&tables), transfers, "{network}");
    }
}

#[test]
fn nothing_changes_from_a_schedule_to_itself() {
    let old = solved("mesh:3x3", Collective::Aas, Switching::Wormhole);
    let Output::File(lines) = patch(&old, &old, false) else { panic!("a file") };
    assert_eq!(lines.lines().count(), 1);
    let Output::Folder(files) = patch(&old, &old, true) else { panic!("a folder") };
    assert_eq!(files.len(), 1);
}
