//! `resilience`, `topologies compare`, `repair` and `diff` from outside.

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
    command.args(args.split_whitespace()).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn networks_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let line = "topologies compare -t ring:6 -t mesh:2x3 -c aas -q --csv rows.csv";
    let output = run(folder.path(), line);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("| ring:6   |        aas |"), "{}", text(&output.stdout));
    let rows = std::fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    assert_eq!(rows.lines().count(), 3);
}

#[test]
fn broken_links_are_sampled() {
    let folder = tempfile::tempdir().unwrap();
    let line = "resilience -t mesh:2x3 --faults 1,2 --samples 3 -q --csv r.csv --svg r";
    let output = run(folder.path(), line);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).lines().count(), 2 + 3);
    let again = run(folder.path(), line);
    assert_eq!(text(&again.stdout), text(&output.stdout));
    assert!(folder.path().join("r-resilience.svg").exists());
}

#[test]
fn a_repair_is_saved_and_its_changes_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(run(at, "solve -t mesh:3x3 -c aas -q -o old.json").status.success());
    let output = run(at, "repair old.json --fail-link 00-01 --frontier -o new.json");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("messages kept"), "{}", text(&output.stdout));
    assert!(run(at, "verify new.json").status.success());
    let same = run(at, "diff old.json old.json");
    assert!(same.status.success() && text(&same.stdout).contains("72 messages kept, 0 changed"));
    let other = run(at, "diff old.json new.json");
    assert_eq!(other.status.code(), Some(1));
    let by_link = text(&run(at, "diff old.json new.json --by link").stdout);
    assert!(by_link.contains("00->01  "), "{by_link}");
    let line: serde_json::Value =
        serde_json::from_slice(&run(at, "diff old.json new.json --json").stdout).unwrap();
    assert!(!line["changed"].as_array().unwrap().is_empty());
    let patch = run(at, "export new.json --to slots --since old.json --node 00");
    assert!(text(&patch.stdout).contains("\n-,00,"), "{}", text(&patch.stderr));
    let refused = run(at, "export new.json --to slots --since old.json -o old.json");
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    // What was broken is there again: the messages go home.
    let back = run(at, "repair new.json -t mesh:3x3 --keep-steps -o back.json");
    assert!(back.status.success(), "{}", text(&back.stderr));
    let gone = run(at, "repair old.json --fail-node 11 -o less.json");
    assert!(text(&gone.stdout).contains("16 dropped"), "{}", text(&gone.stdout));
    let wrong = run(at, "repair old.json --fail-link 00-99 -o x.json");
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
}
