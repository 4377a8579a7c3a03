//! Lower bounds: the value that each argument proves, and that a higher claim is refused.

use super::changed::{breaks, check, expect, transfer};
use crate::support::small::get;
use ccsched::islands::Limits;
use ccsched::network::{LinkKind, NetworkBuilder};
use ccsched::problem::{Collective, Request, Switching};
use ccsched::verify::Rule;
use ccsched::{Options, solve};
use serde_json::{Value, json};

/// In a schedule with spare steps, a bound of `value` passes and `value + 1` does not.
#[track_caller]
fn gives(file: &Value, name: &str, certificate: Value, value: u32) {
    let mut file = file.clone();
    file["steps"].as_array_mut().unwrap().extend((0..9).map(|_| json!([])));
    let bound = |steps| json!([{"name": name, "steps": steps, "certified": true, "certificate": certificate}]);
    file["bounds"] = bound(value);
    assert_eq!(check(file.clone()), [], "{name} of {value}");
    file["bounds"] = bound(value + 1);
    let word = format!("claims {} steps, its argument gives {value}", value + 1);
    expect(file, Rule::Bounds, &[name, &word]);
}

#[test]
fn arguments_of_bounds() {
    let vertex = |v: &str| json!({ "vertex": v });
    let side = |s: &[&str]| json!({ "side": s });
    for (name, bound, certificate, value) in [
        ("path-oas", "ports", vertex("a"), 2),
        ("path-oas", "ports", vertex("b"), 1),
        ("path-oas", "distance", json!({}), 1),
        ("path-oas", "cut", side(&["a"]), 2),
        ("path-oas", "cut", side(&["a", "b"]), 1),
        ("path-oas", "cut", side(&["b", "c"]), 0),
        ("path-oas", "cut", side(&[]), 0),
        ("path-aog", "ports", vertex("a"), 2),
        ("path-aog", "ports", vertex("c"), 1),
        ("triangle-aab", "ports", vertex("a"), 1),
        ("triangle-aab", "growth", vertex("c"), 1),
        ("triangle-aab", "cut", side(&["a"]), 1),
        ("ring-oab", "growth", vertex("a"), 2),
        ("ring-oab", "ports", vertex("a"), 0),
        ("ring-oab", "distance", json!({}), 1),
        ("half-aas", "ports", vertex("a"), 2),
        ("half-aas", "distance", json!({}), 2),
        ("half-aas", "cut", side(&["a"]), 2),
        ("star-one-port", "ports", vertex("a"), 2),
        ("saf-oas", "eccentricity", vertex("a"), 2),
        ("saf-oas", "eccentricity", vertex("b"), 0),
        ("saf-oas", "journeys", vertex("a"), 2),
        ("saf-oas", "journeys", vertex("c"), 2),
        ("saf-oas", "pipeline", json!({}), 2),
        ("saf-oab", "growth", vertex("a"), 2),
        ("saf-switch", "ports", vertex("b"), 2),
        ("saf-switch", "eccentricity", vertex("b"), 2),
        ("saf-switch", "distance", json!({}), 2),
        ("saf-switch", "pipeline", json!({}), 3),
        ("saf-switch", "cut", side(&["a", "S"]), 2),
        ("saf-switch", "cut", side(&["a"]), 3),
    ] {
        gives(&get(name), bound, certificate, value);
    }
}

#[test]
fn growth_counts_the_best_informed_first() {
    // Edges a-b, b-c, b-d, b-e: a has one channel, b three more, so 1, 2, 5 are informed.
    let message = || json!({"source": "a"});
    let mut file = get("ring-oab");
    let names = ["a", "b", "c", "d", "e"];
    let pairs = [("a", "b"), ("b", "c"), ("b", "d"), ("b", "e")];
    file["network"]["vertices"] =
        names.iter().map(|v| json!({"name": v, "terminal": true})).collect();
    file["network"]["channels"] =
        pairs.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
    file["model"]["receivers"] = json!(names);
    file["steps"] = json!([
        [transfer(message(), "a", "b", &[0])],
        [
            transfer(message(), "b", "c", &[1]),
            transfer(message(), "b", "d", &[2]),
            transfer(message(), "b", "e", &[3]),
        ],
    ]);
    gives(&file, "growth", json!({"vertex": "a"}), 2);
    file["model"]["ports"] = json!(1);
    let last = file["steps"][1].as_array().unwrap().clone();
    for t in &last[1..] {
        file["steps"].as_array_mut().unwrap().push(json!([t]));
    }
    file["steps"][1] = json!([last[0]]);
    // One port: a and b send one message a step; c, d and e have no channels to send over.
    gives(&file, "growth", json!({"vertex": "a"}), 3);
}

