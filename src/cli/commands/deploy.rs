//! `ccsched deploy`: a folder with all that a job needs to run its collectives by schedules.

use super::batch;
use crate::own_files::Inputs;
use crate::problem_args::{Parts, Pieces, ProblemArgs};
use crate::signals::{heeded, is_interrupted};
use crate::stdout::stdout;
use crate::terminal::{self, quoted};
use crate::time_args::StepArgs;
use crate::{INTERRUPTED, Interrupted, numbers, sizes};
use anyhow::{Context, ensure};
use ccsched_model::problem::{Collective, groups_file};
use ccsched_run::islands::{ITERATIONS, Limits};
use ccsched_run::{Options, SEED};
use ccsched_tools::deploy::algorithms::{MPICH, OPEN_MPI, title};
use ccsched_tools::deploy::{Asked, Deployment, Folder, Speeds};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The file in which a measurement leaves what messages and bytes cost.
const SPEEDS: &str = "ccsched.speeds";

/// Write a folder with all that a job needs to run its collectives by the fastest way: a library to preload,
/// scripts that measure and start, schedules, predicted times
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The ranks and their network; the collectives are alltoall, allgather, reduce-scatter, allreduce
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Lengths of calls to predict, count times size of the type: 64K, a list 1K,1M, or a range
    /// 1K..16M, which doubles; K is 1024
    #[arg(long, value_name = "SIZES", default_value = "1K..16M", value_parser = sizes::sizes, help_heading = "Prediction")]
    pub bytes: sizes::Sizes,
    /// Use schedules for calls of at least this length, whatever is predicted
    #[arg(long, value_name = "N", value_parser = sizes::size, help_heading = "Prediction")]
    pub least_bytes: Option<u64>,
    /// The algorithms of the MPI library that schedules must be faster than, with commas between:
    /// linear, pairwise, pairwise-xor, ring, neighbor-exchange, bruck, recursive-doubling,
    /// recursive-halving, rabenseifner; mpich for the one that MPICH takes at each length, openmpi for all
    /// that Open MPI has, auto for the library that is installed [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Prediction")]
    pub against: Vec<String>,
    /// The most pieces of a message
    #[arg(long, value_name = "C", default_value_t = 4, value_parser = numbers::count::<u32>, help_heading = "Prediction")]
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
    let interrupt = heeded();
    let folder = args.output.as_deref().map(|path| args.folder(path)).transpose()?;
    let asked = args.asked(interrupt)?;
    let hidden = args.quiet || args.json;
    let bar =
        batch::bar(asked.collectives.len(), "{pos} of {len} {msg}, {elapsed_precise}", hidden);
    let deployment = Deployment::of(&asked, &mut |collective| {
        bar.set_message(format!("collectives: {collective}"));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let deployment = match deployment {
        Err(_) if is_interrupted() => return Err(Interrupted.into()),
        deployment => deployment?,
    };
    let is_cut = is_interrupted();
    if is_cut {
        let names: Vec<String> = deployment.left_out().iter().map(|c| c.to_string()).collect();
        log::warn!(
            "interrupted: what was found until then is deployed{}{}",
            if names.is_empty() { "" } else { ", without " },
            names.join(", ")
        );
    }
    if let Some(folder) = folder {
        deployment.write(folder).context("--output")?;
    }
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", deployment.manifest())?;
        return Ok(ExitCode::from(if is_cut { INTERRUPTED } else { 0 }));
    }
    let columns = terminal::columns();
    writeln!(
        out,
        "{}\n{}\n{}",
        deployment.about(),
        deployment.speeds(),
        deployment.summary(columns)
    )?;
    if !args.quiet {
        write!(out, "\n{}", deployment.times(columns))?;
    }
    if !deployment.is_faster() {
        writeln!(
            out,
            "no schedule is predicted to be faster than all of these algorithms: MPI's own functions are \
             used; tune, in the folder, measures it; --against names the algorithms of your MPI library"
        )?;
    }
    if let Some(path) = &args.output {
        writeln!(out, "saved in {}; README.md says how to use it", path.display())?;
    }
    Ok(ExitCode::from(if is_cut { INTERRUPTED } else { 0 }))
}

impl Args {
    /// The folder of the output, which no input is a file of.
    fn folder(&self, path: &Path) -> anyhow::Result<Folder> {
        let kinds = ["json", "md", "csv", "c", "h", "toml"];
        Inputs::problem(&self.problem).refuse_in("--output", path, &kinds)?;
        Folder::open(path).context("--output")
    }

    /// The options of the modelled time that a measurement has left in the folder.
    fn measured(&self) -> anyhow::Result<Option<StepArgs>> {
        let Some(folder) = &self.output else { return Ok(None) };
        let path = folder.join(SPEEDS);
        let text = match std::fs::read_to_string(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read.with_context(|| path.display().to_string())?,
        };
        let mut words = text.lines().next().unwrap_or_default().split_whitespace();
        let mut number = |flag: &str| -> Option<f64> {
            let value = words.next().filter(|word| *word == flag).and(words.next())?;
            numbers::not_negative(value).ok()
        };
        let (t0, t1) = (number("--t0"), number("--t1"));
        let (Some(t0), Some(t1)) = (t0, t1) else {
            anyhow::bail!(
                "{}: line 1 is not --t0 US --t1 NS; remove the file, or measure again",
                path.display()
            )
        };
        Ok(Some(StepArgs { t0: Some(t0), t1: Some(t1), ..self.time.clone() }))
    }

