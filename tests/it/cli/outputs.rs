//! Outputs that are no plain files, that cannot be written, or that would destroy something: no
//! result is lost, and nothing is overwritten in silence.
#![cfg(unix)]

use ccsched::schedule::ScheduleFile;
use ccsched::verify::verify;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A search that finds several schedules, each better than the one before.
const SEARCH: &str =
    "solve -t heawood -c aas --engine hgsa --set hgsa:eject=false --iterations 4000 --islands 1";

fn command(folder: &Path, args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
    command.args(args.split_whitespace()).current_dir(folder);
    command
}

fn run(folder: &Path, args: &str) -> Output {
    command(folder, args).output().unwrap()
}

/// A run in which a file takes at most 1024 bytes: the system sends SIGXFSZ, and refuses the write
/// as on a disk that is full.
fn run_on_full_disk(folder: &Path, args: &str) -> Output {
    let script = format!("ulimit -f 2; exec '{}' {args}", env!("CARGO_BIN_EXE_ccsched"));
    Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The steps of the one valid schedule that these bytes are.
fn steps(folder: &Path, bytes: &[u8]) -> usize {
    let path = folder.join("read-back");
    fs::write(&path, bytes).unwrap();
    let file = ScheduleFile::read(&path).unwrap();
    assert_eq!(verify(&file), []);
    fs::remove_file(&path).unwrap();
    file.steps.len()
}

/// The schedule that the search saves in a file.
fn saved(folder: &Path) -> Vec<u8> {
    assert!(run(folder, &format!("{SEARCH} -q -o plain.json")).status.success());
    fs::read(folder.join("plain.json")).unwrap()
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
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let right = saved(folder.path());
    fs::create_dir(at("below")).unwrap();
    symlink("below/new.json", at("dangling")).unwrap();
    symlink("dangling", at("chain")).unwrap();
    for _ in 0..2 {
        // First the file behind the links does not exist, then it does.
        assert!(run(folder.path(), &format!("{SEARCH} -q -o chain")).status.success());
        assert!(at("chain").is_symlink() && at("dangling").is_symlink());
        assert_eq!(fs::read(at("below/new.json")).unwrap(), right);
    }
    symlink("loop", at("loop")).unwrap();
    let refused = run(folder.path(), &format!("{SEARCH} -o loop"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("symbolic links"), "{}", errors(&refused));
}

#[test]
fn a_name_of_a_stream_gets_the_last_schedule_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let right = saved(folder.path());
    // A link of one's own: the system's would be replaced if this test failed as root.
    symlink("/proc/self/fd/1", at("out")).unwrap();
    if !at("out").exists() {
        println!("skipped: this system has no /proc");
        return;
    }
    let mut solve = command(folder.path(), &format!("{SEARCH} -o out"));
    let status = solve.stdout(File::create(at("redirected")).unwrap()).output().unwrap();
    assert!(status.status.success(), "{}", errors(&status));
    assert_eq!(fs::read(at("redirected")).unwrap(), right);
    assert!(at("out").is_symlink(), "the link has been replaced");
    assert!(errors(&status).contains("aas of heawood"), "the summary is on the standard error");
    // The same through a pipe, and through a descriptor of the shell's.
    assert_eq!(run(folder.path(), &format!("{SEARCH} -o /dev/stdout")).stdout, right);
    let script =
        format!("exec '{}' {SEARCH} -q -o /dev/fd/3 3> third", env!("CARGO_BIN_EXE_ccsched"));
    let shell = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).status();
    assert!(shell.unwrap().success());
    assert_eq!(fs::read(at("third")).unwrap(), right);
}

#[test]
fn a_pipe_gets_the_last_schedule_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let right = saved(folder.path());
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let mut solve = command(folder.path(), &format!("{SEARCH} -q -o pipe"));
    let mut child = solve.stdout(Stdio::null()).spawn().unwrap();
    let mut bytes = Vec::new();
    File::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(wait(&mut child, Duration::from_secs(120)), Some(0));
    assert_eq!(bytes, right);
    // What needs a file refuses a pipe.
    let refused = run(folder.path(), &format!("{SEARCH} --checkpoint pipe"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("name a file"), "{}", errors(&refused));
}

