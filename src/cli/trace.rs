//! The trace of a search: a CSV file with one row per island and exchange.

use crate::islands::{IslandStats, Progress};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::Path;

/// One island between two exchanges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Iterations of each island so far.
    pub iteration: u64,
    /// The island's number.
    pub island: usize,
    /// The step target.
    pub steps_sought: u32,
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
}

/// A trace being written.
pub struct Trace {
    out: csv::Writer<File>,
}

impl Trace {
    /// Begins a trace; if a search resumes after `after` iterations, the rows up to there are kept.
    ///
    /// # Errors
    /// The file cannot be written, or an existing file is no trace.
    pub fn create(path: &Path, after: Option<u64>) -> anyhow::Result<Self> {
        let mut rows = match after {
            Some(_) if path.exists() => read(path)?,
            _ => Vec::new(),
        };
        rows.retain(|row| Some(row.iteration) <= after);
        let mut out = csv::Writer::from_path(path)?;
        rows.iter().try_for_each(|row| out.serialize(row))?;
        out.flush()?;
        Ok(Trace { out })
    }

    /// Adds the rows of an exchange.
    ///
    /// # Errors
    /// The file cannot be written any more.
    pub fn add(&mut self, progress: &Progress, islands: &[IslandStats]) -> csv::Result<()> {
        for (island, fared) in islands.iter().enumerate() {
            let tally = fared.tally;
            let rate = |n| (tally.accepted as f64 / n as f64 * 1e6).round() / 1e6;
            self.out.serialize(Row {
                iteration: progress.iterations,
                island,
                steps_sought: progress.seeking,
                temperature: (fared.temperature * 1e6).round() / 1e6,
                cost: fared.cost,
                acceptance_rate: (tally.proposed > 0).then(|| rate(tally.proposed)),
                migrations_sent: fared.sent,
                migrations_accepted: tally.adopted,
            })?;
        }
        Ok(())
    }

    /// Flushes the file.
    ///
    /// # Errors
    /// The file cannot be written any more.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
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
