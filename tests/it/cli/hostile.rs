//! Names and files that a careless or hostile hand has made.
#![cfg(unix)]

use crate::support::program::Desk;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// A folder with a ring of four vertices of these names, `net.toml`, and a schedule of it, `s.json`.
fn ring(names: [&str; 4]) -> Desk {
    let quoted = names.map(|name| serde_json::to_string(name).unwrap());
    let neighbours: Vec<String> = (0..4)
        .map(|i| format!("{} = [{}, {}]\n", quoted[i], quoted[(i + 1) % 4], quoted[(i + 3) % 4]))
        .collect();
    let text =
        format!("name = \"ring\"\nlinks = \"one-way\"\n[neighbours]\n{}", neighbours.concat());
    let desk = Desk::with(&[("net.toml", &text)]);
    desk.out("solve -t net.toml -c aas -q -o s.json");
    desk
}

#[test]
fn names_that_are_formulas_stay_names() {
    let desk = ring(["=1+1|cmd", "@SUM(A1)", " ends with blanks  ", "-2"]);
    for format in ["slots", "csv"] {
        desk.out(&format!("export s.json --to {format} -o out.csv"));
        let mut rows = csv::Reader::from_path(desk.at("out.csv")).unwrap();
        for cell in
            rows.records().flat_map(|row| row.unwrap().iter().map(String::from).collect::<Vec<_>>())
        {
            assert!(!cell.starts_with(['=', '@', '+', '-', '\t']), "{format}: {cell}");
        }
    }
    desk.out("import out.csv -t net.toml -c aas -o back.json");
    let [back, first] = ["back.json", "s.json"].map(|name| desk.value(name));
    assert_eq!((&back["network"], &back["steps"]), (&first["network"], &first["steps"]));
}

#[test]
fn marks_of_direction_reach_no_comment_and_no_terminal() {
    let desk = ring(["a\u{202e}b", "c\u{3164}", "d*/", "e"]);
    for format in ["mpi-c", "goal"] {
        let text = desk.out(&format!("export s.json --to {format}"));
        assert!(!text.contains(['\u{202e}', '\u{3164}']), "{format}");
        assert!(text.contains("a\\u{202e}b"), "{format}");
    }
    for args in ["bound -t net.toml -c oas", "solve -t net.toml -c oas --table", "verify s.json"] {
        let text = desk.out(args);
        assert!(!text.contains(['\u{202e}', '\u{3164}']), "{args}: {text}");
    }
    // Vertices may be called so in what programs read.
    let toml = desk.out("topology net.toml -o -");
    assert!(toml.contains("202E") || toml.contains('\u{202e}'), "{toml}");
}

#[test]
fn a_link_may_end_at_a_name_with_a_number() {
    let desk = ring(["a", "x#1", "b", "c,d"]);
    let solve = "solve -t net.toml -c aas -q --json --fail-link";
    for link in ["a-x#1", "a:x#1", "a-x#1#1"] {
        let line = desk.json(&format!("{solve} {link}"));
        assert_eq!(line["faults"], json!([{"link": ["a", "x#1"]}]), "{link}");
    }
    desk.refuse(&format!("{solve} a-x#2"), &[]);
}

/// Changes a schedule file.
fn change(desk: &Desk, change: impl Fn(&mut Value)) {
    let mut file = desk.value("s.json");
    change(&mut file);
    desk.write("s.json", file.to_string());
}

#[test]
fn a_fault_of_parallel_links_needs_one_that_is_left() {
    let desk = ring(["a", "b", "c", "d"]);
    change(&desk, |file| file["faults"] = json!([{"parallel": ["a", "c"]}]));
    let out = desk.run("verify s.json").with(1).out;
    assert!(out.contains("one of parallel links from 'a' to 'c', but no channel is left"), "{out}");
    change(&desk, |file| file["faults"] = json!([{"parallel": ["a", "b"]}]));
    desk.out("verify s.json");
}

#[test]
fn what_a_file_claims_is_not_called_optimal() {
    let desk = ring(["a", "b", "c", "d"]);
    change(&desk, |file| {
        let steps = file["steps"].as_array().unwrap().len();
        file["bounds"] = json!([{"name": "search", "steps": steps, "certified": false}]);
    });
    let out = desk.out("verify s.json");
    assert!(out.contains("the file claims a bound of") && !out.contains("optimal"), "{out}");
}

