//! Outputs that are no plain files, that cannot be written, or that would destroy something: no
//! result is lost, and nothing is overwritten in silence.
#![cfg(unix)]

use crate::support::program::{Desk, Ended, PROGRAM};
use ccsched::schedule::ScheduleFile;
use ccsched::verify::verify;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A search that finds several schedules, each better than the one before.
const SEARCH: &str =
    "solve -t heawood -c aas --engine hgsa --set hgsa:eject=false --iterations 4000 --islands 1";

/// A run in which a file takes at most 1024 bytes: the system sends SIGXFSZ, and refuses the write
/// as on a disk that is full.
fn run_on_full_disk(desk: &Desk, args: &str) -> Ended {
    let script = format!("ulimit -f 2; exec '{PROGRAM}' {args}");
    Command::new("sh").args(["-c", &script]).current_dir(desk.path()).output().unwrap().into()
}

/// The steps of the one valid schedule that this text is.
fn steps(text: &str) -> usize {
    let file = ScheduleFile::from_bytes(text.as_bytes()).unwrap();
    assert_eq!(verify(&file), []);
    file.steps.len()
}

/// The schedule that the search saves in a file.
fn saved(desk: &Desk) -> String {
    desk.out(&format!("{SEARCH} -q -o plain.json"));
    desk.read("plain.json")
}

/// Ends a program that does not end by itself within this time.
fn wait(child: &mut Child, within: Duration) -> Option<i32> {
    let begin = Instant::now();
    while begin.elapsed() < within {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("the program did not end within {within:?}");
}

#[test]
fn links_lead_to_the_file() {
    let desk = Desk::new();
    let at = |name: &str| desk.at(name);
    let right = saved(&desk);
    fs::create_dir(at("below")).unwrap();
    symlink("below/new.json", at("dangling")).unwrap();
    symlink("dangling", at("chain")).unwrap();
    for _ in 0..2 {
        // First the file behind the links does not exist, then it does.
        desk.out(&format!("{SEARCH} -q -o chain"));
        assert!(at("chain").is_symlink() && at("dangling").is_symlink());
        assert_eq!(desk.read("below/new.json"), right);
    }
    symlink("loop", at("loop")).unwrap();
    desk.refuse(&format!("{SEARCH} -o loop"), &["symbolic links"]);
}

#[test]
fn a_name_of_a_stream_gets_the_last_schedule_alone() {
    let desk = Desk::new();
    let at = |name: &str| desk.at(name);
    let right = saved(&desk);
    // A link of one's own: the system's would be replaced if this test failed as root.
    symlink("/proc/self/fd/1", at("out")).unwrap();
    if !at("out").exists() {
        println!("skipped: this system has no /proc");
        return;
    }
    let mut solve = desk.command(&format!("{SEARCH} -o out"));
    let redirected = File::create(at("redirected")).unwrap();
    let err = Ended::from(solve.stdout(redirected).output().unwrap()).with(0).err;
    assert_eq!(desk.read("redirected"), right);
    assert!(at("out").is_symlink(), "the link has been replaced");
    assert!(err.contains("aas of heawood"), "the summary is on the standard error");
    // The same through a pipe, and through a descriptor of the shell's.
    assert_eq!(desk.run(&format!("{SEARCH} -o /dev/stdout")).out, right);
    let script = format!("exec '{PROGRAM}' {SEARCH} -q -o /dev/fd/3 3> third");
    let shell = Command::new("sh").args(["-c", &script]).current_dir(desk.path()).status();
    assert!(shell.unwrap().success());
    assert_eq!(desk.read("third"), right);
}

#[test]
fn a_pipe_gets_the_last_schedule_alone() {
    let desk = Desk::new();
    let right = saved(&desk);
    assert!(Command::new("mkfifo").arg(desk.at("pipe")).status().unwrap().success());
    let mut solve = desk.command(&format!("{SEARCH} -q -o pipe"));
    let mut child = solve.stdout(Stdio::null()).spawn().unwrap();
    let read = desk.read("pipe");
    assert_eq!(wait(&mut child, Duration::from_secs(120)), Some(0));
    assert_eq!(read, right);
    // What needs a file refuses a pipe.
    desk.refuse(&format!("{SEARCH} --checkpoint pipe"), &["name a file"]);
}

#[test]
fn a_pipe_that_nothing_reads_does_not_hold_an_interrupt() {
    let desk = Desk::new();
    let made = Command::new("mkfifo").arg(desk.at("pipe")).status();
    assert!(made.unwrap().success());
    let mut solve = desk.command(&format!("{SEARCH} -q -o pipe"));
    let out = File::create(desk.at("printed")).unwrap();
    let mut child = solve.stdout(out).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert_eq!(wait(&mut child, Duration::from_secs(120)), Some(4));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("--output") && said.contains("nothing reads it"), "{said}");
    // The schedule is not lost.
    steps(&desk.read("printed"));
}

