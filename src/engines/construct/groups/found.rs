//! The groups of a problem. Where all messages have one destination each, the problem is a traffic that knows nothing of
//! groups: those in which every member has a message for every other one are found again.

use ccsched_model::problem::{Collective, Demand, MessageId, Problem, Roots};
use ccsched_network::VertexId;
use std::collections::{BTreeSet, HashMap};

/// A collective among some members.
pub struct Group {
    pub collective: Collective,
    /// The root, if the collective has one.
    pub root: Option<VertexId>,
    /// The members, ascending.
    pub members: Vec<VertexId>,
    /// By source, and destination if it has one, the message.
    messages: HashMap<(VertexId, Option<VertexId>), MessageId>,
}

impl Group {
    /// The message from a member to another one, or to all.
    pub fn message(&self, from: VertexId, to: VertexId) -> Option<MessageId> {
        let sent = |destination| self.messages.get(&(from, destination)).copied();
        sent(Some(to)).or_else(|| sent(None))
    }

    /// Whether every member has something for every other one.
    pub fn is_exchange(&self) -> bool {
        self.collective.roots() == Roots::All
    }
}

/// Groups, and the number of messages that are of none of them.
pub struct Found {
    pub groups: Vec<Group>,
    pub left: usize,
}

/// The groups of a problem; none if there are none.
pub fn of(problem: &Problem) -> Option<Found> {
    let found = match problem.groups() {
        Some(_) => Found { groups: listed(problem)?, left: 0 },
        None => among(problem.demands()),
    };
    (!found.groups.is_empty()).then_some(found)
}

/// The groups that the request lists.
fn listed(problem: &Problem) -> Option<Vec<Group>> {
    let of_problem = problem.groups()?;
    let asked = problem.request().groups.as_ref()?;
    // Reductions are posed as the broadcasts that they are when time runs backwards.
    let posed = |collective: Collective| match (collective.is_reduction(), collective.roots()) {
        (true, Roots::One) => Collective::Oab,
        (true, Roots::All | Roots::Listed | Roots::Ranked) => Collective::Aab,
        (false, _) => collective,
    };
    let group = |(asked, members): (&ccsched_model::problem::Group, &Vec<VertexId>)| Group {
        collective: posed(asked.collective),
        root: asked.root.as_ref().and_then(|root| problem.network().find(root)),
        members: members.clone(),
        messages: HashMap::new(),
    };
    let mut groups: Vec<Group> = asked.iter().zip(of_problem.members()).map(group).collect();
    for id in 0..problem.messages() as MessageId {
        let row = problem.message(id);
        let group = &mut groups[of_problem.of_message(id)];
        group.messages.insert((row.origin, row.destination), id);
    }
    Some(groups)
}

/// The total exchanges among some demands: the largest one with the first demand that is in none, and so on, up to a
/// demand without one.
fn among(demands: &[Demand]) -> Found {
    let mut left: HashMap<(VertexId, VertexId), Vec<MessageId>> = HashMap::new();
    demands.iter().rev().for_each(|d| {
        left.entry((d.source, d.destination)).or_default().push(d.message);
    });
    let mut destinations: HashMap<VertexId, BTreeSet<VertexId>> = HashMap::new();
    demands
        .iter()
        .for_each(|d| _ = destinations.entry(d.source).or_default().insert(d.destination));
    let mut groups: Vec<Group> = Vec::new();
    let mut taken = 0;
    for d in demands {
        let (a, b) = (d.source, d.destination);
        let waits =
            |from: VertexId, to: VertexId| left.get(&(from, to)).is_some_and(|m| !m.is_empty());
        if !waits(a, b) {
            continue;
        }
        let joins = |&&v: &&VertexId| {
            v == b || [a, b].into_iter().all(|other| waits(v, other) && waits(other, v))
        };
        let mut members: Vec<VertexId> = destinations[&a].iter().filter(joins).copied().collect();
        members.push(a);
        members.sort_unstable();
        let pairs = || {
            let others = |&from: &VertexId| members.iter().map(move |&to| (from, to));
            members.iter().flat_map(others).filter(|(from, to)| from != to)
        };
        if !pairs().all(|(from, to)| waits(from, to)) {
            break;
        }
        let mut messages = HashMap::new();
        for (from, to) in pairs() {
            let message = left.get_mut(&(from, to)).and_then(Vec::pop);
            messages.extend(message.map(|message| ((from, Some(to)), message)));
        }
        taken += messages.len();
        groups.push(Group { collective: Collective::Aas, root: None, members, messages });
    }
    Found { groups, left: demands.len() - taken }
}
