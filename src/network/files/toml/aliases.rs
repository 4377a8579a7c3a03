//! The aliases of a TOML file: other names, each with its vertex.

use super::values::{Value, word};
use crate::files::mistake::{Wrong, wrong};
use std::collections::HashMap;

/// Other names of vertices, such as the numbers of network adapters.
pub fn aliases<'t>(
    value: Option<&'t Value<'t>>,
    ids: &HashMap<&str, u32>,
) -> Result<Vec<(&'t str, u32)>, Wrong> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let Some(table) = value.get_ref().as_table() else {
        return wrong(
            value.span().start,
            "aliases must be a table: [aliases], then x = \"vertex\"",
        );
    };
    let mut aliases = Vec::new();
    for (alias, value) in table {
        let vertex = word(value, "the vertex of an alias")?;
        let Some(&v) = ids.get(vertex) else {
            let why = format!("'{vertex}' has an alias but no list of neighbours");
            return wrong(value.span().start, why);
        };
        if ids.get(alias.get_ref().as_ref()).is_some_and(|&other| other != v) {
            let why = format!("'{}' is another vertex; no alias can name it", alias.get_ref());
            return wrong(alias.span().start, why);
        }
        aliases.push((alias.get_ref().as_ref(), v));
    }
    Ok(aliases)
}
