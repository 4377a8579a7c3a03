//! The channels that transfers hold in a step, each once for all that count as one: where messages join,
//! those over one path; where switches copy and add up, those of one tree (docs/model.md, "Copies and sums
//! in switches").

use super::ScheduleFile;
use super::file::Phase;
use super::names::NameId;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The direction in which transfers are a tree, what they carry, the end that they have in common, and with
/// hosts switching the channel there.
type Key = (bool, (NameId, u32), NameId, Option<u32>);

/// A transfer, and the channels that no transfer before it holds for both.
pub type Held<'f> = (usize, Cow<'f, [u32]>);

impl ScheduleFile {
    /// Whether switches copy messages and add up sums.
    pub fn is_multicast(&self) -> bool {
        self.model.multicast.as_deref() == Some("switch")
    }

    /// The transfers of a step, by number, each with the channels that it holds and that no earlier transfer of
    /// the same tree holds. Those that join another one over the same path are left out.
    pub fn held(&self, step: usize) -> Vec<Held<'_>> {
        if !self.is_multicast() {
            let whole = |(id, _)| (id, Cow::Borrowed(self.steps.path(id)));
            return self.joined(step).into_iter().map(whole).collect();
        }
        let mut held = Vec::new();
        for ids in self.trees(step) {
            let mut seen = HashSet::new();
            for id in ids {
                let path = self.steps.path(id).iter().copied();
                held.push((id, path.filter(|&c| seen.insert(c)).collect::<Vec<_>>().into()));
            }
        }
        held.sort_unstable_by_key(|(id, _)| *id);
        held
    }

    /// Channels that are held, summed over the steps.
    pub fn channel_steps(&self) -> usize {
        let held = |step| self.held(step).iter().map(|(_, channels)| channels.len()).sum::<usize>();
        (0..self.steps.len()).map(held).sum()
    }

    /// The transfers of a step in lists, each of which is one tree, where switches copy and add up.
    fn trees(&self, step: usize) -> Vec<Vec<usize>> {
        let (mut by_key, mut order): (HashMap<Key, Vec<usize>>, Vec<Key>) = Default::default();
        let (rest, mut trees) = self.exchanges(step);
        for id in rest {
            let key = self.key(id);
            let own = by_key.entry(key).or_default();
            if own.is_empty() {
                order.push(key);
            }
            own.push(id);
        }
        for key in order {
            let ids = by_key.remove(&key).unwrap_or_default();
            let channels: HashSet<u32> =
                ids.iter().flat_map(|&id| self.steps.path(id)).copied().collect();
            let root = &*self.steps.names()[key.2 as usize];
            let mut ends = HashSet::from([root]);
            let is_tree = channels.iter().all(|&c| match self.network.channels.get(c as usize) {
                Some(c) => ends.insert(if key.0 { &c.from } else { &c.to }),
                None => false,
            });
            match is_tree {
                true => trees.push(ids),
                false => trees.extend(ids.into_iter().map(|id| vec![id])),
            }
        }
        trees
    }

    fn key(&self, id: usize) -> Key {
        let (entry, path) = (self.steps.entry(id), self.steps.path(id));
        // Time runs backwards in a sum.
        let is_sum = self.steps.are_sums() && entry.phase != Some(Phase::Gather);
        let (end, channel) = match is_sum {
            true => (entry.to, path.last()),
            false => (entry.from, path.first()),
        };
        let channel = channel.copied().filter(|_| self.model.switching == "hosts");
        (is_sum, (entry.source, entry.piece.unwrap_or(0)), end, channel)
    }

    /// The exchanges of all of a sum over one vertex, and the other transfers.
    fn exchanges(&self, step: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut sums: HashMap<(NameId, Option<u32>), Vec<usize>> = HashMap::new();
        for id in self.steps.places(step) {
            let entry = self.steps.entry(id);
            if entry.phase == Some(Phase::Reduce) {
                sums.entry((entry.source, entry.piece)).or_default().push(id);
            }
        }
        let mut inside: HashSet<usize> = HashSet::new();
        let mut all: Vec<Vec<usize>> = Vec::new();
        for ids in sums.into_values() {
            let pairs: HashSet<[NameId; 2]> = ids.iter().map(|&id| self.steps.stops(id)).collect();
            let is_mutual = |id: &usize| {
                let [from, to] = self.steps.stops(*id);
                pairs.contains(&[to, from])
            };
            let mutual: Vec<usize> = ids.into_iter().filter(is_mutual).collect();
            let among: HashSet<NameId> = mutual.iter().map(|&id| self.steps.stops(id)[0]).collect();
            let whole = among.len() * among.len().saturating_sub(1);
            if among.len() > 2 && mutual.len() == whole && self.is_over_one(&mutual) {
                inside.extend(&mutual);
                all.push(mutual);
            }
        }
        all.sort_unstable();
        (self.steps.places(step).filter(|id| !inside.contains(id)).collect(), all)
    }

    /// Whether paths meet in a vertex, into which they lead as a tree and out of which they lead as another.
    fn is_over_one(&self, ids: &[usize]) -> bool {
        let ends = |c: u32| self.network.channels.get(c as usize).map(|c| (&*c.from, &*c.to));
        let visited = |&id: &usize| -> Option<Vec<&str>> {
            let first = self.steps.path(id).first().and_then(|&c| ends(c)).map(|ends| ends.0);
            let others = self.steps.path(id).iter().map(|&c| ends(c).map(|ends| ends.1));
            std::iter::once(first).chain(others).collect()
        };
        let paths: Option<Vec<Vec<&str>>> = ids.iter().map(visited).collect();
        let Some(paths) = paths else { return false };
        paths[0].iter().any(|hub| {
            let (mut into, mut out) = (HashSet::new(), HashSet::new());
            for (&id, path) in ids.iter().zip(&paths) {
                let Some(before) = path.iter().position(|v| v == hub) else { return false };
                let (first, second) = self.steps.path(id).split_at(before);
                into.extend(first.iter().copied());
                out.extend(second.iter().copied());
            }
            let (mut left, mut entered) = (HashSet::new(), HashSet::new());
            into.iter().all(|&c| ends(c).is_some_and(|ends| left.insert(ends.0)))
                && out.iter().all(|&c| ends(c).is_some_and(|ends| entered.insert(ends.1)))
                && into.is_disjoint(&out)
                && !into.iter().any(|&c| {
                    let other = self.network.channels[c as usize].excludes;
                    other.is_some_and(|other| out.contains(&(other as u32)))
                })
        })
    }
}