#[test]
fn a_pipe_that_nothing_reads_does_not_hold_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    assert!(made.unwrap().success());
    let mut solve = command(folder.path(), &format!("{SEARCH} -q -o pipe"));
    let out = File::create(folder.path().join("printed")).unwrap();
    let mut child = solve.stdout(out).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert_eq!(wait(&mut child, Duration::from_secs(120)), Some(4));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("--output") && said.contains("nothing reads it"), "{said}");
    // The schedule is not lost.
    steps(folder.path(), &fs::read(folder.path().join("printed")).unwrap());
}

#[test]
fn a_schedule_that_cannot_be_saved_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let right = saved(folder.path());
    for output in ["new.json", "/dev/full"] {
        let run = run_on_full_disk(folder.path(), &format!("{SEARCH} -q -o {output}"));
        let said = errors(&run);
        assert_eq!(run.status.code(), Some(4), "{said}");
        assert!(said.contains("--output") && said.contains("follows on the standard output"));
        assert!(said.contains("aas of heawood"), "no summary: {said}");
        assert_eq!(run.stdout, right);
    }
    assert!(!folder.path().join("new.json").exists());
    let run = run_on_full_disk(folder.path(), &format!("{SEARCH} --json -o new.json"));
    assert_eq!(run.status.code(), Some(4));
    let end = run.stdout.iter().position(|&b| b == b'\n').unwrap() + 1;
    let line: serde_json::Value = serde_json::from_slice(&run.stdout[..end]).unwrap();
    assert!(line["schedule"].is_null());
    assert_eq!(run.stdout[end..], right);
}

#[test]
fn a_checkpoint_or_trace_that_cannot_be_written_does_not_end_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let right = saved(folder.path());
    fs::write(at("old"), "an older checkpoint").unwrap();
    for option in ["--checkpoint old --checkpoint-every 0", "--trace trace.csv"] {
        let run = run_on_full_disk(folder.path(), &format!("{SEARCH} -q {option} -o -"));
        let said = errors(&run);
        assert_eq!(run.status.code(), Some(4), "{option}: {said}");
        assert!(said.contains(option.split(' ').next().unwrap()), "{said}");
        assert_eq!(run.stdout, right, "{option}");
    }
    assert_eq!(fs::read(at("old")).unwrap(), b"an older checkpoint");
    assert!(!at("old.previous").exists());
    // What is left of the trace has whole rows.
    let text = fs::read_to_string(at("trace.csv")).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
}

#[test]
fn inputs_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let saved = run(folder.path(), "topology heawood -o net.toml");
    assert!(saved.status.success());
    symlink("net.toml", at("link")).unwrap();
    fs::write(at("p.csv"), "source,destination\n0,3\n").unwrap();
    fs::write(at("s.csv"), "iteration\n").unwrap();
    for copy in ["kept.previous", "kept-aas.previous", "proof/aas-8.map", "pictures/step-1.svg"] {
        fs::create_dir_all(at(copy).parent().unwrap()).unwrap();
        fs::copy(at("net.toml"), at(copy)).unwrap();
    }
    let network = fs::read(at("net.toml")).unwrap();
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
        ("trace s.csv -o s.csv", "the command"),
    ];
    for (args, option) in cases {
        let refused = run(folder.path(), args);
        let said = errors(&refused);
        assert_eq!(refused.status.code(), Some(2), "{args}: {said}");
        assert!(said.contains(&format!("that {option} reads")), "{args}: {said}");
    }
    assert_eq!(fs::read(at("net.toml")).unwrap(), network);
    assert_eq!(fs::read(at("s.csv")).unwrap(), b"iteration\n");
}

#[test]
fn one_output_is_not_written_over_another() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.json"), saved(folder.path())).unwrap();
    for args in [
        "topology heawood -o x --svg ./x",
        "routes -t heawood -o x --lft x",
        "show s.json --svg x --html x",
        "compare -t heawood --run umda --evaluations 9 --svg x --csv x-heawood-aas-time.svg",
        "solve -t heawood -o x --trace x",
        "solve -t heawood -o x.previous --checkpoint x",
    ] {
        let refused = run(folder.path(), args);
        let said = errors(&refused);
        assert_eq!(refused.status.code(), Some(2), "{args}: {said}");
        assert!(said.contains("is already the file of"), "{args}: {said}");
    }
}

