//! The transfers that hold each place of each resource in each step. A resource of capacity c has c
//! places in a step. Where all are held, a transfer that comes ejects one of their holders.

use crate::Use;
use ccsched_model::problem::places;

/// No transfer.
pub const NOBODY: u32 = u32::MAX;

/// The holders of all places.
#[derive(Clone, Debug)]
pub struct Holders {
    steps: usize,
    /// First place of each resource, and the end of the last.
    places: Vec<u32>,
    /// By resource, then step, then place: held places first, their holders ascending, so that the
    /// order of past moves does not count.
    holders: Vec<u32>,
    /// By resource, then step: the holder that a transfer would eject; none if a place is free. A
    /// copy for the prices, which are added up in rows.
    ejectable: Vec<u32>,
}

impl Holders {
    /// Free places of resources of these capacities.
    pub fn new(capacities: &[u32], steps: u32) -> Self {
        let (steps, places) = (steps as usize, places(capacities));
        let all = places.last().map_or(0, |&end| end as usize);
        Holders {
            steps,
            holders: vec![NOBODY; all * steps],
            ejectable: vec![NOBODY; capacities.len() * steps],
            places,
        }
    }

    /// Frees all places.
    pub fn clear(&mut self) {
        self.holders.fill(NOBODY);
        self.ejectable.fill(NOBODY);
    }

    /// The holder that a transfer would eject by a use; none if a place is free.
    #[inline]
    pub fn ejectable(&self, u: &Use, step: u32) -> u32 {
        self.ejectable[self.cell(u, step)]
    }

    /// Whether a transfer with these uses would eject no other.
    pub fn is_free(&self, uses: &[Use], step: u32) -> bool {
        uses.iter().all(|u| self.ejectable(u, step) == NOBODY)
    }

    /// Adds to each price the number of transfers that uses would eject if they started in the step
    /// of its index. A holder of several uses in a row counts once.
    pub fn price_starts(&self, uses: &[Use], prices: &mut [u32]) {
        let starts = prices.len();
        let of = |u: &Use| &self.ejectable[self.cell(u, 0)..][..starts];
        let rows = uses.iter().map(of);
        let Some(first) = rows.clone().next() else { return };
        let held = |holder: u32| u32::from(holder != NOBODY);
        prices.iter_mut().zip(first).for_each(|(price, &holder)| *price += held(holder));
        for (before, row) in rows.clone().zip(rows.skip(1)) {
            for ((price, &holder), &paid) in prices.iter_mut().zip(row).zip(before) {
                *price += held(holder) & u32::from(holder != paid);
            }
        }
    }

    /// Gives a free place of each use to a transfer.
    pub fn put(&mut self, uses: &[Use], step: u32, transfer: u32) {
        self.change(uses, step, |held| {
            let at = held.iter().position(|&h| transfer < h).unwrap_or(held.len() - 1);
            held[at..].rotate_right(1);
            held[at] = transfer;
        });
    }

    /// Frees the place of each use that a transfer holds.
    pub fn take(&mut self, uses: &[Use], step: u32, transfer: u32) {
        self.change(uses, step, |held| {
            if let Some(at) = held.iter().position(|&h| h == transfer) {
                held[at] = NOBODY;
                held[at..].rotate_left(1);
            }
        });
    }

    fn change(&mut self, uses: &[Use], step: u32, with: impl Fn(&mut [u32])) {
        for u in uses {
            let resource = u.resource as usize;
            let cell = self.cell(u, step);
            let (first, end) = (self.places[resource] as usize, self.places[resource + 1] as usize);
            let capacity = end - first;
            let at = first * self.steps + (step + u.delay) as usize * capacity;
            let held = &mut self.holders[at..at + capacity];
            with(held);
            // Another holder in each step, so that it is not always the same.
            self.ejectable[cell] = match held[capacity - 1] {
                NOBODY => NOBODY,
                _ => held[cell % capacity],
            };
        }
    }

    fn cell(&self, u: &Use, step: u32) -> usize {
        u.resource as usize * self.steps + (step + u.delay) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Use = Use { resource: 1, delay: 1 };
    const NARROW: Use = Use { resource: 0, delay: 0 };

    #[test]
    fn a_place_is_free_until_the_capacity_is_held() {
        let mut holders = Holders::new(&[1, 3], 4);
        for transfer in [7, 2, 5] {
            assert!(holders.is_free(&[WIDE], 2));
            holders.put(&[WIDE], 2, transfer);
        }
        assert!([2, 5, 7].contains(&holders.ejectable(&WIDE, 2)));
        assert!(holders.is_free(&[WIDE], 1) && holders.is_free(&[NARROW], 2));
        let mut in_order = Holders::new(&[1, 3], 4);
        [2, 5, 7].into_iter().for_each(|transfer| in_order.put(&[WIDE], 2, transfer));
        assert_eq!(in_order.ejectable, holders.ejectable);
        holders.take(&[WIDE], 2, 5);
        assert!(holders.is_free(&[WIDE], 2));
        holders.put(&[WIDE], 2, 9);
        assert!([2, 7, 9].contains(&holders.ejectable(&WIDE, 2)));
    }

    #[test]
    fn a_holder_of_two_uses_in_a_row_is_paid_once() {
        let mut holders = Holders::new(&[1, 1, 1], 3);
        let uses = |resources: &[u32]| -> Vec<Use> {
            resources.iter().map(|&resource| Use { resource, delay: 0 }).collect()
        };
        holders.put(&uses(&[0, 1]), 1, 4);
        holders.put(&uses(&[2]), 1, 6);
        holders.put(&uses(&[2]), 2, 4);
        let mut prices = [0; 3];
        holders.price_starts(&uses(&[0, 1, 2]), &mut prices);
        assert_eq!(prices, [0, 2, 1]);
        // Not in a row: an upper limit.
        let mut prices = [0; 3];
        holders.put(&uses(&[2]), 0, 8);
        holders.put(&uses(&[0]), 0, 9);
        holders.put(&uses(&[1]), 0, 8);
        holders.price_starts(&uses(&[2, 0, 1]), &mut prices);
        assert_eq!(prices, [3, 2, 1]);
    }
}
