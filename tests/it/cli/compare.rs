//! `ccsched compare`: every run is made and counted, budgets hold for all configurations, files
//! agree with the table, and wrong input ends with status 2 before anything is written.

use crate::support::program::{Desk, Ended};
use serde_json::Value;
use std::collections::HashMap;
use std::process::{Command, Stdio};

/// Two configurations that differ in islands and in a parameter.
const TWO: &str = "--run hgsa:islands=3 --run hgsa:swaps=0";
/// Two configurations that leave conflicts on heawood in 9 steps within 100,000 evaluations.
const WEAK: &str =
    "--run hgsa:islands=3,neighbourhood=paper --run hgsa:swaps=0,neighbourhood=paper";

/// What `ccsched compare` prints, which must succeed.
fn compared(desk: &Desk, args: &str) -> String {
    desk.out(&format!("compare {args}"))
}

/// The same as lines of JSON.
fn lines_of(desk: &Desk, args: &str) -> Vec<Value> {
    desk.run(&format!("compare {args} --json")).with(0).lines()
}

/// The lines of a CSV file, by column.
fn csv_lines(desk: &Desk, name: &str) -> Vec<HashMap<String, String>> {
    csv::Reader::from_path(desk.at(name)).unwrap().deserialize().map(|line| line.unwrap()).collect()
}

/// The steps to reach are those within a share of the lower bound, 7, on instances without steps.
#[test]
fn a_gap_makes_the_target() {
    let desk = Desk::new();
    let args = "--instance kautz:3,2/aas --instance kautz:3,2/aas/7 --gap 20% --run auto \
                --runs 2 --iterations 50";
    let table = compared(&desk, args);
    assert!(table.contains("kautz:3,2 AAS 8") && table.contains("kautz:3,2 AAS 7"), "{table}");
    desk.refuse("compare -t petersen --steps 5 --gap 1% --run auto --iterations 1", &[]);
}

#[test]
fn every_run_is_made_in_turn_and_counted() {
    let desk = Desk::new();
    let args = "--instance kautz:3,2/aas/7 --instance ring:4/oab/2 --runs 3 --seed 5 \
                --evaluations 50000000 --csv runs.csv";
    let table = compared(&desk, &format!("{args} {TWO}"));
    for word in ["kautz:3,2 AAS 7", "ring:4 OAB 2", "3 of 3", "12 of 12", "50000000 evaluations"] {
        assert!(table.contains(word), "no '{word}' in:\n{table}");
    }
    let text = desk.read("runs.csv");
    assert_eq!(
        text.lines().next(),
        Some(
            "instance,configuration,seed,success,seconds,cpu_seconds,evaluations,iterations,\
             conflicts,time_us,energy_nj,rank_cpu_seconds,rank_moves"
        )
    );
    let lines = csv_lines(&desk, "runs.csv");
    let expected: Vec<[&str; 3]> = ["kautz:3,2 AAS 7", "ring:4 OAB 2"]
        .into_iter()
        .flat_map(|i| ["5", "6", "7"].map(|seed| (i, seed)))
        .flat_map(|(i, seed)| ["hgsa:islands=3", "hgsa:swaps=0"].map(|c| [i, c, seed]))
        .collect();
    let made: Vec<[&str; 3]> = lines
        .iter()
        .map(|l| ["instance", "configuration", "seed"].map(|column| l[column].as_str()))
        .collect();
    assert_eq!(made, expected);
    for line in &lines {
        assert_eq!((line["success"].as_str(), line["conflicts"].as_str()), ("true", "0"));
        assert!(line["cpu_seconds"].parse::<f64>().unwrap() > 0.0, "{line:?}");
    }
}

#[test]
fn a_run_equals_solve_with_that_seed() {
    let desk = Desk::new();
    let args = "-t kautz:3,2 --steps 7 --runs 1 --seed 9 --evaluations 50000000 --csv runs.csv";
    compared(&desk, &format!("{args} {TWO}"));
    let lines = csv_lines(&desk, "runs.csv");
    for (line, options) in lines.iter().zip(["--islands 3", "--islands 1 --set hgsa:swaps=0"]) {
        let args = format!("solve --engine hgsa -t kautz:3,2 --steps 7 --seed 9 --json {options}");
        let summary = desk.json(&args);
        for key in ["evaluations", "iterations"] {
            assert_eq!(line[key], summary[key].to_string(), "{options}");
        }
    }
}

