//! Speed-up of two islands over one: the time to a target over many seeds. Beside the measured
//! speed-up stands that expected of two independent copies, whose time is the minimum of two draws
//! from the run-time distribution of one island.

use crate::child;
use crate::child::Run;
use crate::table::optional;
use ccsched::experiments::compare::statistics::{
    bootstrap_median, expected_median_speedup, expected_speedup, median,
};
use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;

/// The name of this part for `--section`.
pub const NAME: &str = "ranks";
/// Default and largest number of seeds.
pub const SEEDS: u64 = 30;

/// The islands of a race.
const RACERS: u32 = 2;

/// Scatters that take about a second of search on the whole network, and their target steps.
const INSTANCES: [(&str, usize); 3] =
    [("levi aas", 28), ("mesh:3x3x3 aas", 18), ("chordal-ring:24,7 aas", 14)];

/// The heads of the columns.
const HEAD: [&str; 11] = [
    "topology",
    "collective",
    "steps",
    "islands",
    "reached",
    "seconds",
    "iterations",
    "speed-up of median seconds",
    "of median iterations",
    "of mean seconds",
    "of mean iterations",
];

/// Measures all instances and reports in Markdown.
pub fn section(seeds: u64, time_limit: f64) -> anyhow::Result<String> {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(HEAD);
    for (cell, steps) in INSTANCES {
        let runs = |islands| -> anyhow::Result<Sample> {
            eprintln!("{NAME}: {cell}, islands: {islands}");
            let cell = format!("{cell} --steps {steps} --set auto:symmetry=false");
            let run = |seed| child::spawn(&cell, seed, time_limit, islands as usize);
            let runs = (1..=seeds).map(run).collect::<anyhow::Result<Vec<_>>>()?;
            Ok(Sample::new(&runs, steps))
        };
        let (one, more) = (runs(1)?, runs(RACERS)?);
        table.add_row(row(cell, steps, 1, &one, [const { String::new() }; 4]));
        table.add_row(row(cell, steps, RACERS, &more, speedups(&one, &more)));
    }
    Ok(format!("{}\n\n{table}", text(seeds, time_limit)))
}

/// The explanation of the table.
fn text(seeds: u64, time_limit: f64) -> String {
    format!(
        "Time to a target of one island and of two, {} and at most {time_limit} s each. Scatters are searched on the \
         whole network (`--set auto:symmetry=false`)\n\
         for the steps of the target alone (`--steps`), so that all the time is search. Islands are \
         threads here; MPI ranks find\n\
         the same schedules with the same seeds. Seconds, and iterations of each island, which do \
         not depend on the load of the machine: median\n\
         [95 % interval].\n\n\
         Speed-up: measured (expected). Expected is that of a race: the searches of the islands do \
         not exchange solutions, so their time is the minimum of two\n\
         draws from the run-time distribution of one island: its median is the time that one island \
         exceeds with probability 1/√2, its\n\
         mean that of all pairs of the runs. The expected speed-up is 2 for exponential times and 1 \
         for times that hardly vary.\n\
         It may be more: the annealers beside the searches, which one island alone does not have, \
         exchange, and one of them may come first. The\n\
         difference between seconds and iterations is the cost of running in parallel and waiting \
         for each other. Runs that miss the\n\
         target count as longer than all others, by an unknown time; `-` is what cannot be computed \
         because of them.",
        crate::seeds_to(seeds),
    )
}

/// Runs with a number of islands.
struct Sample {
    reached: usize,
    /// Time to the target; infinite if it was not reached.
    seconds: Vec<f64>,
    iterations: Vec<f64>,
}

impl Sample {
    fn new(runs: &[Run], target: usize) -> Self {
        let reaches = |run: &&Run| run.steps.is_some_and(|steps| steps <= target);
        let all = |value: fn(&Run) -> f64| {
            let to_target = |run| if reaches(&run) { value(run) } else { f64::INFINITY };
            runs.iter().map(to_target).collect()
        };
        Sample {
            reached: runs.iter().filter(reaches).count(),
            seconds: all(|run| run.seconds),
            iterations: all(|run| run.iterations as f64),
        }
    }
}

fn row(cell: &str, steps: usize, islands: u32, sample: &Sample, ups: [String; 4]) -> Vec<String> {
    let words = cell.split_whitespace().map(String::from);
    let figures = [
        steps.to_string(),
        islands.to_string(),
        format!("{} of {}", sample.reached, sample.seconds.len()),
        middle(&sample.seconds, 3),
        middle(&sample.iterations, 0),
    ];
    words.chain(figures).chain(ups).collect()
}

/// The median and its interval.
fn middle(values: &[f64], digits: usize) -> String {
    let tell = |v: f64| if v.is_finite() { format!("{v:.digits$}") } else { "never".into() };
    optional(median(values).zip(bootstrap_median(values)), |(median, (low, high))| {
        format!("{} [{}, {}]", tell(median), tell(low), tell(high))
    })
}

/// Of medians and of means, in seconds and in iterations.
fn speedups(one: &Sample, more: &Sample) -> [String; 4] {
    let by_median = |one: &[f64], more: &[f64]| {
        told(ratio(median(one), median(more)), expected_median_speedup(one, RACERS))
    };
    let by_mean = |one: &[f64], more: &[f64]| {
        told(ratio(mean(one), mean(more)), expected_speedup(one, RACERS))
    };
    [
        by_median(&one.seconds, &more.seconds),
        by_median(&one.iterations, &more.iterations),
        by_mean(&one.seconds, &more.seconds),
        by_mean(&one.iterations, &more.iterations),
    ]
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn ratio(one: Option<f64>, more: Option<f64>) -> Option<f64> {
    Some(one? / more?)
}

/// The measured and the expected speed-up.
fn told(measured: Option<f64>, expected: Option<f64>) -> String {
    // Failed runs make a time infinite; the ratio of two infinite times is meaningless.
    let tell = |up: Option<f64>| optional(up.filter(|up| up.is_normal()), |up| format!("{up:.2}"));
    format!("{} ({})", tell(measured), tell(expected))
}
