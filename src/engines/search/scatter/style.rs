//! The styles of pricing an ejection; islands rotate through them.

use super::ScatterSearch;
use super::places::uses;
use serde::{Deserialize, Serialize};

/// A style of pricing ejections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Style {
    /// The price of a transfer grows whenever it ejects others, so that ejections do not cycle.
    /// Best on nearly all networks.
    Weights,
    /// Every transfer has price 1 except the one placed last, which is effectively tabu. Best where
    /// every port is busy in all steps, as in fat trees: no free place is left to relocate to.
    Cells,
}

/// The styles of an island in turn; islands start at different ones.
const STYLES: [Style; 4] = [Style::Weights, Style::Weights, Style::Weights, Style::Cells];
/// Iterations before the next style.
const ITERATIONS: u64 = 2000;
/// Where in the turn the islands start, by island.
const OFFSETS: [u64; 4] = [0, 3, 1, 2];

impl Style {
    /// The iteration number that an island starts from.
    pub fn first_iteration(island: usize) -> u64 {
        OFFSETS[island % OFFSETS.len()] * ITERATIONS
    }

    /// The style of an iteration.
    pub fn of(iteration: u64) -> Style {
        STYLES[(iteration / ITERATIONS) as usize % STYLES.len()]
    }
}

impl ScatterSearch {
    /// Raises the weight of a transfer that ejected others.
    pub(super) fn raise_weight(&mut self, t: u32) {
        self.note(t);
        let weight = self.weight[t as usize] + 1;
        // In a team, weights are halved after the exchange.
        if weight >= self.max_weight && self.log.is_none() {
            self.weight[t as usize] = weight;
            self.halve();
        } else {
            self.set_weight(t, weight);
        }
    }

    /// Sets the weight of a transfer that has no place.
    pub(super) fn set_weight(&mut self, t: u32, weight: i16) {
        let weight = weight.min(self.max_weight - 1);
        self.weight[t as usize] = weight;
        if self.style == Style::Weights {
            self.price[t as usize] = weight;
        }
    }

    /// Halves all weights, so that old ejections count less.
    fn halve(&mut self) {
        (0..self.places.len() as u32).for_each(|t| self.note(t));
        self.weight.iter_mut().for_each(|w| *w = (*w + 1) / 2);
        self.price_all();
    }

    /// Halves all weights if one that has changed has reached the limit.
    pub(super) fn halve_if_due(&mut self) {
        let changed = self.log.iter().flat_map(|log| log.before.transfers());
        let mut weights = changed.map(|&t| self.weight[t as usize]);
        if weights.any(|weight| weight >= self.max_weight - 1) {
            self.halve();
        }
    }

    /// Changes to a style.
    pub(super) fn set_style(&mut self, style: Style) {
        if style != self.style {
            self.style = style;
            self.price_all();
        }
    }

    /// The transfer placed last is no longer tabu.
    pub(super) fn forget_newest(&mut self) {
        if let Some(t) = self.newest.take() {
            self.reprice(t, 1);
        }
    }

    /// Gives a transfer another price.
    pub(super) fn reprice(&mut self, t: u32, price: i16) {
        self.price[t as usize] = price;
        for (resource, step) in uses(&self.problem, self.places.of(t)) {
            self.board.reprice(resource, step, &self.price);
        }
    }

    /// Reprices every transfer by the style.
    pub(super) fn price_all(&mut self) {
        self.newest = None;
        self.scan.pay_once = self.style == Style::Weights;
        for t in 0..self.places.len() as u32 {
            let price = if self.style == Style::Weights { self.weight[t as usize] } else { 1 };
            self.reprice(t, price);
        }
    }
}
