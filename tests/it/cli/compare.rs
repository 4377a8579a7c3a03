//! `ccsched compare`: every run is made and counted, budgets hold for all configurations, files
//! agree with the table, and wrong input ends with status 2 before anything is written.

use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::process::{Command, Output};

const SERIAL: &str = env!("CARGO_BIN_EXE_ccsched");

/// Two configurations that differ in islands and in a parameter.
const TWO: &str = "--run hgsa:islands=3 --run hgsa:swaps=0";
/// Two configurations that leave conflicts on heawood in 9 steps within 100,000 evaluations.
const WEAK: &str =
    "--run hgsa:islands=3,neighbourhood=paper --run hgsa:swaps=0,neighbourhood=paper";

/// `ccsched compare` in a folder; the arguments are separated by blanks.
fn compare(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(SERIAL);
    command.arg("compare").args(args.split_whitespace()).current_dir(folder).output().unwrap()
}

/// The standard output of `ccsched compare`, which must succeed.
fn compared(folder: &Path, args: &str) -> String {
    let output = compare(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The lines of a CSV file, by column.
fn csv_lines(path: &Path) -> Vec<HashMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|line| line.unwrap()).collect()
}

fn names(folder: &Path) -> BTreeSet<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.unwrap().file_name().into_string().unwrap()
    };
    std::fs::read_dir(folder).unwrap().map(name).collect()
}

/// The steps to reach are those within a share of the lower bound, 7, on instances without steps.
#[test]
fn a_gap_makes_the_target() {
    let folder = tempfile::tempdir().unwrap();
    let args = "--instance kautz:3,2/aas --instance kautz:3,2/aas/7 --gap 20% --run auto \
                --runs 2 --iterations 50";
    let table = compared(folder.path(), args);
    assert!(table.contains("kautz:3,2 AAS 8") && table.contains("kautz:3,2 AAS 7"), "{table}");
    let both = compare(folder.path(), "-t petersen --steps 5 --gap 1% --run auto --iterations 1");
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn every_run_is_made_in_turn_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let args = "--instance kautz:3,2/aas/7 --instance ring:4/oab/2 --runs 3 --seed 5 \
                --evaluations 50000000 --csv runs.csv";
    let table = compared(folder.path(), &format!("{args} {TWO}"));
    for word in ["kautz:3,2 AAS 7", "ring:4 OAB 2", "3 of 3", "12 of 12", "50000000 evaluations"] {
        assert!(table.contains(word), "no '{word}' in:\n{table}");
    }
    let text = std::fs::read_to_string(folder.path().join("runs.csv")).unwrap();
    assert_eq!(
        text.lines().next(),
        Some(
            "instance,configuration,seed,success,seconds,cpu_seconds,evaluations,iterations,\
             conflicts,time_us,energy_nj,rank_cpu_seconds,rank_moves"
        )
    );
    let lines = csv_lines(&folder.path().join("runs.csv"));
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
    let folder = tempfile::tempdir().unwrap();
    let args = "-t kautz:3,2 --steps 7 --runs 1 --seed 9 --evaluations 50000000 --csv runs.csv";
    compared(folder.path(), &format!("{args} {TWO}"));
    let lines = csv_lines(&folder.path().join("runs.csv"));
    for (line, options) in lines.iter().zip(["--islands 3", "--islands 1 --set hgsa:swaps=0"]) {
        let args = format!("solve --engine hgsa -t kautz:3,2 --steps 7 --seed 9 --json {options}");
        let output = Command::new(SERIAL).args(args.split_whitespace()).output().unwrap();
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        for key in ["evaluations", "iterations"] {
            assert_eq!(line[key], summary[key].to_string(), "{options}");
        }
    }
}

#[test]
fn budgets_end_runs_and_later_schedules_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    // Too hard: the budget ends the runs. An exchange is 10 iterations of 182 moves on an island.
    let args = "-t heawood --steps 9 --runs 2 --csv runs.csv --json --evaluations 100000";
    let lines = json_lines(&compared(folder.path(), &format!("{args} {WEAK}")));
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!((&line["successes"], &line["runs"]), (&0.into(), &2.into()), "{line}");
        assert_eq!((&line["budget"], &line["budget_unit"]), (&1e5.into(), &"evaluations".into()));
        assert_eq!(line["seconds"]["median"], Value::Null);
        assert!(line["conflicts_left"].as_f64().unwrap() > 0.0, "{line}");
        assert_eq!(line["against"][0]["p"], 1.0);
    }
    for run in csv_lines(&folder.path().join("runs.csv")) {
        let evaluations: u64 = run["evaluations"].parse().unwrap();
        assert!((100_000..110_000).contains(&evaluations), "{run:?}");
    }
    // Easy, but found in the first leg, which is longer than the budget.
    let args = "-t kautz:3,2 --steps 20 --runs 1 --json --evaluations 1";
    let lines = json_lines(&compared(folder.path(), &format!("{args} {TWO}")));
    assert!(lines.iter().all(|line| line["successes"] == 0), "{lines:?}");
}

