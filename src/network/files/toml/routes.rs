//! The static routes of a TOML file: for every source a table of destinations, each with the list
//! of the route's vertices after the source, the destination last. `"b#2"` takes the second of
//! parallel channels to `b`.

use super::values::{Value, word};
use crate::files::mistake::{Wrong, wrong};
use crate::routes::Between;
use crate::{ChannelId, VertexId};
use std::collections::{HashMap, HashSet};

/// A pair and the channels of its route.
type Route = (VertexId, VertexId, Vec<ChannelId>);

/// All routes.
pub fn routes(
    value: Option<&Value>,
    ids: &HashMap<&str, u32>,
    between: &Between,
) -> Result<Vec<Route>, Wrong> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let hint = "a table of destinations for every source: a = { c = [\"b\", \"c\"] }";
    let Some(sources) = value.get_ref().as_table() else {
        return wrong(value.span().start, format!("[routes] is {hint}"));
    };
    let find = |name: &str, at: usize| match ids.get(name) {
        Some(&v) => Ok(v),
        None => wrong(at, format!("'{name}' has routes but no list of neighbours")),
    };
    let mut found = Vec::new();
    for (source, destinations) in sources {
        let from = find(source.get_ref(), source.span().start)?;
        let Some(table) = destinations.get_ref().as_table() else {
            return wrong(destinations.span().start, format!("[routes] is {hint}"));
        };
        for (destination, stops) in table {
            let to = find(destination.get_ref(), destination.span().start)?;
            let route = route(from, to, stops, ids, between)?;
            found.push((from, to, route));
        }
    }
    Ok(found)
}

/// The channels of one route.
fn route(
    from: VertexId,
    to: VertexId,
    stops: &Value,
    ids: &HashMap<&str, u32>,
    between: &Between,
) -> Result<Vec<ChannelId>, Wrong> {
    let at = stops.span().start;
    let list = stops.get_ref().as_array().filter(|list| !list.is_empty());
    let Some(list) = list else {
        return wrong(at, "a route is a list of vertices after the source, the destination last");
    };
    let (mut v, mut met, mut channels) = (from, HashSet::from([from]), Vec::new());
    for stop in list.iter() {
        let (text, at) = (word(stop, "a vertex of a route")?, stop.span().start);
        let (next, number) = numbered(text, ids);
        let Some(next) = next else {
            return wrong(at, format!("'{text}' has no list of neighbours"));
        };
        let parallel = between.get(&(v, next)).map_or(&[][..], Vec::as_slice);
        let Some(&c) = number.checked_sub(1).and_then(|i| parallel.get(i)) else {
            let there = parallel.len();
            return wrong(at, format!("'{text}': {there} channels reach it from its predecessor"));
        };
        if !met.insert(next) {
            return wrong(at, format!("the route visits '{text}' twice"));
        }
        channels.push(c);
        v = next;
    }
    if v != to { wrong(at, "the route does not end at its destination") } else { Ok(channels) }
}

/// The vertex that a text names, and the number of the parallel channel to it.
pub(super) fn numbered(text: &str, ids: &HashMap<&str, u32>) -> (Option<VertexId>, usize) {
    if let Some(&v) = ids.get(text) {
        return (Some(v), 1);
    }
    let (name, number) = text.rsplit_once('#').unwrap_or((text, "1"));
    (ids.get(name).copied(), number.parse().unwrap_or(0))
}
