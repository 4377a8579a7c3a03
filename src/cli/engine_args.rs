//! The options that choose an engine and its parameters.

use super::numbers;
use crate::engines::{Config, Direct, hgsa, umda};
use crate::{Error, Result};
use clap::ValueEnum;

/// The engine.
#[derive(clap::Args, Clone, Debug)]
pub struct EngineArgs {
    /// The engine; auto takes what is best for the problem
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: Engine,
    /// Parameters of HGSA
    #[command(flatten)]
    pub hgsa: HgsaArgs,
    /// Parameters of UMDA
    #[command(flatten)]
    pub umda: UmdaArgs,
}

/// Which engine searches.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The best there is for the problem
    Auto,
    /// Hybrid of parallel simulated annealing and genetic operators
    Hgsa,
    /// Univariate marginal distribution algorithm of the literature; serial, wormhole only
    Umda,
    /// Exact search for a schedule as long as the bottleneck's load, or the proof that there is none;
    /// one route a pair, wormhole only. An iteration is 256 nodes of the search tree
    Liquid,
    /// Greedy colouring of the conflict graph; one route a pair, wormhole only
    Dsatur,
    /// The i-th sender serves the (i+p)-th receiver in phase p, knowing nothing of the network; one
    /// route a pair, wormhole only
    RoundRobin,
}

/// Which moves HGSA's islands make.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbourhood {
    /// What is best for the problem
    Auto,
    /// The mutations of the paper
    Paper,
}

/// Parameters of HGSA that are worth changing.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "HGSA")]
pub struct HgsaArgs {
    /// The moves of the islands [default: auto with --engine auto, paper with --engine hgsa]
    #[arg(long, value_enum)]
    pub neighbourhood: Option<Neighbourhood>,
    /// Temperature at the beginning of a round of cooling, in conflicts
    #[arg(long, default_value_t = hgsa::Params::default().cooling.hot, value_parser = numbers::positive)]
    pub hot: f64,
    /// Temperature at its end
    #[arg(long, default_value_t = hgsa::Params::default().cooling.cold, value_parser = numbers::positive)]
    pub cold: f64,
    /// Iterations of the first round; every round is half as long again
    #[arg(long, default_value_t = hgsa::Params::default().cooling.first_round,
          value_parser = numbers::count::<u64>)]
    pub round: u64,
    /// Share of the moves that let two transfers exchange their places
    #[arg(long, default_value_t = hgsa::Params::default().swap_share, value_parser = numbers::share)]
    pub swaps: f64,
    /// Whether to search for scatters under groups of automorphisms, too (true, false); not with the
    /// moves of the paper
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    pub symmetry: bool,
    /// Whether islands take over what others show (true, false) [default: true with the moves of the
    /// paper, false with guided ejection, where it does not pay]
    #[arg(long)]
    pub exchange: Option<bool>,
    /// How far a terminal may inform another in a wormhole all-to-all broadcast; raised where it
    /// would cut somebody off
    #[arg(long, default_value_t = hgsa::Params::default().radius,
          value_parser = numbers::count::<u32>)]
    pub radius: u32,
}

/// Parameters of UMDA; the defaults are the papers'.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "UMDA")]
pub struct UmdaArgs {
    /// Number of individuals
    #[arg(long, default_value_t = umda::Params::default().population, value_parser = numbers::even)]
    pub population: u32,
    /// Probability that a new individual is mutated
    #[arg(long, default_value_t = umda::Params::default().mutation, value_parser = numbers::share)]
    pub mutation: f64,
    /// Genes that a mutation works on: swaps of two time slots in a scatter, deliveries with a new
    /// time slot, source and path in a broadcast [default: 1 swap, 8 deliveries]
    #[arg(long, value_name = "N", value_parser = numbers::count::<u32>)]
    pub mutated_genes: Option<u32>,
    /// How far a terminal may inform another in a broadcast; raised where it would cut somebody off
    /// [default: 1 for aab if its bound is above that of oab, else no limit]
    #[arg(long, value_name = "R", value_parser = numbers::count::<u32>)]
    pub umda_radius: Option<u32>,
    /// Share of the initial population of a broadcast that starts with everything in step 0
    #[arg(long, default_value_t = umda::Params::default().injected, value_parser = numbers::share)]
    pub injected: f64,
}

impl UmdaArgs {
    fn params(&self) -> umda::Params {
        umda::Params {
            population: self.population,
            mutation: self.mutation,
            mutated_genes: self.mutated_genes,
            radius: self.umda_radius,
            injected: self.injected,
        }
    }
}

impl EngineArgs {
    /// Whether the engine runs as one island alone.
    pub fn is_serial(&self) -> bool {
        !matches!(self.engine, Engine::Auto | Engine::Hgsa)
    }

    /// The engine with its parameters.
    ///
    /// # Errors
    /// Parameters that contradict each other.
    pub fn config(&self) -> Result<Config> {
        match self.engine {
            Engine::Auto => Ok(Config::Hgsa(self.hgsa.params(Neighbourhood::Auto)?)),
            Engine::Hgsa => Ok(Config::Hgsa(self.hgsa.params(Neighbourhood::Paper)?)),
            Engine::Umda => Ok(Config::Umda(self.umda.params())),
            Engine::Liquid => Ok(Config::Direct(Direct::Liquid)),
            Engine::Dsatur => Ok(Config::Direct(Direct::Dsatur)),
            Engine::RoundRobin => Ok(Config::Direct(Direct::RoundRobin)),
        }
    }
}

impl HgsaArgs {
    fn params(&self, default: Neighbourhood) -> Result<hgsa::Params> {
        let (hot, cold) = (self.hot, self.cold);
        if cold > hot {
            return Err(Error::problem(format!(
                "--cold {cold} is above --hot {hot}: cooling goes down"
            )));
        }
        let cooling =
            hgsa::Cooling { hot, cold, first_round: self.round, ..hgsa::Cooling::default() };
        let neighbourhood = match self.neighbourhood.unwrap_or(default) {
            Neighbourhood::Auto => hgsa::Neighbourhood::Auto,
            Neighbourhood::Paper => hgsa::Neighbourhood::Paper,
        };
        Ok(hgsa::Params {
            neighbourhood,
            cooling,
            symmetry: self.symmetry,
            exchange: self.exchange,
            radius: self.radius,
            swap_share: self.swaps,
            ..hgsa::Params::default()
        })
    }
}
