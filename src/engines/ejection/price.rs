//! What a place costs: who would have to leave it.

use super::Ejection;
use crate::engines::assignment::Use;
use crate::engines::{Gene, Rng};
use rand::RngExt;

/// Price of ejecting the transfer that has just been placed.
const TABU: u32 = 1000;

/// What makes a place cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Its occupants weigh little: they have seldom been in quarrels. Best nearly everywhere.
    Weights,
    /// Few of its cells are taken, by whomever. Best where every port is busy all the time, as in
    /// fat trees; there transfers have no free places to wander to.
    Cells,
}

/// The styles of an island in turn; islands begin at different ones.
pub(super) const STYLES: [Style; 4] =
    [Style::Weights, Style::Weights, Style::Weights, Style::Cells];
/// Iterations before the next style.
pub(super) const ITERATIONS_A_STYLE: u64 = 2000;
/// Where in the turn the second island begins, the third, and so on.
pub(super) const OFFSETS: [u64; 4] = [0, 3, 1, 2];

impl Ejection {
    /// What it costs to clear a path from a step on; anything above `most` if it is above.
    fn price(&mut self, path: u32, step: u32, most: u32) -> u32 {
        match self.style() {
            Style::Weights => self.weigh(path, step, most),
            Style::Cells => self.count_blocked(path, step, most),
        }
    }

    /// The value of gene `g` that costs least, ties at random, and its price.
    pub(super) fn cheapest(&mut self, g: u32, rng: &mut Rng) -> Option<(Gene, u32)> {
        let mut best = None;
        let mut least = u32::MAX;
        let mut ties = 0;
        for path in self.routes.table().of_pair(g as usize) {
            let Some(last) = self.steps.checked_sub(self.routes.duration(path)) else { break };
            for step in 0..=last {
                let price = self.price(path, step, least);
                if price > least {
                    continue;
                }
                if price < least {
                    (least, ties) = (price, 0);
                }
                ties += 1;
                if rng.random_range(0..ties) == 0 {
                    best = Some((Gene { path, step }, price));
                }
            }
        }
        best
    }

    /// Weight of the occupants of a path from a step on; anything above `most` if it is above.
    fn weigh(&mut self, path: u32, step: u32, most: u32) -> u32 {
        self.marked += 1;
        let mut weight = 0;
        for u in self.routes.uses(path) {
            if let Some(owner) = self.occupant(u, step)
                && self.mark[owner as usize] != self.marked
            {
                self.mark[owner as usize] = self.marked;
                weight += self.weight[owner as usize];
                if weight > most {
                    break;
                }
            }
        }
        weight
    }

    /// Number of places that are taken along a path from a step on; one held by the transfer placed
    /// last is not to be had.
    fn count_blocked(&self, path: u32, step: u32, most: u32) -> u32 {
        let mut blocked = 0;
        for u in self.routes.uses(path) {
            if let Some(owner) =
                self.board.in_the_way(u, step, |owner| u32::from(owner == self.newest))
            {
                blocked += if owner == self.newest { TABU } else { 1 };
                if blocked > most {
                    break;
                }
            }
        }
        blocked
    }

    /// The style of this iteration.
    pub(super) fn style(&self) -> Style {
        STYLES[(self.iteration / ITERATIONS_A_STYLE) as usize % STYLES.len()]
    }

    /// Who must leave a resource in a step; those marked leave anyway.
    pub(super) fn occupant(&self, u: &Use, step: u32) -> Option<u32> {
        let weight = |owner: u32| {
            let is_marked = self.mark[owner as usize] == self.marked;
            if is_marked { 0 } else { self.weight[owner as usize] }
        };
        self.board.in_the_way(u, step, weight)
    }
}