    /// What is asked for.
    fn asked(&self, interrupt: Option<Arc<AtomicBool>>) -> anyhow::Result<Asked> {
        let problem = &self.problem;
        ensure!(
            problem.pieces == Pieces::Number(1),
            "--pieces: all numbers up to --most-pieces are tried; give that instead"
        );
        ensure!(problem.parts == Parts::All, "--parts: it is chosen by the length of the call");
        check_for_all_ranks(problem)?;
        let (network, faults) = problem.network()?;
        let whole = ProblemArgs { group: None, ..problem.clone() };
        let request = whole.request(Collective::Aas, &network)?;
        let check = |collective| title(collective).map(|_| ()).map_err(|e| e.to_string());
        let read = |path: &PathBuf| groups_file::read_of(path, &network, &check);
        let groups = problem.group.as_ref().map(read);
        let groups = groups.transpose()?.unwrap_or_default();
        if let Some(group) = groups.iter().find(|group| group.bytes.is_some()) {
            anyhow::bail!(
                "--group: bytes= of {}: the lengths of calls are those of --bytes",
                group.collective
            );
        }
        let measured = self.measured()?.filter(|_| !self.time.is_given());
        let time = measured.clone().unwrap_or_else(|| self.time.clone());
        let is_known = network.rate().is_some() || self.time.byte_ns().is_some();
        let speeds = match (measured.is_some(), is_known) {
            (true, _) => Speeds::Measured,
            (false, true) => Speeds::Known,
            (false, false) => Speeds::Unknown,
        };
        let limits = Limits {
            iterations: self.iterations,
            time: Some(Duration::from_secs_f64(self.time_limit)),
            ..Limits::default()
        };
        let mut asked = Asked {
            request,
            collectives: problem.collective.0.clone(),
            fabric: problem.reading.is_of("ibnetdiscover").then(|| problem.name().into()),
            sizes: self.bytes.0.clone(),
            model: time.model(network.rate()),
            speeds,
            network,
            faults,
            most_pieces: self.most_pieces,
            against: against(&self.against)?,
            least_bytes: self.least_bytes,
            options: Options { seed: self.seed, limits, interrupt, ..Options::default() },
            each: 1,
            groups,
            hosts: None,
            command: command(),
        };
        if let Some(each) = problem.reading.per_node.filter(|&each| each > 1) {
            asked.hosts = self.hosts(each, &asked)?.map(Box::new);
        }
        Ok(asked)
    }

    /// The same for the hosts alone, if there are several with this many ranks each.
    fn hosts(&self, each: u32, asked: &Asked) -> anyhow::Result<Option<Asked>> {
        let mut problem = ProblemArgs { group: None, ..self.problem.clone() };
        problem.reading.per_node = None;
        problem.reading.local_width = None;
        let (network, faults) = problem.network()?;
        let request = problem.request(Collective::Aas, &network)?;
        let hosts = request.senders.as_ref().map_or(network.terminals().count(), Vec::len);
        let sizes = asked.sizes.iter().map(|bytes| bytes.saturating_mul(each.into())).collect();
        let groups = Vec::new();
        let alone = || Asked { request, network, faults, each, sizes, groups, ..asked.clone() };
        Ok((hosts > 1).then(alone))
    }
}

/// Refuses what is for some ranks alone.
fn check_for_all_ranks(problem: &ProblemArgs) -> anyhow::Result<()> {
    let some = [
        ("--pairs", problem.pairs.is_some()),
        ("--matrix", problem.matrix.is_some()),
        ("--permutation", problem.permutation.is_some()),
        ("--senders", problem.senders.is_some()),
        ("--receivers", problem.receivers.is_some()),
        ("--source", problem.source.is_some()),
    ];
    match some.iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => {
            anyhow::bail!(
                "{flag}: collectives are deployed for all ranks; name them by --host-list"
            )
        }
        None => Ok(()),
    }
}

/// Names of algorithms, with that of the MPI library that is installed in place of `auto`.
fn against(names: &[String]) -> anyhow::Result<Vec<String>> {
    let is_there = |program: &str| {
        let output = std::process::Command::new(program).output();
        output.is_ok_and(|output| output.status.success())
    };
    let found = |name: &String| match name.as_str() {
        "auto" if is_there("ompi_info") => Ok(OPEN_MPI.to_string()),
        "auto" if is_there("mpichversion") => Ok(MPICH.to_string()),
        "auto" => Err(anyhow::anyhow!(
            "--against auto: neither ompi_info of Open MPI nor mpichversion is found; name the library, \
             openmpi or mpich"
        )),
        name => Ok(name.to_string()),
    };
    names.iter().map(found).collect()
}

/// The command line, with quotes around words that a shell would take apart.
fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("ccsched".into()).chain(words).collect::<Vec<_>>().join(" ")
}
