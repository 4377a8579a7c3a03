//! `sweep`: schedules the collectives on what every fault set of a given size leaves of a network.

pub mod repairs;
mod table;

use crate::engine_args::EngineArgs;
use crate::own_files::Inputs;
use crate::problem_args::ProblemArgs;
use crate::signals::{heed_interrupts, interrupted};
use crate::{INTERRUPTED, NOT_FOUND, dash, numbers};
use anyhow::Context;
use ccsched_base::Result;
use ccsched_lab::fault_sweep::{Book, FaultSweep, Header, Results, Subject, fault_sets};
use ccsched_run::comm::Communicator;
use ccsched_run::islands::RankGroup;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Which faults, and what to schedule under them.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to schedule on what
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Sweep all sets of K links; a two-way link fails in both directions [default: 1, or none with
    /// --fail-nodes]
    #[arg(long, value_name = "K", value_parser = numbers::count::<u8>, help_heading = "Faults")]
    pub fail_links: Option<u8>,
    /// Sweep all sets of K vertices
    #[arg(long, value_name = "K", value_parser = numbers::count::<u8>, help_heading = "Faults")]
    pub fail_nodes: Option<u8>,
    /// Repair the schedule in FILE for each set of faults, with few changes, in place of solving anew;
    /// --book FOLDER keeps the changes, and `ccsched faults lookup` makes schedules of them
    #[arg(long, value_name = "FILE", value_parser = dash::input, requires = "book", help_heading = "Repairs",
          conflicts_with_all = ["topology", "collective", "source", "senders", "receivers", "host_list",
          "place", "group", "pairs", "matrix", "permutation", "switching", "ports", "pieces", "parts",
          "relays", "routing", "fail", "fail_link", "fail_node", "slow", "results"])]
    pub repair: Option<PathBuf>,
    /// The steps of the schedule in FILE; more only if they do not suffice
    #[arg(long, requires = "repair", conflicts_with = "extra", help_heading = "Repairs")]
    pub keep_steps: bool,
    /// Steps beyond the fewest, for fewer changes
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "repair",
        help_heading = "Repairs"
    )]
    pub extra: u32,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1, value_parser = numbers::seed, help_heading = "Search")]
    pub seed: u64,
    /// Iterations of the search for each set of faults
    #[arg(long, default_value_t = 10_000, value_parser = numbers::count::<u64>, help_heading = "Search")]
    pub iterations: u64,
    /// Time of the search for each set of faults: 90s, 10m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds, help_heading = "Search")]
    pub time_limit: Option<f64>,
    /// Save the result of each set of faults as a line of JSON; a sweep continues an existing FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub results: Option<PathBuf>,
    /// Save the schedules in FOLDER, with a book.json that maps faults to schedules
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub book: Option<PathBuf>,
    /// Print a line of JSON for each set of faults instead of the table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress: the table alone
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// More log lines; twice for even more
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
    /// Which engine
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Runs the sweep that `args` ask for on all members of the group.
///
/// # Errors
/// Wrong input, or members that fail.
pub fn run<C: Communicator>(args: &Args, group: &mut RankGroup<'_, C>) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    if let Some(file) = &args.repair {
        return repairs::run(args, file, group);
    }
    let inputs = Inputs::problem(&args.problem);
    if let Some(path) = &args.results {
        inputs.refuse("--results", path)?;
    }
    if let Some(folder) = &args.book {
        inputs.refuse_in("--book", folder, &["json"])?;
    }
    let sweep = args.sweep()?;
    // Wrong input is refused before any file is written.
    let cells = sweep.cells()?;
    let open_book = |folder| Book::open(folder, &Subject::new(&sweep));
    let mut book = args.book.as_deref().map(open_book).transpose().context("--book")?;
    let results = Results::open(args.results.as_deref(), &Header::new(&sweep));
    let mut results = results.context("--results")?;
    let kept = (&mut results, book.as_mut());
    let is_interrupted = sweep.run(&cells, (group, interrupted()), kept)?;
    let rows = sweep.rows(&results);
    table::print(&rows, &sweep.collectives(), args.json)?;
    Ok(ExitCode::from(match is_interrupted {
        true => INTERRUPTED,
        false if rows.iter().any(|row| row.is_unsolved()) => NOT_FOUND,
        false => 0,
    }))
}

impl Args {
    fn sweep(&self) -> Result<FaultSweep> {
        let (network, faults) = self.problem.network()?;
        let of_links = self.fail_links.or(self.fail_nodes.is_none().then_some(1));
        let sets = fault_sets(&network, of_links, self.fail_nodes)?;
        let engine = self.engine.engine()?;
        let request = |&collective| self.problem.request(collective, &network);
        let requests = self.problem.collective.0.iter().map(request).collect::<Result<_>>()?;
        Ok(FaultSweep {
            network,
            faults,
            sets,
            requests,
            engine,
            seed: self.seed,
            iterations: self.iterations,
            time_limit: self.time_limit.map(Duration::from_secs_f64),
        })
    }
}