/// Six terminals around a switch; a link is two channels: 0 a-S, 1 S-a, 2 b-S, ...
fn star(collective: &str, switching: &str, steps: Value) -> Value {
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut file = get("saf-switch");
    let vertex = |name: &str, terminal: bool| json!({"name": name, "terminal": terminal});
    let terminals = names.iter().map(|v| vertex(v, true));
    file["network"]["vertices"] = terminals.chain([vertex("S", false)]).collect();
    let links =
        names.iter().flat_map(|v| [json!({"from": v, "to": "S"}), json!({"from": "S", "to": v})]);
    file["network"]["channels"] = links.collect();
    let (source, senders) =
        if collective == "oab" { (json!("a"), json!(["a"])) } else { (Value::Null, json!(names)) };
    file["model"] = json!({"collective": collective, "source": source, "senders": senders,
        "receivers": names, "switching": switching, "ports": 1, "routing": "minimal"});
    file["steps"] = steps;
    file
}

#[test]
fn switches_are_no_terminals_in_arguments() {
    let name = |i: usize| ["a", "b", "c", "d", "e", "f"][i];
    let carry = |source: usize, from: usize, to: usize| {
        let path = [2 * from, 2 * to + 1];
        transfer(json!({"source": name(source)}), name(from), name(to), &path)
    };
    // Store-and-forward: the switch has no port limit, so it informs all terminals in step 2.
    let message = || json!({"source": "a"});
    let spread: Vec<Value> =
        (1..6).map(|v| transfer(message(), "S", name(v), &[2 * v + 1])).collect();
    let steps = json!([[transfer(message(), "a", "S", &[0])], spread]);
    gives(&star("oab", "store-and-forward", steps), "growth", json!({"vertex": "a"}), 2);
    // Wormhole: the switch is never informed, so the informed terminals at most double.
    let steps = json!([
        [carry(0, 0, 1)],
        [carry(0, 0, 2), carry(0, 1, 3)],
        [carry(0, 0, 4), carry(0, 1, 5)],
    ]);
    gives(&star("oab", "wormhole", steps), "growth", json!({"vertex": "a"}), 3);
    // Each of 30 messages takes two of 12 channels; two messages leave {a, b} over two channels.
    let round = |k| (0..6).map(|v| carry(v, v, (v + k) % 6)).collect::<Vec<_>>();
    let file = star("aab", "wormhole", (1..6).map(round).collect());
    gives(&file, "distance", json!({}), 5);
    gives(&file, "ports", json!({"vertex": "c"}), 5);
    gives(&file, "cut", json!({"side": ["a", "b"]}), 1);
}

#[test]
fn bounds_without_an_argument() {
    let rule = Rule::Bounds;
    let at = "/bounds/0/name";
    breaks("path-oas", at, json!("guess"), rule, &["'guess'", "no certified bound"]);
    breaks("path-oas", at, json!("eccentricity"), rule, &["store-and-forward only"]);
    breaks("path-oas", at, json!("growth"), rule, &["growth is about a broadcast"]);
    breaks("path-oas", at, json!("cut"), rule, &["lacks `side`"]);
    breaks("path-oas", "/bounds/0/certificate", json!({}), rule, &["lacks `vertex`"]);
    breaks("path-oas", "/bounds/0/certificate/vertex", json!("q"), rule, &["'q' is no vertex"]);
    breaks("path-oas", "/bounds/1/certificate/side", json!(["a", "q"]), rule, &["'q'"]);
    let words = ["'ports'", "claims 4294967295 steps, the schedule has 2"];
    breaks("path-oas", "/bounds/0/steps", json!(u32::MAX), rule, &words);
    // A bound that is not certified needs no argument, but must not exceed the schedule either.
    let mut file = get("path-oas");
    file["bounds"] = json!([{"name": "search", "steps": 2, "certified": false}]);
    assert_eq!(check(file.clone()), []);
    file["bounds"][0]["steps"] = json!(3);
    expect(file, rule, &["'search'", "claims 3 steps, the schedule has 2"]);
    // If no channel leaves a, no number of steps is enough.
    let mut file = get("star-one-port");
    file["network"]["channels"] = json!([]);
    expect(file, Rule::Structure, &["bound 'ports'", "no channel leaves 'a'"]);
}

