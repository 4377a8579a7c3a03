//! Traffic from a matrix of bytes, rows to columns: CSV, with or without names, or Matrix Market. Entries of
//! 0, and those on the diagonal, which stay at their rank, are no messages.
//!
//! Rows and columns are the ranks in their order. In CSV the first line may name the columns, if its first
//! cell is empty or one of its cells is no number; then each row begins with its name. A name is that of a
//! vertex, or the number of a rank.

use super::Pair;
use crate::limits::MESSAGES;
use crate::{Error, Result, input};
use std::collections::BTreeMap;
use std::path::Path;

/// The first line of Matrix Market.
const BANNER: &str = "%%MatrixMarket";

/// A mistake and its line.
type Mistake = (usize, String);

/// Bytes by row and column.
type Entries = BTreeMap<(usize, usize), u64>;

/// Reads the file for ranks of these names, which `known` names are to be vertices. Entries that are given
/// twice are a mistake, unless they add up.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read(
    path: &Path,
    ranks: &[String],
    adds_up: bool,
    known: &dyn Fn(&str) -> Result<(), String>,
) -> Result<Vec<Pair>> {
    let text = input::text(path)?;
    let wrong = |(line, why)| Error::File { path: path.to_path_buf(), line, why };
    parse(&text, ranks, adds_up, known).map_err(wrong)
}

fn parse(
    text: &str,
    ranks: &[String],
    adds_up: bool,
    known: &dyn Fn(&str) -> Result<(), String>,
) -> Result<Vec<Pair>, Mistake> {
    let reader = Reader { ranks, adds_up, known };
    let (names, entries) = match text.starts_with(BANNER) {
        true => (ranks.to_vec(), reader.market(text)?),
        false => reader.csv(text)?,
    };
    let messages = entries.into_iter().filter(|&((row, column), bytes)| row != column && bytes > 0);
    let pair = |((row, column), bytes): ((usize, usize), u64)| {
        let [source, destination] = [row, column].map(|place| names[place].clone());
        Pair { source, destination, bytes: Some(bytes), count: 1 }
    };
    let pairs: Vec<Pair> = messages.map(pair).collect();
    match pairs.len() {
        0 => Err((1, "the matrix has no message: all entries are 0 or on the diagonal".into())),
        many if many > MESSAGES => {
            Err((1, format!("the matrix has more than {MESSAGES} messages")))
        }
        _ => Ok(pairs),
    }
}

/// What a matrix is read for.
struct Reader<'r> {
    ranks: &'r [String],
    adds_up: bool,
    known: &'r dyn Fn(&str) -> Result<(), String>,
}

