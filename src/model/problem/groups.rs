//! Groups: collectives side by side in one schedule, each among members of its own. A message stays
//! among the members of its group: other terminals keep none of it, unless they are relays.

use super::{
    Collective, Content, DEFAULT_BYTES, Demand, Direction, MessageId, Pair, Problem, Roots,
    Switching,
};
use ccsched_base::limits::{DELIVERIES, MESSAGES};
use ccsched_base::{Error, Result};
use ccsched_network::VertexId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A collective among some terminals, which are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What its members do.
    pub collective: Collective,
    /// The members, in the order of their ranks.
    pub members: Vec<String>,
    /// The root, if the collective has one: a member.
    pub root: Option<String>,
    /// Length of each message; that of the time model by default.
    pub bytes: Option<u64>,
}

impl Group {
    /// Whether groups of this collective can be scheduled side by side.
    pub fn is_of(collective: Collective) -> bool {
        collective.roots() != Roots::Listed && !collective.has_sums()
    }

    /// The vertices at which messages start and end, by name: the root alone or all members.
    pub fn ends(&self) -> [Vec<&str>; 2] {
        let all = || self.members.iter().map(String::as_str).collect();
        let root = || self.root.iter().map(String::as_str).collect();
        match (self.collective.roots(), self.collective.direction()) {
            (Roots::One, Direction::ToRoots) => [all(), root()],
            (Roots::One, Direction::FromRoots | Direction::Both) => [root(), all()],
            (Roots::All | Roots::Listed, _) => [all(), all()],
        }
    }
}

/// The pairs of groups whose messages have one destination each: together they are a traffic. None if
/// a message of one of them has several.
pub fn pairs(groups: &[Group]) -> Option<Vec<Pair>> {
    let mut pairs = Vec::new();
    for group in groups {
        if group.collective.content().is_common() {
            return None;
        }
        let [sources, destinations] = group.ends();
        for source in sources {
            let others = destinations.iter().filter(|&&d| d != source);
            let pair = |d: &&str| Pair {
                source: source.into(),
                destination: d.to_string(),
                bytes: group.bytes,
                count: 1,
            };
            pairs.extend(others.map(pair).take((MESSAGES + 1).saturating_sub(pairs.len())));
        }
    }
    Some(pairs)
}

/// The ends of a message, without a destination if it is for all of its group, and which of several with
/// these ends it is, from 1; none if there is one.
pub(super) type Row = (VertexId, Option<VertexId>, Option<u32>);

/// The groups of a problem.
#[derive(Clone, Debug)]
pub struct Groups {
    /// By group, the members in ascending order.
    members: Vec<Vec<VertexId>>,
    /// By group, whether a message of it is for several members.
    spread: Vec<bool>,
    /// By message that is not cut, its row and its group.
    rows: Vec<(Row, u32)>,
    /// By row, its message.
    numbers: HashMap<Row, MessageId>,
}

impl Groups {
    /// The groups of a request, whose vertices `find` looks up, the demands: by source, then group, then
    /// destination; and the lengths of the messages, if any group has one.
    ///
    /// # Errors
    /// Unknown vertices, members given twice, a root that is no member, collectives that cannot stand
    /// side by side, too many messages.
    pub(super) fn of(
        groups: &[Group],
        find: impl Fn(&str) -> Result<VertexId>,
    ) -> Result<(Self, Vec<Demand>, Option<Vec<u64>>)> {
        let (mut members, mut spread) = (Vec::with_capacity(groups.len()), Vec::new());
        let mut all: Vec<(Row, u32, Vec<VertexId>)> = Vec::new();
        let mut deliveries = 0;
        for (number, group) in (0..).zip(groups) {
            let wrong = |why: String| Error::field("group", format!("group {}: {why}", number + 1));
            let collective = group.collective;
            if !Group::is_of(collective) {
                return Err(wrong(format!(
                    "{collective} does not stand beside others; broadcasts, all-gathers, scatters, \
                     gathers and all-to-alls do"
                )));
            }
            if (collective.roots() == Roots::One) != group.root.is_some() {
                let needs = if group.root.is_some() { "has no root" } else { "needs a root" };
                return Err(wrong(format!("{collective} {needs}")));
            }
            if let Some(root) = group.root.as_ref().filter(|root| !group.members.contains(root)) {
                return Err(wrong(format!("the root '{root}' is no member of its group")));
            }
            let ids = |names: Vec<&str>| -> Result<Vec<VertexId>> {
                let mut ids = names.into_iter().map(&find).collect::<Result<Vec<_>>>()?;
                ids.sort_unstable();
                Ok(ids)
            };
            let mine = ids(group.members.iter().map(String::as_str).collect())?;
            if let Some(twice) = mine.windows(2).find(|two| two[0] == two[1]) {
                let is_it = |name: &&String| find(name).is_ok_and(|v| v == twice[0]);
                let name = group.members.iter().find(is_it).map_or("", |name| name);
                return Err(wrong(format!("'{name}' is listed twice")));
            }
            if mine.len() < 2 {
                return Err(wrong("a group of one member has nothing to send".into()));
            }
            let [sources, destinations] = group.ends();
            let (sources, destinations) = (ids(sources)?, ids(destinations)?);
            deliveries += sources.len().saturating_mul(destinations.len());
            if deliveries > DELIVERIES {
                let why = format!("the groups have more than {DELIVERIES} deliveries");
                return Err(Error::field("group", why));
            }
            for &source in &sources {
                let others: Vec<VertexId> =
                    destinations.iter().copied().filter(|&d| d != source).collect();
                match collective.content() {
                    Content::Common => all.push(((source, None, None), number, others)),
                    Content::Personal => all.extend(
                        others.into_iter().map(|d| ((source, Some(d), None), number, vec![d])),
                    ),
                }
            }
            members.push(mine);
            spread.push(collective.content().is_common());
        }
        all.sort_by_key(|((source, ..), group, to)| (*source, *group, to[0]));
        number_copies(&mut all);
        let demands_of = |(message, (row, _, to)): (MessageId, &(Row, u32, Vec<VertexId>))| {
            let source = row.0;
            to.iter().map(move |&destination| Demand { message, source, destination }).collect()
        };
        let demands: Vec<Vec<Demand>> = (0..).zip(&all).map(demands_of).collect();
        let has_lengths = groups.iter().any(|group| group.bytes.is_some());
        let length = |(_, of, _): &(_, u32, _)| groups[*of as usize].bytes.unwrap_or(DEFAULT_BYTES);
        let lengths = has_lengths.then(|| all.iter().map(length).collect());
        let rows: Vec<(Row, u32)> = all.into_iter().map(|(row, of, _)| (row, of)).collect();
        let numbers = (0..).zip(&rows).map(|(number, (row, _))| (*row, number)).collect();
        Ok((Groups { members, spread, rows, numbers }, demands.concat(), lengths))
    }

