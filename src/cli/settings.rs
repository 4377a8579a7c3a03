//! Settings of engines on the command line: `hgsa:hot=0.3,cold=0.1,umda:population=90`. The option
//! `--set` and the configurations of `compare` have the same notation and the same errors.

use ccsched_engines::Engine;
use ccsched_tools::show::wrap;
use clap::builder::{StringValueParser, TypedValueParser};
use std::ffi::OsStr;

/// The columns of a list, and those before what a parameter is.
const WIDTH: usize = 86;
const INDENT: usize = 4;

/// A value for a parameter of an engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The engine.
    pub engine: &'static str,
    /// The parameter.
    pub name: String,
    /// The value, as it was written.
    pub value: String,
}

/// Reads `[ENGINE:]NAME=VALUE,..`; an engine stays until another one is named.
///
/// # Errors
/// Unknown engines, parameters without an engine or a value.
pub fn read(text: &str, mut engine: Option<&'static str>) -> Result<Vec<Setting>, String> {
    let mut settings = Vec::new();
    for item in text.split(',').filter(|item| !item.is_empty()) {
        let (of, pair) = item.split_once(':').map_or((None, item), |(of, pair)| (Some(of), pair));
        if let Some(name) = of {
            engine = Some(named(name)?.name());
        }
        let Some((name, value)) = pair.split_once('=') else {
            return Err(format!("'{item}' has no value: ENGINE:NAME=VALUE, such as hgsa:hot=0.3"));
        };
        let Some(engine) = engine else {
            let has = |of: &Engine| of.described().iter().any(|row| row.name == name);
            let having = Engine::all().into_iter().find(has).map(|of| of.name());
            return Err(match having {
                Some(of) => {
                    format!("'{item}' names no engine: ENGINE:NAME=VALUE, such as {of}:{item}")
                }
                None => format!("no engine has a parameter '{name}'; --set help lists them"),
            });
        };
        settings.push(Setting { engine, name: name.into(), value: value.into() });
    }
    Ok(settings)
}

/// The engine of this name, with its default parameters.
///
/// # Errors
/// Other names, with the right ones.
pub fn named(name: &str) -> Result<Engine, String> {
    let names = || Engine::all().iter().map(Engine::name).collect::<Vec<_>>().join(", ");
    Engine::named(name).ok_or_else(|| format!("there is no engine '{name}', but {}", names()))
}

/// The engine with these parameters; all settings are for it. An error has the name of its parameter.
///
/// # Errors
/// Unknown parameters, wrong values, parameters that are set twice, without effect, or that contradict each other.
pub fn apply<'s>(
    mut engine: Engine,
    settings: &'s [&Setting],
) -> Result<Engine, (&'s str, String)> {
    let wrong = |s: &&'s Setting| {
        let why = engine.clone().set(&s.name, &s.value).err()?;
        let is_value = engine.described().iter().any(|row| row.name == s.name);
        Some((&*s.name, if is_value { format!("'{}' is {why}", s.value) } else { why }))
    };
    if let Some(wrong) = settings.iter().find_map(wrong) {
        return Err(wrong);
    }
    // In the order of the table, in which moves come before what depends on them.
    for row in engine.described() {
        let mut values = settings.iter().filter(|s| s.name == row.name);
        if let Some(s) = values.next() {
            engine.set(&s.name, &s.value).map_err(|why| (&*s.name, why))?;
        }
        if let Some(again) = values.next() {
            return Err((&again.name, "it is set twice; leave one".into()));
        }
    }
    let known: Vec<&str> = engine.parameters().into_iter().map(|(name, _)| name).collect();
    if let Some(vain) = settings.iter().find(|s| !known.contains(&&*s.name)) {
        let moves = engine.mode().map(|(name, value)| format!(" with {name} {value}"));
        let moves = moves.unwrap_or_default();
        let (engine, known) = (engine.name(), known.join(", "));
        return Err((&vain.name, format!("{engine}{moves} does not use it, and has only {known}")));
    }
    let of = |name: &str| settings.iter().map(|s| &*s.name).find(|&given| given == name);
    match engine.check_parameters() {
        Ok(()) => Ok(engine),
        Err((name, why)) => {
            Err((of(name).or(settings.first().map(|s| &*s.name)).unwrap_or(""), why))
        }
    }
}

/// All parameters of all engines.
pub fn list() -> String {
    let mut text = String::new();
    for engine in Engine::all() {
        for row in engine.described() {
            let told = format!("{} [default: {}]", row.help, row.default);
            let told = wrap(&told.split(' ').collect::<Vec<_>>(), INDENT, WIDTH);
            let (of, name, range) = (engine.name(), row.name, row.range);
            text += &format!("{of}:{name}=VALUE  {range}\n{:INDENT$}{told}\n", "");
        }
    }
    text
}

/// The parser of an option that answers a word with a text.
#[derive(Clone, Copy)]
pub struct Answer(pub &'static str, pub fn() -> String);

impl TypedValueParser for Answer {
    type Value = String;

    fn parse_ref(
        &self,
        cmd: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let text = StringValueParser::new().parse_ref(cmd, arg, value)?;
        if text == self.0 { Err(shown((self.1)())) } else { Ok(text) }
    }
}

/// Ends the program with a text on the standard output, as `--help` does.
fn shown(text: String) -> clap::Error {
    let help = clap::Command::new("help").override_help(text);
    help.try_get_matches_from(["help", "--help"]).expect_err("help ends the program")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_stays_until_the_next() {
        let set = |engine, name: &str, value: &str| Setting {
            engine,
            name: name.into(),
            value: value.into(),
        };
        let read = |text| super::read(text, None);
        let three = [("hgsa", "hot", "1"), ("hgsa", "cold", "0.5"), ("umda", "population", "90")];
        let three = three.map(|(engine, name, value)| set(engine, name, value));
        assert_eq!(read("hgsa:hot=1,cold=0.5,umda:population=90"), Ok(three.to_vec()));
        for (text, words) in [
            ("hot=1", "such as hgsa:hot=1"),
            ("hgsa:hot", "'hgsa:hot' has no value"),
            ("hgsb:hot=1", "there is no engine 'hgsb', but auto, hgsa, umda"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(words), "{why}");
        }
    }

    #[test]
    fn every_parameter_is_listed() {
        let list = list();
        assert!(list.contains("hgsa:hot=VALUE  a number above 0\n    Temperature at"), "{list}");
        assert!(
            list.contains("umda:population=VALUE  an even number from 2 to 1000000\n"),
            "{list}"
        );
        assert!(list.contains("[default: 60]\n"), "{list}");
        assert!(list.lines().all(|line| line.len() <= WIDTH), "{list}");
    }
}
