//! The figures of the papers as they are printed: what a run is held against. The experiments tell which table or
//! figure of which paper shows them, and where its rows come from. No engine reads them.

use ccsched_base::{Error, Result};
use ccsched_model::problem::{Collective, Ports, Routing, Switching};
use indexmap::IndexSet;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// Where the rows of an experiment come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// The cells of its table.
    Cells,
    /// The success rates of the engine of the paper on the cells of its tables.
    Rates,
    /// Its mean times on the cells of its tables.
    Times,
    /// Its figures.
    Figures,
    /// A printed schedule.
    Schedule,
    /// Its figures, held against measurements that are given; there are no rows without them.
    Measured,
    /// Runs with given settings; they are made with `--full`, or if they are asked for by name.
    Runs,
}

/// An experiment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Experiment {
    /// Its name: the paper, and the table or figure.
    pub id: String,
    /// The paper, by its short name.
    pub paper: String,
    /// Where its rows come from.
    pub content: Content,
    /// The experiments whose cells it shows, with semicolons between; none for its own.
    tables: String,
    /// What the table or figure shows.
    pub about: String,
}

impl Experiment {
    /// Whether it shows the cells of an experiment.
    pub fn shows(&self, id: &str) -> bool {
        if self.tables.is_empty() { self.id == id } else { self.tables.split(';').any(|t| t == id) }
    }
}

/// All experiments, in the order of the papers.
pub static EXPERIMENTS: LazyLock<Vec<Experiment>> = LazyLock::new(|| {
    read("experiments", include_str!("data/experiments.csv")).expect("a test reads them")
});

/// The experiment of this name.
pub fn find(id: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.id == id)
}

/// The short name of a paper.
///
/// # Errors
/// There is no such paper.
pub fn paper(text: &str) -> Result<String, String> {
    let names: IndexSet<&str> = EXPERIMENTS.iter().map(|e| e.paper.as_str()).collect();
    let all = || names.iter().copied().collect::<Vec<_>>().join(", ");
    names
        .contains(text)
        .then(|| text.into())
        .ok_or_else(|| format!("there is no paper '{text}'; the papers are {}", all()))
}

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
    pub relation: Relation,
    /// The number as printed: its digits tell how exact it is.
    pub value: String,
    /// A slip in print, or what else the reader must know.
    pub note: Option<String>,
}

/// How a computed number agrees with a printed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Relation {
    /// Equal, to the last printed digit.
    #[serde(rename = "=")]
    Equal,
    /// At least as large.
    #[serde(rename = ">=")]
    AtLeast,
    /// Within ten: shares that depend on choices which the paper leaves open.
    #[serde(rename = "~")]
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
        Ok(Printed { cells, figures: read("figures", FIGURES)?, setups: read("runs", SETUPS)? })
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

/// The settings of a row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Setup {
    /// The experiment.
    pub id: String,
    /// The name of the row.
    pub row: String,
    pub(super) topology: String,
    #[serde(deserialize_with = "parsed")]
    pub(super) collective: Collective,
    #[serde(deserialize_with = "parsed_or_none")]
    pub(super) switching: Option<Switching>,
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
    /// The names of the pictures that show the row.
    pub fn pictures(&self) -> impl Iterator<Item = &str> {
        self.pictures.split(';')
    }
}

/// A printed time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// In seconds; printed as `1h20m` or `<1s`.
    pub seconds: f64,
}

impl FromStr for Time {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "a time is parts like 2d, 5h, 20m, 7s, or <1s";
        let mut seconds = 0.0;
        let parts = text.trim_start_matches('<').split_inclusive(|c: char| c.is_alphabetic());
        for part in parts {
            let unit = match part.chars().last() {
                Some('d') => 86_400.0,
                Some('h') => 3600.0,
                Some('m') => 60.0,
                Some('s') => 1.0,
                _ => return Err(wrong),
            };
            let count: u32 = part[..part.len() - 1].parse().map_err(|_| wrong)?;
            seconds += unit * f64::from(count);
        }
        if seconds > 0.0 { Ok(Time { seconds }) } else { Err(wrong) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedules::PRINTED_SCHEDULES;
    use super::*;

    #[test]
    fn every_experiment_has_rows_and_every_row_an_experiment() {
        let printed = Printed::all().unwrap();
        for experiment @ Experiment { id, content, .. } in EXPERIMENTS.iter() {
            let rows = match content {
                Content::Cells | Content::Rates | Content::Times => {
                    printed.cells.iter().filter(|cell| experiment.shows(&cell.id)).count()
                }
                Content::Figures | Content::Measured => printed.figures_of(id).count(),
                Content::Runs => printed.setups.iter().filter(|setup| setup.id == *id).count(),
                Content::Schedule => PRINTED_SCHEDULES.iter().filter(|s| s.id == *id).count(),
            };
            assert!(rows > 0, "{id} has no rows");
        }
        let ids = printed.cells.iter().map(|c| &c.id).chain(printed.figures.iter().map(|f| &f.id));
        let ids = ids.chain(printed.setups.iter().map(|s| &s.id));
        ids.for_each(|id| assert!(find(id).is_some(), "{id} is no experiment"));
    }

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

    #[test]
    fn times_are_read_as_printed() {
        let seconds = |text: &str| text.parse::<Time>().map(|time| time.seconds);
        assert_eq!(seconds("52h4m"), Ok(187_440.0));
        assert_eq!(seconds("6d8h"), Ok(547_200.0));
        assert_eq!(seconds("<1s"), Ok(1.0));
        assert!(["", "7", "m", "5x", "-1s"].iter().all(|text| seconds(text).is_err()));
    }
}
