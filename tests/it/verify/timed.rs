//! The checker on timed schedules: intervals on every channel and port, lengths, bounds in bytes.

use super::changed::{check, expect};
use crate::support::sized::for_time;
use ccsched::islands::Form;
use ccsched::network::spec;
use ccsched::problem::{Collective, Pair, Ports, Request};
use ccsched::solve;
use ccsched::verify::Rule;
use serde_json::{Value, json};

/// A star of 4 terminals, all around one switch, with lengths 1 to 12.
fn file(form: Form, ports: Option<u32>) -> Value {
    let names = ["0", "1", "2", "3"];
    let ends = names.iter().flat_map(|a| names.iter().map(move |b| (a, b))).filter(|(a, b)| a != b);
    let pair = |(bytes, (a, b)): (u64, (&&str, &&str))| Pair {
        source: a.to_string(),
        destination: b.to_string(),
        bytes: Some(bytes),
        count: 1,
    };
    solved("fat-tree:4", (1..).zip(ends).map(pair).collect(), form, ports)
}

/// The schedule file of some pairs.
fn solved(topology: &str, pairs: Vec<Pair>, form: Form, ports: Option<u32>) -> Value {
    let network = spec::parse(topology).unwrap();
    let pairs = Some(pairs);
    let request = Request { pairs, ports: Ports(ports), ..Request::new(Collective::Traffic) };
    let problem = request.pose(network, vec![]).unwrap();
    let solution = solve(&problem, &for_time(form, 20)).unwrap();
    serde_json::from_str(&solution.schedule().unwrap().to_json()).unwrap()
}

fn changed(form: Form, at: &str, value: Value) -> Value {
    let mut file = file(form, None);
    *file.pointer_mut(at).unwrap_or_else(|| panic!("it has no {at}")) = value;
    file
}

#[test]
fn what_is_found_is_valid_and_optimal() {
    for form in [Form::Timed, Form::Steps { startup: 2 }] {
        let file = file(form, None);
        assert_eq!(check(file.clone()), []);
        assert!(file["model"]["lengths"].as_array().unwrap().len() == 12);
        let bounds = file["bounds"].as_array().unwrap();
        assert!(bounds.iter().any(|b| b["bytes"].is_u64()), "{bounds:?}");
    }
}

#[test]
fn two_transfers_on_a_channel_at_once_are_found() {
    let file = file(Form::Timed, None);
    let all = file["steps"][0].as_array().unwrap();
    let of_first = |i: &usize| all[*i]["from"] == "0";
    let own: Vec<usize> = (0..all.len()).filter(of_first).collect();
    let start = all[own[0]]["at"].clone();
    let at = format!("/steps/0/{}/at", own[1]);
    expect(
        changed(Form::Timed, &at, start),
        Rule::Conflict,
        &["2 transfers hold it", "capacity is 1"],
    );
    // One instant too early.
    let starts = |i: &usize| all[*i]["at"].as_u64().unwrap();
    let last = own.iter().max_by_key(|i| starts(i)).unwrap();
    let at = format!("/steps/0/{last}/at");
    let early = changed(Form::Timed, &at, json!(starts(last) - 1));
    assert!(check(early).iter().any(|v| v.rule == Rule::Conflict));
}

#[test]
fn ports_are_held_for_the_length_of_a_message() {
    let mut file = file(Form::Timed, None);
    file["bounds"] = json!([]);
    file["model"]["ports"] = json!(1);
    assert_eq!(check(file.clone()), [], "a terminal has one channel");
    for t in file["steps"][0].as_array_mut().unwrap() {
        t["at"] = json!(0);
    }
    expect(file, Rule::Ports, &["from 0 on '0' sends", "has ports for 1"]);
}

