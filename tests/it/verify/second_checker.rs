//! `scripts/check_bounds.py`, a second checker in another language, agrees with `verify` on schedules
//! of all kinds, on forged ones and on random certificates. `make test-bounds` tries all of them.

use std::path::Path;
use std::process::{Command, Output};

/// Runs a script of the repository; none where Python is missing.
fn python(script: &str, arguments: &[&str]) -> Option<Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script);
    match Command::new("python3").arg(script).args(arguments).output() {
        Ok(output) => Some(output),
        Err(e) => {
            eprintln!("skipped: python3 cannot be started: {e}");
            None
        }
    }
}

#[test]
fn both_checkers_agree_on_valid_and_forged_schedules() {
    let program = env!("CARGO_BIN_EXE_ccsched");
    let arguments = ["--program", program, "--every", "9", "--number", "2"];
    let Some(run) = python("test-bounds.py", &arguments) else { return };
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{out}{err}");
    assert!(out.contains(" 0 failures"), "{out}");
}

#[test]
fn a_changed_weight_is_refused_with_file_and_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schedule.json");
    let file = path.to_str().unwrap();
    let solve = ["solve", "-t", "kautz:2,2", "-c", "aas", "-q", "--islands", "1", "-o", file];
    let run = Command::new(env!("CARGO_BIN_EXE_ccsched")).args(solve).output().unwrap();
    assert!(run.status.success());
    let Some(run) = python("check_bounds.py", &[file]) else { return };
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stdout));

    let text = std::fs::read_to_string(&path).unwrap();
    let mut schedule: serde_json::Value = serde_json::from_str(&text).unwrap();
    let bounds = schedule["bounds"].as_array_mut().unwrap();
    let congestion = bounds.iter_mut().find(|b| b["name"] == "congestion").unwrap();
    congestion["certificate"]["channel_weights"][0] = 1000.into();
    std::fs::write(&path, schedule.to_string()).unwrap();
    let run = python("check_bounds.py", &[file]).unwrap();
    let out = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(1), "{out}");
    assert!(
        out.contains("refused: \"bound 'congestion' claims 5 steps, its argument gives"),
        "{out}"
    );
}
