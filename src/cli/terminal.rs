//! The terminal: its width, to which tables fold, and words as its shell takes them.

use ccsched_tools::show::wrap;
use terminal_size::{Width, terminal_size_of};

/// Columns of text in a file or a pipe.
const ELSEWHERE: usize = 100;
/// Fewest columns assumed: a table needs some.
const LEAST: usize = 20;

/// Columns of the standard output: `COLUMNS` if set, else the terminal's; none for files and
/// pipes.
pub fn columns() -> Option<usize> {
    let said: Option<usize> =
        std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
    let asked = || terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| columns.into());
    said.filter(|&columns| columns > 0).or_else(asked).map(|columns| columns.max(LEAST))
}

/// Columns to print in; 100 if nothing limits them.
pub fn width() -> usize {
    columns().unwrap_or(ELSEWHERE)
}

/// A line of text folded at its words to these columns, if any; the lines that follow are set in. The
/// indent stands before the first line already.
pub fn folded(line: &str, indent: usize, columns: Option<usize>) -> String {
    wrap(&line.split(' ').collect::<Vec<_>>(), indent, columns.unwrap_or(usize::MAX))
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=:,./+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
