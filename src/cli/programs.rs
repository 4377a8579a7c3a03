//! The two programs' command lines: their subcommands, their names, their help.

use super::{
    bound, compare, generate, numbers, show, solve, study, sweep, topology, trace_plot, verify,
};

/// Conflict-free schedules of collective communications
#[derive(clap::Parser)]
#[command(name = "ccsched", version)]
pub enum Companion {
    /// Design a schedule
    #[command(allow_negative_numbers = true)]
    Solve(Box<Solve>),
    /// Compare configurations of engines by many runs of each
    #[command(allow_negative_numbers = true)]
    Compare(Box<compare::Args>),
    /// Repeat a study of the literature
    #[command(allow_negative_numbers = true)]
    Study(study::Args),
    /// List the lower bounds on the number of steps
    #[command(allow_negative_numbers = true)]
    Bound(Box<bound::Args>),
    /// Describe a network, or save it as a TOML file
    Topology(topology::Args),
    /// Check schedule files
    Verify(verify::Args),
    /// Draw how a search went, from what `solve --trace` has saved
    Trace(trace_plot::Args),
    /// Print schedules as tables and trees
    Show(show::Args),
    /// Write man pages and shell completions into a folder
    #[command(hide = true)]
    Generate(generate::Args),
}

/// `solve` on the threads of one machine.
#[derive(clap::Args)]
pub struct Solve {
    /// What all programs that solve have.
    #[command(flatten)]
    pub args: solve::Args,
    /// Islands that search side by side, each on a thread [default: 4; 1 for serial engines]
    #[arg(long, value_name = "N", value_parser = numbers::islands, help_heading = "Search")]
    pub islands: Option<u16>,
}

/// Command lines of `ccsched-mpi` to begin with.
pub const TRY: &str = "\
Try also:
  mpirun -n 8 ccsched-mpi -t heawood -c aas      another network
  mpirun -n 8 ccsched-mpi -t hypercube:3 -c all  all collectives of the papers
  mpirun -n 8 ccsched-mpi -t mesh:4x4 -c oab --source 11 --switching sf
  mpirun -n 8 ccsched-mpi sweep --fail-links 1 -t mesh:4x4 -c all
  mpirun -n 8 ccsched-mpi -o schedule.json       keep it; ccsched verify schedule.json
  ccsched-mpi --help                             everything else";

/// What to do where `mpirun` refuses to start the ranks.
pub const SLOTS: &str = "\
If mpirun says that there are not enough slots, it wants no more ranks than cores: add
--oversubscribe (Open MPI 4) or --map-by :OVERSUBSCRIBE (Open MPI 5).";

/// Design a conflict-free schedule of a collective communication on all ranks of an MPI job
#[derive(clap::Parser)]
#[command(name = "ccsched-mpi", version, after_help = format!("{TRY}\n\n{SLOTS}"),
          args_conflicts_with_subcommands = true, allow_negative_numbers = true)]
pub struct Optimizer {
    /// The default subcommand's options.
    #[command(flatten)]
    pub solve: solve::Args,
    /// A subcommand, if one is named.
    #[command(subcommand)]
    pub command: Option<OptimizerCommand>,
}

/// Subcommands of `ccsched-mpi`.
#[derive(clap::Subcommand)]
pub enum OptimizerCommand {
    /// Design a schedule (the default)
    #[command(allow_negative_numbers = true)]
    Solve(Box<solve::Args>),
    /// Schedule on what every set of faults leaves of a network: a task for each, for all ranks
    #[command(allow_negative_numbers = true)]
    Sweep(Box<sweep::Args>),
}
