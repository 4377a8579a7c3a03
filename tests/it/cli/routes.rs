//! `ccsched routes`, and tables of routes with `ccsched solve`, from outside.

use assert_cmd::Command;
use serde_json::Value;

fn run(args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("ccsched").unwrap().args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn compares_the_routings_of_a_network() {
    let (status, out, err) = run(&["routes", "-t", "mesh:3x3", "--json"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let rows = lines(&out);
    let names: Vec<&str> = rows.iter().map(|row| row["routing"].as_str().unwrap()).collect();
    assert_eq!(names, ["updown", "dimension-order", "balanced", "destination", "minimal"]);
    for row in &rows {
        assert!(row["lower_bound"].as_u64() <= row["steps"].as_u64(), "{row}");
    }
    assert_eq!(rows[0]["cycle"].as_array().unwrap().len(), 0);
    assert_eq!(rows[1]["longest_route"], 4);
    let (_, out, _) = run(&["routes", "-t", "mesh:3x3"]);
    assert!(out.contains("| routing "), "{out}");
    assert!(out.lines().any(|line| line.starts_with("dmodk is for fat trees")), "{out}");
}

#[test]
fn saves_the_best_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("routed.toml");
    let file = path.to_str().unwrap();
    let (status, _, err) = run(&["routes", "-t", "fat-tree:8", "-o", file]);
    assert_eq!(status, 0, "{err}");
    let (status, out, err) = run(&["solve", "-t", file, "--json"]);
    assert_eq!(status, 0, "{err}");
    let row = &lines(&out)[0];
    assert_eq!((&row["routing"], &row["steps"]), (&"static".into(), &7.into()), "{row}");
    let (_, out, _) = run(&["routes", "-t", file, "--routings", "static,minimal", "--json"]);
    assert_eq!(lines(&out)[0]["steps"], 7);
}

#[test]
fn says_what_does_not_fit() {
    let (status, _, err) = run(&["routes", "-t", "ring:4", "--routings", "dmodk"]);
    assert_eq!(status, 2);
    assert!(err.contains("--routings: dmodk") && err.contains("fat trees"), "{err}");
    let args = ["routes", "-t", "ring:4", "--routings", "minimal", "-o", "-"];
    let (status, _, err) = run(&args);
    assert_eq!(status, 2);
    assert!(err.contains("--output") && err.contains("table of routes"), "{err}");
    let (status, _, err) = run(&["solve", "-t", "ring:4", "--routing", "shortest"]);
    assert_eq!(status, 2);
    assert!(err.contains("updown") && err.contains("balanced"), "{err}");
    let (status, _, err) = run(&["solve", "-t", "ring:4", "-c", "aab", "--routing", "updown"]);
    assert_eq!(status, 2);
    assert!(err.contains("updown") && err.contains("broadcast"), "{err}");
}

#[test]
fn of_all_collectives_broadcasts_take_shortest_paths() {
    let args = ["solve", "-t", "ring:4", "-c", "all", "--routing", "updown", "--json"];
    let (status, out, err) = run(&args);
    assert_eq!(status, 0, "{err}");
    let said: Vec<String> = lines(&out)
        .iter()
        .map(|row| format!("{} {}", row["collective"], row["routing"]).replace('"', ""))
        .collect();
    assert_eq!(said, ["oab minimal", "aab minimal", "oas updown", "aas updown"]);
    assert!(err.contains("oab is a broadcast") && err.contains("minimal"), "{err}");
}

#[test]
fn dependencies_of_channels_are_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let verdict = |args: &[&str]| {
        let (status, out, err) = run(args);
        assert_eq!(status, 0, "{args:?}: {err}");
        out.lines().last().unwrap_or_default().to_string()
    };
    let dot = path("mesh.dot");
    let mesh = ["topology", "mesh:3x3", "--dependencies", &dot];
    assert!(verdict(&mesh).contains("a cycle of"), "shortest paths turn every way");
    let text = std::fs::read_to_string(&dot).unwrap();
    assert!(text.contains("digraph") && text.contains("[color=red]"), "{text}");
    for routing in ["updown", "dimension-order"] {
        let args = [&mesh[..], &["--routing", routing]].concat();
        assert!(verdict(&args).ends_with("no cycle, so no deadlock"), "{routing}");
        let text = std::fs::read_to_string(&dot).unwrap();
        assert!(!text.contains("red") && text.lines().count() > 20, "{text}");
    }
    // A schedule over up*/down* routes has no other dependencies than these.
    let (file, graph) = (path("s.json"), path("s.dot"));
    let args = ["solve", "-t", "mesh:3x3", "-c", "aas", "--routing", "updown", "-o", &file];
    assert_eq!(run(&args).0, 0);
    assert!(verdict(&["show", &file, "--dependencies", &graph]).ends_with("no deadlock"));
    let table = [&mesh[..], &["--routing", "updown"]].concat();
    run(&table);
    assert_eq!(std::fs::read_to_string(&graph).unwrap(), std::fs::read_to_string(&dot).unwrap());
    let (status, _, err) = run(&["topology", "mesh:3x3", "--routing", "updown"]);
    assert!(status == 2 && err.contains("--dependencies"), "{err}");
    let args = [&mesh[..], &["--routing", "slack:1"]].concat();
    let (status, _, err) = run(&args);
    assert!(status == 2 && err.contains("it fixes no routes"), "{err}");
}

#[test]
fn the_best_table_of_a_fabric_is_one_that_opensm_loads() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("best.lft");
    let tables = tables.to_str().unwrap();
    let fabric = concat!(env!("CARGO_MANIFEST_DIR"), "/topologies/leaf-spine.ibnetdiscover");
    let read = ["-t", fabric, "--equal-links", "--json"];
    let (_, _, err) = run(&[&["routes", "--lft", tables], &read[..]].concat());
    assert!(err.contains("--lft: ") && err.contains("separate"), "{err}");
    let (status, out, err) =
        run(&[&["routes", "--lft", tables, "--separate-cables"], &read[..]].concat());
    assert_eq!(status, 0, "{err}");
    let rows = lines(&out);
    // What is read back has as many steps as one of the tables.
    let (status, out, err) =
        run(&[&["solve", "-q", "-c", "aas", "--routes", tables], &read[..]].concat());
    assert_eq!(status, 0, "{err}");
    let steps = &lines(&out)[0]["steps"];
    assert!(rows.iter().any(|row| row["steps"] == *steps), "{steps}: {rows:?}");
    let (status, _, err) = run(&["routes", "-t", "ring:4", "--lft", tables]);
    assert!(status == 2 && err.contains("'ring:4' is no file of a fabric"), "{err}");
}

