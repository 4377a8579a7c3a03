//! Names as cells of CSV. Spreadsheets evaluate a cell that begins with a sign of formulas, even in
//! quotes; an apostrophe before it marks it as text.

use std::borrow::Cow;

/// What a formula may begin with; the apostrophe itself, so that [`content`] is the inverse.
const SIGNS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// The cell of a name.
pub fn cell(name: &str) -> Cow<'_, str> {
    match name.trim_start_matches(' ').starts_with(SIGNS) {
        true => Cow::Owned(format!("'{name}")),
        false => Cow::Borrowed(name),
    }
}

/// The name in a cell.
pub fn content(cell: &str) -> &str {
    let name = cell.strip_prefix('\'').filter(|name| self::cell(name).len() > name.len());
    name.unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_names_come_back() {
        let formulas = ["=1+1|cmd", "@SUM(A1)", "+1", "-2", "\t=1", " =1", "'=1", "'a", "''"];
        for name in formulas {
            assert_eq!(cell(name), format!("'{name}"));
            assert_eq!(content(&cell(name)), name);
        }
        for name in ["", "a", "01-10", " a ", "a=b", "s0.1"] {
            assert_eq!(cell(name), name);
            assert_eq!(content(name), name);
        }
    }
}
