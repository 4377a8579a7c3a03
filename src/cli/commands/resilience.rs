//! `ccsched faults sample` and `ccsched topology A B`: networks side by side, whole and broken.

use super::batch;
use crate::INTERRUPTED;
use crate::own_files::Inputs;
use crate::problem_args::Collectives;
use crate::signals::{heed_interrupts, heeded, interrupted, is_interrupted};
use crate::stdout::stdout;
use crate::time_args::StepArgs;
use crate::{dash, named, numbers, terminal};
use anyhow::Context;
use ccsched_base::atomic;
use ccsched_lab::resilience::Samples;
use ccsched_lab::{resilience, survey};
use ccsched_model::problem::{Collective, Ports, Request, Switching};
use ccsched_network::Network;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{Limits, RankGroup, SearchError};
use ccsched_run::{Options, SEED};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The searches on every network, and what is saved of them.
#[derive(Clone, Debug, clap::Args)]
pub struct Runs {
    /// wormhole, store-and-forward or hosts [default: wormhole]
    #[arg(long, value_name = "MODEL")]
    pub switching: Option<Switching>,
    /// Messages that a terminal sends, and receives, in a step: all or a number [default: all]
    #[arg(long, value_name = "N")]
    pub ports: Option<Ports>,
    /// The time of each search
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds)]
    pub time_limit: Option<f64>,
    /// Iterations of each search; without --time-limit the result is the same on any machine [default: 200]
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>)]
    pub iterations: Option<u64>,
    /// Seed of all random numbers [default: 1]
    #[arg(long, value_name = "N", value_parser = numbers::seed)]
    pub seed: Option<u64>,
    /// Save the rows as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// What `topology` takes of several networks.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "In comparisons")]
pub struct Compare {
    /// A collective, all for the four of the papers, or every [default: all]
    #[arg(short, long, value_name = "NAME")]
    pub collective: Option<Collectives>,
    /// The searches.
    #[command(flatten)]
    pub runs: Runs,
    /// The modelled time.
    #[command(flatten)]
    pub time: StepArgs,
}

/// Options of `faults sample`.
#[derive(Clone, Debug, clap::Args)]
pub struct Resilience {
    /// A network, a family or a file; several times
    #[arg(short, long, value_name = "NET", required = true, value_parser = dash::topology)]
    pub topology: Vec<String>,
    /// How files are understood.
    #[command(flatten)]
    pub reading: named::ReadingArgs,
    /// The collective
    #[arg(short, long, default_value = "aas")]
    pub collective: Collectives,
    /// Numbers of broken links: 1..4, or a list 1,2,8; the healthy network comes first
    #[arg(long, value_name = "LIST", default_value = "1..4", value_parser = counts)]
    pub faults: Counts,
    /// Samples of broken links for each number
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::count::<usize>)]
    pub samples: usize,
    /// The searches.
    #[command(flatten)]
    pub common: Runs,
    /// Save a picture: a name that ends in .svg, or PREFIX-resilience.svg
    #[arg(long, value_name = "FILE|PREFIX")]
    pub svg: Option<PathBuf>,
    /// Print a line of JSON for each row instead of the table
    #[arg(long)]
    pub json: bool,
}

/// Numbers in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(Vec<usize>);

/// Reads `1..4` or `1,2,8`.
fn counts(text: &str) -> Result<Counts, String> {
    let wrong = || format!("'{text}' is no list of numbers such as 1..4 or 1,2,8");
    let number = |word: &str| word.trim().parse::<usize>().map_err(|_| wrong());
    let mut all = match text.split_once("..") {
        Some((from, to)) => (number(from)?..=number(to)?).collect(),
        None => text.split(',').map(number).collect::<Result<Vec<_>, _>>()?,
    };
    all.sort_unstable();
    all.dedup();
    match all.len() {
        1..=100 => Ok(Counts(all)),
        _ => Err(wrong()),
    }
}

/// The networks of these names.
fn networks(names: &[String], reading: &named::ReadingArgs) -> anyhow::Result<Vec<Network>> {
    names.iter().map(|name| Ok(named::network(name, reading)?)).collect()
}

/// The files of these networks.
fn inputs(names: &[String]) -> Inputs<'_> {
    names.iter().fold(Inputs::default(), |all, name| {
        all.with("--topology", Some(std::path::Path::new(name)))
    })
}

impl Runs {
    fn options(&self) -> Options {
        let time = self.time_limit.map(Duration::from_secs_f64);
        let iterations = self.iterations.unwrap_or(ITERATIONS);
        let limits = Limits { iterations, time, ..Limits::default() };
        Options { seed: self.seed.unwrap_or(SEED), limits, ..Options::default() }
    }

    fn request(&self, collective: Collective) -> Request {
        let plain = Request::new(collective);
        Request {
            switching: self.switching.unwrap_or(Switching::Wormhole),
            ports: self.ports.unwrap_or(plain.ports),
            ..plain
        }
    }

    fn save(&self, csv: ccsched_base::Result<String>) -> anyhow::Result<()> {
        match &self.csv {
            Some(path) => Ok(atomic::write(path, csv?).context("--csv")?),
            None => Ok(()),
        }
    }
}

