//! The checker on channels that carry several transfers in a step: up to the capacity, no more.

use super::changed::check;
use ccsched::network::spec;
use ccsched::problem::{Collective, Request};
use ccsched::schedule::Plan;
use ccsched::schedule::file::Provenance;
use ccsched::verify::Rule;
use serde_json::{Value, json};

/// Two transfers over the links of `fat-tree:4` in one step: from both leaves of a switch to both
/// leaves of the other, over the same upper links.
fn file(topology: &str) -> Value {
    let request = Request {
        senders: Some(vec!["0".into(), "1".into()]),
        receivers: Some(vec!["2".into()]),
        ..Request::new(Collective::Aas)
    };
    let network = spec::parse(topology).unwrap();
    let between = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|name| network.find(name).unwrap());
        (0..).zip(network.channels()).find(|(_, c)| (c.from, c.to) == (a, b)).unwrap().0
    };
    let path = |from: &str| -> Vec<u32> {
        let stops = [from, "s0.0", "s1.0", "s0.1", "2"];
        stops.windows(2).map(|pair| between(pair[0], pair[1])).collect()
    };
    let transfers = [path("0"), path("1")];
    let problem = request.pose(network.clone(), vec![]).unwrap();
    let mut plan = Plan::new(1);
    for (demand, channels) in problem.demands().iter().zip(transfers) {
        plan.push(0, demand.message, channels);
    }
    let file = plan.record(&problem, &ccsched::bounds::all(&problem), Provenance::default());
    serde_json::from_str(&file.to_json()).unwrap()
}

#[test]
fn a_channel_carries_as_many_as_its_capacity() {
    assert_eq!(check(file("fat-tree:4,width=2")), []);
    let conflicts = |topology: &str| {
        let found = check(file(topology));
        let conflicts = found.iter().filter(|v| v.rule == Rule::Conflict);
        conflicts.map(ToString::to_string).collect::<Vec<_>>()
    };
    // Only the receiving leaf has a narrow link.
    let found = conflicts("fat-tree:4,up=2");
    assert!(found.len() == 1 && found[0].contains("(s0.1->2): two transfers use it"), "{found:?}");
    assert_eq!(conflicts("fat-tree:4").len(), 3);
    let mut three = file("fat-tree:4,width=2");
    let again = three["steps"][0][0].clone();
    three["steps"][0].as_array_mut().unwrap().push(again);
    let found: Vec<String> = check(three).iter().map(ToString::to_string).collect();
    let words = ["3 transfers use it", "capacity is 2"];
    assert!(found.iter().any(|v| words.iter().all(|w| v.contains(w))), "{found:#?}");
}

#[test]
fn bounds_take_capacities_into_account() {
    let mut wide = file("fat-tree:4,width=2");
    assert_eq!(wide["steps"].as_array().unwrap().len(), 1);
    let bounds = wide["bounds"].as_array().unwrap().clone();
    assert!(bounds.iter().any(|b| b["name"] == "congestion"), "{bounds:?}");
    // With links of capacity 1, every certificate proves 2 steps.
    for bound in bounds.iter().filter(|b| b["name"] != "distance") {
        let mut lie = bound.clone();
        lie["steps"] = json!(2);
        wide["bounds"] = json!([lie]);
        let found = check(wide.clone());
        let is_found = found.iter().any(|v| v.to_string().contains("its argument gives 1"));
        assert!(is_found, "{}: {found:?}", bound["name"]);
    }
}

#[test]
fn capacities_are_checked() {
    let wide = file("fat-tree:4,width=2");
    let text = wide["network"]["channels"].to_string();
    assert!(text.contains("\"capacity\":2"), "{text}");
    let narrow = file("fat-tree:4")["network"].to_string();
    assert!(!narrow.contains("capacity"), "absent where it is 1: {narrow}");
    let mut none = wide;
    none["network"]["channels"][0]["capacity"] = json!(0);
    let found = check(none);
    assert!(found[0].rule == Rule::Structure && found[0].to_string().contains("capacity is 0"));
}

#[test]
fn both_directions_of_a_half_duplex_link_share_its_capacity() {
    let half = |capacity: u32, there: usize, back: usize| {
        let pair = |from: &str, to: &str, n: usize| vec![json!([from, to]); n];
        let transfer = |from: &str, to: &str, c: usize, copy: usize, n: usize| {
            let mut message = json!({"source": from, "destination": to});
            if n > 1 {
                message["copy"] = json!(copy);
            }
            json!({"message": message, "from": from, "to": to, "channels": [c]})
        };
        let pairs = [pair("a", "b", there), pair("b", "a", back)].concat();
        let forth = (1..=there).map(|copy| transfer("a", "b", 0, copy, there));
        let step: Vec<Value> =
            forth.chain((1..=back).map(|copy| transfer("b", "a", 1, copy, back))).collect();
        let channel = |from: &str, to: &str, other: usize| json!({"from": from, "to": to, "excludes": other, "capacity": capacity});
        let vertices = ["a", "b"].map(|name| json!({"name": name, "terminal": true}));
        let both = if back > 0 { vec!["a", "b"] } else { vec!["a"] };
        let receivers = if back > 0 { vec!["a", "b"] } else { vec!["b"] };
        check(json!({
            "format": "ccsched-schedule/1",
            "network": {
                "name": "pair",
                "vertices": vertices,
                "channels": [channel("a", "b", 1), channel("b", "a", 0)],
            },
            "model": {
                "collective": "traffic", "source": null, "senders": both, "receivers": receivers,
                "switching": "wormhole", "ports": "all", "routing": "minimal", "pairs": pairs,
            },
            "steps": [step],
            "provenance": {"program": "", "version": "", "engine": "", "seed": 1, "ranks": 1},
        }))
    };
    assert_eq!(half(3, 2, 1), []);
    assert_eq!(half(3, 3, 0), []);
    let found: Vec<String> = half(2, 2, 1).iter().map(ToString::to_string).collect();
    assert!(found.len() == 1 && found[0].contains("half-duplex link"), "{found:?}");
    assert_eq!(half(1, 1, 1).len(), 1);
}

#[test]
fn both_directions_of_a_half_duplex_link_have_the_same_capacity() {
    let mut ring = serde_json::to_value({
        let request = Request::new(Collective::Oab);
        let problem = request.pose(spec::parse("ring:3,half,width=2").unwrap(), vec![]).unwrap();
        Plan::new(0).record(&problem, &[], Provenance::default())
    })
    .unwrap();
    ring["network"]["channels"][1]["capacity"] = json!(3);
    let found: Vec<String> = check(ring).iter().map(ToString::to_string).collect();
    assert!(found.iter().any(|v| v.contains("the same link in reverse")), "{found:?}");
}
