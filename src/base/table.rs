//! Tables in text files, as spreadsheets, programs and people write them: networks, pairs, matrices and
//! groups are read through this one room. It finds the sign between cells, leaves out comments and blank
//! lines, takes cells out of their quotes, and knows columns by their names (`columns`) and what a cell may
//! hold (`cell`).

use std::borrow::Cow;

/// What begins a comment, and two semicolons where no semicolon is between cells.
const MARKS: [&str; 3] = ["#", "%", "//"];

/// Characters without ink or width that editors and web pages leave at the ends of words.
const INVISIBLE: [char; 6] = ['\u{200b}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{feff}', '\u{ad}'];

/// What is between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// This character, once; two of them have an empty cell between them.
    One(char),
    /// Any number of blanks.
    Blanks,
}

/// A mistake: an offset in the text, and what is wrong.
pub type Wrong = (usize, String);

/// A line of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row<'t> {
    /// The offset of the line in the text.
    pub at: usize,
    /// The cells, without blanks around them.
    pub cells: Vec<Cow<'t, str>>,
}

impl Row<'_> {
    /// A cell that holds something.
    pub fn cell(&self, place: usize) -> Option<&str> {
        self.cells.get(place).map(|cell| &**cell).filter(|cell| !cell.is_empty())
    }

    /// Whether no cell holds anything.
    pub fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell.is_empty())
    }

    /// The number of cells up to the last that holds something.
    pub fn filled(&self) -> usize {
        self.cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1)
    }
}

/// A text that is read row by row.
#[derive(Clone, Debug)]
pub struct Table<'t> {
    text: &'t str,
    at: usize,
    sign: Sign,
}

impl<'t> Table<'t> {
    /// The table of a text. A spreadsheet names the sign in its first line, `sep=;`; else it is that of the
    /// first row.
    pub fn new(text: &'t str) -> Self {
        let mut full = lines(text).filter(|line| !trim(line).is_empty());
        let first = full.clone().next().unwrap_or("");
        let named = trim(first).get(..4).is_some_and(|word| word.eq_ignore_ascii_case("sep="));
        let mut signs = trim(first).get(4..).unwrap_or("").chars();
        if let (true, sign, None) = (named, signs.next().unwrap_or('\t'), signs.next()) {
            let sign = if sign == ' ' { Sign::Blanks } else { Sign::One(sign) };
            return Table { text, at: offset(text, first) + first.len(), sign };
        }
        let begins = |line: &&str| !is_comment(line) && !trim(line).starts_with(";;");
        Table { text, at: 0, sign: sign(full.find(begins).unwrap_or(first)) }
    }

    /// The same with this sign between the cells.
    pub fn with_sign(text: &'t str, sign: Sign) -> Self {
        Table { sign, ..Table::new(text) }
    }

    /// What is between the cells.
    pub fn sign(&self) -> Sign {
        self.sign
    }

    /// Reads the next row; false at the end of the text. A row of empty cells is a row.
    ///
    /// # Errors
    /// A quote that does not end, or ends inside a cell.
    pub fn next(&mut self, row: &mut Row<'t>) -> Result<bool, Wrong> {
        row.cells.clear();
        loop {
            let Some(line) =
                lines(&self.text[self.at..]).next().filter(|_| self.at < self.text.len())
            else {
                return Ok(false);
            };
            if !self.skips(line) {
                row.at = self.at + (line.len() - line.trim_start().len());
                self.record(row)?;
                return Ok(true);
            }
            self.at = (self.at + line.len() + 1).min(self.text.len());
        }
    }

    /// Whether a line is blank or a comment.
    fn skips(&self, line: &str) -> bool {
        let is_blank =
            trim(line).is_empty() && !(self.sign == Sign::One('\t') && line.contains('\t'));
        is_blank || is_comment(line) || self.sign != Sign::One(';') && trim(line).starts_with(";;")
    }

