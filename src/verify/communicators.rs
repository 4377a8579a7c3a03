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

/// A group. Its sources are the roots of its sums, if it has sums: of a reduction, it is the broadcast that
/// this is when time runs backwards.
struct Group {
    /// Whether a source has one message for all its destinations.
    broadcast: bool,
    /// Whether all members contribute to its messages, else their sources alone do.
    reduces: bool,
    /// Whether all destinations get its messages, else their sources alone do.
    gathers: bool,
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
    /// Reads a group of a model of the collective `among`.
    fn of(record: &GroupRecord, graph: &Graph<'_>, among: &str) -> Result<Self, String> {
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
        let has_sums = among != "groups";
        let has_spread = among != "reduce-groups";
        let (broadcast, from_root, to_root) = match record.collective.as_str() {
            "oab" if has_spread => (true, true, false),
            "aab" if has_spread => (true, false, false),
            "oas" if !has_sums => (false, true, false),
            "aog" if !has_sums => (false, false, true),
            "aas" if !has_sums => (false, false, false),
            "reduce" if has_sums => (true, true, false),
            "reduce-scatter" if has_sums => (true, false, false),
            "all-reduce" if has_sums && has_spread => (true, false, false),
            other => return Err(format!("'{other}' does not stand beside others in {among}")),
        };
        let reduces =
            matches!(record.collective.as_str(), "reduce" | "reduce-scatter" | "all-reduce");
        let gathers = !matches!(record.collective.as_str(), "reduce" | "reduce-scatter");
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
        Ok(Group { broadcast, reduces, gathers, members, sources, destinations })
    }

    /// Whether some vertex other than the sources of its messages, or than the destinations, is left.
    fn has_other_source(&self, v: usize) -> bool {
        self.sources.iter().any(|&s| s != v)
    }

    /// Whether a member sends something to another, and whether it gets something.
    fn ends(&self, v: usize) -> [bool; 2] {
        let (is_source, has_other) = (self.sources.contains(&v), self.has_other_source(v));
        let (sent, received) = (self.others(v).next().is_some(), self.destinations.contains(&v));
        match (self.reduces, self.gathers) {
            (true, true) => [true, true],
            (true, false) => [has_other && received, is_source && sent],
            (false, _) => [is_source && sent, has_other && received],
        }
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
        let among = m.collective.as_str();
        let is_of_groups = matches!(among, "groups" | "reduce-groups" | "sum-groups");
        let list = match (&m.groups, is_of_groups) {
            (Some(list), true) if !list.is_empty() => list,
            (_, true) => return Err("groups side by side need `groups`".into()),
            (Some(_), false) => {
                return Err(format!(
                    "`groups` are for groups, reduce-groups and sum-groups, not {among}"
                ));
            }
            (None, false) => return Ok(None),
        };
        let (mut all, mut of) = (Vec::new(), vec![Vec::new(); graph.len()]);
        for (place, record) in list.iter().enumerate() {
            let group = Group::of(record, graph, among);
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
        let same = |names: &[String], end: usize| {
            let named: BTreeSet<_> = names.iter().map(|name| graph.find(name)).collect();
            let is_end = |&v: &usize| groups.of(v).any(|(_, group)| group.ends(v)[end]);
            named == (0..graph.len()).filter(is_end).map(Some).collect()
        };
        if !same(&m.senders, 0) || !same(&m.receivers, 1) {
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

    /// The vertices that contribute to a sum of a root.
    pub fn contributors(&self, root: usize, asked: &Asked) -> Vec<usize> {
        let Group { reduces, members, .. } = &self.all[asked.group];
        if *reduces { members.iter().copied().collect() } else { vec![root] }
    }

    /// The vertices that must have the complete sum of a root.
    pub fn with_sum(&self, root: usize, asked: &Asked) -> Vec<usize> {
        let Group { gathers, members, .. } = &self.all[asked.group];
        if *gathers { members.iter().copied().collect() } else { vec![root] }
    }

    /// Transfers that all sums take at least: one for each contribution, and each receiver, but one of each.
    pub fn transfers(&self) -> u64 {
        let of_group = |group: &Group| {
            let others = group.members.len() as u64 - 1;
            let ways = u64::from(group.reduces) + u64::from(group.gathers);
            group.sources.len() as u64 * ways * others
        };
        self.all.iter().map(of_group).sum()
    }

    /// Sums to which a vertex with this mark contributes, and which one without must get.
    pub fn sums_across(&self, inside: &[bool], side: bool) -> u64 {
        let of_group = |group: &Group| {
            let is_in = |v: &&usize| inside[**v] == side;
            let [some_in, some_out] =
                [group.members.iter().any(|v| is_in(&v)), group.members.iter().any(|v| !is_in(&v))];
            let crosses = |root: &&usize| {
                let from = if group.reduces { some_in } else { is_in(root) };
                let to = if group.gathers { some_out } else { !is_in(root) };
                from && to
            };
            group.sources.iter().filter(crosses).count() as u64
        };
        self.all.iter().map(of_group).sum()
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
