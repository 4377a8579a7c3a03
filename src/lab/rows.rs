//! Rows as CSV, as lines of JSON, and as tables for people.

use ccsched_base::{Error, Result};
use ccsched_tools::fold::{self, Numbers};
use serde::Serialize;

/// CSV of rows whose fields have names, which are the head.
///
/// # Errors
/// Errors of the CSV writer, none of which is expected.
pub fn csv(rows: impl IntoIterator<Item = impl Serialize>) -> Result<String> {
    csv_below("", rows)
}

/// CSV of rows below a head, its names with commas between.
///
/// # Errors
/// As [`csv()`].
pub fn csv_below(head: &str, rows: impl IntoIterator<Item = impl Serialize>) -> Result<String> {
    let broken = |e: String| Error::field("csv", e);
    let mut writer = csv::Writer::from_writer(Vec::new());
    if !head.is_empty() {
        writer.write_record(head.split(',')).map_err(|e| broken(e.to_string()))?;
    }
    for row in rows {
        writer.serialize(row).map_err(|e| broken(e.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|e| broken(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| broken(e.to_string()))
}

/// A line of JSON for every row.
///
/// # Errors
/// Errors of the JSON writer, none of which is expected.
pub fn json_lines(rows: impl IntoIterator<Item = impl Serialize>) -> Result<String> {
    let broken = |e: serde_json::Error| Error::field("json", e.to_string());
    rows.into_iter().map(|row| Ok(serde_json::to_string(&row).map_err(broken)? + "\n")).collect()
}

/// A table of cells below their heads, which have bars between; folded to `columns`.
pub fn table<const N: usize>(
    head: &str,
    rows: impl IntoIterator<Item = [String; N]>,
    numbers: Numbers,
    columns: Option<usize>,
) -> String {
    let head: Vec<String> = head.split('|').map(String::from).collect();
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    fold::table(&head, &rows, numbers, columns)
}

/// A value, or a dash where there is none.
pub fn known(value: Option<impl ToString>) -> String {
    value.map_or("-".into(), |value| value.to_string())
}
