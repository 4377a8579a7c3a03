//! The spread bound: the values that regions prove, and regions that are invalid.

use super::changed::{check, expect};
use crate::support::small::get;
use ccsched::bounds;
use ccsched::network::metrics::distances_to;
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request};
use ccsched::schedule::Plan;
use ccsched::schedule::file::Provenance;
use ccsched::verify::Rule;
use serde_json::{Value, json};

/// A region without parts.
fn region(vertices: &[&str]) -> Value {
    json!({ "vertices": vertices })
}

fn bounded(name: &str, steps: u32, certificate: &Value) -> Value {
    let mut file = get(name);
    file["steps"].as_array_mut().unwrap().extend((0..9).map(|_| json!([])));
    file["bounds"] = json!([
        {"name": "spread", "steps": steps, "certified": true, "certificate": certificate}]);
    file
}

/// In a schedule with spare steps, a bound of `value` passes and `value + 1` does not.
#[track_caller]
fn gives(name: &str, certificate: &Value, value: u32) {
    assert_eq!(check(bounded(name, value, certificate)), [], "{name} of {value}");
    let word = format!("its argument gives {value}");
    expect(bounded(name, value + 1, certificate), Rule::Bounds, &["'spread'", &word]);
}

#[test]
fn regions_give_steps() {
    let cut = |vertices: &[&str]| json!({"regions": [region(vertices)]});
    // Two transfers enter the region; then every vertex informs two.
    gives("ring-oab", &cut(&["b", "c", "d"]), 2);
    gives("ring-oab", &cut(&["c", "d"]), 1);
    // The source is inside the region: no message enters.
    gives("ring-oab", &cut(&["a", "b"]), 0);
    gives("triangle-aab", &cut(&["a"]), 1);
    // Store-and-forward: the message needs a step to get to the region before it can enter.
    gives("saf-oab", &cut(&["c"]), 2);
    gives("saf-oab", &cut(&["b", "c"]), 2);
    let from = |regions: &[&[&str]]| {
        let regions: Vec<Value> = regions.iter().map(|r| region(r)).collect();
        json!({"vertex": "a", "regions": regions})
    };
    gives("saf-oab", &from(&[&["b"], &["c"]]), 2);
    gives("ring-oab", &from(&[&["b"], &["c"]]), 1);
    gives("ring-oab", &from(&[&["b"], &["c"], &["d"]]), 2);
    gives("ring-oab", &from(&[]), 0);
}

#[test]
fn invalid_regions_are_refused() {
    let refused = |name: &str, certificate: Value, word: &str| {
        expect(bounded(name, 1, &certificate), Rule::Bounds, &["'spread'", word]);
    };
    let nested = |part: &[&str]| json!({"regions": [{"vertices": ["b", "c"], "parts": [region(&["b"]), region(part)]}]});
    refused("ring-oab", json!({}), "lacks `regions`");
    refused("ring-oab", json!({"regions": []}), "one region");
    refused("ring-oab", json!({"regions": [region(&["q"])]}), "'q'");
    refused("ring-oab", json!({"regions": [region(&["b", "b"])]}), "'b' is in two");
    refused("ring-oab", json!({"vertex": "b", "regions": []}), "'b' broadcasts nothing");
    refused("ring-oab", json!({"vertex": "a", "regions": [region(&["a"])]}), "the source");
    refused("ring-oab", nested(&["b"]), "'b' is in two");
    refused("ring-oab", nested(&["d"]), "'d' is in two");
    refused("path-oas", json!({"regions": [region(&["c"])]}), "broadcasts only");
    let deep = (0..40).fold(region(&["b"]), |part, _| json!({"vertices": ["b"], "parts": [part]}));
    gives("ring-oab", &json!({"regions": [deep]}), 1);
}

/// A broadcast in which only the source sends, one transfer a step.
fn one_by_one(problem: &Problem) -> Plan {
    let network = problem.network();
    let mut plan = Plan::default();
    for (step, demand) in problem.demands().iter().enumerate() {
        let distance = distances_to(network, demand.destination);
        let (mut at, mut channels) = (demand.source, vec![]);
        while at != demand.destination {
            let nearer =
                |&&c: &&u32| distance[network.channel(c).to as usize] < distance[at as usize];
            let c = *network.outgoing(at).iter().find(nearer).unwrap();
            channels.push(c);
            at = network.channel(c).to;
        }
        plan.push(step, demand.message, channels);
    }
    plan
}

#[test]
fn regions_within_regions_explain_full_binary_trees() {
    for (size, source, steps) in [(15, "3", 3), (31, "0", 4), (63, "31", 5), (63, "1", 5)] {
        let request = Request { source: Some(source.into()), ..Request::new(Collective::Oab) };
        let network = spec::parse(&format!("full-binary-tree:{size}")).unwrap();
        let problem = request.pose(network, vec![]).unwrap();
        let bounds = bounds::all(&problem);
        assert_eq!((bounds[0].name, bounds[0].steps), ("spread", steps), "{size} from {source}");
        let file = one_by_one(&problem).record(&problem, &bounds[..1], Provenance::default());
        let mut file = serde_json::to_value(file).unwrap();
        assert_eq!(check(file.clone()), []);
        file["bounds"][0]["steps"] = json!(steps + 1);
        expect(file, Rule::Bounds, &[&format!("its argument gives {steps}")]);
    }
}
