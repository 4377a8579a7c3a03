//! The options as users write them. Options of one subject are one: `--read one-way,uplinks=2`,
//! `--cost t0=2`, `--set islands:every=5`. Each word of such an option stands for an option of its own
//! below, which the parser knows and help leaves out; a line names the newer spelling where it is typed.

use super::renamed;
use ccsched_model::problem::{Collective, Permutation};
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// An option that stands for others: a row for each of its words.
struct Row {
    /// The option.
    option: &'static str,
    /// The word, before the `=` of its value.
    word: &'static str,
    /// The option below.
    below: &'static str,
    /// Its value.
    value: Value,
}

/// The value of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// It has none.
    None,
    /// One without a comma.
    One,
    /// A list, with commas between.
    List,
}

const fn value(option: &'static str, word: &'static str, below: &'static str) -> Row {
    Row { option, word, below, value: Value::One }
}

const fn flag(option: &'static str, word: &'static str, below: &'static str) -> Row {
    Row { option, word, below, value: Value::None }
}

const ROWS: &[Row] = &[
    flag("read", "one-way", "one-way"),
    flag("read", "two-way", "two-way"),
    flag("read", "equal-links", "equal-links"),
    flag("read", "separate-cables", "separate-cables"),
    value("read", "uplinks", "uplinks"),
    value("read", "local-width", "local-width"),
    Row { option: "read", word: "terminals", below: "terminals", value: Value::List },
    value("cost", "t0", "t0"),
    value("cost", "tr", "tr"),
    value("cost", "t1", "t1"),
    value("cost", "rate", "link-rate"),
    value("cost", "hop-energy", "e-hop"),
    value("set islands:", "every", "exchange-every"),
    value("set islands:", "group", "exchange-group"),
    value("set islands:", "graph", "islands-graph"),
    value("set islands:", "migrants", "migrants"),
    value("set islands:", "choice", "migration"),
];

/// What other options below are written as.
const OTHERS: &[(&str, &str)] = &[
    ("pairs", "--traffic FILE"),
    ("matrix", "--traffic FILE"),
    ("permutation", "--traffic NAME"),
    ("piece-bytes", "--pieces 64K"),
    ("timed", "--minimize timed"),
    ("parts", "-c all-reduce-whole"),
    ("place", "--host-list best:N"),
    ("rank-file", "--export rank-file=FILE"),
    ("trace", "--progress csv=FILE"),
    ("checkpoint-every", "--checkpoint FILE,TIME"),
    ("resume", "--checkpoint FILE"),
    ("fail-link", "--fail A-B"),
    ("fail-node", "--fail VERTEX"),
];

/// Whether help leaves out an option because another one stands for it.
pub fn is_below(option: &str) -> bool {
    newer(option).is_some()
}

/// An option as it is written now.
pub fn spelled(option: &str) -> String {
    newer(option).unwrap_or_else(|| format!("--{option}"))
}

/// How an option below is written.
fn newer(option: &str) -> Option<String> {
    let row = ROWS.iter().find(|row| row.below == option);
    let of_row = row.map(|row| {
        let value = if row.value == Value::None { "" } else { "=.." };
        format!("--{}{}{}{value}", row.option, space(row.option), row.word)
    });
    let other = || OTHERS.iter().find(|(below, _)| *below == option);
    of_row.or_else(|| other().map(|(_, newer)| (*newer).to_string()))
}

/// Options below that were written by the options above: errors name these.
static WRITTEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A text with options as they were written.
pub fn as_written(text: &str) -> String {
    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, from) = rest.split_at(at);
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let name = &from[2..2 + from[2..].find(|c| !is_name(c)).unwrap_or(from.len() - 2)];
        out.push_str(before);
        match newer(name).filter(|_| written.contains(name)) {
            // Without the place of its value.
            Some(newer) => {
                let is_word = |word: &&str| word.starts_with('-') || !is_value(word);
                let words: Vec<&str> = newer.split(' ').take_while(is_word).collect();
                out.push_str(words.join(" ").trim_end_matches("=.."));
            }
            None => {
                out.push_str("--");
                out.push_str(name);
            }
        }
        rest = &from[2 + name.len()..];
    }
    out + rest
}

/// An error of the parser with options as they were written.
pub fn written(error: clap::Error) -> clap::Error {
    let text = error.to_string();
    let new = as_written(&text);
    let is_help = error.exit_code() == 0 || new == text;
    if is_help { error } else { clap::Error::raw(error.kind(), new.trim_start_matches("error: ")) }
}

