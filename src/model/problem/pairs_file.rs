//! Traffic from a table of `source,destination[,bytes][,count]`, one line for every pair. A first line with
//! these names, or others of their meaning, may order the columns in any way, and either of `bytes` and `count`
//! may be missing. Pairs of 0 bytes are no messages, and what a terminal has for itself stays where it is.
//! A message for several destinations names them all: `0,4;5;6,64K`. So does a sum of contributions of several
//! sources, for one destination: `4;5;6,0,64K`.

use super::names::Names;
use super::{Collective, Group, Pair, hosts};
use ccsched_base::limits::MESSAGES;
use ccsched_base::table::{self, Row, Sign, Table, Wrong, short};
use ccsched_base::{Error, Result, input};
use ccsched_network::files::Notices;
use std::collections::BTreeMap;
use std::path::Path;

/// The columns, in their order if a file does not name them.
const COLUMNS: [&[&str]; 4] = [table::FROM, table::TO, table::LENGTH, table::COUNT];

/// A line of a file.
const LINE: &str = "source,destination[,bytes][,count]";

/// The columns of a file that does not name them.
const PLAIN: [Option<usize>; 4] = [Some(0), Some(1), Some(2), Some(3)];

/// The messages of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Listed {
    /// Each has one destination.
    Pairs(Vec<Pair>),
    /// Some have several, or several sources: each message is a broadcast, a scatter to one, or a reduction, of a
    /// group of its own.
    Groups(Vec<Group>),
}

/// Reads a file of messages with one destination each; what is left out is noted.
///
/// # Errors
/// As [`read_listed`]; a message for several destinations, or a sum of several sources.
pub fn read(path: &Path, names: &Names, notices: &Notices) -> Result<Vec<Pair>> {
    match read_listed(path, names, notices)? {
        Listed::Pairs(pairs) => Ok(pairs),
        Listed::Groups(_) => {
            let why =
                "a message has several destinations or sources, and one of each is needed here";
            Err(Error::field("traffic", format!("{}: {why}", path.display())))
        }
    }
}

/// Reads a file; what is left out is noted.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read_listed(path: &Path, names: &Names, notices: &Notices) -> Result<Listed> {
    let text = input::table(path)?;
    let told = |at, kind, why| notices.add_in((path, table::line(&text, at)), kind, || why);
    parse(&text, names, &told).map_err(|(at, why)| Error::File {
        path: path.to_path_buf(),
        line: table::line(&text, at),
        why,
    })
}

/// The messages of a source for all of its destinations as one: a neighbour all-gather.
///
/// # Errors
/// A source whose messages have different lengths, or several for one destination.
pub fn by_source(pairs: &[Pair]) -> Result<Vec<Group>> {
    let mut of_source: BTreeMap<&str, (Option<u64>, Vec<String>)> = BTreeMap::new();
    for pair in pairs {
        let Pair { source, destination, bytes, count } = pair;
        let wrong = |why: &str| Err(Error::field("traffic", format!("'{source}': {why}")));
        let (length, all) = of_source.entry(source).or_insert((*bytes, vec![source.clone()]));
        if length != bytes {
            return wrong(
                "in a neighbour all-gather all destinations get one message, of one length",
            );
        }
        if *count > 1 || all.contains(destination) {
            return wrong("in a neighbour all-gather each destination is named once");
        }
        all.push(destination.clone());
    }
    let group = |(source, (bytes, members)): (&str, (Option<u64>, Vec<String>))| Group {
        collective: Collective::Oab,
        members,
        root: Some(source.into()),
        bytes,
    };
    Ok(of_source.into_iter().map(group).collect())
}