    /// Reads the cells from here to the end of the row.
    fn record(&mut self, row: &mut Row<'t>) -> Result<(), Wrong> {
        let (text, sign) = (self.text, self.sign);
        let is_sign = |c: char| match sign {
            Sign::One(one) => c == one,
            Sign::Blanks => is_blank(c),
        };
        loop {
            self.blanks(is_sign);
            let rest = &text[self.at..];
            match rest.strip_prefix('"') {
                Some(quoted) => {
                    let begin = self.at;
                    let Some((cell, length)) = unquoted(quoted) else {
                        return Err((
                            begin,
                            "the quote at the beginning of a cell does not end".into(),
                        ));
                    };
                    row.cells.push(cell);
                    self.at += 1 + length;
                    if sign != Sign::Blanks {
                        self.blanks(is_sign);
                    }
                    let next = text[self.at..].chars().next();
                    if next.is_some_and(|c| !is_end(c) && !is_sign(c)) {
                        return Err((begin, "a quoted cell goes on behind its quote".into()));
                    }
                }
                None if sign == Sign::Blanks && rest.chars().next().is_none_or(is_end) => (),
                None => {
                    let length = rest.find(|c| is_end(c) || is_sign(c)).unwrap_or(rest.len());
                    row.cells.push(Cow::Borrowed(trim(&rest[..length])));
                    self.at += length;
                }
            }
            match text[self.at..].chars().next() {
                Some(c) if !is_end(c) => self.at += c.len_utf8(),
                end => {
                    self.at += end.map_or(0, char::len_utf8);
                    return Ok(());
                }
            }
        }
    }

    /// Goes on over blanks that are no sign of their own.
    fn blanks(&mut self, is_sign: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        let skipped = |c: char| {
            (is_blank(c) && (self.sign == Sign::Blanks || !is_sign(c))) || INVISIBLE.contains(&c)
        };
        self.at += rest.find(|c| !skipped(c)).unwrap_or(rest.len());
    }
}

/// The sign between the cells of a line. Names and numbers have commas in them, `0,0`, `1,5`, sooner than
/// semicolons, and these sooner than tabs; blanks beside another sign are for the eye.
pub fn sign(line: &str) -> Sign {
    let are_pairs = line.matches('"').count().is_multiple_of(2);
    // What is in quotes is a word, whatever it is.
    let parts = line.split('"').enumerate();
    let bare: String =
        parts.map(|(i, part)| if are_pairs && i % 2 == 1 { "q" } else { part }).collect();
    let is_between = bare.split([',', ';']).any(|part| part.trim().contains('\t'));
    // The first cell may be empty.
    let is_before = bare.starts_with('\t') && !trim(&bare).contains([',', ';', ' ']);
    let has_tab = is_between || is_before;
    match [('\t', has_tab), (';', bare.contains(';')), (',', bare.contains(','))] {
        [(sign, true), ..] | [_, (sign, true), _] | [.., (sign, true)] => Sign::One(sign),
        _ => Sign::Blanks,
    }
}

/// A word without blanks and invisible characters around it.
pub fn trim(word: &str) -> &str {
    word.trim_matches(|c: char| c.is_whitespace() || INVISIBLE.contains(&c))
}

/// The line of an offset, from 1.
pub fn line(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|&&b| b == b'\n').count()
}

/// Whether a line is a comment with one sign as with all.
fn is_comment(line: &str) -> bool {
    MARKS.iter().any(|mark| trim(line).starts_with(mark))
}

/// The lines of a text, whatever ends them.
fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(is_end)
}

fn is_end(c: char) -> bool {
    c == '\n' || c == '\r'
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() && !is_end(c)
}

/// The offset of a part of a text.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// What is before the quote that ends a cell, two quotes being one, and the bytes up to behind that quote.
fn unquoted(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let mut at = 0;
    loop {
        at += text[at..].find('"')?;
        match text[at + 1..].starts_with('"') {
            true => at += 2,
            false => break,
        }
    }
    let inside = trim(&text[..at]);
    let cell = match inside.contains('"') {
        true => Cow::Owned(inside.replace("\"\"", "\"")),
        false => Cow::Borrowed(inside),
    };
    Some((cell, at + 1))
}

// Columns by their names. Programs that write lists of links and of messages do not agree on them, so one
// table has the words for each meaning.

/// Where a link or a message begins.
pub const FROM: &[&str] = &["from", "source", "src", "sender", "origin", "u", "node1"];

/// Where it ends.
pub const TO: &[&str] = &["to", "target", "destination", "dst", "dest", "receiver", "v", "node2"];

/// The length of a message.
pub const LENGTH: &[&str] = &["bytes", "size", "length", "len", "nbytes", "messagesize", "volume"];

/// How many there are.
pub const COUNT: &[&str] = &["count", "links", "cables", "messages", "number"];

/// The place of each column in a row of names, if its name is there; letters of any size, with or without
/// blanks, `_` and `-`.
///
/// # Errors
/// Two names of one column.
pub fn named<const N: usize>(row: &Row, names: [&[&str]; N]) -> Result<[Option<usize>; N], String> {
    let mut places = [None; N];
    for (i, cell) in row.cells.iter().enumerate() {
        let word: String =
            cell.chars().filter(|c| !" _-".contains(*c)).collect::<String>().to_lowercase();
        let column = names.iter().position(|names| names.contains(&word.as_str()));
        if let Some(column) = column
            && places[column].replace(i).is_some()
        {
            return Err(format!("a second column '{}'", short(cell)));
        }
    }
    Ok(places)
}

