//! All-to-all scatter of a mesh, torus or cylinder with short sides, where a terminal sends and
//! receives one message a step: rings of up to 8 vertices, lines of up to 4.
//!
//! A *round* of a side is a permutation of its coordinates whose moves use no channel twice, each a
//! shortest way; a coordinate may stay. Take rounds that contain every pair of coordinates once. In
//! a step, choose one for every dimension: each vertex sends to the vertex of the permuted
//! coordinates, along one dimension after the other. In a dimension, a message is on a line of given
//! new coordinates in the dimensions before and old ones in those after. The messages on this line
//! start at all its coordinates, one at each, so their moves are those of a round. (Hinrichs et
//! al., "An Architecture for Optimal All-to-All Personalized Communication", have such a product of
//! rings of 8.)
//!
//! A side of n has one round in which all stay and n - 1 in which all move, if its channels suffice
//! for these. So N vertices take N - 1 steps, one for each message of a terminal. A ring of 8 and a
//! line of 4 need n rounds of moves; there, N steps are the bound of the side's channels. A search
//! finds the rounds, an exact cover of the pairs.

use super::draft::Draft;
use super::factors::Move;
use super::moves::combine;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::{Grid, Side};
use rand::seq::SliceRandom;

/// The longest ring and the longest line whose channels suffice for one round a coordinate.
const LONGEST: (usize, usize) = (8, 4);
/// Rounds that the search for a cover tries at most.
const EFFORT: usize = 20_000;

/// The schedule, if the search finds rounds of every side.
pub fn plan(problem: &Problem, grid: &Grid, rng: &mut Rng) -> Option<Plan> {
    let sides: Vec<Vec<Vec<Move>>> =
        grid.sides.iter().map(|&side| rounds(side, rng)).collect::<Option<_>>()?;
    // The number of a step: its rounds are the digits.
    let mut stride = 1;
    let mut moves: Vec<Vec<(Move, usize)>> = Vec::new();
    for rounds in sides.iter().rev() {
        let numbered = rounds.iter().zip((0..).step_by(stride));
        moves.push(numbered.flat_map(|(round, n)| round.iter().map(move |&m| (m, n))).collect());
        stride *= rounds.len();
    }
    let moves: Vec<&[(Move, usize)]> = moves.iter().rev().map(Vec::as_slice).collect();
    let mut draft = Draft::new(problem, stride);
    combine(&mut draft, grid, &moves, |step| step)?;
    draft.finish()
}

/// Whether the channels of a side suffice.
pub fn is_short(side: &Side) -> bool {
    side.length <= if side.is_ring { LONGEST.0 } else { LONGEST.1 }
}

/// Rounds of a side with every pair of coordinates once.
fn rounds(side: Side, rng: &mut Rng) -> Option<Vec<Vec<Move>>> {
    let n = side.length;
    let all = |is_own: bool| {
        let pairs = (0..n * n).filter(|pair| is_own || pair / n != pair % n);
        pairs.fold(0, |set, pair| set | 1 << pair)
    };
    if let Some(mut rounds) = cover(all(false), Rounds::of(side, n - 1, false), rng) {
        rounds.push((0..n).map(Move::stay).collect());
        return Some(rounds);
    }
    cover(all(true), Rounds::of(side, n, true), rng)
}

/// A set of pairs, bit `from * n + to`.
type Pairs = u64;

/// The rounds of a side.
struct Rounds {
    side: Side,
    /// Whether coordinates may stay.
    stays: bool,
    /// Channels that a round may leave unused.
    spare: usize,
    found: Vec<(Pairs, Vec<Move>)>,
    /// The round under construction, and its channels: forward and backward, bit by coordinate.
    moves: Vec<Move>,
    used: [u16; 2],
}

impl Rounds {
    /// All rounds possible among `number` rounds that contain all pairs; none if those have too few
    /// channels.
    fn of(side: Side, number: usize, stays: bool) -> Vec<(Pairs, Vec<Move>)> {
        let n = side.length;
        let channels = 2 * (n - usize::from(!side.is_ring));
        let pairs = (0..n).flat_map(|from| (0..n).map(move |to| (from, to)));
        let needed: usize = pairs.map(|(from, to)| ways(side, from, to)[0].unsigned_abs()).sum();
        let Some(spare) = (number * channels).checked_sub(needed) else { return Vec::new() };
        let spare = spare.min(channels);
        let (found, moves) = (Vec::new(), Vec::new());
        let mut rounds = Rounds { side, stays, spare, found, moves, used: [0; 2] };
        rounds.extend(0, 0, channels);
        rounds.found
    }