    /// By group, its members in ascending order.
    pub fn members(&self) -> &[Vec<VertexId>] {
        &self.members
    }

    /// By vertex, its groups whose messages are for several members: there it may pass them on.
    pub fn spreading(&self, vertices: usize) -> Vec<Vec<u32>> {
        let mut of_vertex = vec![Vec::new(); vertices];
        for (group, members) in (0..).zip(&self.members).filter(|&(g, _)| self.spread[g as usize]) {
            members.iter().for_each(|&v| of_vertex[v as usize].push(group));
        }
        of_vertex
    }

    /// The group of a message, if messages are not cut.
    pub fn of_message(&self, message: MessageId) -> usize {
        self.row(message).1
    }

    /// The row and the group of a message that is not cut.
    pub(super) fn row(&self, whole: MessageId) -> (Row, usize) {
        let (row, group) = self.rows[whole as usize];
        (row, group as usize)
    }

    /// The message with this row; without a copy, the first of those with its ends.
    pub(super) fn find(&self, row: Row) -> Option<MessageId> {
        let (source, destination, copy) = row;
        let first = || self.numbers.get(&(source, destination, Some(1)));
        self.numbers.get(&row).or_else(|| copy.is_none().then(first)?).copied()
    }

    /// Whether some messages have the same ends.
    pub(super) fn have_copies(&self) -> bool {
        self.rows.iter().any(|((.., copy), _)| copy.is_some())
    }
}

/// Numbers the messages with the same ends, in the order of their groups.
fn number_copies(all: &mut [(Row, u32, Vec<VertexId>)]) {
    let mut count: HashMap<Row, u32> = HashMap::new();
    all.iter().for_each(|(row, ..)| *count.entry(*row).or_default() += 1);
    count.retain(|_, count| *count > 1);
    let mut next: HashMap<Row, u32> = count.into_keys().map(|row| (row, 0)).collect();
    for (row, ..) in all {
        if let Some(last) = next.get_mut(row) {
            *last += 1;
            row.2 = Some(*last);
        }
    }
}

impl Problem {
    /// Checks that the members of every group reach each other where they may, with a switching that
    /// groups are scheduled with.
    ///
    /// # Errors
    /// Members that are cut off, hosts switching.
    pub(super) fn check_groups(&self) -> Result<()> {
        let Some(groups) = &self.groups else { return Ok(()) };
        match self.switching {
            Switching::Hosts => {
                let why = "hosts: groups of several collectives are scheduled with wormhole or \
                           store-and-forward switching";
                return Err(Error::field("switching", why));
            }
            // Paths pass all routers.
            Switching::Wormhole => return Ok(()),
            Switching::StoreAndForward => {}
        }
        let mut checked = None;
        for d in &self.demands {
            let (_, group) = groups.row(d.message / self.pieces());
            if checked != Some((d.source, group)) {
                checked = Some((d.source, group));
                self.check_reach(d, &groups.members[group], group)?;
            }
        }
        Ok(())
    }

    /// Checks that the source of a demand reaches all members of its group among them and switches.
    fn check_reach(&self, d: &Demand, members: &[VertexId], group: usize) -> Result<()> {
        let mut seen = vec![false; self.network.vertices().len()];
        seen[d.source as usize] = true;
        let mut reached = vec![d.source];
        let mut next = 0;
        while let Some(&v) = reached.get(next) {
            next += 1;
            for to in self.network.heads(v).filter(|&to| self.may_hold(d.message, to)) {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    reached.push(to);
                }
            }
        }
        let Some(&lost) = members.iter().find(|&&v| !seen[v as usize]) else { return Ok(()) };
        let [from, lost] = [d.source, lost].map(|v| self.network.vertex_name(v));
        let why = format!(
            "group {}: '{lost}' cannot be reached from '{from}' by way of its members and switches; \
             other terminals pass messages on if this is all",
            group + 1
        );
        Err(Error::field("relays", why))
    }
}
