//! Wrong input on the command line: status 2, and a message that says what is wrong, where, and
//! what would be right; nothing is written, nothing panics. Also the exit statuses and outputs that
//! scripts rely on.

use ccsched::schedule::{ScheduleFile, Steps};
use ccsched::verify::verify;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

const SERIAL: &str = env!("CARGO_BIN_EXE_ccsched");

/// Names and contents of everything in a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        (name, std::fs::read(path).unwrap_or_default())
    };
    std::fs::read_dir(folder).unwrap().map(file).collect()
}

/// Runs a program in a folder; the arguments are separated by blanks.
fn run(program: &str, folder: &Path, args: &str) -> Output {
    Command::new(program).args(args.split_whitespace()).current_dir(folder).output().unwrap()
}

/// Asserts that these arguments are refused, with all the `words`, and nothing is written.
fn refuse(program: &str, folder: &Path, args: &str, words: &[&str]) {
    let before = contents(folder);
    let output = run(program, folder, args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args}: {errors}");
    for word in words {
        assert!(errors.contains(word), "{args}: no '{word}' in: {errors}");
    }
    for word in ["panicked", "RUST_BACKTRACE", "internal error", ".rs:"] {
        assert!(!errors.contains(word), "{args}: {errors}");
    }
    assert!(output.stdout.is_empty(), "{args}: {}", String::from_utf8_lossy(&output.stdout));
    assert!(contents(folder) == before, "{args}: something was written");
}

/// The same for `ccsched solve` with an output file.
fn refuse_solve(args: &str, words: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    refuse(SERIAL, folder.path(), &format!("solve -o out.json {args}"), words);
}

#[test]
fn networks() {
    refuse_solve(
        "-t hipercube:3",
        &["'hipercube:3'", "did you mean 'hypercube:3'?", "topology --help"],
    );
    refuse_solve("-t kautz:3", &["'kautz:3'", "D,K", "kautz:3,2"]);
    refuse_solve("-t kautz:3,x", &["'kautz:3,x'", "for example"]);
    refuse_solve("-t ring:1", &["'ring:1'", "at least 2"]);
    refuse_solve("-t ring:-5", &["'ring:-5'", "for example"]);
    refuse_solve("-t omega:6", &["'omega:6'", "power of 2"]);
    refuse_solve("-t fat-tree:8,half", &["half", "without switches"]);
    refuse_solve("-t hypercube:99", &["'hypercube:99'"]);
    refuse_solve("-t mesh:99999999999x99999999999", &["'mesh:"]);
    refuse_solve("-t no/such.toml", &["no/such.toml", "No such file"]);
}

