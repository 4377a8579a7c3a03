//! Wrong input on the command line: status 2, and a message that says what is wrong, where, and
//! what would be right; nothing is written, nothing panics. Also the exit statuses and outputs that
//! scripts rely on.

use crate::support::program::{Desk, Ended};
use ccsched::schedule::Steps;
use ccsched::verify::verify;
use std::collections::BTreeMap;

/// Names and contents of everything in a folder.
fn contents(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    let file = |name: String| (name.clone(), std::fs::read(desk.at(&name)).unwrap_or_default());
    desk.names().into_iter().map(file).collect()
}

/// Asserts that these arguments are refused, with all the `words`, and nothing is written.
fn refuse(desk: &Desk, args: &str, words: &[&str]) {
    let before = contents(desk);
    desk.refuse(args, words);
    assert!(contents(desk) == before, "{args}: something was written");
}

/// The same for `ccsched solve` with an output file.
fn refuse_solve(args: &str, words: &[&str]) {
    refuse(&Desk::new(), &format!("solve -o out.json {args}"), words);
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
        (
            "name = \"x\"\nswitches = [\"hub\"]\n[neighbours]\nhub = [\"a\", \"b\"]\n",
            ["net.toml:4:", "'a', a neighbour of 'hub', has no list of its own"],
        ),
        ("nodes = 3\n", ["net.toml:1:", "nodes"]),
    ] {
        let desk = Desk::with(&[("net.toml", text)]);
        refuse(&desk, "solve -o out.json -t net.toml", &words);
        refuse(&desk, "topology net.toml -o other.toml", &words);
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
    let islands = "name = \"x\"\n[neighbours]\na = [\"b\"]\nb = [\"a\"]\nc = []\n";
    let desk = Desk::with(&[("net.toml", islands)]);
    let words = ["'c' cannot be reached from 'a'", "reaches a, b, but not c"];
    refuse(&desk, "solve -o out.json -t net.toml", &words);
    // Vertices that take no part may be unreachable.
    desk.out("solve -t net.toml --senders a,b --receivers b,a");
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
    let desk = Desk::new();
    let refuse = |args: &str, words: &[&str]| refuse(&desk, args, words);
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
    let desk = Desk::new();
    desk.out("solve -t ring:5 -c oab -o good.json");
    let good = desk.read("good.json");
    desk.write("cut.json", &good[..good.len() / 2]);
    desk.write("newer.json", good.replacen("schedule/1", "schedule/2", 1));
    desk.write("shape.json", good.replacen("\"vertices\"", "\"nodes\"", 1));
    desk.write("binary.json", "\u{1}\u{2}\u{0}");
    desk.write("empty.json", "");
    std::fs::create_dir(desk.at("folder.json")).unwrap();
    let lines = good[..good.len() / 2].lines().count();
    for program in ["verify", "show"] {
        let refuse = |name: &str, words: &[&str]| {
            refuse(&desk, &format!("{program} {name}"), words);
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
    let desk = Desk::new();
    for (args, words) in [
        ("-o out.json -t hipercube:3", &["did you mean 'hypercube:3'", "lists all families"][..]),
        ("-o out.json --steps -1", &["--steps", "at least 1"]),
        ("solve -o out.json --iterations 0", &["--iterations", "at least 1"]),
        ("-o out.json --steps 1", &["at least 7 steps"]),
        ("-o no/such/s.json", &["--output", "does not exist"]),
        ("--islands 3", &["--islands"]),
        (
            "faults sweep -t torus:8x8 --fail-links 5",
            &["--fail-links: ", "128 links", "sets of 5", "1000000"],
        ),
        ("faults sweep -t ring:4 --fail-links 9", &["--fail-links: ", "4 links", "sets of 9"]),
        ("faults sweep -t mesh:9x9 --fail-links 99", &["--fail-links: ", "too large to count"]),
        ("faults sweep -t ring:4 --fail-nodes 3", &["--fail-nodes: ", "two of the 4 terminals"]),
        (
            "faults sweep -t ring:4 --engine liquid",
            &["--engine: ", "liquid has no islands", "auto"],
        ),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ccsched-mpi"));
        command.args(args.split_whitespace()).current_dir(desk.path());
        Ended::from(command.output().unwrap()).refused(words);
        assert!(desk.names().is_empty(), "{args}: something was written");
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
    let desk = Desk::new();
    let args = "solve -t hypercube:3 -c all --iterations 2000 --json -o x.json --fail-link 0-1";
    let lines = desk.out(args);
    let names = ["oab", "aab", "oas", "aas"].map(|c| format!("x-{c}.json"));
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    assert_eq!(desk.names(), sorted);
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
    let verified = desk.out(&format!("verify {}", names.join(" ")));
    assert_eq!(verified.matches(": valid: ").count(), 4);
}

#[test]
fn a_fault_given_twice_counts_once() {
    let desk = Desk::new();
    let faults = "--fail-link 0-1 --fail-link 1:0 --fail-node 5 --fail-node 5";
    let solve = format!("solve -t hypercube:3 -c oab --json {faults}");
    let summary = summary(&desk.run(&solve).out);
    let once = serde_json::json!([{"link": ["0", "1"]}, {"link": ["1", "0"]}, {"vertex": "5"}]);
    assert_eq!(summary["faults"], once);
}

#[test]
fn nothing_found_is_status_1_and_no_file() {
    let desk = Desk::new();
    let args = "solve -t levi --steps 28 --iterations 10 -o out.json";
    let summary = summary(&desk.run(&format!("{args} --json")).with(1).out);
    assert_eq!(summary["iterations"], 10);
    for key in ["steps", "channel_steps", "longest_path", "time_us", "mean_arrival_us", "schedule"]
    {
        assert!(summary[key].is_null(), "{key}: {summary}");
    }
    let text = desk.run(args).out;
    assert!(text.contains("no schedule found for 28 steps"), "{text}");
    assert!(text.contains("conflicts were left; more --iterations"), "{text}");
    assert!(desk.names().is_empty());
}

#[test]
fn the_number_of_iterations_holds_for_any_exchange_interval() {
    let desk = Desk::new();
    let args = "solve -t levi --steps 28 --iterations 20 --exchange-every 18446744073709551615";
    let summary = summary(&desk.run(&format!("{args} --json")).out);
    assert_eq!(summary["iterations"], 20);
}

/// Runs the program with a standard output whose reader is closed.
fn unread(desk: &Desk, args: &str) -> Ended {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    desk.command(args).stdout(writer).output().unwrap().into()
}

#[test]
fn a_closed_standard_output_is_no_failure() {
    let desk = Desk::new();
    desk.out("solve -t ring:5 -c oab -o s.json");
    for args in ["show s.json", "verify s.json", "topology ring:5", "solve -t ring:5 -c oab"] {
        let errors = unread(&desk, args).with(0).err;
        assert!(!errors.contains("panicked"), "{args}: {errors}");
    }
    // Files and exit status do not depend on the reader.
    let mut broken = desk.schedule("s.json");
    let mut steps = broken.steps.records();
    steps[0].clear();
    broken.steps = Steps::of(&steps);
    broken.write(desk.at("broken.json")).unwrap();
    for (args, status) in [
        ("solve -t ring:5 -c all -o x.json", 0),
        ("verify x-oab.json x-aab.json x-oas.json x-aas.json", 0),
        ("verify broken.json", 1),
        ("solve -t heawood -c aas --engine hgsa --steps 9 --iterations 1 --json", 1),
    ] {
        unread(&desk, args).with(status);
    }
}

/// A full disk must not end a long search.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_does_not_end_a_search() {
    let desk = Desk::new();
    let args = "solve -t petersen -c aas -o s.json --trace /dev/full -v";
    let errors = desk.run(args).with(4).err;
    assert!(errors.contains("--trace") && errors.contains("rows are missing"), "{errors}");
    assert_eq!(verify(&desk.schedule("s.json")), []);
    // A schedule that cannot be written at the end either is printed (tests/it/cli/outputs.rs).
    let errors = desk.run("solve -t petersen -c aas -o /dev/full").with(4).err;
    assert!(
        errors.contains("the schedule file follows") && errors.contains("/dev/full"),
        "{errors}"
    );
}
