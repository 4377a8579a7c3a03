//! The delays of a TOML file: how long the head of a message takes along a link. `delay = "5us"` is that of all
//! links; a table `[delay]` lists, for a vertex, the neighbours to which its links have one. A two-way link has
//! it in both directions, unless it is named from both of its ends: then each is that of the way from there.

use super::values::Value;
use super::widths::{Ends, each_named};
use crate::files::mistake::{Wrong, wrong};
use crate::{Delay, LinkKind, VertexId};
use std::collections::HashMap;
use toml::de::DeValue;

/// The delays of every link: of its first channel, and of the second.
pub fn delays(
    value: Option<&Value>,
    ids: &HashMap<&str, VertexId>,
    links: &[Ends],
    kind: LinkKind,
) -> Result<Vec<[Option<Delay>; 2]>, Wrong> {
    let Some(value) = value else { return Ok(vec![[None; 2]; links.len()]) };
    let Some(vertices) = value.get_ref().as_table() else {
        return Ok(vec![[Some(delay(value)?); 2]; links.len()]);
    };
    let mut given = vec![[None; 2]; links.len()];
    let table = (vertices, "delay", "a = { b = \"5us\" }");
    each_named(table, ids, (links, kind), |link, from, (text, value, at)| {
        match given[link][usize::from(links[link].0 != from)].replace(delay(value)?) {
            Some(_) => wrong(at, format!("'{text}': the delay of this link is given twice")),
            None => Ok(()),
        }
    })?;
    let both = |[there, back]: [Option<Delay>; 2]| [there.or(back), back.or(there)];
    Ok(given.into_iter().map(both).collect())
}

/// One delay.
fn delay(value: &Value) -> Result<Delay, Wrong> {
    let read = match value.get_ref() {
        DeValue::String(text) => Delay::parse(text, None),
        _ => None,
    };
    match read {
        Some(delay) => Ok(delay),
        None => wrong(value.span().start, format!("{}, in quotes", Delay::hint())),
    }
}
