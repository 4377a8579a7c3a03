//! The rules of paths, steps and messages: valid schedules pass, and one change breaks one rule.

use super::changed::{add, breaks, check, expect, transfer};
use crate::support::small::{NAMES, get};
use ccsched::verify::{Rule, Violation};
use serde_json::json;

#[test]
fn valid_schedules_pass() {
    for name in NAMES {
        assert_eq!(check(get(name)), [], "{name}");
    }
}

#[test]
fn without_any_one_transfer_a_schedule_is_invalid() {
    for name in NAMES {
        let file = get(name);
        for (s, step) in file["steps"].as_array().unwrap().iter().enumerate() {
            for t in 0..step.as_array().unwrap().len() {
                let mut file = file.clone();
                file["steps"][s].as_array_mut().unwrap().remove(t);
                let found = check(file);
                let missed = |v: &Violation| match v.rule {
                    Rule::Completeness => v.to_string().contains("never gets the message"),
                    rule => rule == Rule::Causality && v.step > Some(s),
                };
                assert!(found.iter().any(missed), "{name}, step {s}, {t}: {found:?}");
            }
        }
    }
}

#[test]
fn path() {
    let rule = Rule::Path;
    let first = "/steps/0/0/channels";
    breaks("path-oas", first, json!([]), rule, &["step 1", "transfer 1", "no channels"]);
    breaks("path-oas", first, json!([0, 77]), rule, &["step 1: channel 77", "only 4 channels"]);
    breaks("path-oas", first, json!([u32::MAX]), rule, &["channel 4294967295"]);
    breaks("path-oas", first, json!([0, 3]), rule, &["channel 3 (c->b)", "is at 'b'"]);
    breaks("path-oas", first, json!([0]), rule, &["channel 0 (a->b)", "ends at 'b', not at 'c'"]);
    breaks("path-oas", first, json!([2]), rule, &["channel 2 (b->c)", "is at 'a'"]);
    breaks("path-oas", first, json!([0, 1, 0, 2]), rule, &["channel 1 (b->a)", "'a' twice"]);
    breaks("saf-oab", first, json!([0, 2]), rule, &["step 1", "one channel, not 2"]);
    let to_switch = "/model/switching";
    breaks("saf-switch", to_switch, json!("wormhole"), rule, &["step 1", "ends at the switch 'S'"]);
}

#[test]
fn routing() {
    let rule = Rule::Routing;
    let at = "/model/routing";
    let words = ["step 1", "transfer 1 (message of a for b, a->b over [7, 5, 3])"];
    breaks("ring-slack", at, json!("minimal"), rule, &words);
    breaks("ring-slack", at, json!("slack:1"), rule, &["3 channels", "shortest, 1, plus 1"]);
    // The message for c goes back from b to a before it is delivered.
    let mut file = get("saf-oas");
    let message = json!({"source": "a", "destination": "c"});
    file["steps"] = json!([
        [transfer(message.clone(), "a", "b", &[0])],
        [transfer(message.clone(), "b", "a", &[1])],
        [transfer(message.clone(), "a", "b", &[0])],
        [
            transfer(message, "b", "c", &[2]),
            transfer(json!({"source": "a", "destination": "b"}), "a", "b", &[0]),
        ],
    ]);
    expect(file.clone(), rule, &["step 4", "'a' for 'c'", "4 channels, the shortest 2"]);
    file["model"]["routing"] = json!("slack:2");
    assert_eq!(check(file), []);
}

#[test]
fn conflict_on_a_channel() {
    let mut file = get("path-oas");
    let second = file["steps"][1][0].take();
    file["steps"] = json!([[file["steps"][0][0].take(), second]]);
    file["bounds"] = json!([]);
    let found = check(file);
    assert_eq!(found.len(), 1);
    let text = found[0].to_string();
    assert_eq!((found[0].step, found[0].channel), (Some(0), Some(0)));
    assert_eq!(
        text,
        "conflict: step 1: channel 0 (a->b): two transfers use it in one step: transfer 1 (message \
         of a for c, a->c over [0, 2]) and transfer 2 (message of a for b, a->b over [0])"
    );
    // Two copies of one message on one channel.
    let mut file = get("ring-oab");
    let copy = file["steps"][0][0].clone();
    add(&mut file, 0, copy);
    expect(file, Rule::Conflict, &["step 1", "channel 0 (a->b)", "transfer 1", "transfer 3"]);
}

