//! A configuration as one word of the command line: `hgsa:islands=8,hot=0.5`. The parser of `solve`
//! reads its options, so that they have the same meaning and the same errors.

use super::engine_args::EngineArgs;
use super::numbers;
use crate::experiments::compare::Configuration;
use crate::{Error, Result};
use clap::Parser;

/// The options of a configuration.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, allow_negative_numbers = true)]
struct Options {
    #[command(flatten)]
    engine: EngineArgs,
    #[arg(long, default_value_t = 1, value_parser = numbers::count::<u16>)]
    islands: u16,
    #[arg(long, default_value_t = 10, value_parser = numbers::count::<u64>)]
    exchange_every: u64,
}

/// Reads a configuration.
///
/// # Errors
/// Unknown engines and options, options of another engine, wrong values.
pub fn parse(text: &str) -> Result<Configuration> {
    let wrong = |why: String| Error::problem(format!("--run {text}: {why}"));
    let (engine, rest) = text.split_once(':').unwrap_or((text, ""));
    let pairs: Vec<&str> = rest.split(',').filter(|pair| !pair.is_empty()).collect();
    let words = std::iter::once(format!("--engine={engine}"))
        .chain(pairs.iter().map(|pair| format!("--{pair}")));
    let options = Options::try_parse_from(words).map_err(|e| wrong(first_line(&e)))?;
    let config = options.engine.engine().map_err(|e| wrong(e.to_string()))?;
    if !config.has_islands() {
        return Err(wrong(format!(
            "{engine} runs without islands, and only searches on islands are compared"
        )));
    }
    Ok(Configuration {
        name: text.to_string(),
        engine: config,
        islands: options.islands.into(),
        exchange_every: options.exchange_every,
    })
}

/// The error, with clap's hint of valid values if any; without usage and the pointer to `--help`,
/// which a configuration does not have.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let mut lines = text.lines().map(str::trim);
    let first = lines.next().unwrap_or_default().trim_start_matches("error: ");
    let more = lines.filter(|line| line.starts_with("[possible") || line.starts_with("tip:"));
    std::iter::once(first).chain(more).collect::<Vec<_>>().join("; ")
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
        assert_eq!(plain.engine, crate::engines::Engine::Hgsa(Default::default()));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(refused("hgsb").contains("possible values"));
        assert!(refused("hgsa:islands=0").contains("'--islands <ISLANDS>'"));
        assert!(refused("hgsa:hot=warm").contains("not a number above 0"));
        assert!(refused("hgsa:hott=1").contains("--hott"));
        assert!(refused("hgsa:hot=1,hot=2").contains("multiple times"));
        assert!(refused("hgsa:hot=0.5,cold=2").contains("cooling goes down"));
        assert!(refused("hgsa:engine=hgsa").contains("multiple times"));
        assert!(refused("").contains("possible values"));
    }
}
