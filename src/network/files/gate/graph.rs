//! The graph of a list that has come through the gate.

use super::{First, alike, first, neighbours, tags};
use crate::VertexId;
use crate::files::Source;
use crate::files::lines::short;
use crate::files::list::List;
use crate::files::mistake::{Wrong, wrong};
use crate::files::plain::Plain;
use crate::files::widths::{self, THIRD, Width};
use std::borrow::Cow;

/// The graph of the rows, after the gate. `vertices` are there already, and no others may be, if
/// there are any.
pub fn graph<'t>(
    mut list: List<'t>,
    mut graph: Plain<'t>,
    source: &Source,
) -> Result<Plain<'t>, Wrong> {
    let is_open = graph.is_empty();
    let first = if is_open { first(&mut list, source)? } else { First::Link };
    let rows = &list.rows[usize::from(first != First::Link)..];
    if list.key.is_none() {
        neighbours(&list, rows)?;
    }
    tags(&list, rows)?;
    alike(&list, rows)?;
    let mut vertices: Vec<Option<VertexId>> = vec![None; list.words().len()];
    for row in rows {
        let at = row.at as usize;
        let mut ends = [0; 2];
        for (end, number) in ends.iter_mut().zip(row.ends) {
            let known = &mut vertices[number as usize];
            *end = match *known {
                Some(v) => v,
                None => {
                    let name = list.words()[number as usize].clone();
                    *known.insert(vertex(&mut graph, name, at, is_open)?)
                }
            };
        }
        let width = match row.third() {
            Some(third) => widths::width(list.key.unwrap_or(THIRD), list.word(third), at, source)?,
            None => Width::Unsaid,
        };
        graph.will_have(row.count.into(), at)?;
        graph.delay(row.delay);
        graph.edge(ends[0], ends[1], list.way, width, row.count);
    }
    graph.tell_numbers(&source.notices);
    Ok(graph)
}

/// The vertex of a name, in a graph that may grow or has all its vertices, which are numbers then.
fn vertex<'t>(
    graph: &mut Plain<'t>,
    name: Cow<'t, str>,
    at: usize,
    is_open: bool,
) -> Result<VertexId, Wrong> {
    if is_open {
        return Ok(graph.vertex(name));
    }
    match canonical(&name).and_then(|name| graph.find(name)) {
        Some(v) => Ok(v),
        None => {
            let last = graph.len().saturating_sub(1);
            let why =
                format!("'{}': by the first line there are vertices 0 to {last}", short(&name));
            wrong(at, why)
        }
    }
}

/// A number without zeros before it.
fn canonical(name: &str) -> Option<&str> {
    let digits = name.bytes().all(|b| b.is_ascii_digit());
    let rest = name.trim_start_matches('0');
    digits.then_some(if rest.is_empty() { "0" } else { rest })
}
