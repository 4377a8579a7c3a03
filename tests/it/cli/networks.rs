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
    let line = "topologies compare -t ring:6 -t mesh:2x3 -q --svg p";
    assert!(run(folder.path(), line).status.success());
    let picture = std::fs::read_to_string(folder.path().join("p-networks.svg")).unwrap();
    assert!(picture.contains("aab, wormhole") && picture.contains("mesh:2x3"));
}

/// `solve`, `bound` and `compare` take several networks, other commands do not.
#[test]
fn commands_take_several_networks() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let two = "-t ring:4 -t mesh:2x2";
    let bounds = text(&run(at, &format!("bound {two} -c aas --json")).stdout);
    assert!(bounds.lines().count() == 2 && bounds.contains(r#""topology":"mesh:2x2""#), "{bounds}");
    let solved = run(at, &format!("solve {two} -c aas,oab --json -o ."));
    assert_eq!(text(&solved.stdout).lines().count(), 4, "{}", text(&solved.stderr));
    let files = "verify ring-4-aas.json mesh-2x2-aas.json ring-4-oab.json mesh-2x2-oab.json";
    assert!(run(at, files).status.success());
    let line = format!("compare {two} -c aas --run umda --iterations 2 --runs 1 --json");
    let compared = run(at, &line);
    assert_eq!(text(&compared.stdout).lines().count(), 2, "{}", text(&compared.stderr));
    for (line, why) in [
        ("solve -t ring:4 -t ring:4 -o .", "two networks would be saved in ./ring-4.json"),
        ("solve -t ring:4 -t ring:5 -o s.json", "s.json is no folder"),
        ("solve -t ring:4 -t ring:5 --checkpoint c", "--checkpoint: it is for one network"),
        ("solve -t ring:4 -t ring:x", "ring:x"),
        ("routes -t ring:4 -t ring:5", "one network is needed here, not ring:4 and ring:5"),
    ] {
        let refused = run(at, line);
        assert_eq!(refused.status.code(), Some(2), "{line}");
        assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
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
    let line = "repair old.json --fail-link 00-01 --frontier --svg p -o new.json";
    let output = run(at, line);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("messages kept"), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("steps  changed"), "{}", text(&output.stdout));
    let picture = std::fs::read_to_string(at.join("p-frontier.svg")).unwrap();
    assert!(picture.contains("change in every repair"));
    let quiet = run(at, "repair old.json --fail-link 00-01 --frontier -q");
    assert!(!text(&quiet.stdout).contains("steps  changed"), "{}", text(&quiet.stdout));
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
