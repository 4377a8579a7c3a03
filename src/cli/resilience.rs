//! `ccsched resilience` and `ccsched topologies compare`: networks side by side, whole and broken.

use super::own_files::Inputs;
use super::problem_args::Collectives;
use super::stdout::stdout;
use super::time_args::StepArgs;
use super::{batch, dash, named, numbers, terminal};
use crate::experiments::{resilience, survey};
use crate::islands::Limits;
use crate::network::Network;
use crate::problem::{Ports, Request, Switching};
use crate::{Options, SEED, atomic};
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
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
    batch::check(&common.inputs(), common.csv.as_deref(), None, [""; 0])?;
    let networks = common.networks()?;
    let runs = networks.len() * args.collective.0.len();
    let bar = batch::bar(
        runs,
        "{pos} of {len} networks and collectives, {elapsed_precise}",
        common.quiet,
    );
    let mut rows = Vec::new();
    for &collective in &args.collective.0 {
        for network in &networks {
            let Common { switching, ports, .. } = *common;
            let request = Request { switching, ports, ..Request::new(collective) };
            let model = args.time.model(network.rate());
            rows.push(survey::row(network, &request, &common.options(), &model)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    survey::mark_pareto(&mut rows);
    common.save(survey::csv(&rows))?;
    writeln!(stdout(), "{}", survey::text(&rows, terminal::columns()))?;
    Ok(ExitCode::SUCCESS)
}

/// Breaks links, and counts steps.
///
/// # Errors
/// Wrong input; an output cannot be written.
pub fn run(args: &Resilience) -> anyhow::Result<ExitCode> {
    let common = &args.common;
    let &[collective] = &args.collective.0[..] else {
        anyhow::bail!("--collective: name one");
    };
    batch::check(&common.inputs(), common.csv.as_deref(), args.svg.as_deref(), ["resilience"])?;
    let networks = common.networks()?;
    let faults: Vec<usize> =
        std::iter::once(0).chain(args.faults.0.iter().copied().filter(|&f| f > 0)).collect();
    let runs = networks.len() * faults.len();
    let bar =
        batch::bar(runs, "{pos} of {len} networks and faults, {elapsed_precise}", common.quiet);
    let mut rows = Vec::new();
    for network in &networks {
        for &faults in &faults {
            let Common { switching, ports, .. } = *common;
            let request = Request { switching, ports, ..Request::new(collective) };
            let many = (faults, args.samples);
            rows.push(resilience::row(network, &request, many, &common.options())?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    common.save(resilience::csv(&rows))?;
    if let Some(prefix) = &args.svg {
        let caption = format!("{collective}, {}", common.switching);
        batch::save_picture(prefix, "resilience", resilience::plot(&rows, &caption))?;
    }
    writeln!(stdout(), "{}", resilience::text(&rows, terminal::columns()))?;
    Ok(ExitCode::SUCCESS)
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
