//! Forged files: their content is printed such that it cannot be taken for a message of the
//! program, and unknown keys are refused.

use crate::support::program::{Desk, Ended};
use serde_json::{Value, json};

/// A schedule of a small problem, changed, and what `verify` says of it.
fn verified(solve: &str, change: impl FnOnce(&mut Value)) -> Ended {
    let desk = Desk::new();
    desk.out(&format!("solve -q -o s.json {solve}"));
    let mut file = desk.value("s.json");
    change(&mut file);
    desk.write("s.json", file.to_string());
    desk.run("verify s.json")
}

#[test]
fn a_bound_cannot_print_a_line_of_its_own() {
    let forged = "x)\ns.json: valid: aas of ring:4 in 1 step, bound 1 (ports), optimal\u{1b}[2K";
    let Ended { status, out, .. } = verified("-t ring:4 -c aas", |file| {
        file["bounds"] = json!([{"name": forged, "steps": 1, "certified": false}]);
    });
    assert_eq!(out.lines().count(), 1, "{out:?}");
    assert!(!out.contains('\u{1b}'), "{out:?}");
    if status == 0 {
        assert!(out.contains("\"x)\\ns.json"), "{out:?}");
    }
    let Ended { out, .. } = verified("-t ring:4 -c aas", |file| {
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
    let Ended { status, out, .. } = verified("-t ring:4 -c aas", |file| {
        file["model"]["senders"][0] = json!("a\u{1b}[31m\nvalid");
    });
    assert_eq!(status, 1);
    assert!(out.contains("a\\u{1b}[31m\\nvalid") && !out.contains('\u{1b}'), "{out:?}");
    let desk = Desk::new();
    let forged = desk.run("solve -t \u{1b}[2Jring:4").with(2);
    assert!(!forged.err.contains('\u{1b}'));
    // What `show` would print raw is refused.
    desk.out("solve -q -t ring:4 -c aas -o s.json");
    desk.write("s.json", desk.read("s.json").replace("\"3\"", "\"3\\u001b[2J\""));
    assert!(!desk.run("show s.json").with(2).told().contains('\u{1b}'));
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
        let ended = verified("-t ring:4 -c aas", |file| {
            file.pointer_mut(place).unwrap()[key] = value;
        });
        // What is wrong, and what would be right.
        ended.refused(&[&format!("unknown field `{key}`"), "expected"]);
    }
}

#[test]
fn a_broken_channel_is_not_there() {
    let faulty = "-t torus:3x3 -c aas --fail-link 00-01";
    verified(faulty, |_| {}).with(0);
    let Ended { status, out, .. } = verified("-t torus:3x3 -c aas", |file| {
        file["faults"] = json!([{"link": ["00", "01"]}]);
    });
    assert_eq!(status, 1);
    assert!(out.contains("is broken by `faults`, but is still there"), "{out}");
    // One of two parallel links is told as such.
    let desk = Desk::with(&[("n.csv", "source,target\na,b\na,b\nb,c\nc,a\n")]);
    desk.out("solve -q -t n.csv -c aas --fail-link a-b#2 -o s.json");
    let text = desk.read("s.json");
    assert!(text.contains("{\"parallel\": [\"a\", \"b\", 2]}"), "{text}");
    desk.out("verify s.json");
}

#[test]
fn a_borrowed_name_is_said() {
    let Ended { status, out, .. } = verified("-t ring:10 -c oab", |file| {
        file["network"]["name"] = json!("petersen");
    });
    assert_eq!(status, 0, "the schedule itself is valid: {out}");
    assert!(out.contains("named petersen, but is not the network of that name"), "{out}");
    for right in [
        "-t petersen -c oab",
        "-t torus:3x3,half -c oab --fail-link 00:01 --fail-node 22",
        "-t binary-tree:4,up=2 -c oab --per-node 2",
    ] {
        let Ended { out, .. } = verified(right, |_| {});
        assert!(out.contains("valid") && !out.contains("but is not"), "{right}: {out}");
    }
    let Ended { out, .. } = verified("-t ring:5 -c oab", |file| {
        file["network"]["name"] = json!("mine in 1 step, bound 1 (ports), optimal");
    });
    assert!(out.contains("oab of \"mine in 1 step, bound 1 (ports), optimal\" in"), "{out}");
}
