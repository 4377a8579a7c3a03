//! Engines and their parameters by name, as users write them.

use super::parameter::Parameter;
use super::{Engine, OwnEngine, auto, hgsa, own, umda};
use ccsched_base::Result;
use serde_json::Value;

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

/// Evaluates an expression for the table and the parameters of an engine, or another one if it has none.
macro_rules! of_table {
    ($engine:expr, |$table:ident, $params:ident| $value:expr, $none:expr) => {
        match $engine {
            Engine::Auto($params) => {
                let $table = auto::PARAMETERS;
                $value
            }
            Engine::Hgsa($params) => {
                let $table = hgsa::PARAMETERS;
                $value
            }
            Engine::Umda($params) => {
                let $table = umda::PARAMETERS;
                $value
            }
            Engine::Own(own::Params { engine, values: $params }) => {
                let $table = engine.parameters;
                $value
            }
            Engine::Liquid | Engine::Dsatur | Engine::RoundRobin => $none,
        }
    };
}

impl Engine {
    /// All engines, with their default parameters; last those that other crates have registered.
    pub fn all() -> Vec<Engine> {
        let registered = own::registered().into_iter().map(|engine| Engine::Own(engine.into()));
        Self::of_this_crate().into_iter().chain(registered).collect()
    }

    fn of_this_crate() -> [Engine; 6] {
        [
            Engine::default(),
            Engine::Hgsa(hgsa::Params::default()),
            Engine::Umda(umda::Params::default()),
            Engine::Liquid,
            Engine::Dsatur,
            Engine::RoundRobin,
        ]
    }

    /// Makes an engine of another crate known to this process, before it reads a command line, a
    /// checkpoint or a message of another rank. Each rank registers the same engines.
    ///
    /// # Errors
    /// The name is not one, or is taken; a default is none of the parameter's values.
    pub fn register(engine: &'static OwnEngine) -> Result<()> {
        let is_taken = Self::of_this_crate().iter().any(|other| other.name() == engine.name);
        engine.register(is_taken)
    }

    /// The engine of this name, with its default parameters.
    pub fn named(name: &str) -> Option<Engine> {
        Self::all().into_iter().find(|engine| engine.name() == name)
    }

    /// The engine's name, as users write it.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Auto(_) => "auto",
            Engine::Hgsa(_) => "hgsa",
            Engine::Umda(_) => "umda",
            Engine::Liquid => "liquid",
            Engine::Dsatur => "dsatur",
            Engine::RoundRobin => "round-robin",
            Engine::Own(params) => params.engine.name,
        }
    }

    /// The engine in a sentence.
    pub fn help(&self) -> &'static str {
        match self {
            Engine::Auto(_) => {
                "The best method for the problem: constructors, searches, refutation"
            }
            Engine::Hgsa(_) => "Hybrid of parallel simulated annealing and genetic operators",
            Engine::Umda(_) => {
                "Univariate marginal distribution algorithm of the literature; serial, wormhole only"
            }
            Engine::Liquid => {
                "Exact search for a schedule as long as the bottleneck's load, or a proof that none \
                 exists; one route a pair, wormhole only. An iteration is 256 nodes of the search tree"
            }
            Engine::Dsatur => {
                "Greedy colouring of the conflict graph; one route a pair, wormhole only"
            }
            Engine::RoundRobin => {
                "Sender i serves receiver i+p in phase p, regardless of the network; one route a \
                 pair, wormhole only"
            }
            Engine::Own(params) => params.engine.help,
        }
    }

    /// The parameters that have an effect, by name.
    pub fn parameters(&self) -> Vec<(&'static str, Value)> {
        of_table!(self, |table, params| Parameter::values(table, params), vec![])
    }

    /// All parameters, described; the defaults are those of this engine.
    pub fn described(&self) -> Vec<Described> {
        of_table!(
            self,
            |table, params| {
                let described = |row: &Parameter<_>| {
                    let value = row.get(params).filter(|_| row.default.is_empty());
                    let text = |value: Value| value.as_str().map_or(value.to_string(), Into::into);
                    let default = value.map_or(row.default.into(), text);
                    Described { name: row.name, range: row.range(), default, help: row.help }
                };
                table.iter().map(described).collect()
            },
            vec![]
        )
    }

    /// Sets a parameter to the value that a text gives.
    ///
    /// # Errors
    /// The engine has no such parameter, or the parameter no such value; the error says what is right.
    pub fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let of = self.name();
        of_table!(
            self,
            |table, params| match Parameter::find(table, name) {
                Some(row) => row.set(params, value),
                None => {
                    let names: Vec<&str> = table.iter().map(|row| row.name).collect();
                    Err(format!("{of} has no parameter '{name}'; it has {}", names.join(", ")))
                }
            },
            Err(format!("{of} has no parameters"))
        )
    }

    /// Checks that the parameters do not contradict each other.
    ///
    /// # Errors
    /// The name of the parameter that contradicts another, and why.
    pub fn check_parameters(&self) -> std::result::Result<(), (&'static str, String)> {
        match self {
            Engine::Hgsa(params) => params.check(),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rows_write_their_own_fields_and_refuse_other_values() {
        for engine in Engine::all() {
            for row in engine.described() {
                let words = ["true", "false", "0.25", "0.5", "4", "6"];
                let words = words.into_iter().chain(row.range.split(" or "));
                let changed = |word| {
                    let mut changed = engine;
                    changed.set(row.name, word).ok().map(|()| format!("{changed:?}"))
                };
                let all: Vec<String> = words.filter_map(changed).collect();
                let different: HashSet<&String> = all.iter().collect();
                assert!(different.len() > 1, "{}: {all:?}", row.name);
                for wrong in ["-1", "", "nan", "1e400"] {
                    let why = engine.clone().set(row.name, wrong).unwrap_err();
                    assert_eq!(why, format!("not {}", row.range), "{}", row.name);
                }
            }
            let why = engine.clone().set("no such", "1").unwrap_err();
            assert!(why.contains("has no parameter"), "{why}");
        }
    }
}
