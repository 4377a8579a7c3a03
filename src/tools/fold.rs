//! Tables in Markdown, folded where a terminal is too narrow for them.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement, Table};

/// The alignment of numbers in the cells of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// To the left, like words.
    Left,
    /// To the right, digit below digit.
    Right,
}

/// A table of rows below their heads. If it is wider than `columns`, a table of few rows is
/// transposed: its rows become columns, as many side by side as fit. Other tables, and those too
/// wide even then, wrap their cells.
pub fn table(
    head: &[String],
    rows: &[Vec<String>],
    numbers: Numbers,
    columns: Option<usize>,
) -> String {
    let whole = plain(head, rows, numbers).to_string();
    let Some(columns) = columns.filter(|&columns| width(&whole) > columns) else { return whole };
    let is_small = rows.len() <= head.len();
    if let Some(turned) = is_small.then(|| turned(head, rows, columns)).flatten() {
        return turned;
    }
    let mut folded = plain(head, rows, numbers);
    let columns = u16::try_from(columns).unwrap_or(u16::MAX);
    folded.set_width(columns).set_content_arrangement(ContentArrangement::Dynamic);
    folded.to_string()
}

fn plain(head: &[String], rows: &[Vec<String>], numbers: Numbers) -> Table {
    let mut table = Table::new();
    // Without a width, comfy-table would ask the terminal for one.
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.load_style(ASCII_MARKDOWN).set_header(head);
    rows.iter().for_each(|row| {
        table.add_row(row);
    });
    if numbers == Numbers::Right {
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Transposed tables, one line per head; none if a single row is too wide.
fn turned(head: &[String], rows: &[Vec<String>], columns: usize) -> Option<String> {
    let turn = |rows: &[Vec<String>]| {
        let column = |i: usize| rows.iter().map(move |row| row[i].clone());
        let line = |i: usize| std::iter::once(head[i].clone()).chain(column(i)).collect();
        let lines: Vec<Vec<String>> = (0..head.len()).map(line).collect();
        plain(&lines[0], &lines[1..], Numbers::Left).to_string()
    };
    let mut blocks = Vec::new();
    let mut rest = rows;
    while !rest.is_empty() {
        let fits = |&n: &usize| width(&turn(&rest[..n])) <= columns;
        let n = (1..=rest.len()).rev().find(fits)?;
        blocks.push(turn(&rest[..n]));
        rest = &rest[n..];
    }
    Some(blocks.join("\n\n"))
}

fn width(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells<const N: usize>(texts: [&str; N]) -> Vec<String> {
        texts.map(String::from).to_vec()
    }

    #[test]
    fn a_table_that_fits_stays_as_it_is() {
        let (head, rows) = (cells(["name", "steps"]), [cells(["a", "7"])]);
        let whole = "| name | steps |\n|------|-------|\n| a    | 7     |";
        for columns in [None, Some(100), Some(16)] {
            assert_eq!(table(&head, &rows, Numbers::Left, columns), whole);
        }
    }

    #[test]
    fn a_wide_table_of_few_rows_is_turned_in_blocks() {
        let head = cells(["name", "seconds", "evaluations", "conflicts left"]);
        let rows = ["alpha", "beta", "gamma"].map(|name| cells([name, "0.123456", "1000", "-"]));
        let text = table(&head, &rows, Numbers::Right, Some(40));
        assert!(width(&text) <= 40, "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| name           | alpha    | beta     |");
        assert!(lines[6].starts_with("| name           | gamma"), "{text}");
        assert_eq!(text.matches("0.123456").count(), 3);
    }

    #[test]
    fn a_wide_table_of_many_rows_folds_its_cells() {
        let head = cells(["what", "why"]);
        let rows: Vec<_> = (0..9).map(|_| cells(["x", "many words in a cell"])).collect();
        let text = table(&head, &rows, Numbers::Left, Some(24));
        assert!(width(&text) <= 24, "{text}");
        assert_eq!(text.matches("cell").count(), 9, "{text}");
    }
}