/// The messages, as groups if one of them has several destinations or sources.
fn listed(entries: Vec<Entry>) -> Result<Listed, Wrong> {
    let some = |side: fn(&Entry) -> &Vec<String>| entries.iter().any(|e| !side(e).is_empty());
    let (spreads, adds) = (some(|entry| &entry.more), some(|entry| &entry.others));
    if !spreads && !adds {
        return Ok(Listed::Pairs(entries.into_iter().map(|entry| entry.pair).collect()));
    }
    // What has one source and one destination is one of the others, or of both.
    let of_one = match (spreads, adds) {
        (true, true) => Collective::Oab,
        (false, true) => Collective::Reduce,
        (_, false) => Collective::Oas,
    };
    let mut groups = Vec::new();
    for Entry { at, pair: Pair { source, destination, bytes, count }, more, others } in entries {
        let collective = match (more.is_empty(), others.is_empty()) {
            (true, true) => of_one,
            (false, _) => Collective::Oab,
            (true, false) => Collective::Reduce,
        };
        if groups.len() + count as usize > MESSAGES {
            return Err((at, format!("there are more than {MESSAGES} messages")));
        }
        let (first, second) = match collective.is_reduction() {
            true => (destination, source),
            false => (source, destination),
        };
        let root = Some(first.clone());
        let members = [first, second].into_iter().chain(more).chain(others).collect();
        let group = Group { collective, members, root, bytes };
        groups.extend(std::iter::repeat_n(group, count as usize));
    }
    Ok(Listed::Groups(groups))
}

/// A line: its first pair, and further destinations of the message, or further sources of the sum.
struct Entry {
    at: usize,
    pair: Pair,
    more: Vec<String>,
    others: Vec<String>,
}