#[test]
fn a_schedule_that_cannot_be_saved_is_printed() {
    let desk = Desk::new();
    let right = saved(&desk);
    for output in ["new.json", "/dev/full"] {
        let ended = run_on_full_disk(&desk, &format!("{SEARCH} -q -o {output}")).with(4);
        let said = ended.err;
        assert!(said.contains("--output") && said.contains("follows on the standard output"));
        assert!(said.contains("aas of heawood"), "no summary: {said}");
        assert_eq!(ended.out, right);
    }
    assert!(!desk.at("new.json").exists());
    let out = run_on_full_disk(&desk, &format!("{SEARCH} --json -o new.json")).with(4).out;
    let (line, schedule) = out.split_once('\n').unwrap();
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    assert!(line["schedule"].is_null());
    assert_eq!(schedule, right);
}

#[test]
fn a_checkpoint_or_trace_that_cannot_be_written_does_not_end_the_search() {
    let desk = Desk::new();
    let right = saved(&desk);
    desk.write("old", "an older checkpoint");
    for option in ["--checkpoint old --checkpoint-every 0", "--trace trace.csv"] {
        let ended = run_on_full_disk(&desk, &format!("{SEARCH} -q {option} -o -")).with(4);
        let said = ended.err;
        assert!(said.contains(option.split(' ').next().unwrap()), "{said}");
        assert_eq!(ended.out, right, "{option}");
    }
    assert_eq!(desk.read("old"), "an older checkpoint");
    assert!(!desk.at("old.previous").exists());
    // What is left of the trace has whole rows.
    let text = desk.read("trace.csv");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
}

#[test]
fn inputs_are_not_overwritten() {
    let desk = Desk::new();
    let at = |name: &str| desk.at(name);
    desk.out("topology heawood -o net.toml");
    symlink("net.toml", at("link")).unwrap();
    desk.write("p.csv", "source,destination\n0,3\n");
    desk.write("s.csv", "iteration\n");
    for copy in ["kept.previous", "kept-aas.previous", "proof/aas-8.map", "pictures/step-1.svg"] {
        fs::create_dir_all(at(copy).parent().unwrap()).unwrap();
        fs::copy(at("net.toml"), at(copy)).unwrap();
    }
    let network = desk.read("net.toml");
    let cases = [
        ("solve -t net.toml -o net.toml", "--topology"),
        ("solve -t net.toml -o link", "--topology"),
        ("solve -t ./link --checkpoint net.toml", "--topology"),
        ("solve -t heawood --pairs p.csv -o p.csv", "--pairs"),
        ("solve -t heawood --permutation p.csv --trace p.csv", "--permutation"),
        ("solve -t net.toml --resume p.csv --rank-file p.csv", "--resume"),
        ("solve -t kept.previous --checkpoint kept", "--topology"),
        ("solve -t heawood --resume kept.previous --checkpoint kept", "--resume"),
        ("solve -t kept-aas.previous -c all --checkpoint kept", "--topology"),
        ("solve -t proof/aas-8.map --proof proof", "--topology"),
        ("show pictures/step-1.svg --svg pictures", "the command"),
        ("topology net.toml -o link", "--topology"),
        ("routes -t net.toml -o net.toml", "--topology"),
        ("compare -t net.toml --run umda --evaluations 9 --csv net.toml", "--topology"),
        ("compare --instance net.toml/aas --run umda --evaluations 9 --csv link", "--instance"),
        ("compare --from s.csv --csv s.csv", "--from"),
        ("show s.csv --svg s.csv", "the command"),
    ];
    for (args, option) in cases {
        desk.refuse(args, &[&format!("that {option} reads")]);
    }
    assert_eq!(desk.read("net.toml"), network);
    assert_eq!(desk.read("s.csv"), "iteration\n");
}

