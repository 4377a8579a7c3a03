//! Tables of slots, run as the hardware would: what is injected is followed from table to table.

use super::{samples, text};
use ccsched::schedule::ScheduleFile;
use std::collections::{BTreeMap, BTreeSet};

/// A line by the names of its columns.
type Row = BTreeMap<String, String>;

fn rows(text: &str) -> Vec<Row> {
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().unwrap().clone();
    let row = |record: ::csv::StringRecord| {
        head.iter().zip(record.iter()).map(|(k, v)| (k.to_string(), v.to_string())).collect()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// What arrives where by the tables alone: step, source, destination, vertices of the path.
fn run(rows: &[Row]) -> BTreeSet<(String, String, String, Vec<String>)> {
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

fn planned(schedule: &ScheduleFile) -> BTreeSet<(String, String, String, Vec<String>)> {
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
