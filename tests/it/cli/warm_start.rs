//! `--from`: a search begins with the schedule of a file.

use ccsched::schedule::ScheduleFile;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
    command.args(args.split_whitespace()).current_dir(folder).output().unwrap()
}

fn steps(folder: &Path, file: &str) -> usize {
    ScheduleFile::read(folder.join(file)).unwrap().steps.len()
}

#[test]
fn a_search_goes_on_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let made = run(at, "solve -t ring:6 --engine hgsa --steps 12 -q -o slow.json");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made_steps = steps(at, "slow.json");
    let problem = "solve -t ring:6 --iterations 1 --islands 1 -q";
    let ended = run(at, &format!("{problem} --engine hgsa --from slow.json -o better.json"));
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(steps(at, "better.json") <= made_steps);
    // The file itself may take the better schedule, but no trace.
    assert!(run(at, &format!("{problem} --from slow.json -o slow.json")).status.success());
    let traced = run(at, &format!("{problem} --from slow.json --trace slow.json"));
    assert_eq!(traced.status.code(), Some(2));
}

#[test]
fn a_file_that_does_not_fit_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(run(at, "solve -t ring:4 -q -o ring.json").status.success());
    for (args, words) in [
        ("-t ring:4 -c aab", "model.collective: it is a schedule of aas, the problem is aab"),
        ("-t mesh:2x2", "is no vertex of mesh:2x2"),
        ("-t ring:4 --engine umda --resume x", "--resume"),
    ] {
        let output = run(at, &format!("solve {args} --from ring.json"));
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {err}");
        assert!(err.contains(words), "{args}: {err}");
    }
    for args in [
        "-t ring:5",
        "-t ring:4 --fail-link 0-1",
        "-t ring:4 --switching hosts --fail-link 0-1",
        "-t ring:4 --ports 1",
        "-t complete:4",
    ] {
        let output = run(at, &format!("solve {args} --from ring.json -q -o next.json --force"));
        assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = std::fs::read_to_string(at.join("ring.json")).unwrap();
    let mut moved: Value = serde_json::from_str(&text).unwrap();
    moved["steps"][0][0]["from"] = moved["steps"][0][0]["to"].clone();
    std::fs::write(at.join("moved.json"), moved.to_string()).unwrap();
    let output = run(at, "solve -t ring:4 --from moved.json");
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("steps[0][0]: it is from '"), "{err}");
    let output = run(at, "solve -t ring:4 --from none.json");
    assert_eq!(output.status.code(), Some(2));
}
