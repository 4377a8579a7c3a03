//! The options of the exchange between islands: how often, in which groups, on which graph, and what.

use super::numbers;
use ccsched_run::islands::{Choice, Graph, Migration, Word};
use ccsched_run::{EXCHANGE_EVERY, EXCHANGE_GROUP};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The exchange between islands.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Search")]
pub struct ExchangeArgs {
    /// Iterations between two exchanges of the islands
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>)]
    pub exchange_every: Option<u64>,
    /// Islands that exchange with each other; with more islands, each tenth exchange is one between
    /// such groups
    #[arg(long, value_name = "N", value_parser = numbers::group)]
    pub exchange_group: Option<usize>,
    /// Which islands of a group an island receives solutions from
    #[arg(long, value_name = "GRAPH", value_parser = words(&Graph::ALL))]
    pub islands_graph: Option<Graph>,
    /// Solutions that an island receives at an exchange [default: 1 in a star, else those of all
    /// neighbours]
    #[arg(long, value_name = "N", value_parser = numbers::count::<u32>)]
    pub migrants: Option<u32>,
    /// How they are chosen among the neighbours [default: roulette]
    #[arg(long, value_name = "CHOICE", value_parser = words(&Choice::ALL))]
    pub migration: Option<Choice>,
}

impl ExchangeArgs {
    /// Iterations between two exchanges.
    pub fn every(&self) -> u64 {
        self.exchange_every.unwrap_or(EXCHANGE_EVERY)
    }

    /// Islands of a group.
    pub fn group(&self) -> usize {
        self.exchange_group.unwrap_or(EXCHANGE_GROUP)
    }

    /// What islands exchange.
    pub fn migration(&self) -> Migration {
        let ExchangeArgs { islands_graph, migrants, migration: choice, .. } = *self;
        Migration { graph: islands_graph.unwrap_or_default(), migrants, choice }
    }

    /// The words of `--set islands:` that are given.
    pub fn given(&self) -> Vec<&'static str> {
        let words = [
            ("every", self.exchange_every.is_some()),
            ("group", self.exchange_group.is_some()),
            ("graph", self.islands_graph.is_some()),
            ("migrants", self.migrants.is_some()),
            ("choice", self.migration.is_some()),
        ];
        words.into_iter().filter(|(_, is_given)| *is_given).map(|(word, _)| word).collect()
    }
}

fn words<T: Copy + Send + Sync + 'static>(
    all: &'static [Word<T>],
) -> impl TypedValueParser<Value = T> {
    let value = |row: &Word<T>| PossibleValue::new(row.1).help(row.2);
    PossibleValuesParser::new(all.iter().map(value)).try_map(|name| word(&name, all))
}

/// The value with a name.
///
/// # Errors
/// Other names, with the right ones.
pub fn word<T: Copy>(name: &str, all: &[Word<T>]) -> Result<T, String> {
    let found = all.iter().find(|row| row.1 == name).map(|row| row.0);
    let names = || all.iter().map(|row| row.1).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("'{name}' is not one of {}", names()))
}
