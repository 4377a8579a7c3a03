//! Limits and interrupts before the search, and numbers that no search can have.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Time for a program to end, even on a busy machine.
const SOON: Duration = Duration::from_secs(60);

fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
    command.args(args.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The output of a program, which must end within seconds.
fn end(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > SOON {
            child.kill().unwrap();
            panic!("still running after {SOON:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

fn refused(args: &str, words: &[&str]) {
    let output = end(command(args).spawn().unwrap());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args}: {errors}");
    assert!(words.iter().all(|word| errors.contains(word)), "{args}: {errors}");
}

#[test]
fn numbers_beyond_any_schedule_are_refused() {
    refused("solve -t kautz:3,2 --steps 400000000", &["--steps: 400000000 are too many", "132"]);
    refused(
        "solve -t ring:20000 -c aas --memory 64G",
        &["400000000 deliveries", "at most 100000000"],
    );
    refused("solve -t hypercube:8 -c aas --memory 5M", &["--memory: ", "65280 deliveries", "5 MB"]);
    refused("solve --memory lots", &["--memory", "500M, 4G"]);
    // What is possible is still searched.
    let possible = command("solve -q -t ring:4 -c aas --steps 12 --memory 1G").output().unwrap();
    assert!(possible.status.success());
}

#[test]
fn the_end_has_its_reason() {
    let large = "-t random-regular:150,4,1 -c aas --memory 3M";
    let with_memory = if cfg!(target_os = "linux") { vec![(large, 1, "memory")] } else { vec![] };
    let goal = "-t kautz:3,2 -c aas --engine hgsa --steps 8";
    let others = [("-t petersen -c aas", 0, "bound"), (goal, 0, "goal")];
    for (args, status, reason) in with_memory.into_iter().chain(others) {
        let output = end(command(&format!("solve --json -q {args}")).spawn().unwrap());
        let line = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{args}: {line}");
        assert!(line.contains(&format!(r#""reason":"{reason}""#)), "{args}: {line}");
    }
}

/// A network on the standard input that never ends: the search cannot begin.
fn without_a_network(args: &str) -> Child {
    command(args).stdin(Stdio::piped()).spawn().unwrap()
}

#[test]
fn an_interrupt_before_the_search_is_heeded() {
    if !Path::new("/dev/stdin").exists() {
        return;
    }
    let child = without_a_network("solve -t - -c aas");
    // The handlers of signals are set before anything is read.
    std::thread::sleep(Duration::from_secs(2));
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    let output = end(child);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("interrupted before the search has begun"), "{errors}");
}

#[test]
fn a_time_limit_before_the_search_is_kept() {
    if !Path::new("/dev/stdin").exists() {
        return;
    }
    let output = end(without_a_network("solve -t - -c aas --time-limit 0.5"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("the time limit is reached before the search"), "{errors}");
}

/// All clauses of this refutation would take seconds, and the memory that is not allowed.
#[test]
fn a_refutation_keeps_the_limits_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("proof");
    let solve = |args: &str| {
        let mut command = command("solve -q -t torus:5x5 -c aab --ports 1 --proof");
        command.arg(&proof).args(args.split_whitespace());
        let output = end(command.spawn().unwrap());
        assert_eq!(output.status.code(), Some(0), "{args}");
        assert!(!proof.exists(), "{args}");
        String::from_utf8(output.stdout).unwrap()
    };
    let late = solve("--time-limit 1");
    let why = "no refutation is written: that of 23 steps was given up: the time limit is reached";
    assert!(late.contains(why), "{late}");
    if cfg!(target_os = "linux") {
        let large = solve("--json --memory 90M");
        assert!(large.contains(r#""no_proof":"the clauses of 23 steps take about "#), "{large}");
    }
}
