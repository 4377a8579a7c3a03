//! What is meant by a flag or a subcommand that does not exist: words of other programs, the beginning
//! of a name, a typo, an option of another subcommand. No flag is named that the line would not be
//! taken with: a tip that leads to a second error is worse than none.

use super::face;
use clap::error::ErrorKind;
use clap::{Arg, Command, Error, error::ContextKind, error::ContextValue};

/// Flags of other programs, and those that mean the same here. The first that a subcommand has is meant.
const FLAGS: &[(&[&str], &[&str])] = &[
    (&["time", "timeout", "max-time", "limit", "walltime", "seconds"], &["time-limit"]),
    (
        &[
            "threads",
            "jobs",
            "workers",
            "cores",
            "procs",
            "processes",
            "ntasks",
            "np",
            "n",
            "parallel",
        ],
        &["islands"],
    ),
    (&["root", "src", "from-node"], &["source"]),
    (&["format", "type"], &["to"]),
    (&["out", "outfile", "output-file", "save", "write"], &["output"]),
    (&["network", "graph", "topo", "net", "file"], &["topology"]),
    (&["coll", "operation", "op", "pattern"], &["collective"]),
    (&["algorithm", "solver", "method", "optimizer"], &["engine"]),
    (&["destination", "destinations", "dest", "dst", "targets"], &["receivers"]),
    (&["sources", "roots"], &["senders", "source"]),
    (&["hostfile", "hosts", "host", "hostlist", "nodelist", "machinefile"], &["host-list"]),
    (&["bandwidth", "rate", "speed", "link-speed", "link-bandwidth"], &["link-rate"]),
    (&["latency"], &["delay", "t0"]),
    (&["alpha", "startup"], &["t0"]),
    (&["beta", "byte-time"], &["t1"]),
    (&["size", "message-size", "msg-size", "length", "message-length"], &["bytes"]),
    (&["chunks", "chunk", "segments"], &["pieces"]),
    (&["faults", "broken", "broken-link"], &["fail"]),
    (&["broken-node", "fail-host", "fail-vertex", "fail-router"], &["fail"]),
    (&["max-steps", "target"], &["steps"]),
    (&["iters", "max-iterations", "max-iter", "generations"], &["iterations"]),
    (&["random-seed", "rng-seed"], &["seed"]),
    (&["silent"], &["quiet"]),
    (&["debug"], &["verbose"]),
    (&["init", "initial", "warm-start", "start"], &["from"]),
    (&["flow-control", "switch", "mode"], &["switching"]),
    (&["route", "paths"], &["routing"]),
    (&["max-memory", "mem", "ram"], &["memory"]),
    (&["params", "parameter", "option"], &["set"]),
];

/// Subcommands of other programs, and those that mean the same here.
const SUBCOMMANDS: &[(&[&str], &str)] = &[
    (&["design", "schedule", "run", "search", "optimize", "optimise", "find"], "solve"),
    (&["draw", "plot", "view", "print", "display", "svg", "html", "paths"], "show"),
    (&["check", "validate", "test"], "verify"),
    (&["convert", "write"], "export"),
    (&["read", "load"], "import"),
    (&["completions", "completion", "man", "manpages"], "generate"),
    (&["network", "describe", "info", "graph", "families", "list"], "topology"),
    (&["bounds", "lower-bound", "lower"], "bound"),
    (&["routing", "route"], "routes"),
    (&["fix", "update"], "repair"),
    (&["bench", "benchmark"], "compare"),
    (&["fail", "reliability", "book"], "faults"),
    (&["tune", "preload"], "deploy"),
];

/// A subcommand by another name, or one whose name it begins.
pub fn subcommand<'c>(command: &'c Command, word: &str) -> Option<&'c str> {
    let word = word.to_lowercase();
    let known = |name: &str| command.find_subcommand(name).map(Command::get_name);
    let by_habit = SUBCOMMANDS.iter().find(|(words, _)| words.contains(&&*word));
    by_habit.and_then(|(_, name)| known(name)).or_else(|| {
        let mut names = command.get_subcommands().map(Command::get_name);
        let longer = names.find(|name| word.len() > 2 && name.starts_with(&*word));
        longer.or_else(|| names_near(&word, command.get_subcommands().map(Command::get_name)))
    })
}