/// Whether a word of a spelling stands for a value: FILE, A-B, 64K.
fn is_value(word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_lowercase())
}

/// The line of words that the parser knows, and a line on each older spelling in it.
///
/// # Errors
/// A word that its option does not have, with those that it has.
pub fn lowered(line: Vec<OsString>) -> Result<(Vec<OsString>, Vec<String>), clap::Error> {
    let wrong = |why| clap::Error::raw(clap::error::ErrorKind::InvalidValue, format!("{why}\n"));
    let is_typed: HashSet<OsString> = line.iter().cloned().collect();
    let is_resumed = line.iter().any(|word| word == "--resume");
    let (line, told) =
        renamed::renewed(&line).map_or((line, None), |(line, told)| (line, Some(told)));
    let (mut out, mut told) = (Vec::<OsString>::new(), Vec::from_iter(told));
    let mut words = line.into_iter();
    // The name of the program.
    out.extend(words.next());
    while let Some(word) = words.next() {
        if word == "--" {
            out.push(word);
            break;
        }
        let Some(text) = word.to_str().and_then(|text| text.strip_prefix('-')) else {
            out.push(word);
            continue;
        };
        let long = text.strip_prefix('-');
        let (name, joined) = match long.unwrap_or(text).split_once('=') {
            Some((name, value)) if long.is_some() => (name, Some(value.to_string())),
            _ => (long.unwrap_or(text), None),
        };
        // The ranks of a replay have places of another kind.
        let is_other = name == "place" && out.iter().any(|word| word == "replay");
        if long.is_some()
            && let Some(newer) = newer(name).filter(|_| !is_other)
        {
            told.push(format!("--{name} is now written {newer}"));
        }
        let takes = |name: &str| match (long, name) {
            (None, name) => name == "c",
            (Some(_), name) => TAKEN.contains(&name),
        };
        if !takes(name) {
            out.push(word);
            continue;
        }
        let name = if long.is_some() { name.to_string() } else { "collective".into() };
        let is_joined = joined.is_some();
        let Some(given) = joined.map(OsString::from).or_else(|| words.next()) else {
            out.push(word);
            continue;
        };
        match given.to_str().map(|given| below(&name, given)).transpose().map_err(wrong)?.flatten()
        {
            Some(below) if name == "checkpoint" && is_resumed => {
                let words = below.into_iter().take_while(|word| word != "--resume");
                out.extend(words.map(OsString::from));
            }
            Some(below) => out.extend(below.into_iter().map(OsString::from)),
            None => {
                out.push(word);
                out.extend((!is_joined).then_some(given));
            }
        }
    }
    out.extend(words);
    note_written(&out, &is_typed);
    Ok((out, told))
}

/// Notes the options that older spellings stand for: errors name the spelling of the line.
fn note_written(out: &[OsString], is_typed: &HashSet<OsString>) {
    let below =
        out.iter().filter(|&word| !is_typed.contains(word)).filter_map(|word| word.to_str());
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    written.extend(below.filter_map(|word| word.strip_prefix("--")).map(String::from));
    if out.iter().any(|word| word == "--fail") {
        written.extend(["fail-link", "fail-node"].map(String::from));
    }
}

/// What is told of older spellings once there is a log.
static OLDER: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps lines on older spellings.
pub fn hear(lines: Vec<String>) {
    *OLDER.lock().unwrap_or_else(PoisonError::into_inner) = lines;
}

/// Logs them.
pub fn tell() {
    for line in OLDER.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // Commands that are quiet by nature tell of their names.
        let level = if line.starts_with('-') { log::Level::Info } else { log::Level::Warn };
        log::log!(level, "{line}; the older spelling goes after the next release");
    }
}

/// Options that may stand for others.
const TAKEN: &[&str] = &[
    "read",
    "cost",
    "set",
    "traffic",
    "pieces",
    "minimize",
    "collective",
    "host-list",
    "export",
    "progress",
    "checkpoint",
];

