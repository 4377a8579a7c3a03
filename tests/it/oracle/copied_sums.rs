//! All-reduces whose vector has several parts where switches add up and copy, exactly: depth-first search
//! over what the trees and exchanges of each step carry.

use super::Undecided;
use super::model::{Model, Taken, has_room};
use super::sums::{Move, Part};
use std::collections::{HashMap, HashSet};

/// In place of the start of a transfer: an exchange of all that hold something, over a hub.
const EXCHANGE: usize = usize::MAX;

struct Search<'m> {
    model: &'m Model,
    transfers: Vec<(usize, usize, Vec<usize>)>,
    /// By those that exchange, as bits, the least sets of resources that this takes.
    exchanges: HashMap<u8, Vec<Taken>>,
    most_into: Vec<u32>,
    all: u8,
    seen: HashSet<(Vec<Part>, u32)>,
    nodes: &'m mut u64,
}

/// The moves of a part in a step, and the paths that they take.
type Moved = (Vec<Move>, Vec<Vec<usize>>);

/// The fewest steps.
pub fn solve(model: &Model, most_steps: usize, mut nodes: u64) -> Result<usize, Undecided> {
    let mut part = Part { from: 0, to: 0, may: u8::MAX, holds: 0, handed: 0, complete: 0 };
    let mut all = 0;
    for spread in &model.spreads {
        all |= 1 << spread.source;
        part.holds |= 1 << (9 * spread.source);
    }
    (part.from, part.to) = (all, all);
    if model.vertices > 8 {
        return Err(Undecided);
    }
    let mut search = Search {
        model,
        most_into: (0..model.vertices).map(|v| model.capacity_of(|(_, to)| to == v)).collect(),
        transfers: model.transfers(),
        exchanges: exchanges(model),
        all,
        seen: HashSet::new(),
        nodes: &mut nodes,
    };
    for steps in 1..=most_steps {
        search.seen.clear();
        if search.ends_within(vec![part; model.spreads.len()], steps as u32)? {
            return Ok(steps);
        }
    }
    Err(Undecided)
}

impl Search<'_> {
    fn ends_within(&mut self, mut parts: Vec<Part>, steps: u32) -> Result<bool, Undecided> {
        parts.sort_unstable();
        let lacks = |v: usize| parts.iter().filter(|part| part.complete >> v & 1 == 0).count();
        let mut receivers = (0..self.model.vertices).filter(|&v| self.all >> v & 1 == 1);
        if receivers.clone().all(|v| lacks(v) == 0) {
            return Ok(true);
        }
        let has_room = |v: usize| lacks(v) as u32 <= steps * self.most_into[v];
        if steps == 0 || !receivers.all(has_room) || !self.seen.insert((parts.clone(), steps)) {
            return Ok(false);
        }
        let moves = &mut vec![(Vec::new(), Vec::new()); parts.len()];
        self.exchange(&parts, moves, 0, self.model.nothing(), steps)
    }

    /// Chooses which parts from `place` on are exchanged.
    fn exchange(
        &mut self,
        parts: &[Part],
        moves: &mut Vec<Moved>,
        place: usize,
        taken: Taken,
        steps: u32,
    ) -> Result<bool, Undecided> {
        *self.nodes = self.nodes.checked_sub(1).ok_or(Undecided)?;
        let Some(part) = parts.get(place) else {
            return self.step(parts, moves, (0, 0), taken, steps);
        };
        let n = self.model.vertices;
        let holders = (0..n).filter(|&v| part.of(v) != 0).fold(0, |all, v| all | 1u8 << v);
        let ways = self.exchanges.get(&holders).cloned().unwrap_or_default();
        // What has handed its part over holds nothing; a part that is complete is copied.
        for mask in ways.into_iter().filter(|_| part.complete == 0) {
            if !has_room(taken, mask) {
                continue;
            }
            moves[place].0.push((EXCHANGE, holders as usize, false));
            let found = self.exchange(parts, moves, place + 1, taken + mask, steps)?;
            moves[place].0.pop();
            if found {
                return Ok(true);
            }
        }
        self.exchange(parts, moves, place + 1, taken, steps)
    }

    /// What one more transfer of a part takes beside its others; none if they are no tree with it.
    fn more(&self, (moves, paths): &Moved, (move_, path): (Move, &[usize])) -> Option<Taken> {
        let ends = &self.model.ends;
        let (from, to, gathers) = move_;
        let (root, first) = match gathers {
            true => (from, path[0]),
            false => (to, path[path.len() - 1]),
        };
        let is_of = |(other, path): &(&Move, &Vec<usize>)| {
            let end = if gathers { path[0] } else { path[path.len() - 1] };
            other.2 == gathers
                && (if gathers { other.0 } else { other.1 }) == root
                && (!self.model.hosts || end == first)
        };
        let with: Vec<_> = moves.iter().zip(paths).filter(is_of).collect();
        let before: HashSet<usize> =
            with.iter().flat_map(|(_, path)| path.iter().copied()).collect();
        let all = path.iter().copied().chain(before.iter().copied()).collect::<HashSet<usize>>();
        let mut apart = HashSet::from([root]);
        let leaf = |c: &usize| if gathers { ends[*c].1 } else { ends[*c].0 };
        if !all.iter().all(|c| apart.insert(leaf(c))) {
            return None;
        }
        let new: Vec<usize> = path.iter().copied().filter(|c| !before.contains(c)).collect();
        let is_first = with.is_empty();
        let from = Some(from).filter(|_| is_first || !gathers);
        let to = Some(to).filter(|_| is_first || gathers);
        Some(self.model.taken(&new, from, to))
    }

    fn step(
        &mut self,
        parts: &[Part],
        moves: &mut Vec<Moved>,
        (next, first): (usize, usize),
        taken: Taken,
        steps: u32,
    ) -> Result<bool, Undecided> {
        *self.nodes = self.nodes.checked_sub(1).ok_or(Undecided)?;
        let Some((from, to, path)) = self.transfers.get(next).cloned() else {
            let after = parts.iter().zip(&*moves).map(|(part, (moves, _))| match moves.first() {
                Some(&(EXCHANGE, holders, _)) => {
                    Some(Part { holds: 0, handed: 0, complete: holders as u8, ..*part })
                }
                _ => part.after(moves, self.model.vertices),
            });
            let Some(parts) = after.collect::<Option<Vec<Part>>>() else { return Ok(false) };
            return self.ends_within(parts, steps - 1);
        };
        for place in first..parts.len() {
            let part = &parts[place];
            let is_copy =
                (first..place).any(|other| parts[other] == *part && moves[other] == moves[place]);
            let is_exchanged = moves[place].0.first().is_some_and(|m| m.0 == EXCHANGE);
            if is_copy || is_exchanged || !part.can((from, to), &moves[place].0) {
                continue;
            }
            let move_ = (from, to, part.complete >> from & 1 == 1);
            let Some(mask) = self.more(&moves[place], (move_, &path)) else { continue };
            if !has_room(taken, mask) {
                continue;
            }
            moves[place].0.push(move_);
            moves[place].1.push(path.clone());
            let found = self.step(parts, moves, (next, place + 1), taken + mask, steps)?;
            moves[place].0.pop();
            moves[place].1.pop();
            if found {
                return Ok(true);
            }
        }
        self.step(parts, moves, (next + 1, 0), taken, steps)
    }
}