/// Notes what is left out: its place, kind and words.
type Told<'a> = &'a dyn Fn(usize, &'static str, String);

/// Parses the text of a file.
fn parse(text: &str, names: &Names, told: Told) -> Result<Listed, Wrong> {
    if super::matrix_file::is_market(text) {
        return Err((0, "this is a matrix of Matrix Market; give it as a matrix".into()));
    }
    let mut table = Table::new(text);
    if let Some(sign) = other_sign(text, table.sign(), names)? {
        table = Table::with_sign(text, sign);
    }
    let mut row = Row::default();
    let mut columns: Option<([Option<usize>; 4], usize)> = None;
    let mut pairs = Vec::new();
    while table.next(&mut row)? {
        if row.is_empty() {
            continue;
        }
        let at = |why: String| (row.at, why);
        let is_first = columns.is_none();
        let (places, width) = match columns {
            Some(columns) => columns,
            None => match header(&row, names).map_err(at)? {
                Some(places) => {
                    columns = Some((places, row.cells.len()));
                    continue;
                }
                None => *columns.insert((PLAIN, PLAIN.len())),
            },
        };
        let entry = entry(&row, (places, width), names).map_err(|why| {
            let is_odd = is_first && row.cell(0).is_some_and(|name| names.terminal(name).is_err());
            let hint = format!("; if this line names columns, these are {LINE}");
            at(why + if is_odd { &hint } else { "" })
        })?;
        if entry.pair.source == entry.pair.destination {
            let why = format!("a pair from '{}' to itself is left out", short(&entry.pair.source));
            told(row.at, "itself", why);
        } else {
            pairs.push(entry);
        }
    }
    if columns.is_none() || pairs.is_empty() {
        return Err((0, format!("the file has no pairs of two terminals; a line is {LINE}")));
    }
    pairs.retain(|entry| entry.pair.bytes != Some(0));
    match pairs.is_empty() {
        true => Err((0, "the file has no messages: all have 0 bytes".into())),
        false => listed(pairs),
    }
}

/// The sign between cells where semicolons are those between several sources or destinations: a first line of
/// cells with semicolons is none of two vertices and numbers, but one of cells with another sign is.
///
/// # Errors
/// A first line that is a message either way: `4;5,0`.
fn other_sign(text: &str, sign: Sign, names: &Names) -> Result<Option<Sign>, Wrong> {
    // The place of a first line that fits, and whether it begins with one vertex.
    let fits = |sign: &Sign| {
        let (mut table, mut row) = (Table::with_sign(text, *sign), Row::default());
        // A quote may end elsewhere by the other sign.
        while table.next(&mut row).unwrap_or(false) {
            if !row.is_empty() {
                let is_one = |cell: &str| names.terminal(cell).is_ok();
                let begins_with_one = row.cell(0).is_some_and(is_one);
                return is_message(&row, names, is_one).then_some((row.at, begins_with_one));
            }
        }
        None
    };
    if sign != Sign::One(';') {
        return Ok(None);
    }
    let comma = Sign::One(',');
    match (fits(&sign), fits(&comma)) {
        (Some((_, false)), Some(_)) => Ok(Some(comma)),
        (Some((at, true)), Some(_)) => Err((
            at,
            "either semicolons or commas may stand between the cells here; put several sources or \
             destinations in quotes: \"4;5\",0 or 4,\"5;0\""
                .into(),
        )),
        (Some(_), None) => Ok(None),
        (None, _) => {
            let others = [comma, Sign::One('\t'), Sign::Blanks];
            Ok(others.into_iter().find(|sign| fits(sign).is_some()))
        }
    }
}

/// Whether a line has two cells of vertices, each one or several, and numbers behind them.
fn is_message(row: &Row, names: &Names, is_one: impl Fn(&str) -> bool) -> bool {
    let is_known = |name: &str| is_one(name.trim()) || vertices(name, names).is_ok();
    let are_vertices =
        |place| row.cell(place).is_some_and(|cell| is_one(cell) || cell.split(SIGNS).all(is_known));
    let is_number = |cell: &str| table::is_nothing(cell) || table::bytes(cell).is_ok();
    are_vertices(0)
        && are_vertices(1)
        && (2..row.cells.len()).filter_map(|i| row.cell(i)).all(is_number)
}

/// The place of every column, if the line names columns. Vertices may have such names, too: a line of two
/// vertices that has no words behind them is a pair.
fn header(row: &Row, names: &Names) -> Result<Option<[Option<usize>; 4]>, String> {
    let is_pair = is_message(row, names, |name| names.vertex(name).is_some());
    let places = table::named(row, COLUMNS);
    if is_pair || places.as_ref().is_ok_and(|places| *places == [None; 4]) {
        return Ok(None);
    }
    let places = places?;
    if let [Some(_), Some(_), ..] = places {
        let is_ours = |i: &usize| places.contains(&Some(*i)) || row.cell(*i).is_none();
        return match (0..row.cells.len()).find(|i| !is_ours(i)) {
            // It may be the length, by a name that is not known here.
            Some(other) => Err(format!(
                "unknown column '{}'; known: source, destination, bytes, count (or without a name: it is left out)",
                short(&row.cells[other])
            )),
            None => Ok(Some(places)),
        };
    }
    Err("the first line names columns, but not both source and destination".into())
}

/// The signs between several destinations.
const SIGNS: [char; 3] = [';', ',', '+'];

/// The vertices of a cell: one, or several with semicolons or commas between, in Slurm's notation and as ranges of
/// ranks too.
fn vertices(cell: &str, names: &Names) -> Result<Vec<String>, String> {
    let one = names.terminal(cell);
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit()) && !word.is_empty();
    let is_range = cell.split_once('-').is_some_and(|(a, b)| is_number(a) && is_number(b));
    if one.is_ok() || !cell.contains(SIGNS) && !cell.contains('[') && !is_range {
        return one.map(|v| vec![names.name(v)]);
    }
    let words: Vec<&str> = cell.split(SIGNS).map(str::trim).collect();
    if let Some(twice) = (1..words.len()).find(|&i| words[..i].contains(&words[i])) {
        return Err(format!("'{}' is named twice", words[twice]));
    }
    let all = hosts::members(names, &words.join(","))?;
    Ok(all.into_iter().map(|v| names.name(v)).collect())
}

/// The sources and the destinations of a line. What a vertex has for itself stays where it is.
fn both_ends(source: &str, destination: &str, names: &Names) -> Result<[Vec<String>; 2], String> {
    let mut sources = vertices(source, names)?;
    let mut destinations = vertices(destination, names)?;
    match (&mut sources[..], &mut destinations[..]) {
        ([source], [_, _, ..]) => {
            let source = source.clone();
            destinations.retain(|name| *name != source);
        }
        ([_, _, ..], [destination]) => {
            let destination = destination.clone();
            sources.retain(|name| *name != destination);
        }
        ([_, _, ..], [_, _, ..]) => {
            return Err(format!(
                "several sources and several destinations: a message of one source may have several \
                 destinations, a sum of several sources has one ({LINE})"
            ));
        }
        _ => {}
    }
    Ok([sources, destinations])
}

