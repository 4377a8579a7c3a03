//! Rows as CSV and as lines of JSON, by the names of their fields.

use ccsched_base::{Error, Result};
use serde::Serialize;

/// CSV with a head.
///
/// # Errors
/// Errors of the CSV writer, none of which is expected.
pub fn csv(rows: impl IntoIterator<Item = impl Serialize>) -> Result<String> {
    let broken = |e: String| Error::field("csv", e);
    let mut writer = csv::Writer::from_writer(Vec::new());
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
