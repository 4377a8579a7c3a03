//! `ccsched export`: a schedule in the format of another program.

use super::own_files::Inputs;
use super::{dash, sizes};
use crate::experiments::tradeoff::SizeBook;
use crate::export::{self, Output, Settings, Subject, Synchronisation};
use crate::schedule::ScheduleFile;
use crate::{Error, Result, atomic};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a schedule in the format of another program
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = export::help())]
pub struct Args {
    /// A schedule file; - is the standard input
    #[arg(value_name = "FILE", value_parser = dash::input, required_unless_present = "book")]
    pub file: Option<PathBuf>,
    /// The folder of a trade-off: its schedule for messages of --bytes
    #[arg(long, value_name = "FOLDER", requires = "bytes", conflicts_with = "file")]
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
    /// (goal), 1000000 (simgrid)]
    #[arg(long, value_name = "N", value_parser = sizes::length)]
    pub bytes: Option<u64>,
    /// What ends a step: a clock or barrier for all, or for each rank its own transfers (goal,
    /// simgrid) [default: clock]
    #[arg(long, value_name = "clock|local")]
    pub sync: Option<Synchronisation>,
    /// Messages are in the buffer of the results from the beginning, and no step copies (msccl-xml;
    /// the converter of Chakra reads no copies)
    #[arg(long)]
    pub in_place: bool,
    /// The InfiniBand fabric that the network of the schedule was read from (lft)
    #[arg(long, value_name = "FILE", value_parser = dash::input)]
    pub fabric: Option<PathBuf>,
    /// One vertex alone (slots)
    #[arg(long, value_name = "VERTEX")]
    pub node: Option<String>,
    /// Patches: only what differs from the tables of this older schedule (slots)
    #[arg(long, value_name = "OLD", value_parser = dash::input)]
    pub since: Option<PathBuf>,
}

impl Args {
    /// The schedule file.
    fn file(&self) -> anyhow::Result<PathBuf> {
        match (&self.file, &self.book) {
            (_, Some(folder)) => {
                let book = SizeBook::read(folder).context("--book")?;
                Ok(book.file(self.bytes.unwrap_or(0)))
            }
            (Some(file), None) => Ok(file.clone()),
            (None, None) => anyhow::bail!("name a schedule file, or a --book"),
        }
    }
}

/// The name of a format that exists.
fn format(name: &str) -> Result<&'static str, String> {
    export::find(name).map(|format| format.name).map_err(|error| match error {
        Error::Field { why, .. } => why,
        other => other.to_string(),
    })
}

/// Runs the subcommand.
///
/// # Errors
/// The schedule cannot be read, is not valid, or cannot be expressed in the format; the output
/// cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let format = export::find(args.to)?;
    let Args { step, bytes, sync, in_place, .. } = *args;
    let file = args.file()?;
    // With a book, the length chooses the schedule, whatever the format.
    let bytes = bytes.filter(|_| args.book.is_none() || format.settings.contains(&"bytes"));
    let is_folder = args.output.is_dir() || args.output.to_string_lossy().ends_with('/');
    let (fabric, node, since) = (args.fabric.clone(), args.node.clone(), args.since.clone());
    let settings = Settings { step, bytes, sync, in_place, fabric, node, folder: is_folder, since };
    let inputs = Inputs::default().with("the command", Some(&file));
    let inputs = inputs.with("--fabric", args.fabric.as_deref());
    let inputs = inputs.with("--since", args.since.as_deref());
    inputs.refuse("--output", &args.output)?;
    let schedule = ScheduleFile::read(&file)?;
    let about = || file.display().to_string();
    let subject = Subject::of(&schedule).with_context(about)?;
    // It is an option of another subcommand.
    let written = export::write(format, &subject, &settings).map_err(|error| match error {
        Error::Field { field: "switching", why } => {
            anyhow::anyhow!("{why}: solve with --switching sf")
        }
        other => other.into(),
    });
    match written? {
        Output::File(text) => dash::write(&args.output, text).context("--output")?,
        Output::Folder(files) => {
            let names = files.iter().map(|(name, _)| args.output.join(name));
            names.into_iter().try_for_each(|path| inputs.refuse("--output", &path))?;
            folder(&args.output, &files).context("--output")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the files of a folder, which is made if it is missing.
fn folder(path: &Path, files: &[(String, String)]) -> anyhow::Result<()> {
    anyhow::ensure!(
        !dash::is_stdout(path),
        "this format has several files; name a folder for them, not -"
    );
    std::fs::create_dir_all(path).map_err(|e| Error::io(path, e))?;
    for (name, text) in files {
        let file = path.join(name);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        }
        atomic::write(&file, text)?;
    }
    Ok(())
}