#[test]
fn cpu_time_and_the_clock_are_budgets_too() {
    let folder = tempfile::tempdir().unwrap();
    for (budget, column) in [("--cpu-limit", "cpu_seconds"), ("--time-limit", "seconds")] {
        // Both leave some 40 conflicts there after seconds: no machine is fast enough to succeed.
        let args = format!("-t levi --steps 28 --runs 1 --csv runs.csv {budget} 0.3 {WEAK}");
        compared(folder.path(), &args);
        for run in csv_lines(&folder.path().join("runs.csv")) {
            let spent: f64 = run[column].parse().unwrap();
            // An exchange takes a millisecond; the upper limit allows for busy machines.
            assert!((0.3..5.0).contains(&spent), "{budget}: {run:?}");
            assert_eq!(run["success"], "false");
        }
    }
}

#[test]
fn runs_side_by_side_are_the_same_runs() {
    let folder = tempfile::tempdir().unwrap();
    let one = "-t kautz:3,2 --steps 7 --runs 4 --evaluations 50000000";
    let alone = format!("{one} --csv alone.csv {TWO}");
    let together = format!("{one} --csv together.csv --run hgsa --run hgsa:swaps=0");
    compared(folder.path(), &alone);
    compared(folder.path(), &together);
    let of = |file: &str| -> Vec<(String, String)> {
        let lines = csv_lines(&folder.path().join(file));
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
    let folder = tempfile::tempdir().unwrap();
    let args = "--instance heawood/aas/13 --instance heawood/aas/9 --runs 3 --evaluations 400000 \
                --svg p";
    compared(folder.path(), &format!("{args} {TWO}"));
    let expected = ["13-cost", "13-time", "9-cost", "9-time"];
    let expected: BTreeSet<String> =
        expected.iter().map(|name| format!("p-heawood-aas-{name}.svg")).collect();
    assert_eq!(names(folder.path()), expected);
    for name in expected {
        let svg = std::fs::read_to_string(folder.path().join(&name)).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let args = "-t ring:4 -c all --runs 2 --evaluations 5000 --csv runs.csv --svg p --json \
                --run umda:population=10|20 --run hgsa:islands=3,islands-graph=ring|full";
    let lines = json_lines(&compared(folder.path(), args));
    let four = ["hgsa:islands=3,islands-graph=ring", "hgsa:islands=3,islands-graph=full"];
    let four = ["umda:population=10", "umda:population=20"].into_iter().chain(four);
    let of_aas = lines.iter().filter(|line| line["instance"].as_str().unwrap().contains(" AAS "));
    assert!(of_aas.map(|line| line["configuration"].as_str().unwrap()).eq(four));
    assert_eq!((lines.len(), csv_lines(&folder.path().join("runs.csv")).len()), (16, 32));
    let against = &lines[0]["against"][0];
    assert_eq!(against["a12"], against["faster_in"]);
    assert!(against["effect"].is_string(), "{against}");
    // All reach the fewest steps, which are not known before: the curves are of steps.
    let pictures = names(folder.path());
    let curves = pictures.iter().filter(|name| name.ends_with("-steps.svg"));
    assert_eq!(curves.count(), 4, "{pictures:?}");
    for name in pictures.iter().filter(|name| name.ends_with("-steps.svg")) {
        let svg = std::fs::read_to_string(folder.path().join(name)).unwrap();
        check_svg(&svg);
        assert_eq!(svg.matches("<polygon").count(), 4, "{name}");
    }
}

#[test]
fn the_course_of_every_run_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let args = "-t kautz:3,2 -c aas --steps 7 --runs 2 --evaluations 6000 --history course.csv \
                --run umda:population=20 --run hgsa:islands=2,neighbourhood=paper";
    let table = compared(folder.path(), args);
    assert!(table.contains("A12"), "{table}");
    let mut runs: HashMap<(String, String), Vec<[f64; 3]>> = HashMap::new();
    for line in csv_lines(&folder.path().join("course.csv")) {
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
    let folder = tempfile::tempdir().unwrap();
    let problem = "-t random-regular:16,3,1 -c aas --steps 13";
    let args = format!(
        "{problem} --run auto:symmetry=false --parallel 1,4 --runs 3 --iterations 2000 --json \
         --csv runs.csv --svg p"
    );
    let lines = json_lines(&compared(folder.path(), &args));
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
    let mut runs = csv_lines(&folder.path().join("runs.csv"));
    runs.retain(|run| run["configuration"].ends_with("islands=4"));
    let of = |column: &str| runs.iter().map(|run| run[column].clone()).collect::<Vec<_>>();
    // The busiest island makes at least a fourth of all moves, of which some are relocations.
    for (moves, all) in of("rank_moves").iter().zip(of("evaluations")) {
        let (moves, all): (u64, u64) = (moves.parse().unwrap(), all.parse().unwrap());
        assert!(moves > 0 && moves <= all, "{moves} of {all}");
    }
    assert!(names(folder.path()).contains("p-random-regular-16-3-1-aas-13-islands.svg"));
    // `solve` counts the same moves.
    let solve = format!("solve {problem} --set auto:symmetry=false --seed 2 --islands 4 --json");
    let output = Command::new(SERIAL).args(solve.split_whitespace()).output().unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for seed in 1..=10 {
        // umda: 1 to 10 s, the last two fail; hgsa: a tenth of that, all succeed.
        text += &line("umda", 1, seed, (seed <= 8).then_some(10), seed as f64);
        text += &line("hgsa", 4, seed, Some(10), seed as f64 / 10.0);
    }
    std::fs::write(folder.path().join("runs.jsonl"), text).unwrap();
    let lines = json_lines(&compared(folder.path(), "--from runs.jsonl --json --csv all.csv"));
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
    assert_eq!(csv_lines(&folder.path().join("all.csv")).len(), 20);
    // With a target of 9 no run has succeeded.
    let lines = json_lines(&compared(folder.path(), "--from runs.jsonl --steps 9 --json"));
    assert!(lines.iter().all(|line| line["successes"] == 0), "{lines:?}");
    let table = compared(folder.path(), "--from runs.jsonl --svg p");
    assert!(table.contains("hgsa, 4 islands needs fewer seconds than umda, 1 island"), "{table}");
    // Summary lines do not contain the progress of a search, so there is no picture of costs.
    let pictures: Vec<String> =
        names(folder.path()).into_iter().filter(|n| n.ends_with(".svg")).collect();
    assert_eq!(pictures, ["p-heawood-aas-10-time.svg"]);
    check_svg(&std::fs::read_to_string(folder.path().join(&pictures[0])).unwrap());
}

#[test]
fn wrong_input_is_refused_before_anything_happens() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.jsonl"), line("umda", 1, 1, None, 1.0) + "{}\n")
        .unwrap();
    let before = names(folder.path());
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
        let output = compare(folder.path(), args);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {errors}");
        for word in words {
            assert!(errors.contains(word), "{args}: no '{word}' in: {errors}");
        }
        assert!(!errors.contains("panicked") && output.stdout.is_empty(), "{args}: {errors}");
        assert_eq!(names(folder.path()), before, "{args}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_reports_the_runs_made() {
    let folder = tempfile::tempdir().unwrap();
    // The second instance cannot be solved in time.
    let args = "compare --instance kautz:3,2/aas/8 --instance levi/aas/28 --runs 2 \
                --time-limit 600 --csv runs.csv --run hgsa:islands=2,neighbourhood=paper";
    let child = Command::new(SERIAL)
        .args(args.split_whitespace())
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The first instance takes milliseconds.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{table}");
    assert!(table.contains("2 of 4") && !table.contains("AAS 28"), "{table}");
    assert_eq!(csv_lines(&folder.path().join("runs.csv")).len(), 2);
}

/// The script on real MPI, if it is installed.
#[cfg(feature = "mpi")]
#[test]
fn the_script_compares_ranks() {
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("mpirun is missing: nothing to test");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/compare-islands.sh");
    let run = || {
        let mut command = Command::new(&script);
        command.current_dir(folder.path()).envs([
            ("PROGRAMS", Path::new(SERIAL).parent().unwrap().to_str().unwrap()),
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
    let output = run().env("SERIAL", "").env("STEPS", "7").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    for word in ["kautz:3,2 AAS 7", "hgsa, 1 island ", "hgsa, 2 islands", "1 of 1"] {
        assert!(table.contains(word), "no '{word}' in:\n{table}");
    }
    let before = std::fs::read_to_string(folder.path().join("runs.jsonl")).unwrap();
    assert_eq!(before.lines().count(), 2);
    let refused = run().env("STEPS", "7").env("OUTPUT", "other.jsonl").output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("SERIAL and ISLANDS"));
    assert_eq!(refused.status.code(), Some(2));
    // Results are not appended to an existing file, and wrong input ends the script.
    let refused = run().env("SERIAL", "").env("STEPS", "7").output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("runs.jsonl exists"));
    assert_eq!(refused.status.code(), Some(2));
    let mut unreachable = run();
    unreachable.envs([("SERIAL", ""), ("STEPS", "1"), ("OUTPUT", "other.jsonl")]);
    let refused = unreachable.output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("needs at least"));
    assert_eq!(refused.status.code(), Some(2));
    // A run without a schedule is a result, for a job and for the serial program.
    let mut failing = run();
    failing.envs([("TOPOLOGY", "hypercube:5"), ("STEPS", "16"), ("SECONDS", "1"), ("RANKS", "1")]);
    for (engine, other) in [("SERIAL", "ISLANDS"), ("ISLANDS", "SERIAL")] {
        failing.env(engine, "hgsa").env(other, "").env("OUTPUT", format!("{engine}.jsonl"));
        let output = failing.output().unwrap();
        let table = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{engine}: {errors}");
        assert!(table.contains("0 of 1") && table.contains("AAS 16"), "{engine}: {table}");
    }
    // A job that does not start is an error, not a result.
    let output = run()
        .envs([("SERIAL", ""), ("STEPS", "7"), ("OUTPUT", "none.jsonl")])
        .env("MPIRUN", "false")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no summary line from: false -n 1"));
}

/// The least time in place of the fewest steps: the target is a share of the bound, or the least of all runs.
#[test]
fn the_least_time_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let pairs: String =
        [(0, 1, 9), (0, 2, 1), (1, 2, 30), (2, 1, 4), (3, 0, 50), (3, 1, 6), (3, 2, 7)]
            .map(|(from, to, bytes)| format!("{from},{to},{bytes}\n"))
            .concat();
    std::fs::write(folder.path().join("p.csv"), pairs).unwrap();
    let args = "-t fat-tree:4 --pairs p.csv --runs 2 --iterations 30";
    let runs = "--run auto --run auto:islands=2";
    let table = compared(folder.path(), &format!("{args} {runs} --timed --csv r.csv"));
    assert!(table.contains("TRAFFIC 63 bytes (least of all runs)"), "{table}");
    let lines = csv_lines(&folder.path().join("r.csv"));
    assert_eq!(lines.len(), 4);
    // What terminal 3 sends, and the start-ups of its three messages.
    assert!(lines.iter().all(|l| l["success"] == "true" && l["time_us"] == "3.0315"), "{lines:?}");
    let table = compared(folder.path(), &format!("{args} {runs} --timed --gap 10% --svg p"));
    assert!(table.contains("TRAFFIC 69 bytes") && table.contains("2 of 2"), "{table}");
    assert!(names(folder.path()).contains("p-fat-tree-4-traffic-69-bytes-time.svg"));
    let table = compared(folder.path(), &format!("{args} {runs} --minimize time"));
    assert!(table.contains(" bytes (least of all runs)"), "{table}");
    for (more, words) in [
        (
            "--run hgsa --timed",
            "--run hgsa on fat-tree:4 TRAFFIC: the least time is searched by auto",
        ),
        ("--run auto --timed --steps 3", "--steps: 3: the least time has no steps"),
        ("--run auto --timed --history h.csv", "--history: searches for the least time"),
    ] {
        let output = compare(folder.path(), &format!("{args} {more}"));
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && err.contains(words), "{more}: {err}");
    }
    let mut lines = String::new();
    for seed in ["1", "2"] {
        let mut solve = Command::new(SERIAL);
        solve.args(
            "solve -t fat-tree:4 --pairs p.csv --timed --json --iterations 20 --seed".split(' '),
        );
        let output = solve.arg(seed).current_dir(folder.path()).output().unwrap();
        lines += &String::from_utf8(output.stdout).unwrap();
    }
    std::fs::write(folder.path().join("runs.jsonl"), lines).unwrap();
    let table = compared(folder.path(), "--from runs.jsonl");
    assert!(table.contains("least time, timed, 3.031 us") && table.contains("2 of 2"), "{table}");
}