/// The words below of an option with this value; none if it is known below itself.
fn below(option: &str, given: &str) -> Result<Option<Vec<String>>, String> {
    let two = |name: &str, value: &str| Some(vec![format!("--{name}"), value.to_string()]);
    Ok(match option {
        "read" | "cost" => Some(of_rows(option, given)?),
        "set" => match given.strip_prefix("islands:") {
            Some(rest) => Some(of_rows("set islands:", rest)?),
            None => None,
        },
        "traffic" => two(kind(given), given),
        "pieces" if given.ends_with(|c: char| c.is_ascii_alphabetic()) && given != "auto" => {
            two("piece-bytes", given)
        }
        "minimize" if given == "timed" => Some(vec!["--timed".into()]),
        "collective" if WHOLE.contains(&given) => {
            Some(["--collective", "all-reduce", "--parts", "1"].map(String::from).to_vec())
        }
        "host-list" => given.strip_prefix("best:").map(|best| match best.split_once(':') {
            Some((number, hosts)) => {
                ["--host-list", hosts, "--place", number].map(String::from).to_vec()
            }
            None => vec!["--place".into(), best.into()],
        }),
        "export" => given.strip_prefix("rank-file=").and_then(|file| two("rank-file", file)),
        "progress" => given.strip_prefix("csv=").and_then(|file| two("trace", file)),
        "checkpoint" => Some(checkpoint(given)),
        _ => None,
    })
}

/// Names of the all-reduce of the whole vector in one message.
const WHOLE: [&str; 2] = ["all-reduce-whole", "allreduce-whole"];

/// The words below of `key=value,key,..`.
fn of_rows(option: &str, given: &str) -> Result<Vec<String>, String> {
    let rows = || ROWS.iter().filter(|row| row.option == option);
    let find = |item: &str| {
        let word = item.split('=').next().unwrap_or_default();
        rows().find(|row| row.word == word)
    };
    // Where a value is a list, a word of the option begins the next item.
    let is_list = |item: &str| find(item).is_some_and(|row| row.value == Value::List);
    let mut items: Vec<String> = Vec::new();
    for part in given.split(',') {
        match items.last_mut() {
            Some(last) if find(part).is_none() && is_list(last) => {
                last.push(',');
                last.push_str(part);
            }
            _ => items.push(part.into()),
        }
    }
    let mut words = Vec::new();
    for item in &items {
        let row = find(item).ok_or_else(|| {
            let known: Vec<&str> = rows().map(|row| row.word).collect();
            format!("--{option}{}{item}: it has {}", space(option), known.join(", "))
        })?;
        let value = item.split_once('=').map(|(_, value)| value);
        let wrong = |why: String| Err(format!("--{option}{}{item}: {why}", space(option)));
        match (row.value, value) {
            (Value::None, None) => words.push(format!("--{}", row.below)),
            (Value::None, Some(_)) => return wrong(format!("{} has no value", row.word)),
            (_, Some(value)) if !value.is_empty() => {
                words.extend([format!("--{}", row.below), value.to_string()]);
            }
            _ => return wrong(format!("write {}=VALUE", row.word)),
        }
    }
    Ok(words)
}

fn space(option: &str) -> &'static str {
    if option.ends_with(':') { "" } else { " " }
}

/// Which option below reads a traffic: names of permutations, files by their content.
fn kind(given: &str) -> &'static str {
    if given.parse::<Permutation>().is_ok() && !Path::new(given).exists() {
        return "permutation";
    }
    let text = std::fs::read_to_string(given).unwrap_or_default();
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    if begin.starts_with("%%MatrixMarket") {
        return "matrix";
    }
    let is_sign = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let of_line = |line| str::split(line, is_sign).filter(|cell| !cell.is_empty()).collect();
    let is_data = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let rows: Vec<Vec<&str>> = begin.lines().filter(is_data).map(of_line).collect();
    let first = rows.first().and_then(|row| row.first()).copied().unwrap_or_default();
    if first.parse::<Collective>().is_ok() || ["collective", "operation"].contains(&first) {
        return "group";
    }
    // A row of a matrix has a cell for each rank, besides names; of at most four ranks it might be one of
    // pairs, and what a rank sends to itself tells.
    let number = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit());
    let has_head = rows.first().is_some_and(|row| !row.iter().any(|cell| number(cell)));
    let body = if has_head { &rows[1..] } else { &rows[..] };
    let names = usize::from(body.iter().all(|row| row.first().is_some_and(|cell| !number(cell))));
    let ranks = body.len();
    let is_square = ranks > 1 && body.iter().all(|row| row.len() == ranks + names);
    let to_itself = |(rank, row): (usize, &Vec<&str>)| ["0", "-", "."].contains(&row[rank + names]);
    // Several sources or destinations have another sign between them than cells.
    let has_several =
        begin.lines().filter(is_data).any(|line| line.contains(',') && line.contains(';'));
    match is_square && !has_several && (ranks > 4 || body.iter().enumerate().all(to_itself)) {
        true => "matrix",
        false => "pairs",
    }
}