#[test]
fn budgets_end_runs_and_later_schedules_do_not_count() {
    let desk = Desk::new();
    // Too hard: the budget ends the runs. An exchange is 10 iterations of 182 moves on an island.
    let args = "-t heawood --steps 9 --runs 2 --csv runs.csv --evaluations 100000";
    let lines = lines_of(&desk, &format!("{args} {WEAK}"));
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!((&line["successes"], &line["runs"]), (&0.into(), &2.into()), "{line}");
        assert_eq!((&line["budget"], &line["budget_unit"]), (&1e5.into(), &"evaluations".into()));
        assert_eq!(line["seconds"]["median"], Value::Null);
        assert!(line["conflicts_left"].as_f64().unwrap() > 0.0, "{line}");
        assert_eq!(line["against"][0]["p"], 1.0);
    }
    for run in csv_lines(&desk, "runs.csv") {
        let evaluations: u64 = run["evaluations"].parse().unwrap();
        assert!((100_000..110_000).contains(&evaluations), "{run:?}");
    }
    // Easy, but found in the first leg, which is longer than the budget.
    let args = "-t kautz:3,2 --steps 20 --runs 1 --evaluations 1";
    let lines = lines_of(&desk, &format!("{args} {TWO}"));
    assert!(lines.iter().all(|line| line["successes"] == 0), "{lines:?}");
}

#[test]
fn cpu_time_and_the_clock_are_budgets_too() {
    let desk = Desk::new();
    for (budget, column) in [("--cpu-limit", "cpu_seconds"), ("--time-limit", "seconds")] {
        // Both leave some 40 conflicts there after seconds: no machine is fast enough to succeed.
        let args = format!("-t levi --steps 28 --runs 1 --csv runs.csv {budget} 0.3 {WEAK}");
        compared(&desk, &args);
        for run in csv_lines(&desk, "runs.csv") {
            let spent: f64 = run[column].parse().unwrap();
            // An exchange takes a millisecond; the upper limit allows for busy machines.
            assert!((0.3..5.0).contains(&spent), "{budget}: {run:?}");
            assert_eq!(run["success"], "false");
        }
    }
}

#[test]
fn runs_side_by_side_are_the_same_runs() {
    let desk = Desk::new();
    let one = "-t kautz:3,2 --steps 7 --runs 4 --evaluations 50000000";
    let alone = format!("{one} --csv alone.csv {TWO}");
    let together = format!("{one} --csv together.csv --run hgsa --run hgsa:swaps=0");
    compared(&desk, &alone);
    compared(&desk, &together);
    let of = |file: &str| -> Vec<(String, String)> {
        let lines = csv_lines(&desk, file);
        let same = lines.into_iter().filter(|l| l["configuration"] == "hgsa:swaps=0");
        same.map(|l| (l["seed"].clone(), l["evaluations"].clone())).collect()
    };
    assert_eq!(of("alone.csv").len(), 4);
    assert_eq!(of("alone.csv"), of("together.csv"));
}

/// Asserts that tags are closed in order and that attributes and text are escaped.
fn check_svg(svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some(begin) = rest.find('<') {
        assert!(!rest[..begin].contains('>'), "a bare '>' in {}", &rest[..begin]);
        let end = begin + rest[begin..].find('>').expect("a tag that ends");
        let tag = &rest[begin + 1..end];
        assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "{tag}");
        let name = |tag: &str| tag.split_whitespace().next().unwrap().to_string();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name(closed)));
        } else if !tag.ends_with('/') && !tag.starts_with('?') && !tag.starts_with('!') {
            open.push(name(tag));
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty() && svg.contains("<svg "), "{open:?}");
}

