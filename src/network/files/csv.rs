//! CSV files of links: `from,to[,capacity][,count]`, with commas, semicolons or tabs. A first line
//! with these names may order the columns in any way; columns of other names are left out.

use super::Source;
use super::lines::{full, short};
use super::looks;
use super::mistake::{Wrong, wrong};
use super::plain::{Plain, Way, capacity};
use crate::Result;
use crate::network::{MAX_CAPACITY, Network};
use ::csv::{Position, ReaderBuilder, StringRecord, Trim};
use std::borrow::Cow;

/// The names of the columns: from, to, capacity, parallel links.
const COLUMNS: [&[&str]; 4] = [
    &["from", "source", "src", "u", "node1"],
    &["to", "target", "destination", "dst", "v", "node2"],
    &["capacity", "width", "weight"],
    &["count", "links", "cables"],
];

/// The columns of a file that does not name them.
const PLAIN: [Option<usize>; 4] = [Some(0), Some(1), Some(2), None];

/// Whether the first line has two fields or more.
pub fn recognises(text: &str) -> bool {
    let Some(first) = full(text, &['#', '%']).next() else { return false };
    let begins = !first.starts_with(['{', '[', '<', '(']);
    // A grid of Graph Golf: `0,0 1,0`.
    let is_pair = |word: &str| {
        word.split_once(',')
            .is_some_and(|(x, y)| x.parse::<u64>().is_ok() && y.parse::<u64>().is_ok())
    };
    let grid = first.split_whitespace().count() >= 2 && first.split_whitespace().all(is_pair);
    begins && !grid && !first.ends_with('}') && !first.contains('=') && delimiter(first).is_some()
}

/// The sign between the fields.
fn delimiter(line: &str) -> Option<u8> {
    [b',', b';', b'\t'].into_iter().find(|&sign| line.contains(char::from(sign)))
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let text = source.text;
    let first = full(text, &['#', '%']).next().unwrap_or("");
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(if text.trim_start().starts_with('%') { b'%' } else { b'#' }))
        .delimiter(delimiter(first).unwrap_or(b','))
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let mut graph = Plain::default();
    let mut places: Option<[Option<usize>; 4]> = None;
    let mut of_type = None;
    let mut record = StringRecord::new();
    loop {
        let before = reader.position().byte() as usize;
        let at = before + blank(&text[before.min(text.len())..]);
        match reader.read_record(&mut record) {
            Ok(true) => (),
            Ok(false) => break,
            Err(e) => {
                let at = e.position().map_or(at, |place: &Position| place.byte() as usize);
                return wrong(at, e.to_string());
            }
        }
        if record.iter().all(str::is_empty) {
            continue;
        }
        let columns = match places {
            Some(columns) => columns,
            None => {
                let named = named(&record, at)?;
                let columns = *places.insert(named.unwrap_or(PLAIN));
                if named.is_some() {
                    header(&mut graph, &record, at, source);
                    of_type = record.iter().position(|field| field.eq_ignore_ascii_case("type"));
                    continue;
                }
                columns
            }
        };
        match of_type.and_then(|i| record.get(i)).map(str::to_lowercase).as_deref() {
            Some("directed") => graph.says_directed(at, || "Type=Directed".into()),
            None | Some("undirected" | "") => (),
            Some(_) => graph.unused("links", at, "type"),
        }
        // Without a line of names nothing says what further fields are.
        if columns == PLAIN && record.iter().skip(3).any(|field| !field.is_empty()) {
            graph.unused("links", at, "the 4th field of a line");
        }
        row(&mut graph, &record, columns, at, source.how.equal_links)?;
    }
    graph.tell_numbers(&source.notices);
    graph.build(source.name(), source)
}

/// Tells what is made of the columns that are not ours.
fn header(graph: &mut Plain, record: &StringRecord, at: usize, source: &Source) {
    for field in record.iter().filter(|field| !field.is_empty()) {
        let name = field.to_lowercase();
        if name == "weight" && !source.how.equal_links {
            source.notices.add("weight", at, || {
                "the column 'weight' is taken as capacities, messages a step; `equal_links` ignores it"
                    .into()
            });
        }
        if name != "type" && !COLUMNS.iter().any(|names| names.contains(&name.as_str())) {
            graph.unused("links", at, field);
        }
    }
}

/// The bytes of blank lines and comments before a record.
fn blank(rest: &str) -> usize {
    let skipped = rest.split_inclusive('\n').take_while(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with(['#', '%'])
    });
    skipped.map(str::len).sum()
}

/// The places of the columns, if the record is a line of their names.
fn named(record: &StringRecord, at: usize) -> Result<Option<[Option<usize>; 4]>, Wrong> {
    let mut places = [None; 4];
    for (i, field) in record.iter().enumerate() {
        let field = field.to_lowercase();
        let column = COLUMNS.iter().position(|names| names.contains(&field.as_str()));
        if let Some(column) = column
            && places[column].replace(i).is_some()
        {
            return wrong(at, format!("a second column '{}'", short(&field)));
        }
    }
    match places {
        [Some(_), Some(_), ..] => Ok(Some(places)),
        [None, None, None, None] => Ok(None),
        _ if record.len() == 2 => Ok(None),
        _ => wrong(at, "the first line names columns, but not both 'from' and 'to'"),
    }
}

/// Adds the links of a line.
fn row(
    graph: &mut Plain,
    record: &StringRecord,
    columns: [Option<usize>; 4],
    at: usize,
    equal: bool,
) -> Result<(), Wrong> {
    let field = |column: usize| {
        columns[column].and_then(|i| record.get(i)).filter(|field| !field.is_empty())
    };
    let (Some(from), Some(to)) = (field(0), field(1)) else {
        return wrong(at, "a line needs two vertices: from,to");
    };
    for name in [from, to] {
        looks::name(name).map_err(|why| Wrong { at, why })?;
    }
    let width = field(2).map_or(Ok(1), |text| capacity(at, text, equal))?;
    let count = match field(3).map(|text| (text, text.parse::<u32>())) {
        None => 1,
        Some((_, Ok(count))) if (1..=MAX_CAPACITY).contains(&count) => count,
        Some((text, _)) => {
            let why = format!("'{}': links are counted from 1 to {MAX_CAPACITY}", short(text));
            return wrong(at, why);
        }
    };
    let [from, to] = [from, to].map(|name| match graph.find(name) {
        Some(v) => v,
        None => graph.vertex(Cow::Owned(name.to_string())),
    });
    graph.will_have(count.into(), at)?;
    graph.edge(from, to, Way::Listed, width, count);
    Ok(())
}
