//! The cheapest of the shortest ways between two states, by dynamic programming along the layers of
//! equal distance. A state is a vertex, or a vertex and the phase of a walk.

use super::ChannelId;
use std::ops::Add;

/// The cheapest way found to a state.
#[derive(Clone, Copy, Debug, Default)]
struct Found<P> {
    price: P,
    /// The search that found it.
    search: u32,
    /// How many ways of this price were found.
    ties: u32,
    /// Its last channel, and the state before that.
    last: ChannelId,
    before: u32,
}

/// A search for ways; its memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Cheapest<P> {
    found: Vec<Found<P>>,
    searches: u32,
    queue: Vec<u32>,
}

impl<P: Copy + Default + PartialOrd + Add<Output = P>> Cheapest<P> {
    /// Finds the cheapest ways from a state; `states` are all. `nearer` lists the channels that lead
    /// from a state one hop nearer to the target, with the state behind each and its price. Of equally
    /// cheap ways a later one is taken if `takes` says so, which is told how many there are up to it.
    #[inline]
    pub fn search<W: Iterator<Item = (ChannelId, u32, P)>>(
        &mut self,
        (from, states): (u32, usize),
        mut nearer: impl FnMut(u32) -> W,
        mut takes: impl FnMut(u32) -> bool,
    ) {
        self.found.resize(states, Found::default());
        if self.searches == u32::MAX {
            self.searches = 0;
            self.found.fill(Found::default());
        }
        self.searches += 1;
        let search = self.searches;
        self.found[from as usize] = Found { search, ..Found::default() };
        self.queue.clear();
        self.queue.push(from);
        let mut next = 0;
        while let Some(&before) = self.queue.get(next) {
            next += 1;
            let so_far = self.found[before as usize].price;
            for (last, state, price) in nearer(before) {
                let price = so_far + price;
                let found = &mut self.found[state as usize];
                let is_first = found.search != search;
                if is_first {
                    self.queue.push(state);
                }
                if is_first || price < found.price {
                    *found = Found { price, search, ties: 1, last, before };
                } else if price == found.price {
                    found.ties += 1;
                    if takes(found.ties) {
                        (found.last, found.before) = (last, before);
                    }
                }
            }
        }
    }

    /// The states that the search has reached, nearest to its beginning first.
    pub fn reached(&self) -> &[u32] {
        &self.queue
    }

    /// The price of the way to a state that the search has reached.
    pub fn price(&self, state: u32) -> P {
        self.found[state as usize].price
    }

    /// The channels of the way to a state that the search has reached, last first.
    pub fn back(&self, mut state: u32) -> impl Iterator<Item = ChannelId> {
        let first = self.queue.first().copied();
        std::iter::from_fn(move || {
            let found = self.found[state as usize];
            (Some(state) != first).then(|| {
                state = found.before;
                found.last
            })
        })
    }
}