/// The subcommand that the words of a line lead to, and how many words its name has.
fn reached<'c>(program: &'c Command, words: &[String]) -> Vec<&'c Command> {
    let mut path = vec![program];
    for word in words {
        match path.last().and_then(|command| command.find_subcommand(word)) {
            Some(next) => path.push(next),
            None if word.starts_with('-') => continue,
            None => break,
        }
    }
    path
}

/// The flag that is meant by `--word`, without its dashes: of the subcommand of the line.
pub fn flag(program: &Command, words: &[String], word: &str) -> Option<String> {
    let typed = word.trim_start_matches('-').to_lowercase().replace('_', "-");
    let path = reached(program, words);
    let command = path.last()?;
    let is_known = |arg: &&Arg| !arg.is_hide_set() || arg.get_long().is_some_and(face::is_below);
    let own = || command.get_arguments().chain(program.get_arguments()).filter(is_known);
    let names = || own().flat_map(names_of);
    let by_habit = FLAGS.iter().filter(|(words, _)| words.contains(&&*typed));
    let by_habit = by_habit.flat_map(|(_, meant)| meant.iter().copied());
    let longer =
        names().filter(|name| name.strip_prefix(&*typed).is_some_and(|rest| rest.starts_with('-')));
    let candidates = by_habit.filter(|meant| names().any(|name| name == *meant)).chain(longer);
    let candidates = candidates.chain(names_near(&typed, names())).map(String::from);
    candidates.into_iter().find(|meant| is_taken(program, words, word, meant))
}

/// The other subcommands of the program that have this flag.
pub fn of_another(program: &Command, words: &[String], word: &str) -> Option<String> {
    let typed = word.strip_prefix("--")?;
    let own = reached(program, words).last()?.get_name();
    let has = |command: &&Command| {
        let shown = |arg: &&Arg| !arg.is_hide_set();
        command.get_name() != own
            && command.get_arguments().filter(shown).flat_map(names_of).any(|name| name == typed)
    };
    let others: Vec<&str> = program.get_subcommands().filter(has).map(Command::get_name).collect();
    let few = others.len() <= 4;
    (!others.is_empty() && few).then(|| {
        let program = program.get_name();
        format!("{word} is an option of: {program} {}", others.join(&format!(", {program} ")))
    })
}

/// The long names of an option.
fn names_of(arg: &Arg) -> impl Iterator<Item = &str> {
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    arg.get_long().into_iter().chain(aliases)
}

/// Whether an option has this flag, long or short.
pub fn has(arg: &Arg, flag: &str) -> bool {
    let short = arg.get_short().is_some_and(|short| flag == format!("-{short}"));
    short || flag.strip_prefix("--").is_some_and(|long| names_of(arg).any(|name| name == long))
}

/// The known name with a typo at most in three letters.
fn names_near<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let most = word.chars().count() / 3;
    let off = known.map(|name| (strsim::damerau_levenshtein(word, name), name));
    off.filter(|&(off, _)| off <= most).min_by_key(|&(off, _)| off).map(|(_, name)| name)
}

/// Whether the line is taken with this flag in place of the wrong one: the flag and its value are,
/// whatever else is wrong.
fn is_taken(program: &Command, words: &[String], wrong: &str, flag: &str) -> bool {
    let is_wrong = |word: &&String| word.split('=').next() == Some(wrong);
    let Some(place) = words.iter().position(|word| is_wrong(&word)) else { return false };
    let mut line = words.to_vec();
    line[place] = words[place].replacen(wrong, &format!("--{flag}"), 1);
    let value = line.get(place + 1).cloned();
    let line = std::iter::once(program.get_name().to_string()).chain(line);
    let Err(error) = program.clone().try_get_matches_from(line) else { return true };
    let Some(at) = invalid(&error) else { return true };
    let own = format!("--{flag}");
    at.split_whitespace().next() != Some(&own) && Some(&at) != value.as_ref()
}

/// The word that an error is about.
pub fn invalid(error: &Error) -> Option<String> {
    let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    kinds.into_iter().filter_map(|kind| error.get(kind)).find_map(|value| match value {
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    })
}

/// Whether an error is about a word that the program does not know.
pub fn is_unknown(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand)
}