#[test]
fn numbers_of_sixteen_digits_keep_their_last() {
    let desk = ring(["a", "b", "c", "d"]);
    let numbers =
        [0.123_456_789_012_345_6, 1.797_693_134_862_315_7e308, 2.225_073_858_507_201e-308];
    change(&desk, |file| file["provenance"]["parameters"] = json!({"x": numbers}));
    desk.schedule("s.json").write(desk.at("t.json")).unwrap();
    let text = desk.read("t.json");
    for number in numbers {
        assert!(text.contains(&serde_json::to_string(&number).unwrap()), "{number} in {text}");
    }
}

#[test]
fn pictures_in_a_folder_have_a_limit() {
    let desk = ring(["a", "b", "c", "d"]);
    let words = ["pictures, at most about", "--svg-size"];
    desk.refuse("show s.json --svg p/ --svg-size 1K", &words);
    assert!(!desk.at("p/step-1.svg").exists());
    desk.out("show s.json --svg p/");
    assert!(desk.at("p/step-1.svg").exists());
}

#[test]
fn liquid_throughput_is_of_wormhole_schedules() {
    let desk = Desk::new();
    let liquid = |switching: &str| {
        let line = desk.out(&format!("solve -t ring:5 --routing updown --json {switching}"));
        line.contains("\"liquid\"")
    };
    assert!(liquid("--switching wormhole") && !liquid("--switching sf"));
}

#[test]
fn what_is_missing_of_a_grid_is_named_with_the_routings_that_are_left() {
    let solve = "solve -t mesh:4x4 --fail-node 11 -c aas --routing xy";
    let ended = Desk::new().run(solve);
    let left = ["without vertex 11 of mesh:4x4", "Left are minimal", "updown, balanced"];
    ended.refused(&left);
    assert!(!ended.err.contains("mesh:4x4 is none"), "{}", ended.err);
}

#[test]
fn traces_of_several_runs_at_once_have_whole_rows() {
    let desk = Desk::new();
    let solve =
        "solve -t heawood -c aas --engine hgsa --iterations 300 --islands 1 -q --trace t.csv";
    let start = |seed: u32| {
        let mut command = desk.command(&format!("{solve} --seed {seed}"));
        command.stdout(Stdio::null()).spawn().unwrap()
    };
    let runs: Vec<_> = (1..=4).map(start).collect();
    for mut run in runs {
        run.wait().unwrap();
    }
    desk.out("show t.csv --svg t.svg");
    let text = desk.read("t.csv");
    assert_eq!(text.lines().filter(|line| line.starts_with("iteration")).count(), 1, "{text}");
}

#[test]
fn lists_of_names_take_quotes_and_pairs_name_their_line() {
    let desk = ring(["a", "b", "c,d", "e"]);
    let solve = "solve -t net.toml -c aas -q -o t.json --senders";
    desk.out(&format!("{solve} \"c,d\",a"));
    assert_eq!(desk.value("t.json")["model"]["senders"], json!(["a", "c,d"]));
    desk.refuse(&format!("{solve} c,d"), &[]);
    desk.write("p.csv", "# pairs\na,b\nb,a\n");
    for option in ["--pairs", "--permutation"] {
        let solve = format!("solve -t net.toml --fail-node b {option} p.csv");
        desk.refuse(&solve, &["p.csv:2: vertex 'b' is faulty (--fail b)"]);
    }
    desk.refuse("solve -t petersen --pairs p.csv", &["p.csv:2: petersen has no vertex 'a'"]);
}

#[test]
fn every_improvement_is_logged_once() {
    let solve = "solve -t heawood -c aas --engine hgsa --iterations 2000 --islands 1 -v -o s.json";
    let log = Desk::new().run(solve).with(0).err;
    let found: Vec<&str> = log.lines().filter(|line| line.contains("found a schedule")).collect();
    let different: std::collections::BTreeSet<&&str> = found.iter().collect();
    assert!(!found.is_empty() && found.len() == different.len(), "{log}");
}

#[test]
fn a_pipe_may_have_any_name() {
    let desk = ring(["a", "b", "c", "d"]);
    assert!(Command::new("mkfifo").arg(desk.at("f2")).status().unwrap().success());
    let (from, to) = (desk.at("net.toml"), desk.at("f2"));
    let copy =
        std::thread::spawn(move || std::fs::write(to, std::fs::read(from).unwrap()).unwrap());
    let out = desk.out("topology f2 --json");
    assert!(out.contains("\"vertices\":4"), "{out}");
    copy.join().unwrap();
}
