//! The trace of a search, for whoever wants to see how it went: a CSV file with a row for every
//! island and exchange.

use crate::islands::{IslandStats, Progress};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::Path;

/// One island between two exchanges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Iterations of every island so far.
    pub iteration: u64,
    /// Which island.
    pub island: usize,
    /// The number of steps it has sought.
    pub steps_sought: u32,
    /// How hot it is; 0 where nothing is.
    pub temperature: f64,
    /// What is wrong with its solution.
    pub cost: u64,
    /// Share of the moves accepted; nothing where moves are not refused.
    pub acceptance_rate: Option<f64>,
    /// Islands that were given its solution to meet.
    pub migrations_sent: u64,
    /// Solutions of others of which it has taken something over.
    pub migrations_accepted: u64,
}

/// A trace that is being written.
pub struct Trace {
    out: csv::Writer<File>,
}

impl Trace {
    /// Begins a trace; where a search goes on after so many iterations, the rows up to there stay.
    ///
    /// # Errors
    /// The file cannot be written, or what is there is no trace.
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

    /// Adds an exchange.
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

    /// Puts everything into the file.
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
/// A file that cannot be read or is no trace; the line is named.
pub fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let wrong = |e: csv::Error| anyhow::anyhow!("{}: this is no trace: {e}", path.display());
    let mut file = csv::Reader::from_path(path).map_err(wrong)?;
    file.deserialize().collect::<Result<_, _>>().map_err(wrong)
}
