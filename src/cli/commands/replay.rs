//! `ccsched-mpi replay`: plays schedules on the ranks of an MPI job and measures them.

use super::batch;
use crate::own_files::Inputs;
use crate::stdout::stdout;
use crate::time_args::StepArgs;
use crate::{dash, numbers, sizes, terminal};
use anyhow::{Context, anyhow, ensure};
use ccsched_base::atomic;
use ccsched_base::counted::counted;
use ccsched_lab::plots::throughput;
use ccsched_lab::replay::{
    Order, Placement, Replay, ReplayError, Script, csv, dismiss, hosts, place, rows, text,
};
use ccsched_lab::rows::json_lines;
use ccsched_model::schedule::{ScheduleFile, TimeModel};
use ccsched_network::Rate;
use ccsched_run::comm::part::Player;
use ccsched_tools::tradeoff::SizeBook;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What a schedule is compared with.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// MPI_Alltoall, or MPI_Alltoallv if some ranks only send or only receive
    Alltoall,
}

/// The schedules and how they are measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Schedule files of the same terminals; they are measured in turn
    #[arg(value_name = "FILE", required_unless_present = "book", value_parser = dash::input)]
    pub files: Vec<PathBuf>,
    /// The folder of a trade-off: those of its schedules that are the fastest for some of the lengths
    #[arg(long, value_name = "FOLDER")]
    pub book: Option<PathBuf>,
    /// Lengths of messages: 64K, a list 1K,1M, or a range 1K..64M, which doubles; K is 1024. Not
    /// for schedules that give lengths
    #[arg(long, value_name = "SIZES", value_parser = sizes::sizes)]
    pub bytes: Option<sizes::Sizes>,
    /// Plays of each size that are measured
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = numbers::count::<u32>)]
    pub repeat: u32,
    /// Plays of each size that are not measured, before the others
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warm_up: u16,
    /// When a transfer begins
    #[arg(long, value_enum, default_value = "steps")]
    pub order: Order,
    /// Measure this too, in turn with the schedules
    #[arg(long, value_enum)]
    pub against: Option<Against>,
    /// Which rank plays which terminal
    #[arg(long, value_enum, default_value = "auto")]
    pub place: Placement,
    /// The most memory for the messages of one rank: 500M, 4G
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = sizes::size)]
    pub memory: u64,
    /// The modelled time; it is predicted if one of its options is given
    #[command(flatten)]
    pub time: StepArgs,
    /// Save the table as CSV
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,
    /// Save a picture: PREFIX-replay.svg
    #[arg(long, value_name = "PREFIX", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// Print a line of JSON for each schedule and size instead of the table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Runs the replay on rank 0, and ends the other ranks unless the job must fail.
///
/// # Errors
/// Wrong input; a [`ReplayError`] of ranks that are in the middle of a replay.
pub fn run<C: Player>(args: &Args, comm: &mut C) -> anyhow::Result<ExitCode> {
    let hosts = hosts(comm).map_err(ReplayError::from)?;
    let result = lead(args, comm, &hosts);
    if !result.as_ref().is_err_and(is_failure) {
        dismiss(comm).map_err(ReplayError::from)?;
    }
    result
}

/// Whether an error leaves other ranks in the middle of a replay.
pub fn is_failure(error: &anyhow::Error) -> bool {
    let replay = error.downcast_ref::<ReplayError>();
    replay.is_some_and(|error| !matches!(error, ReplayError::Input(_)))
}

