//! Groups side by side: the messages that they ask for, and where these may be.

use super::graph::Graph;
use ccsched_model::schedule::file::{GroupRecord, ModelRecord};
use std::collections::{BTreeMap, BTreeSet};

/// All groups of a model.
pub(super) struct Groups {
    all: Vec<Group>,
    /// By vertex, the groups that it is a member of.
    of: Vec<Vec<usize>>,
    /// By source, destination and copy, the bytes of a message, if messages have lengths.
    lengths: Option<BTreeMap<Named, u64>>,
}

/// A message by its source, its destination and which of several it is.
type Named = (usize, Option<usize>, u64);

/// A group.
struct Group {
    /// Whether a source has one message for all its destinations.
    broadcast: bool,
    members: BTreeSet<usize>,
    sources: BTreeSet<usize>,
    destinations: BTreeSet<usize>,
}

/// A message that is asked for.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    /// Its one destination; none if it is for all of its group.
    pub destination: Option<usize>,
    /// Which of those with these ends it is, from 0, whole messages counted.
    pub copy: u64,
    group: usize,
}

impl Group {
    /// Reads a group.
    fn of(record: &GroupRecord, graph: &Graph<'_>) -> Result<Self, String> {
        let mut members = BTreeSet::new();
        for name in &record.members {
            let v = graph.find(name).filter(|&v| graph.terminal[v]);
            let v = v.ok_or_else(|| format!("the member '{name}' is no terminal"))?;
            if !members.insert(v) {
                return Err(format!("the member '{name}' is listed twice"));
            }
        }
        if members.len() < 2 {
            return Err("it needs two members".into());
        }
        let (broadcast, from_root, to_root) = match record.collective.as_str() {
            "oab" => (true, true, false),
            "aab" => (true, false, false),
            "oas" => (false, true, false),
            "aog" => (false, false, true),
            "aas" => (false, false, false),
            other => return Err(format!("'{other}' does not stand beside others")),
        };
        let root = match (&record.source, from_root || to_root) {
            (Some(name), true) => graph.find(name).filter(|v| members.contains(v)),
            (None, false) => None,
            _ => return Err("a group has a `source` if its collective has one root".into()),
        };
        let ends = |is_root: bool| match (is_root, root) {
            (false, _) => Ok(members.clone()),
            (true, Some(root)) => Ok(BTreeSet::from([root])),
            (true, None) => Err("its `source` is no member".to_string()),
        };
        let (sources, destinations) = (ends(from_root)?, ends(to_root)?);
        Ok(Group { broadcast, members, sources, destinations })
    }

    /// The destinations of the messages of a source.
    fn others(&self, source: usize) -> impl Iterator<Item = usize> + '_ {
        self.destinations.iter().copied().filter(move |&d| d != source)
    }
}

impl Groups {
    /// Reads the groups of a model, which the collective of this name alone has; its senders and
    /// receivers must be theirs.
    pub fn build(m: &ModelRecord, graph: &Graph<'_>) -> Result<Option<Self>, String> {
        let list = match (&m.groups, m.collective.as_str()) {
            (Some(list), "groups") if !list.is_empty() => list,
            (_, "groups") => return Err("groups side by side need `groups`".into()),
            (Some(_), other) => {
                return Err(format!("`groups` are for the collective groups, not {other}"));
            }
            (None, _) => return Ok(None),
        };
        let (mut all, mut of) = (Vec::new(), vec![Vec::new(); graph.len()]);
        for (place, record) in list.iter().enumerate() {
            let group = Group::of(record, graph);
            let group = group.map_err(|why| format!("`groups`, {}: {why}", place + 1))?;
            group.members.iter().for_each(|&v| of[v].push(place));
            all.push(group);
        }
        let mut groups = Groups { all, of, lengths: None };
        let bytes: Vec<u64> = list.iter().filter_map(|record| record.bytes).collect();
        if !bytes.is_empty() && bytes.len() < list.len() {
            return Err("either all `groups` have `bytes`, or none".into());
        }
        if !bytes.is_empty() {
            let of_source = |v| groups.of_source(v).into_iter().map(move |asked| (v, asked));
            let length = |(v, asked): (usize, Asked)| {
                ((v, asked.destination, asked.copy), bytes[asked.group])
            };
            let lengths = (0..graph.len()).flat_map(of_source).map(length).collect();
            groups.lengths = Some(lengths);
        }
        let same = |names: &[String], counts: &dyn Fn(usize) -> u64| {
            let named: BTreeSet<_> = names.iter().map(|name| graph.find(name)).collect();
            named == (0..graph.len()).filter(|&v| counts(v) > 0).map(Some).collect()
        };
        let is_right =
            same(&m.senders, &|v| groups.sent(v)) && same(&m.receivers, &|v| groups.received(v));
        if !is_right {
            return Err("senders and receivers are not those of `groups`".into());
        }
        Ok(Some(groups))
    }