#[test]
fn network_files() {
    for (text, words) in [
        (
            "name = \"x\"\n[neighbours]\na = [\"b\"]\nb = [\"a\", \"b\"]\n",
            ["net.toml:4:", "own list"],
        ),
        ("name = \"x\"\n[neighbours]\na = [\"b\"]\nb = [\"a\", \"c\"]\n", ["net.toml:4:", "'c'"]),
        ("name = \"x\"\n[neighbours]\na = [\"b\"]\nb = []\n", ["net.toml:3:", "'b'"]),
        ("name = \"x\"\n[neighbours]\na = [\"b\"\nb = [\"a\"]\n", ["net.toml:4:", ""]),
        ("name = \"x\"\nlinks = \"both\"\n[neighbours]\n", ["net.toml:2:", "full-duplex"]),
        ("name = \"x\"\nswitches = [\"s\"]\n[neighbours]\na = []\n", ["net.toml:2:", "'s'"]),
        ("nodes = 3\n", ["net.toml:1:", "nodes"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("net.toml"), text).unwrap();
        refuse(SERIAL, folder.path(), "solve -o out.json -t net.toml", &words);
        refuse(SERIAL, folder.path(), "topology net.toml -o other.toml", &words);
    }
}

#[test]
fn vertices() {
    refuse_solve("-c oab --source zz", &["--source", "'zz'", "01, 02, 03"]);
    refuse_solve("--senders 01,zz", &["--senders", "'zz'", "01, 02, 03"]);
    refuse_solve("--receivers zz,01", &["--receivers", "'zz'", "01, 02, 03"]);
    refuse_solve("--senders 01,02,01", &["--senders", "'01'", "twice"]);
    refuse_solve("--fail-node zz", &["--fail-node", "'zz'", "01, "]);
    refuse_solve("--fail-link 01-zz", &["--fail-link", "'zz'", "01, "]);
    refuse_solve("--fail-link 01-23", &["--fail-link", "from 01 to 23", "10, 12, 13"]);
    refuse_solve("--fail-link 01", &["--fail-link", "A-B"]);
    refuse_solve("--fail-link 01-10#3", &["--fail-link", "#1"]);
    refuse_solve("-c oab -t fat-tree:8 --source s1.0", &["--source", "'s1.0'", "switch"]);
    refuse_solve("-t fat-tree:8 --senders 0,s1.0", &["--senders", "'s1.0'", "switch"]);
    refuse_solve("-c oas --source 01 --fail-node 01", &["--source", "'01'", "faulty"]);
    refuse_solve("--receivers 02,01 --fail-node 01", &["--receivers", "'01'", "faulty"]);
    refuse_solve("--source 01", &["--source", "aas", "name senders"]);
    refuse_solve("-c oab --senders 01", &["--senders", "oab", "as the source"]);
    refuse_solve("-c aog --receivers 01", &["--receivers", "aog", "as the source"]);
    refuse_solve("--senders 01 --receivers 01", &["nothing to send", "senders 01", "receivers 01"]);
}

#[test]
fn disconnected_networks() {
    refuse_solve(
        "-t ring:4 --fail-link 0-1 --fail-link 2-3",
        &["the faults cut", "'1' cannot be reached from '0'", "reaches 0, 3, but not 1, 2"],
    );
    refuse_solve(
        "-t ring:6 -c oab --source 1 --fail-node 0 --fail-node 3",
        &["the faults cut", "reaches 1, 2, but not 4, 5"],
    );
    refuse_solve("-t ring:2 --fail-node 0 --fail-node 1", &["without the faults", "terminal"]);
    let folder = tempfile::tempdir().unwrap();
    let islands = "name = \"x\"\n[neighbours]\na = [\"b\"]\nb = [\"a\"]\nc = []\n";
    std::fs::write(folder.path().join("net.toml"), islands).unwrap();
    let words = ["'c' cannot be reached from 'a'", "reaches a, b, but not c"];
    refuse(SERIAL, folder.path(), "solve -o out.json -t net.toml", &words);
    // Vertices that take no part may be unreachable.
    let output = run(SERIAL, folder.path(), "solve -t net.toml --senders a,b --receivers b,a");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn numbers() {
    let whole = "not a whole number of at least 1";
    for flag in ["--steps", "--islands", "--iterations", "--exchange-every", "--exchange-group"] {
        for value in ["0", "-1", "1.5", "many"] {
            refuse_solve(&format!("{flag} {value}"), &[flag, &format!("'{value}'"), whole]);
        }
        refuse_solve(&format!("{flag} 99999999999999999999999"), &[flag, "too large"]);
    }
    for value in ["0", "-1", "nan", "inf", "soon"] {
        for set in ["hgsa:hot", "hgsa:cold"] {
            let words = [set, &format!("'{value}' is not a number above 0")];
            refuse_solve(&format!("--set {set}={value}"), &words);
        }
        refuse_solve(&format!("--time-limit {value}"), &["--time-limit", "not a time"]);
    }
    refuse_solve("--time-limit 1e300", &["--time-limit"]);
    for value in ["-0.1", "1.1", "nan", "half"] {
        refuse_solve(&format!("--set hgsa:swaps={value}"), &["hgsa:swaps", "from 0 to 1"]);
    }
    for value in ["0", "-1", "none"] {
        refuse_solve(&format!("--ports {value}"), &["--ports", "'all'", "at least 1"]);
    }
    for value in ["slack:-1", "slack:65", "slack", "fastest"] {
        refuse_solve(&format!("--routing {value}"), &["--routing", "minimal, slack:S"]);
    }
    refuse_solve("--seed -1", &["--seed", "from 0 to"]);
    refuse_solve(
        "--engine hgsa --set hgsa:hot=0.5,cold=2",
        &["--set hgsa:cold: 2", "0.5", "cooling goes down"],
    );
    // Options that auto does not use are refused.
    refuse_solve("--hot 0.5", &["--hot", "auto does not use it", "--engine hgsa"]);
    let words = ["--set hgsa:hot", "auto does not use it", "--engine hgsa"];
    refuse_solve("--set hgsa:hot=0.5", &words);
}

#[test]
fn words() {
    refuse_solve("-c everybody", &["--collective", "oab (broadcast)", "aas (alltoall)"]);
    refuse_solve("--engine diesel", &["--engine", "hgsa"]);
    refuse_solve("--switching trains", &["--switching", "store-and-forward (sf)"]);
    refuse_solve("--set hgsa:neighbourhood=new", &["neighbourhood", "paper"]);
    refuse_solve("--no-such-flag", &["--no-such-flag"]);
    refuse_solve("surplus", &["surplus"]);
}

#[test]
fn step_targets_below_a_bound() {
    refuse_solve("--steps 1", &["--steps: 1 are too few", "at least 7 steps", "distance bound"]);
    // Also if other collectives could reach it: the check comes before any search.
    refuse_solve(
        "-t hypercube:3 -c all --steps 3",
        &["--steps: 3 are too few", "aas of hypercube:3", "at least 4 steps"],
    );
}

#[test]
fn outputs() {
    let folder = tempfile::tempdir().unwrap();
    let refuse = |args: &str, words: &[&str]| refuse(SERIAL, folder.path(), args, words);
    for args in ["solve -t ring:4 -o no/such/s.json", "solve -t ring:4 -c all -o no/such/s.json"] {
        refuse(args, &["--output", "'no/such' does not exist", "create it"]);
    }
    for args in ["solve -t ring:4 -o .", "solve -t ring:4 -c all -o .", "topology ring:4 -o ."] {
        refuse(args, &["--output", "this is a folder"]);
    }
    refuse("topology ring:4 -o no/such/r.toml", &["--output", "'no/such' does not exist"]);
    // Engines without islands have no trace and no checkpoint.
    for engine in ["liquid", "dsatur", "round-robin"] {
        let args = |option| format!("solve -t two-switch:3,2 --engine {engine} {option}");
        refuse(&args("--trace t.csv"), &["--trace", engine, "no islands", "--engine auto"]);
        refuse(&args("--checkpoint c"), &["--checkpoint", engine, "--engine auto"]);
    }
    // No output overwrites another.
    for (args, words) in [
        ("-o s --checkpoint s", ["--checkpoint", "--output"]),
        ("-o s --trace ./s", ["--trace", "--output"]),
        ("-o s.previous --checkpoint s", ["--checkpoint", "--output"]),
        ("-c all -o s.x --trace s.x", ["--trace", "--output"]),
    ] {
        refuse(&format!("solve -t ring:4 {args}"), &[words[0], words[1], "already"]);
    }
}

#[test]
fn schedule_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let output = run(SERIAL, folder.path(), "solve -t ring:5 -c oab -o good.json");
    assert_eq!(output.status.code(), Some(0));
    let good = std::fs::read_to_string(path("good.json")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    write("cut.json", &good[..good.len() / 2]);
    write("newer.json", &good.replacen("schedule/1", "schedule/2", 1));
    write("shape.json", &good.replacen("\"vertices\"", "\"nodes\"", 1));
    write("binary.json", "\u{1}\u{2}\u{0}");
    write("empty.json", "");
    std::fs::create_dir(path("folder.json")).unwrap();
    let lines = good[..good.len() / 2].lines().count();
    for program in ["verify", "show"] {
        let refuse = |name: &str, words: &[&str]| {
            refuse(SERIAL, folder.path(), &format!("{program} {name}"), words);
        };
        refuse("cut.json", &[&format!("cut.json:{lines}:"), "cut short"]);
        refuse("newer.json", &["newer.json:2:", "ccsched-schedule/1", "ccsched-schedule/2"]);
        refuse("shape.json", &["shape.json:", "wrong shape", "vertices"]);
        refuse("binary.json", &["binary.json:1:", "not JSON"]);
        refuse("empty.json", &["empty.json:1:", "cut short"]);
        refuse("missing.json", &["missing.json", "No such file"]);
        refuse("folder.json", &["folder.json", "directory"]);
        refuse("", &["FILE"]);
    }
}

#[cfg(feature = "mpi")]
#[test]
fn the_distributed_program_refuses_the_same() {
    let program = env!("CARGO_BIN_EXE_ccsched-mpi");
    let folder = tempfile::tempdir().unwrap();
    for (args, words) in [
        ("-o out.json -t hipercube:3", &["did you mean 'hypercube:3'", "lists all families"][..]),
        ("-o out.json --steps -1", &["--steps", "at least 1"]),
        ("solve -o out.json --iterations 0", &["--iterations", "at least 1"]),
        ("-o out.json --steps 1", &["at least 7 steps"]),
        ("-o no/such/s.json", &["--output", "does not exist"]),
        ("--islands 3", &["--islands"]),
        (
            "sweep -t torus:8x8 --fail-links 5",
            &["--fail-links: ", "128 links", "sets of 5", "1000000"],
        ),
        ("sweep -t ring:4 --fail-links 9", &["--fail-links: ", "4 links", "sets of 9"]),
        ("sweep -t mesh:9x9 --fail-links 99", &["--fail-links: ", "too large to count"]),
        ("sweep -t ring:4 --fail-nodes 3", &["--fail-nodes: ", "two of the 4 terminals"]),
        ("sweep -t ring:4 --engine liquid", &["--engine: ", "liquid has no islands", "auto"]),
    ] {
        refuse(program, folder.path(), args, words);
    }
}

/// The keys of the summary line, in their order; programs of users read it.
const KEYS: [&str; 33] = [
    "topology",
    "collective",
    "switching",
    "ports",
    "routing",
    "source",
    "faults",
    "steps",
    "lower_bound",
    "bound",
    "gap",
    "optimal",
    "seeking",
    "conflicts",
    "channel_steps",
    "longest_path",
    "time_us",
    "mean_arrival_us",
    "energy_nj",
    "time_model",
    "engine",
    "method",
    "parameters",
    "seed",
    "ranks",
    "iterations",
    "evaluations",
    "seconds",
    "rank_cpu_seconds",
    "rank_moves",
    "peak_memory",
    "reason",
    "schedule",
];

/// Asserts that a text is a summary line.
fn summary(line: &str) -> serde_json::Value {
    let summary: serde_json::Value = serde_json::from_str(line).unwrap();
    let object = summary.as_object().unwrap();
    assert_eq!(object.len(), KEYS.len(), "{line}");
    let places = KEYS.map(|key| line.find(&format!("\"{key}\":")).expect(key));
    assert!(places.is_sorted(), "{line}");
    summary
}

#[test]
fn all_collectives_make_a_file_and_a_summary_each() {
    let folder = tempfile::tempdir().unwrap();
    let args = "solve -t hypercube:3 -c all --iterations 2000 --json -o x.json --fail-link 0-1";
    let output = run(SERIAL, folder.path(), args);
    assert_eq!(output.status.code(), Some(0));
    let names = ["oab", "aab", "oas", "aas"].map(|c| format!("x-{c}.json"));
    let written: Vec<String> = contents(folder.path()).into_keys().collect();
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    assert_eq!(written, sorted);
    let lines = String::from_utf8(output.stdout).unwrap();
    let summaries: Vec<_> = lines.lines().map(summary).collect();
    assert_eq!(
        summaries.iter().map(|s| s["schedule"].as_str().unwrap()).collect::<Vec<_>>(),
        names
    );
    assert_eq!(summaries[0]["source"], "0");
    assert!(summaries[1]["source"].is_null());
    for summary in &summaries {
        let both = serde_json::json!([{"link": ["0", "1"]}, {"link": ["1", "0"]}]);
        assert_eq!(summary["faults"], both);
    }
    let output = run(SERIAL, folder.path(), &format!("verify {}", names.join(" ")));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap().matches(": valid: ").count(), 4);
}

#[test]
fn a_fault_given_twice_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let faults = "--fail-link 0-1 --fail-link 1:0 --fail-node 5 --fail-node 5";
    let output =
        run(SERIAL, folder.path(), &format!("solve -t hypercube:3 -c oab --json {faults}"));
    let summary = summary(&String::from_utf8(output.stdout).unwrap());
    let once = serde_json::json!([{"link": ["0", "1"]}, {"link": ["1", "0"]}, {"vertex": "5"}]);
    assert_eq!(summary["faults"], once);
}

