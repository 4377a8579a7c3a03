//! Engines of other crates: a name, parameters, and a function that makes walkers. A registered engine
//! runs where those of this crate do: in searches on threads and ranks, in comparisons, with
//! checkpoints. docs/own-engines.md shows one.

pub use super::parameter::Parameter;

use super::Walker;
use super::parameter::Field;
use ccsched_base::{Error, Result};
use ccsched_model::problem::Problem;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The values of the parameters of an engine, by their places.
pub type Values = [f64; MOST];

/// No engine has more parameters.
pub const MOST: usize = 8;

/// The largest count that a value holds exactly.
const MOST_COUNTED: u64 = 1 << 53;

/// An engine of another crate.
pub struct OwnEngine {
    /// The name, as users write it: lower-case letters, digits and dashes.
    pub name: &'static str,
    /// The engine in a sentence.
    pub help: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter<Values>],
    /// Their defaults, see [`values`].
    pub defaults: Values,
    /// Why it cannot schedule a problem; none if it can.
    pub refuses: fn(&Problem) -> Option<String>,
    /// The walker of an island for a problem, with these parameters and the seed of the run.
    pub walker: fn(&Arc<Problem>, &Values, u64) -> Box<dyn Walker>,
}

/// The values of the first parameters; there are no others.
pub const fn values<const N: usize>(first: [f64; N]) -> Values {
    let mut values = [0.0; MOST];
    let mut i = 0;
    while i < N {
        values[i] = first[i];
        i += 1;
    }
    values
}

/// Parameters of an engine of another crate; `I` is the place among its values.
impl Parameter<Values> {
    /// True or false, as 1 or 0.
    pub const fn flag<const I: usize>(name: &'static str, help: &'static str) -> Self {
        let field = Field::Flag(|v: &Values| Some(v[I] != 0.0), |v, on| v[I] = on as u8 as f64);
        Self::of::<I>(name, help, field)
    }

    /// A number from 0 to 1.
    pub const fn share<const I: usize>(name: &'static str, help: &'static str) -> Self {
        Self::of::<I>(name, help, Field::Share(|v: &Values| Some(v[I]), |v, share| v[I] = share))
    }

    /// A number above 0.
    pub const fn positive<const I: usize>(name: &'static str, help: &'static str) -> Self {
        Self::of::<I>(
            name,
            help,
            Field::Positive(|v: &Values| Some(v[I]), |v, number| v[I] = number),
        )
    }

    /// A whole number of at least 1.
    pub const fn count<const I: usize>(name: &'static str, help: &'static str) -> Self {
        let (get, set) = (|v: &Values| Some(v[I] as u64), |v: &mut Values, n| v[I] = n as f64);
        Self::of::<I>(name, help, Field::Count(MOST_COUNTED, get, set))
    }

    /// One of some words, by its place.
    pub const fn word<const I: usize>(
        name: &'static str,
        help: &'static str,
        words: &'static [&'static str],
    ) -> Self {
        let (get, set) = (|v: &Values| Some(v[I] as usize), |v: &mut Values, n| v[I] = n as f64);
        Self::of::<I>(name, help, Field::Word(words, get, set))
    }

    const fn of<const I: usize>(
        name: &'static str,
        help: &'static str,
        field: Field<Values>,
    ) -> Self {
        const { assert!(I < MOST, "an engine has at most 8 parameters") };
        Parameter { name, help, default: "", field, applies: |_| true }
    }
}

static REGISTERED: Mutex<Vec<&'static OwnEngine>> = Mutex::new(Vec::new());

fn registry() -> MutexGuard<'static, Vec<&'static OwnEngine>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All registered engines.
pub(super) fn registered() -> Vec<&'static OwnEngine> {
    registry().clone()
}

impl OwnEngine {
    /// What is wrong with its name or with a parameter.
    fn mistake(&self) -> Option<String> {
        let OwnEngine { name, parameters, defaults, .. } = self;
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Some("a name has lower-case letters, digits and dashes only".into());
        }
        parameters.iter().enumerate().find_map(|(i, row)| {
            if parameters[..i].iter().any(|other| other.name == row.name) {
                return Some(format!("two parameters have the name '{}'", row.name));
            }
            let why = row.check(defaults).err()?;
            Some(format!("the default of '{}' is {why}", row.name))
        })
    }

    /// Registers it, unless it is registered already; `is_taken` tells whether an engine of this
    /// crate has the name.
    ///
    /// # Errors
    /// The name is not one, or is taken; a default is none of the parameter's values.
    pub(super) fn register(&'static self, is_taken: bool) -> Result<()> {
        let mut registry = registry();
        if registry.iter().any(|other| ptr::eq(*other, self)) {
            return Ok(());
        }
        let is_taken = is_taken || registry.iter().any(|other| other.name == self.name);
        let taken = is_taken.then(|| "another engine has this name".into());
        if let Some(why) = self.mistake().or(taken) {
            let name = self.name;
            return Err(Error::problem(format!("the engine '{name}' cannot be registered: {why}")));
        }
        registry.push(self);
        Ok(())
    }
}

/// A registered engine with the values of its parameters.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub struct Params {
    /// The engine.
    pub engine: &'static OwnEngine,
    /// The values.
    pub values: Values,
}

/// In checkpoints and messages, the name stands for the engine.
#[derive(Serialize, Deserialize)]
struct Written {
    name: String,
    values: Values,
}

/// Stands for an engine that is written in a checkpoint, and not registered here.
static UNKNOWN: OwnEngine = OwnEngine {
    name: "an engine of another program",
    help: "",
    parameters: &[],
    defaults: [0.0; MOST],
    refuses: |_| Some("it is not registered in this program".into()),
    walker: |_, _, _| panic!("it refuses all problems"),
};

impl Params {
    /// Why the engine cannot schedule a problem; none if it can.
    pub fn refuses(&self, problem: &Problem) -> Option<String> {
        (self.engine.refuses)(problem)
    }

    /// The walker of an island.
    pub fn walker(&self, problem: &Arc<Problem>, seed: u64) -> Box<dyn Walker> {
        (self.engine.walker)(problem, &self.values, seed)
    }
}

impl From<&'static OwnEngine> for Params {
    fn from(engine: &'static OwnEngine) -> Self {
        Params { engine, values: engine.defaults }
    }
}

impl From<Params> for Written {
    fn from(Params { engine, values }: Params) -> Self {
        Written { name: engine.name.into(), values }
    }
}

impl From<Written> for Params {
    fn from(Written { name, values }: Written) -> Self {
        let engine = registered().into_iter().find(|engine| engine.name == name);
        let engine = engine.unwrap_or(&UNKNOWN);
        let are_right = engine.parameters.iter().all(|row| row.check(&values).is_ok());
        Params { engine: if are_right { engine } else { &UNKNOWN }, values }
    }
}

impl PartialEq for Params {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.engine, other.engine) && self.values == other.values
    }
}

impl fmt::Debug for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct(self.engine.name);
        for (name, value) in Parameter::values(self.engine.parameters, &self.values) {
            told.field(name, &format_args!("{value}"));
        }
        told.finish()
    }
}
