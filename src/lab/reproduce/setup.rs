//! The settings of runs for which no paper prints a figure.

use ccsched_base::{Error, Result};
use serde::Deserialize;

/// The settings of a row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Setup {
    /// The experiment.
    pub id: String,
    /// The name of the row.
    pub row: String,
    pub(super) topology: String,
    pub(super) collective: String,
    pub(super) switching: Option<String>,
    pub(super) steps: u32,
    pub(super) engine: String,
    pub(super) islands: usize,
    pub(super) exchange: Option<bool>,
    pub(super) round: Option<u64>,
    /// The pictures that show it, with semicolons between.
    pictures: String,
}

/// The rows.
pub const SETUPS: &str = include_str!("data/runs.csv");

impl Setup {
    /// All settings.
    ///
    /// # Errors
    /// None: a test reads them.
    pub fn all() -> Result<Vec<Setup>> {
        let rows: Result<_, csv::Error> =
            csv::Reader::from_reader(SETUPS.as_bytes()).into_deserialize().collect();
        rows.map_err(|e| Error::problem(format!("runs.csv: {e}")))
    }

    /// The names of the pictures that show the row.
    pub fn pictures(&self) -> impl Iterator<Item = &str> {
        self.pictures.split(';')
    }
}
