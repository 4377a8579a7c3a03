//! `ccsched resilience` and `ccsched topologies compare`: networks side by side, whole and broken.

use super::batch;
use crate::INTERRUPTED;
use crate::own_files::Inputs;
use crate::problem_args::Collectives;
use crate::signals::{heed_interrupts, heeded, interrupted, is_interrupted};
use crate::stdout::stdout;
use crate::time_args::StepArgs;
use crate::{dash, named, numbers, terminal};
use anyhow::Context;
use ccsched_base::{Error, atomic};
use ccsched_lab::resilience::{Sample, Samples};
use ccsched_lab::{resilience, survey};
use ccsched_model::problem::{Ports, Request, Switching};
use ccsched_network::Network;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{Limits, RankGroup, SearchError, serve_tasks};
use ccsched_run::{Options, SEED};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What both commands take.
#[derive(Clone, Debug, clap::Args)]
pub struct Common {
    /// A network, a family or a file; several times
    #[arg(short, long, value_name = "NET", required = true, value_parser = dash::topology)]
    pub topology: Vec<String>,
    /// How files are understood.
    #[command(flatten)]
    pub reading: named::ReadingArgs,
    /// wormhole, store-and-forward or hosts
    #[arg(long, default_value = "wormhole")]
    pub switching: Switching,
    /// Messages that a terminal sends, and receives, in a step: all or a number
    #[arg(long, default_value = "all")]
    pub ports: Ports,
    /// The time of each search
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds)]
    pub time_limit: Option<f64>,
    /// Iterations of each search; without --time-limit the result is the same on any machine
    #[arg(long, default_value_t = 200, value_parser = numbers::count::<u64>)]
    pub iterations: u64,
    /// Seed of all random numbers
    #[arg(long, default_value_t = SEED, value_parser = numbers::seed)]
    pub seed: u64,
    /// Save the rows as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// Commands on several networks.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Topologies {
    /// Compare networks: what they are made of, and their steps in collectives
    Compare(Box<Compare>),
}

/// Options of `topologies compare`.
#[derive(Clone, Debug, clap::Args)]
pub struct Compare {
    /// The networks and rules.
    #[command(flatten)]
    pub common: Common,
    /// A collective, all for the four of the papers, or every
    #[arg(short, long, default_value = "all")]
    pub collective: Collectives,
    /// The modelled time.
    #[command(flatten)]
    pub time: StepArgs,
    /// Save a picture: PREFIX-networks.svg, steps over links, with the Pareto set
    #[arg(long, value_name = "PREFIX")]
    pub svg: Option<PathBuf>,
}

/// Options of `resilience`.
#[derive(Clone, Debug, clap::Args)]
pub struct Resilience {
    /// The networks and rules.
    #[command(flatten)]
    pub common: Common,
    /// The collective
    #[arg(short, long, default_value = "aas")]
    pub collective: Collectives,
    /// Numbers of broken links: 1..4, or a list 1,2,8; the healthy network comes first
    #[arg(long, value_name = "LIST", default_value = "1..4", value_parser = counts)]
    pub faults: Counts,
    /// Samples of broken links for each number
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = numbers::count::<usize>)]
    pub samples: usize,
    /// Save a picture: PREFIX-resilience.svg
    #[arg(long, value_name = "PREFIX")]
    pub svg: Option<PathBuf>,
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

impl Common {
    fn networks(&self) -> anyhow::Result<Vec<Network>> {
        let read = |text: &String| Ok(named::network(text, &self.reading)?);
        self.topology.iter().map(read).collect()
    }

    fn options(&self) -> Options {
        let time = self.time_limit.map(Duration::from_secs_f64);
        let limits = Limits { iterations: self.iterations, time, ..Limits::default() };
        Options { seed: self.seed, limits, ..Options::default() }
    }

    fn inputs(&self) -> Inputs<'_> {
        self.topology.iter().fold(Inputs::default(), |all, name| {
            all.with("--topology", Some(std::path::Path::new(name)))
        })
    }

    fn save(&self, csv: Result<String, csv::Error>) -> anyhow::Result<()> {
        match &self.csv {
            Some(path) => Ok(atomic::write(path, csv?).context("--csv")?),
            None => Ok(()),
        }
    }
}

/// Compares networks.
///
/// # Errors
/// Wrong input; an output cannot be written.
pub fn compare(args: &Compare) -> anyhow::Result<ExitCode> {
    let common = &args.common;
    batch::check(&common.inputs(), common.csv.as_deref(), args.svg.as_deref(), ["networks"])?;
    let options = Options { interrupt: heeded(), ..common.options() };
    let networks = common.networks()?;
    let runs = networks.len() * args.collective.0.len();
    let bar = batch::bar(
        runs,
        "{pos} of {len} networks and collectives, {elapsed_precise}",
        common.quiet,
    );
    let mut rows = Vec::new();
    'all: for &collective in &args.collective.0 {
        for network in &networks {
            let Common { switching, ports, .. } = *common;
            let request = Request { switching, ports, ..Request::new(collective) };
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
    if let Some(prefix) = &args.svg {
        let rules = common.switching.to_string();
        batch::save_picture(prefix, "networks", survey::plot(&rows, &rules))?;
    }
    writeln!(stdout(), "{}", survey::text(&rows, terminal::columns()))?;
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
        let Common { switching, ports, .. } = *common;
        let faults = self.faults.0.iter().copied().filter(|&f| f > 0);
        Ok(Samples {
            networks: common.networks()?,
            request: Request { switching, ports, ..Request::new(collective) },
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
    batch::check(&common.inputs(), common.csv.as_deref(), args.svg.as_deref(), ["resilience"])?;
    let samples = args.samples()?;
    let bar = batch::bar(samples.len(), "{pos} of {len} samples, {elapsed_precise}", common.quiet);
    let (rows, is_interrupted) = samples.rows((group, interrupted()), &|| bar.inc(1))?;
    bar.finish_and_clear();
    common.save(resilience::csv(&rows))?;
    if let Some(prefix) = &args.svg {
        let caption = format!("{}, {}", samples.request.collective, common.switching);
        batch::save_picture(prefix, "resilience", resilience::plot(&rows, &caption))?;
    }
    writeln!(stdout(), "{}", resilience::text(&rows, terminal::columns()))?;
    Ok(ExitCode::from(if is_interrupted { INTERRUPTED } else { 0 }))
}

/// Solves samples as a rank other than 0, which has the same arguments, until dismissed.
///
/// # Errors
/// The master is gone, or a search fails.
pub fn follow<C: Communicator>(args: &Resilience, comm: &mut C) -> Result<(), SearchError> {
    // Rank 0 says what is wrong with the arguments, and hands out nothing.
    let samples = args.samples().ok();
    let solve = |sample: &Sample, stops: &AtomicBool| match &samples {
        Some(samples) => samples.solve(sample, stops),
        None => Err(Error::problem("rank 0 has other arguments").into()),
    };
    serve_tasks(comm, &solve, interrupted())
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
