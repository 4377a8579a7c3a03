//! `ccsched export`: a schedule in the format of another program.

use crate::exported::{format, refused, save};
use crate::own_files::Inputs;
use crate::{dash, sizes};
use anyhow::Context;
use ccsched_base::counted::counted;
use ccsched_model::schedule::ScheduleFile;
use ccsched_tools::export::preload::{self, Entry};
use ccsched_tools::export::{self, Format, Settings, Subject, Synchronisation};
use ccsched_tools::tradeoff::SizeBook;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a schedule in the format of another program
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = export::help())]
pub struct Args {
    /// A schedule file; - is the standard input. Of preload several, and folders of trade-offs, whose
    /// schedules are all taken, each from its length of messages on
    #[arg(value_name = "FILE", value_parser = dash::input, required_unless_present = "book")]
    pub files: Vec<PathBuf>,
    /// The folder of a trade-off: its schedule for messages of --bytes; a program for GPUs says for which
    /// lengths that is
    #[arg(long, value_name = "FOLDER", requires = "bytes", conflicts_with = "files")]
    pub book: Option<PathBuf>,
    /// The format
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub to: &'static str,
    /// The file to write, or the folder for a format of several files and, with / at its end, for
    /// slots; - is the standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub output: PathBuf,
    /// One step alone, from 1 (dot)
    #[arg(long, value_name = "K")]
    pub step: Option<usize>,
    /// The length of messages, where the traffic gives none: 1000, 64K, 1M; K is 1024 [default: 1001
    /// (goal), 1000000 (simgrid, chakra)]
    #[arg(long, value_name = "N", value_parser = sizes::length)]
    pub bytes: Option<u64>,
    /// What ends a step: a clock or barrier for all, or for each rank its own transfers (goal,
    /// simgrid) [default: clock]
    #[arg(long, value_name = "clock|local")]
    pub sync: Option<Synchronisation>,
    /// Messages are in the buffer of the results from the beginning, and no step copies (msccl-xml, mscclpp;
    /// the converter of Chakra reads no copies)
    #[arg(long)]
    pub in_place: bool,
    /// GPUs of a node, in the order of the ranks: those of other nodes are reached by a proxy of the host
    /// (mscclpp) [default: all]
    #[arg(long, value_name = "N")]
    pub gpus_per_node: Option<usize>,
    /// The InfiniBand fabric that the network of the schedule was read from (lft)
    #[arg(long, value_name = "FILE", value_parser = dash::input)]
    pub fabric: Option<PathBuf>,
    /// One vertex alone (slots)
    #[arg(long, value_name = "VERTEX")]
    pub node: Option<String>,
    /// Patches: only what differs from the tables of this older schedule (slots)
    #[arg(long, value_name = "OLD", value_parser = dash::input)]
    pub since: Option<PathBuf>,
    /// From which length of a call on the schedule of each FILE is used, one length for each or one for
    /// all: 16K,64K (preload) [default: 1]
    #[arg(long, value_name = "SIZES", value_parser = sizes::length, value_delimiter = ',')]
    pub from: Vec<u64>,
}

impl Args {
    /// The schedule files that are named, and from which length on each is used.
    fn files(&self) -> anyhow::Result<Vec<(PathBuf, Least)>> {
        if let Some(folder) = &self.book {
            let book = SizeBook::read(folder).context("--book")?;
            return Ok(vec![(book.file(self.bytes.unwrap_or(0)), Least::Call(1))]);
        }
        anyhow::ensure!(
            self.from.len() <= 1 || self.from.len() == self.files.len(),
            "--from: {} for {}; give one for each, or one for all",
            counted(self.from.len(), "length"),
            counted(self.files.len(), "file")
        );
        let mut all = Vec::new();
        for (place, file) in self.files.iter().enumerate() {
            let from = self.from.get(place).or(self.from.first().filter(|_| self.from.len() == 1));
            if !file.is_dir() {
                all.push((file.clone(), Least::Call(from.copied().unwrap_or(1))));
                continue;
            }
            anyhow::ensure!(
                from.is_none(),
                "--from: the folder {} says itself from which length on each schedule is used",
                file.display()
            );
            let book = SizeBook::read(file)?;
            let listed = book.sizes.iter();
            all.extend(listed.map(|e| (book.file(e.from_bytes), Least::Message(e.least()))));
        }
        Ok(all)
    }
}

