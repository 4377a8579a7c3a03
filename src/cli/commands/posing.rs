//! What a command line of `solve` asks for, for front ends that are no command line: the words are
//! those of `ccsched solve`, so that every option has one name and one meaning.

use super::{Companion, bound};
use crate::{face, flagged};
use ccsched_bounds::Bound;
use ccsched_model::problem::Problem;
use ccsched_network::Network;
use ccsched_run::Options;
use clap::Parser;
use clap::error::ErrorKind;

/// A problem, and how to solve it.
#[derive(Clone, Debug)]
pub struct Posed {
    /// The problem.
    pub problem: Problem,
    /// The options, without a schedule to begin with, interrupt, and listener.
    pub options: Options,
    /// What the reader of the network did not use or had to guess.
    pub notices: Vec<String>,
}

/// Poses the problem of some options of `solve`. What they say about files to write is not heeded.
///
/// # Errors
/// A text for the user: unknown options, wrong input, more than one collective.
pub fn pose(words: &[String]) -> Result<Posed, String> {
    let solve = match parse("solve", words)? {
        Companion::Solve(solve) => solve,
        _ => unreachable!("the subcommand is solve"),
    };
    let posed = || {
        let (args, islands) = (&solve.args, solve.islands.map(usize::from));
        let mut options = Options { islands, ..args.options()? };
        options.engine.check(args.problem.switching(), options.islands())?;
        let [collective] = args.problem.collective.0[..] else {
            anyhow::bail!("--collective: name one");
        };
        let (network, faults) = args.problem.network()?;
        let problem = args.problem.request(collective, &network)?.pose(network, faults)?;
        options.form = args.form(&problem)?;
        Ok(Posed { problem, options, notices: args.problem.reading.notices() })
    };
    posed().map_err(|why: anyhow::Error| flagged(&why))
}

/// The network of some options of `topology`, and what its reader did not use or had to guess.
///
/// # Errors
/// A text for the user: unknown options, wrong input.
pub fn network(words: &[String]) -> Result<(Network, Vec<String>), String> {
    match parse("topology", words)? {
        Companion::Topology(args) => args.network().map_err(|why| flagged(&why)),
        _ => unreachable!("the subcommand is topology"),
    }
}

/// The words of `ccsched bound` about the bottleneck of a bound.
pub fn evidence(problem: &Problem, bound: &Bound) -> String {
    bound::describe(problem, bound.name, &bound.evidence)
}

/// The lower bounds in bytes, where messages have lengths: name, bytes, words about the bottleneck.
pub fn in_bytes(problem: &Problem) -> Vec<(&'static str, u64, String)> {
    bound::in_bytes(problem).into_iter().map(|row| (row.name, row.bytes, row.why)).collect()
}

/// Parses the words of a subcommand.
fn parse(subcommand: &str, words: &[String]) -> Result<Companion, String> {
    let words = ["ccsched", subcommand].into_iter().chain(words.iter().map(String::as_str));
    let (words, _) = face::lowered(words.map(Into::into).collect()).map_err(|e| e.to_string())?;
    Companion::try_parse_from(words).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => error.to_string(),
        _ => {
            // The first paragraphs say what is wrong; the last name the usage of the program.
            let text = error.to_string();
            let end = text.find("\n\nUsage:").or_else(|| text.find("\n\nFor more"));
            text[..end.unwrap_or(text.len())].trim_start_matches("error: ").to_string()
        }
    })
}
