//! Groups: collectives side by side in one schedule, each among members of its own. A message stays
//! among the members of its group: other terminals keep none of it, unless they are relays.
//!
//! Reductions side by side are the broadcasts side by side that they are when time runs backwards. Where sums
//! and broadcasts, or all-reduces, stand side by side, every message is a sum with contributors and receivers:
//! the content of a broadcast has one contributor, the sum of a reduction one receiver.

use super::{
    Collective, Content, DEFAULT_BYTES, Demand, Direction, MessageId, Pair, Phase, Problem, Roots,
    Switching,
};
use ccsched_base::limits::{DELIVERIES, MESSAGES};
use ccsched_base::{Error, Result};
use ccsched_network::{ChannelId, VertexId};
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
    /// The collective of these groups side by side.
    ///
    /// # Errors
    /// The first group that does not stand beside those before it, by its number from 1 and why.
    pub fn beside(groups: &[Group]) -> std::result::Result<Collective, (usize, String)> {
        let together =
            |number: usize| Collective::beside(groups[..number].iter().map(|g| g.collective));
        if let Some(all) = together(groups.len()) {
            return Ok(all);
        }
        let number = (1..=groups.len()).find(|&number| together(number).is_none()).unwrap_or(1);
        let why = match groups.get(number - 1) {
            None => "there are none".into(),
            Some(Group { collective, .. }) => format!("{collective}: {}", not_beside(*collective)),
        };
        Err((number, why))
    }

    /// Number of deliveries, about; of an all-reduce those of both phases.
    pub fn deliveries(&self) -> usize {
        let [from, to] = self.ends().map(|ends| ends.len());
        let once = from.saturating_mul(to).saturating_sub(if from == to { from } else { 1 });
        once.saturating_mul(if self.collective.is_all_reduce() { 2 } else { 1 })
    }

    /// The vertices at which messages start and end, by name: the root alone or all members.
    pub fn ends(&self) -> [Vec<&str>; 2] {
        let all = || self.members.iter().map(String::as_str).collect();
        let root = || self.root.iter().map(String::as_str).collect();
        match (self.collective.roots(), self.collective.direction()) {
            (Roots::One, Direction::ToRoots) => [all(), root()],
            (Roots::One, Direction::FromRoots | Direction::Both) => [root(), all()],
            (Roots::All | Roots::Listed | Roots::Ranked, _) => [all(), all()],
        }
    }
}