fn lead<C: Player>(args: &Args, comm: &mut C, hosts: &[String]) -> anyhow::Result<ExitCode> {
    let mut inputs = Inputs::default();
    let files = args.files()?;
    for file in &files {
        inputs = inputs.with("the command", Some(file));
    }
    batch::check(&inputs, args.csv.as_deref(), args.svg.as_deref(), ["replay"])?;
    let replay = args.replay(&files, hosts)?;
    let plays = replay.sizes.len()
        * replay.contenders()
        * (args.repeat as usize + usize::from(args.warm_up));
    let template = "play {pos} of {len}, {elapsed_precise}";
    let bar = batch::bar(plays, template, args.quiet || args.json);
    let measured = match replay.run(comm, &mut |count, _| bar.set_position(count as u64)) {
        // Wrong input is told as such.
        Err(ReplayError::Input(error)) => return Err(error.into()),
        measured => measured?,
    };
    bar.finish_and_clear();
    let model = |script: &Script| args.model(script.rate.as_ref());
    let rows = rows(&replay, &measured, &model);
    if let Some(path) = &args.csv {
        atomic::write(path, &csv(&rows)?).context("--csv")?;
    }
    if let Some(prefix) = &args.svg {
        let caption = format!("{}: measured throughput", counted(hosts.len(), "rank"));
        batch::save_picture(prefix, "replay", throughput(&rows, &caption))?;
    }
    let mut out = stdout();
    match args.json {
        true => write!(out, "{}", json_lines(&rows)?)?,
        false => writeln!(out, "{}", text(&rows, terminal::columns()))?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// The schedule files, with those of the book for the lengths of messages.
    fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut files = self.files.clone();
        if let Some(folder) = &self.book {
            let book = SizeBook::read(folder).context("--book")?;
            let sizes = self.bytes.as_ref().map_or_else(sizes::default_sizes, |s| s.0.clone());
            for file in sizes.into_iter().map(|bytes| book.file(bytes)) {
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        Ok(files)
    }

    fn replay(&self, files: &[PathBuf], hosts: &[String]) -> anyhow::Result<Replay> {
        let mut scripts = Vec::new();
        for path in files {
            let named = || path.display().to_string();
            let name = path.file_stem().map_or_else(named, |stem| stem.to_string_lossy().into());
            let script = Script::new(&name, &ScheduleFile::read(path)?).with_context(named)?;
            let rank_of = place(&script.terminals, hosts, self.place).with_context(named)?;
            scripts.push(script.placed(&rank_of));
        }
        let have_lengths = scripts.iter().any(Script::has_lengths);
        ensure!(
            !(have_lengths && self.bytes.is_some()),
            "--bytes: the messages of the schedule have lengths of their own"
        );
        let default = || if have_lengths { vec![0] } else { sizes::default_sizes() };
        let mut names: Vec<&str> = scripts.iter().map(|script| script.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(anyhow!("two files are called {}: give them different names", twice[0]));
        }
        Ok(Replay {
            scripts,
            order: self.order,
            against_library: self.against == Some(Against::Alltoall),
            sizes: self.bytes.as_ref().map_or_else(default, |sizes| sizes.0.clone()),
            warm_up: self.warm_up.into(),
            repeat: self.repeat,
            memory: self.memory,
        })
    }

    /// The model of the prediction.
    fn model(&self, rate: Option<&Rate>) -> Option<TimeModel> {
        self.time.is_given().then(|| self.time.model(rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    fn model(options: &str) -> Result<Option<TimeModel>, String> {
        let words = ["replay", "x.json"].into_iter().chain(options.split_whitespace());
        let parsed = Command::try_parse_from(words);
        parsed.map(|command| command.args.model(None)).map_err(|e| e.to_string())
    }

    #[test]
    fn times_are_predicted_if_one_of_their_options_is_given() {
        let default = TimeModel::default();
        assert_eq!(model("--repeat 3"), Ok(None));
        let rate = TimeModel { byte_ns: 10.0, ..default };
        assert_eq!(model("--link-rate 100"), Ok(Some(rate)));
        let more = TimeModel { startup_us: 5.0, hop_us: 0.5, ..rate };
        assert_eq!(model("--link-rate 100 --t0 5 --tr 0.5"), Ok(Some(more)));
        assert_eq!(model("--t1 10 --t0 5 --tr 0.5"), Ok(Some(more)));
        assert!(model("--link-rate 100 --t1 10").unwrap_err().contains("--t1"));
        assert!(model("--t0 -1").is_err());
    }
}
