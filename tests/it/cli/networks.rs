//! `faults`, `topology A B`, `repair` and `verify --diff` from outside.

use crate::support::program::Desk;

#[test]
fn networks_are_compared() {
    let desk = Desk::new();
    let out = desk.out("topologies compare -t ring:6 -t mesh:2x3 -c aas -q --csv rows.csv");
    assert!(out.contains("| ring:6   |        aas |"), "{out}");
    assert_eq!(desk.read("rows.csv").lines().count(), 3);
    desk.out("topology ring:6 mesh:2x3 -q --svg p");
    let picture = desk.read("p-networks.svg");
    assert!(picture.contains("aab, wormhole") && picture.contains("mesh:2x3"));
    desk.out("topology ring:6 mesh:2x3 -q --svg p.svg");
    assert_eq!(desk.read("p.svg"), picture);
    for (line, why) in [
        ("topology ring:6 mesh:2x3 -o n.toml", "--output: name one network, not 2"),
        (
            "topology ring:6 -c aas -o n.toml",
            "--output: it is not for a comparison, as --collective is",
        ),
        ("topology ring:6 --json --svg r.svg", "--json: it cannot be used with --svg"),
    ] {
        desk.refuse(line, &[why]);
    }
}

/// Subcommands by older names work, and a line names the newer ones.
#[test]
fn older_names_of_subcommands_are_told() {
    let desk = Desk::new();
    desk.out(
        "solve -t ring:4 -c aas -o s.json -q --progress csv=t.csv --engine hgsa --iterations 20",
    );
    for (old, new) in [
        ("topologies compare -t ring:4 -t mesh:2x2 -c aas -q", "topology"),
        ("resilience -t ring:4 --faults 1 --samples 2", "faults sample"),
        ("trace t.csv -o t.svg", "show"),
        ("diff s.json s.json", "verify --diff"),
    ] {
        let ended = desk.run(old).with(0);
        let line = format!("is now written {new}");
        assert!(ended.err.contains(&line), "{old}: {}", ended.err);
    }
    assert!(desk.at("t.svg").exists());
    desk.refuse("show t.csv", &["draw it with --svg"]);
    desk.refuse("show t.csv --svg t.svg --paths", &["--paths: it is for schedules"]);
    desk.refuse("verify --diff s.json", &["--diff: name two files"]);
    desk.refuse("verify s.json s.json --by link", &["--diff"]);
    desk.refuse(
        "compare -t ring:4 -c aas --run umda --runs 1 --iterations 1 --svg one.svg",
        &["PREFIX"],
    );
}

/// `solve`, `bound` and `compare` take several networks, other commands do not.
#[test]
fn commands_take_several_networks() {
    let desk = Desk::new();
    let two = "-t ring:4 -t mesh:2x2";
    let bounds = desk.out(&format!("bound {two} -c aas --json"));
    assert!(bounds.lines().count() == 2 && bounds.contains(r#""topology":"mesh:2x2""#), "{bounds}");
    let solved = desk.run(&format!("solve {two} -c aas,oab --json -o ."));
    assert_eq!(solved.out.lines().count(), 4, "{}", solved.err);
    desk.out("verify ring-4-aas.json mesh-2x2-aas.json ring-4-oab.json mesh-2x2-oab.json");
    let line = format!("compare {two} -c aas --run umda --iterations 2 --runs 1 --json");
    let compared = desk.run(&line);
    assert_eq!(compared.out.lines().count(), 2, "{}", compared.err);
    for (line, why) in [
        ("solve -t ring:4 -t ring:4 -o .", "two networks would be saved in ./ring-4.json"),
        ("solve -t ring:4 -t ring:5 -o s.json", "s.json is no folder"),
        ("solve -t ring:4 -t ring:5 --checkpoint c", "--checkpoint: it is for one network"),
        ("solve -t ring:4 -t ring:x", "ring:x"),
        ("routes -t ring:4 -t ring:5", "one network is needed here, not ring:4 and ring:5"),
    ] {
        desk.refuse(line, &[why]);
    }
}

#[test]
fn broken_links_are_sampled() {
    let desk = Desk::new();
    let line = "faults sample -t mesh:2x3 --faults 1,2 --samples 3 -q --csv r.csv --svg r";
    let first = desk.out(line);
    assert_eq!(first.lines().count(), 2 + 3);
    assert_eq!(desk.out(line), first);
    assert!(desk.at("r-resilience.svg").exists());
}

#[test]
fn a_repair_is_saved_and_its_changes_are_listed() {
    let desk = Desk::new();
    desk.out("solve -t mesh:3x3 -c aas -q -o old.json");
    let out = desk.out("repair old.json --fail-link 00-01 --frontier --svg p -o new.json");
    assert!(out.contains("messages kept") && out.contains("steps  changed"), "{out}");
    assert!(desk.read("p-frontier.svg").contains("change in every repair"));
    let quiet = desk.run("repair old.json --fail-link 00-01 --frontier -q").out;
    assert!(!quiet.contains("steps  changed"), "{quiet}");
    desk.out("verify new.json");
    assert!(desk.out("verify --diff old.json old.json").contains("72 messages kept, 0 changed"));
    desk.run("verify --diff old.json new.json").with(1);
    let by_link = desk.run("verify --diff old.json new.json --by link").out;
    assert!(by_link.contains("00->01  "), "{by_link}");
    let line = &desk.run("verify --diff old.json new.json --json").lines()[0];
    assert!(!line["changed"].as_array().unwrap().is_empty());
    let patch = desk.run("export new.json --to slots --since old.json --node 00");
    assert!(patch.out.contains("\n-,00,"), "{}", patch.err);
    desk.refuse("export new.json --to slots --since old.json -o old.json", &[]);
    // What was broken is there again: the messages go home.
    desk.out("repair new.json -t mesh:3x3 --keep-steps -o back.json");
    let gone = desk.run("repair old.json --fail-node 11 -o less.json").out;
    assert!(gone.contains("16 dropped"), "{gone}");
    desk.refuse("repair old.json --fail-link 00-99 -o x.json", &[]);
}