#[test]
fn pictures_name_the_configurations() {
    let desk = Desk::new();
    let args = "--instance heawood/aas/13 --instance heawood/aas/9 --runs 3 --evaluations 400000 \
                --svg p";
    compared(&desk, &format!("{args} {TWO}"));
    let expected = ["13-cost", "13-time", "9-cost", "9-time"];
    let expected: Vec<String> =
        expected.iter().map(|name| format!("p-heawood-aas-{name}.svg")).collect();
    assert_eq!(desk.names(), expected);
    for name in expected {
        let svg = desk.read(&name);
        check_svg(&svg);
        for word in ["hgsa:islands=3", "hgsa:swaps=0", "heawood AAS", "evaluations"] {
            assert!(svg.contains(word), "{name}: no '{word}'");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        // A picture of the costs has a band for each configuration.
        let bands = svg.matches("<polygon").count();
        assert_eq!(bands, if name.contains("cost") { 2 } else { 0 }, "{name}");
    }
}

#[test]
fn grids_and_all_collectives_are_compared() {
    let desk = Desk::new();
    let args = "-t ring:4 -c all --runs 2 --evaluations 5000 --csv runs.csv --svg p \
                --run umda:population=10|20 --run hgsa:islands=3,islands-graph=ring|full";
    let lines = lines_of(&desk, args);
    let four = ["hgsa:islands=3,islands-graph=ring", "hgsa:islands=3,islands-graph=full"];
    let four = ["umda:population=10", "umda:population=20"].into_iter().chain(four);
    let of_aas = lines.iter().filter(|line| line["instance"].as_str().unwrap().contains(" AAS "));
    assert!(of_aas.map(|line| line["configuration"].as_str().unwrap()).eq(four));
    assert_eq!((lines.len(), csv_lines(&desk, "runs.csv").len()), (16, 32));
    let against = &lines[0]["against"][0];
    assert_eq!(against["a12"], against["faster_in"]);
    assert!(against["effect"].is_string(), "{against}");
    // All reach the fewest steps, which are not known before: the curves are of steps.
    let pictures = desk.names();
    let curves = pictures.iter().filter(|name| name.ends_with("-steps.svg"));
    assert_eq!(curves.count(), 4, "{pictures:?}");
    for name in pictures.iter().filter(|name| name.ends_with("-steps.svg")) {
        let svg = desk.read(name);
        check_svg(&svg);
        assert_eq!(svg.matches("<polygon").count(), 4, "{name}");
    }
}

#[test]
fn the_course_of_every_run_is_saved() {
    let desk = Desk::new();
    let args = "-t kautz:3,2 -c aas --steps 7 --runs 2 --evaluations 6000 --history course.csv \
                --run umda:population=20 --run hgsa:islands=2,neighbourhood=paper";
    let table = compared(&desk, args);
    assert!(table.contains("A12"), "{table}");
    let mut runs: HashMap<(String, String), Vec<[f64; 3]>> = HashMap::new();
    for line in csv_lines(&desk, "course.csv") {
        assert_eq!((&*line["instance"], &*line["seeking"]), ("kautz:3,2 AAS 7", "7"));
        let run = runs.entry((line["configuration"].clone(), line["seed"].clone())).or_default();
        run.push(["evaluations", "best", "mean"].map(|column| line[column].parse().unwrap()));
    }
    assert_eq!(runs.len(), 4);
    for (run, course) in runs {
        assert!(course.len() > 2 && course.is_sorted_by(|a, b| a[0] < b[0]), "{run:?}: {course:?}");
        assert!(course.iter().all(|[_, best, mean]| mean >= best), "{run:?}: {course:?}");
        // Both are of several solutions: of two islands, of a population.
        assert!(course.iter().any(|[_, best, mean]| mean > best), "{run:?}: {course:?}");
    }
}

/// Each number of islands has the moves of its busiest island, and a gain over one island; ranks have
/// the same from the lines of `solve`.
#[test]
fn numbers_of_islands_are_compared() {
    let desk = Desk::new();
    let problem = "-t random-regular:16,3,1 -c aas --steps 13";
    let args = format!(
        "{problem} --run auto:symmetry=false --parallel 1,4 --runs 3 --iterations 2000 \
         --csv runs.csv --svg p"
    );
    let lines = lines_of(&desk, &args);
    let gains: Vec<&Value> = lines.iter().map(|line| &line["parallel"]).collect();
    let [one, four] = gains[..] else { panic!("{lines:?}") };
    for (gain, islands) in [(one, 1), (four, 4)] {
        assert_eq!(
            (&gain["islands"], &gain["family"]),
            (&islands.into(), &"auto:symmetry=false".into())
        );
        assert!(gain["rank_cpu_seconds"]["median"].as_f64().unwrap() > 0.0);
    }
    let moves = |gain: &Value| gain["rank_moves"]["median"].as_f64().unwrap();
    assert_eq!(one["speedup_in_moves"]["median"], 1.0);
    assert_eq!(four["speedup_in_moves"]["median"].as_f64().unwrap(), moves(one) / moves(four));
    let share = four["speedup"]["median"].as_f64().unwrap() / 4.0;
    assert_eq!(four["efficiency"].as_f64().unwrap(), share);
    let mut runs = csv_lines(&desk, "runs.csv");
    runs.retain(|run| run["configuration"].ends_with("islands=4"));
    let of = |column: &str| runs.iter().map(|run| run[column].clone()).collect::<Vec<_>>();
    // The busiest island makes at least a fourth of all moves, of which some are relocations.
    for (moves, all) in of("rank_moves").iter().zip(of("evaluations")) {
        let (moves, all): (u64, u64) = (moves.parse().unwrap(), all.parse().unwrap());
        assert!(moves > 0 && moves <= all, "{moves} of {all}");
    }
    assert!(desk.at("p-random-regular-16-3-1-aas-13-islands.svg").exists());
    // `solve` counts the same moves.
    let solve = format!("solve {problem} --set auto:symmetry=false --seed 2 --islands 4 --json");
    let summary = desk.json(&solve);
    assert_eq!(summary["rank_moves"].to_string(), of("rank_moves")[1]);
    assert!(summary["rank_cpu_seconds"].as_f64().unwrap() > 0.0);
}

/// A summary line as `solve --json` prints it.
fn line(engine: &str, ranks: usize, seed: u64, steps: Option<u32>, seconds: f64) -> String {
    let line = serde_json::json!({
        "topology": "heawood", "collective": "aas", "switching": "wormhole", "ports": "all",
        "routing": "minimal", "source": null, "faults": [], "steps": steps, "lower_bound": 9,
        "engine": engine, "seed": seed, "ranks": ranks, "iterations": 100, "evaluations": 5000,
        "seconds": seconds,
    });
    format!("{line}\n")
}

#[test]
fn earlier_runs_are_reported_from_their_lines() {
    let desk = Desk::new();
    let mut text = String::new();
    for seed in 1..=10 {
        // umda: 1 to 10 s, the last two fail; hgsa: a tenth of that, all succeed.
        text += &line("umda", 1, seed, (seed <= 8).then_some(10), seed as f64);
        text += &line("hgsa", 4, seed, Some(10), seed as f64 / 10.0);
    }
    desk.write("runs.jsonl", text);
    let lines = lines_of(&desk, "--from runs.jsonl --csv all.csv");
    let [umda, hgsa] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(
        (&umda["instance"], &umda["configuration"]),
        (&"heawood AAS 10".into(), &"umda, 1 island".into())
    );
    assert_eq!((&umda["successes"], &hgsa["successes"]), (&8.into(), &10.into()));
    let low = umda["rate_interval"][0].as_f64().unwrap();
    assert!((low - 0.4902).abs() < 1e-4, "{low}");
    assert_eq!(
        (&umda["seconds"]["median"], &hgsa["seconds"]["median"]),
        (&5.5.into(), &0.55.into())
    );
    assert_eq!((&umda["cpu_seconds"], &umda["conflicts_left"]), (&Value::Null, &Value::Null));
    // umda's 1 s is slower than nine of hgsa's and ties with the last: half of one pair in 100.
    assert_eq!(hgsa["against"][0]["u"], 99.5);
    // The mean of 1..10 over the mean of the least of two: sum of i (21 - 2i) / 100 = 3.85.
    let speedup = umda["speedups"][0]["speedup"].as_f64().unwrap();
    assert!((speedup - 5.5 / 3.85).abs() < 1e-9, "{speedup}");
    assert_eq!(csv_lines(&desk, "all.csv").len(), 20);
    // With a target of 9 no run has succeeded.
    let lines = lines_of(&desk, "--from runs.jsonl --steps 9");
    assert!(lines.iter().all(|line| line["successes"] == 0), "{lines:?}");
    let table = compared(&desk, "--from runs.jsonl --svg p");
    assert!(table.contains("hgsa, 4 islands needs fewer seconds than umda, 1 island"), "{table}");
    // Summary lines do not contain the progress of a search, so there is no picture of costs.
    let pictures: Vec<String> = desk.names().into_iter().filter(|n| n.ends_with(".svg")).collect();
    assert_eq!(pictures, ["p-heawood-aas-10-time.svg"]);
    check_svg(&desk.read(&pictures[0]));
}

#[test]
fn wrong_input_is_refused_before_anything_happens() {
    let desk = Desk::new();
    desk.write("bad.jsonl", line("umda", 1, 1, None, 1.0) + "{}\n");
    let before = desk.names();
    let good = "-t kautz:3,2 --steps 7 --runs 1 --evaluations 9 --run hgsa";
    for (args, words) in [
        ("-t kautz:3,2 --steps 7 --evaluations 9", ["nothing to compare", "--run"]),
        ("-t kautz:3,2 --steps 7 --run hgsa", ["a budget", "--cpu-limit"]),
        (
            "-t kautz:3,2 --steps 1 --evaluations 9 --run hgsa",
            ["--steps: 1 are too few", "at least"],
        ),
        ("-t kautz:3,2 -c all --steps 9 --evaluations 9 --run hgsa", ["-c all", "--instance"]),
        ("--instance kautz:3,2 --evaluations 9 --run hgsa", ["--instance kautz", "heawood/aas/10"]),
        ("--instance kautz:3,2/aas/x --evaluations 9 --run hgsa", ["steps 'x'", "at least 1"]),
        ("--instance kautz:3,2/axs/9 --evaluations 9 --run hgsa", ["axs/9:", "axs"]),
        (
            "--instance kautz:3/aas/9 --evaluations 9 --run hgsa",
            ["--instance kautz:3/", "kautz:3,2"],
        ),
        (&format!("{good} --run hgsb"), ["--run hgsb", "no engine 'hgsb', but auto"]),
        (&format!("{good} --run hgsa:hot=0"), ["hot: '0'", "above 0"]),
        (&format!("{good} --run hgsa:steps=3"), ["--run hgsa:steps=3", "no parameter 'steps'"]),
        (&format!("{good} --run hgsa"), ["--run hgsa", "twice"]),
        (&format!("{good} --cpu-limit 3"), ["--evaluations", "--cpu-limit"]),
        (&format!("{good} --instance ring:4/oab/2"), ["--instance", "cannot be used with"]),
        (&format!("{good}:islands=2 --parallel 1,2"), ["hgsa:islands=2", "--parallel sets"]),
        (&format!("{good} --parallel 2,2"), ["hgsa:islands=2", "twice"]),
        (&format!("{good} --parallel 0"), ["--parallel", "at least 1"]),
        ("-t ring:4 --run hgsa --iterations 9 --parallel 1,2", ["ring:4", "--steps K"]),
        (&format!("{good}:hot=1|1"), ["--run hgsa:hot=1", "twice"]),
        (&format!("{good} --csv a --history a"), ["--history", "--csv"]),
        (&format!("{good} --history no/such.csv"), ["--history", "does not exist"]),
        (&format!("{good} --csv no/such.csv"), ["--csv", "does not exist"]),
        (&format!("{good} --csv all.csv --svg no/such"), ["--svg", "does not exist"]),
        (
            "--instance ring:4/oab/2 --instance ring:4/oab/2 --evaluations 9 --run hgsa",
            ["ring-4-oab-2", "twice"],
        ),
        ("--from bad.jsonl --csv all.csv", ["bad.jsonl:2:", "topology"]),
        ("--from none.jsonl", ["none.jsonl", "No such file"]),
        ("--from bad.jsonl --run hgsa", ["--from", "cannot be used with"]),
        ("--from bad.jsonl --evaluations 3", ["--from", "cannot be used with"]),
        ("--from bad.jsonl --ports 1", ["--from", "cannot be used with"]),
    ] {
        desk.refuse(&format!("compare {args}"), &words);
        assert_eq!(desk.names(), before, "{args}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_reports_the_runs_made() {
    let desk = Desk::new();
    // The second instance cannot be solved in time.
    let args = "compare --instance kautz:3,2/aas/8 --instance levi/aas/28 --runs 2 \
                --time-limit 600 --csv runs.csv --run hgsa:islands=2,neighbourhood=paper";
    let mut command = desk.command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The first instance takes milliseconds.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let table = Ended::from(child.wait_with_output().unwrap()).with(3).out;
    assert!(table.contains("2 of 4") && !table.contains("AAS 28"), "{table}");
    assert_eq!(csv_lines(&desk, "runs.csv").len(), 2);
}

/// The script on real MPI, if it is installed.
#[cfg(feature = "mpi")]
#[test]
fn the_script_compares_ranks() {
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("mpirun is missing: nothing to test");
        return;
    }
    use crate::support::program::PROGRAM;
    let desk = Desk::new();
    let script =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/compare-islands.sh");
    let run = || {
        let mut command = Command::new(&script);
        command.current_dir(desk.path()).envs([
            ("PROGRAMS", std::path::Path::new(PROGRAM).parent().unwrap().to_str().unwrap()),
            ("TOPOLOGY", "kautz:3,2"),
            ("COLLECTIVE", "aas"),
            ("RUNS", "1"),
            ("SECONDS", "2"),
            ("RANKS", "2"),
            ("SERIAL", "hgsa"),
            ("OUTPUT", "runs.jsonl"),
        ]);
        command
    };
    // One engine is enough: its serial run would be the run on one rank.
    let end = |command: &mut Command| Ended::from(command.output().unwrap());
    let table = end(run().env("SERIAL", "").env("STEPS", "7")).with(0).out;
    for word in ["kautz:3,2 AAS 7", "hgsa, 1 island ", "hgsa, 2 islands", "1 of 1"] {
        assert!(table.contains(word), "no '{word}' in:\n{table}");
    }
    let before = desk.read("runs.jsonl");
    assert_eq!(before.lines().count(), 2);
    let refused = end(run().env("STEPS", "7").env("OUTPUT", "other.jsonl")).with(2);
    assert!(refused.err.contains("SERIAL and ISLANDS"));
    // Results are not appended to an existing file, and wrong input ends the script.
    let refused = end(run().env("SERIAL", "").env("STEPS", "7")).with(2);
    assert!(refused.err.contains("runs.jsonl exists"));
    let unreachable = [("SERIAL", ""), ("STEPS", "1"), ("OUTPUT", "other.jsonl")];
    assert!(end(run().envs(unreachable)).with(2).err.contains("needs at least"));
    // A run without a schedule is a result, for a job and for the serial program.
    let mut failing = run();
    failing.envs([("TOPOLOGY", "hypercube:5"), ("STEPS", "16"), ("SECONDS", "1"), ("RANKS", "1")]);
    for (engine, other) in [("SERIAL", "ISLANDS"), ("ISLANDS", "SERIAL")] {
        failing.env(engine, "hgsa").env(other, "").env("OUTPUT", format!("{engine}.jsonl"));
        let table = end(&mut failing).with(0).out;
        assert!(table.contains("0 of 1") && table.contains("AAS 16"), "{engine}: {table}");
    }
    // A job that does not start is an error, not a result.
    let none = [("SERIAL", ""), ("STEPS", "7"), ("OUTPUT", "none.jsonl"), ("MPIRUN", "false")];
    assert!(end(run().envs(none)).with(2).err.contains("no summary line from: false -n 1"));
}

/// The least time in place of the fewest steps: the target is a share of the bound, or the least of all runs.
#[test]
fn the_least_time_is_compared() {
    let desk = Desk::new();
    let pairs: String =
        [(0, 1, 9), (0, 2, 1), (1, 2, 30), (2, 1, 4), (3, 0, 50), (3, 1, 6), (3, 2, 7)]
            .map(|(from, to, bytes)| format!("{from},{to},{bytes}\n"))
            .concat();
    desk.write("p.csv", pairs);
    let args = "-t fat-tree:4 --pairs p.csv --runs 2 --iterations 30";
    let runs = "--run auto --run auto:islands=2";
    let table = compared(&desk, &format!("{args} {runs} --timed --csv r.csv"));
    assert!(table.contains("TRAFFIC 63 bytes (least of all runs)"), "{table}");
    let lines = csv_lines(&desk, "r.csv");
    assert_eq!(lines.len(), 4);
    // What terminal 3 sends, and the start-ups of its three messages.
    assert!(lines.iter().all(|l| l["success"] == "true" && l["time_us"] == "3.0315"), "{lines:?}");
    let table = compared(&desk, &format!("{args} {runs} --timed --gap 10% --svg p"));
    assert!(table.contains("TRAFFIC 69 bytes") && table.contains("2 of 2"), "{table}");
    assert!(desk.at("p-fat-tree-4-traffic-69-bytes-time.svg").exists());
    let table = compared(&desk, &format!("{args} {runs} --minimize time"));
    assert!(table.contains(" bytes (least of all runs)"), "{table}");
    for (more, words) in [
        (
            "--run hgsa --timed",
            "--run hgsa on fat-tree:4 TRAFFIC: engine: hgsa is for the fewest steps; the least time is for auto",
        ),
        ("--run auto --timed --steps 3", "--steps: 3: the least time has no steps"),
    ] {
        desk.refuse(&format!("compare {args} {more}"), &[words]);
    }
    let solve = "solve -t fat-tree:4 --pairs p.csv --timed --json --iterations 20 --seed";
    let lines = ["1", "2"].map(|seed| desk.out(&format!("{solve} {seed}")));
    desk.write("runs.jsonl", lines.concat());
    let table = compared(&desk, "--from runs.jsonl");
    assert!(table.contains("least time, timed, 3.031 us") && table.contains("2 of 2"), "{table}");
}
