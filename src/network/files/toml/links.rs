//! The links of a TOML file, from its neighbour lists: every neighbour must be a vertex, and the
//! two lists of a two-way link must agree.

use super::values::{Lists, word};
use crate::LinkKind;
use crate::files::mistake::{Wrong, wrong};
use std::collections::HashMap;

/// The links, in order.
pub fn links(
    lists: &Lists,
    ids: &HashMap<&str, u32>,
    kind: LinkKind,
) -> Result<Vec<(u32, u32)>, Wrong> {
    let mut entries = Vec::new();
    for (from, (owner, list)) in lists.iter().enumerate() {
        let owner = owner.get_ref();
        for entry in list.iter() {
            let (name, at) = (word(entry, "a neighbour")?, entry.span().start);
            let Some(&to) = ids.get(name) else {
                let why = format!("'{name}', a neighbour of '{owner}', has no list of its own");
                return wrong(at, why);
            };
            if to == from as u32 {
                return wrong(at, format!("'{owner}' is in its own list; links join two vertices"));
            }
            entries.push((from as u32, to, at));
        }
    }
    if kind != LinkKind::OneWay {
        agree(lists, &entries)?;
        entries.retain(|(from, to, _)| from < to);
    }
    Ok(entries.iter().map(|&(from, to, _)| (from, to)).collect())
}

/// Checks that two-way links are in the lists of both their ends, equally often.
fn agree(lists: &Lists, entries: &[(u32, u32, usize)]) -> Result<(), Wrong> {
    let mut times: HashMap<(u32, u32), u32> = HashMap::new();
    for &(from, to, _) in entries {
        *times.entry((from, to)).or_default() += 1;
    }
    let mut seen: HashMap<(u32, u32), u32> = HashMap::new();
    for &(from, to, at) in entries {
        let there = *times.get(&(to, from)).unwrap_or(&0);
        let here = seen.entry((from, to)).or_default();
        *here += 1;
        if *here > there {
            let [a, b] = [from, to].map(|v| lists[v as usize].0.get_ref());
            let times = times[&(from, to)];
            let why = format!(
                "'{a}' lists '{b}' {times}x, but '{b}' lists '{a}' {there}x; \
                 two-way links must be in both lists (or set links = \"one-way\")"
            );
            return wrong(at, why);
        }
    }
    Ok(())
}
