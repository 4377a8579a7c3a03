//! Small valid schedules, made by hand, as JSON values of their files.

use serde_json::{Value, json};

/// `a>c a c 0,2` is the message of a for c, carried from a to c over channels 0 and 2; the message
/// of a broadcast is just `a`.
fn transfer(text: &str) -> Value {
    let words: Vec<&str> = text.split(' ').collect();
    let message = match words[0].split_once('>') {
        Some((source, destination)) => json!({"source": source, "destination": destination}),
        None => json!({"source": words[0]}),
    };
    let channels: Vec<usize> = words[3].split(',').map(|c| c.parse().unwrap()).collect();
    json!({"message": message, "from": words[1], "to": words[2], "channels": channels})
}

/// Vertices are letters, switches are capitals; a link `ab` is two channels, which exclude each
/// other in half duplex. Every terminal sends and receives unless the collective has a root.
fn schedule(
    vertices: &str,
    links: &[&str],
    half: bool,
    collective: &str,
    steps: &[&[&str]],
) -> Value {
    let mut channels = Vec::new();
    for link in links {
        let id = channels.len();
        let (a, b) = link.split_at(1);
        for (from, to, other) in [(a, b, id + 1), (b, a, id)] {
            let mut channel = json!({"from": from, "to": to});
            if half {
                channel["excludes"] = json!(other);
            }
            channels.push(channel);
        }
    }
    let all: Vec<String> =
        vertices.chars().filter(char::is_ascii_lowercase).map(String::from).collect();
    let first = vec!["a".to_string()];
    let (source, senders, receivers) = match collective {
        "oab" | "oas" => (Some("a"), first, all),
        "aog" => (Some("a"), all, first),
        _ => (None, all.clone(), all),
    };
    let vertices: Vec<Value> = vertices
        .chars()
        .map(|v| json!({"name": v.to_string(), "terminal": v.is_ascii_lowercase()}))
        .collect();
    let steps: Vec<Vec<Value>> =
        steps.iter().map(|step| step.iter().map(|t| transfer(t)).collect()).collect();
    json!({
        "format": "ccsched-schedule/1",
        "network": {"name": links.join(" "), "vertices": vertices, "channels": channels},
        "model": {"collective": collective, "source": source, "senders": senders,
                  "receivers": receivers, "switching": "wormhole", "ports": "all",
                  "routing": "minimal", "pairs": null},
        "steps": steps,
        "faults": [],
        "bounds": [],
        "provenance": {"program": "hand", "version": "1", "engine": "hand", "seed": 1, "ranks": 1},
    })
}

fn with(mut file: Value, key: &str, value: Value) -> Value {
    file["model"][key] = value;
    file
}

fn bounded(mut file: Value, name: &str, steps: u32, certificate: Value) -> Value {
    let bound =
        json!({"name": name, "steps": steps, "certified": true, "certificate": certificate});
    file["bounds"].as_array_mut().unwrap().push(bound);
    file
}

/// The schedule of this name.
pub fn get(name: &str) -> Value {
    let saf = |file| with(file, "switching", json!("store-and-forward"));
    let vertex = |v: &str| json!({ "vertex": v });
    match name {
        // Channels of a path: 0 a-b, 1 b-a, 2 b-c, 3 c-b.
        "path-oas" => {
            let file =
                schedule("abc", &["ab", "bc"], false, "oas", &[&["a>c a c 0,2"], &["a>b a b 0"]]);
            let file = bounded(file, "ports", 2, vertex("a"));
            bounded(file, "cut", 2, json!({"side": ["a"]}))
        }
        "path-aog" => {
            let steps: &[&[&str]] = &[&["c>a c a 3,1"], &["b>a b a 1"]];
            let file = schedule("abc", &["ab", "bc"], false, "aog", steps);
            bounded(file, "ports", 2, vertex("a"))
        }
        "triangle-aab" => {
            let step = ["a a b 0", "a a c 5", "b b a 1", "b b c 2", "c c b 3", "c c a 4"];
            let file = schedule("abc", &["ab", "bc", "ca"], false, "aab", &[&step]);
            let file = bounded(file, "ports", 1, vertex("b"));
            bounded(file, "distance", 1, json!({}))
        }
        // Channels of the ring: 0 a-b, 1 b-a, 2 b-c, 3 c-b, 4 c-d, 5 d-c, 6 d-a, 7 a-d.
        "ring-oab" => {
            let steps: &[&[&str]] = &[&["a a b 0", "a a d 7"], &["a b c 2"]];
            let file = schedule("abcd", &["ab", "bc", "cd", "da"], false, "oab", steps);
            bounded(file, "growth", 2, vertex("a"))
        }
        "ring-slack" => {
            let steps: &[&[&str]] = &[&["a>b a b 7,5,3", "a>c a c 0,2"], &["a>d a d 7"]];
            let file = schedule("abcd", &["ab", "bc", "cd", "da"], false, "oas", steps);
            with(file, "routing", json!("slack:2"))
        }
        "half-aas" => {
            let file = schedule("ab", &["ab"], true, "aas", &[&["a>b a b 0"], &["b>a b a 1"]]);
            let file = bounded(file, "ports", 2, vertex("b"));
            let file = bounded(file, "distance", 2, json!({}));
            bounded(file, "cut", 2, json!({"side": ["b"]}))
        }
        // Channels of the star: 0 a-b, 1 b-a, 2 a-c, 3 c-a.
        "star-one-port" => {
            let steps: &[&[&str]] = &[&["a>b a b 0"], &["a>c a c 2"]];
            let file = with(schedule("abc", &["ab", "ac"], false, "oas", steps), "ports", json!(1));
            bounded(file, "ports", 2, vertex("a"))
        }
        "saf-oas" => {
            let steps: &[&[&str]] = &[&["a>c a b 0"], &["a>c b c 2", "a>b a b 0"]];
            let file = saf(schedule("abc", &["ab", "bc"], false, "oas", steps));
            bounded(file, "eccentricity", 2, vertex("a"))
        }
        "saf-oab" => {
            let file = schedule("abc", &["ab", "bc"], false, "oab", &[&["a a b 0"], &["a b c 2"]]);
            let file = bounded(saf(file), "eccentricity", 2, vertex("a"));
            bounded(file, "growth", 2, vertex("a"))
        }
        // Three terminals around the switch S, one port each: 0 a-S, 1 S-a, 2 b-S, ...
        "saf-switch" => {
            let steps: &[&[&str]] = &[
                &["a>b a S 0", "b>c b S 2", "c>a c S 4"],
                &["a>b S b 3", "b>c S c 5", "c>a S a 1", "a>c a S 0", "b>a b S 2", "c>b c S 4"],
                &["a>c S c 5", "b>a S a 1", "c>b S b 3"],
            ];
            let file = schedule("abcS", &["aS", "bS", "cS"], false, "aas", steps);
            with(saf(file), "ports", json!(1))
        }
        _ => panic!("no such schedule: {name}"),
    }
}

/// All of them.
pub const NAMES: [&str; 10] = [
    "path-oas",
    "path-aog",
    "triangle-aab",
    "ring-oab",
    "ring-slack",
    "half-aas",
    "star-one-port",
    "saf-oas",
    "saf-oab",
    "saf-switch",
];
