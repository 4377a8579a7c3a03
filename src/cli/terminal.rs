//! How wide the terminal is, so that tables fold to it.

use terminal_size::{Width, terminal_size_of};

/// Width of text that goes to a file or a pipe.
const ELSEWHERE: usize = 100;
/// Narrower terminals are taken to have so many columns: a table needs some.
const LEAST: usize = 20;

/// Columns of the standard output: what `COLUMNS` says, else the terminal's; none where it is a
/// file or a pipe, which have no width.
pub fn columns() -> Option<usize> {
    let said: Option<usize> =
        std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
    let asked = || terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| columns.into());
    said.filter(|&columns| columns > 0).or_else(asked).map(|columns| columns.max(LEAST))
}

/// Columns to print in; a hundred where nothing limits them.
pub fn width() -> usize {
    columns().unwrap_or(ELSEWHERE)
}
