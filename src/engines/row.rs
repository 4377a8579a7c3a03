//! An engine is a row: a name, parameters, what it can schedule, and how it runs. The engines of this
//! crate and those that another crate registers are described alike, and run alike: in searches on
//! threads and ranks, in comparisons, with checkpoints. docs/own-engines.md shows one of another crate.

pub use super::parameter::{MOST_COUNTED, OPEN, Parameter, Range, Values, values};

use super::ground::Start;
use super::ground::conflict_graph::{Conflicts, Frames};
use super::{Method, Walker};
use ccsched_model::problem::Problem;
use std::sync::Arc;

/// The description of an engine.
pub struct EngineRow {
    /// The name, as users write it: lower-case letters, digits and dashes.
    pub name: &'static str,
    /// The engine in a sentence.
    pub help: &'static str,
    /// The parameters. If the values of the first are words, these may decide which others have an effect.
    pub parameters: &'static [Parameter],
    /// Their defaults, see [`values`].
    pub defaults: Values,
    /// Which parameter contradicts the others, and why; none if they agree.
    pub contradicts: fn(&Values) -> Option<(&'static str, String)>,
    /// Why it cannot schedule a problem; none if it can.
    pub refuses: fn(&Problem) -> Option<String>,
    /// Whether it runs on one island only, and schedules wormhole networks only.
    pub is_serial: bool,
    /// Whether it is for all kinds of problems and objectives: it begins with constructors, and tries to
    /// prove that no schedule is shorter beside its search.
    pub is_universal: bool,
    /// How it runs.
    pub runs: Runs,
    /// The walker of an island for the least time of messages with lengths; none if the engine is for the
    /// fewest steps alone.
    pub least_time: Option<fn(Start) -> Box<dyn Walker>>,
}

/// How an engine runs.
pub enum Runs {
    /// On islands; the walker of an island for a problem, with parameters and the seed of the run.
    Islands(fn(&Arc<Problem>, &Values, u64) -> Box<dyn Walker>),
    /// At once, on the conflict graph of a traffic with one route a pair.
    Once(&'static Method, fn(&Problem, &Conflicts) -> Frames),
    /// On this graph, by the exact search for a number of steps.
    Exact,
}

impl EngineRow {
    /// What most engines on islands have: no parameters, and no limits.
    pub const BASE: EngineRow = EngineRow {
        name: "",
        help: "",
        parameters: &[],
        defaults: values([]),
        contradicts: |_| None,
        refuses: |_| None,
        is_serial: false,
        is_universal: false,
        runs: Runs::Exact,
        least_time: None,
    };

    /// What is wrong with its name or with a parameter.
    pub(super) fn mistake(&self) -> Option<String> {
        let EngineRow { name, parameters, defaults, .. } = self;
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Some("a name has lower-case letters, digits and dashes only".into());
        }
        if parameters.len() > defaults.len() {
            return Some(format!("an engine has at most {} parameters", defaults.len()));
        }
        parameters.iter().enumerate().find_map(|(i, row)| {
            if parameters[..i].iter().any(|other| other.name == row.name) {
                return Some(format!("two parameters have the name '{}'", row.name));
            }
            let why = row.check(defaults[i]).err()?;
            Some(format!("the default of '{}' is {why}", row.name))
        })
    }
}
