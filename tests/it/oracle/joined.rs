//! Barriers and all-reduces of one part, exactly: depth-first search over what the transfers of each
//! step carry. The search is written from the rules alone (docs/model.md). The pieces of a part are
//! all-reduces of their own, which share channels and ports.

use super::model::{Model, Taken, has_room};
use super::{Exact, Undecided};
use std::collections::HashSet;

/// Vertices beyond this many do not fit into a byte.
const MOST_VERTICES: usize = 8;

/// By piece and vertex, the sums that it has, as bits of their contributions.
type State = Vec<Vec<Vec<u8>>>;

struct Search<'m> {
    model: &'m Model,
    /// Piece, start, end and resources of every possible transfer.
    transfers: Vec<(usize, [usize; 2], Taken)>,
    all: u8,
    adds: bool,
    seen: HashSet<(State, usize)>,
    nodes: &'m mut u64,
}

/// The fewest steps; `adds` if the contributions of a transfer are one sum.
pub fn solve(
    model: &Model,
    (adds, pieces): (bool, usize),
    most_steps: usize,
    mut nodes: u64,
) -> Result<Exact, Undecided> {
    if model.vertices > MOST_VERTICES {
        return Err(Undecided);
    }
    let transfers = model.transfers().into_iter();
    let of_piece = |(from, to, path): (usize, usize, Vec<usize>)| {
        let mask = model.mask(&path);
        (0..pieces).map(move |piece| (piece, [from, to], mask))
    };
    let transfers = transfers.flat_map(of_piece).collect();
    let mut all = 0;
    let mut state = vec![Vec::new(); model.vertices];
    for spread in &model.spreads {
        all |= 1 << spread.source;
        state[spread.source] = vec![1 << spread.source];
    }
    let state = vec![state; pieces];
    let (seen, nodes) = (HashSet::new(), &mut nodes);
    let mut search = Search { model, transfers, all, adds, seen, nodes };
    for steps in 1..=most_steps {
        search.seen.clear();
        if search.ends_within(state.clone(), steps)? {
            return Ok(Exact { steps, transfers: Vec::new() });
        }
    }
    Err(Undecided)
}

fn joined(sums: &[u8]) -> u8 {
    sums.iter().fold(0, |all, sum| all | sum)
}

impl Search<'_> {
    fn ends_within(&mut self, mut state: State, steps: usize) -> Result<bool, Undecided> {
        state.iter_mut().flatten().for_each(|sums| sums.sort_unstable());
        // All pieces are alike.
        state.sort_unstable();
        let is_done = |of: &Vec<Vec<u8>>| {
            (0..of.len()).all(|v| self.all >> v & 1 == 0 || joined(&of[v]) == self.all)
        };
        if state.iter().all(is_done) {
            return Ok(true);
        }
        if steps == 0 || !self.seen.insert((state.clone(), steps)) {
            return Ok(false);
        }
        let nothing = vec![vec![Vec::new(); state[0].len()]; state.len()];
        self.step(&state, nothing, 0, self.model.nothing(), steps)
    }

    /// Chooses what the transfers from `next` on carry beside those that have taken resources.
    fn step(
        &mut self,
        state: &State,
        arriving: State,
        next: usize,
        taken: Taken,
        steps: usize,
    ) -> Result<bool, Undecided> {
        *self.nodes = self.nodes.checked_sub(1).ok_or(Undecided)?;
        let Some(&(piece, [from, to], mask)) = self.transfers.get(next) else {
            // What a barrier sends more than another step is never worse.
            if !self.adds && self.has_more(state, &arriving, taken) {
                return Ok(false);
            }
            let after = |(sums, new): (&Vec<u8>, Vec<u8>)| match new.contains(&self.all) {
                true => new,
                false if self.adds => [&sums[..], &new].concat(),
                false => vec![joined(sums) | joined(&new)],
            };
            let of_piece = |(of, new): (&Vec<_>, Vec<_>)| of.iter().zip(new).map(after).collect();
            return self.ends_within(state.iter().zip(arriving).map(of_piece).collect(), steps - 1);
        };
        if has_room(taken, mask) {
            let (of, new) = (&state[piece], &arriving[piece]);
            for sum in self.sums(&of[from], joined(&of[to]), &new[to]) {
                let mut with = arriving.clone();
                with[piece][to].push(sum);
                if self.step(state, with, next + 1, taken + mask, steps)? {
                    return Ok(true);
                }
            }
        }
        self.step(state, arriving, next + 1, taken, steps)
    }

    /// Whether a step has room for one more transfer of a barrier that carries something.
    fn has_more(&self, state: &State, arriving: &State, taken: Taken) -> bool {
        self.transfers.iter().any(|&(piece, [from, to], mask)| {
            let (of, new) = (&state[piece], &arriving[piece]);
            let has = joined(&of[to]) | joined(&new[to]);
            has_room(taken, mask) && joined(&of[from]) & !has != 0
        })
    }

    /// What can be sent of some sums to a vertex that has `there`, and gets `arriving`.
    fn sums(&self, sums: &[u8], there: u8, arriving: &[u8]) -> Vec<u8> {
        let taken = there | joined(arriving);
        if !self.adds {
            return Some(joined(sums) & !taken).filter(|&new| new != 0).into_iter().collect();
        }
        let of = |choice: u32| {
            let chosen = (0..sums.len()).filter(|i| choice >> i & 1 == 1);
            chosen.fold(0, |sum, i| sum | sums[i])
        };
        let mut all: Vec<u8> = (1..1 << sums.len()).map(of).collect();
        let is_all = |sum: u8| sum == self.all && there != self.all && arriving.is_empty();
        all.retain(|&sum| sum & taken == 0 && !arriving.contains(&self.all) || is_all(sum));
        all.sort_unstable_by_key(|sum| std::cmp::Reverse(sum.count_ones()));
        all
    }
}
