//! The trace of a search: a CSV file with one row per island and exchange. Rows that cannot be
//! written wait in memory, so that a disk that is full for a while leaves no gap.

use super::pipe::Pipe;
use ccsched_base::Error;
use ccsched_base::atomic::{self, Destination, destination};
use ccsched_run::islands::{IslandStats, Progress};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes that are written at once.
const PIECE: usize = 1 << 16;
/// More bytes do not wait for a disk that is full.
const MOST_WAITING: usize = 64 << 20;

/// One island between two exchanges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Iterations done so far, the most of all islands in each leg, as the summary counts them.
    pub iteration: u64,
    /// The island's number.
    pub island: usize,
    /// The target: steps, or a time in bytes.
    pub steps_sought: u64,
    /// Temperature; 0 for searches without one.
    pub temperature: f64,
    /// Cost of its solution: conflicts or waiting transfers.
    pub cost: u64,
    /// Share of the moves accepted; none for searches that accept every move.
    pub acceptance_rate: Option<f64>,
    /// Islands that received its solution.
    pub migrations_sent: u64,
    /// Solutions of other islands from which it adopted a part.
    pub migrations_accepted: u64,
    /// The lower bound of the steps; traces of earlier versions have none.
    #[serde(default)]
    pub lower_bound: Option<u64>,
}

/// A trace being written.
pub struct Trace {
    out: Out,
    /// Rows that are not in the file yet, as text.
    waiting: Vec<u8>,
    /// Why they could not be written, if they could not.
    failure: Option<String>,
    has_header: bool,
    /// The last row.
    last: Option<Row>,
}

/// Where a trace goes.
enum Out {
    /// A file, and the length of its whole rows.
    File(File, u64),
    Pipe(Pipe),
    /// A pipe whose reader is gone, or a file that was given up.
    Lost,
}

impl Trace {
    /// Begins a trace; if a search resumes after `after` iterations, the rows up to there are kept.
    ///
    /// # Errors
    /// The file cannot be written, or an existing file is no trace.
    pub fn create(path: &Path, after: Option<u64>) -> anyhow::Result<Self> {
        let mut rows = match after {
            Some(_) if path.is_file() => read(path)?,
            _ => Vec::new(),
        };
        without_the_end(&mut rows);
        rows.retain(|row| Some(row.iteration) <= after);
        let wrong = |e| Error::io(path, e);
        let out = match destination(path)? {
            Destination::File(path) => {
                // A file of its own: another run that writes to the one before spoils no row here.
                atomic::write(&path, "")?;
                let file = File::options().write(true).open(&path).map_err(wrong)?;
                Out::File(file, 0)
            }
            _ => Out::Pipe(Pipe::open(path).map_err(wrong)?),
        };
        let mut trace =
            Trace { out, waiting: Vec::new(), failure: None, has_header: false, last: None };
        rows.iter().for_each(|row| trace.put(row));
        trace.flush();
        Ok(trace)
    }

    /// Adds the rows of an exchange of a search above a bound.
    pub fn add(&mut self, progress: &Progress, islands: &[IslandStats], lower_bound: Option<u64>) {
        for (island, fared) in islands.iter().enumerate() {
            let tally = fared.tally;
            let rate = |n| (tally.accepted as f64 / n as f64 * 1e6).round() / 1e6;
            self.put(&Row {
                iteration: progress.iterations_done,
                island,
                steps_sought: progress.seeking,
                temperature: (fared.temperature * 1e6).round() / 1e6,
                cost: fared.cost,
                acceptance_rate: (tally.proposed > 0).then(|| rate(tally.proposed)),
                migrations_sent: fared.sent,
                migrations_accepted: tally.adopted,
                lower_bound,
            });
        }
        // After a failure the next attempt is at the next flush.
        if self.waiting.len() >= PIECE && self.failure.is_none() {
            self.flush();
        }
    }

    fn put(&mut self, row: &Row) {
        let header = !std::mem::replace(&mut self.has_header, true);
        let mut rows = csv::WriterBuilder::new();
        let mut text = rows.has_headers(header).from_writer(&mut self.waiting);
        text.serialize(row).expect("numbers are written to memory");
        self.last = Some(row.clone());
    }