#[test]
fn nothing_found_is_status_1_and_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let args = "solve -t levi --steps 28 --iterations 10 -o out.json";
    let output = run(SERIAL, folder.path(), &format!("{args} --json"));
    assert_eq!(output.status.code(), Some(1));
    let summary = summary(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(summary["iterations"], 10);
    for key in ["steps", "channel_steps", "longest_path", "time_us", "mean_arrival_us", "schedule"]
    {
        assert!(summary[key].is_null(), "{key}: {summary}");
    }
    let text = String::from_utf8(run(SERIAL, folder.path(), args).stdout).unwrap();
    assert!(text.contains("no schedule found for 28 steps"), "{text}");
    assert!(text.contains("conflicts were left; more --iterations"), "{text}");
    assert!(contents(folder.path()).is_empty());
}

#[test]
fn the_number_of_iterations_holds_for_any_exchange_interval() {
    let folder = tempfile::tempdir().unwrap();
    let args = "solve -t levi --steps 28 --iterations 20 --exchange-every 18446744073709551615";
    let output = run(SERIAL, folder.path(), &format!("{args} --json"));
    let summary = summary(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(summary["iterations"], 20);
}

/// Runs the program with a standard output whose reader is closed.
fn unread(folder: &Path, args: &str) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(SERIAL);
    command.args(args.split_whitespace()).current_dir(folder).stdout(writer).output().unwrap()
}

