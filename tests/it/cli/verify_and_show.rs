//! `verify` and `show` from outside: output and exit status.

use crate::support::program::{Desk, Ended};
use crate::support::small::{NAMES, get};
use ccsched::schedule::ScheduleFile;
use ccsched::show::schedule;
use serde_json::{Value, json};

fn shown(file: Value) -> String {
    schedule(&serde_json::from_value::<ScheduleFile>(file).unwrap())
}

#[test]
fn verify_tells_valid_broken_and_unreadable_files_apart() {
    let desk = Desk::new();
    for name in NAMES {
        desk.write(&format!("{name}.json"), get(name).to_string());
    }
    let ended = desk.run("verify path-oas.json ring-slack.json saf-oas.json").with(0);
    assert_eq!(
        ended.out,
        "path-oas.json: valid: oas of \"ab bc\" in 2 steps, bound 2 (ports), optimal over shortest paths\n\
         ring-slack.json: valid: oas of \"ab bc cd da\" in 2 steps\n\
         saf-oas.json: valid: oas of \"ab bc\" in 2 steps, bound 2 (eccentricity), optimal over shortest paths\n"
    );
    assert_eq!(ended.err, "");

    let mut searched = get("ring-slack");
    searched["bounds"] = json!([{"name": "search", "steps": 2, "certified": false}]);
    desk.write("searched.json", searched.to_string());
    let out = desk.out("verify searched.json");
    assert!(out.ends_with("in 2 steps; the file claims a bound of 2 (search), unchecked\n"));

    let mut broken = get("path-oas");
    broken["steps"][1] = json!([]);
    desk.write("broken.json", broken.to_string());
    let out = desk.run("verify broken.json saf-oab.json").with(1).out;
    assert!(out.starts_with("broken.json: completeness: 'b' never gets the message of 'a'\n"));
    assert!(out.contains("saf-oab.json: valid"), "{out}");

    desk.write("half.json", &get("path-oas").to_string()[..300]);
    let Ended { out, err, .. } = desk.run("verify none.json half.json saf-oab.json").with(2);
    assert!(out.contains("saf-oab.json: valid"), "the others are checked: {out}");
    assert!(err.contains("none.json: No such file"), "{err}");
    assert!(err.contains("half.json:1: the file is cut short"), "{err}");
}

#[test]
fn show_prints_every_kind() {
    let desk = Desk::new();
    for name in NAMES {
        desk.write(name, get(name).to_string());
        let Ended { out, err, .. } = desk.run(&format!("show {name}")).with(0);
        assert_eq!((out, err.as_str()), (shown(get(name)), ""));
    }
    desk.refuse("show none", &[]);
}

#[test]
fn scatters_are_tables() {
    let mut file = get("ring-slack");
    assert_eq!(
        shown(file.clone()),
        "OAS in 2 steps on ab bc cd da, wormhole\n\nsrc  1    2\na    b,c  d\n"
    );
    file["model"]["switching"] = json!("wormhole");
    file["steps"][0][0]["message"]["source"] = json!("d");
    assert!(shown(file).ends_with("src  1  2\na    c  d\nd    b\n"));
    assert_eq!(
        shown(get("saf-oas")),
        "OAS in 2 steps on ab bc, store-and-forward\n\n\
         from  1       2\n\
         a     b(a>c)  b(a>b)\n\
         b             c(a>c)\n"
    );
}

#[test]
fn wide_tables_are_folded() {
    let mut file = get("path-oas");
    let step = file["steps"][0].clone();
    file["steps"] = (0..60).map(|_| step.clone()).collect();
    let text = shown(file);
    assert!(text.lines().all(|l| l.len() <= 100), "{text}");
    let heads: Vec<_> = text.lines().filter(|l| l.starts_with("src")).collect();
    assert_eq!(heads.len(), 3, "{text}");
    assert!(heads[0].starts_with("src  1  2  3") && heads[2].ends_with("  60"), "{text}");
    let cells: usize =
        text.lines().filter(|l| l.starts_with("a ")).map(|l| l.matches('c').count()).sum();
    assert_eq!(cells, 60);
}

#[test]
fn broadcasts_are_trees_with_x_for_waiting() {
    // The first row of table 4 of umda-diameter-degree-networks: the message of 0 on Kautz12.
    let row = "0-3-1 0-3-2 | 0-4-x-x-9 0-4-x-x-A 0-4-x-x-B | 0-5-x-6 0-5-x-x-7 0-5-x-x-8";
    let mut steps = vec![json!([]); 4];
    let mut sent = std::collections::HashSet::new();
    for chain in row.split(' ').filter(|c| *c != "|") {
        let mut at = "0";
        for (step, place) in chain.split('-').skip(1).enumerate().filter(|(_, p)| *p != "x") {
            if sent.insert(place) {
                let transfer =
                    json!({"message": {"source": "0"}, "from": at, "to": place, "channels": []});
                steps[step].as_array_mut().unwrap().push(transfer);
            }
            at = place;
        }
    }
    let mut file = get("ring-oab");
    file["model"]["senders"] = json!(["0"]);
    file["steps"] = json!(steps);
    let text = shown(file.clone());
    assert_eq!(text.lines().last(), Some(format!("0    {row}").as_str()));
    // Transfers outside the tree are shown, too.
    let odd = json!({"message": {"source": "0"}, "from": "Z", "to": "3", "channels": []});
    file["steps"][2].as_array_mut().unwrap().push(odd);
    assert!(shown(file).ends_with(" | no tree: Z-3@3\n"));
}

#[test]
fn show_has_views() {
    let desk = Desk::with(&[("s.json", &get("ring-slack").to_string())]);
    let out = desk.out("show s.json --step 2");
    assert!(out.ends_with("step 2: 1 transfer, 1 channel\n  a>d  a -> d\n"), "{out}");
    let out = desk.out("show s.json --node b --links");
    assert!(out.contains("passes   a>c") && out.contains("channel-steps are used"), "{out}");
    assert!(!out.contains("a>d"), "{out}");
    let files = desk.run("show s.json --svg all.svg --html p.html").with(0);
    assert_eq!(files.told(), "");
    assert!(desk.read("all.svg").contains("step 2 of 2"));
    assert!(desk.read("p.html").contains("id=\"data\""));
    desk.out("show s.json --svg pictures/");
    assert!(desk.read("pictures/step-2.svg").contains("message of a for d"));
    for (args, why) in [
        ("--step 3", "s.json: --step: there is no step 3; the schedule has 2"),
        ("--step 0", "steps are whole numbers from 1"),
        ("--node z", "has no vertex 'z'"),
        ("s.json --html p.html", "--html: name one schedule file, not 2"),
        ("--svg no/such/folder.svg", "no/such"),
        ("--html s.json", "--html: s.json is the file that the command reads"),
    ] {
        desk.refuse(&format!("show s.json {args}"), &[why]);
    }
}
