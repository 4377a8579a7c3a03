//! The first hour of a new user: typos, units, `-` for a stream, narrow terminals, help.

use crate::support::program::{Desk, Ended};
use ccsched::schedule::ScheduleFile;
use ccsched::verify::verify;

fn run(args: &str) -> Ended {
    Desk::new().run(args)
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn a_typo_ends_with_the_nearest_spec() {
    for (typo, meant) in [
        ("mesh8x8", "mesh:8x8"),
        ("torus:8,8", "torus:8x8"),
        ("hypercub:4", "hypercube:4"),
        ("kautz:32", "kautz:3,2"),
        ("fattree:16", "fat-tree:16"),
    ] {
        for command in ["bound -t", "topology", "topology -t", "solve -t"] {
            let Ended { out, err, status } = run(&format!("{command} {typo}"));
            assert_eq!((out.as_str(), status), ("", 2), "{command} {typo}");
            assert!(err.contains(&format!("did you mean '{meant}'?")), "{err}");
            assert!(err.contains(&format!("'{typo}'")), "{err}");
            assert!(err.lines().count() <= 3, "{err}");
        }
    }
    let err = run("topology quantum-foam:3").err;
    assert!(err.contains("no such family or file") && !err.contains("did you mean"), "{err}");
    assert!(err.contains("topology --help"), "{err}");
}

#[test]
fn topology_takes_its_network_like_the_others() {
    let place = run("topology heawood").out;
    assert!(place.starts_with("network "), "{place}");
    assert_eq!(run("topology -t heawood").out, place);
    assert_eq!(run("topology --topology heawood").out, place);
    assert_eq!(run("topology").status, 2);
    assert_eq!(run("topology heawood -t heawood").status, 2);
}

#[test]
fn a_dash_is_a_stream() {
    let desk = Desk::new();
    let on = |input: &str, args: &str| desk.pipe(input, args);
    let network = on("", "topology ring:4 -o -");
    assert_eq!(network.status, 0, "{}", network.err);
    assert!(network.out.contains("[neighbours]"), "{}", network.out);
    let described = on(&network.out, "topology -").out;
    assert!(described.contains("channels             8"), "{described}");

    let solved = on(&network.out, "solve -t - -c aas --islands 1 -o -");
    assert_eq!(solved.status, 0, "{}", solved.err);
    let file: ScheduleFile = serde_json::from_str(&solved.out).expect("a schedule and no more");
    assert_eq!(verify(&file), []);
    assert!(solved.err.contains("2 steps, optimal"), "{}", solved.err);
    assert!(!solved.err.contains("saved in"), "{}", solved.err);

    let verified = on(&solved.out, "verify -");
    assert!(verified.out.contains(": valid: aas of "), "{}", verified.out);
    let shown = on(&solved.out, "show -").out;
    assert!(shown.starts_with("AAS in 2 steps"), "{shown}");
    let pairs = on("0,1\n2,3\n", "bound -t ring:4 --pairs -");
    assert!(pairs.out.starts_with("traffic of ring:4"), "{}{}", pairs.out, pairs.err);
    // Nothing was written to a file of that name.
    assert!(desk.names().is_empty());

    for args in ["solve -t ring:4 -o - --json", "solve -t ring:4 -c all -o -"] {
        desk.refuse(args, &["--output -: "]);
    }
}

#[test]
fn times_have_units() {
    for time in ["20", "20s", "1m30s", "0.01h", "30000ms"] {
        let args = format!("solve -t ring:4 --islands 1 -q --time-limit {time} --wall-margin 1m");
        assert_eq!(run(&args).status, 0, "{time}");
    }
    for time in ["0", "-1", "soon", "5x", "1e300"] {
        run(&format!("solve -t ring:4 --time-limit {time}")).refused(&["--time-limit"]);
    }
    let begin = std::time::Instant::now();
    // Far from its optimum: it runs until the limit ends it.
    let ended = run("solve -t mesh:7x7 -c aas --engine hgsa --islands 1 -q --time-limit 300ms");
    assert!(begin.elapsed().as_secs() < 60 && ended.status <= 1, "{}", ended.err);
}

#[test]
fn a_large_or_saved_schedule_is_printed_when_asked_for() {
    let desk = Desk::new();
    let out = |args: &str| desk.run(args).out;
    let has_table = |text: &str| text.lines().any(|line| line.starts_with("src "));
    assert!(has_table(&out("solve -t ring:8 -c aas")));
    assert!(!has_table(&out("solve -t ring:8 -c aas -o a.json")));
    assert!(has_table(&out("solve -t ring:8 -c aas -o a.json --table")));
    let large = out("solve -t hypercube:5 -c aas");
    assert!(!has_table(&large) && large.contains("32 senders; --table prints"), "{large}");
    assert!(has_table(&out("solve -t hypercube:5 -c aas --table")));
}

#[test]
fn tables_fold_to_the_terminal() {
    let desk = Desk::new();
    let at = |columns: usize, args: &str| {
        let mut command = desk.command(args);
        Ended::from(command.env("COLUMNS", columns.to_string()).output().unwrap()).with(0).out
    };
    at(80, "solve -t hypercube:5 -c aas -o cube.json -q");
    at(80, "solve -t hypercube:4 -c aab -o trees.json -q");
    for columns in [40, 60, 132] {
        for args in ["show cube.json", "show trees.json", "bound -t mesh:4x4 -c all"] {
            let text = at(columns, args);
            // A heading or a chain of a tree is never folded.
            let is_long = widest(&text) > columns.max(70);
            assert!(!is_long, "{columns} columns: {args}: {}\n{text}", widest(&text));
        }
    }
    // All widths show the same entries.
    let cells = |text: String| text.split([' ', ',', '\n']).filter(|c| !c.is_empty()).count();
    let steps = |columns| at(columns, "show cube.json").matches("src ").count();
    assert!(steps(60) > steps(132));
    assert!(cells(at(60, "show cube.json")) >= cells(at(400, "show cube.json")));

    let compare = "compare -t ring:6 -c aas --run hgsa --run umda --runs 2 --evaluations 20000 -q";
    let narrow = at(80, compare);
    assert!(widest(&narrow) <= 80, "{narrow}");
    assert!(narrow.contains("| configuration "), "{narrow}");
    assert!(widest(&run(compare).out) > 80, "a pipe gets the full width");
}

#[test]
fn compare_checks_engines_before_the_first_run() {
    let sf =
        "compare -t ring:6 -c aas --switching sf --run hgsa --run umda --runs 1 --evaluations 9";
    let islands = "compare -t ring:6 -c aas --run umda:islands=4 --runs 1 --evaluations 9";
    for (args, words) in [(sf, ["--run umda", "wormhole"]), (islands, ["umda:islands=4", "serial"])]
    {
        run(args).refused(&words);
    }
}

#[test]
fn compare_without_a_target_takes_the_fewest_steps_of_all_runs() {
    let args = "compare -t ring:6 -c aas --run auto --run umda:population=4 --runs 2 \
                --evaluations 3000 --json";
    let lines = run(args).with(0).lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for line in &lines {
        assert_eq!(line["instance"], "ring:6 AAS 5 (fewest of all runs)");
    }
    // auto reaches the bound, so it defines the target.
    assert_eq!(lines[0]["successes"], 2, "{lines:?}");
    let several = "compare --instance ring:6/aas --instance ring:4/oab/2 --run auto --runs 1 \
                   --evaluations 3000";
    let out = run(several).with(0).out;
    assert!(out.contains("ring:6 AAS 5 (fewest of all runs)\n"), "{out}");
    assert!(out.contains("ring:4 OAB 2\n"), "{out}");
}

#[test]
fn a_trace_of_huge_numbers_is_drawn() {
    let desk = Desk::new();
    let head = "iteration,island,steps_sought,temperature,cost,acceptance_rate,migrations_sent,\
                migrations_accepted\n";
    let max = u64::MAX;
    let rows = [
        format!("1,1000000000000,4294967295,1.0,{max},,0,0"),
        format!("{max},0,4294967295,1.0,3,0.5,{max},0"),
        format!("{max},{max},1,0,0,0.5,0,{max}"),
    ];
    desk.write("t.csv", head.to_string() + &rows.join("\n"));
    let begin = std::time::Instant::now();
    let Ended { err, status, .. } = desk.run("show t.csv --svg t.svg");
    assert_eq!((err.as_str(), status), ("", 0));
    assert!(begin.elapsed().as_secs() < 30);
    let svg = desk.read("t.svg");
    assert!(svg.contains("island 1000000000000") && svg.contains("Search of 3 islands"), "{svg}");
    assert!(!svg.contains("lower bound"), "traces of earlier versions have none: {svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn options_stand_under_their_headings() {
    let help = run("solve --help").out;
    let heading = |flag: &str| {
        let at = help.find(&format!("{flag} ")).unwrap_or_else(|| panic!("no {flag}: {help}"));
        let is_head = |line: &&str| line.ends_with(':') && !line.starts_with(' ');
        help[..at].lines().rfind(is_head).unwrap_or_default().trim_end_matches(':').to_string()
    };
    for (flag, under) in [
        ("--topology", "Problem"),
        ("--fail", "Problem"),
        ("--islands", "Search"),
        ("--time-limit", "Search"),
        ("--steps", "Search"),
        ("--output", "Output"),
        ("--checkpoint", "Checkpoints"),
        ("--set", "Engine"),
    ] {
        assert_eq!(heading(flag), under, "{flag}");
    }
}

#[test]
fn pages_and_completions_know_the_options() {
    let desk = Desk::new();
    let Ended { err, status, .. } = desk.run("generate share");
    assert_eq!((err.as_str(), status), ("", 0));
    let read = |path: &str| desk.read(&format!("share/{path}"));
    assert!(read("man/man1/ccsched-solve.1").contains("time\\-limit"));
    assert!(read("man/man1/ccsched.1").contains("ccsched\\-solve(1)"));
    for file in [
        "bash-completion/completions/ccsched",
        "zsh/site-functions/_ccsched",
        "fish/vendor_completions.d/ccsched.fish",
    ] {
        let text = read(file);
        assert!(text.contains("time-limit") && text.contains("topology"), "{file}");
    }
    let is_there = desk.at("share/man/man1/ccsched-mpi.1").exists();
    assert_eq!(is_there, cfg!(feature = "mpi"));
    assert!(!desk.at("share/man/man1/ccsched-help.1").exists());
    assert!(!run("--help").out.contains("generate"), "it is for packagers");
}
