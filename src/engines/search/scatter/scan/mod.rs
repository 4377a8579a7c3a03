//! The cheapest place of a transfer: dynamic programming over the slots of its walks, for all steps
//! at once. The row of a slot holds, by step, the least price of reaching it.

mod store_and_forward;
mod wormhole;

use super::board::{NEVER, Row};
use super::places::Crossing;
use super::wanted::Wanted;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Switching;
use rand::RngExt;

/// The entry of a row where no walk leads.
const NO_WAY: i16 = NEVER;

/// Rows of prices, and the last place found; reused.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    rows: Vec<i16>,
    /// For each price of a wormhole row, the mark of the owner last paid.
    paid: Vec<u16>,
    stride: usize,
    gathered: Row,
    /// Whether an owner of consecutive resources of a wormhole path is paid once, not for each.
    pub pay_once: bool,
    /// The place found, in the order of its hops.
    pub place: Vec<Crossing>,
}

impl Scan {
    /// Finds the cheapest place of a transfer, ties at random. Returns its price; none if no place
    /// fits in the number of steps.
    pub fn cheapest(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> Option<i16> {
        if wanted.board.steps() == 0 {
            return None;
        }
        match wanted.problem.switching() {
            Switching::Wormhole | Switching::Hosts => self.wormhole(wanted, rng),
            Switching::StoreAndForward => self.store_and_forward(wanted, rng),
        }
    }

    /// Makes room for this number of prices.
    fn resize(&mut self, cells: usize) {
        if self.rows.len() < cells {
            self.rows.resize(cells, 0);
            self.paid.resize(cells, 0);
        }
    }

    /// Reverses the hops found, which are last first, and cuts their loops.
    fn finish(&mut self, wanted: &Wanted<'_>) {
        self.place.reverse();
        wanted.cut_loops(&mut self.place);
    }
}

/// The sum of two prices of at most [`NEVER`] each, cut to [`NEVER`].
#[inline]
fn plus(a: i16, b: i16) -> i16 {
    a.wrapping_add(b).min(NEVER)
}

/// A random item of an iterator, uniformly.
fn any<T>(things: impl Iterator<Item = T>, rng: &mut Rng) -> Option<T> {
    let mut chosen = None;
    for (before, thing) in (1..).zip(things) {
        if chosen.is_none() || rng.random_range(0..before) == 0 {
            chosen = Some(thing);
        }
    }
    chosen
}
