//! `ccsched routes`, and tables of routes with `ccsched solve`, from outside.

use crate::support::program::{Desk, example};

#[test]
fn compares_the_routings_of_a_network() {
    let desk = Desk::new();
    let ended = desk.run("routes -t mesh:3x3 --json").with(0);
    assert_eq!(ended.err, "");
    let rows = ended.lines();
    let names: Vec<&str> = rows.iter().map(|row| row["routing"].as_str().unwrap()).collect();
    assert_eq!(names, ["updown", "dimension-order", "balanced", "destination", "minimal"]);
    for row in &rows {
        assert!(row["lower_bound"].as_u64() <= row["steps"].as_u64(), "{row}");
    }
    assert_eq!(rows[0]["cycle"].as_array().unwrap().len(), 0);
    assert_eq!(rows[1]["longest_route"], 4);
    let out = desk.out("routes -t mesh:3x3");
    assert!(out.contains("| routing "), "{out}");
    assert!(out.lines().any(|line| line.starts_with("dmodk is for fat trees")), "{out}");
}

#[test]
fn saves_the_best_table() {
    let desk = Desk::new();
    desk.out("routes -t fat-tree:8 -o routed.toml");
    let row = desk.json("solve -t routed.toml --json");
    assert_eq!((&row["routing"], &row["steps"]), (&"static".into(), &7.into()), "{row}");
    let rows = desk.run("routes -t routed.toml --routings static,minimal --json").lines();
    assert_eq!(rows[0]["steps"], 7);
}

#[test]
fn says_what_does_not_fit() {
    let desk = Desk::new();
    for (args, words) in [
        ("routes -t ring:4 --routings dmodk", ["--routings: dmodk", "fat trees"]),
        ("routes -t ring:4 --routings minimal -o -", ["--output", "table of routes"]),
        ("solve -t ring:4 --routing shortest", ["updown", "balanced"]),
        ("solve -t ring:4 -c aab --routing updown", ["updown", "broadcast"]),
        ("routes -t ring:4 -c all", ["--collective: name one", ""]),
        ("routes -t ring:4 --lft best.lft", ["'ring:4' is no file of a fabric", ""]),
    ] {
        let err = desk.run(args).with(2).err;
        assert!(words.iter().all(|word| err.contains(word)), "{args}: {err}");
    }
}

#[test]
fn of_all_collectives_broadcasts_take_shortest_paths() {
    let ended = Desk::new().run("solve -t ring:4 -c all --routing updown --json").with(0);
    let said: Vec<String> = ended
        .lines()
        .iter()
        .map(|row| format!("{} {}", row["collective"], row["routing"]).replace('"', ""))
        .collect();
    assert_eq!(said, ["oab minimal", "aab minimal", "oas updown", "aas updown"]);
    let err = ended.err;
    assert!(err.contains("oab is a broadcast") && err.contains("minimal"), "{err}");
}

#[test]
fn dependencies_of_channels_are_a_graph() {
    let desk = Desk::new();
    let verdict = |args: &str| desk.out(args).lines().last().unwrap_or_default().to_string();
    let mesh = "topology mesh:3x3 --dependencies mesh.dot";
    assert!(verdict(mesh).contains("a cycle of"), "shortest paths turn every way");
    let text = desk.read("mesh.dot");
    assert!(text.contains("digraph") && text.contains("[color=red]"), "{text}");
    for routing in ["updown", "dimension-order"] {
        let said = verdict(&format!("{mesh} --routing {routing}"));
        assert!(said.ends_with("no cycle, so no deadlock"), "{routing}");
        let text = desk.read("mesh.dot");
        assert!(!text.contains("red") && text.lines().count() > 20, "{text}");
    }
    // A schedule over up*/down* routes has no other dependencies than these.
    desk.out("solve -t mesh:3x3 -c aas --routing updown -o s.json");
    assert!(verdict("show s.json --dependencies s.dot").ends_with("no deadlock"));
    desk.out(&format!("{mesh} --routing updown"));
    assert_eq!(desk.read("s.dot"), desk.read("mesh.dot"));
    desk.refuse("topology mesh:3x3 --routing updown", &["--dependencies"]);
    desk.refuse(&format!("{mesh} --routing slack:1"), &["it fixes no routes"]);
}

#[test]
fn the_best_table_of_a_fabric_is_one_that_opensm_loads() {
    let desk = Desk::new();
    let read = format!("-t {} --equal-links --json", example("leaf-spine.ibnetdiscover"));
    let err = desk.run(&format!("routes --lft best.lft {read}")).err;
    assert!(err.contains("--lft: ") && err.contains("separate"), "{err}");
    let rows = desk.run(&format!("routes --lft best.lft --separate-cables {read}")).with(0).lines();
    // What is read back has as many steps as one of the tables.
    let steps = &desk.json(&format!("solve -q -c aas --routes best.lft {read}"))["steps"];
    assert!(rows.iter().any(|row| row["steps"] == *steps), "{steps}: {rows:?}");
}

#[test]
fn prints_the_load_of_each_table_and_says_which_to_take() {
    let desk = Desk::new();
    let args = "routes -t mesh:3x3 --fail-node 11 -c aas --routings updown,destination,minimal";
    let rows = desk.run(&format!("{args} --json")).with(0).lines();
    // A ring of eight.
    for row in &rows[..2] {
        let load = row["load"].as_u64();
        assert!(load >= Some(8) && load <= row["steps"].as_u64(), "{row}");
    }
    assert_eq!(rows[0]["layers"], 1);
    assert!(rows[1]["layers"].as_u64() > Some(1) && rows[2]["load"].is_null(), "{rows:?}");
    let out = desk.out(args);
    assert!(
        out.contains("Take destination: ") && out.contains("Without virtual channels take updown"),
        "{out}"
    );
    // Some hosts, and a gather.
    let args = "routes -t mesh:4x4 --host-list 00,13,22 --routings xy --json";
    assert_eq!(desk.json(args)["steps"], 2);
}

#[test]
fn saves_the_service_levels_of_the_best_table() {
    let desk = Desk::new();
    desk.out("routes -t ring:6 --routings destination --service-levels levels.csv");
    let text = desk.read("levels.csv");
    assert_eq!(text.lines().next(), Some("from,to,level"));
    assert_eq!(text.lines().count(), 31);
    assert!(text.lines().any(|line| line.ends_with(",1")) && !text.contains(",2\n"), "{text}");
}