/// Why a collective does not stand beside others.
pub(super) fn not_beside(collective: Collective) -> &'static str {
    match Collective::beside([collective]) {
        None => {
            "it does not stand beside others; broadcasts, all-gathers, scatters, gathers, all-to-alls, \
             reductions, reduce-scatters and all-reduces do"
        }
        Some(_) => {
            "messages with one destination (scatters, gathers, all-to-alls) do not stand beside sums; \
             broadcasts and all-gathers do"
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
    /// By message that is not cut, its row and its group; of sums that are reduced and gathered, once.
    rows: Vec<(Row, u32)>,
    /// By row, its message.
    numbers: HashMap<Row, MessageId>,
    /// Whether every message is a sum that is reduced, then gathered.
    are_sums: bool,
}

/// A message of a group that is not cut.
struct Entry {
    row: Row,
    group: u32,
    /// Those that contribute to it, but its root.
    from: Vec<VertexId>,
    /// Those that get it, but its source or root.
    to: Vec<VertexId>,
}

impl Entry {
    /// The messages of a group, whose members are ascending.
    fn of(group: &Group, number: u32, members: &[VertexId], root: Option<VertexId>) -> Vec<Entry> {
        let collective = group.collective;
        let roots = match &root {
            Some(root) => std::slice::from_ref(root),
            None => members,
        };
        let others = |v: VertexId| members.iter().copied().filter(move |&other| other != v);
        let entry = |row, [from, to]: [Vec<VertexId>; 2]| Entry { row, group: number, from, to };
        let common = |&root: &VertexId| {
            let if_some = |is_some: bool| others(root).filter(move |_| is_some).collect();
            let [from, to] = [Direction::FromRoots, Direction::ToRoots];
            let of = [from, to].map(|none| if_some(collective.direction() != none));
            entry((root, None, None), of)
        };
        let personal = |&root: &VertexId| {
            let ends = move |other| match collective.direction() {
                Direction::ToRoots => [other, root],
                Direction::FromRoots | Direction::Both => [root, other],
            };
            let one = |[from, to]: [VertexId; 2]| entry((from, Some(to), None), [vec![], vec![to]]);
            others(root).map(ends).map(one).collect::<Vec<Entry>>()
        };
        match collective.content() {
            Content::Common => roots.iter().map(common).collect(),
            Content::Personal => roots.iter().flat_map(personal).collect(),
        }
    }
}

impl Groups {
    /// The groups of a request for this collective, whose vertices `find` looks up, the demands: by source, then
    /// group, then destination; and the lengths of the messages, if any group has one. The demands of
    /// reductions are those of the broadcasts that they are when time runs backwards, those of other sums
    /// first these, then those of their receivers.
    ///
    /// # Errors
    /// Unknown vertices, members given twice, a root that is no member, collectives that cannot stand
    /// side by side, too many messages.
    pub(super) fn of(
        collective: Collective,
        groups: &[Group],
        find: impl Fn(&str) -> Result<VertexId>,
    ) -> Result<(Self, Vec<Demand>, Option<Vec<u64>>)> {
        let wrong = |number: usize, why| Error::field("group", format!("group {number}: {why}"));
        let together = Group::beside(groups).map_err(|(number, why)| wrong(number, why))?;
        if together != collective {
            let why = format!("the collective of these groups is {together}, not {collective}");
            return Err(Error::field("group", why));
        }
        let (mut members, mut spread) = (Vec::with_capacity(groups.len()), Vec::new());
        let mut all: Vec<Entry> = Vec::new();
        let mut deliveries = 0;
        for (number, group) in (0..).zip(groups) {
            let (mine, root) = checked(group, number as usize + 1, &find)?;
            deliveries += group.deliveries();
            if deliveries > DELIVERIES {
                let why = format!("the groups have more than {DELIVERIES} deliveries");
                return Err(Error::field("group", why));
            }
            all.extend(Entry::of(group, number, &mine, root));
            members.push(mine);
            spread.push(group.collective.content().is_common());
        }
        all.sort_by_key(|Entry { row, group, to, .. }| (row.0, *group, to.first().copied()));
        number_copies(&mut all);
        let (parts, are_sums) = (all.len() as MessageId, collective == Collective::SumGroups);
        let of = |(message, source): (MessageId, VertexId), ends: &[VertexId]| {
            let demand = |&destination| Demand { message, source, destination };
            ends.iter().map(demand).collect::<Vec<Demand>>()
        };
        let back = (0..).zip(&all).map(|(id, entry)| of((id, entry.row.0), &entry.from));
        let first = if are_sums { parts } else { 0 };
        let ahead = (first..).zip(&all).map(|(id, entry)| of((id, entry.row.0), &entry.to));
        let demands: Vec<Vec<Demand>> = match collective {
            Collective::ReduceGroups => back.collect(),
            Collective::SumGroups => back.chain(ahead).collect(),
            _ => ahead.collect(),
        };
        let has_lengths = groups.iter().any(|group| group.bytes.is_some());
        let length = |entry: &Entry| groups[entry.group as usize].bytes.unwrap_or(DEFAULT_BYTES);
        let times = if are_sums { 2 } else { 1 };
        let all_times = std::iter::repeat_n(&all, times).flatten();
        let lengths = has_lengths.then(|| all_times.map(length).collect());
        let rows: Vec<(Row, u32)> = all.iter().map(|entry| (entry.row, entry.group)).collect();
        let numbers = (0..).zip(&rows).map(|(number, (row, _))| (*row, number)).collect();
        Ok((Groups { members, spread, rows, numbers, are_sums }, demands.concat(), lengths))
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
        let (row, group) = self.rows[whole as usize % self.rows.len()];
        (row, group as usize)
    }

    /// Demands of messages that are not cut from where they are sent to where they are received, by both ends.
    pub(super) fn as_sent(&self, collective: Collective, demands: &[Demand]) -> Vec<Demand> {
        let is_back = |d: &Demand| match self.phase(d.message) {
            Some(phase) => phase == Phase::Reduce,
            None => collective.is_reduction(),
        };
        let turned = |d: &Demand| match is_back(d) {
            true => Demand { source: d.destination, destination: d.source, ..*d },
            false => *d,
        };
        let mut sent: Vec<Demand> = demands.iter().map(turned).collect();
        sent.sort_unstable_by_key(|d| (d.source, d.destination));
        sent
    }

    /// Number of messages that are not cut: a sum that is reduced and gathered is two.
    pub(super) fn messages(&self) -> usize {
        self.rows.len() * if self.are_sums { 2 } else { 1 }
    }

    /// What a transfer of a message that is not cut does with a sum.
    pub(super) fn phase(&self, whole: MessageId) -> Option<Phase> {
        let reduces = (whole as usize) < self.rows.len();
        self.are_sums.then_some(if reduces { Phase::Reduce } else { Phase::Gather })
    }

    /// The message with this row and phase; without a copy, the first of those with its ends.
    pub(super) fn find(&self, row: Row, phase: Option<Phase>) -> Option<MessageId> {
        let (source, destination, copy) = row;
        let first = || self.numbers.get(&(source, destination, Some(1)));
        let number = *self.numbers.get(&row).or_else(|| copy.is_none().then(first)?)?;
        let is_last = self.are_sums && phase? == Phase::Gather;
        Some(number + if is_last { self.rows.len() as MessageId } else { 0 })
    }

    /// Whether some messages have the same ends.
    pub(super) fn have_copies(&self) -> bool {
        self.rows.iter().any(|((.., copy), _)| copy.is_some())
    }
}

/// The members of a group, ascending, and its root, if it has one.
fn checked(
    group: &Group,
    number: usize,
    find: &impl Fn(&str) -> Result<VertexId>,
) -> Result<(Vec<VertexId>, Option<VertexId>)> {
    let wrong = |why: String| Error::field("group", format!("group {number}: {why}"));
    let Group { collective, root, .. } = group;
    if (collective.roots() == Roots::One) != root.is_some() {
        let needs = if root.is_some() { "has no root" } else { "needs a root" };
        return Err(wrong(format!("{collective} {needs}")));
    }
    if let Some(root) = root.as_ref().filter(|root| !group.members.contains(root)) {
        return Err(wrong(format!("the root '{root}' is no member of its group")));
    }
    let mut mine = group.members.iter().map(|name| find(name)).collect::<Result<Vec<_>>>()?;
    mine.sort_unstable();
    if let Some(twice) = mine.windows(2).find(|two| two[0] == two[1]) {
        let is_it = |name: &&String| find(name).is_ok_and(|v| v == twice[0]);
        let name = group.members.iter().find(is_it).map_or("", |name| name);
        return Err(wrong(format!("'{name}' is listed twice")));
    }
    if mine.len() < 2 {
        return Err(wrong("a group of one member has nothing to send".into()));
    }
    Ok((mine, root.as_ref().map(|name| find(name)).transpose()?))
}

/// Numbers the messages with the same ends, in the order of their groups.
fn number_copies(all: &mut [Entry]) {
    let mut count: HashMap<Row, u32> = HashMap::new();
    all.iter().for_each(|entry| *count.entry(entry.row).or_default() += 1);
    count.retain(|_, count| *count > 1);
    let mut next: HashMap<Row, u32> = count.into_keys().map(|row| (row, 0)).collect();
    for Entry { row, .. } in all {
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
        // Files have the switching that was asked for.
        match self.asked_switching() {
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
            let whole = d.message / self.pieces();
            let (of, group) = (groups.phase(whole), groups.row(whole).1);
            if checked != Some((d.source, group, of)) {
                checked = Some((d.source, group, of));
                self.check_reach(d, of == Some(Phase::Reduce), group)?;
            }
        }
        Ok(())
    }

    /// Checks that the source of a demand reaches all members of its group among them and switches, or with
    /// time reversed that these reach it.
    fn check_reach(&self, d: &Demand, is_back: bool, group: usize) -> Result<()> {
        let members = &self.grouped().members[group];
        let mut seen = vec![false; self.network.vertices().len()];
        seen[d.source as usize] = true;
        let mut reached = vec![d.source];
        let mut next = 0;
        while let Some(&v) = reached.get(next) {
            next += 1;
            let ends = |c: &ChannelId| {
                let c = self.network.channel(*c);
                if is_back { c.from } else { c.to }
            };
            let network = &self.network;
            let beside = if is_back { network.incoming(v) } else { network.outgoing(v) };
            for to in beside.iter().map(ends).filter(|&to| self.may_hold(d.message, to)) {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    reached.push(to);
                }
            }
        }
        let Some(&lost) = members.iter().find(|&&v| !seen[v as usize]) else { return Ok(()) };
        let mut ends = [d.source, lost];
        // A reduction is posed backwards.
        if is_back || self.collective.is_reduction() {
            ends.reverse();
        }
        let [from, lost] = ends.map(|v| self.network.vertex_name(v));
        let why = format!(
            "group {}: '{lost}' cannot be reached from '{from}' by way of its members and switches; \
             other terminals pass messages on if this is all",
            group + 1
        );
        Err(Error::field("relays", why))
    }
}
