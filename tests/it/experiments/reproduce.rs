//! `ccsched reproduce`: small rows of every kind have the verdicts that are known, and a printed
//! figure that is altered makes its row fail.

use crate::support::checked::NEVER;
use crate::support::program::Desk;
use ccsched::experiments::reproduce::{
    Content, EXPERIMENTS, Engines, Printed, Relation, Reproduction, Row, Settings, Verdict,
};
use ccsched::network::spec;
use serde_json::Value;
use std::collections::HashMap;

/// Rows on networks of more terminals would take too long here.
const MOST_TERMINALS: usize = 16;

/// The rows that are not equal to print: experiment, row, print, what is reached, verdict.
const DIFFERENT: &[(&str, &str, &str, &str, Verdict)] = &[
    ("dd-t2", "Heawood 14 AAS", "8", "9", Verdict::Better),
    ("dd-t6", "Heawood 14 AAS", "10", "9", Verdict::Better),
    ("dd-t6", "16-gon AAS", "17", "16", Verdict::Better),
    ("ft-t4", "00-01 AAS", "22", "16", Verdict::Better),
    ("ft-t4", "00-10 AAS", "22", "16", Verdict::Better),
    ("ft-t4", "All other AAB", "8", "8, 15", Verdict::Contradicted),
    ("ft-t5", "01 AAB", "15", "14", Verdict::Better),
    ("ft-t5", "01 OAS", "15", "14", Verdict::Better),
    ("ft-t5", "01 AAS", "22", "19", Verdict::Better),
    ("ft-t5", "10 AAB", "15", "14", Verdict::Better),
    ("ft-t5", "10 OAS", "15", "14", Verdict::Better),
    ("ft-t5", "10 AAS", "22", "19", Verdict::Better),
    ("ft-t5", "All other AAB", "15", "7, 14", Verdict::Better),
    ("min-t1", "Omega 16 AAB", "16", "15", Verdict::Better),
    ("min-t1", "Omega 16 AAS", "16", "15", Verdict::Better),
    ("min-t1", "Butterfly 16 AAB", "16", "15", Verdict::Better),
    ("min-t1", "Butterfly 16 AAS", "16", "15", Verdict::Better),
    ("min-t1", "Clos 12 AAB", "12", "11", Verdict::Better),
    ("min-t1", "Clos 12 AAS", "12", "11", Verdict::Better),
    ("min-t1", "Clos 16 AAB", "16", "15", Verdict::Better),
    ("min-t1", "Clos 16 AAS", "16", "15", Verdict::Better),
    ("min-t3", "B-Tree 8 AAB", "8", "7", Verdict::Better),
    ("min-t3", "B-Tree 16 AAB", "20", "15", Verdict::Better),
    ("min-t3", "FB-Tree 7 AAB", "7", "6", Verdict::Better),
    ("min-t3", "FB-Tree 15 AAB", "15", "14", Verdict::Better),
    ("dd-t8", "Levi 30: sum of distances", "2520", "2490", Verdict::Contradicted),
    ("dd-t8", "Octagon 8: bisection", "12", "8", Verdict::Contradicted),
    ("dd-t8", "Petersen 10: bisection", "14", "10", Verdict::Contradicted),
    ("dd-t8", "Kautz 12: bisection", "24", "12", Verdict::Contradicted),
    ("dd-t8", "16-gon: bisection", "20", "8", Verdict::Contradicted),
    ("dd-t8", "Levi 30: bisection", "22", "18", Verdict::Contradicted),
    ("dd-t8", "Kautz 36: bisection", "72", "28", Verdict::Contradicted),
    ("eq4", "us of 34 steps", "55", "51.41", Verdict::Contradicted),
];

fn settings() -> Settings<'static> {
    Settings {
        engines: Engines::Auto,
        runs: 2,
        cpu_limit: 10.0,
        auto_limit: 60.0,
        full: false,
        seed: 1,
        workers: 1,
        replays: None,
        interrupted: &NEVER,
    }
}

/// The rows of these tables whose cells `wanted` accepts.
fn rows(
    printed: &Printed,
    settings: &Settings<'_>,
    wanted: impl Fn(&str, &str) -> bool,
) -> Vec<Row> {
    let experiments: Vec<_> = EXPERIMENTS.iter().collect();
    let all = Reproduction::new(&experiments, printed, *settings);
    let chosen = all.tasks.iter().zip(0..).filter(|(t, _)| wanted(&t.experiment.id, &t.row));
    chosen.map(|(_, number)| all.row(number, &[], &NEVER).unwrap().unwrap()).collect()
}