/// The least length that a schedule is used for.
#[derive(Clone, Copy)]
enum Least {
    /// Of a call of the MPI function.
    Call(u64),
    /// Of a message of the schedule.
    Message(u64),
}

/// Runs the subcommand.
///
/// # Errors
/// The schedule cannot be read, is not valid, or cannot be expressed in the format; the output
/// cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let format = export::find(args.to)?;
    let Args { step, bytes, sync, in_place, .. } = *args;
    anyhow::ensure!(
        args.from.is_empty() || format.several.is_some(),
        "--from: {} has no use for it; it is for preload",
        format.name
    );
    let files = args.files()?;
    // With a book, the length chooses the schedule, whatever the format.
    let bytes = bytes.filter(|_| args.book.is_none() || format.settings.contains(&"bytes"));
    let lengths = match &args.book {
        Some(folder) if format.settings.contains(&"lengths") => {
            let book = SizeBook::read(folder).context("--book")?;
            Some(book.range(args.bytes.unwrap_or(0)))
        }
        _ => None,
    };
    let is_folder = args.output.is_dir() || args.output.to_string_lossy().ends_with('/');
    let (fabric, node, since) = (args.fabric.clone(), args.node.clone(), args.since.clone());
    let folder = is_folder;
    let gpus_per_node = args.gpus_per_node;
    let settings = Settings {
        step,
        bytes,
        sync,
        in_place,
        fabric,
        gpus_per_node,
        node,
        folder,
        since,
        lengths,
    };
    let inputs = files.iter().fold(Inputs::default(), |inputs, (file, _)| {
        inputs.with("the command", Some(file.as_path()))
    });
    let inputs = inputs.with("--fabric", args.fabric.as_deref());
    let inputs = inputs.with("--since", args.since.as_deref());
    inputs.refuse("--output", &args.output)?;
    let subject = |(file, least_of): &(PathBuf, Least)| -> anyhow::Result<(String, Subject, u64)> {
        let schedule = ScheduleFile::read(file)?;
        let subject = Subject::of(&schedule).with_context(|| file.display().to_string())?;
        let least = match *least_of {
            Least::Call(bytes) => bytes,
            Least::Message(bytes) => preload::call_bytes(&subject, bytes),
        };
        // The schedules of a book have its name before theirs.
        let folder = file.parent().filter(|_| matches!(least_of, Least::Message(_)));
        let words = [folder.and_then(Path::file_name), file.file_stem()].into_iter().flatten();
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        Ok((words.join("-"), subject, least))
    };
    let subjects: Vec<_> = files.iter().map(subject).collect::<anyhow::Result<_>>()?;
    let written = match &subjects[..] {
        [(_, subject, _)] if format.several.is_none() => {
            tell_lost_delays(format, subject);
            export::write(format, subject, &settings)
        }
        _ => {
            let entries = subjects.iter();
            let entries: Vec<Entry<'_>> = entries
                .map(|(name, subject, least)| Entry { name, subject, least_bytes: *least, each: 1 })
                .collect();
            export::write_several(format, &entries, &settings)
        }
    };
    save(written.map_err(refused)?, &args.output, &inputs).context("--output")?;
    Ok(ExitCode::SUCCESS)
}

/// Warns of delays that the programs of a format do not know.
pub fn tell_lost_delays(format: &Format, subject: &Subject) {
    if let Some(why) = export::lost_delays(format, subject) {
        log::warn!("--to: {why}: the times of its simulations lack them");
    }
}
