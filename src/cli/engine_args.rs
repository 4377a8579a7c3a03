//! The options that choose an engine and its parameters. An option that the engine does not use is
//! refused, so that every option given has an effect.

use super::numbers;
use crate::engines::{Engine, auto, hgsa, umda};
use crate::{Error, Result};
use clap::ValueEnum;

/// The engine.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// The engine; auto chooses the best method for the problem
    #[arg(long = "engine", value_enum, value_name = "ENGINE", default_value = "auto")]
    pub name: EngineName,
    /// auto, hgsa: whether islands adopt parts of each other's solutions (true, false) [default:
    /// true if they anneal, else false]
    #[arg(long)]
    pub exchange: Option<bool>,
    /// auto, hgsa with --neighbourhood search: whether to search for scatters also under groups of
    /// automorphisms (true, false) [default: true]
    #[arg(long)]
    pub symmetry: Option<bool>,
    /// Parameters of HGSA
    #[command(flatten)]
    pub hgsa: HgsaArgs,
    /// Parameters of UMDA
    #[command(flatten)]
    pub umda: UmdaArgs,
}

/// The engines.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineName {
    /// The best method for the problem: constructors, searches, refutation
    Auto,
    /// Hybrid of parallel simulated annealing and genetic operators
    Hgsa,
    /// Univariate marginal distribution algorithm of the literature; serial, wormhole only
    Umda,
    /// Exact search for a schedule as long as the bottleneck's load, or a proof that none exists;
    /// one route a pair, wormhole only. An iteration is 256 nodes of the search tree
    Liquid,
    /// Greedy colouring of the conflict graph; one route a pair, wormhole only
    Dsatur,
    /// Sender i serves receiver i+p in phase p, regardless of the network; one route a pair,
    /// wormhole only
    RoundRobin,
}

/// The moves of HGSA's islands.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbourhood {
    /// Annealing; a transfer in conflict takes its cheapest other path and step, and in scatters
    /// ejects the transfers there
    Focused,
    /// Annealing; a random transfer takes a random path or step, as in the paper
    Paper,
    /// The moves of the searches that auto uses
    #[value(alias = "auto")]
    Search,
}

/// What a round of cooling begins with.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The solution of the round before
    Kept,
    /// A new start solution
    Fresh,
}

/// The paper's first heuristic.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortening {
    /// At all times
    Always,
    /// After initialisation and after each selection, as in the paper
    Paper,
    /// Never
    Off,
}

/// Parameters of HGSA worth changing.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "HGSA")]
pub struct HgsaArgs {
    /// The moves of the islands [default: focused]
    #[arg(long, value_enum)]
    pub neighbourhood: Option<Neighbourhood>,
    /// Temperature at the beginning of a round of cooling, in conflicts or, in scatters with
    /// --eject, transfers without a place [default: 0.4, scatters: 0.2, wormhole all-gathers:
    /// 0.8; paper: 0.8]
    #[arg(long, value_parser = numbers::positive)]
    pub hot: Option<f64>,
    /// Temperature at the end of a round [default: 0.15, scatters: 0.1, wormhole all-gathers: 0.3;
    /// paper: 0.12]
    #[arg(long, value_parser = numbers::positive)]
    pub cold: Option<f64>,
    /// Iterations of the first round; each round is longer than the last, 1.5 times or, in focused
    /// wormhole broadcasts, 1.2 times [default: 100, wormhole broadcasts: 20;
    /// paper: 500]
    #[arg(long, value_parser = numbers::count::<u64>)]
    pub round: Option<u64>,
    /// Whether the islands share the temperatures from hot to cold out, each with a rung of its
    /// own; if not, all cool in lock step (true, false) [default: true]
    #[arg(long)]
    pub ladder: Option<bool>,
    /// What a round after the first begins with: the solution that the last one ended with, or a
    /// new one [default: fresh in wormhole broadcasts, else kept]
    #[arg(long, value_enum)]
    pub restart: Option<Restart>,
    /// In store-and-forward broadcasts, when a path is cut short at a vertex that another path
    /// reaches earlier [default: always]
    #[arg(long, value_enum)]
    pub shortening: Option<Shortening>,
    /// Whether a focused move of a scatter, gather or traffic ejects the transfers in its way, which
    /// then wait and occupy nothing; if not, they stay, and conflicts count (true, false)
    /// [default: true, with --swaps: false]
    #[arg(long)]
    pub eject: Option<bool>,
    /// Share of the moves that swap the places of two transfers, as UMDA does [default: 0]
    #[arg(long, value_parser = numbers::share)]
    pub swaps: Option<f64>,
    /// Probability that the better child of a crossover is mutated; parents always are [default:
    /// 0.5]
    #[arg(long, value_name = "P", value_parser = numbers::share)]
    pub child_mutation: Option<f64>,
    /// Share of the transfers that a mutation after a crossover changes; at least one [default:
    /// 0.01]
    #[arg(long, value_name = "S", value_parser = numbers::share)]
    pub mutated_share: Option<f64>,
    /// Most transfers in the last step of a conflict-free schedule that the paper's second
    /// heuristic tries to end earlier [default: 16]
    #[arg(long, value_name = "N", value_parser = numbers::count::<usize>)]
    pub longest: Option<usize>,
    /// Longest distance of a transfer in a wormhole all-to-all broadcast; raised where it would
    /// leave a terminal unreachable [default: 1]
    #[arg(long, value_parser = numbers::count::<u32>)]
    pub radius: Option<u32>,
}