/// Whether a row is as it is known to be.
fn is_known(row: &Row) -> bool {
    let known = DIFFERENT.iter().find(|(id, name, ..)| row.key() == (id, name));
    match known {
        None => row.verdict == Some(Verdict::Equal),
        Some((_, _, paper, ours, verdict)) => {
            (row.paper.as_str(), row.ours.as_str(), row.verdict) == (paper, ours, Some(*verdict))
        }
    }
}

/// The rows on small networks; those of the Swiss-T1 and of many faults are left out.
fn is_small(printed: &Printed) -> impl Fn(&str, &str) -> bool {
    let mut small = HashMap::new();
    for cell in &printed.cells {
        let terminals = spec::parse(&cell.topology).unwrap().terminals().count();
        let name = format!("{} {}", cell.row, cell.collective.to_string().to_uppercase());
        let others = cell.row == "All other" && name != "All other AAB";
        small.insert((cell.id.clone(), name), terminals <= MOST_TERMINALS && !others);
    }
    move |id, row| {
        let swiss = ["liq-f5", "liq-f6", "liq-f11", "dd-t5b"].contains(&id);
        // All arcs of the Kautz network are alike, and two tables have them.
        let arcs = id == "dd-t5" && !["01-10 OAS", "10-02 OAS", "All other AAB"].contains(&row);
        small.get(&(id.to_string(), row.to_string())).copied().unwrap_or(!swiss) && !arcs
    }
}

#[test]
fn small_rows_have_the_verdicts_that_are_known() {
    let printed = Printed::all().unwrap();
    let rows = rows(&printed, &settings(), is_small(&printed));
    assert!(rows.len() > 170, "{} rows", rows.len());
    let strange: Vec<&Row> = rows.iter().filter(|row| !is_known(row)).collect();
    assert!(strange.is_empty(), "{strange:#?}");
    let missing: Vec<_> = DIFFERENT
        .iter()
        .filter(|(id, name, ..)| !rows.iter().any(|row| row.key() == (id, name)))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    // A contradiction has its proof.
    let against = rows.iter().filter(|row| row.verdict == Some(Verdict::Contradicted));
    assert!(against.clone().count() > 5);
    against.for_each(|row| assert!(!row.why.is_empty(), "{row:?}"));
}

#[test]
fn an_altered_figure_makes_its_row_fail() {
    let printed = Printed::all().unwrap();
    let small = is_small(&printed);
    let mut altered = 0;
    for place in (0..printed.cells.len()).step_by(9) {
        let cell = &printed.cells[place];
        let name = format!("{} {}", cell.row, cell.collective.to_string().to_uppercase());
        let id = cell.id.clone();
        if !small(&id, &name) || name.starts_with("All") {
            continue;
        }
        for by in [-1, 1] {
            let mut wrong = printed.clone();
            let cell = &mut wrong.cells[place];
            let figure = if cell.steps.is_some() { &mut cell.steps } else { &mut cell.bound };
            *figure = figure.map(|n| n.saturating_add_signed(by));
            let rows = rows(&wrong, &settings(), |i, row| (i, row) == (&id, &name));
            assert!(!rows.is_empty() && rows.iter().all(|row| !is_known(row)), "{rows:?}");
            altered += 1;
        }
    }
    assert!(altered > 20, "{altered}");
    for (place, figure) in printed.figures.iter().enumerate() {
        let (id, name) = (figure.id.clone(), figure.row.clone());
        let exact = figure.relation == Relation::Equal;
        if !small(&id, &name) || !exact || figure.quantity.starts_with("bisection") {
            continue;
        }
        let mut wrong = printed.clone();
        let value = figure.number();
        wrong.figures[place].value = format!("{}", value + 2.0);
        let rows = rows(&wrong, &settings(), |i, row| (i, row) == (&id, &name));
        assert!(rows.iter().all(|row| !is_known(row)), "{rows:?}");
    }
}

#[test]
fn the_engines_of_the_papers_reach_print() {
    let printed = Printed::all().unwrap();
    let paper = Settings { engines: Engines::Paper, ..settings() };
    let cells =
        [("dd-t6", "Octagon 8 AAS"), ("min-t1", "Omega 8 AAS"), ("hgsa-aab", "hypercube 8 AAB")];
    let steps = rows(&printed, &paper, |id, row| cells.contains(&(id, row)));
    assert_eq!(steps.len(), cells.len());
    for row in &steps {
        assert_eq!((row.reached, row.faithful), (row.runs, Some(Verdict::Equal)), "{row:?}");
        assert!(row.verdict.is_none() && row.run_seconds.is_some(), "{row:?}");
    }
    assert_eq!(
        steps.iter().map(|row| row.engine.as_deref()).collect::<Vec<_>>(),
        [Some("hgsa"), Some("umda"), Some("umda")]
    );
    // Rates and times are those of runs that are made already.
    let rates = EXPERIMENTS.iter().filter(|e| e.content == Content::Rates);
    let rates: Vec<_> = rates.collect();
    let all = Reproduction::new(&rates, &printed, paper);
    let number = all.tasks.iter().position(|task| task.row == "Omega 8 AAS").unwrap();
    let rate = all.row(number, &steps.iter().collect::<Vec<_>>(), &NEVER).unwrap().unwrap();
    assert_eq!((rate.key(), rate.paper.as_str()), (("min-t5", "Omega 8 AAS"), "100 %"));
    assert_eq!(rate.run_seconds, steps[2].run_seconds);
}