// What a cell may hold: a number of bytes, a count, or nothing.

/// Words for a cell without a value, in small letters.
const NOTHING: [&str; 8] = ["", "-", "--", "na", "n/a", "nan", "null", "none"];

/// Whether a cell that is to hold a number has none.
pub fn is_nothing(cell: &str) -> bool {
    NOTHING.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// A number of bytes from 0: 1000, 1000.0, 1.6e6, 64K, 1.5MiB. K, M, G, T and their long forms are powers of
/// 1024, as in the benchmarks of MPI libraries; with one of them a part of a byte is left out.
///
/// # Errors
/// Anything else. KB, MB and so on are 1000 for some and 1024 for others.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || {
        format!("'{}' is not a number of bytes such as 1000, 1.6e6, 64K, 500M, 4GiB", short(text))
    };
    let end = text.rfind(|c: char| c.is_ascii_digit()).map_or(0, |last| last + 1);
    let (number, unit) = (&text[..end], text[end..].trim_start());
    let mut letters = unit.chars();
    let power = match letters.next().map(|c| c.to_ascii_uppercase()) {
        None | Some('B') => 0,
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some(_) => return Err(wrong()),
    };
    match letters.as_str() {
        "" | "iB" | "ib" | "IB" | "i" if power > 0 => (),
        "" => (),
        "B" | "b" if power > 0 => {
            let letter = &unit[..1];
            return Err(format!(
                "'{}': {unit} is a power of 1000 for some and of 1024 for others; {letter} and {letter}iB \
                 are powers of 1024",
                short(text)
            ));
        }
        _ => return Err(wrong()),
    }
    let factor = 1u64 << power;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let too_large = || format!("'{}' is too large", short(text));
    if digits(number) {
        let whole = number.parse::<u64>().ok();
        return whole.and_then(|whole| whole.checked_mul(factor)).ok_or_else(too_large);
    }
    // A sign or a word such as `inf` is no number here.
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    if !digits(whole)
        || !digits(part)
        || !digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
    {
        return Err(wrong());
    }
    let value = number.parse::<f64>().map_err(|_| wrong())? * factor as f64;
    match value {
        // Up to here reals hold all whole numbers.
        _ if value >= 9e15 => Err(too_large()),
        _ if power == 0 && value.fract() != 0.0 => {
            Err(format!("'{}': bytes have no parts", short(text)))
        }
        _ => Ok(value as u64),
    }
}

/// A whole number from 1 to a most, which programs also write as 3.0.
///
/// # Errors
/// Anything else.
pub fn count(text: &str, most: u32) -> Result<u32, String> {
    let whole = text.split_once('.').filter(|(_, part)| part.bytes().all(|b| b == b'0'));
    let number = whole.map_or(text, |(whole, _)| whole);
    let is_number = number.bytes().all(|b| b.is_ascii_digit());
    let number = number.parse::<u32>().ok().filter(|n| is_number && (1..=most).contains(n));
    number.ok_or_else(|| format!("'{}' is no whole number from 1 to {most}", short(text)))
}

