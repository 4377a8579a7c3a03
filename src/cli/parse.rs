//! Reads the command line of a program: colours, the long version, and tips for what belongs to
//! another program or another place of the line.

use super::logging;
use super::programs::{self, Companion, Optimizer};
use crate::network::spec;
use crate::problem::Collective;
use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, Command, CommandFactory, Parser, ValueEnum};
use std::ffi::OsString;
use std::path::Path;

/// The command line, which begins with the name of the program; its colours hold from now on.
///
/// # Errors
/// Wrong words, with a tip if it is known what is meant; help and version are errors too.
pub fn parse<P: Parser>(
    line: impl IntoIterator<Item = OsString>,
    mpi: &str,
) -> Result<P, clap::Error> {
    let line: Vec<OsString> = line.into_iter().collect();
    let words: Vec<String> =
        line.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let command = programs::dressed(P::command()).long_version(programs::version(mpi));
    let color = color(&words);
    logging::paint(color);
    let mut command = command.color(color);
    let matches = command.try_get_matches_from_mut(line);
    let parsed = matches.and_then(|matches| P::from_arg_matches(&matches));
    parsed.map_err(|error| with_tip(error, &command, &words))
}

/// The choice of `--color`, which errors of the command line heed as well.
fn color(words: &[String]) -> ColorChoice {
    let flag = format!("--{}", programs::COLOR);
    let said = words.iter().enumerate().find_map(|(i, word)| {
        let rest = word.strip_prefix(&flag)?;
        rest.strip_prefix('=').or_else(|| words.get(i + 1).map(String::as_str))
    });
    said.and_then(|word| ColorChoice::from_str(word, false).ok()).unwrap_or(ColorChoice::Auto)
}

/// The error with a tip, if one is known.
fn with_tip(mut error: clap::Error, command: &Command, words: &[String]) -> clap::Error {
    let invalid = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].into_iter();
    let invalid = invalid.filter_map(|kind| error.get(kind)).find_map(|value| match value {
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    });
    if let Some(tip) = invalid.and_then(|word| tip(command, words, &word)) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// What is meant by a word that the command does not know.
fn tip(command: &Command, words: &[String], word: &str) -> Option<String> {
    let program = command.get_name();
    let others = [Companion::command(), Optimizer::command()];
    let mut others = others.iter().filter(|other| other.get_name() != program);
    if let Some(other) = others.find(|other| other.find_subcommand(word).is_some()) {
        return Some(format!("'{word}' is a subcommand of {0}: {0} {word}", other.get_name()));
    }
    if program == Optimizer::command().get_name() && ["-n", "-np"].contains(&word) {
        return Some(format!("the launcher starts the ranks: mpirun -n 4 {program}"));
    }
    let first = words.first()?;
    if first.starts_with('-') && first.starts_with(word) {
        let place = words.iter().position(|word| command.find_subcommand(word).is_some())?;
        let mut moved = vec![words[place].as_str()];
        moved.extend(words[..place].iter().chain(&words[place + 1..]).map(String::as_str));
        return Some(format!("options follow the subcommand: {program} {}", moved.join(" ")));
    }
    if word.starts_with('-') {
        None
    } else if spec::parse(word).is_ok() || Path::new(word).is_file() {
        Some(format!("a network is an option: -t {word}"))
    } else {
        word.parse::<Collective>().ok().map(|_| format!("a collective is an option: -c {word}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_a_wrong_place_have_a_tip() {
        for (line, tip) in [
            ("ccsched solve ring:8", "a network is an option: -t ring:8"),
            (
                "ccsched sweep -t ring:8",
                "'sweep' is a subcommand of ccsched-mpi: ccsched-mpi sweep",
            ),
            ("ccsched all-to-all -t ring:8", "a collective is an option: -c all-to-all"),
            ("ccsched replay", "'replay' is a subcommand of ccsched-mpi: ccsched-mpi replay"),
            ("ccsched-mpi verify x", "'verify' is a subcommand of ccsched: ccsched verify"),
            ("ccsched-mpi -n 4", "the launcher starts the ranks: mpirun -n 4 ccsched-mpi"),
            (
                "ccsched -t ring:8 solve -q",
                "options follow the subcommand: ccsched solve -t ring:8 -q",
            ),
        ] {
            let words: Vec<String> = line.split(' ').map(String::from).collect();
            let mut command = match words[0].as_str() {
                "ccsched" => Companion::command(),
                _ => Optimizer::command(),
            };
            let error = command.try_get_matches_from_mut(&words).unwrap_err();
            let said = with_tip(error, &command, &words[1..]).to_string();
            assert!(said.contains(tip), "{line}: {said}");
        }
    }

    #[test]
    fn a_choice_of_colors_is_heeded_before_the_line_is_read() {
        let choice = |line: &str| color(&line.split(' ').map(String::from).collect::<Vec<_>>());
        assert_eq!(choice("solve --color never -x"), ColorChoice::Never);
        assert_eq!(choice("solve --color=always"), ColorChoice::Always);
        assert_eq!(choice("solve --color"), ColorChoice::Auto);
        assert_eq!(choice("solve"), ColorChoice::Auto);
    }
}