/// A ring of five, both ways: channel 2v goes from v to v + 1, channel 2v + 1 back. The one message goes the long way.
#[test]
fn fixed_routes_count_with_their_length() {
    let mut file = get("path-oas");
    let names = ["a", "b", "c", "d", "e"];
    file["network"]["vertices"] =
        names.iter().map(|v| json!({"name": v, "terminal": true})).collect();
    let links = (0..5).flat_map(|v| {
        let [from, to] = [names[v], names[(v + 1) % 5]];
        [json!({"from": from, "to": to}), json!({"from": to, "to": from})]
    });
    file["network"]["channels"] = links.collect();
    let hops = [("a", "e", 9), ("e", "d", 7), ("d", "c", 5)];
    let message = || json!({"source": "a", "destination": "c"});
    let hop =
        |(from, to, c): (&str, &str, u32)| json!([transfer(message(), from, to, &[c as usize])]);
    file["steps"] = hops.into_iter().map(hop).collect();
    file["model"] = json!({"collective": "oas", "source": "a", "senders": ["a"], "receivers": ["c"],
        "switching": "store-and-forward", "ports": "all", "relays": "all", "routing": "updown",
        "routes": [{"from": "a", "to": "c", "channels": [9, 7, 5]}]});
    for (name, certificate, value) in [
        ("eccentricity", json!({"vertex": "a"}), 3),
        ("journeys", json!({"vertex": "a"}), 3),
        ("journeys", json!({"vertex": "c"}), 3),
        ("pipeline", json!({}), 3),
        ("distance", json!({}), 1),
    ] {
        gives(&file, name, certificate, value);
    }
    // The shortest way has two channels.
    file["model"]["routing"] = json!("minimal");
    file["model"].as_object_mut().unwrap().remove("routes");
    file["steps"] = [("a", "b", 0), ("b", "c", 2)].into_iter().map(hop).collect();
    gives(&file, "eccentricity", json!({"vertex": "a"}), 2);
    gives(&file, "journeys", json!({"vertex": "c"}), 2);
}

/// Terminals that only send are never informed, and those that only receive inform none: t0 alone
/// sends, and t1 and the receivers do not count.
#[test]
fn growth_counts_those_that_pass_the_message_on() {
    let mut file = get("ring-oab");
    let vertex = |name: &str| json!({"name": name, "terminal": name != "S"});
    file["network"]["vertices"] = ["t0", "t1", "S", "r0", "r1", "r2"].map(vertex).into();
    let pairs = [("t0", "S"), ("t1", "S"), ("S", "r0"), ("S", "r1"), ("S", "r2")];
    file["network"]["channels"] =
        pairs.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
    let receivers = ["r0", "r1", "r2"];
    file["model"]["source"] = json!("t0");
    file["model"]["senders"] = json!(["t0"]);
    file["model"]["receivers"] = json!(receivers);
    let send =
        |i: usize| json!([transfer(json!({"source": "t0"}), "t0", receivers[i], &[0, 2 + i])]);
    file["steps"] = (0..3).map(send).collect();
    gives(&file, "growth", json!({"vertex": "t0"}), 3);
    let inside = json!({"vertices": ["S", "t1", "r0", "r1", "r2"]});
    gives(&file, "spread", json!({"vertex": "t0", "regions": [inside]}), 3);
    // A channel back from r0 makes it one that informs another, but only of a way that leads on.
    file["network"]["channels"].as_array_mut().unwrap().push(json!({"from": "r0", "to": "S"}));
    gives(&file, "growth", json!({"vertex": "t0"}), 2);
    file["model"]["receivers"] = json!(["r0"]);
    file["steps"] = json!([[transfer(json!({"source": "t0"}), "t0", "r0", &[0, 2])]]);
    gives(&file, "growth", json!({"vertex": "t0"}), 1);
}

