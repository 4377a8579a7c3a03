//! Traffic from a matrix of bytes, rows to columns: a table, with or without names, or Matrix Market. Entries of
//! 0, and those on the diagonal, which stay at their rank, are no messages.
//!
//! Rows and columns are the ranks in their order. In a table the first line may name the columns, if one of its
//! cells is no number, its first cell is empty, or it has a cell less than the next line; then each row begins
//! with its name. A name is that of a vertex, or the number of a rank.

use super::Pair;
use super::names::Names;
use ccsched_base::limits::MESSAGES;
use ccsched_base::table::{self, Row, Table, Wrong};
use ccsched_base::{Error, Result, input};
use ccsched_network::VertexId;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The first word of Matrix Market.
const BANNER: &str = "%%MatrixMarket";

/// Bytes by row and column; without lengths the number of messages.
type Entries = BTreeMap<(usize, usize), u64>;

/// A matrix of messages.
struct Matrix {
    /// The vertices of rows and columns.
    ends: Vec<VertexId>,
    entries: Entries,
    /// Whether entries are bytes; those of a pattern are messages.
    has_lengths: bool,
}

/// Reads the file. Entries that are given twice are a mistake, unless they add up.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read(path: &Path, names: &Names, adds_up: bool) -> Result<Vec<Pair>> {
    let text = input::table(path)?;
    parse(&text, names, adds_up).map_err(|(at, why)| Error::File {
        path: path.to_path_buf(),
        line: table::line(&text, at),
        why,
    })
}

/// Whether a text is of Matrix Market.
pub(super) fn is_market(text: &str) -> bool {
    text.get(..BANNER.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(BANNER))
}

fn parse(text: &str, names: &Names, adds_up: bool) -> Result<Vec<Pair>, Wrong> {
    let reader = Reader { names, adds_up };
    let Matrix { ends, entries, has_lengths } = match is_market(text) {
        true => reader.market(text)?,
        false => reader.table(text)?,
    };
    let messages =
        entries.into_iter().filter(|&((row, column), number)| row != column && number > 0);
    let pair = |((row, column), number): ((usize, usize), u64)| {
        let [source, destination] = [row, column].map(|place| names.name(ends[place]));
        let (bytes, count) = match has_lengths {
            true => (Some(number), 1),
            false => (None, u32::try_from(number).unwrap_or(u32::MAX)),
        };
        Pair { source, destination, bytes, count }
    };
    let pairs: Vec<Pair> = messages.map(pair).collect();
    match pairs.len() {
        0 => Err((0, "the matrix has no message: all entries are 0 or on the diagonal".into())),
        many if many > MESSAGES => {
            Err((0, format!("the matrix has more than {MESSAGES} messages")))
        }
        _ => Ok(pairs),
    }
}

/// What a matrix is read for.
struct Reader<'r> {
    names: &'r Names<'r>,
    adds_up: bool,
}