/// Parameters of UMDA; the defaults are the papers'.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "UMDA")]
pub struct UmdaArgs {
    /// Number of individuals [default: 60]
    #[arg(long, value_parser = numbers::even)]
    pub population: Option<u32>,
    /// Probability that a new individual mutates [default: 0.9]
    #[arg(long, value_parser = numbers::share)]
    pub mutation: Option<f64>,
    /// Genes changed by a mutation: swaps of two time slots in a scatter, deliveries with a new
    /// time slot, source and path in a broadcast [default: 1 swap, 8 deliveries]
    #[arg(long, value_name = "N", value_parser = numbers::count::<u32>)]
    pub mutated_genes: Option<u32>,
    /// Longest distance of a transfer in a broadcast; raised where it would leave a terminal
    /// unreachable [default: 1 for aab if its bound is above that of oab, else no limit]
    #[arg(long, value_name = "R", value_parser = numbers::count::<u32>)]
    pub umda_radius: Option<u32>,
    /// Share of a broadcast's initial population that starts with all deliveries in step 0
    /// [default: 0.05]
    #[arg(long, value_parser = numbers::share)]
    pub injected: Option<f64>,
    /// Generations without a better individual after which the population begins anew [default:
    /// never, as in the papers]
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>)]
    pub restart_after: Option<u64>,
}

impl EngineArgs {
    /// The engine with its parameters.
    ///
    /// # Errors
    /// Options of another engine; parameters that contradict each other.
    pub fn engine(&self) -> Result<Engine> {
        let engine = match self.name {
            EngineName::Auto => Engine::Auto(auto::Params {
                symmetry: self.symmetry.unwrap_or(true),
                exchange: self.exchange.unwrap_or(false),
            }),
            EngineName::Hgsa => Engine::Hgsa(self.hgsa.params(self.exchange, self.symmetry)?),
            EngineName::Umda => Engine::Umda(self.umda.params()),
            EngineName::Liquid => Engine::Liquid,
            EngineName::Dsatur => Engine::Dsatur,
            EngineName::RoundRobin => Engine::RoundRobin,
        };
        let known: Vec<&str> = engine.parameters().into_iter().map(|(name, _)| name).collect();
        match self.given().into_iter().find(|(name, _)| !known.contains(name)) {
            None => Ok(engine),
            Some((name, of)) => Err(Error::field(name, refusal(&engine, &known, of))),
        }
    }

