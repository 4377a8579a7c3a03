//! The engines of this crate, and those that other crates register.

use super::engine::Written;
use super::row::{EngineRow, Runs};
use super::{Engine, auto, exact, hgsa, umda};
use ccsched_base::{Error, Result};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The engines of this crate.
const ROWS: [&EngineRow; 6] =
    [&auto::ROW, &hgsa::ROW, &umda::ROW, &exact::LIQUID, &exact::DSATUR, &exact::ROUND_ROBIN];

static REGISTERED: Mutex<Vec<&'static EngineRow>> = Mutex::new(Vec::new());

fn registry() -> MutexGuard<'static, Vec<&'static EngineRow>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All engines; last those that other crates have registered.
fn rows() -> Vec<&'static EngineRow> {
    ROWS.into_iter().chain(registry().iter().copied()).collect()
}

/// Stands for an engine that is written in a checkpoint, and not registered here.
static UNKNOWN: EngineRow = EngineRow {
    name: "an engine of another program",
    refuses: |_| Some("it is not registered in this program".into()),
    runs: Runs::Islands(|_, _, _| panic!("it refuses all problems")),
    ..EngineRow::BASE
};

impl Default for Engine {
    fn default() -> Self {
        Engine::of(&auto::ROW)
    }
}

impl Engine {
    /// All engines, with their default parameters; last those that other crates have registered.
    pub fn all() -> Vec<Engine> {
        rows().into_iter().map(Engine::of).collect()
    }

    /// Makes an engine of another crate known to this process, before it reads a command line, a
    /// checkpoint or a message of another rank. Each rank registers the same engines.
    ///
    /// # Errors
    /// The name is not one, or is taken; a default is none of the parameter's values.
    pub fn register(row: &'static EngineRow) -> Result<()> {
        let mut registry = registry();
        if registry.iter().any(|other| ptr::eq(*other, row)) {
            return Ok(());
        }
        let is_taken = ROWS.iter().chain(registry.iter()).any(|other| other.name == row.name);
        let taken = is_taken.then(|| "another engine has this name".into());
        if let Some(why) = row.mistake().or(taken) {
            let name = row.name;
            return Err(Error::problem(format!("the engine '{name}' cannot be registered: {why}")));
        }
        registry.push(row);
        Ok(())
    }

    /// The engine of this name, with its default parameters.
    pub fn named(name: &str) -> Option<Engine> {
        Self::all().into_iter().find(|engine| engine.name() == name)
    }
}

impl From<Written> for Engine {
    fn from(Written { name, values }: Written) -> Self {
        let row = rows().into_iter().find(|row| row.name == name).unwrap_or(&UNKNOWN);
        let are_right = row.parameters.iter().zip(&values).all(|(row, &v)| row.check(v).is_ok());
        Engine { row: if are_right { row } else { &UNKNOWN }, values }
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

    #[test]
    fn an_engine_of_a_message_is_the_same() {
        for engine in Engine::all() {
            let bytes = ccsched_base::codec::encode(&engine).unwrap();
            let read: Engine = ccsched_base::codec::decode(&bytes).unwrap();
            assert_eq!(read, engine);
            let mut wrong = Written::from(engine);
            wrong.values[0] = f64::NAN;
            assert_eq!(Engine::from(wrong).name() == UNKNOWN.name, !engine.described().is_empty());
        }
    }
}
