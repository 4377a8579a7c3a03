//! All-reduces whose vector has several parts, and sums of groups side by side, exactly: depth-first search
//! over what the transfers of each step carry. The search is written from the rules of sums alone
//! (docs/model.md).

use super::model::{Added, Model, Taken, has_room};
use super::{Exact, Undecided};
use std::collections::HashSet;

/// Vertices beyond this many do not fit into a word with their contributions.
const MOST_VERTICES: usize = 8;

/// One part: who contributes, who gets it, and who may have some of it; by vertex, the contributions that it
/// holds, as bits of its byte; the vertices that have handed theirs over, and those that have the complete sum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    pub from: u8,
    pub to: u8,
    pub may: u8,
    pub holds: u64,
    pub handed: u8,
    pub complete: u8,
}

/// A transfer of a part: where it starts and ends, and whether it copies the complete sum.
pub type Move = (usize, usize, bool);

struct Search<'m> {
    model: &'m Model,
    /// Start, end and resources of every possible transfer.
    transfers: Vec<(usize, usize, Taken)>,
    /// Transfers of a step, and those that end at each vertex, at most.
    most: u32,
    most_into: Vec<u32>,
    seen: HashSet<(Vec<Part>, u32)>,
    nodes: &'m mut u64,
}

impl Part {
    pub fn of(&self, v: usize) -> u8 {
        (self.holds >> (8 * v)) as u8
    }

    /// Transfers that are at least needed.
    fn needed(&self, vertices: usize) -> u32 {
        if self.complete != 0 {
            return (self.to & !self.complete).count_ones();
        }
        let holders = (0..vertices).filter(|&v| self.of(v) != 0).count() as u32;
        holders - 1 + self.to.count_ones() - 1
    }

    /// Whether it can be moved beside other moves of the step.
    pub fn can(&self, (from, to): (usize, usize), moves: &[Move]) -> bool {
        if self.may >> to & 1 == 0 {
            return false;
        }
        if self.complete >> from & 1 == 1 {
            let is_served = moves.iter().any(|&(_, other, gathers)| gathers && other == to);
            return self.complete >> to & 1 == 0 && !is_served;
        }
        let is_gone = moves.iter().any(|&(other, _, gathers)| !gathers && other == from);
        self.of(from) != 0 && !is_gone && self.handed >> to & 1 == 0
    }

    /// What becomes of it in a step; none if a rule is broken.
    pub fn after(&self, moves: &[Move], vertices: usize) -> Option<Part> {
        let all = self.from;
        let mut next = *self;
        let mut add = |v: usize, of: u8| next.holds |= u64::from(of) << (8 * v);
        for &(from, to, _) in moves.iter().filter(|m| !m.2) {
            let back = moves.contains(&(to, from, false));
            let hands_over = moves.iter().any(|m| m.0 == to && !m.2);
            if back && self.of(from) | self.of(to) != all || hands_over && !back {
                return None;
            }
            add(to, self.of(from));
        }
        for &(from, to, gathers) in moves {
            if gathers {
                next.complete |= 1 << to;
            } else {
                next.handed |= 1 << from;
                if !moves.contains(&(to, from, false)) {
                    next.holds &= !(0xff << (8 * from));
                }
            }
        }
        let full = (0..vertices).filter(|&v| next.of(v) == all);
        next.complete |= full.fold(0, |full, v| full | 1 << v);
        // What the others hold does not matter once the sum is complete.
        if next.complete != 0 {
            (next.holds, next.handed) = (0, 0);
        }
        Some(next)
    }
}

