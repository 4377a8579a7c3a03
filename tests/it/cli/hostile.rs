//! Names and files that a careless or hostile hand has made.
#![cfg(unix)]

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn ccsched(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ccsched")).args(args).current_dir(folder).output().unwrap()
}

/// Runs a command that must end with this status; returns what it prints and says.
fn run(folder: &Path, status: i32, args: &[&str]) -> (String, String) {
    let output = ccsched(folder, args);
    let [out, err] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
    assert_eq!(output.status.code(), Some(status), "{args:?}: {out}{err}");
    (out, err)
}

/// A folder with a ring of four vertices of these names, `net.toml`, and a schedule of it, `s.json`.
fn ring(names: [&str; 4]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.toml");
    let quoted = names.map(|name| serde_json::to_string(name).unwrap());
    let neighbours: Vec<String> = (0..4)
        .map(|i| format!("{} = [{}, {}]\n", quoted[i], quoted[(i + 1) % 4], quoted[(i + 3) % 4]))
        .collect();
    let text =
        format!("name = \"ring\"\nlinks = \"one-way\"\n[neighbours]\n{}", neighbours.concat());
    fs::write(path, text).unwrap();
    run(folder.path(), 0, &["solve", "-t", "net.toml", "-c", "aas", "-q", "-o", "s.json"]);
    folder
}

#[test]
fn names_that_are_formulas_stay_names() {
    let names = ["=1+1|cmd", "@SUM(A1)", " ends with blanks  ", "-2"];
    let folder = ring(names);
    for format in ["csv", "slots"] {
        run(folder.path(), 0, &["export", "s.json", "--to", format, "-o", "out.csv"]);
        let mut rows = csv::Reader::from_path(folder.path().join("out.csv")).unwrap();
        for cell in
            rows.records().flat_map(|row| row.unwrap().iter().map(String::from).collect::<Vec<_>>())
        {
            assert!(!cell.starts_with(['=', '@', '+', '-', '\t']), "{format}: {cell}");
        }
    }
    run(folder.path(), 0, &["export", "s.json", "--to", "csv", "-o", "out.csv"]);
    let back = ["import-schedule", "out.csv", "-t", "net.toml", "-c", "aas", "-o", "back.json"];
    run(folder.path(), 0, &back);
    let steps = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap();
        [file["network"].clone(), file["steps"].clone()]
    };
    assert_eq!(steps("back.json"), steps("s.json"));
}

#[test]
fn marks_of_direction_reach_no_comment_and_no_terminal() {
    let folder = ring(["a\u{202e}b", "c\u{3164}", "d*/", "e"]);
    for format in ["mpi-c", "goal"] {
        let (text, _) = run(folder.path(), 0, &["export", "s.json", "--to", format]);
        assert!(!text.contains(['\u{202e}', '\u{3164}']), "{format}");
        assert!(text.contains("a\\u{202e}b"), "{format}");
    }
    for args in [
        &["bound", "-t", "net.toml", "-c", "oas"][..],
        &["solve", "-t", "net.toml", "-c", "oas", "--table"],
        &["verify", "s.json"],
    ] {
        let (text, _) = run(folder.path(), 0, args);
        assert!(!text.contains(['\u{202e}', '\u{3164}']), "{args:?}: {text}");
    }
    // Vertices may be called so in what programs read.
    let (toml, _) = run(folder.path(), 0, &["topology", "net.toml", "-o", "-"]);
    assert!(toml.contains("202E") || toml.contains('\u{202e}'), "{toml}");
}

#[test]
fn a_link_may_end_at_a_name_with_a_number() {
    let folder = ring(["a", "x#1", "b", "c,d"]);
    let solve = ["solve", "-t", "net.toml", "-c", "aas", "-q", "--json", "--fail-link"];
    for link in ["a-x#1", "a:x#1", "a-x#1#1"] {
        let (line, _) = run(folder.path(), 0, &[&solve[..], &[link]].concat());
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["faults"], json!([{"link": ["a", "x#1"]}]), "{link}");
    }
    run(folder.path(), 2, &[&solve[..], &["a-x#2"]].concat());
}

/// Changes a schedule file.
fn change(folder: &Path, change: impl Fn(&mut Value)) {
    let path = folder.join("s.json");
    let mut file: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut file);
    fs::write(path, file.to_string()).unwrap();
}

#[test]
fn a_fault_of_parallel_links_needs_one_that_is_left() {
    let folder = ring(["a", "b", "c", "d"]);
    change(folder.path(), |file| file["faults"] = json!([{"parallel": ["a", "c"]}]));
    let (out, _) = run(folder.path(), 1, &["verify", "s.json"]);
    assert!(out.contains("one of parallel links from 'a' to 'c', but no channel is left"), "{out}");
    change(folder.path(), |file| file["faults"] = json!([{"parallel": ["a", "b"]}]));
    run(folder.path(), 0, &["verify", "s.json"]);
}

#[test]
fn what_a_file_claims_is_not_called_optimal() {
    let folder = ring(["a", "b", "c", "d"]);
    change(folder.path(), |file| {
        let steps = file["steps"].as_array().unwrap().len();
        file["bounds"] = json!([{"name": "search", "steps": steps, "certified": false}]);
    });
    let (out, _) = run(folder.path(), 0, &["verify", "s.json"]);
    assert!(out.contains("the file claims a bound of") && !out.contains("optimal"), "{out}");
}