    /// Writes the rows that wait. If they cannot be written, they wait for the next call; a disk
    /// may have space again by then.
    pub fn flush(&mut self) {
        let written = match &mut self.out {
            Out::File(file, whole) => append(file, *whole, &self.waiting),
            Out::Pipe(pipe) => pipe.write_all(&self.waiting),
            Out::Lost => return self.waiting.clear(),
        };
        let Err(why) = written else {
            if let Out::File(_, whole) = &mut self.out {
                *whole += self.waiting.len() as u64;
            }
            self.waiting.clear();
            self.failure = None;
            return;
        };
        let is_new = self.failure.is_none();
        self.failure = Some(why.to_string());
        if matches!(self.out, Out::Pipe(_)) || self.waiting.len() > MOST_WAITING {
            log::error!("--trace: {why}; the trace ends here");
            self.out = Out::Lost;
        } else if is_new {
            log::error!("--trace: {why}; the next attempt follows, and the search goes on");
        }
    }

    /// Writes what waits, and ends the trace with the schedule that a search of this progress has found, if
    /// there is one: its row has no conflicts, no temperature and no moves, and the island of the row before.
    ///
    /// # Errors
    /// Rows are missing.
    pub fn finish(mut self, progress: &Progress, bound: Option<u64>) -> Result<(), String> {
        if let Some(steps) = progress.best {
            let island = self.last.as_ref().map_or(0, |row| row.island);
            self.put(&Row {
                iteration: progress.iterations_done,
                island,
                steps_sought: steps,
                temperature: 0.0,
                cost: 0,
                acceptance_rate: None,
                migrations_sent: 0,
                migrations_accepted: 0,
                lower_bound: bound,
            });
        }
        self.flush();
        match (self.failure, self.out) {
            (Some(why), _) => Err(why),
            (None, Out::Pipe(pipe)) => pipe.finish().map_err(|why| why.to_string()),
            (None, _) => Ok(()),
        }
    }
}

/// Takes off the row that [`Trace::finish`] has added, which a search that goes on does not have.
fn without_the_end(rows: &mut Vec<Row>) {
    if let [.., before, end] = &rows[..]
        && (before.island, 0, 0.0, None)
            == (end.island, end.cost, end.temperature, end.acceptance_rate)
    {
        rows.pop();
    }
}

/// Appends bytes to a file of `whole` bytes; if that fails, the file is as it was.
fn append(file: &mut File, whole: u64, bytes: &[u8]) -> io::Result<()> {
    let written = file.seek(SeekFrom::Start(whole)).and_then(|_| file.write_all(bytes));
    if written.is_err() {
        // Part of a row would be no trace; without success the next attempt writes over it.
        let _ = file.set_len(whole);
    }
    written
}

/// The rows of a trace.
///
/// # Errors
/// A file that cannot be read or is no trace; the error names the line.
pub fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let wrong = |e: csv::Error| anyhow::anyhow!("{}: not a trace: {e}", path.display());
    let mut file = csv::Reader::from_path(path).map_err(wrong)?;
    file.deserialize().collect::<Result<_, _>>().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_that_goes_on_has_no_end_in_its_midst() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let row = |iteration, island, cost| Row {
            iteration,
            island,
            steps_sought: 9,
            temperature: 0.5,
            cost,
            acceptance_rate: Some(0.25),
            migrations_sent: 0,
            migrations_accepted: 0,
            lower_bound: Some(9),
        };
        let rows = [row(10, 0, 4), row(10, 1, 3), row(20, 0, 2), row(20, 1, 0)];
        let mut trace = Trace::create(&path, None).unwrap();
        rows.iter().for_each(|row| trace.put(row));
        let progress = Progress { best: Some(10), iterations_done: 24, ..Progress::default() };
        trace.finish(&progress, Some(9)).unwrap();
        let end = Row { iteration: 24, steps_sought: 10, temperature: 0.0, ..row(24, 1, 0) };
        let end = Row { acceptance_rate: None, ..end };
        assert_eq!(read(&path).unwrap(), [&rows[..], &[end]].concat());
        for (after, left) in [(24, 4), (20, 4), (10, 2)] {
            let text = std::fs::read(&path).unwrap();
            Trace::create(&path, Some(after)).unwrap().finish(&Progress::default(), None).unwrap();
            assert_eq!(read(&path).unwrap(), rows[..left]);
            std::fs::write(&path, text).unwrap();
        }
    }
}
