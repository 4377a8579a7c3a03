//! A configuration as one word of the command line: `hgsa:islands=8,hot=0.5`. It has the notation of
//! `solve --set`, and the names of some options of `solve`.

use crate::exchange_args::word;
use crate::numbers;
use crate::settings::{self, Setting};
use ccsched_base::{Error, Result};
use ccsched_lab::compare::Configuration;
use ccsched_run::islands::{Choice, Graph, Migration};

/// The settings of the run; all others are of the engine.
const OF_RUN: [&str; 5] = ["islands", "exchange-every", "islands-graph", "migrants", "migration"];

/// Reads a configuration.
///
/// # Errors
/// Unknown engines and options, options of another engine, wrong values.
pub fn parse(text: &str) -> Result<Configuration> {
    let wrong = |why: String| Error::problem(format!("--run {text}: {why}"));
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let engine = settings::named(name).map_err(wrong)?;
    let given = settings::read(rest, Some(engine.name())).map_err(wrong)?;
    if let Some(other) = given.iter().find(|s| s.engine != engine.name()) {
        return Err(wrong(format!("a run has one engine, here {name} and {}", other.engine)));
    }
    let is_of_run = |s: &&Setting| OF_RUN.contains(&&*s.name);
    let (of_run, of_engine): (Vec<_>, Vec<_>) = given.iter().partition(is_of_run);
    let given = |name: &str| {
        let mut values = of_run.iter().filter(|s| s.name == name).map(|s| &s.value);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(wrong(format!("{name} is set twice; leave one"))),
            (value, None) => Ok(value),
        }
    };
    let number = |name: &str, most: u64| {
        let read = |text: &String| match numbers::count::<u64>(text) {
            Ok(value) if value > most => Err(wrong(format!("{name}: too large: at most {most}"))),
            value => value.map_err(|why| wrong(format!("{name}: {why}"))),
        };
        given(name)?.map(read).transpose()
    };
    let islands = number("islands", u16::MAX.into())?.unwrap_or(1);
    let exchange_every = number("exchange-every", u64::MAX)?.unwrap_or(ccsched_run::EXCHANGE_EVERY);
    let of_word = |name, why| wrong(format!("{name}: {why}"));
    let graph = given("islands-graph")?.map_or(Ok(Graph::Star), |name| word(name, &Graph::ALL));
    let choice = given("migration")?.map(|name| word(name, &Choice::ALL)).transpose();
    let migration = Migration {
        graph: graph.map_err(|why| of_word("islands-graph", why))?,
        migrants: number("migrants", u32::MAX.into())?.map(|migrants| migrants as u32),
        choice: choice.map_err(|why| of_word("migration", why))?,
    };
    migration.check().map_err(|why| wrong(why.to_string()))?;
    let engine = settings::apply(engine, &of_engine)
        .map_err(|(parameter, why)| wrong(format!("{parameter}: {why}")))?;
    if !engine.has_islands() {
        return Err(wrong(format!(
            "{name} runs without islands, and only searches on islands are compared"
        )));
    }
    let (name, islands) = (text.to_string(), islands as usize);
    Ok(Configuration { name, engine, islands, exchange_every, migration })
}

/// No grid has more configurations.
const MOST: usize = 10_000;