#[test]
fn numbers_of_sixteen_digits_keep_their_last() {
    let folder = ring(["a", "b", "c", "d"]);
    let numbers =
        [0.123_456_789_012_345_6, 1.797_693_134_862_315_7e308, 2.225_073_858_507_201e-308];
    change(folder.path(), |file| file["provenance"]["parameters"] = json!({"x": numbers}));
    let read = ccsched::ScheduleFile::read(folder.path().join("s.json")).unwrap();
    read.write(folder.path().join("t.json")).unwrap();
    let text = fs::read_to_string(folder.path().join("t.json")).unwrap();
    for number in numbers {
        assert!(text.contains(&serde_json::to_string(&number).unwrap()), "{number} in {text}");
    }
}

#[test]
fn pictures_in_a_folder_have_a_limit() {
    let folder = ring(["a", "b", "c", "d"]);
    let (_, err) = run(folder.path(), 2, &["show", "s.json", "--svg", "p/", "--svg-size", "1K"]);
    assert!(err.contains("pictures, at most about") && err.contains("--svg-size"), "{err}");
    assert!(!folder.path().join("p/step-1.svg").exists());
    run(folder.path(), 0, &["show", "s.json", "--svg", "p/"]);
    assert!(folder.path().join("p/step-1.svg").exists());
}

#[test]
fn liquid_throughput_is_of_wormhole_schedules() {
    let folder = tempfile::tempdir().unwrap();
    let liquid = |switching: &str| {
        let line = ["solve", "-t", "ring:5", "--routing", "updown", "--json", "--switching"];
        let (line, _) = run(folder.path(), 0, &[&line[..], &[switching]].concat());
        line.contains("\"liquid\"")
    };
    assert!(liquid("wormhole") && !liquid("sf"));
}

#[test]
fn what_is_missing_of_a_grid_is_named_with_the_routings_that_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let solve = ["solve", "-t", "mesh:4x4", "--fail-node", "11", "-c", "aas", "--routing", "xy"];
    let (_, err) = run(folder.path(), 2, &solve);
    assert!(err.contains("without vertex 11 of mesh:4x4"), "{err}");
    assert!(err.contains("Left are minimal") && err.contains("updown, balanced"), "{err}");
    assert!(!err.contains("mesh:4x4 is none"), "{err}");
}

#[test]
fn traces_of_several_runs_at_once_have_whole_rows() {
    let folder = tempfile::tempdir().unwrap();
    let solve =
        "solve -t heawood -c aas --engine hgsa --iterations 300 --islands 1 -q --trace t.csv";
    let start = |seed: u32| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
        command.args(solve.split(' ')).args(["--seed", &seed.to_string()]);
        command.current_dir(folder.path()).stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let runs: Vec<_> = (1..=4).map(start).collect();
    for mut run in runs {
        run.wait().unwrap();
    }
    run(folder.path(), 0, &["trace", "t.csv", "-o", "t.svg"]);
    let text = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("iteration")).count(), 1, "{text}");
}

#[test]
fn lists_of_names_take_quotes_and_pairs_name_their_line() {
    let folder = ring(["a", "b", "c,d", "e"]);
    let solve = ["solve", "-t", "net.toml", "-c", "aas", "-q", "-o", "t.json", "--senders"];
    run(folder.path(), 0, &[&solve[..], &["\"c,d\",a"]].concat());
    let text = fs::read_to_string(folder.path().join("t.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["model"]["senders"], json!(["a", "c,d"]));
    run(folder.path(), 2, &[&solve[..], &["c,d"]].concat());
    fs::write(folder.path().join("p.csv"), "# pairs\na,b\nb,a\n").unwrap();
    for option in ["--pairs", "--permutation"] {
        let solve = ["solve", "-t", "net.toml", "--fail-node", "b", option, "p.csv"];
        let (_, err) = run(folder.path(), 2, &solve);
        assert!(err.contains("p.csv:2: vertex 'b' is faulty (--fail-node b)"), "{err}");
    }
    let (_, err) = run(folder.path(), 2, &["solve", "-t", "petersen", "--pairs", "p.csv"]);
    assert!(err.contains("p.csv:2: petersen has no vertex 'a'"), "{err}");
}

#[test]
fn every_improvement_is_logged_once() {
    let folder = tempfile::tempdir().unwrap();
    let solve = "solve -t heawood -c aas --engine hgsa --iterations 2000 --islands 1 -v -o s.json";
    let (_, log) = run(folder.path(), 0, &solve.split(' ').collect::<Vec<_>>());
    let found: Vec<&str> = log.lines().filter(|line| line.contains("found a schedule")).collect();
    let different: std::collections::BTreeSet<&&str> = found.iter().collect();
    assert!(!found.is_empty() && found.len() == different.len(), "{log}");
}

#[test]
fn a_pipe_may_have_any_name() {
    let folder = ring(["a", "b", "c", "d"]);
    assert!(Command::new("mkfifo").arg(folder.path().join("f2")).status().unwrap().success());
    let (from, to) = (folder.path().join("net.toml"), folder.path().join("f2"));
    let copy = std::thread::spawn(move || fs::write(to, fs::read(from).unwrap()).unwrap());
    let (out, _) = run(folder.path(), 0, &["topology", "f2", "--json"]);
    assert!(out.contains("\"vertices\":4"), "{out}");
    copy.join().unwrap();
}
