//! Paths, the use of links, and tables of long schedules.

use crate::support::small::get;
use ccsched::schedule::ScheduleFile;
use ccsched::show::{links, paths, schedule};
use serde_json::{Value, json};

fn file(value: Value) -> ScheduleFile {
    serde_json::from_value(value).unwrap()
}

#[test]
fn every_transfer_has_its_path() {
    let text = paths(&file(get("ring-slack")), &[0, 1], None, 80);
    assert_eq!(
        text,
        "step 1: 2 transfers, 5 channels\n  a>b  a -> d -> c -> b\n  a>c  a -> b -> c\n\n\
         step 2: 1 transfer, 1 channel\n  a>d  a -> d\n"
    );
    let text = paths(&file(get("ring-slack")), &[0], Some("b"), 80);
    assert_eq!(
        text,
        "step 1: b sends 0, receives 1, passes 1\n  receives a>b  a -> d -> c -> b\n  \
         passes   a>c  a -> b -> c\n"
    );
}

#[test]
fn paths_fold_and_name_parallel_channels() {
    let mut value = get("path-oas");
    let channel = value["network"]["channels"][0].clone();
    value["network"]["channels"].as_array_mut().unwrap().push(channel);
    let text = paths(&file(value.clone()), &[0, 1], None, 80);
    assert!(text.contains("-> b (#1)"), "{text}");
    let long = "b".repeat(70);
    let value: Value =
        serde_json::from_str(&value.to_string().replace("\"b\"", &json!(long).to_string()))
            .unwrap();
    let text = paths(&file(value), &[0, 1], None, 80);
    assert!(text.lines().all(|line| line.len() <= 90), "{text}");
}

#[test]
fn the_use_of_links_adds_up() {
    let schedule = file(get("ring-slack"));
    let text = links(&schedule, &[0, 1], 80);
    let hops: usize = schedule.steps.iter().flatten().map(|t| t.channels.len()).sum();
    assert!(text.contains(&format!("{hops} of 16 channel-steps are used")), "{text}");
    let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(row("a -> d").ends_with("100 %     0  ##"), "{text}");
    assert!(row("a -> b").ends_with("50 %     1  #."), "{text}");
    assert!(row("b -> a").ends_with("0 %     2  .."), "{text}");
    // The fullest comes first.
    assert!(text.lines().nth(1).unwrap().starts_with("a -> d"), "{text}");
    assert!(links(&schedule, &[1], 80).contains("1 of 8 channel-steps"));
    assert!(links(&schedule, &[], 80).contains("0 of 0 channel-steps"));
}

#[test]
fn half_duplex_links_are_one_row() {
    let mut value = get("ring-slack");
    for c in 0..8 {
        value["network"]["channels"][c]["excludes"] = json!(c ^ 1);
    }
    let text = links(&file(value), &[0, 1], 80);
    let row = text.lines().find(|line| line.starts_with("d -- a")).unwrap();
    assert!(row.ends_with("100 %     0  ##"), "{text}");
    assert!(text.contains("of 4 links"), "{text}");
}

/// A schedule of `n` steps in which another vertex sends in each.
fn thin(n: usize) -> Value {
    let name = |i: usize| format!("v{i}");
    let mut value = get("path-oas");
    value["network"]["channels"] = json!([]);
    value["network"]["vertices"] =
        (0..n).map(|i| json!({"name": name(i), "terminal": true})).collect();
    let transfer = |i: usize| {
        let message = json!({"source": name(i), "destination": "v0"});
        json!([{"message": message, "from": name(i), "to": "v0", "channels": []}])
    };
    value["steps"] = (0..n).map(transfer).collect();
    value
}

#[test]
fn long_thin_tables_take_little_memory() {
    // As rows times columns, this table has a hundred million cells.
    let text = schedule(&file(thin(10_000)));
    assert!(text.len() < 2_000_000, "{} characters", text.len());
    for row in ["v1 ", "v5000 ", "v9999 "] {
        assert_eq!(text.lines().filter(|line| line.starts_with(row)).count(), 1, "{row}");
    }
}

#[test]
fn deep_trees_are_not_repeated() {
    let n = 3000;
    let name = |i: usize| format!("v{i}");
    let mut value = thin(n);
    value["model"]["collective"] = json!("oab");
    value["model"]["senders"] = json!(["v0"]);
    // A path to the middle, from where all others get the message.
    let transfer = |i: usize| {
        let from = name(i.min(n / 2));
        json!([{"message": {"source": "v0"}, "from": from, "to": name(i + 1), "channels": []}])
    };
    value["steps"] = (0..n - 1).map(transfer).collect();
    let text = schedule(&file(value));
    assert!(text.len() < 1_000_000, "{} characters", text.len());
    assert!(
        text.contains("v0-v1-v2-") && text.contains("..-") && text.contains("-x*"),
        "{text:.500}"
    );
}

#[test]
fn sums_of_several_contributions_are_named_or_counted() {
    use ccsched::network::spec;
    use ccsched::problem::{Collective, Request, Switching};
    let switching = Switching::StoreAndForward;
    let shown = |collective, topology: &str| {
        let request = Request { switching, ..Request::new(collective) };
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let solution = ccsched::solve(&problem, &ccsched::Options::default()).unwrap();
        schedule(&solution.schedule().unwrap())
    };
    let sums = shown(Collective::AllReduceWhole, "hypercube:4");
    assert!(sums.starts_with("ALL-REDUCE of one part in 4 steps"), "{sums}");
    assert!(sums.contains("(8 added)") && sums.contains('+'), "{sums}");
    let barrier = shown(Collective::Barrier, "ring:5");
    assert!(barrier.contains("0     1,4  1,4\n"), "{barrier}");
}
