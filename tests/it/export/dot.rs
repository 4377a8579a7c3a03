//! Pictures by Graphviz, read by our reader of networks, and by Graphviz where it is installed.

use super::{exported, samples, solved};
use ccsched::export::{Output, Settings};
use ccsched::network::files;
use ccsched::problem::{Collective, Switching};
use ccsched::schedule::ScheduleFile;
use std::io::Write;
use std::process::{Command, Stdio};

fn dot(schedule: &ScheduleFile, step: Option<usize>) -> String {
    match exported(schedule, "dot", &Settings { step, ..Settings::default() }) {
        Output::File(text) => text,
        _ => unreachable!("dot is one file"),
    }
}

#[test]
fn a_graph_has_all_channels_and_colours_those_in_use() {
    let folder = tempfile::tempdir().unwrap();
    for schedule in samples() {
        for step in 0..schedule.steps.len() {
            let text = dot(&schedule, Some(step + 1));
            let path = folder.path().join("step.dot");
            std::fs::write(&path, &text).unwrap();
            let network = files::read(&path).unwrap();
            assert_eq!(network.vertices().len(), schedule.network.vertices.len());
            let used = schedule.steps.iter().nth(step).unwrap().flat_map(|t| t.channels);
            let used: std::collections::BTreeSet<&u32> = used.collect();
            assert_eq!(text.matches("penwidth").count(), used.len(), "{text}");
            let idle = schedule.network.channels.len() - used.len();
            assert_eq!(text.matches("gray85").count(), idle, "{text}");
        }
        let all = dot(&schedule, None);
        assert_eq!(all.matches("digraph \"step ").count(), schedule.steps.len());
    }
}

#[test]
fn graphviz_reads_every_step_and_odd_names() {
    let Ok(version) = Command::new("gvpr").arg("-V").output() else {
        eprintln!("skipped: gvpr is not installed (Debian: graphviz)");
        return;
    };
    assert!(version.status.success());
    let mut schedule = solved("ring:4", Collective::Aas, Switching::Wormhole);
    let odd = ["a\\", "b\"; x -> y [", "c <d> //", "subgraph {}"];
    let json = serde_json::to_value(&schedule).unwrap();
    let mut text = json.to_string();
    for (k, name) in odd.iter().enumerate() {
        text = text.replace(&format!("\"{k}\""), &serde_json::to_string(name).unwrap());
    }
    let renamed: ScheduleFile = serde_json::from_str(&text).unwrap();
    for (schedule, text) in [(&schedule, dot(&schedule, None)), (&renamed, dot(&renamed, None))] {
        let mut gvpr = Command::new("gvpr")
            .args(["BEG_G { print($G.name, \" \", nNodes($G), \" \", nEdges($G)); }"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        gvpr.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let out = gvpr.wait_with_output().unwrap();
        let right: String = (1..=schedule.steps.len()).map(|k| format!("step {k} 4 8\n")).collect();
        assert_eq!(String::from_utf8_lossy(&out.stdout), right, "{text}");
    }
    schedule.network.name = "ring".into();
    let why = export_error(&schedule, 9);
    assert!(why.contains("step: 9: the schedule has the steps 1 to 2"), "{why}");
}

fn export_error(schedule: &ScheduleFile, step: usize) -> String {
    let subject = ccsched::export::Subject::of(schedule).unwrap();
    let format = ccsched::export::find("dot").unwrap();
    let settings = Settings { step: Some(step), ..Settings::default() };
    ccsched::export::write(format, &subject, &settings).unwrap_err().to_string()
}
