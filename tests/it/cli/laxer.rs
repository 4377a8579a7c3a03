//! Laxer rules: an optimal schedule is told beside the bound under rules that allow more.

use crate::support::program::Desk;

fn solve(args: &str) -> String {
    Desk::new().out(&format!("solve {args}"))
}
#[test]
fn rules_under_which_fewer_steps_may_do_are_told() {
    let ports = solve("-t complete:5 -c aas --ports 1 -q");
    assert!(
        ports.contains("optimal: no schedule over shortest paths with 1 port has fewer"),
        "{ports}"
    );
    assert!(ports.contains("more ports may allow 1 step: --ports all ("), "{ports}");
    let line = solve("-t complete:5 -c aas --ports 1 --json");
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["laxer"][0]["options"], "--ports all");
    assert_eq!(line["laxer"][0]["lower_bound"], 1);
    // What laxer rules allow is found under them.
    assert!(solve("-t complete:5 -c aas -q").contains("1 step, optimal"));
    let fixed = solve("-t ring:8 -c aas --routing updown -q");
    assert!(fixed.contains("over its updown routes has fewer"), "{fixed}");
    let minimal = solve("-t debruijn:2,3 -c aas --switching sf --routing minimal -q");
    assert!(minimal.contains("longer paths may allow 9 steps: --routing any"), "{minimal}");
    assert!(fixed.contains("other paths take 8 steps at once: --routing minimal"), "{fixed}");
}

/// The routes of a dragonfly are fixed, and some are longer than shortest paths; they have a construction at the bound.
#[test]
fn what_a_constructor_makes_under_other_rules_is_told() {
    let line = solve("-t dragonfly:4,2,2 -c aas --islands 1 --iterations 1 --json");
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(line["steps"].as_u64() > Some(71), "{line}");
    let told = serde_json::json!([{"options": "--routing lgl", "lower_bound": 71, "bound": "ports", "steps": 71}]);
    assert_eq!(line["laxer"], told);
    let lgl = solve("-t dragonfly:4,2,2 -c aas --routing lgl -q");
    assert!(lgl.contains("71 steps, optimal") && !lgl.contains("at once"), "{lgl}");
}

#[test]
fn nothing_is_told_where_no_rule_helps() {
    let all = solve("-t petersen -c aas -q");
    assert!(all.contains("optimal") && !all.contains("may allow"), "{all}");
    let line = solve("-t petersen -c aas --json");
    assert!(!line.contains("laxer"), "{line}");
}
