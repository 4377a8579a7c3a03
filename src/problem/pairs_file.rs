//! Traffic from a CSV file: `source,destination[,bytes][,count]`, one line for every pair. If the
//! first line has these names, columns may be in any order, and either of `bytes` and `count` may
//! be missing. Pairs of 0 bytes are no messages. Lines that start with `#` are comments.

use super::Pair;
use crate::{Error, Result, input};
use csv::StringRecord;
use std::path::Path;

/// The columns, in their order if a file does not name them.
const COLUMNS: [&str; 4] = ["source", "destination", "bytes", "count"];

/// What is wrong with a name, if anything.
type Known<'a> = &'a dyn Fn(&str) -> Result<(), String>;

/// Reads a file; `known` says what is wrong with a name.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read(path: &Path, known: Known<'_>) -> Result<Vec<Pair>> {
    let text = input::text(path)?;
    let wrong = |(line, why)| Error::File { path: path.to_path_buf(), line, why };
    parse(&text, known).map_err(wrong)
}

/// The rows of a text, without comments.
pub(super) fn rows(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes())
}

/// Parses the text of a file; mistakes come with their line.
fn parse(text: &str, known: Known<'_>) -> Result<Vec<Pair>, (usize, String)> {
    let mut reader = rows(text);
    let mut places: Option<[Option<usize>; 4]> = None;
    let mut pairs = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| {
            let line = e.position().map_or(1, csv::Position::line);
            (line as usize, e.to_string())
        })?;
        let line = record.position().map_or(1, |position| line_of(text, position));
        let at = |why: String| (line, why);
        let before = pairs.len();
        match &places {
            None => {
                let named = named(&record).map_err(at)?;
                places = Some(named.unwrap_or([Some(0), Some(1), Some(2), Some(3)]));
                if named.is_none() {
                    pairs.push(pair(&record, &[Some(0), Some(1), Some(2), Some(3)]).map_err(at)?);
                }
            }
            Some(places) => pairs.push(pair(&record, places).map_err(at)?),
        }
        for name in pairs[before..].iter().flat_map(|pair| [&pair.source, &pair.destination]) {
            known(name).map_err(at)?;
        }
    }
    if pairs.is_empty() {
        return Err((1, "the file has no pairs; a line is source,destination".into()));
    }
    pairs.retain(|pair| pair.bytes != Some(0));
    match pairs.is_empty() {
        true => Err((1, "the file has no messages: all have 0 bytes".into())),
        false => Ok(pairs),
    }
}

/// The line of a record: its position is the end of the record before, ahead of blank lines and
/// comments.
pub(super) fn line_of(text: &str, position: &csv::Position) -> usize {
    let rest = text.get(position.byte() as usize..).unwrap_or("");
    let skipped = rest.lines().take_while(|l| l.trim().is_empty() || l.starts_with('#')).count();
    position.line() as usize + skipped
}

/// The place of every column, if the line names columns.
fn named(record: &StringRecord) -> Result<Option<[Option<usize>; 4]>, String> {
    let place = |name: &str| record.iter().position(|field| field == name);
    let places = COLUMNS.map(place);
    if places[0].is_none() || places[1].is_none() {
        return Ok(None);
    }
    match record.iter().find(|field| !COLUMNS.contains(field)) {
        Some(other) => Err(format!("unknown column '{other}'; known: {}", COLUMNS.join(", "))),
        None => Ok(Some(places)),
    }
}

fn pair(record: &StringRecord, places: &[Option<usize>; 4]) -> Result<Pair, String> {
    let columns = places.iter().flatten().max().map_or(0, |last| last + 1);
    if record.len() > columns {
        return Err(format!("{} fields; a line is {}", record.len(), COLUMNS.join(",")));
    }
    let field = |i: usize| places[i].and_then(|at| record.get(at)).filter(|f| !f.is_empty());
    let vertex = |i: usize| {
        let missing = || format!("no {}; a line is source,destination[,bytes][,count]", COLUMNS[i]);
        field(i).map(String::from).ok_or_else(missing)
    };
    let bytes = match field(2).map(str::parse::<u64>) {
        None => None,
        Some(Ok(bytes)) => Some(bytes),
        Some(Err(_)) => return Err("bytes must be a whole number from 0".into()),
    };
    let count = match field(3).map(str::parse::<u32>) {
        None => 1,
        Some(Ok(count)) if count > 0 => count,
        Some(_) => return Err("count must be a whole number from 1".into()),
    };
    Ok(Pair { source: vertex(0)?, destination: vertex(1)?, bytes, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_all(text: &str) -> Result<Vec<Pair>, (usize, String)> {
        parse(text, &|name| if name == "gone" { Err("it is faulty".into()) } else { Ok(()) })
    }

    fn one(source: &str, destination: &str, bytes: Option<u64>, count: u32) -> Pair {
        Pair { source: source.into(), destination: destination.into(), bytes, count }
    }

    #[test]
    fn columns_have_an_order_or_names() {
        let pairs = parse_all("# a comment line\na, b\na,c,64\nb,c,,3\n").unwrap();
        let right = [one("a", "b", None, 1), one("a", "c", Some(64), 1), one("b", "c", None, 3)];
        assert_eq!(pairs, right);
        let pairs = parse_all("count,destination,source\n2,b,a\n,c,a\n").unwrap();
        assert_eq!(pairs, [one("a", "b", None, 2), one("a", "c", None, 1)]);
    }

    #[test]
    fn mistakes_have_their_line() {
        let line_of = |text: &str| parse_all(text).unwrap_err();
        assert_eq!(line_of("a,b\nb\n").0, 2);
        assert_eq!(line_of("# c\na,b\n\nb,gone\n"), (4, "it is faulty".into()));
        assert_eq!(line_of("gone,b\n").0, 1);
        assert_eq!(line_of("a,b\n\na,b,many\n").0, 3);
        assert_eq!(line_of("a,b,1,0\n").0, 1);
        assert_eq!(line_of("a,b,1,1,1\n").0, 1);
        assert!(line_of("source,destination,length\n").1.contains("unknown column 'length'"));
        assert!(line_of("source,destination\n").1.contains("no pair"));
        assert!(line_of("").1.contains("no pair"));
    }
}
