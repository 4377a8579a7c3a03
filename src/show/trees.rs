//! A broadcast as the trees of its messages (umda-diameter-degree-networks, table 4): for every
//! source the chains from the root to the leaves. Every place after the first is one step, `x`
//! means that the message does not move in it; `|` separates the subtrees of the root.

use super::text::{pad, width, wrap};
use crate::schedule::{RecordRef, ScheduleFile};
use std::collections::{HashMap, HashSet};

/// All trees, one a source.
pub(super) fn print(file: &ScheduleFile, columns: usize) -> String {
    let sources = sources(file);
    let first = sources.iter().map(|s| width(s)).chain([3]).max().unwrap_or(3);
    let mut sent: HashMap<&str, Vec<(usize, RecordRef<'_>)>> = HashMap::new();
    for (step, transfers) in file.steps.iter().enumerate() {
        for t in transfers {
            sent.entry(t.message.source).or_default().push((step + 1, t));
        }
    }
    let mut out =
        format!("{}  trees (x: the message does not move in this step)\n", pad("src", first));
    for source in sources {
        let words = words(source, sent.get(source).map_or(&[], Vec::as_slice));
        out += format!("{}  {}", pad(source, first), wrap(&words, first + 2, columns)).trim_end();
        out.push('\n');
    }
    out
}

/// The senders of the model, then all other sources of messages.
fn sources(file: &ScheduleFile) -> Vec<&str> {
    let others = file.steps.iter().flatten().map(|t| t.message.source);
    let senders = file.model.senders.iter().map(String::as_str);
    let mut seen = HashSet::new();
    senders.chain(others).filter(|s| seen.insert(*s)).collect()
}

/// A vertex in the tree of a message: the step in which it received the message, its parent, and
/// its children.
struct Place<'a> {
    name: &'a str,
    since: usize,
    parent: usize,
    children: Vec<usize>,
}

/// The chains of one tree as words; transfers that do not fit a tree come last, each with its step.
fn words(root: &str, transfers: &[(usize, RecordRef<'_>)]) -> Vec<String> {
    let mut places = vec![Place { name: root, since: 0, parent: 0, children: vec![] }];
    let mut index = HashMap::from([(root, 0)]);
    let mut odd = Vec::new();
    for &(step, t) in transfers {
        let parent = index.get(t.from).copied().filter(|&p| places[p].since < step);
        let Some(parent) = parent.filter(|_| !index.contains_key(t.to)) else {
            odd.push(format!("{}-{}@{step}", t.from, t.to));
            continue;
        };
        let place = places.len();
        index.insert(t.to, place);
        places.push(Place { name: t.to, since: step, parent, children: vec![] });
        places[parent].children.push(place);
    }
    let mut words = Vec::new();
    for (i, &child) in places[0].children.iter().enumerate() {
        if i > 0 {
            words.push("|".to_string());
        }
        words.extend(leaves(&places, child).into_iter().map(|leaf| chain(&places, leaf)));
    }
    if !odd.is_empty() {
        words.push("| no tree:".to_string());
        words.extend(odd);
    }
    words
}

/// The leaves below a place, depth first.
fn leaves(places: &[Place<'_>], top: usize) -> Vec<usize> {
    let (mut found, mut stack) = (vec![], vec![top]);
    while let Some(place) = stack.pop() {
        let children = &places[place].children;
        if children.is_empty() {
            found.push(place);
        }
        stack.extend(children.iter().rev());
    }
    found
}

/// The path from the root to a leaf: `0-4-x-x-9`.
fn chain(places: &[Place<'_>], leaf: usize) -> String {
    let mut way = vec![];
    let mut at = leaf;
    while at != 0 {
        way.push(places[at].name);
        let waits = places[at].since - places[places[at].parent].since - 1;
        way.extend(std::iter::repeat_n("x", waits));
        at = places[at].parent;
    }
    way.push(places[0].name);
    way.reverse();
    way.join("-")
}