impl Reader<'_> {
    /// Checks the size of a matrix without names.
    fn check(&self, rows: u64, columns: u64) -> Result<(), String> {
        let ranks = self.names.ranks().len();
        if (rows, columns) == (ranks as u64, ranks as u64) {
            return Ok(());
        }
        Err(format!(
            "the matrix is {rows} x {columns}, and {ranks} ranks take part: {ranks} x {ranks}"
        ))
    }

    fn put(&self, entries: &mut Entries, at: (usize, usize), bytes: u64) -> Result<(), String> {
        match entries.insert(at, bytes) {
            None => Ok(()),
            Some(before) if self.adds_up => {
                entries.insert(at, bytes.saturating_add(before));
                Ok(())
            }
            Some(_) => {
                let (row, column) = (at.0 + 1, at.1 + 1);
                Err(format!("row {row}, column {column} is given twice, and lengths do not add up"))
            }
        }
    }

    /// The vertices that a first line names.
    fn columns(&self, cells: &[Cow<str>]) -> Result<Vec<VertexId>, String> {
        let named: Result<Vec<_>, _> = cells.iter().map(|name| self.names.terminal(name)).collect();
        let named = named?;
        match (1..named.len()).find(|&i| named[..i].contains(&named[i])) {
            Some(twice) => Err(format!("'{}' names two columns", self.names.name(named[twice]))),
            None => Ok(named),
        }
    }

    /// A matrix in a table.
    fn table(&self, text: &str) -> Result<Matrix, Wrong> {
        let mut table = Table::new(text);
        let [mut row, mut next] = [(); 2].map(|()| Row::default());
        let mut named: Option<Vec<VertexId>> = None;
        let mut rows: Vec<bool> = vec![false; self.names.ranks().len()];
        let (mut given, mut last) = (0, 0);
        let mut entries = Entries::new();
        let mut more = table.next(&mut row)?;
        let mut is_first = true;
        while more {
            more = table.next(&mut next)?;
            let at = |why: String| (row.at, why);
            // Spreadsheets end rows, and files, with empty cells.
            let columns = named.as_ref().map_or(self.names.ranks().len(), Vec::len);
            let width = columns + usize::from(named.is_some());
            if !is_first && row.cells.len() > width {
                row.cells.truncate(row.filled().max(width));
            }
            if is_first && is_head(&row, &next) {
                row.cells.truncate(row.filled());
                let has_corner = next.filled() <= row.filled() || row.cell(0).is_none();
                let names = row.cells.get(usize::from(has_corner)..).unwrap_or_default();
                let columns = self.columns(names).map_err(at)?;
                rows = vec![false; columns.len()];
                named = Some(columns);
            } else if !(row.is_empty() && (named.is_some() || given >= columns)) {
                if is_first {
                    row.cells.truncate(row.filled().max(columns));
                }
                let place = match &named {
                    Some(columns) => {
                        let name = self.names.terminal(&row.cells.remove(0)).map_err(at)?;
                        columns.iter().position(|other| *other == name).ok_or_else(|| {
                            at(format!("'{}' names a row, and no column", self.names.name(name)))
                        })?
                    }
                    None => given,
                };
                if place >= columns {
                    let why =
                        format!("the matrix has more rows than the {columns} ranks that take part");
                    return Err(at(why));
                }
                if row.cells.len() != columns {
                    return Err(at(format!("{} entries in a row of {columns}", row.cells.len())));
                }
                if std::mem::replace(&mut rows[place], true) {
                    return Err(at("this row is given twice".into()));
                }
                (given, last) = (given + 1, row.at);
                for (column, cell) in row.cells.iter().enumerate() {
                    let bytes = if table::is_nothing(cell) { Ok(0) } else { table::bytes(cell) };
                    if let bytes @ 1.. = bytes.map_err(at)? {
                        self.put(&mut entries, (place, column), bytes).map_err(at)?;
                    }
                }
            }
            is_first = false;
            std::mem::swap(&mut row, &mut next);
        }
        if named.is_none() {
            let ranks = self.names.ranks().len() as u64;
            self.check(given as u64, ranks).map_err(|why| (last, why))?;
        }
        let ends = named.unwrap_or_else(|| self.names.ranks().to_vec());
        Ok(Matrix { ends, entries, has_lengths: true })
    }

    /// The entries of Matrix Market. Those of a pattern are messages without a length.
    fn market(&self, text: &str) -> Result<Matrix, Wrong> {
        let mut lines =
            text.lines().map(|line| (line.as_ptr() as usize - text.as_ptr() as usize, line));
        let (is_sparse, has_lengths, is_symmetric) =
            banner(lines.next().map_or("", |(_, line)| line)).map_err(|why| (0, why))?;
        let mut content =
            lines.filter(|(_, line)| !line.starts_with('%') && !line.trim().is_empty());
        let numbers = |(at, text): (usize, &str)| -> Result<(usize, Vec<u64>), Wrong> {
            let all: Result<Vec<u64>, String> = text.split_whitespace().map(table::bytes).collect();
            Ok((at, all.map_err(|why| (at, why))?))
        };
        let Some(size) = content.next() else {
            return Err((0, "there is no line of sizes".into()));
        };
        let (at, size) = numbers(size)?;
        let (rows, columns, count) = match (&size[..], is_sparse) {
            (&[rows, columns, count], true) => (rows, columns, count),
            (&[rows, columns], false) => (rows, columns, 0),
            _ => {
                return Err((
                    at,
                    "the sizes are rows, columns and, of coordinates, entries".into(),
                ));
            }
        };
        self.check(rows, columns).map_err(|why| (at, why))?;
        let n = rows as usize;
        let dense = (0..n).flat_map(|column| {
            (if is_symmetric { column } else { 0 }..n).map(move |row| (row, column))
        });
        let mut dense = if is_sparse { None } else { Some(dense) };
        let (mut entries, mut given, mut last) = (Entries::new(), 0, at);
        for entry in content {
            let (line, entry) = numbers(entry)?;
            last = line;
            let is_place = |row, column| (1..=rows).contains(row) && (1..=rows).contains(column);
            let (at, bytes) = match (&mut dense, &entry[..]) {
                (None, [row, column, bytes]) if has_lengths && is_place(row, column) => {
                    ((*row as usize - 1, *column as usize - 1), *bytes)
                }
                (None, [row, column]) if !has_lengths && is_place(row, column) => {
                    ((*row as usize - 1, *column as usize - 1), 1)
                }
                (Some(dense), &[bytes]) => match dense.next() {
                    Some(at) => (at, bytes),
                    None => return Err((line, "there are more entries than the sizes say".into())),
                },
                _ => {
                    let why = format!(
                        "an entry is row, column and bytes, from 1 to {rows}; of an array bytes, of a \
                         pattern row and column"
                    );
                    return Err((line, why));
                }
            };
            given += 1;
            let mirrored = (at.1, at.0);
            self.put(&mut entries, at, bytes).map_err(|why| (line, why))?;
            if is_symmetric && mirrored != at {
                self.put(&mut entries, mirrored, bytes).map_err(|why| (line, why))?;
            }
        }
        let is_short = dense.is_some_and(|mut dense| dense.next().is_some());
        if is_short || is_sparse && given != count {
            return Err((last, format!("{given} entries, and the sizes say other")));
        }
        Ok(Matrix { ends: self.names.ranks().to_vec(), entries, has_lengths })
    }
}