/// All exchanges of three terminals or more.
fn exchanges(model: &Model) -> HashMap<u8, Vec<Taken>> {
    let allowed: HashMap<(usize, usize), HashSet<Vec<usize>>> =
        model.transfers().into_iter().fold(HashMap::new(), |mut all, (from, to, path)| {
            all.entry((from, to)).or_insert_with(HashSet::new).insert(path);
            all
        });
    let terminals: Vec<usize> = (0..model.vertices).filter(|&v| model.terminal[v]).collect();
    let mut found = HashMap::new();
    for set in 0u8..1 << model.vertices {
        let members: Vec<usize> = terminals.iter().copied().filter(|v| set >> v & 1 == 1).collect();
        if members.len() < 3 || members.len() != set.count_ones() as usize {
            continue;
        }
        let mut ways = Vec::new();
        for hub in 0..model.vertices {
            let mut chosen = (Vec::new(), Vec::new());
            over(model, &allowed, (hub, &members), &mut chosen, &mut ways);
        }
        ways.sort_unstable();
        ways.dedup();
        found.insert(set, ways);
    }
    found
}

/// Adds what the exchanges over a hub take, beginning with some paths into it and out of it.
fn over(
    model: &Model,
    allowed: &HashMap<(usize, usize), HashSet<Vec<usize>>>,
    (hub, members): (usize, &[usize]),
    chosen: &mut (Vec<Vec<usize>>, Vec<Vec<usize>>),
    ways: &mut Vec<Taken>,
) {
    let channels =
        |paths: &[Vec<usize>]| paths.iter().flatten().copied().collect::<HashSet<usize>>();
    let place = chosen.0.len();
    if place == members.len() {
        let [first, second] = [channels(&chosen.0), channels(&chosen.1)];
        let mut left = HashSet::new();
        let mut entered = HashSet::new();
        let is_tree = first.iter().all(|&c| left.insert(model.ends[c].0))
            && second.iter().all(|&c| entered.insert(model.ends[c].1))
            && first.is_disjoint(&second)
            && !second
                .iter()
                .any(|&c| model.excluded(c).is_some_and(|other| first.contains(&other)));
        if is_tree {
            let all: Vec<usize> = first.union(&second).copied().collect();
            let mut mask = model.taken(&all, None, None);
            members.iter().for_each(|&v| mask += model.taken(&[], Some(v), Some(v)));
            ways.push(mask);
        }
        return;
    }
    let v = members[place];
    let of =
        |from: usize, to: usize| if from == to { vec![vec![]] } else { model.simple(from, to) };
    let is_allowed = |a: usize, b: usize, path: Vec<usize>| {
        allowed.get(&(a, b)).is_some_and(|all| all.contains(&path))
    };
    for first in of(v, hub) {
        for second in of(hub, v) {
            // Every path between this one and those before it is one of a transfer.
            let fits = members[..place].iter().zip(chosen.0.iter().zip(&chosen.1)).all(
                |(&other, (into, out))| {
                    is_allowed(other, v, [&into[..], &second].concat())
                        && is_allowed(v, other, [&first[..], out].concat())
                },
            );
            if !fits {
                continue;
            }
            chosen.0.push(first.clone());
            chosen.1.push(second);
            over(model, allowed, (hub, members), chosen, ways);
            chosen.0.pop();
            chosen.1.pop();
        }
    }
}
