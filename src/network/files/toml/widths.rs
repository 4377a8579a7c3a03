//! The widths of a TOML file, that is, the capacities of its links. `width = 2` is the width of all
//! links; a table `[width]` lists, for a vertex, the neighbours to which its links are wider than
//! 1, each with the width. `"b#2"` takes the second of parallel links to `b`.

use super::routes::numbered;
use super::values::Value;
use crate::files::mistake::{Wrong, wrong};
use crate::{LinkKind, MAX_CAPACITY, VertexId};
use std::collections::HashMap;
use toml::de::{DeTable, DeValue};

/// The vertices that a link joins.
pub(super) type Ends = (VertexId, VertexId);

/// The capacity of every link.
pub fn widths(
    value: Option<&Value>,
    ids: &HashMap<&str, VertexId>,
    links: &[Ends],
    kind: LinkKind,
) -> Result<Vec<u32>, Wrong> {
    let Some(value) = value else { return Ok(vec![1; links.len()]) };
    let Some(vertices) = value.get_ref().as_table() else {
        return Ok(vec![width(value)?; links.len()]);
    };
    let mut given = vec![None; links.len()];
    each_named(
        (vertices, "width", "a = { b = 2 }"),
        ids,
        (links, kind),
        |link, _, (text, value, at)| match given[link].replace(width(value)?) {
            Some(_) => wrong(at, format!("'{text}': the width of this link is given twice")),
            None => Ok(()),
        },
    )?;
    Ok(given.into_iter().map(|width| width.unwrap_or(1)).collect())
}

/// Calls `each` for every link that a table names, with the place in the list of links, the vertex that it is
/// named from, and the entry: its text, its value and its place. `what` the table gives, and how, are for
/// messages. A two-way link may be named from either of its ends.
pub(super) fn each_named<'t>(
    (vertices, what, like): (&'t DeTable<'t>, &str, &str),
    ids: &HashMap<&str, VertexId>,
    (links, kind): (&[Ends], LinkKind),
    mut each: impl FnMut(usize, VertexId, (&'t str, &'t Value<'t>, usize)) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    let key = |(from, to): Ends| match kind {
        LinkKind::OneWay => (from, to),
        _ => (from.min(to), from.max(to)),
    };
    let mut between: HashMap<Ends, Vec<usize>> = HashMap::new();
    for (link, &ends) in links.iter().enumerate() {
        between.entry(key(ends)).or_default().push(link);
    }
    for (name, neighbours) in vertices {
        let Some(&from) = ids.get(name.get_ref().as_ref()) else {
            let why = format!("'{}' has a {what} but no list of neighbours", name.get_ref());
            return wrong(name.span().start, why);
        };
        let Some(neighbours) = neighbours.get_ref().as_table() else {
            let hint = format!("[{what}] has a table of neighbours for every vertex: {like}");
            return wrong(neighbours.span().start, hint);
        };
        for (neighbour, value) in neighbours {
            let (text, at) = (neighbour.get_ref().as_ref(), neighbour.span().start);
            let (to, number) = numbered(text, ids);
            let parallel = to.and_then(|to| between.get(&key((from, to))));
            let link = parallel.and_then(|all| all.get(number.checked_sub(1)?));
            let Some(&link) = link else {
                let there = parallel.map_or(0, Vec::len);
                let why = format!("'{text}': {there} links lead to it from '{}'", name.get_ref());
                return wrong(at, why);
            };
            each(link, from, (text, value, at))?;
        }
    }
    Ok(())
}

/// One width.
fn width(value: &Value) -> Result<u32, Wrong> {
    let number = match value.get_ref() {
        DeValue::Integer(i) => u32::from_str_radix(i.as_str(), i.radix()).ok(),
        _ => None,
    };
    match number.filter(|number| (1..=MAX_CAPACITY).contains(number)) {
        Some(number) => Ok(number),
        None => {
            let why = format!("a width is a whole number from 1 to {MAX_CAPACITY}");
            wrong(value.span().start, why)
        }
    }
}