impl Compare {
    /// The first option of it that is given.
    pub fn given(&self) -> Option<&'static str> {
        let runs = &self.runs;
        let given = [
            ("--collective", self.collective.is_some()),
            ("--switching", runs.switching.is_some()),
            ("--ports", runs.ports.is_some()),
            ("--time-limit", runs.time_limit.is_some()),
            ("--iterations", runs.iterations.is_some()),
            ("--seed", runs.seed.is_some()),
            ("--csv", runs.csv.is_some()),
            ("--quiet", runs.quiet),
            ("--cost", self.time.is_given()),
        ];
        given.into_iter().find(|(_, is)| *is).map(|(option, _)| option)
    }
}

/// Iterations of a search by default.
const ITERATIONS: u64 = 200;

/// Compares networks.
///
/// # Errors
/// Wrong input; an output cannot be written.
pub fn compare(
    names: &[String],
    reading: &named::ReadingArgs,
    args: &Compare,
    (svg, json): (Option<&Path>, bool),
) -> anyhow::Result<ExitCode> {
    let common = &args.runs;
    batch::check(&inputs(names), common.csv.as_deref(), svg, ["networks"])?;
    let options = Options { interrupt: heeded(), ..common.options() };
    let networks = networks(names, reading)?;
    let of_the_papers = || Collective::OF_THE_PAPERS.to_vec();
    let collectives = args.collective.as_ref().map_or_else(of_the_papers, |some| some.0.clone());
    let runs = networks.len() * collectives.len();
    let bar = batch::bar(
        runs,
        "{pos} of {len} networks and collectives, {elapsed_precise}",
        common.quiet,
    );
    let mut rows = Vec::new();
    'all: for &collective in &collectives {
        for network in &networks {
            let request = common.request(collective);
            let model = args.time.model(network.rate());
            let row = survey::row(network, &request, &options, &model)?;
            let Some(row) = row.filter(|_| !is_interrupted()) else { break 'all };
            rows.push(row);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    survey::mark_pareto(&mut rows);
    common.save(survey::csv(&rows))?;
    if let Some(prefix) = svg {
        let rules = common.request(collectives[0]).switching.to_string();
        batch::save_picture(prefix, "networks", survey::plot(&rows, &rules))?;
    }
    match json {
        true => batch::print_json(&rows)?,
        false => writeln!(stdout(), "{}", survey::text(&rows, terminal::columns()))?,
    }
    if rows.len() < runs {
        log::warn!("interrupted: {} of {runs} networks and collectives are done", rows.len());
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

impl Resilience {
    /// What is solved, the same on all ranks.
    fn samples(&self) -> anyhow::Result<Samples> {
        let common = &self.common;
        let &[collective] = &self.collective.0[..] else {
            anyhow::bail!("--collective: name one");
        };
        let faults = self.faults.0.iter().copied().filter(|&f| f > 0);
        Ok(Samples {
            networks: networks(&self.topology, &self.reading)?,
            request: common.request(collective),
            faults: std::iter::once(0).chain(faults).collect(),
            samples: self.samples,
            options: common.options(),
        })
    }
}

/// Breaks links, and counts steps; the samples are shared out over the ranks of a group.
///
/// # Errors
/// Wrong input; an output cannot be written; ranks that fail.
pub fn run<C: Communicator>(
    args: &Resilience,
    group: &mut RankGroup<'_, C>,
) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    let common = &args.common;
    batch::check(
        &inputs(&args.topology),
        common.csv.as_deref(),
        args.svg.as_deref(),
        ["resilience"],
    )?;
    let samples = args.samples()?;
    let bar = batch::bar(
        samples.tasks().len(),
        "{pos} of {len} samples, {elapsed_precise}",
        common.quiet,
    );
    let (rows, is_interrupted) = samples.rows((group, interrupted()), &|| bar.inc(1))?;
    bar.finish_and_clear();
    common.save(resilience::csv(&rows))?;
    if let Some(prefix) = &args.svg {
        let caption = format!("{}, {}", samples.request.collective, samples.request.switching);
        batch::save_picture(prefix, "resilience", resilience::plot(&rows, &caption))?;
    }
    match args.json {
        true => batch::print_json(&rows)?,
        false => writeln!(stdout(), "{}", resilience::text(&rows, terminal::columns()))?,
    }
    Ok(ExitCode::from(if is_interrupted { INTERRUPTED } else { 0 }))
}

/// Solves samples as a rank other than 0, which has the same arguments, until dismissed.
///
/// # Errors
/// The master is gone, or a search fails.
pub fn follow<C: Communicator>(args: &Resilience, comm: &mut C) -> Result<(), SearchError> {
    batch::follow(comm, args.samples().ok(), Samples::solve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_ranges_and_lists() {
        assert_eq!(counts("1..3"), Ok(Counts(vec![1, 2, 3])));
        assert_eq!(counts("4, 1,1"), Ok(Counts(vec![1, 4])));
        for wrong in ["", "a", "3..1", "1,,2"] {
            assert!(counts(wrong).is_err(), "{wrong}");
        }
    }
}