    /// Adds the moves of the coordinates from `from` on; `taken` are the ends of those before.
    fn extend(&mut self, from: usize, taken: u16, left: usize) {
        let n = self.side.length;
        if from == n {
            if left <= self.spare {
                let pairs = self.moves.iter().fold(0, |set, m| set | 1 << (m.from * n + m.to));
                self.found.push((pairs, self.moves.clone()));
            }
            return;
        }
        let is_open = |to: &usize| taken >> to & 1 == 0 && (self.stays || *to != from);
        let ends: Vec<usize> = (0..n).filter(is_open).collect();
        for to in ends {
            for hops in ways(self.side, from, to) {
                let direction = usize::from(hops < 0);
                let channels = (0..hops.unsigned_abs()).fold(0, |set: u16, hop| {
                    let start = if hops < 0 { from + n - hop } else { from + hop };
                    set | 1 << (start % n)
                });
                if self.used[direction] & channels == 0 {
                    self.used[direction] |= channels;
                    self.moves.push(Move { from, to, hops });
                    self.extend(from + 1, taken | 1 << to, left - hops.unsigned_abs());
                    self.moves.pop();
                    self.used[direction] &= !channels;
                }
            }
        }
    }
}

/// The shortest ways between two coordinates, in hops, negative if backward.
fn ways(side: Side, from: usize, to: usize) -> Vec<isize> {
    let n = side.length as isize;
    let ahead = to as isize - from as isize;
    if !side.is_ring || ahead == 0 {
        return vec![ahead];
    }
    let ahead = ahead.rem_euclid(n);
    match 2 * ahead {
        twice if twice < n => vec![ahead],
        twice if twice > n => vec![ahead - n],
        _ => vec![ahead, ahead - n],
    }
}

/// Rounds that contain every pair once.
fn cover(
    pairs: Pairs,
    mut rounds: Vec<(Pairs, Vec<Move>)>,
    rng: &mut Rng,
) -> Option<Vec<Vec<Move>>> {
    rounds.shuffle(rng);
    let all: Vec<usize> = (0..rounds.len()).collect();
    let sets: Vec<Pairs> = rounds.iter().map(|(set, _)| *set).collect();
    let mut chosen = Vec::new();
    complete(pairs, &sets, &all, &mut chosen, &mut 0)
        .then(|| chosen.into_iter().map(|i: usize| rounds[i].1.clone()).collect())
}

/// Chooses rounds of disjoint pairs until all remaining pairs are in one. Next is the pair in the
/// fewest available rounds.
fn complete(
    left: Pairs,
    sets: &[Pairs],
    open: &[usize],
    chosen: &mut Vec<usize>,
    tried: &mut usize,
) -> bool {
    if left == 0 {
        return true;
    }
    let with = |pair: u32| open.iter().filter(move |&&i| sets[i] >> pair & 1 == 1);
    let pairs = (0..Pairs::BITS).filter(|pair| left >> pair & 1 == 1);
    let Some(rarest) = pairs.min_by_key(|&pair| with(pair).count()) else { return true };
    for &round in with(rarest) {
        *tried += 1;
        if *tried > EFFORT {
            return false;
        }
        let still: Vec<usize> =
            open.iter().copied().filter(|&i| sets[i] & sets[round] == 0).collect();
        chosen.push(round);
        if complete(left & !sets[round], sets, &still, chosen, tried) {
            return true;
        }
        chosen.pop();
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::construct::grid::tests::built;
    use ccsched_model::problem::{Collective, Ports, Request};

    /// Steps of the schedule with limited ports.
    fn steps(topology: &str, ports: u32) -> Option<usize> {
        let request = Request { ports: Ports(Some(ports)), ..Request::new(Collective::Aas) };
        built("rounds", topology, request).map(|plan| plan.len())
    }

    #[test]
    fn short_sides_take_a_step_for_each_message_of_a_terminal() {
        for (topology, most) in [
            ("ring:5", 4),
            ("ring:7", 6),
            ("ring:8", 8),
            ("mesh:3x3", 8),
            ("mesh:4x4", 16),
            ("mesh:4x3x2", 24),
            ("torus:3x3x3", 26),
            ("torus:6x4", 23),
            ("torus:7x5", 34),
            ("torus:8x8", 64),
            ("hypercube:5", 31),
        ] {
            assert_eq!(steps(topology, 1), Some(most), "{topology}");
        }
    }

    #[test]
    fn other_sides_and_ports_are_left_to_others() {
        assert_eq!(steps("torus:9x3", 1), None);
        assert_eq!(steps("mesh:5x4", 1), None);
        assert_eq!(steps("torus:4x4", 2), None);
    }
}