/// `FILE` or `FILE,60s`, with which a search resumes from the file where it is there.
fn checkpoint(given: &str) -> Vec<String> {
    let every = given.rsplit_once(',').filter(|(_, time)| super::numbers::seconds(time).is_ok());
    let (file, time) = every.map_or((given, None), |(file, time)| (file, Some(time)));
    let mut words = vec!["--checkpoint".to_string(), file.to_string()];
    words.extend(time.into_iter().flat_map(|time| ["--checkpoint-every".into(), time.into()]));
    if every.is_some() && Path::new(file).is_file() {
        words.extend(["--resume".into(), file.into()]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn low(line: &str) -> Result<String, String> {
        let words = line.split(' ').map(OsString::from).collect();
        let (words, _) = lowered(words).map_err(|error| error.to_string())?;
        Ok(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn words_of_an_option_are_options_below() {
        for (line, wanted) in [
            ("x --read one-way,uplinks=2", "x --one-way --uplinks 2"),
            ("x --read=terminals=n[1-4],h*,two-way -q", "x --terminals n[1-4],h* --two-way -q"),
            ("x --cost t0=2,rate=100Gbit/s", "x --t0 2 --link-rate 100Gbit/s"),
            ("x --set islands:every=5,graph=ring", "x --exchange-every 5 --islands-graph ring"),
            ("x --set hgsa:hot=0.3", "x --set hgsa:hot=0.3"),
            ("x --traffic shift:3", "x --permutation shift:3"),
            ("x --traffic nothing.csv", "x --pairs nothing.csv"),
            (
                "x --pieces 64K --pieces auto --pieces 4",
                "x --piece-bytes 64K --pieces auto --pieces 4",
            ),
            ("x --minimize timed", "x --timed"),
            ("x --minimize time", "x --minimize time"),
            ("x -c all-reduce-whole", "x --collective all-reduce --parts 1"),
            ("x --host-list best:4", "x --place 4"),
            ("x --host-list best:4:n[1-9]", "x --host-list n[1-9] --place 4"),
            ("x --export rank-file=r --progress csv=t", "x --rank-file r --trace t"),
            ("x --checkpoint none.bin,5s", "x --checkpoint none.bin --checkpoint-every 5s"),
            ("x --checkpoint a,b", "x --checkpoint a,b"),
            ("x -c aab --set=hgsa:hot=1", "x -c aab --set=hgsa:hot=1"),
            ("x -- --read one-way", "x -- --read one-way"),
            ("x --read", "x --read"),
        ] {
            assert_eq!(low(line).as_deref(), Ok(wanted), "{line}");
        }
        for (line, part) in [
            ("x --read one-way,uplink=2", "--read uplink=2: it has one-way, "),
            ("x --read one-way=1", "--read one-way=1: one-way has no value"),
            ("x --cost t0", "--cost t0: write t0=VALUE"),
            ("x --set islands:often=1", "--set islands:often=1: it has every, "),
        ] {
            let why = low(line).unwrap_err();
            assert!(why.contains(part), "{line}: {why}");
        }
    }

    #[test]
    fn traffic_is_told_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        for (text, wanted) in [
            ("0,1,64K\n1,2,3\n", "pairs"),
            ("src,dst,bytes\na,b,1\n", "pairs"),
            ("a b\nb c\n", "pairs"),
            ("0,1,64\n1,2,64\n2,0,64\n", "pairs"),
            ("0;1;2,3,64K\n0;1;3,2,64K\n0;2;3,1,64K\n1;2;3,0,64K\n0;4;1,2,1K\n", "pairs"),
            ("0 5\n5 0\n", "matrix"),
            ("0 4 4 4\n4 0 4 4\n4 4 0 4\n4 4 4 0\n", "matrix"),
            ("%%MatrixMarket matrix coordinate\n3 3 1\n1 2 5\n", "matrix"),
            (",a,b,c,d\na,0,1,1,1\nb,1,0,1,1\nc,1,1,0,1\nd,1,1,1,0\n", "matrix"),
            ("# rows\nalltoall n[1-4]\nbroadcast n5,n6\n", "group"),
            ("collective;members\nalltoall;n[1-4]\n", "group"),
        ] {
            let path = folder.path().join("traffic");
            std::fs::write(&path, text).unwrap();
            assert_eq!(kind(path.to_str().unwrap()), wanted, "{text}");
        }
    }

    #[test]
    fn errors_name_options_as_they_were_written() {
        low("x --cost t0=1 --read one-way --traffic shift:3").unwrap();
        let text = "'x' for '--t0 <US>'; --one-way and --permutation, not --t1, nor --";
        let wanted = "'x' for '--cost t0 <US>'; --read one-way and --traffic, not --t1, nor --";
        assert_eq!(as_written(text), wanted);
    }
}