/// The configurations of a grid, `umda:population=30|60,mutation=0.5|0.9`: one for each combination of
/// the values between the bars.
///
/// # Errors
/// Too many.
pub fn grid(text: &str) -> Result<Vec<String>> {
    let (engine, rest) = text.split_once(':').unwrap_or((text, ""));
    let mut all = vec![String::new()];
    for item in rest.split(',') {
        let (name, values) =
            item.split_once('=').map_or(("", item), |(name, values)| (name, values));
        let written = |value| if name.is_empty() { value } else { format!("{name}={value}") };
        let values: Vec<String> = values.split('|').map(|value| written(value.into())).collect();
        if all.len().saturating_mul(values.len()) > MOST {
            let why = format!("--run {text}: that makes more than {MOST} configurations");
            return Err(Error::problem(why));
        }
        let with = |before: &String| {
            let comma = if before.is_empty() { "" } else { "," };
            values.iter().map(|value| format!("{before}{comma}{value}")).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let colon = if text.contains(':') { ":" } else { "" };
    Ok(all.into_iter().map(|rest| format!("{engine}{colon}{rest}")).collect())
}

/// The configuration without its number of islands.
pub fn without_islands(text: &str) -> String {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let is_of_islands = |option: &&str| option.split('=').next() == Some("islands");
    let rest: Vec<&str> =
        rest.split(',').filter(|option| !option.is_empty() && !is_of_islands(option)).collect();
    if rest.is_empty() { name.to_string() } else { format!("{name}:{}", rest.join(",")) }
}

/// The configuration with a number of islands.
///
/// # Errors
/// It has one already.
pub fn with_islands(text: &str, islands: u16) -> Result<String> {
    if without_islands(text) != text {
        let why = "--parallel sets the islands; leave islands out";
        return Err(Error::problem(format!("--run {text}: {why}")));
    }
    let mark = if text.contains(':') { ',' } else { ':' };
    Ok(format!("{text}{mark}islands={islands}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let message = parse(text).unwrap_err().to_string();
        assert!(message.starts_with(&format!("--run {text}: ")), "{message}");
        message
    }

    #[test]
    fn options_reach_the_engine() {
        let run = parse("hgsa:islands=8,hot=1.5,cold=0.5,exchange-every=3").unwrap();
        assert_eq!((run.islands, run.exchange_every), (8, 3));
        let parameters: std::collections::HashMap<_, _> =
            run.engine.parameters().into_iter().collect();
        assert_eq!((&parameters["hot"], &parameters["cold"]), (&1.5.into(), &0.5.into()));
        let plain = parse("hgsa").unwrap();
        assert_eq!((plain.islands, plain.name.as_str()), (1, "hgsa"));
        assert_eq!(plain.engine, ccsched_engines::Engine::named("hgsa").unwrap());
    }

    #[test]
    fn a_number_of_islands_is_added_and_left_out() {
        for (text, four) in [("auto", "auto:islands=4"), ("hgsa:hot=1.5", "hgsa:hot=1.5,islands=4")]
        {
            assert_eq!(with_islands(text, 4).unwrap(), four);
            assert_eq!(without_islands(four), text);
        }
        assert!(with_islands("hgsa:islands=2", 4).unwrap_err().to_string().contains("--parallel"));
    }

    #[test]
    fn a_grid_has_all_combinations() {
        let grid = |text| grid(text).unwrap();
        assert_eq!(grid("hgsa"), ["hgsa"]);
        assert_eq!(grid("hgsa:hot=1.5,cold=0.5"), ["hgsa:hot=1.5,cold=0.5"]);
        let four = [(30, 1), (30, 2), (60, 1), (60, 2)];
        let four = four.map(|(p, i)| format!("umda:population={p},injected=0.{i}"));
        assert_eq!(grid("umda:population=30|60,injected=0.1|0.2"), four);
        let many = format!("umda:population={}", "2|".repeat(10_000));
        assert!(super::grid(&many).unwrap_err().to_string().contains("10000 configurations"));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(refused("hgsb").contains("there is no engine 'hgsb', but auto, hgsa"));
        assert!(refused("hgsa:islands=0").contains("islands: not a whole number of at least 1"));
        assert!(refused("hgsa:islands=65536").contains("islands: too large"));
        assert!(refused("hgsa:hot=warm").contains("hot: 'warm' is not a number above 0"));
        assert!(refused("hgsa:hott=1").contains("hgsa has no parameter 'hott'; it has"));
        assert!(refused("hgsa:hot=1,hot=2").contains("hot: it is set twice"));
        assert!(refused("hgsa:islands=1,islands=2").contains("islands is set twice"));
        assert!(refused("hgsa:hot=0.5,cold=2").contains("cooling goes down"));
        assert!(refused("hgsa:hot=0.5,umda:population=4").contains("one engine"));
        assert!(refused("liquid").contains("without islands"));
        assert!(refused("hgsa:islands-graph=line").contains("'line' is not one of star, ring"));
        assert!(refused("hgsa:islands-graph=ring,migration=best").contains("migrants"));
        assert!(refused("").contains("there is no engine ''"));
    }
}
