//! A scatter as a table: a row for every source, a column for every step, destinations in the cells
//! (umda-multistage-networks, table 2). With store-and-forward switching a row is a vertex that
//! sends, and a cell gives the next vertex and the message: `next(source>destination)`.

use super::text::{pad, width};
use crate::schedule::{RecordRef, Records, ScheduleFile};
use std::collections::{HashMap, HashSet};

/// The least width to which cells are folded.
const LEAST_CELL: usize = 8;

/// The table, in blocks of as many steps as fit side by side. A cell that is wider than a block
/// continues on the lines below.
pub(super) fn print(file: &ScheduleFile, limit: usize) -> String {
    let hops = file.model.switching == "store-and-forward";
    let (rows, columns) = cells(file, hops);
    let head = if hops { "from" } else { "src" };
    let first = rows.iter().map(|r| width(r)).chain([width(head)]).max().unwrap_or(0);
    let room = limit.saturating_sub(first + 2).max(LEAST_CELL);
    let columns: Vec<Vec<Vec<String>>> =
        columns.iter().map(|cells| cells.iter().map(|cell| fold(cell, room)).collect()).collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(step, cells)| {
            let widest = cells.iter().flatten().map(|line| width(line)).max().unwrap_or(0);
            widest.max((step + 1).to_string().len())
        })
        .collect();
    let mut out = String::new();
    let mut start = 0;
    while start < columns.len() {
        let end = block_end(&widths, start, first, limit);
        if start > 0 {
            out.push('\n');
        }
        let mut line = |label: &str, cell: &dyn Fn(usize) -> String| {
            let mut text = pad(label, first);
            for (step, &w) in widths.iter().enumerate().take(end).skip(start) {
                text += "  ";
                text += &pad(&cell(step), w);
            }
            out += text.trim_end();
            out.push('\n');
        };
        line(head, &|step| (step + 1).to_string());
        for (r, name) in rows.iter().enumerate() {
            let height = columns[start..end].iter().map(|cells| cells[r].len()).max().unwrap_or(1);
            for part in 0..height {
                let label = if part == 0 { name } else { "" };
                line(label, &|step| columns[step][r].get(part).cloned().unwrap_or_default());
            }
        }
        start = end;
    }
    out
}

/// The entries of a cell in lines of at most `room` columns if possible; at least one line.
fn fold(cell: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for entry in cell.split_inclusive(',') {
        let line = &lines[lines.len() - 1];
        if !line.is_empty() && width(line) + width(entry) > room {
            lines.push(String::new());
        }
        *lines.last_mut().expect("there is one from the start") += entry;
    }
    lines
}

/// One past the last step that still fits; at least one does.
fn block_end(widths: &[usize], start: usize, first: usize, limit: usize) -> usize {
    let mut at = first;
    let fits = widths[start..].iter().take_while(|&&w| {
        at += 2 + w;
        at <= limit
    });
    start + fits.count().max(1)
}

/// Names of the rows, in the order of the file's vertices, and by step the cell of every row.
fn cells(file: &ScheduleFile, hops: bool) -> (Vec<&str>, Vec<Vec<String>>) {
    let used: HashSet<&str> = file.steps.iter().flatten().map(|t| row(t, hops)).collect();
    let vertices = file.network.vertices.iter().map(|v| v.name.as_str());
    let mut rows: Vec<&str> = vertices.filter(|v| used.contains(v)).collect();
    let mut index: HashMap<&str, usize> = rows.iter().enumerate().map(|(i, r)| (*r, i)).collect();
    for t in file.steps.iter().flatten() {
        // A name that the network lacks is shown below the others.
        index.entry(row(t, hops)).or_insert_with(|| {
            rows.push(row(t, hops));
            rows.len() - 1
        });
    }
    let column = |step: Records<'_>| {
        let mut cells = vec![String::new(); rows.len()];
        for t in step {
            let cell = &mut cells[index[row(t, hops)]];
            if !cell.is_empty() {
                cell.push(',');
            }
            *cell += &content(t, hops);
        }
        cells
    };
    let columns = file.steps.iter().map(column).collect();
    (rows, columns)
}

/// The row of a transfer.
fn row(t: RecordRef<'_>, hops: bool) -> &str {
    if hops { t.from } else { t.message.source }
}

fn content(t: RecordRef<'_>, hops: bool) -> String {
    let destination = t.message.destination.unwrap_or("?");
    match hops {
        true => format!("{}({}>{destination})", t.to, t.message.source),
        false => destination.to_string(),
    }
}