/// Every command that prints says by its status that the standard output was full.
#[test]
fn a_full_standard_output_is_an_error_of_writing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.json"), saved(folder.path())).unwrap();
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
        let output = command(folder.path(), args).stdout(full).output().unwrap();
        let said = errors(&output);
        assert_eq!(output.status.code(), Some(4), "{args}: {said}");
        assert!(said.contains("standard output"), "{args}: {said}");
    }
    // The name of a file that does not take it.
    for args in [
        "export s.json --to csv -o f",
        "topology torus:9x9 -o f",
        "export s.json --to csv -o /dev/full",
    ] {
        let run = run_on_full_disk(folder.path(), args);
        assert_eq!(run.status.code(), Some(4), "{args}: {}", errors(&run));
    }
    // A folder that does not exist is a wrong name.
    let run = run(folder.path(), "export s.json --to csv -o missing/f");
    assert_eq!(run.status.code(), Some(2), "{}", errors(&run));
}

#[test]
fn the_proof_of_another_problem_stays() {
    let folder = tempfile::tempdir().unwrap();
    let prove = |more: &str| run(folder.path(), &format!("solve -t ring:5 -q --proof p {more}"));
    let first = prove("-o s.json");
    assert_eq!(first.status.code(), Some(0), "{}", errors(&first));
    let path = folder.path().join("p/aas-2.cnf");
    let kept = fs::read(&path).unwrap();
    // The same problem again; others of the same collective, before any search.
    assert_eq!(prove("").status.code(), Some(0));
    for other in ["--ports 1", "--fail-link 0-1", "--switching sf", "-t petersen"] {
        let refused = run(
            folder.path(),
            &match other.starts_with("-t") {
                true => format!("solve {other} -q --proof p"),
                false => format!("solve -t ring:5 -q --proof p {other}"),
            },
        );
        let said = errors(&refused);
        assert_eq!(refused.status.code(), Some(2), "{other}: {said}");
        assert!(said.contains("aas-2.cnf is the proof of another problem, aas of"), "{said}");
        assert!(refused.stdout.is_empty());
    }
    assert_eq!(fs::read(&path).unwrap(), kept);
    // The proof of another collective is kept beside it.
    assert_eq!(prove("-c oas").status.code(), Some(0));
    let checked = run(folder.path(), "verify s.json --proof p");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn a_better_schedule_of_the_same_problem_stays() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // Round robin takes more steps than a colouring.
    let by = |engine: &str, more: &str| {
        let args =
            format!("solve -t heawood --routing balanced --engine {engine} -o s.json {more}");
        let output = run(folder.path(), &args);
        assert!(output.status.success(), "{}", errors(&output));
        (String::from_utf8(output.stdout).unwrap(), fs::read(at("s.json")).unwrap())
    };
    let (_, worse) = by("round-robin", "-q");
    let (_, better) = by("dsatur", "-q");
    assert!(steps(folder.path(), &better) < steps(folder.path(), &worse));
    let (said, kept) = by("round-robin", "-q");
    assert_eq!(kept, better, "a better schedule was overwritten");
    assert!(said.contains("holds a better schedule") && said.contains("--force"), "{said}");
    let (json, kept) = by("round-robin", "--json");
    assert_eq!(kept, better);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["schedule"].is_null() && json["kept"]["schedule"] == "s.json", "{json}");
    assert_eq!(by("round-robin", "-q --force").1, worse);
    // A schedule of another problem, and one that is not valid, do not stay.
    fs::write(at("s.json"), &better).unwrap();
    let other = run(
        folder.path(),
        "solve -t heawood --routing balanced --ports 1 --engine dsatur -q -o s.json",
    );
    assert!(other.status.success());
    assert_ne!(fs::read(at("s.json")).unwrap(), better);
    let mut forged: serde_json::Value = serde_json::from_slice(&better).unwrap();
    forged["steps"] = serde_json::json!([[]]);
    fs::write(at("s.json"), forged.to_string()).unwrap();
    assert_eq!(by("round-robin", "-q").1, worse);
}