#[test]
fn the_shape_is_checked() {
    let timed = |at: &str, value| changed(Form::Timed, at, value);
    let structure = |file, words: &[&str]| expect(file, Rule::Structure, words);
    structure(timed("/steps/0/3/at", json!(null)), &["it lacks `at`"]);
    structure(timed("/steps/0/3/message/bytes", json!(null)), &["its message lacks `bytes`"]);
    structure(timed("/steps/0/3/message/bytes", json!(1)), &["it has 1 `bytes`, the message"]);
    structure(timed("/steps/0/3/at", json!(u64::MAX)), &["beyond the numbers"]);
    structure(timed("/model/lengths", json!([1, 2])), &["2 `lengths` for 12 `pairs`"]);
    structure(timed("/model/lengths", json!(null)), &["needs `lengths`"]);
    structure(timed("/model/timing", json!("steps")), &["an `at` is for timed"]);
    structure(timed("/model/switching", json!("store-and-forward")), &["wormhole switching"]);
    structure(timed("/steps", json!([[], []])), &["one list"]);
    let steps = Form::Steps { startup: 0 };
    let mut file = file(steps, None);
    file["model"]["timing"] = json!("timed");
    structure(file, &["one list"]);
    structure(changed(steps, "/steps/0/0/message/bytes", json!(77)), &["it has 77 `bytes`"]);
}

#[test]
fn a_bound_claims_no_more_bytes_than_its_argument_gives() {
    for form in [Form::Timed, Form::Steps { startup: 2 }] {
        let file = file(form, None);
        let bounds = file["bounds"].as_array().unwrap().clone();
        let in_bytes = bounds.iter().filter(|b| b["bytes"].is_u64());
        assert!(in_bytes.clone().count() >= 3, "{bounds:?}");
        for bound in in_bytes {
            let mut lie = bound.clone();
            lie["bytes"] = json!(bound["bytes"].as_u64().unwrap() + 1);
            let mut file = file.clone();
            file["bounds"] = json!([lie]);
            expect(file, Rule::Bounds, &["its argument gives"]);
        }
        let mut lie = bounds[bounds.len() - 1].clone();
        (lie["bytes"], lie["certified"]) = (json!(1000), json!(false));
        let mut file = file.clone();
        file["bounds"] = json!([lie]);
        expect(file, Rule::Bounds, &["it claims 1000 bytes, the schedule has"]);
    }
    let mut timed = file(Form::Timed, None);
    timed["bounds"] = json!([{"name": "lengths", "bytes": 1, "certified": true}]);
    expect(timed, Rule::Bounds, &["a timed schedule has none"]);
}

#[test]
fn weights_of_lengths_are_checked() {
    let pair = |source: &str, destination: &str, bytes| {
        let (source, destination) = (source.into(), destination.into());
        Pair { source, destination, bytes: Some(bytes), count: 1 }
    };
    let pairs = vec![pair("0", "1", 7), pair("0", "1", 5), pair("0", "1", 5), pair("2", "3", 9)];
    let mut file = solved("ring:5", pairs, Form::Steps { startup: 2 }, None);
    let bounds = file["bounds"].as_array().unwrap();
    let lengths = bounds.iter().find(|b| b["name"] == "lengths").unwrap().clone();
    // Three steps of 5 at least, one of them of 7, and a message of 9.
    assert_eq!(lengths["bytes"], 9 + 5 + 5);
    let mut refused = |certificate: Value, words: &[&str]| {
        let bound = json!([{"name": "lengths", "bytes": 19, "certified": true, "certificate": certificate}]);
        file["bounds"] = bound;
        expect(file.clone(), Rule::Bounds, words);
    };
    refused(json!({}), &["claims 19 bytes, its argument gives 14"]);
    refused(json!({"several": [{}]}), &["lacks `channel_weights`"]);
    refused(json!({"several": [{"channel_weights": [1]}]}), &["1 weights for 10 channels"]);
    refused(json!({"several": [{"channel_weights": vec![0; 10]}]}), &["all its weights are 0"]);
    refused(json!({"several": [{"channel_weights": vec![1; 10]}]}), &["its argument gives 14"]);
}
