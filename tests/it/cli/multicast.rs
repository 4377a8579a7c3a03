//! Copies and sums in switches: figures that are known, what is told beside them, and which programs
//! refuse such schedules.

use crate::support::program::Desk;
use ccsched::verify::verify;
use serde_json::Value;

/// The line of a problem, whose schedule is valid.
fn solved(desk: &Desk, args: &str) -> Value {
    let solve = "solve --json -q --islands 2 --time-limit 60 --multicast switch --force -o s.json";
    let line = desk.json(&format!("{solve} {args}"));
    assert!(verify(&desk.schedule("s.json")).is_empty(), "{args}");
    line
}

#[test]
fn known_figures_are_reached() {
    let desk = Desk::new();
    for (args, steps, channel_steps) in [
        // One tree of shortest paths.
        ("-t mesh:4x4 -c oab", 1, 15),
        ("-t mesh:4x4 -c reduce --source 11", 1, 15),
        // Each host sends its contribution to each part up once, and gets each sum once.
        ("-t dgx-a100:1 -c all-reduce --switching hosts", 8, 128),
    ] {
        let line = solved(&desk, args);
        assert_eq!(line["steps"], steps, "{args}: {line}");
        assert_eq!(line["channel_steps"], channel_steps, "{args}: {line}");
        assert_eq!(line["optimal"], true, "{args}: {line}");
        assert_eq!(line["multicast"], "switch");
    }
    // Two messages at least in each of seven steps, for a host gets nothing of its own: 14 and 56.
    for collective in ["aab", "reduce-scatter"] {
        let line = solved(&desk, &format!("-t dgx-a100:1 -c {collective} --switching hosts"));
        assert_eq!(line["steps"], 7, "{line}");
        let channel_steps = line["channel_steps"].as_u64().unwrap();
        assert!((70..=90).contains(&channel_steps), "{line}");
    }
    for hosts in [2, 3, 5, 12] {
        let links: String = (0..hosts).map(|host| format!("h{host} sw\n")).collect();
        desk.write("star.edges", links);
        let star = "-t star.edges --read terminals=!sw";
        let line = solved(&desk, &format!("{star} -c all-reduce --switching hosts"));
        assert_eq!(line["steps"], hosts, "{line}");
    }
}

#[test]
fn what_hosts_need_for_the_same_is_told_beside_it() {
    let desk = Desk::new();
    let line = solved(&desk, "-t mesh:4x4 -c oab");
    assert_eq!(line["by_terminals"]["lower_bound"], 3, "{line}");
    let told =
        desk.out("solve -t dgx-a100:1 -c all-reduce --switching hosts --multicast switch -q");
    let part =
        "copies by terminals alone take at least 14 steps (volume bound) and 224 channel-steps";
    assert!(told.contains(part), "{told}");
    assert!(told.contains("copies in switches,"), "{told}");
}

#[test]
fn no_schedule_is_longer_than_without_trees() {
    let desk = Desk::new();
    for args in [
        "-t dgx1:2 -c aab --switching hosts",
        "-t petersen -c aab",
        "-t rail:2,3,3 -c all-reduce --switching hosts",
    ] {
        let plain = desk.json(&format!("solve --json -q --islands 1 --iterations 400 {args}"));
        let line = solved(&desk, args);
        assert!(line["steps"].as_u64() <= plain["steps"].as_u64(), "{args}: {line}");
    }
}

#[test]
fn programs_without_trees_refuse_them() {
    let desk = Desk::new();
    solved(&desk, "-t dgx-a100:1 -c aab --switching hosts");
    let words = ["none that switches copy or add up"];
    for format in ["mpi-c", "goal", "simgrid", "msccl-xml", "slots", "preload"] {
        desk.refuse(&format!("export s.json --to {format} -o exported"), &words);
    }
    let csv = desk.out("export s.json --to csv");
    assert_eq!(csv.lines().filter(|line| line.contains("s0.0")).count(), 56, "{csv}");
    desk.refuse("show s.json --html page.html", &words);
    desk.refuse("repair s.json --fail 3", &words);
    desk.refuse("tradeoff -t dgx-a100:1 -c aab --switching hosts --multicast switch", &words);
    for args in [
        "-t mesh:4x4 -c aas",
        "-t mesh:4x4 -c oab --switching sf",
        "-t ring:5 -c oab --switching hosts",
        "-t mesh:4x4 -c barrier",
    ] {
        desk.refuse(&format!("solve -q --multicast switch {args}"), &["--multicast"]);
    }
    let unknown = "solve -q -t mesh:4x4 -c oab --multicast hosts";
    desk.refuse(unknown, &["neither none nor switch"]);
}

#[test]
fn trees_show_each_channel_once() {
    let desk = Desk::new();
    solved(&desk, "-t mesh:4x4 -c oab");
    let numbers = desk.json("show s.json --json");
    assert_eq!(numbers["channel_steps"], 15, "{numbers}");
    let loads = numbers["links"].as_array().unwrap().iter().map(|link| link["load"].as_u64());
    assert_eq!(loads.flatten().max(), Some(1), "{numbers}");
    let links = desk.out("show s.json --links");
    assert!(!links.contains('!'), "{links}");
}