impl Reader<'_> {
    /// The vertex of a name, or of the number of a rank.
    fn name(&self, text: &str) -> Result<String, String> {
        let of_rank = || text.parse::<usize>().ok().and_then(|rank| self.ranks.get(rank));
        match ((self.known)(text), of_rank()) {
            (Ok(()), _) => Ok(text.into()),
            (Err(_), Some(name)) => Ok(name.clone()),
            (Err(why), None) => Err(why),
        }
    }

    /// Checks the size of a matrix without names.
    fn check(&self, rows: usize, columns: usize) -> Result<(), String> {
        let ranks = self.ranks.len();
        if (rows, columns) == (ranks, ranks) {
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

    /// The names of rows and columns, and the entries.
    fn csv(&self, text: &str) -> Result<(Vec<String>, Entries), Mistake> {
        let mut reader = super::pairs_file::rows(text);
        let mut names: Option<Vec<String>> = None;
        let mut rows: Vec<usize> = Vec::new();
        let mut entries = Entries::new();
        let mut last = 1;
        for (number, record) in reader.records().enumerate() {
            let record = record.map_err(|e| {
                let line = e.position().map_or(1, csv::Position::line);
                (line as usize, e.to_string())
            })?;
            let line = record.position().map_or(1, |at| super::pairs_file::line_of(text, at));
            last = line;
            let at = |why: String| (line, why);
            let mut cells: Vec<&str> = record.iter().collect();
            if number == 0 && is_head(&cells) {
                let named: Result<Vec<_>, _> =
                    cells[1..].iter().map(|name| self.name(name)).collect();
                let named = named.map_err(at)?;
                if let Some(twice) = (1..named.len()).find(|&i| named[..i].contains(&named[i])) {
                    return Err(at(format!("'{}' names two columns", named[twice])));
                }
                names = Some(named);
                continue;
            }
            let columns = names.as_ref().map_or(self.ranks.len(), Vec::len);
            let row = match &names {
                Some(names) => {
                    let name = self.name(cells.remove(0)).map_err(at)?;
                    let unknown = || format!("'{name}' names a row, and no column");
                    names.iter().position(|other| *other == name).ok_or_else(|| at(unknown()))?
                }
                None => rows.len(),
            };
            if cells.len() != columns || row >= columns || rows.contains(&row) {
                let why = if rows.contains(&row) {
                    "this row is given twice".into()
                } else if row >= columns {
                    format!("the matrix has more rows than the {columns} ranks that take part")
                } else {
                    format!("{} entries in a row of {columns}", cells.len())
                };
                return Err(at(why));
            }
            rows.push(row);
            for (column, cell) in cells.into_iter().enumerate() {
                let bytes = if cell.is_empty() { 0 } else { whole(cell).map_err(at)? };
                self.put(&mut entries, (row, column), bytes).map_err(at)?;
            }
        }
        if names.is_none() {
            self.check(rows.len(), self.ranks.len()).map_err(|why| (last, why))?;
        }
        Ok((names.unwrap_or_else(|| self.ranks.to_vec()), entries))
    }

    /// The entries of Matrix Market.
    fn market(&self, text: &str) -> Result<Entries, Mistake> {
        let mut lines = (1..).zip(text.lines());
        let banner = lines.next().map_or("", |(_, line)| line).to_ascii_lowercase();
        let words: Vec<&str> = banner.split_whitespace().skip(1).collect();
        let (is_sparse, is_symmetric) = match words[..] {
            [
                "matrix",
                form @ ("coordinate" | "array"),
                "integer" | "real",
                symmetry @ ("general" | "symmetric"),
            ] => (form == "coordinate", symmetry == "symmetric"),
            _ => {
                let why = "a matrix of bytes is: matrix, coordinate or array, integer or real, general or \
                           symmetric";
                return Err((1, why.into()));
            }
        };
        let mut content =
            lines.filter(|(_, line)| !line.starts_with('%') && !line.trim().is_empty());
        let numbers = |(line, text): (usize, &str)| -> Result<(usize, Vec<u64>), Mistake> {
            let all: Result<Vec<u64>, String> = text.split_whitespace().map(whole).collect();
            Ok((line, all.map_err(|why| (line, why))?))
        };
        let Some(size) = content.next() else {
            return Err((1, "there is no line of sizes".into()));
        };
        let (line, size) = numbers(size)?;
        let (rows, columns, count) = match (&size[..], is_sparse) {
            (&[rows, columns, count], true) => (rows, columns, count),
            (&[rows, columns], false) => (rows, columns, 0),
            _ => {
                return Err((
                    line,
                    "the sizes are rows, columns and, of coordinates, entries".into(),
                ));
            }
        };
        self.check(rows as usize, columns as usize).map_err(|why| (line, why))?;
        let n = rows as usize;
        let dense = (0..n).flat_map(|column| {
            (if is_symmetric { column } else { 0 }..n).map(move |row| (row, column))
        });
        let mut dense = if is_sparse { None } else { Some(dense) };
        let (mut entries, mut given, mut last) = (Entries::new(), 0, line);
        for entry in content {
            let (line, entry) = numbers(entry)?;
            last = line;
            let (at, bytes) = match (&mut dense, &entry[..]) {
                (None, &[row, column, bytes])
                    if (1..=rows).contains(&row) && (1..=rows).contains(&column) =>
                {
                    ((row as usize - 1, column as usize - 1), bytes)
                }
                (Some(dense), &[bytes]) => match dense.next() {
                    Some(at) => (at, bytes),
                    None => return Err((line, "there are more entries than the sizes say".into())),
                },
                _ => {
                    let why = format!(
                        "an entry is row, column and bytes, from 1 to {rows}; of an array bytes"
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
        Ok(entries)
    }
}

/// Whether the first line of a matrix names its columns.
fn is_head(cells: &[&str]) -> bool {
    cells.first().is_some_and(|cell| cell.is_empty())
        || cells.iter().any(|cell| !cell.is_empty() && cell.parse::<f64>().is_err())
}

/// A whole number from 0, which may be written as 1024.0 or 1e3.
fn whole(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no whole number of bytes from 0");
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    match text.parse::<f64>() {
        Ok(real) if real >= 0.0 && real.fract() == 0.0 && real < 9e15 => Ok(real as u64),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str, adds_up: bool) -> Result<Vec<(String, String, u64)>, Mistake> {
        let ranks = ["a", "b", "c"].map(String::from);
        let known = |name: &str| match ranks.iter().any(|rank| rank == name) {
            true => Ok(()),
            false => Err(format!("no vertex '{name}'")),
        };
        let pairs = parse(text, &ranks, adds_up, &known)?;
        Ok(pairs.into_iter().map(|p| (p.source, p.destination, p.bytes.unwrap())).collect())
    }

    #[test]
    fn all_notations_give_the_same_messages() {
        let right = [("a", "b", 5), ("a", "c", 7), ("c", "a", 1024)];
        let right: Vec<_> = right.map(|(a, b, n)| (a.to_string(), b.to_string(), n)).into();
        let head = "%%MatrixMarket matrix";
        for text in [
            "9,5,7\n0,0,0\n1024,0,3\n".to_string(),
            "# bytes\n,a,b,c\na,0,5,7\n\nc,1024.0,,\n".into(),
            "from,c,0,1\n2,0,1024,0\na,7,0,5\n".into(),
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
        assert_eq!(both.iter().map(|p| p.2).collect::<Vec<_>>(), [5, 5]);
        let twice = format!("{head} coordinate integer general\n3 3 2\n1 2 5\n1 2 6\n");
        assert_eq!(pairs(&twice, true).unwrap()[0].2, 11);
        assert_eq!(pairs(&twice, false).unwrap_err().0, 4);
    }

    #[test]
    fn mistakes_have_their_line() {
        let head = "%%MatrixMarket matrix coordinate integer general\n";
        for (text, line, words) in [
            ("1,2\n3,4\n", 1, "2 entries in a row of 3"),
            ("0,1,1\n0,0,0\n", 2, "the matrix is 2 x 3, and 3 ranks"),
            ("0,1,1\n0,0,0\n0,0,0\n0,0,0\n", 4, "more rows"),
            ("0,1,1\n0,x,0\n", 2, "'x' is no whole number"),
            ("0,1,-1\n", 1, "'-1' is no whole number"),
            (",a,b\nd,0,1\n", 2, "no vertex 'd'"),
            (",a,b\nc,0,1\n", 2, "'c' names a row, and no column"),
            (",a,b\na,0,1\na,0,1\n", 3, "this row is given twice"),
            (",a,a\n", 1, "'a' names two columns"),
            ("", 1, "0 x 3"),
            ("4,0,0\n0,0,0\n0,0,0\n", 1, "no message"),
            ("%%MatrixMarket matrix coordinate complex general\n", 1, "integer or real"),
            (&format!("{head}3 3 1\n4 1 5\n"), 3, "from 1 to 3"),
            (&format!("{head}3 3 2\n2 1 5\n"), 3, "1 entries"),
            (&format!("{head}4 3 2\n"), 2, "the matrix is 4 x 3"),
            (&format!("{head}3 3\n"), 2, "rows, columns"),
        ] {
            let (at, why) = pairs(text, false).unwrap_err();
            assert!(at == line && why.contains(words), "{text}: {at}: {why}");
        }
    }
}