#[test]
fn a_closed_standard_output_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    run(SERIAL, folder.path(), "solve -t ring:5 -c oab -o s.json");
    for args in ["show s.json", "verify s.json", "topology ring:5", "solve -t ring:5 -c oab"] {
        let output = unread(folder.path(), args);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{args}: {errors}");
        assert!(!errors.contains("panicked"), "{args}: {errors}");
    }
    // Files and exit status do not depend on the reader.
    let mut broken = ScheduleFile::read(folder.path().join("s.json")).unwrap();
    let mut steps = broken.steps.records();
    steps[0].clear();
    broken.steps = Steps::of(&steps);
    broken.write(folder.path().join("broken.json")).unwrap();
    for (args, status) in [
        ("solve -t ring:5 -c all -o x.json", 0),
        ("verify x-oab.json x-aab.json x-oas.json x-aas.json", 0),
        ("verify broken.json", 1),
        ("solve -t heawood -c aas --engine hgsa --steps 9 --iterations 1 --json", 1),
    ] {
        let output = unread(folder.path(), args);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{args}: {errors}");
    }
}

/// A full disk must not end a long search.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_does_not_end_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let args = "solve -t petersen -c aas -o s.json --trace /dev/full -v";
    let output = run(SERIAL, folder.path(), args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{errors}");
    assert!(errors.contains("--trace") && errors.contains("rows are missing"), "{errors}");
    assert_eq!(verify(&ScheduleFile::read(folder.path().join("s.json")).unwrap()), []);
    // A schedule that cannot be written at the end either is printed (tests/it/cli/outputs.rs).
    let output = run(SERIAL, folder.path(), "solve -t petersen -c aas -o /dev/full");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{errors}");
    assert!(
        errors.contains("the schedule file follows") && errors.contains("/dev/full"),
        "{errors}"
    );
}
