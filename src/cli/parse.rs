//! Reads the command line of a program: colours, the long version, and tips for what belongs to
//! another program or another place of the line.

use super::programs::{self, Optimizer};
use super::terminal::quoted;
use super::{face, logging, meant};
use ccsched_model::problem::Collective;
use ccsched_network::spec;
use clap::error::{ContextKind, ContextValue, ErrorKind};
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
    let (line, older) = face::lowered(line)?;
    face::hear(older);
    let words: Vec<String> =
        line.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let command = programs::dressed(P::command()).long_version(programs::version(mpi));
    let color = color(&words);
    logging::paint(color);
    let mut command = command.color(color);
    let matches = command.try_get_matches_from_mut(line);
    let parsed = matches.and_then(|matches| P::from_arg_matches(&matches));
    parsed.map_err(|error| face::written(with_tip(error, &command, &words)))
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

/// The error with the tips that help: those of clap go by the letters of a name alone.
fn with_tip(mut error: clap::Error, command: &Command, words: &[String]) -> clap::Error {
    let Some(word) = meant::invalid(&error).filter(|_| meant::is_unknown(&error)) else {
        return error;
    };
    for kind in
        [ContextKind::Suggested, ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand]
    {
        error.remove(kind);
    }
    let is_flag = word.starts_with('-');
    let (kind, tip) = if let Some(tip) = tip(command, words, &word) {
        (ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]))
    } else if let Some(flag) = meant::flag(command, words, &word).filter(|_| is_flag) {
        (ContextKind::SuggestedArg, ContextValue::String(face::spelled(&flag)))
    } else if let Some(tip) = meant::of_another(command, words, &word) {
        (ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]))
    } else if let Some(name) = meant::subcommand(command, &word)
        && error.kind() == ErrorKind::InvalidSubcommand
    {
        (ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![name.into()]))
    } else {
        return error;
    };
    error.insert(kind, tip);
    error
}

/// What is meant by a word that the command does not know, where the line needs more than another word.
fn tip(command: &Command, words: &[String], word: &str) -> Option<String> {
    let program = command.get_name();
    let others = programs::known();
    let mut others = others.iter().filter(|other| other.get_name() != program);
    if let Some(other) = others.find(|other| other.find_subcommand(word).is_some()) {
        return Some(format!("'{word}' is a subcommand of {0}: {0} {word}", other.get_name()));
    }
    #[cfg(not(feature = "commands"))]
    if TASKS.contains(&word) {
        return Some("this build only searches; make builds all subcommands".into());
    }
    if program == Optimizer::command().get_name() && RANKS.contains(&word) {
        return Some(format!("the launcher starts the ranks: mpirun -n 4 {program}"));
    }
    if word == "version" {
        return Some(format!("an option prints the version: {program} --version"));
    }
    let place = words.iter().position(|word| command.find_subcommand(word).is_some());
    let line = |first: &str, rest: &[&[String]]| {
        let rest = rest.iter().copied().flatten().map(|word| quoted(word));
        let all = std::iter::once(first.to_string()).chain(rest);
        format!("{program} {}", all.collect::<Vec<_>>().join(" "))
    };
    let first = words.first()?;
    if first.starts_with('-') && first.starts_with(word) {
        return match place {
            Some(place) => {
                let moved = line(&words[place], &[&words[..place], &words[place + 1..]]);
                Some(format!("options follow the subcommand: {moved}"))
            }
            None => {
                let solve = command.find_subcommand("solve")?;
                let has = |arg: &clap::Arg| meant::has(arg, word);
                let designs = line(solve.get_name(), &[words]);
                solve.get_arguments().any(has).then(|| format!("a subcommand is first: {designs}"))
            }
        };
    }
    if word.starts_with('-') {
        return None;
    }
    let (what, flag) = if spec::parse(word).is_ok() || Path::new(word).is_file() {
        ("network", "-t")
    } else {
        word.parse::<Collective>().ok()?;
        ("collective", "-c")
    };
    if place.is_some() || command.find_subcommand("solve").is_none() {
        return Some(format!("a {what} is an option: {flag} {}", quoted(word)));
    }
    let at = words.iter().position(|other| other == word)?;
    let option = [flag.to_string(), word.to_string()];
    let designs = line("solve", &[&words[..at], &option, &words[at + 1..]]);
    Some(format!("a {what} is an option: {designs}"))
}

/// Options of launchers and of the program on threads, which give a number of ranks.
const RANKS: [&str; 7] = ["-n", "-np", "--np", "--ranks", "--islands", "--threads", "--ntasks"];

/// Subcommands of `ccsched-mpi` that other builds have.
#[cfg(not(feature = "commands"))]
const TASKS: [&str; 4] = ["faults", "compare", "replay", "reproduce"];

#[cfg(all(test, feature = "commands"))]
mod tests {
    use super::*;
    use crate::commands::Companion;

    #[test]
    fn words_in_a_wrong_place_have_a_tip() {
        for (line, tip) in [
            ("ccsched solve ring:8", "a network is an option: -t ring:8"),
            (
                "ccsched all-to-all -t ring:8",
                "a collective is an option: ccsched solve -c all-to-all -t ring:8",
            ),
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