#[test]
fn one_output_is_not_written_over_another() {
    let desk = Desk::new();
    desk.write("s.json", saved(&desk));
    for args in [
        "topology heawood -o x --svg ./x",
        "routes -t heawood -o x --lft x",
        "show s.json --svg x --html x",
        "compare -t heawood --run umda --evaluations 9 --svg x --csv x-heawood-aas-time.svg",
        "solve -t heawood -o x --trace x",
        "solve -t heawood -o x.previous --checkpoint x",
    ] {
        desk.refuse(args, &["is already the file of"]);
    }
}

/// Every command that prints says by its status that the standard output was full.
#[test]
fn a_full_standard_output_is_an_error_of_writing() {
    let desk = Desk::new();
    desk.write("s.json", saved(&desk));
    for args in [
        "solve -t kautz:2,2 -q",
        "verify s.json",
        "show s.json",
        "show s.json --html -",
        "export s.json --to csv",
        "bound -t heawood",
        "topology heawood",
        "topology heawood -o -",
        "routes -t mesh:2x2 --time-limit 1",
        "reproduce --list",
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = desk.command(args).stdout(full).output().unwrap();
        let said = Ended::from(output).with(4).err;
        assert!(said.contains("standard output"), "{args}: {said}");
    }
    // The name of a file that does not take it.
    for args in [
        "export s.json --to csv -o f",
        "topology torus:9x9 -o f",
        "export s.json --to csv -o /dev/full",
    ] {
        run_on_full_disk(&desk, args).with(4);
    }
    // A folder that does not exist is a wrong name.
    desk.refuse("export s.json --to csv -o missing/f", &[]);
}

#[test]
fn the_proof_of_another_problem_stays() {
    let desk = Desk::new();
    desk.out("solve -t ring:5 -q --proof p -o s.json");
    let kept = desk.read("p/aas-2.cnf");
    // The same problem again; others of the same collective, before any search.
    desk.out("solve -t ring:5 -q --proof p");
    for other in ["ring:5 --ports 1", "ring:5 --fail-link 0-1", "ring:5 --switching sf", "petersen"]
    {
        let why = "aas-2.cnf is the proof of another problem, aas of";
        desk.refuse(&format!("solve -t {other} -q --proof p"), &[why]);
    }
    assert_eq!(desk.read("p/aas-2.cnf"), kept);
    // The proof of another collective is kept beside it.
    desk.out("solve -t ring:5 -q --proof p -c oas");
    desk.out("verify s.json --proof p");
}

#[test]
fn a_better_schedule_of_the_same_problem_stays() {
    let desk = Desk::new();
    // Round robin takes more steps than a colouring.
    let by = |engine: &str, more: &str| {
        let args =
            format!("solve -t heawood --routing balanced --engine {engine} -o s.json {more}");
        (desk.out(&args), desk.read("s.json"))
    };
    let (_, worse) = by("round-robin", "-q");
    let (_, better) = by("dsatur", "-q");
    assert!(steps(&better) < steps(&worse));
    let (said, kept) = by("round-robin", "-q");
    assert_eq!(kept, better, "a better schedule was overwritten");
    assert!(said.contains("holds a better schedule") && said.contains("--force"), "{said}");
    let (json, kept) = by("round-robin", "--json");
    assert_eq!(kept, better);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["schedule"].is_null() && json["kept"]["schedule"] == "s.json", "{json}");
    assert_eq!(by("round-robin", "-q --force").1, worse);
    // A schedule of another problem, and one that is not valid, do not stay.
    desk.write("s.json", &better);
    desk.out("solve -t heawood --routing balanced --ports 1 --engine dsatur -q -o s.json");
    assert_ne!(desk.read("s.json"), better);
    let mut forged: serde_json::Value = serde_json::from_str(&better).unwrap();
    forged["steps"] = serde_json::json!([[]]);
    desk.write("s.json", forged.to_string());
    assert_eq!(by("round-robin", "-q").1, worse);
}
