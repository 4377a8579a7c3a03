//! The cheapest place of a transfer: dynamic programming over the slots of its walks, for all steps
//! at once. A row of a slot holds, step by step, the least price of getting there.

mod store_and_forward;
mod wormhole;

use super::board::{NEVER, Row};
use super::places::Crossing;
use super::wanted::Wanted;
use crate::problem::Switching;
use crate::rng::Rng;
use rand::RngExt;

/// What a row holds where there is no way.
const NO_WAY: i16 = NEVER;

/// Rows of prices, and the place last found; reused.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    rows: Vec<i16>,
    /// Beside every price of a wormhole row, who has been paid last.
    paid: Vec<u16>,
    stride: usize,
    gathered: Row,
    /// Whether an owner of several resources in a row of a wormhole path is paid once, not for each.
    pub pay_once: bool,
    /// The place found, in the order of its hops.
    pub place: Vec<Crossing>,
}

impl Scan {
    /// Finds the cheapest place of a transfer, ties at random. Its price; none if there is no place
    /// that fits into the number of steps.
    pub fn cheapest(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> Option<i16> {
        if wanted.board.steps() == 0 {
            return None;
        }
        match wanted.problem.switching {
            Switching::Wormhole => self.wormhole(wanted, rng),
            Switching::StoreAndForward => self.store_and_forward(wanted, rng),
        }
    }

    /// Room for so many prices.
    fn resize(&mut self, cells: usize) {
        if self.rows.len() < cells {
            self.rows.resize(cells, 0);
            self.paid.resize(cells, 0);
        }
    }

    /// Puts the hops found, last first, in order.
    fn finish(&mut self, wanted: &Wanted<'_>) {
        self.place.reverse();
        wanted.cut_loops(&mut self.place);
    }
}

/// The sum of two prices, of which each is at most [`NEVER`], and so is the sum.
#[inline]
fn plus(a: i16, b: i16) -> i16 {
    a.wrapping_add(b).min(NEVER)
}

/// Any of some things.
fn any<T>(things: impl Iterator<Item = T>, rng: &mut Rng) -> Option<T> {
    let mut chosen = None;
    for (before, thing) in (1..).zip(things) {
        if chosen.is_none() || rng.random_range(0..before) == 0 {
            chosen = Some(thing);
        }
    }
    chosen
}
