//! Messages of a grid from moves along its dimensions.

use super::draft::Draft;
use super::factors::Move;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::{Grid, Side};

/// Writes a schedule in as many steps as the bound, some steps after the other.
pub struct Writer<'p, 'g> {
    draft: Draft<'p>,
    grid: &'g Grid,
    /// The first step of those being written.
    first: usize,
}

impl<'p, 'g> Writer<'p, 'g> {
    /// No messages yet.
    pub fn new(problem: &'p Problem, grid: &'g Grid) -> Self {
        Writer { draft: Draft::new(problem, least(&grid.sides)), grid, first: 0 }
    }

    /// Adds all messages that combine one move of each dimension to a step: those of a circuit, or of
    /// what stays, in each.
    pub fn product(&mut self, step: usize, circuits: &[&[Move]]) -> Option<()> {
        let phased = circuits.iter().map(|moves| moves.iter().map(|&m| (m, 0)).collect());
        let phased: Vec<Vec<(Move, usize)>> = phased.collect();
        let moves: Vec<&[(Move, usize)]> = phased.iter().map(Vec::as_slice).collect();
        combine(&mut self.draft, self.grid, &moves, |_| self.first + step)
    }

    /// Goes on behind this number of steps.
    pub fn skip(&mut self, steps: usize) {
        self.first += steps;
    }

    /// The schedule, if it is complete and conflict-free.
    pub fn finish(self) -> Option<Plan> {
        self.draft.finish()
    }
}

/// The bound: the channels across the middle of a line, or all channels of a ring.
pub fn least(sides: &[Side]) -> usize {
    let vertices: usize = sides.iter().map(|s| s.length).product();
    let bound = |s: &Side| {
        let n = s.length;
        match s.is_ring {
            false => vertices / n * (n * n / 4),
            true if n % 2 == 1 => vertices / n * ((n * n - 1) / 8),
            true => (vertices * n).div_ceil(8),
        }
    };
    sides.iter().map(bound).max().unwrap_or(0)
}

/// Adds all messages that combine one move of each dimension, in the order of the dimensions. Every
/// move has a phase; the sum of the phases tells the step.
pub fn combine(
    draft: &mut Draft<'_>,
    grid: &Grid,
    moves: &[&[(Move, usize)]],
    step: impl Fn(usize) -> usize,
) -> Option<()> {
    if moves.iter().any(|moves| moves.is_empty()) {
        return Some(());
    }
    let mut chosen = vec![0; moves.len()];
    let (mut from, mut hops) = (vec![0; moves.len()], vec![0; moves.len()]);
    loop {
        let mut phase = 0;
        for (d, (&i, moves)) in chosen.iter().zip(moves).enumerate() {
            let (moved, of_move) = moves[i];
            (from[d], hops[d]) = (moved.from, moved.hops);
            phase += of_move;
        }
        // A terminal sends nothing to itself.
        if hops.iter().any(|&hops| hops != 0) {
            send(draft, grid, step(phase), grid.place(&from), &hops)?;
        }
        let Some(next) = (0..moves.len()).rfind(|&d| chosen[d] + 1 < moves[d].len()) else {
            return Some(());
        };
        chosen[next] += 1;
        chosen[next + 1..].fill(0);
    }
}

/// Adds the message that moves from a place by these hops in each dimension, in their order; none
/// beyond the end of a line.
pub fn send(
    draft: &mut Draft<'_>,
    grid: &Grid,
    step: usize,
    from: usize,
    hops: &[isize],
) -> Option<()> {
    let corner = grid.moved(from, 0, hops[0])?;
    let to = (1..).zip(&hops[1..]).try_fold(corner, |at, (d, &hops)| grid.moved(at, d, hops))?;
    let ends = (grid.at[from], grid.at[to]);
    let corners = grid.corners();
    if let Some((corners, part)) = corners.and_then(|c| Some((c, c.part(corner, hops)?))) {
        draft.part(step, ends, &corners.walk, part);
        return Some(());
    }
    let mut route = Vec::with_capacity(hops.iter().map(|hops| hops.unsigned_abs()).sum());
    (0..).zip(hops).try_fold(from, |at, (d, &hops)| grid.walk(at, d, hops, &mut route))?;
    draft.route(step, ends, route);
    Some(())
}