#[test]
fn the_figures_are_those_of_the_collection() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/reference/published.json");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let printed = Printed::all().unwrap();
    let mut compared = 0;
    for record in all.iter().filter(|record| record["collective"].is_string()) {
        let network = record["topology"].as_str().unwrap();
        let steps = record["reached_steps"].as_u64().map(|n| n as u32);
        let rate = record["success_percent_of_10_runs"].as_u64().map(|n| n as u32);
        let seconds = record["time"]["seconds"].as_f64();
        let found = printed.cells.iter().any(|cell| {
            let same = cell.topology.trim_end_matches(",half") == network
                && cell
                    .collective
                    .to_string()
                    .eq_ignore_ascii_case(record["collective"].as_str().unwrap())
                && (cell.steps, cell.rate) == (steps, rate);
            // Three times are printed as hours and seconds where minutes are meant.
            let near = |a: f64, b: f64| (a - b).abs() <= 0.06 * b;
            let time = cell.time.as_ref().map(|time| time.seconds);
            same && seconds.zip(time).is_none_or(|(a, b)| near(a, b))
        });
        assert!(found, "{record}");
        compared += 1;
    }
    assert_eq!(compared, 240);
}

/// All that a run with this exit status prints and says.
fn said(desk: &Desk, args: &str, status: i32) -> String {
    desk.run(&format!("reproduce {args}")).with(status).told()
}

#[test]
fn rows_go_to_files_and_are_not_made_twice() {
    let desk = Desk::new();
    let args = "--id dd-t2,dd-t4,liq-f2 --engine auto --csv rows.csv";
    let text = said(&desk, &format!("{args} -o page.md --svg pictures"), 0);
    for word in ["dd-t2", "Heawood 14 AAS", "9 distance bound, verified", "13 equal", "1 better"] {
        assert!(text.contains(word), "no '{word}' in {text}");
    }
    let page = desk.read("page.md");
    assert!(page.contains("## dd-t4") && page.contains("the printed schedule is valid"), "{page}");
    let drawn = |name: &str| desk.read(&format!("pictures/{name}"));
    assert!(drawn("index.html").contains("src=\"dd-t4.svg\""));
    assert!(drawn("dd-t4.svg").starts_with("<svg"));
    assert!(drawn("network-heawood.svg").starts_with("<svg"));
    // A row of the file is taken as it is, and one that is missing is made.
    let rows = desk.read("rows.csv");
    let kept = rows.lines().filter(|line| !line.starts_with("liq-f2"));
    let kept = kept.collect::<Vec<_>>().join("\n").replace("tables 6 and 8", "tables 66 and 88");
    desk.write("rows.csv", kept);
    let lines = said(&desk, &format!("{args} --json -q"), 0);
    assert_eq!(lines.lines().count(), 14);
    assert!(lines.contains("tables 66 and 88") && lines.contains("\"experiment\":\"liq-f2\""));
    let why = said(&desk, "--id dd-t2 --engine auto --cpu-limit 7 --csv rows.csv", 2);
    assert!(why.contains("rows of other settings"), "{why}");
    // Rows decide the exit status.
    let rows = desk.read("rows.csv");
    desk.write("rows.csv", rows.replacen(",equal,", ",worse,", 1));
    said(&desk, &format!("{args} -q"), 1);
    desk.write("rows.csv", "no,rows\n1,2\n");
    assert!(said(&desk, args, 2).contains("--csv: rows.csv:2: "));
}

#[test]
fn wrong_names_are_told() {
    let desk = Desk::new();
    let list = said(&desk, "--list", 0);
    assert_eq!(list.lines().count(), EXPERIMENTS.len());
    assert_eq!(said(&desk, "--list --paper liquid", 0).lines().count(), 10);
    let why = said(&desk, "--id dd-t66", 2);
    assert!(
        why.contains(
            "--id: there is no experiment 'dd-t66'; --list has them all; did you mean 'dd-t6'?"
        ),
        "{why}"
    );
    let why = said(&desk, "--paper umda", 2);
    assert!(why.contains("the papers are hgsa, diameter-degree"), "{why}");
}
