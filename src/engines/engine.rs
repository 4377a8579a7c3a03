//! An engine by name, with the values of its parameters, and what it can schedule.

use super::ground::Start;
use super::parameter::Values;
use super::row::{EngineRow, Runs};
use super::{Method, Parameter, Walker};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Problem, Switching};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::ptr;
use std::sync::Arc;

/// An engine with the values of its parameters.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub struct Engine {
    pub(super) row: &'static EngineRow,
    pub(super) values: Values,
}

/// In checkpoints and messages, the name stands for the engine.
#[derive(Serialize, Deserialize)]
pub(super) struct Written {
    pub(super) name: String,
    pub(super) values: Values,
}

/// A parameter of an engine, described.
#[derive(Clone, Debug)]
pub struct Described {
    /// The name.
    pub name: &'static str,
    /// The values that it can have.
    pub range: String,
    /// The default.
    pub default: String,
    /// What it is.
    pub help: &'static str,
}

impl Engine {
    /// An engine with its default parameters.
    pub const fn of(row: &'static EngineRow) -> Self {
        Engine { row, values: row.defaults }
    }

    /// An engine with these parameters.
    pub(super) const fn with(row: &'static EngineRow, values: Values) -> Self {
        Engine { row, values }
    }

    /// The engine's name, as users write it.
    pub fn name(&self) -> &'static str {
        self.row.name
    }

    /// The engine in a sentence.
    pub fn help(&self) -> &'static str {
        self.row.help
    }

    /// How it runs.
    pub fn runs(&self) -> &'static Runs {
        &self.row.runs
    }

    /// Whether its search runs on islands, with checkpoints and a trace. The other engines work on
    /// the conflict graph of the whole traffic.
    pub fn has_islands(&self) -> bool {
        matches!(self.row.runs, Runs::Islands(_))
    }

    /// Whether it is serial: runs on one island, or on none.
    pub fn is_serial(&self) -> bool {
        self.row.is_serial
    }

    /// Whether it is for all kinds of problems and objectives.
    pub fn is_universal(&self) -> bool {
        self.row.is_universal
    }

    /// The parameters that have an effect, by name.
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        Parameter::of_table(self.row.parameters, &self.values)
    }

    /// The parameters that affect a schedule found by `method`.
    pub fn parameters_of(&self, method: &Method) -> Vec<(&'static str, Value)> {
        if method.reads_parameters() { self.parameters() } else { Vec::new() }
    }

    /// The parameter that decides which others have an effect, and its value.
    pub fn mode(&self) -> Option<(&'static str, String)> {
        let first = self.row.parameters.first()?;
        Some((first.name, first.shown(self.values[0])?.as_str()?.into()))
    }

    /// The parameters that are set and that a search for a problem does not read, by name; one that is not
    /// for the fewest steps reads none.
    pub fn unused_on(&self, problem: &Problem, is_for_steps: bool) -> Vec<&'static str> {
        let is_unused = |row: &Parameter| !is_for_steps || !(row.serves)(problem);
        self.changed().filter(|(_, row)| is_unused(row)).map(|(name, _)| name).collect()
    }

    /// The parameters whose values are not the defaults.
    pub fn changed(&self) -> impl Iterator<Item = (&'static str, &'static Parameter)> {
        let Engine { row, values } = *self;
        let is_other =
            move |(place, _): &(usize, &Parameter)| values[*place] != row.defaults[*place];
        row.parameters.iter().enumerate().filter(is_other).map(|(_, row)| (row.name, row))
    }

    /// All parameters, described; the defaults are those of this engine.
    pub fn described(&self) -> Vec<Described> {
        let described = |(row, &value): (&Parameter, &f64)| Described {
            name: row.name,
            range: row.values(),
            default: row.told(value),
            help: row.help,
        };
        self.row.parameters.iter().zip(&self.values).map(described).collect()
    }

    /// Sets a parameter to the value that a text gives.
    ///
    /// # Errors
    /// The engine has no such parameter, or the parameter no such value; the error says what is right.
    pub fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let (of, table) = (self.name(), self.row.parameters);
        if table.is_empty() {
            return Err(format!("{of} has no parameters"));
        }
        let Some(place) = table.iter().position(|row| row.name == name) else {
            let names: Vec<&str> = table.iter().map(|row| row.name).collect();
            return Err(format!("{of} has no parameter '{name}'; it has {}", names.join(", ")));
        };
        self.values[place] = table[place].read(value)?;
        (table[place].then)(&mut self.values);
        Ok(())
    }

    /// Checks that the parameters do not contradict each other.
    ///
    /// # Errors
    /// The name of the parameter that contradicts another, and why.
    pub fn check_parameters(&self) -> std::result::Result<(), (&'static str, String)> {
        (self.row.contradicts)(&self.values).map_or(Ok(()), Err)
    }

    /// Checks that the engine supports this switching and this number of islands or ranks.
    ///
    /// # Errors
    /// The unsupported option, and which engine supports it.
    pub fn check(&self, switching: Switching, islands: usize) -> Result<()> {
        let (name, is_stored) = (self.name(), switching.stores());
        if islands == 0 {
            return Err(Error::field("islands", "0 islands cannot search; 1 or more can"));
        }
        if self.is_serial() && islands > 1 {
            return Err(Error::field(
                "engine",
                format!(
                    "{name} is serial, and cannot use {islands} islands or ranks; take one, or \
                     another engine, for example auto"
                ),
            ));
        }
        if self.is_serial() && is_stored {
            return Err(Error::field(
                "engine",
                format!(
                    "{name} schedules wormhole networks only; store-and-forward switching needs \
                     another engine, for example auto or hgsa"
                ),
            ));
        }
        Ok(())
    }

    /// Checks that the engine can schedule a problem on islands.
    ///
    /// # Errors
    /// What it cannot schedule, and which engine can.
    pub fn check_problem(&self, problem: &Problem) -> Result<()> {
        self.check(problem.switching(), 1)?;
        let (name, collective) = (self.name(), problem.collective());
        if !problem.is_plain() && !self.is_universal() {
            let is_of_auto =
                collective.is_all_reduce() || collective.joins() || problem.groups().is_some();
            let of_hosts = match is_of_auto {
                _ if problem.is_multicast() => " with copies in switches",
                true => "",
                false => " with hosts switching here, where messages stop at some vertices only",
            };
            let why = format!("{name} does not schedule {collective}{of_hosts}; auto does");
            return Err(Error::field("engine", why));
        }
        let refused = |why| Err(Error::field("engine", format!("{name}: {why}")));
        (self.row.refuses)(problem).map_or(Ok(()), refused)
    }

    /// Whether it searches for the least time of messages with lengths.
    pub fn has_least_time(&self) -> bool {
        self.row.least_time.is_some()
    }

    /// What makes the walkers of islands for the least time.
    ///
    /// # Errors
    /// It is for the fewest steps alone.
    pub fn least_time(&self) -> Result<fn(Start) -> Box<dyn Walker>> {
        self.row.least_time.ok_or_else(|| {
            let name = self.name();
            let why = format!("{name} is for the fewest steps; the least time is for auto");
            Error::field("engine", why)
        })
    }

    /// The searcher, which makes the walkers for a problem.
    ///
    /// # Errors
    /// The engine has no islands, or cannot schedule the problem.
    pub fn searcher(&self, problem: &Arc<Problem>) -> Result<Searcher> {
        self.check_problem(problem)?;
        let &Runs::Islands(make) = self.runs() else {
            let why = format!("{} does not run on islands; auto, hgsa and umda do", self.name());
            return Err(Error::field("engine", why));
        };
        Ok(Searcher { make, values: self.values, problem: problem.clone() })
    }
}

/// An engine that runs on islands, with a problem that it can schedule.
#[derive(Clone)]
pub struct Searcher {
    make: fn(&Arc<Problem>, &Values, u64) -> Box<dyn Walker>,
    values: Values,
    problem: Arc<Problem>,
}

impl Searcher {
    /// The walker of an island.
    pub fn walker(&self, seed: u64) -> Box<dyn Walker> {
        (self.make)(&self.problem, &self.values, seed)
    }
}

impl From<Engine> for Written {
    fn from(Engine { row, values }: Engine) -> Self {
        Written { name: row.name.into(), values }
    }
}

impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.row, other.row) && self.values == other.values
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if self.row.parameters.is_empty() {
            return Ok(());
        }
        let mut told = f.debug_map();
        for (name, value) in self.parameters() {
            told.entry(&format_args!("{name}"), &format_args!("{value}"));
        }
        told.finish()
    }
}
