//! A map of a ring of odd length n = 2m + 1 whose n translates carry every message once, in the
//! fewest phases: n/8, rounded up, or in one more if the search does not find that.
//!
//! Vertex x sends over d(x), and no two vertices have one distance or one destination (in algebra,
//! an orthomorphism). Vertex 0 stays; if x sends over d, then -x sends over -d. So a start for each
//! d from 1 to m is enough; the starts and their opposites differ, as do the ends. Arcs of a phase
//! are disjoint; opposites run in the other direction. The starts are found by backtracking, the
//! longest arcs first, begun anew after some attempts.

use super::Dice;
use super::class::Class;
use super::factors::Move;
use ccsched_network::grid::Side;

/// Arcs placed before the search begins anew, and how often it begins.
const ARCS: usize = 2_000;
const ATTEMPTS: usize = 60;

/// The class of a ring of odd length; none if the search fails.
pub fn class(side: Side, dice: &mut Dice<'_>) -> Option<Class> {
    let n = side.length;
    let few = n.div_ceil(8);
    let mut attempts = [few, few + 1].into_iter().flat_map(|phases| [phases; ATTEMPTS]);
    let (phases, search) = attempts.find_map(|phases| {
        let mut search = Search::new(n, phases);
        search.place(n / 2, dice).then_some((phases, search))
    })?;
    let mut moves = vec![(Move::stay(0), 0)];
    for (hops, start, phase) in search.placed {
        let end = (start + hops) % n;
        let hops = hops as isize;
        moves.push((Move { from: start, to: end, hops }, phase));
        moves.push((Move { from: n - start, to: n - end, hops: -hops }, phase));
    }
    Some(Class { moves, phases, gap: None })
}

struct Search {
    length: usize,
    /// By phase, then vertex: whether the channel forward is in use.
    used: Vec<Vec<bool>>,
    /// By vertex.
    is_start: Vec<bool>,
    is_end: Vec<bool>,
    /// Hops, start and phase.
    placed: Vec<(usize, usize, usize)>,
    /// The arcs that may still be tried.
    effort: usize,
}

impl Search {
    fn new(length: usize, phases: usize) -> Self {
        let mut at_zero = vec![false; length];
        at_zero[0] = true;
        Search {
            length,
            used: vec![vec![false; length]; phases],
            is_start: at_zero.clone(),
            is_end: at_zero,
            placed: Vec::new(),
            effort: ARCS,
        }
    }

    /// Places the arcs of this length and all shorter ones.
    fn place(&mut self, hops: usize, dice: &mut Dice<'_>) -> bool {
        if hops == 0 {
            return true;
        }
        let n = self.length;
        let mut ways: Vec<(usize, usize)> = (0..self.used.len())
            .flat_map(|phase| (1..n).map(move |start| (phase, start)))
            .filter(|&(phase, start)| self.fits(hops, start, phase))
            .collect();
        while !ways.is_empty() {
            let Some(effort) = self.effort.checked_sub(1) else { return false };
            self.effort = effort;
            let (phase, start) = ways.swap_remove(dice(ways.len()));
            self.set(hops, start, phase, true);
            self.placed.push((hops, start, phase));
            if self.place(hops - 1, dice) {
                return true;
            }
            self.placed.pop();
            self.set(hops, start, phase, false);
        }
        false
    }

    fn fits(&self, hops: usize, start: usize, phase: usize) -> bool {
        let n = self.length;
        let end = (start + hops) % n;
        end != 0
            && !self.is_start[start]
            && !self.is_end[end]
            && (0..hops).all(|i| !self.used[phase][(start + i) % n])
    }

    fn set(&mut self, hops: usize, start: usize, phase: usize, value: bool) {
        let n = self.length;
        let end = (start + hops) % n;
        for (marks, at) in [(&mut self.is_start, start), (&mut self.is_end, end)] {
            marks[at] = value;
            marks[n - at] = value;
        }
        (0..hops).for_each(|i| self.used[phase][(start + i) % n] = value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn it_is_found_for_rings_of_every_odd_length() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        let dice = &mut |limit| rng.random_range(0..limit);
        for length in (3..48).step_by(2) {
            let class = class(Side { length, is_ring: true }, dice).unwrap();
            let few = length.div_ceil(8);
            assert!(class.phases == few || length > 31 && class.phases == few + 1, "{length}");
            let mut distances: Vec<isize> = class.moves.iter().map(|(m, _)| m.hops).collect();
            distances.sort_unstable();
            let far = length as isize / 2;
            assert_eq!(distances, (-far..=far).collect::<Vec<_>>());
        }
    }
}