/// The message of a line.
fn entry(
    row: &Row,
    (places, width): ([Option<usize>; 4], usize),
    names: &Names,
) -> Result<Entry, String> {
    if row.filled() > width {
        return Err(format!("{} fields; a line is {LINE}", row.filled()));
    }
    let cell = |i: usize, what: &str| {
        let missing = || format!("no {what}; a line is {LINE}");
        places[i].and_then(|at| row.cell(at)).ok_or_else(missing)
    };
    let ends = both_ends(cell(0, "source")?, cell(1, "destination")?, names)?;
    let [mut sources, mut destinations] = ends.map(Vec::into_iter);
    let first = |ends: &mut std::vec::IntoIter<String>| ends.next().unwrap_or_default();
    let number =
        |i: usize| places[i].and_then(|at| row.cell(at)).filter(|cell| !table::is_nothing(cell));
    let pair = Pair {
        source: first(&mut sources),
        destination: first(&mut destinations),
        bytes: number(2).map(table::bytes).transpose()?,
        count: number(3).map_or(Ok(1), |cell| {
            table::count(cell, u32::MAX).map_err(|why| format!("{why}, the number of messages"))
        })?,
    };
    Ok(Entry { at: row.at, pair, more: destinations.collect(), others: sources.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::{Network, NetworkBuilder};
    use std::cell::Cell;

    fn points(names: &[&str]) -> Network {
        let mut net = NetworkBuilder::new("points");
        names.iter().for_each(|name| {
            net.terminal(*name);
        });
        net.build().unwrap()
    }

    /// `a>b:bytes x count` of each pair, and the number of those left out.
    fn read(text: &str, terminals: &[&str]) -> Result<(String, usize), (usize, String)> {
        let net = points(terminals);
        let gone = |name: &str| (name == "gone").then(|| "it is faulty".to_string());
        let names = Names::new(&net, net.terminals().collect(), &gone);
        let left_out = Cell::new(0);
        let told = |_, _, _| left_out.set(left_out.get() + 1);
        let listed =
            parse(text, &names, &told).map_err(|(at, why)| (table::line(text, at), why))?;
        let Listed::Pairs(pairs) = listed else { panic!("several destinations") };
        let short = |p: &Pair| {
            let bytes = p.bytes.map_or("-".into(), |bytes| bytes.to_string());
            format!("{}>{}:{bytes}x{}", p.source, p.destination, p.count)
        };
        Ok((pairs.iter().map(short).collect::<Vec<_>>().join(" "), left_out.get()))
    }

    const ABC: &[&str] = &["a", "b", "c"];

    #[test]
    fn one_traffic_has_many_spellings() {
        let right = "a>b:-x1 a>c:65536x1 b>c:-x3";
        for text in [
            "# a comment line\na, b\na,c,64K\nb,c,,3\n",
            "\u{feff}a;b;\r\na;c;65536;\r\n;;;\r\nb;c;;3\r\n",
            "src\tdst\tbytes\tcount\na\tb\nb\tb\t9\na\tc\t64KiB\nb\tc\t\t3\n",
            "a b\n\n% x\na c 6.5536e4\nb c NA 3.0\n",
            "count,Destination,source,Message Size\n,b,a\n1,c,a,64k\n3,c,b,-\n",
            "sep=;\nsender;receiver;size;messages\n\"a\";b\na;\"c\";64K\nb;c;;3\n",
            ",from,to,len,number\n0,a,b,nan,1\n1,a,c,65536.0,\n2,b,c,,3\n",
            "0,1\n0,2,64K\n1,2,,3",
        ] {
            let found = read(text, ABC).unwrap();
            assert_eq!(found.0, right, "{text:?}");
            assert_eq!(found.1, usize::from(text.contains("b\tb")), "{text:?}");
        }
        // Where vertices have the names of columns, or numbers.
        assert_eq!(read("u,v\n", &["u", "v"]).unwrap().0, "u>v:-x1");
        assert_eq!(read("u,v,bytes\nv,u,0\nu,v,7\n", &["u", "v"]).unwrap().0, "u>v:7x1");
        assert_eq!(read("1 2\n", &["1", "2"]).unwrap().0, "1>2:-x1");
    }

    #[test]
    fn a_message_may_have_several_destinations() {
        let net = points(&["a", "b", "c", "d"]);
        let names = Names::new(&net, net.terminals().collect(), &|_| None);
        let read = |text| parse(text, &names, &|_, _, _| ());
        for text in
            ["a,b;c,64\nd,a\n", "a;\"b,c\";64\nd;a\n", "a b;c;a 64\nd a\n", "0,1+2,64\n3,0\n"]
        {
            let Ok(Listed::Groups(groups)) = read(text) else { panic!("{text}") };
            let said = |g: &Group| format!("{} {} {:?}", g.collective, g.members.join(""), g.bytes);
            let all: Vec<String> = groups.iter().map(said).collect();
            assert_eq!(all, ["oab abc Some(64)", "oas da None"], "{text}");
        }
        let why = read("a,b;b\n").unwrap_err().1;
        assert!(why.contains("'b' is named twice"), "{why}");
        assert!(read("a,b;e\n").unwrap_err().1.contains("'e'"));
        let Ok(Listed::Pairs(pairs)) = read("a,b\na,c\nd,a\n") else { panic!() };
        let groups = by_source(&pairs).unwrap();
        assert_eq!(groups[0].members, ["a", "b", "c"]);
        assert_eq!(groups.len(), 2);
    }

    #[test]
    fn a_sum_may_have_several_sources() {
        let net = points(&["a", "b", "c", "d"]);
        let names = Names::new(&net, net.terminals().collect(), &|_| None);
        let read = |text| parse(text, &names, &|_, _, _| ());
        for (text, right) in [
            ("a;b,c,64\nd,a\n", "reduce cab Some(64), reduce ad None"),
            ("0+1;2;64\nd;a\n", "reduce cab Some(64), reduce ad None"),
            ("0-2 c 64\nd a\n", "reduce cab Some(64), reduce ad None"),
            ("a;b;d,c\nd,a\n", "reduce cabd None, reduce ad None"),
            ("c,a;b\na;b,c\n", "oab cab None, reduce cab None"),
            ("c,a;b;d\n", "oab cabd None"),
            ("to,from\nc,a;b;c\na,d\n", "reduce cab None, reduce ad None"),
            ("\"a;b\",c\nc,a;b\nd,a\n", "reduce cab None, oab cab None, oab da None"),
        ] {
            let Ok(Listed::Groups(groups)) = read(text) else { panic!("{text}") };
            let said = |g: &Group| format!("{} {} {:?}", g.collective, g.members.join(""), g.bytes);
            let all: Vec<String> = groups.iter().map(said).collect();
            assert_eq!(all.join(", "), right, "{text}");
        }
        for (text, part) in [
            ("a;b,c;d,7\n", "several sources and several destinations"),
            ("a;b,c\n", "put several sources or destinations in quotes"),
            ("a;b;a,c\n", "'a' is named twice"),
            ("a;e,c\n", "'e'"),
        ] {
            let why = read(text).unwrap_err().1;
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, line, part) in [
            ("a,b\nb\n", 2, "no destination"),
            ("# c\na,b\n\nb,gone\n", 4, "it is faulty"),
            ("gone,b\n", 1, "it is faulty; if this line names columns"),
            ("a,b\n\na,b,many\n", 3, "not a number of bytes"),
            ("a,b,-5\n", 1, "not a number of bytes"),
            ("a,b,1.5\n", 1, "no parts"),
            ("a,b,1,0\n", 1, "'0' is no whole number"),
            ("a,b,1,1,1\n", 1, "5 fields"),
            ("a,b\n0,7\n", 2, "no rank 7"),
            ("source,destination,latency\n", 1, "unknown column 'latency'"),
            ("source,target,dst\n", 1, "a second column 'dst'"),
            ("source,bytes\n", 1, "not both"),
            ("source,destination\n", 1, "no pairs"),
            ("", 1, "no pairs"),
            ("a,a\n", 1, "no pairs of two"),
            ("a,b,0\n", 1, "0 bytes"),
            ("a,b\n\"c,a\n", 2, "quote"),
            ("%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n", 1, "Matrix Market"),
        ] {
            let (at, why) = read(text, ABC).expect_err(text);
            assert!(at == line && why.contains(part), "{text}: {at}: {why}");
        }
        let from_one = read("1,2\n0,1\n", &["1", "2"]).unwrap_err();
        assert!(from_one.0 == 2 && from_one.1.contains("'0'"), "{from_one:?}");
    }
}
