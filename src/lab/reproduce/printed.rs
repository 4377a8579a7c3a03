//! The figures of the papers as they are printed, one table a paper: what a run is held against. No
//! engine reads them.

use super::setup::Setup;
use super::time::Time;
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Collective, Ports, Routing, Switching};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;

/// One cell of a table of steps or bounds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Cell {
    /// The experiment that shows it: the paper's short name and the table.
    pub id: String,
    /// The row of the table.
    pub row: String,
    /// The column of the table.
    #[serde(deserialize_with = "parsed")]
    pub collective: Collective,
    /// The network.
    pub topology: String,
    /// How messages travel; wormhole where the table says nothing.
    #[serde(deserialize_with = "parsed_or_none")]
    pub switching: Option<Switching>,
    /// Ports of a terminal; all where the table says nothing.
    #[serde(deserialize_with = "parsed_or_none")]
    pub ports: Option<Ports>,
    /// Allowed paths; shortest ones where the table says nothing.
    #[serde(deserialize_with = "parsed_or_none")]
    pub routing: Option<Routing>,
    /// The source of a one-to-all collective.
    pub source: Option<String>,
    /// The broken part: a link `A-B`, an arc `A:B`, `vertex A`, or all `other links` or `other
    /// vertices` that no other row of the table names.
    pub fault: Option<String>,
    /// The number of steps; none in a table of bounds.
    pub steps: Option<u32>,
    /// The lower bound.
    pub bound: Option<u32>,
    /// Successful runs of ten, per cent.
    pub rate: Option<u32>,
    /// The mean time of successful runs.
    #[serde(deserialize_with = "parsed_or_none")]
    pub time: Option<Time>,
    /// A slip in print, or what else the reader must know.
    pub note: Option<String>,
}

/// One printed number that is not a number of steps.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Figure {
    /// The experiment that shows it.
    pub id: String,
    /// What it is, and of which row.
    pub row: String,
    /// The network, if it is about one.
    pub topology: Option<String>,
    /// What is computed, with its parameters.
    pub quantity: String,
    /// How the computed number must compare with the printed one.
    #[serde(deserialize_with = "parsed")]
    pub relation: Relation,
    /// The number as printed: its digits tell how exact it is.
    pub value: String,
    /// A slip in print, or what else the reader must know.
    pub note: Option<String>,
}

/// How a computed number agrees with a printed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal, to the last printed digit.
    Equal,
    /// At least as large.
    AtLeast,
    /// Within ten: shares that depend on choices which the paper leaves open.
    About,
}

/// Everything that is printed.
#[derive(Clone, Debug)]
pub struct Printed {
    /// Numbers of steps and bounds, in the order of the tables.
    pub cells: Vec<Cell>,
    /// Other numbers.
    pub figures: Vec<Figure>,
    /// Runs for which nothing is printed.
    pub setups: Vec<Setup>,
}

/// The tables of steps, one file a paper.
pub const CELLS: [(&str, &str); 4] = [
    ("hgsa", include_str!("data/hgsa.csv")),
    ("diameter-degree", include_str!("data/diameter-degree.csv")),
    ("fault-tolerance", include_str!("data/fault-tolerance.csv")),
    ("multistage", include_str!("data/multistage.csv")),
];

/// All other numbers.
pub const FIGURES: &str = include_str!("data/figures.csv");

impl Printed {
    /// The figures of the papers.
    ///
    /// # Errors
    /// None: a test reads them.
    pub fn all() -> Result<Self> {
        let mut cells = Vec::new();
        for (paper, text) in CELLS {
            cells.extend(read(paper, text)?);
        }
        Ok(Printed { cells, figures: read("figures", FIGURES)?, setups: Setup::all()? })
    }

    /// The cells of an experiment.
    pub fn cells_of<'p>(&'p self, id: &'p str) -> impl Iterator<Item = &'p Cell> {
        self.cells.iter().filter(move |cell| cell.id == id)
    }

    /// The figures of an experiment.
    pub fn figures_of<'p>(&'p self, id: &'p str) -> impl Iterator<Item = &'p Figure> {
        self.figures.iter().filter(move |figure| figure.id == id)
    }
}

/// Reads a table; `name` tells it in errors.
fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<Vec<T>> {
    let rows: Result<_, csv::Error> =
        csv::Reader::from_reader(text.as_bytes()).into_deserialize().collect();
    rows.map_err(|e| Error::problem(format!("{name}.csv: {e}")))
}

fn parsed<'de, T: FromStr, D: Deserializer<'de>>(text: D) -> Result<T, D::Error>
where
    T::Err: fmt::Display,
{
    let text = String::deserialize(text)?;
    text.parse().map_err(|e| serde::de::Error::custom(format!("'{text}': {e}")))
}

fn parsed_or_none<'de, T: FromStr, D: Deserializer<'de>>(text: D) -> Result<Option<T>, D::Error>
where
    T::Err: fmt::Display,
{
    let Some(text) = Option::<String>::deserialize(text)? else { return Ok(None) };
    text.parse().map(Some).map_err(|e| serde::de::Error::custom(format!("'{text}': {e}")))
}

impl FromStr for Relation {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "=" => Ok(Relation::Equal),
            ">=" => Ok(Relation::AtLeast),
            "~" => Ok(Relation::About),
            _ => Err("a relation is =, >= or ~"),
        }
    }
}

impl Figure {
    /// The printed number.
    pub fn number(&self) -> f64 {
        self.value.parse().unwrap_or(f64::NAN)
    }

    /// Whether a computed number agrees with it.
    pub fn agrees(&self, computed: f64) -> bool {
        let digits = self.value.split_once('.').map_or(0, |(_, after)| after.len());
        let printed = self.number();
        match self.relation {
            // Papers round and cut off alike.
            Relation::Equal => (computed - printed).abs() < 0.1_f64.powi(digits as i32),
            Relation::AtLeast => computed >= printed,
            Relation::About => (computed - printed).abs() <= 10.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        let printed = Printed::all().unwrap();
        let count = |id: &str| printed.cells_of(id).count();
        let sizes = ["hgsa-t2", "hgsa-aab", "dd-t2", "dd-t5", "dd-t6", "ft-t2", "ft-t4", "ft-t5"];
        assert_eq!(sizes.map(count), [10, 2, 12, 60, 40, 12, 16, 16]);
        assert_eq!(["min-t1", "min-t3"].map(count), [24, 76]);
        assert!(printed.figures.iter().all(|figure| figure.number().is_finite()));
        assert!(printed.cells.iter().all(|cell| cell.steps.or(cell.bound).is_some()));
    }

    #[test]
    fn digits_tell_how_exact_a_figure_is() {
        let figure = |relation, value: &str| Figure {
            id: String::new(),
            row: String::new(),
            topology: None,
            quantity: String::new(),
            relation,
            value: value.into(),
            note: None,
        };
        let equal = figure(Relation::Equal, "4.54");
        assert!(equal.agrees(4.536) && !equal.agrees(4.56) && !equal.agrees(4.5));
        let whole = figure(Relation::Equal, "55");
        assert!(whole.agrees(55.0) && !whole.agrees(51.4) && !whole.agrees(56.0));
        assert!(figure(Relation::AtLeast, "50").agrees(65.0));
        assert!(!figure(Relation::About, "74").agrees(85.0));
    }
}