#[test]
fn conflict_on_a_half_duplex_link() {
    let mut file = get("half-aas");
    let second = file["steps"][1][0].take();
    file["steps"] = json!([[file["steps"][0][0].take(), second]]);
    let words = ["step 1", "channel 1 (b->a)", "excludes channel 0", "transfer 1", "transfer 2"];
    expect(file.clone(), Rule::Conflict, &words);
    // Full duplex: no conflict.
    for c in 0..2 {
        file["network"]["channels"][c].as_object_mut().unwrap().remove("excludes");
    }
    file["bounds"] = json!([]);
    assert_eq!(check(file), []);
}

#[test]
fn ports() {
    let mut file = get("star-one-port");
    let second = file["steps"][1][0].take();
    file["steps"] = json!([[file["steps"][0][0].take(), second]]);
    file["bounds"] = json!([]);
    let words = ["step 1", "'a' sends 2", "for b, a->b", "for c, a->c"];
    expect(file.clone(), Rule::Ports, &words);
    file["model"]["ports"] = json!(2);
    assert_eq!(check(file), []);

    let at = "/model/ports";
    breaks("triangle-aab", at, json!(1), Rule::Ports, &["step 1", "'a' receives 2"]);
    // Two terminals send one message each, both of them to a.
    let mut file = get("star-one-port");
    file["model"]["collective"] = json!("aog");
    file["model"]["senders"] = json!(["a", "b", "c"]);
    file["model"]["receivers"] = json!(["a"]);
    file["bounds"] = json!([]);
    let home = |from: &str, channel| {
        transfer(json!({"source": from, "destination": "a"}), from, "a", &[channel])
    };
    file["steps"] = json!([[home("b", 1)], [home("c", 3)]]);
    assert_eq!(check(file.clone()), []);
    file["steps"] = json!([[home("b", 1), home("c", 3)]]);
    expect(file, Rule::Ports, &["step 1", "'a' receives 2", "transfer 1", "transfer 2"]);
    // Transit takes no port in wormhole networks: in one step a message passes b and b receives.
    let mut file = get("path-oas");
    file["model"] = json!({"collective": "aas", "source": null, "senders": ["a", "b"],
        "receivers": ["b", "c"], "switching": "wormhole", "ports": 1, "routing": "minimal"});
    let m = |s: &str, d: &str| json!({"source": s, "destination": d});
    file["steps"] = json!([
        [transfer(m("a", "c"), "a", "c", &[0, 2])],
        [transfer(m("a", "b"), "a", "b", &[0]), transfer(m("b", "c"), "b", "c", &[2])],
    ]);
    assert_eq!(check(file.clone()), []);
    // With store-and-forward switching, forwarding takes ports.
    file["model"]["switching"] = json!("store-and-forward");
    file["model"]["senders"] = json!(["a", "b", "c"]);
    file["model"]["receivers"] = json!(["a", "b", "c"]);
    file["bounds"] = json!([]);
    file["steps"] = json!([
        [transfer(m("a", "c"), "a", "b", &[0])],
        [transfer(m("a", "c"), "b", "c", &[2]), transfer(m("b", "a"), "b", "a", &[1])],
    ]);
    expect(file, Rule::Ports, &["step 2", "'b' sends 2", "(message of a for c, b->c"]);
}

#[test]
fn causality() {
    let rule = Rule::Causality;
    // Forwarded in the step of its arrival.
    let mut file = get("ring-oab");
    let late = file["steps"][1][0].take();
    file["steps"][1] = json!([]);
    add(&mut file, 0, late);
    let words = ["step 1", "'b' does not have", "transfer 3", "transfer 1"];
    expect(file, rule, &words);
    // Forwarded by a terminal that never received it.
    let mut file = get("ring-oab");
    file["steps"][0].as_array_mut().unwrap().remove(0);
    expect(
        file,
        rule,
        &["step 2", "'b' does not have", "transfer 1 (message of a, b->c over [2])"],
    );
    let mut file = get("saf-oab");
    file["steps"].as_array_mut().unwrap().swap(0, 1);
    expect(file, rule, &["step 1", "'b' does not have"]);
    // A wormhole scatter whose message stops at another terminal.
    let mut file = get("path-oas");
    file["steps"][0][0]["to"] = json!("b");
    file["steps"][0][0]["channels"] = json!([0]);
    expect(file, rule, &["step 1", "straight", "message of a for c, a->b"]);
    // Store-and-forward: sent by a vertex that does not hold the message (still at its source, or
    // elsewhere), or moved twice in a step.
    let mut file = get("saf-oas");
    file["steps"][0][0]["message"]["destination"] = json!("b");
    expect(file, rule, &["step 2", "'a' for 'c' is still at its source"]);
    let mut file = get("saf-switch");
    file["steps"][2][0]["from"] = json!("b");
    file["steps"][2][0]["channels"] = json!([2]);
    file["steps"][2][0]["to"] = json!("S");
    expect(file, rule, &["step 3", "'a' for 'c' is at 'S'", "step 2 transfer 4"]);
    let mut file = get("saf-oas");
    let hop = file["steps"][1][0].take();
    file["steps"][1].as_array_mut().unwrap().remove(0);
    add(&mut file, 0, hop);
    expect(file, rule, &["step 1", "'a' for 'c' moves twice", "transfer 1", "transfer 2"]);
}