/// A word of a message: a long one is cut.
pub fn short(word: &str) -> String {
    match word.char_indices().nth(60) {
        Some((end, _)) => format!("{}..", &word[..end]),
        None => word.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows, cells with bars between and the line before them.
    fn rows(text: &str) -> Result<Vec<String>, (usize, String)> {
        let (mut table, mut row, mut all) = (Table::new(text), Row::default(), Vec::new());
        while table.next(&mut row).map_err(|(at, why)| (line(text, at), why))? {
            all.push(format!("{}:{}", line(text, row.at), row.cells.join("|")));
        }
        Ok(all)
    }

    #[test]
    fn one_table_has_many_spellings() {
        for text in [
            "a,b c,5\nd,e,\n",
            "a;b c;5\r\nd;e;\r\n",
            "\u{feff}a\tb c\t5\rd\te\t\r",
            "a , b c,\t5\nd,\te,",
            "\"a\",\"b c\",\"5\"\n\"d\", \"e\" ,\n",
            "\u{200b}a,b c\u{a0},5\nd,e, ",
        ] {
            let found: Vec<String> =
                rows(text).unwrap().iter().map(|row| row[2..].to_string()).collect();
            assert_eq!(found, ["a|b c|5", "d|e|"], "{text:?}");
        }
        assert_eq!(rows("sep=|\na|b,c\n\n\"d\"\"\"|\n").unwrap(), ["2:a|b,c", "4:d\"|"]);
        assert_eq!(rows("Sep=;\na,1;b\n").unwrap(), ["2:a,1|b"]);
        let blanks = "# x\n// y\n\n  a  \"b c\" 5 \n%\n;; z\nd e\n";
        assert_eq!(rows(blanks).unwrap(), ["4:a|b c|5", "7:d|e"]);
    }

    #[test]
    fn the_sign_is_that_which_is_no_part_of_names_and_numbers() {
        let signs = [
            ("0,0;1,0", ';'),
            ("0,0\t1,0", '\t'),
            ("a,\tb", ','),
            ("\"a;b\",c", ','),
            ("a\t\"b\" ", '\t'),
        ];
        for (line, right) in signs {
            assert_eq!(sign(line), Sign::One(right), "{line}");
        }
        assert_eq!([sign("a b"), sign("\"a,b\" c"), sign("")], [Sign::Blanks; 3]);
        // Empty cells are cells, also all of a row.
        assert_eq!(rows(";;5\n1;;2\n;;\n").unwrap(), ["1:||5", "2:1||2", "3:||"]);
        assert_eq!(rows("\t1\n\t\n").unwrap(), ["1:|1", "2:|"]);
        assert_eq!(rows("").unwrap(), [""; 0]);
    }

    #[test]
    fn quotes_end_with_their_cell() {
        assert_eq!(rows("a,b\n\"c,d\n").unwrap_err().0, 2);
        assert!(rows("\"a\"b,c\n").unwrap_err().1.contains("goes on"));
        assert_eq!(rows("5\",b\n\"x\ny\",z\nq,r\n").unwrap(), ["1:5\"|b", "2:x\ny|z", "4:q|r"]);
    }

    #[test]
    fn columns_are_known_by_any_of_their_names() {
        let row =
            |names: &'static str| Row { at: 0, cells: names.split(',').map(Into::into).collect() };
        let found = |names| super::named(&row(names), [FROM, TO, LENGTH, COUNT]);
        assert_eq!(found("src,dst,bytes"), Ok([Some(0), Some(1), Some(2), None]));
        assert_eq!(found("Message Size,x,RECEIVER,Node_1"), Ok([Some(3), Some(2), Some(0), None]));
        assert_eq!(found("a,b"), Ok([None; 4]));
        assert!(found("from,src,to").is_err_and(|why| why.contains("'src'")));
    }

    #[test]
    fn numbers_of_bytes_have_units_and_powers() {
        for (text, right) in [
            ("0", 0),
            ("18446744073709551615", u64::MAX),
            ("007", 7),
            ("1024.0", 1024),
            ("1.6e6", 1_600_000),
            ("2E+3", 2000),
            ("1500e-2", 15),
            ("64K", 65_536),
            ("64 k", 65_536),
            ("1.5MiB", 3 << 19),
            ("2Gi", 2 << 30),
            ("1T", 1 << 40),
            ("0.1K", 102),
            ("7B", 7),
        ] {
            assert_eq!(bytes(text), Ok(right), "{text}");
        }
        let none = [
            "", "-1", "+1", "x", "K", "1.", ".5", "1.5.2", "inf", "NaN", "1e", "e3", "0x10", "1K5",
            "é",
        ];
        assert!(
            none.iter().all(|text| bytes(text).is_err_and(|why| why.contains("is not a number")))
        );
        for (text, part) in [
            ("1.5", "no parts"),
            ("1e99", "too large"),
            ("99999999T", "too large"),
            ("4 GB", "of 1024 for others"),
        ] {
            assert!(bytes(text).is_err_and(|why| why.contains(part)), "{text}");
        }
    }

    #[test]
    fn counts_are_whole_and_some_words_are_nothing() {
        assert_eq!(["1", "3.0", "9"].map(|text| count(text, 9)), [1, 3, 9].map(Ok));
        for text in ["0", "10", "-1", "+1", "1.5", "", ".0", "x"] {
            assert!(count(text, 9).is_err(), "{text}");
        }
        assert!(["", "-", "NaN", "N/A"].iter().all(|cell| is_nothing(cell)));
        assert!(!is_nothing("0") && !is_nothing("n1"));
        assert_eq!(short(&"ä".repeat(61)), format!("{}..", "ä".repeat(60)));
    }
}