/// Whether the first line of a matrix names its columns. With blanks between cells nothing stands in the corner.
fn is_head(row: &Row, next: &Row) -> bool {
    // A wrong number is no name.
    let is_number = |cell: &Cow<str>| {
        table::is_nothing(cell) || table::bytes(cell).is_ok() || cell.parse::<f64>().is_ok()
    };
    let is_shorter = next.cells.len() == row.cells.len() + 1 && next.filled() == next.cells.len();
    !row.is_empty()
        && (row.cells[0].is_empty()
            || !row.cells.iter().all(is_number)
            || is_shorter && !next.cells[0].is_empty())
}

/// What the first line of Matrix Market says: whether entries have coordinates, lengths, and a mirror.
fn banner(line: &str) -> Result<(bool, bool, bool), String> {
    let line = line.to_ascii_lowercase();
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    match words[..] {
        [
            "matrix",
            form @ ("coordinate" | "array"),
            entry @ ("integer" | "real" | "pattern"),
            symmetry @ ("general" | "symmetric"),
        ] if (form, entry) != ("array", "pattern") => {
            Ok((form == "coordinate", entry != "pattern", symmetry == "symmetric"))
        }
        _ => Err(
            "a matrix of bytes is: matrix, coordinate or array, integer, real or (of coordinates) \
                  pattern, general or symmetric"
                .into(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::NetworkBuilder;

    type Found = Vec<(String, String, Option<u64>)>;

    fn pairs(text: &str, adds_up: bool) -> Result<Found, (usize, String)> {
        let mut net = NetworkBuilder::new("points");
        ["a", "b", "c"].iter().for_each(|name| _ = net.terminal(*name));
        let net = net.build().unwrap();
        let pairs = parse(text, &Names::of(&net), adds_up);
        let pairs = pairs.map_err(|(at, why)| (table::line(text, at), why))?;
        Ok(pairs.into_iter().map(|p| (p.source, p.destination, p.bytes)).collect())
    }

    #[test]
    fn all_notations_give_the_same_messages() {
        let right = [("a", "b", 5), ("a", "c", 7), ("c", "a", 1024)];
        let right: Vec<_> = right.map(|(a, b, n)| (a.to_string(), b.to_string(), Some(n))).into();
        let head = "%%MatrixMarket matrix";
        for text in [
            "9,5,7\n0,0,0\n1024,0,3\n".to_string(),
            "# bytes\n,a,b,c\na,0,5,7\n\nc,1024.0,,\n".into(),
            "from,c,0,1\n2,0,1024,0\na,7,0,5\n".into(),
            "\u{feff}9;5;7;\r\n;;;\r\n1K;-;3;\r\n;;;\r\n".into(),
            "  9  5 7\n\n0\t0 0\n% x\n1.024e3 NA 3\n".into(),
            "\ta\tb\tc\na\t\t5\t7\nb\t\t\t\nc\t1KiB\t\t\n".into(),
            "   a  b c\na  0  5 7\nb  0  0 0\nc 1K  0 -\n".into(),
            "  0 1 2\n0 0 5 7\n2 1K 0 0\n".into(),
            "0,5,7,\n0,0,,\n1024,0,3,\n".into(),
            format!("{head} coordinate integer general\n% bytes\n3 3 3\n1 2 5\n1 3 7\n3 1 1024\n"),
            format!("{head} array real general\n3 3\n0\n0\n1.024e3\n5\n0\n0\n7\n0\n8\n"),
        ] {
            // In the order of the file.
            let mut found = pairs(&text, false).unwrap();
            found.sort();
            assert_eq!(found, right, "{text}");
        }
        let both = format!("{head} coordinate integer symmetric\n3 3 1\n2 1 5\n");
        let both = pairs(&both, false).unwrap();
        assert_eq!(both.iter().map(|p| p.2).collect::<Vec<_>>(), [Some(5); 2]);
        let pattern =
            "%%matrixmarket MATRIX coordinate pattern general\r\n3 3 3\r\n1 2\r\n2 2\r\n3 1\r\n";
        let pattern = pairs(pattern, false).unwrap();
        assert_eq!(pattern, [("a", "b"), ("c", "a")].map(|(a, b)| (a.into(), b.into(), None)));
        let twice = format!("{head} coordinate integer general\n3 3 2\n1 2 5\n1 2 6\n");
        assert_eq!(pairs(&twice, true).unwrap()[0].2, Some(11));
        assert_eq!(pairs(&twice, false).unwrap_err().0, 4);
    }

    #[test]
    fn a_row_that_ends_with_an_empty_cell_names_no_columns() {
        let found = pairs("0;5;\n1;0;2\n;;\n", false).unwrap();
        assert_eq!(found.iter().map(|p| p.2).collect::<Vec<_>>(), [5, 1, 2].map(Some));
    }

    #[test]
    fn mistakes_have_their_line() {
        let head = "%%MatrixMarket matrix coordinate integer general\n";
        for (text, line, words) in [
            ("1,2\n3,4\n", 1, "2 entries in a row of 3"),
            ("0,1,1\n0,0,0\n", 2, "the matrix is 2 x 3, and 3 ranks"),
            ("0,1,1\n0,0,0\n0,0,0\n0,0,0\n", 4, "more rows"),
            ("0,1,1\n0,x,0\n", 2, "'x' is not a number of bytes"),
            ("0,1,-1\n", 1, "'-1' is not a number of bytes"),
            (",a,b\nd,0,1\n", 2, "no vertex 'd'"),
            (",a,b\nc,0,1\n", 2, "'c' names a row, and no column"),
            (",a,b\na,0,1\na,0,1\n", 3, "this row is given twice"),
            (",a,a\n", 1, "'a' names two columns"),
            ("", 1, "0 x 3"),
            ("4,0,0\n0,0,0\n0,0,0\n", 1, "no message"),
            ("%%MatrixMarket matrix coordinate complex general\n", 1, "integer, real or"),
            (&format!("{head}3 3 1\n4 1 5\n"), 3, "from 1 to 3"),
            (&format!("{head}3 3 2\n2 1 5\n"), 3, "1 entries"),
            (&format!("{head}4 3 2\n"), 2, "the matrix is 4 x 3"),
            (&format!("{head}3 3\n"), 2, "rows, columns"),
            ("%%MatrixMarket matrix array pattern general\n", 1, "of coordinates"),
            (
                &format!("{}3 3 1\n1 2 5\n", head.replace("integer", "pattern")),
                3,
                "of a pattern row",
            ),
            ("0,1,1\n0,0,0\n0,0.5,0\n", 3, "no parts"),
            ("0,1,1,\n0,0,0,2\n", 2, "4 entries"),
        ] {
            let (at, why) = pairs(text, false).unwrap_err();
            assert!(at == line && why.contains(words), "{text}: {at}: {why}");
        }
    }
}
