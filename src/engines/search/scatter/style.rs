//! What makes a transfer dear to eject; islands rotate through the styles.

use super::ScatterSearch;
use super::places::uses;
use serde::{Deserialize, Serialize};

/// A way to price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Style {
    /// Who has often had to eject others is dear: quarrels are settled in the end. Best nearly
    /// everywhere.
    Weights,
    /// Everybody costs the same, but for the one placed last, which is dear. Best where every port
    /// is busy all the time, as in fat trees; there transfers have no free places to wander to.
    Cells,
}

/// The styles of an island in turn; islands begin at different ones.
const STYLES: [Style; 4] = [Style::Weights, Style::Weights, Style::Weights, Style::Cells];
/// Iterations before the next style.
const ITERATIONS: u64 = 2000;
/// Where in the turn the second island begins, the third, and so on.
const OFFSETS: [u64; 4] = [0, 3, 1, 2];

impl Style {
    /// The iteration from which an island counts.
    pub fn first_iteration(island: usize) -> u64 {
        OFFSETS[island % OFFSETS.len()] * ITERATIONS
    }

    /// The style of an iteration.
    pub fn of(iteration: u64) -> Style {
        STYLES[(iteration / ITERATIONS) as usize % STYLES.len()]
    }
}

impl ScatterSearch {
    /// Who has had to eject others gets dearer itself.
    pub(super) fn get_dearer(&mut self, t: u32) {
        let weight = &mut self.weight[t as usize];
        *weight += 1;
        if *weight >= self.dearest {
            // What was long ago counts half.
            self.weight.iter_mut().for_each(|w| *w = (*w + 1) / 2);
            self.price_all();
        } else if self.style == Style::Weights {
            self.price[t as usize] = *weight;
        }
    }

    /// Gives a transfer another price.
    pub(super) fn reprice(&mut self, t: u32, price: i16) {
        self.price[t as usize] = price;
        for (resource, step) in uses(&self.problem, self.places.of(t)) {
            self.board.reprice(resource, step, &self.price);
        }
    }

    /// Prices everybody anew, as the style says.
    pub(super) fn price_all(&mut self) {
        self.newest = None;
        self.scan.pay_once = self.style == Style::Weights;
        for t in 0..self.places.len() as u32 {
            let price = if self.style == Style::Weights { self.weight[t as usize] } else { 1 };
            self.reprice(t, price);
        }
    }
}
