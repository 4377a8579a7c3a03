//! Forged files: their content is printed such that it cannot be taken for a message of the
//! program, and unknown keys are refused.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
    command.args(args.split_whitespace()).current_dir(folder).output().unwrap()
}

/// A schedule of a small problem, changed, and what `verify` says of it: status, output, errors.
fn verified(solve: &str, change: impl FnOnce(&mut Value)) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    let solved = run(folder.path(), &format!("solve -q -o s.json {solve}"));
    assert!(solved.status.success(), "{}", String::from_utf8_lossy(&solved.stderr));
    let mut file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut file);
    fs::write(&path, file.to_string()).unwrap();
    let output = run(folder.path(), "verify s.json");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_bound_cannot_print_a_line_of_its_own() {
    let forged = "x)\ns.json: valid: aas of ring:4 in 1 step, bound 1 (ports), optimal\u{1b}[2K";
    let (status, out, _) = verified("-t ring:4 -c aas", |file| {
        file["bounds"] = json!([{"name": forged, "steps": 1, "certified": false}]);
    });
    assert_eq!(out.lines().count(), 1, "{out:?}");
    assert!(!out.contains('\u{1b}'), "{out:?}");
    if status == 0 {
        assert!(out.contains("\"x)\\ns.json"), "{out:?}");
    }
    let (_, out, _) = verified("-t ring:4 -c aas", |file| {
        let steps = file["steps"].as_array().unwrap().len();
        let name = "ports), optimal \u{202e}";
        file["bounds"] = json!([{"name": name, "steps": steps, "certified": false}]);
    });
    assert!(
        out.contains("; the file claims a bound of 2 (\"ports), optimal \\u{202e}\"), unchecked"),
        "{out:?}"
    );
}

#[test]
fn names_in_violations_and_errors_are_escaped() {
    let (status, out, _) = verified("-t ring:4 -c aas", |file| {
        file["model"]["senders"][0] = json!("a\u{1b}[31m\nvalid");
    });
    assert_eq!(status, 1);
    assert!(out.contains("a\\u{1b}[31m\\nvalid") && !out.contains('\u{1b}'), "{out:?}");
    let folder = tempfile::tempdir().unwrap();
    let forged = run(folder.path(), "solve -t \u{1b}[2Jring:4");
    assert_eq!(forged.status.code(), Some(2));
    assert!(!forged.stderr.contains(&0x1b));
    // What `show` would print raw is refused.
    let solved = run(folder.path(), "solve -q -t ring:4 -c aas -o s.json");
    assert!(solved.status.success());
    let path = folder.path().join("s.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"3\"", "\"3\\u001b[2J\"")).unwrap();
    let shown = run(folder.path(), "show s.json");
    assert_eq!(shown.status.code(), Some(2));
    assert!(!shown.stdout.contains(&0x1b) && !shown.stderr.contains(&0x1b));
}

#[test]
fn unknown_keys_are_refused() {
    let places: [(&str, &str, Value); 7] = [
        ("/network/channels/0", "exclude", json!(1)),
        ("/network/vertices/0", "terminals", json!(true)),
        ("/network", "edges", json!([])),
        ("/model", "port", json!(1)),
        ("/steps/0/0", "channel", json!([])),
        ("/steps/0/0/message", "dest", json!("1")),
        ("", "bound", json!([])),
    ];
    for (place, key, value) in places {
        let (status, _, errors) = verified("-t ring:4 -c aas", |file| {
            file.pointer_mut(place).unwrap()[key] = value;
        });
        assert_eq!(status, 2, "{key}");
        assert!(errors.contains(&format!("unknown field `{key}`")), "{errors}");
        assert!(errors.contains("expected"), "what would be right: {errors}");
    }
}

#[test]
fn a_broken_channel_is_not_there() {
    let faulty = "-t torus:3x3 -c aas --fail-link 00-01";
    assert_eq!(verified(faulty, |_| {}).0, 0);
    let (status, out, _) = verified("-t torus:3x3 -c aas", |file| {
        file["faults"] = json!([{"link": ["00", "01"]}]);
    });
    assert_eq!(status, 1);
    assert!(out.contains("is broken by `faults`, but is still there"), "{out}");
    // One of two parallel links is told as such.
    let folder = tempfile::tempdir().unwrap();
    let network = "a,b\na,b\nb,c\nc,a\n";
    fs::write(folder.path().join("n.csv"), format!("source,target\n{network}")).unwrap();
    let solved = run(folder.path(), "solve -q -t n.csv -c aas --fail-link a-b#2 -o s.json");
    assert!(solved.status.success(), "{}", String::from_utf8_lossy(&solved.stderr));
    let text = fs::read_to_string(folder.path().join("s.json")).unwrap();
    assert!(text.contains("{\"parallel\": [\"a\", \"b\"]}"), "{text}");
    assert!(run(folder.path(), "verify s.json").status.success());
}

#[test]
fn a_borrowed_name_is_said() {
    let (status, out, _) = verified("-t ring:10 -c oab", |file| {
        file["network"]["name"] = json!("petersen");
    });
    assert_eq!(status, 0, "the schedule itself is valid: {out}");
    assert!(out.contains("named petersen, but is not the network of that name"), "{out}");
    for right in [
        "-t petersen -c oab",
        "-t torus:3x3,half -c oab --fail-link 00:01 --fail-node 22",
        "-t binary-tree:4,up=2 -c oab --per-node 2",
    ] {
        let (_, out, _) = verified(right, |_| {});
        assert!(out.contains("valid") && !out.contains("but is not"), "{right}: {out}");
    }
    let (_, out, _) = verified("-t ring:5 -c oab", |file| {
        file["network"]["name"] = json!("mine in 1 step, bound 1 (ports), optimal");
    });
    assert!(out.contains("oab of \"mine in 1 step, bound 1 (ports), optimal\" in"), "{out}");
}