/// a and b hang on S, which has two channels to T, on which c and d hang: four messages in two groups of two.
#[test]
fn leaving_counts_groups_of_messages_to_one_destination() {
    let mut file = get("path-oas");
    let vertex = |name: &str| json!({"name": name, "terminal": !["S", "T"].contains(&name)});
    file["network"]["vertices"] = ["a", "b", "c", "d", "e", "S", "T"].map(vertex).into();
    let links =
        [("a", "S"), ("b", "S"), ("S", "T"), ("S", "T"), ("T", "c"), ("T", "d"), ("T", "e")];
    let channels = links.iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    file["network"]["channels"] =
        channels.map(|(from, to)| json!({"from": from, "to": to})).collect();
    let pairs = [("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"), ("a", "e"), ("b", "e")];
    let route = |place: usize| {
        let (first, last) = ([0, 2][place % 2], [8, 10, 12][place / 2]);
        json!([first, if place / 2 == 1 { 6 } else { 4 }, last])
    };
    let routes = pairs.iter().enumerate();
    let routes: Vec<Value> = routes
        .map(|(i, (from, to))| json!({"from": from, "to": to, "channels": route(i)}))
        .collect();
    let steps = pairs.iter().enumerate().map(|(i, (from, to))| {
        let channels: Vec<usize> = serde_json::from_value(route(i)).unwrap();
        json!([transfer(json!({"source": from, "destination": to}), from, to, &channels)])
    });
    file["steps"] = steps.collect();
    file["model"] = json!({"collective": "traffic", "senders": ["a", "b"],
        "receivers": ["c", "d", "e"], "switching": "wormhole", "ports": "all",
        "routing": "destination", "routes": routes, "pairs": pairs});
    // Three groups of two over two channels: one of them carries two groups.
    gives(&file, "leaving", json!({"vertex": "S"}), 4);
    gives(&file, "leaving", json!({"vertex": "T"}), 0);
    // No destination is left behind a terminal.
    gives(&file, "leaving", json!({"vertex": "a"}), 3);
    // Routes that part at S are not by destination there.
    file["model"]["routes"][0]["channels"] = json!([0, 6, 8]);
    file["steps"][0][0]["channels"] = json!([0, 6, 8]);
    file["bounds"] = json!([{"name": "leaving", "steps": 1, "certified": true,
        "certificate": {"vertex": "S"}}]);
    expect(file, Rule::Bounds, &["leaving", "part there"]);
}

/// Boxes of two terminals, all six contribute to all sums; a link of width 1 between each two boxes.
#[test]
fn a_partition_is_of_disjoint_sets_with_all_that_holds_sums() {
    let mut net = NetworkBuilder::new("boxes");
    let v: Vec<u32> = ["a", "b", "c", "d", "e", "f"].map(|name| net.terminal(name)).to_vec();
    for i in 0..3 {
        net.wide_link(v[2 * i], v[2 * i + 1], LinkKind::FullDuplex, 5);
        net.link(v[2 * i + 1], v[(2 * i + 2) % 6], LinkKind::FullDuplex);
    }
    let switching = Switching::StoreAndForward;
    let request = Request { switching, ..Request::new(Collective::AllReduce) };
    let problem = request.pose(net.build().unwrap(), vec![]).unwrap();
    let options =
        Options { limits: Limits { iterations: 5, ..Limits::default() }, ..Options::default() };
    let found = solve(&problem, &options).unwrap().schedule().expect("a schedule is found");
    let mut file: Value = serde_json::from_str(&found.to_json()).unwrap();
    assert!(file["bounds"].as_array().unwrap().iter().any(|b| b["name"] == "partition"));
    let sets = |sets: &[&[&str]]| json!({ "sets": sets });
    // 6 parts, 4 crossings each, over 6 channels; 2 over 4; half as many in the first step and the last.
    gives(&file, "partition", sets(&[&["a", "b"], &["c", "d"], &["e", "f"]]), 5);
    gives(&file, "partition", sets(&[&["a", "b"], &["c", "d", "e", "f"]]), 4);
    // A set of one process can hand all over in the first step.
    gives(&file, "partition", sets(&[&["a"], &["b"], &["c", "d"], &["e", "f"]]), 3);
    for (certificate, words) in [
        (json!({}), "lacks `sets`"),
        (sets(&[&["a", "b", "c", "d", "e", "f"]]), "fewer than two"),
        (sets(&[&["a", "b"], &["b", "c", "d", "e", "f"]]), "'b' is twice in its `sets`"),
        (sets(&[&["a", "b"], &["c", "d", "e"]]), "'f' may hold a sum, and is in none"),
        (sets(&[&["a", "b", "c", "d", "e", "f"], &[]]), "has no process"),
        (sets(&[&["a", "g"]]), "'g' is no vertex"),
    ] {
        file["bounds"] = json!([{"name": "partition", "steps": 1, "certified": true, "certificate": certificate}]);
        expect(file.clone(), Rule::Bounds, &[words]);
    }
}