#[test]
fn prints_the_load_of_each_table_and_says_which_to_take() {
    let args = ["routes", "-t", "mesh:3x3", "--fail-node", "11", "-c", "aas", "--routings"];
    let list = ["updown,destination,minimal"];
    let (status, out, err) = run(&[&args[..], &list, &["--json"]].concat());
    assert_eq!(status, 0, "{err}");
    let rows = lines(&out);
    // A ring of eight.
    for row in &rows[..2] {
        assert!(
            row["load"].as_u64() >= Some(8) && row["load"].as_u64() <= row["steps"].as_u64(),
            "{row}"
        );
    }
    assert_eq!(rows[0]["layers"], 1);
    assert!(rows[1]["layers"].as_u64() > Some(1) && rows[2]["load"].is_null(), "{rows:?}");
    let (_, out, _) = run(&[&args[..], &list].concat());
    assert!(
        out.contains("Take destination: ") && out.contains("Without virtual channels take updown"),
        "{out}"
    );
    // Some hosts, and a gather.
    let args =
        ["routes", "-t", "mesh:4x4", "--host-list", "00,13,22", "--routings", "xy", "--json"];
    let (status, out, err) = run(&args);
    assert_eq!((status, lines(&out)[0]["steps"].as_u64()), (0, Some(2)), "{err}");
    let (status, _, err) = run(&["routes", "-t", "ring:4", "-c", "all"]);
    assert!(status == 2 && err.contains("--collective: name one"), "{err}");
}

#[test]
fn saves_the_service_levels_of_the_best_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("levels.csv");
    let file = path.to_str().unwrap();
    let args = ["routes", "-t", "ring:6", "--routings", "destination", "--service-levels", file];
    let (status, _, err) = run(&args);
    assert_eq!(status, 0, "{err}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().next(), Some("from,to,level"));
    assert_eq!(text.lines().count(), 31);
    assert!(text.lines().any(|line| line.ends_with(",1")) && !text.contains(",2\n"), "{text}");
}