    /// The options given, each with the engines that have it.
    fn given(&self) -> Vec<(&'static str, &'static str)> {
        let (hgsa, umda) = (&self.hgsa, &self.umda);
        let annealer = "--engine hgsa with annealing moves";
        let options = [
            ("exchange", "--engine auto and hgsa", self.exchange.is_some()),
            (
                "symmetry",
                "--engine auto, and hgsa with --neighbourhood search",
                self.symmetry.is_some(),
            ),
            ("neighbourhood", "--engine hgsa", hgsa.neighbourhood.is_some()),
            ("hot", annealer, hgsa.hot.is_some()),
            ("cold", annealer, hgsa.cold.is_some()),
            ("round", annealer, hgsa.round.is_some()),
            ("ladder", annealer, hgsa.ladder.is_some()),
            ("restart", annealer, hgsa.restart.is_some()),
            ("shortening", annealer, hgsa.shortening.is_some()),
            ("eject", "--engine hgsa with --neighbourhood focused", hgsa.eject.is_some()),
            ("swaps", annealer, hgsa.swaps.is_some()),
            ("child-mutation", annealer, hgsa.child_mutation.is_some()),
            ("mutated-share", annealer, hgsa.mutated_share.is_some()),
            ("longest", annealer, hgsa.longest.is_some()),
            ("radius", annealer, hgsa.radius.is_some()),
            ("population", "--engine umda", umda.population.is_some()),
            ("mutation", "--engine umda", umda.mutation.is_some()),
            ("mutated-genes", "--engine umda", umda.mutated_genes.is_some()),
            ("umda-radius", "--engine umda", umda.umda_radius.is_some()),
            ("injected", "--engine umda", umda.injected.is_some()),
            ("restart-after", "--engine umda", umda.restart_after.is_some()),
        ];
        options.into_iter().filter(|(.., is)| *is).map(|(name, of, _)| (name, of)).collect()
    }
}

/// Why an option is refused.
fn refusal(engine: &Engine, known: &[&str], of: &str) -> String {
    let moves = match engine {
        Engine::Hgsa(params) => format!(" with --neighbourhood {}", params.neighbourhood.name()),
        _ => String::new(),
    };
    let known = match known.is_empty() {
        true => "no such parameters".into(),
        false => format!("only {}", known.join(", ")),
    };
    format!("{}{moves} does not use it, and has {known}; {of} does", engine.name())
}

impl UmdaArgs {
    fn params(&self) -> umda::Params {
        let default = umda::Params::default();
        umda::Params {
            population: self.population.unwrap_or(default.population),
            mutation: self.mutation.unwrap_or(default.mutation),
            mutated_genes: self.mutated_genes,
            radius: self.umda_radius,
            injected: self.injected.unwrap_or(default.injected),
            restart_after: self.restart_after,
        }
    }
}

