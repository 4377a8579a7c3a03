//! A broadcast as the trees of its messages (umda-diameter-degree-networks, table 4): for every
//! source the chains from the root to the leaves. Every place after the first is one step, `x`
//! means that the message does not move in it, `x*9` that it does not in nine; `|` separates the
//! subtrees of the root. A long chain starts with `..` where it leaves the one before.
//!
//! The trees of a reduction lead to the root: they are read from the right to the left, and the
//! steps from the last one. Parts of an all-reduce may meet anywhere, so their transfers are listed.

use super::sources;
use super::text::{pad, width, wrap};
use ccsched_model::schedule::file::Phase;
use ccsched_model::schedule::{RecordRef, ScheduleFile};
use std::collections::{HashMap, HashSet};

/// Longer waits are counted.
const MOST_WAITS: usize = 4;
/// Chains with more vertices are not repeated from the root.
const LONGEST: usize = 40;

/// All trees, one a source, or one a piece of its message.
pub(super) fn print(file: &ScheduleFile, columns: usize) -> String {
    let pieces = file.model.pieces.unwrap_or(1);
    let of_source = |source| (0..pieces).map(move |piece| (source, piece));
    let trees: Vec<(&str, u32)> = sources(file).into_iter().flat_map(of_source).collect();
    let label = |&(source, piece): &(&str, u32)| match piece {
        0 => source.to_string(),
        _ => format!("{source}/{piece}"),
    };
    let first = trees.iter().map(|tree| width(&label(tree))).chain([3]).max().unwrap_or(3);
    let mut sent: HashMap<(&str, u32), Vec<(usize, RecordRef<'_>)>> = HashMap::new();
    for (step, transfers) in file.steps.iter().enumerate() {
        for t in transfers {
            let tree = (t.message.source, t.message.piece.unwrap_or(0));
            sent.entry(tree).or_default().push((step + 1, t));
        }
    }
    let are_sums = file.steps.are_sums();
    let meet = file.steps.iter().flatten().any(|t| t.phase.is_some());
    let (label_of, about) = match (are_sums, meet) {
        (_, true) => ("sum", "transfers with their steps | those of the complete sum"),
        (true, false) => {
            ("to", "trees, backwards from the last step (x: nothing is added in this step)")
        }
        (false, false) => ("src", "trees (x: the message does not move in this step)"),
    };
    let mut out = format!("{}  {about}\n", pad(label_of, first));
    for tree in &trees {
        let transfers = sent.get(tree).map_or(&[][..], Vec::as_slice);
        let words = match (are_sums, meet) {
            (_, true) => listed(transfers),
            (true, false) => {
                let end = file.steps.len() + 1;
                words(tree.0, transfers.iter().rev().map(|&(step, t)| (end - step, t.to, t.from)))
            }
            (false, false) => {
                words(tree.0, transfers.iter().map(|&(step, t)| (step, t.from, t.to)))
            }
        };
        out += format!("{}  {}", pad(&label(tree), first), wrap(&words, first + 2, columns))
            .trim_end();
        out.push('\n');
    }
    out
}

/// A vertex in the tree of a message: the step in which it received the message, its parent, and
/// its children.
struct Place<'a> {
    name: &'a str,
    since: usize,
    parent: usize,
    children: Vec<usize>,
}

/// The transfers of a part of an all-reduce: those that add, then those that copy the complete sum.
fn listed(transfers: &[(usize, RecordRef<'_>)]) -> Vec<String> {
    let of = |phase: Phase| {
        let some = transfers.iter().filter(move |(_, t)| t.phase == Some(phase));
        some.map(|(step, t)| format!("{}-{}@{step}", t.from, t.to))
    };
    of(Phase::Reduce).chain(["|".into()]).chain(of(Phase::Gather)).collect()
}

/// The chains of one tree as words; transfers that do not fit a tree come last, each with its step. A
/// transfer is a step, and its ends away from the root.
fn words<'a>(
    root: &'a str,
    transfers: impl Iterator<Item = (usize, &'a str, &'a str)>,
) -> Vec<String> {
    let mut places = vec![Place { name: root, since: 0, parent: 0, children: vec![] }];
    let mut index = HashMap::from([(root, 0)]);
    let mut odd = Vec::new();
    for (step, from, to) in transfers {
        let parent = index.get(from).copied().filter(|&p| places[p].since < step);
        let Some(parent) = parent.filter(|_| !index.contains_key(to)) else {
            odd.push(format!("{from}-{to}@{step}"));
            continue;
        };
        let place = places.len();
        index.insert(to, place);
        places.push(Place { name: to, since: step, parent, children: vec![] });
        places[parent].children.push(place);
    }
    let mut words = Vec::new();
    for (i, &child) in places[0].children.iter().enumerate() {
        if i > 0 {
            words.push("|".to_string());
        }
        let mut printed = HashSet::new();
        words.extend(
            leaves(&places, child).into_iter().map(|leaf| chain(&places, leaf, &mut printed)),
        );
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

/// The path from the root to a leaf: `0-4-x-x-9`. A long one starts at a place that is `printed`.
fn chain<'a>(places: &[Place<'a>], leaf: usize, printed: &mut HashSet<usize>) -> String {
    let mut way = vec![];
    let (mut at, mut length) = (leaf, 0);
    while at != 0 && !(length >= LONGEST && printed.contains(&at)) {
        way.push(places[at].name.to_string());
        match places[at].since - places[places[at].parent].since - 1 {
            waits @ 0..=MOST_WAITS => way.extend(std::iter::repeat_n("x".to_string(), waits)),
            waits => way.push(format!("x*{waits}")),
        }
        printed.insert(at);
        (at, length) = (places[at].parent, length + 1);
    }
    way.push(places[at].name.to_string());
    if at != 0 {
        way.push("..".into());
    }
    way.reverse();
    way.join("-")
}
