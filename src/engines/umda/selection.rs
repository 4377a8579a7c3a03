//! Selection: the binary tournament picks half of the population as parents
//! (umda-multistage-networks, section 4.5).

use super::dice::{Dice, shuffle};
use super::population::Population;

/// Pairs all individuals at random; the better one of each pair becomes a parent, so each is a
/// parent at most once. `arena` has a place for every individual; its first half then lists the
/// parents.
pub fn tournament(population: &Population, arena: &mut [u32], dice: &mut impl Dice) {
    (0..).zip(arena.iter_mut()).for_each(|(i, place)| *place = i);
    shuffle(arena, dice);
    for pair in 0..arena.len() / 2 {
        let (a, b) = (arena[2 * pair], arena[2 * pair + 1]);
        // The places of earlier pairs are free.
        arena[pair] = if population.cost(b) < population.cost(a) { b } else { a };
    }
}