    /// Whether messages have lengths.
    pub fn have_lengths(&self) -> bool {
        self.lengths.is_some()
    }

    /// The bytes of a message that is asked for, if messages have lengths.
    pub fn length(&self, source: usize, destination: Option<usize>, copy: u64) -> Option<u64> {
        self.lengths.as_ref()?.get(&(source, destination, copy)).copied()
    }

    /// The groups in which a vertex is.
    fn of(&self, v: usize) -> impl Iterator<Item = (usize, &Group)> {
        self.of[v].iter().map(|&group| (group, &self.all[group]))
    }

    /// Messages from one vertex that must reach another.
    pub fn count(&self, from: usize, to: usize) -> u64 {
        let asks = |(_, group): &(usize, &Group)| {
            from != to && group.sources.contains(&from) && group.destinations.contains(&to)
        };
        self.of(from).filter(asks).count() as u64
    }

    /// Messages that start at a vertex.
    pub fn sent(&self, v: usize) -> u64 {
        self.of_source(v).len() as u64
    }

    /// Deliveries of the messages of a vertex.
    pub fn delivered(&self, v: usize) -> u64 {
        let of_source = self.of(v).filter(|(_, group)| group.sources.contains(&v));
        of_source.map(|(_, group)| group.others(v).count() as u64).sum()
    }

    /// Deliveries to a vertex.
    pub fn received(&self, v: usize) -> u64 {
        let of_receiver = self.of(v).filter(|(_, group)| group.destinations.contains(&v));
        let from = |group: &Group| group.sources.iter().filter(|&&s| s != v).count();
        of_receiver.map(|(_, group)| from(group) as u64).sum()
    }

    /// Messages from a vertex with this mark that must reach one without.
    pub fn crossing(&self, inside: &[bool], side: bool) -> u64 {
        let of_group = |group: &Group| {
            let sources = group.sources.iter().filter(|&&v| inside[v] == side).count() as u64;
            let others = group.destinations.iter().filter(|&&v| inside[v] != side).count() as u64;
            sources * if group.broadcast { others.min(1) } else { others }
        };
        self.all.iter().map(of_group).sum()
    }

    /// The messages of a source, group by group.
    pub fn of_source(&self, source: usize) -> Vec<Asked> {
        let mut asked: Vec<Asked> = Vec::new();
        // By destination, the messages so far; those for all of a group last.
        let mut copies = BTreeMap::new();
        let mut next = |destination: Option<usize>| {
            let copy: &mut u64 = copies.entry(destination).or_default();
            *copy += 1;
            *copy - 1
        };
        for (group, of) in self.of(source).filter(|(_, of)| of.sources.contains(&source)) {
            let mut ask = |destination| {
                asked.push(Asked { destination, copy: next(destination), group });
            };
            match of.broadcast {
                true if of.others(source).next().is_some() => ask(None),
                true => {}
                false => of.others(source).for_each(|d| ask(Some(d))),
            }
        }
        asked
    }

    /// The vertices that must receive a message of a source.
    pub fn receivers(&self, source: usize, asked: &Asked) -> Vec<usize> {
        match asked.destination {
            Some(destination) => vec![destination],
            None => self.all[asked.group].others(source).collect(),
        }
    }

    /// Whether a message of a source may be at a terminal that is no relay; those with one destination go
    /// `straight` where paths are held.
    pub fn may_hold(&self, source: usize, asked: &Asked, v: usize, straight: bool) -> bool {
        match asked.destination {
            Some(destination) if straight => v == source || v == destination,
            _ => self.all[asked.group].members.contains(&v),
        }
    }
}