#[test]
fn completeness() {
    let rule = Rule::Completeness;
    let mut file = get("path-oas");
    let again = file["steps"][1][0].clone();
    file["steps"].as_array_mut().unwrap().push(json!([again]));
    let words = ["step 3", "'a' for 'b' was already delivered", "step 2 transfer 1"];
    expect(file, rule, &words);
    let mut file = get("path-oas");
    add(&mut file, 1, transfer(json!({"source": "b", "destination": "c"}), "b", "c", &[2]));
    expect(file, rule, &["step 2", "does not ask", "'b' for 'c'", "transfer 2"]);
    let mut file = get("ring-oab");
    add(&mut file, 1, transfer(json!({"source": "d"}), "d", "c", &[5]));
    expect(file, rule, &["step 2", "does not ask", "'d'", "transfer 2"]);
    let mut file = get("path-aog");
    file["steps"][1] = json!([]);
    expect(file, rule, &["'a' never gets the message of 'b'"]);
    // Delivered, then moved again.
    let mut file = get("saf-oas");
    let message = json!({"source": "a", "destination": "b"});
    file["steps"].as_array_mut().unwrap().push(json!([transfer(message, "b", "a", &[1])]));
    expect(file, rule, &["step 3", "already delivered", "step 2 transfer 2"]);
}

#[test]
fn redundant() {
    let rule = Rule::Redundant;
    let mut file = get("ring-oab");
    add(&mut file, 1, transfer(json!({"source": "a"}), "d", "c", &[5]));
    expect(file, rule, &["step 2", "'c' already has", "transfer 2", "transfer 1"]);
    let mut file = get("ring-oab");
    add(&mut file, 1, transfer(json!({"source": "a"}), "b", "a", &[1]));
    expect(file, rule, &["step 2", "'a' already has", "transfer 2"]);
    let mut file = get("saf-oab");
    add(&mut file, 1, transfer(json!({"source": "a"}), "a", "b", &[0]));
    expect(file, rule, &["step 2", "'b' already has", "step 1 transfer 1"]);
}

#[test]
fn twenty_violations_are_enough() {
    let mut file = get("ring-oab");
    let step = file["steps"][0].clone();
    file["steps"].as_array_mut().unwrap().extend((0..99).map(|_| step.clone()));
    assert_eq!(check(file).len(), 20);
}

#[test]
fn participation() {
    // b forwards, and is no receiver.
    let mut file = get("ring-oab");
    file["bounds"] = json!([]);
    file["model"]["receivers"] = json!(["a", "c", "d"]);
    expect(file.clone(), Rule::Path, &["step 1", "'b', which takes no part", "transfer 1"]);
    file["model"]["processes"] = json!(["d", "c", "b", "a"]);
    assert_eq!(check(file.clone()), []);
    // c is no receiver, and nothing is gained by its delivery.
    file["model"]["receivers"] = json!(["a", "b", "d"]);
    let words = ["step 2", "'c' gets the message of 'a', but is no receiver", "transfer 1"];
    expect(file.clone(), Rule::Completeness, &words);
    for (processes, words) in [
        (json!(["a", "b", "c"]), "'d' is a sender or a receiver, but none of the processes"),
        (json!(["a", "b", "d", "x"]), "the process 'x' is no vertex"),
        (json!(["a", "b", "d", "a"]), "the process 'a' is listed twice"),
    ] {
        file["model"]["processes"] = processes;
        expect(file.clone(), Rule::Structure, &[words]);
    }
    file["model"]["processes"] = json!(null);
    for (relays, words) in [("all", "nothing is relayed"), ("some", "unknown relays 'some'")] {
        file["model"]["relays"] = json!(relays);
        expect(file.clone(), Rule::Structure, &[words]);
    }
}

#[test]
fn nothing_passes_terminals_that_take_no_part_unless_they_relay() {
    let mut file = get("saf-oab");
    file["bounds"] = json!([]);
    let through = file["steps"][1][0]["from"].clone();
    let receivers = file["model"]["receivers"].as_array_mut().unwrap();
    receivers.retain(|v| *v != through);
    let words = ["at a terminal that takes no part and does not relay"];
    expect(file.clone(), Rule::Path, &words);
    file["model"]["relays"] = json!("all");
    assert_eq!(check(file.clone()), []);
    file["model"]["relays"] = json!("none");
    expect(file, Rule::Path, &words);
}
