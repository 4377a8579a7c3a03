//! Whether two islands are faster than one: the time to a target over many seeds, and beside the
//! speed-up measured that which two independent copies promise by the run-time distribution of one
//! island, the time of a race being the least of two draws.

use crate::child;
use crate::child::Run;
use crate::table::optional;
use ccsched::experiments::compare::statistics::{
    bootstrap_median, expected_median_speedup, expected_speedup, median,
};
use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;

/// What `--section` calls this part.
pub const NAME: &str = "ranks";
/// Seeds unless asked otherwise, and at most.
pub const SEEDS: u64 = 30;

/// The islands of a race.
const RACERS: u32 = 2;

/// Scatters that take a search of a second or so on the whole network, and the steps to come to.
const INSTANCES: [(&str, usize); 3] =
    [("levi aas", 28), ("mesh:3x3x3 aas", 18), ("chordal-ring:24,7 aas", 14)];

/// What the columns are.
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

/// Measures all instances, and says what came of it in Markdown.
pub fn section(seeds: u64, time_limit: f64) -> anyhow::Result<String> {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(HEAD);
    for (cell, steps) in INSTANCES {
        let runs = |islands| -> anyhow::Result<Sample> {
            eprintln!("{NAME}: {cell}, islands: {islands}");
            let cell = format!("{cell} --steps {steps} --symmetry false");
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

/// What the table shows, and how to read it.
fn text(seeds: u64, time_limit: f64) -> String {
    format!(
        "Time to a target of one island and of two, {} and at most {time_limit} s each. Scatters are searched on the \
         whole network (`--symmetry false`)\n\
         for the steps of the target alone (`--steps`), so that all the time is a search. Islands are \
         threads here; as MPI ranks they find\n\
         the same with the same seeds. Seconds, and iterations of each island, which do not depend \
         on how busy the machine is: median\n\
         [95 % interval].\n\n\
         Speed-up: measured (expected). Islands do not exchange solutions here, so two of them race, \
         and their time is the lesser of two\n\
         draws from the run-time distribution of one island: its median is the time that one island \
         exceeds with probability 1/√2, its\n\
         mean that of all pairs of the runs. With exponential times the speed-up expected is 2, with \
         times that hardly vary 1. What\n\
         seconds lack against iterations is what it costs to run side by side and to wait for each \
         other. Runs that do not come to the\n\
         target in time are longer than all others, nobody knows how much; `-` is what cannot be told \
         because of them.",
        crate::seeds_to(seeds),
    )
}

/// Runs with a number of islands.
struct Sample {
    reached: usize,
    /// To the target; infinite if it was not reached.
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

/// What was measured, and what was to be expected.
fn told(measured: Option<f64>, expected: Option<f64>) -> String {
    // Failed runs make a time infinite, and two of these tell nothing.
    let tell = |up: Option<f64>| optional(up.filter(|up| up.is_normal()), |up| format!("{up:.2}"));
    format!("{} ({})", tell(measured), tell(expected))
}