impl HgsaArgs {
    fn params(&self, exchange: Option<bool>, symmetry: Option<bool>) -> Result<hgsa::Params> {
        let default = hgsa::Params::new(match self.neighbourhood {
            Some(Neighbourhood::Search) => hgsa::Neighbourhood::Search,
            Some(Neighbourhood::Paper) => hgsa::Neighbourhood::Paper,
            Some(Neighbourhood::Focused) | None => hgsa::Neighbourhood::Focused,
        });
        let (hot, cold) = (self.hot.or(default.hot), self.cold.or(default.cold));
        if let (Some(hot), Some(cold)) = (hot, cold)
            && cold > hot
        {
            return Err(Error::field(
                "cold",
                format!(
                    "{cold} is above the temperature at the beginning, {hot}: cooling goes down"
                ),
            ));
        }
        let swap_share = self.swaps.unwrap_or(default.swap_share);
        if self.eject == Some(true) && swap_share > 0.0 {
            return Err(Error::field(
                "swaps",
                format!("{swap_share} of the moves cannot be swaps with --eject true; leave one"),
            ));
        }
        Ok(hgsa::Params {
            hot,
            cold,
            eject: self.eject,
            round: self.round,
            symmetry: symmetry.unwrap_or(default.symmetry),
            exchange,
            radius: self.radius.unwrap_or(default.radius),
            ladder: self.ladder.unwrap_or(default.ladder),
            restart: match self.restart {
                Some(Restart::Kept) => Some(hgsa::Restart::Kept),
                Some(Restart::Fresh) => Some(hgsa::Restart::Fresh),
                None => default.restart,
            },
            shortening: match self.shortening {
                Some(Shortening::Always) => hgsa::Shortening::Always,
                Some(Shortening::Paper) => hgsa::Shortening::Paper,
                Some(Shortening::Off) => hgsa::Shortening::Off,
                None => default.shortening,
            },
            swap_share,
            child_mutation: self.child_mutation.unwrap_or(default.child_mutation),
            mutated_share: self.mutated_share.unwrap_or(default.mutated_share),
            most_longest: self.longest.unwrap_or(default.most_longest),
            neighbourhood: default.neighbourhood,
            stride: default.stride,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;
    use crate::problem::{Collective, Request};
    use clap::Parser;

    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(flatten)]
        engine: EngineArgs,
    }

    fn engine(words: &str) -> Result<Engine> {
        Line::try_parse_from(words.split_whitespace()).unwrap().engine.engine()
    }

    /// The defaults in the help are those of the library.
    #[test]
    fn defaults_are_as_the_help_says() {
        let hgsa = hgsa::Params::default();
        let paper = hgsa::Params::new(hgsa::Neighbourhood::Paper);
        for (collective, ends, focused, restart) in [
            (Collective::Aas, (0.2, 0.1), 100, hgsa::Restart::Kept),
            (Collective::Oab, (0.4, 0.15), 20, hgsa::Restart::Fresh),
            (Collective::Aab, (0.8, 0.3), 20, hgsa::Restart::Fresh),
        ] {
            let network = spec::parse("ring:4").unwrap();
            let problem = Request::new(collective).pose(network, vec![]).unwrap();
            let (cooling, of_paper) = (hgsa.cooling(&problem), paper.cooling(&problem));
            assert_eq!(((cooling.hot, cooling.cold), cooling.first_round), (ends, focused));
            assert_eq!((of_paper.hot, of_paper.cold, of_paper.first_round), (0.8, 0.12, 500));
            assert_eq!(hgsa.ejects(&problem), collective == Collective::Aas);
            assert!(!paper.ejects(&problem));
            assert_eq!(hgsa.restart(&problem), restart);
        }
        assert_eq!((hgsa.swap_share, hgsa.radius, hgsa.most_longest), (0.0, 1, 16));
        assert_eq!((hgsa.child_mutation, hgsa.mutated_share), (0.5, 0.01));
        assert_eq!((hgsa.ladder, hgsa.shortening), (true, hgsa::Shortening::Always));
        let umda = umda::Params::default();
        assert_eq!((umda.population, umda.mutation, umda.injected), (60, 0.9, 0.05));
        assert_eq!(engine("").unwrap(), Engine::default());
        assert_eq!(engine("--engine hgsa").unwrap(), Engine::Hgsa(hgsa));
        assert_eq!(engine("--engine umda").unwrap(), Engine::Umda(umda));
    }

    #[test]
    fn options_of_another_engine_are_refused() {
        for (words, what) in [
            ("--hot 5", "hot: auto does not use it"),
            ("--engine umda --exchange true", "exchange: umda does not use it"),
            ("--engine hgsa --population 20", "population: hgsa with --neighbourhood focused"),
            (
                "--engine hgsa --neighbourhood search --hot 5",
                "hot: hgsa with --neighbourhood search",
            ),
            (
                "--engine hgsa --neighbourhood paper --eject false",
                "eject: hgsa with --neighbourhood paper",
            ),
            ("--engine hgsa --eject true --swaps 0.1", "swaps: 0.1 of the moves"),
            ("--engine liquid --symmetry false", "symmetry: liquid does not use it"),
            ("--neighbourhood paper", "neighbourhood: auto does not use it"),
        ] {
            let why = engine(words).unwrap_err().to_string();
            assert!(why.starts_with(what), "{words}: {why}");
        }
        assert!(engine("--engine hgsa --hot 5 --exchange false").is_ok());
        assert!(engine("--symmetry false --exchange true").is_ok());
    }
}