/// The fewest steps.
pub fn solve(model: &Model, most_steps: usize, mut nodes: u64) -> Result<Exact, Undecided> {
    if model.vertices > MOST_VERTICES {
        return Err(Undecided);
    }
    let part = |sum: &Added| {
        let [from, to, may] = [sum.from, sum.to, sum.may].map(|bits| bits as u8);
        let own = (0..8).filter(|v| from >> v & 1 == 1).fold(0, |own, v| own | 1 << (9 * v));
        // A broadcast message is a sum with one contribution.
        let (holds, complete) = if from.count_ones() == 1 { (0, from) } else { (own, 0) };
        Part { from, to, may, holds, handed: 0, complete }
    };
    let transfers: Vec<_> = model.transfers();
    let shortest = transfers.iter().map(|(_, _, path)| path.len()).min().unwrap_or(1);
    let nodes = &mut nodes;
    let mut search = Search {
        model,
        most: model.capacity_of(|_| true) / shortest as u32,
        most_into: (0..model.vertices).map(|v| model.capacity_of(|(_, to)| to == v)).collect(),
        transfers: transfers.into_iter().map(|(a, b, path)| (a, b, model.mask(&path))).collect(),
        seen: HashSet::new(),
        nodes,
    };
    for steps in 1..=most_steps {
        search.seen.clear();
        if search.ends_within(model.sums.iter().map(part).collect(), steps as u32)? {
            return Ok(Exact { steps, transfers: Vec::new() });
        }
    }
    Err(Undecided)
}

impl Search<'_> {
    /// Whether the parts can be everywhere within some steps.
    fn ends_within(&mut self, mut parts: Vec<Part>, steps: u32) -> Result<bool, Undecided> {
        // No part is another one's better.
        parts.sort_unstable();
        let needed: u32 = parts.iter().map(|p| p.needed(self.model.vertices)).sum();
        if needed == 0 {
            return Ok(true);
        }
        let is_due = |part: &&Part, v: usize| (part.to & !part.complete) >> v & 1 == 1;
        let lacks = |v: usize| parts.iter().filter(|part| is_due(part, v)).count();
        let mut receivers = 0..self.model.vertices;
        let has_room = |v: usize| lacks(v) as u32 <= steps * self.most_into[v];
        if needed > steps * self.most
            || !receivers.all(has_room)
            || !self.seen.insert((parts.clone(), steps))
        {
            return Ok(false);
        }
        let least = needed.saturating_sub((steps - 1) * self.most);
        let moves = &mut vec![Vec::new(); parts.len()];
        self.step(&parts, moves, (0, 0), (self.model.nothing(), 0, least), steps)
    }

    /// Chooses what the transfers from `next` on carry, of those over the same path the parts from
    /// `first` on, beside what has taken resources; `sent` transfers of at least `least` are chosen.
    fn step(
        &mut self,
        parts: &[Part],
        moves: &mut Vec<Vec<Move>>,
        (next, first): (usize, usize),
        (taken, sent, least): (Taken, u32, u32),
        steps: u32,
    ) -> Result<bool, Undecided> {
        *self.nodes = self.nodes.checked_sub(1).ok_or(Undecided)?;
        let Some(&(from, to, mask)) = self.transfers.get(next) else {
            let after = parts.iter().zip(&*moves);
            let after = after.map(|(part, m)| part.after(m, self.model.vertices));
            let Some(parts) = after.collect::<Option<Vec<Part>>>() else { return Ok(false) };
            return if sent < least { Ok(false) } else { self.ends_within(parts, steps - 1) };
        };
        if has_room(taken, mask) {
            for place in first..parts.len() {
                let part = &parts[place];
                // Of equal parts with the same transfers one is as good as another.
                let is_copy = (first..place)
                    .any(|other| parts[other] == *part && moves[other] == moves[place]);
                if is_copy || !part.can((from, to), &moves[place]) {
                    continue;
                }
                moves[place].push((from, to, part.complete >> from & 1 == 1));
                let sent = (taken + mask, sent + 1, least);
                let found = self.step(parts, moves, (next, place + 1), sent, steps)?;
                moves[place].pop();
                if found {
                    return Ok(true);
                }
            }
        }
        self.step(parts, moves, (next + 1, 0), (taken, sent, least), steps)
    }
}
