//! Selection: the binary tournament picks the half of the population that become parents
//! (umda-multistage-networks, section 4.5).

use super::dice::{Dice, shuffle};
use super::population::Population;

/// Pairs all individuals at random; the better one of each pair becomes a parent, so that nobody
/// is one twice. `arena` has a place for everybody; the parents stand in its first half afterwards.
pub fn tournament(population: &Population, arena: &mut [u32], dice: &mut impl Dice) {
    (0..).zip(arena.iter_mut()).for_each(|(i, place)| *place = i);
    shuffle(arena, dice);
    for pair in 0..arena.len() / 2 {
        let (a, b) = (arena[2 * pair], arena[2 * pair + 1]);
        // Places of pairs that are over are free.
        arena[pair] = if population.cost(b) < population.cost(a) { b } else { a };
    }
}
