//! The rule "structure": files that contradict themselves.

use super::changed::{breaks, check, expect};
use crate::support::small::get;
use ccsched::verify::Rule;
use serde_json::{Value, json};

#[test]
fn structure_of_the_network() {
    let rule = Rule::Structure;
    breaks("path-oas", "/network/vertices/2/name", json!("a"), rule, &["two vertices", "'a'"]);
    breaks("path-oas", "/network/channels/3/to", json!("z"), rule, &["channel 3 (c->z)", "'z'"]);
    breaks("path-oas", "/network/name", json!("a\u{1b}[31m"), rule, &["control", "\\u{1b}"]);
    breaks("path-oas", "/network/channels/3/to", json!("c"), rule, &["channel 3 (c->c)", "itself"]);
    let at = "/network/channels/0/excludes";
    breaks("half-aas", at, json!(9), rule, &["channel 0 (a->b)", "channel 9"]);
    breaks("half-aas", at, json!(0), rule, &["channel 0 (a->b)", "not the opposite"]);
    breaks("half-aas", at, Value::Null, rule, &["channel 1 (b->a)", "in turn"]);
    breaks("path-oas", "/faults", json!([{"vertex": "b"}]), rule, &["faulty vertex 'b'"]);
    let mut file = get("path-oas");
    file["network"]["vertices"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "d", "terminal": true}));
    file["faults"] = json!([{"vertex": "d"}, {"link": ["a", "c"]}, {"vertex": "gone"}]);
    assert_eq!(check(file.clone()), []);
    // A terminal that takes no part may have no channel left.
    let mut closed = file.clone();
    closed["faults"] = json!([{"parallel": ["d", "c"]}]);
    assert_eq!(check(closed), []);
    let parallel = json!([{"parallel": ["a", "c"]}]);
    breaks("path-oas", "/faults", parallel, rule, &["parallel links from 'a' to 'c'"]);
    file["model"]["receivers"].as_array_mut().unwrap().push(json!("d"));
    expect(file, rule, &["faulty vertex 'd'", "receiver"]);
}

#[test]
fn structure_of_the_model() {
    let rule = Rule::Structure;
    let model = |key: &str| format!("/model/{key}");
    breaks("path-oas", "/format", json!("x/9"), rule, &["x/9"]);
    for (key, value, word) in [
        ("collective", json!("all"), "unknown collective 'all'"),
        ("switching", json!("teleport"), "unknown switching 'teleport'"),
        ("routing", json!("random"), "unknown routing 'random'"),
        ("routing", json!("slack:+1"), "slack:+1"),
        ("routing", json!("slack:99999999999999999999999"), "slack:"),
        ("routing", json!("static"), "needs `routes`"),
        ("pairs", json!([["a", "b"]]), "pairs"),
        ("ports", json!(0), "0 ports"),
        ("source", json!("b"), "one sender, the source 'b'"),
        ("source", Value::Null, "one sender"),
        ("senders", json!(["a", "b"]), "one sender"),
        ("senders", json!([]), "no sender"),
        ("receivers", json!(["b", "q"]), "'q'"),
        ("receivers", json!(["b", "c", "b"]), "listed twice"),
        ("collective", json!("aas"), "no single source"),
    ] {
        breaks("path-oas", &model(key), value, rule, &[word]);
    }
    breaks("path-aog", &model("receivers"), json!(["a", "b"]), rule, &["one receiver"]);
    breaks("triangle-aab", &model("source"), json!("a"), rule, &["no single source"]);
    let mut file = get("ring-oab");
    file["model"]["routing"] = json!("static");
    file["model"]["routes"] = json!([]);
    expect(file, rule, &["routing 'static'", "straight to their destinations"]);
    for (key, value) in [("copy", json!(1)), ("bytes", json!(5))] {
        let mut file = get("path-oas");
        file["steps"][0][0]["message"][key] = value;
        expect(file, rule, &["only the messages of a traffic"]);
    }
    breaks("saf-switch", &model("senders"), json!(["a", "b", "S"]), rule, &["'S' is a switch"]);
}

#[test]
fn structure_of_the_transfers() {
    let rule = Rule::Structure;
    breaks("path-oas", "/steps/1/0/to", json!("z"), rule, &["step 2", "transfer 1", "'z'"]);
    breaks("path-oas", "/steps/0/0/message/source", json!("z"), rule, &["step 1", "message of z"]);
    let message = "/steps/0/0/message";
    breaks("path-oas", message, json!({"source": "a"}), rule, &["step 1", "destination"]);
    let scatter = json!({"source": "a", "destination": "b"});
    breaks("ring-oab", message, scatter, rule, &["step 1", "no destination"]);
}
