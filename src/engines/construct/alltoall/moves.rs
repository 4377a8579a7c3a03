//! Messages of a grid from moves along its dimensions.

use super::draft::Draft;
use super::factors::Move;
use super::grid::Grid;

/// Adds all messages that combine one move of each dimension in one step: those of a circuit, or of
/// what stays, in each.
pub fn product(
    draft: &mut Draft<'_>,
    grid: &Grid,
    circuits: &[&[Move]],
    step: usize,
) -> Option<()> {
    let phased = circuits.iter().map(|moves| moves.iter().map(|&m| (m, 0)).collect());
    let phased: Vec<Vec<(Move, usize)>> = phased.collect();
    let moves: Vec<&[(Move, usize)]> = phased.iter().map(Vec::as_slice).collect();
    combine(draft, grid, &moves, |_| step)
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
    let mut from = vec![0; moves.len()];
    loop {
        let (mut phase, mut hops) = (0, 0);
        for ((&i, moves), from) in chosen.iter().zip(moves).zip(&mut from) {
            *from = moves[i].0.from;
            phase += moves[i].1;
            hops += moves[i].0.hops.unsigned_abs();
        }
        // A terminal sends nothing to itself.
        if hops > 0 {
            let first = grid.place(&from);
            let (mut place, mut route) = (first, Vec::with_capacity(hops));
            for (dimension, (&i, moves)) in chosen.iter().zip(moves).enumerate() {
                place = grid.walk(place, dimension, moves[i].0.hops, &mut route)?;
            }
            draft.route(step(phase), (grid.at[first], grid.at[place]), route);
        }
        let Some(next) = (0..moves.len()).rfind(|&d| chosen[d] + 1 < moves[d].len()) else {
            return Some(());
        };
        chosen[next] += 1;
        chosen[next + 1..].fill(0);
    }
}
