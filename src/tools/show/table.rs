//! A scatter as a table: a row for every source, a column for every step, destinations in the cells
//! (umda-multistage-networks, table 2). With store-and-forward switching a row is a vertex that
//! sends, and a cell gives the next vertex and the message: `next(source>destination)`.

use super::text::{pad, width};
use ccsched_model::schedule::{RecordRef, Records, ScheduleFile};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The least width to which cells are folded.
const LEAST_CELL: usize = 8;

/// Longer sums are counted.
const MOST_NAMED: usize = 4;

/// A table by steps: what is in a cell, by row, ascending. Most rows of a long schedule are idle in
/// most steps, so empty cells are not kept.
type Columns = Vec<Vec<(usize, Vec<String>)>>;

/// The table, in blocks of as many steps as fit side by side. A cell that is wider than a block
/// continues on the lines below. A table of several blocks leaves out rows that are idle in a block.
pub(super) fn print(file: &ScheduleFile, limit: usize) -> String {
    let hops = file.model.switching == "store-and-forward";
    let head = if hops { "from" } else { "src" };
    let rows = rows(file, hops);
    let room = |first: usize| limit.saturating_sub(first + 2).max(LEAST_CELL);
    laid_out(head, &rows, |first| cells(file, hops, &rows, room(first)), limit)
}

/// The same of transfers of several messages: a row is a vertex that sends, and a cell gives the next
/// vertex and the contributions that are added up, or their number.
pub(super) fn joined(file: &ScheduleFile, limit: usize) -> String {
    let rows = rows(file, true);
    let adds = file.model.parts.is_some();
    let column = |step: Records<'_>, room: usize| {
        let mut paths: BTreeMap<(usize, &str, &[u32]), Vec<&str>> = BTreeMap::new();
        for t in step {
            let path = (rows.index[t.from], t.to, t.channels);
            paths.entry(path).or_default().push(t.message.source);
        }
        let mut cells: BTreeMap<usize, String> = BTreeMap::new();
        for ((row, to, _), sources) in paths {
            let cell = cells.entry(row).or_default();
            let comma = if cell.is_empty() { "" } else { "," };
            let sum = match sources.len() {
                _ if !adds => String::new(),
                1..=MOST_NAMED => format!("({})", sources.join("+")),
                many => format!("({many} added)"),
            };
            *cell += &format!("{comma}{to}{sum}");
        }
        cells.into_iter().map(|(row, cell)| (row, fold(&cell, room))).collect()
    };
    let columns = |first: usize| {
        let room = limit.saturating_sub(first + 2).max(LEAST_CELL);
        file.steps.iter().map(|step| column(step, room)).collect()
    };
    laid_out("from", &rows, columns, limit)
}

/// A table of rows with their columns, which depend on the width of the names of the rows.
fn laid_out(
    head: &str,
    rows: &Rows<'_>,
    columns: impl FnOnce(usize) -> Columns,
    limit: usize,
) -> String {
    let first = rows.names.iter().map(|r| width(r)).chain([width(head)]).max().unwrap_or(0);
    let columns = columns(first);
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(step, cells)| {
            let lines = cells.iter().flat_map(|(_, lines)| lines);
            let widest = lines.map(|line| width(line)).max().unwrap_or(0);
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
        let busy = columns[start..end].iter().flatten().map(|(row, _)| *row);
        let is_whole = start == 0 && end == columns.len();
        let shown: BTreeSet<usize> =
            if is_whole { (0..rows.names.len()).collect() } else { busy.collect() };
        for row in shown {
            let cell = |step: usize| {
                let cells: &Vec<(usize, Vec<String>)> = &columns[step];
                cells.binary_search_by_key(&row, |(row, _)| *row).ok().map(|i| &cells[i].1)
            };
            let height = (start..end).filter_map(cell).map(Vec::len).max().unwrap_or(1);
            for part in 0..height {
                let label = if part == 0 { rows.names[row] } else { "" };
                line(label, &|step| {
                    cell(step).and_then(|lines| lines.get(part)).cloned().unwrap_or_default()
                });
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

/// The rows of a table.
struct Rows<'f> {
    names: Vec<&'f str>,
    index: HashMap<&'f str, usize>,
}

/// The rows, in the order of the file's vertices.
fn rows(file: &ScheduleFile, hops: bool) -> Rows<'_> {
    let used: HashSet<&str> = file.steps.iter().flatten().map(|t| row(t, hops)).collect();
    let vertices = file.network.vertices.iter().map(|v| v.name.as_str());
    let mut names: Vec<&str> = vertices.filter(|v| used.contains(v)).collect();
    let mut index: HashMap<&str, usize> = names.iter().enumerate().map(|(i, r)| (*r, i)).collect();
    for t in file.steps.iter().flatten() {
        // A name that the network lacks is shown below the others.
        index.entry(row(t, hops)).or_insert_with(|| {
            names.push(row(t, hops));
            names.len() - 1
        });
    }
    Rows { names, index }
}

/// By step the cells that are not empty, folded.
fn cells(file: &ScheduleFile, hops: bool, rows: &Rows<'_>, room: usize) -> Columns {
    let column = |step: Records<'_>| {
        let mut cells: BTreeMap<usize, String> = BTreeMap::new();
        for t in step {
            let cell = cells.entry(rows.index[row(t, hops)]).or_default();
            if !cell.is_empty() {
                cell.push(',');
            }
            *cell += &content(t, hops);
        }
        cells.into_iter().map(|(row, cell)| (row, fold(&cell, room))).collect()
    };
    file.steps.iter().map(column).collect()
}

/// The row of a transfer.
fn row(t: RecordRef<'_>, hops: bool) -> &str {
    if hops { t.from } else { t.message.source }
}

fn content(t: RecordRef<'_>, hops: bool) -> String {
    let (destination, piece) = (t.message.destination.unwrap_or("?"), super::piece(&t.message));
    match hops {
        true => format!("{}({}>{destination}{piece})", t.to, t.message.source),
        false => format!("{destination}{piece}"),
    }
}
