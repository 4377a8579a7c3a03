//! Schedules of other programs: a file in a format of theirs becomes a plan of a problem that the
//! caller poses, and the caller checks it with `verify`. The table below has a row for each format,
//! whose reader has a file of its own.

mod csv;
mod msccl_xml;

use ccsched_base::{Error, Result, input};
use ccsched_model::problem::{Collective, Problem};
use ccsched_model::schedule::Plan;
use std::path::{Path, PathBuf};

/// A schedule as it was read.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its transfers, in the order of the file within each step; those of a reduction backwards, as the
    /// problem has them.
    pub plan: Plan,
    /// By step of the file and transfer, its line.
    pub lines: Vec<Vec<usize>>,
    /// Of a timed schedule, the start of each transfer, in their order; else none.
    pub starts: Vec<u64>,
    /// The problem of the schedule, where the file has several messages for each message of the
    /// posed problem.
    pub posed: Option<Problem>,
    /// How many chunks of the file a message has.
    pub chunks: usize,
    /// What is sound, but refused by programs that run such files, with its line.
    pub warnings: Vec<(usize, String)>,
}

impl Imported {
    /// Adds a transfer to a step, from 0.
    fn push(&mut self, step: usize, message: u32, channels: &[u32], line: usize) {
        self.plan.push(step, message, channels);
        if self.lines.len() <= step {
            self.lines.resize_with(step + 1, Vec::new);
        }
        self.lines[step].push(line);
    }

    /// No transfers.
    fn empty() -> Self {
        let (plan, lines, starts, warnings) = Default::default();
        Imported { plan, lines, starts, posed: None, chunks: 1, warnings }
    }
}

/// A mistake: its line, from 1, and what is wrong.
type Wrong = (usize, String);

/// A format that is read.
struct Format {
    /// The name for users, and an example.
    name: &'static str,
    /// Whether a text looks like this format.
    recognises: fn(&str) -> bool,
    /// The collective that a text is a schedule of, where the format says so.
    collective: fn(&str) -> Option<Collective>,
    /// Reads a text. Mistakes come with their line.
    read: fn(&str, &Problem) -> Result<Imported, Wrong>,
}

/// All formats.
const FORMATS: &[Format] = &[
    Format {
        name: "csv (step,source,destination,from,to,path)",
        recognises: csv::recognises,
        collective: |_| None,
        read: csv::read,
    },
    Format {
        name: "msccl-xml (<algo ..>)",
        recognises: msccl_xml::recognises,
        collective: msccl_xml::collective,
        read: msccl_xml::read,
    },
];

/// A file of another program, read once.
pub struct Source {
    path: PathBuf,
    text: String,
    format: &'static Format,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, [`Error::File`] if it is of no known format.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = input::bytes(path)?;
        let wrong = |(line, why)| Error::File { path: path.to_path_buf(), line, why };
        let text = String::from_utf8(bytes).map_err(|e| {
            let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
            wrong((line, "this is no text in UTF-8".to_string()))
        })?;
        let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
        let format = FORMATS.iter().find(|format| (format.recognises)(&text)).ok_or_else(|| {
            wrong((1, format!("this is no schedule of a known format: {}", names())))
        })?;
        Ok(Source { path: path.to_path_buf(), text, format })
    }

    /// The collective that it is a schedule of; none if its format does not say so, or it has mistakes.
    pub fn collective(&self) -> Option<Collective> {
        (self.format.collective)(&self.text)
    }

    /// Reads it as a schedule of a problem.
    ///
    /// # Errors
    /// [`Error::File`] with the line of its first mistake.
    pub fn read(&self, problem: &Problem) -> Result<Imported> {
        let wrong = |(line, why)| Error::File { path: self.path.clone(), line, why };
        let mut imported = (self.format.read)(&self.text, &problem.forwards()).map_err(wrong)?;
        if problem.collective().is_reduction() {
            imported.plan = imported.plan.reversed();
        }
        Ok(imported)
    }
}

/// The names of all formats, for `--help`.
pub fn names() -> String {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join("; ")
}
