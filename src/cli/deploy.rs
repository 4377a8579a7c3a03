//! `ccsched deploy`: a folder with all that a job needs to run its collectives by schedules.

use super::own_files::Inputs;
use super::problem_args::{Parts, Pieces, ProblemArgs};
use super::stdout::stdout;
use super::time_args::StepArgs;
use super::{batch, numbers, sizes, terminal};
use crate::deploy::{Asked, Deployment, Folder};
use crate::islands::{ITERATIONS, Limits};
use crate::problem::Collective;
use crate::{Options, SEED};
use anyhow::{Context, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Write a folder with all that a job needs to run its collectives by schedules: a library to preload,
/// rank file, schedules, predicted times
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The ranks and their network; the collectives are alltoall, allgather, reduce-scatter, allreduce
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Lengths of calls to predict, count times size of the type: 64K, a list 1K,1M, or a range
    /// 1K..16M, which doubles; K is 1024
    #[arg(long, value_name = "SIZES", default_value = "1K..16M", value_parser = sizes::sizes)]
    pub bytes: sizes::Sizes,
    /// Use schedules for calls of at least this length, whatever is predicted
    #[arg(long, value_name = "N", value_parser = sizes::size)]
    pub least_bytes: Option<u64>,
    /// The algorithms of the MPI library that schedules must be faster than, with commas between:
    /// linear, pairwise, pairwise-xor, ring, bruck, recursive-doubling, recursive-halving,
    /// rabenseifner, or mpich for the one that MPICH takes at each length [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub against: Vec<String>,
    /// The most pieces of a message
    #[arg(long, value_name = "C", default_value_t = 4, value_parser = numbers::count::<u32>)]
    pub most_pieces: u32,
    /// The modelled time.
    #[command(flatten)]
    pub time: StepArgs,
    /// The time for all schedules: 90s, 10m; a plain number is in seconds
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = numbers::seconds, help_heading = "Search")]
    pub time_limit: f64,
    /// Iterations of each search
    #[arg(long, value_name = "N", default_value_t = ITERATIONS, value_parser = numbers::count::<u64>, help_heading = "Search")]
    pub iterations: u64,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = SEED, value_parser = numbers::seed, help_heading = "Search")]
    pub seed: u64,
    /// The folder: a new or empty one, or that of an earlier deployment, whose files are replaced
    #[arg(
        short,
        long,
        value_name = "DIR",
        required_unless_present = "dry_run",
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,
    /// Print what would be deployed, and write nothing
    #[arg(long, conflicts_with = "output", help_heading = "Output")]
    pub dry_run: bool,
    /// Print one line of JSON instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress, no tables of times
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// Wrong input; the folder cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let folder = args.output.as_deref().map(|path| args.folder(path)).transpose()?;
    let asked = args.asked()?;
    let hidden = args.quiet || args.json;
    let bar =
        batch::bar(asked.collectives.len(), "{pos} of {len} {msg}, {elapsed_precise}", hidden);
    let deployment = Deployment::of(&asked, &mut |collective| {
        bar.set_message(format!("collectives: {collective}"));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let deployment = deployment?;
    if let Some(folder) = folder {
        deployment.write(folder).context("--output")?;
    }
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", deployment.manifest())?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = terminal::columns();
    writeln!(out, "{}\n{}", deployment.about(), deployment.summary(columns))?;
    if !args.quiet {
        write!(out, "\n{}", deployment.times(columns))?;
    }
    if !deployment.has_library() {
        writeln!(
            out,
            "no schedule is predicted to be faster than all of these algorithms, so there is no \
             library; --against names those of your MPI library, --least-bytes sets a threshold"
        )?;
    }
    if let Some(path) = &args.output {
        writeln!(out, "saved in {}; README.md says how to use it", path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// The folder of the output, which no input is a file of.
    fn folder(&self, path: &Path) -> anyhow::Result<Folder> {
        let kinds = ["json", "md", "csv", "c", "h", "toml"];
        Inputs::problem(&self.problem).refuse_in("--output", path, &kinds)?;
        Folder::open(path).context("--output")
    }

    /// What is asked for.
    fn asked(&self) -> anyhow::Result<Asked> {
        let problem = &self.problem;
        ensure!(
            problem.pieces == Pieces::Number(1),
            "--pieces: all numbers up to --most-pieces are tried; give that instead"
        );
        ensure!(problem.parts == Parts::All, "--parts: it is chosen by the length of the call");
        let not_one = [
            ("--group", problem.group.is_some()),
            ("--pairs", problem.pairs.is_some()),
            ("--matrix", problem.matrix.is_some()),
            ("--permutation", problem.permutation.is_some()),
            ("--senders", problem.senders.is_some()),
            ("--receivers", problem.receivers.is_some()),
            ("--source", problem.source.is_some()),
        ];
        if let Some((flag, _)) = not_one.iter().find(|(_, is_given)| *is_given) {
            anyhow::bail!(
                "{flag}: collectives are deployed for all ranks; name them by --host-list"
            );
        }
        let (network, faults) = problem.network()?;
        let limits = Limits {
            iterations: self.iterations,
            time: Some(Duration::from_secs_f64(self.time_limit)),
            ..Limits::default()
        };
        Ok(Asked {
            request: problem.request(Collective::Aas, &network)?,
            collectives: problem.collective.0.clone(),
            fabric: problem.reading.is_of("ibnetdiscover").then(|| problem.name().into()),
            sizes: self.bytes.0.clone(),
            model: self.time.model(network.rate()),
            network,
            faults,
            most_pieces: self.most_pieces,
            against: self.against.clone(),
            least_bytes: self.least_bytes,
            options: Options { seed: self.seed, limits, ..Options::default() },
            command: command(),
        })
    }
}

/// The command line, with quotes around words that a shell would take apart.
fn command() -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    std::iter::once("ccsched".into()).chain(words.map(quoted)).collect::<Vec<_>>().join(" ")
}
