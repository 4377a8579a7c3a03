//! Moves in the trees of messages: the cheapest place of a destination, and the swap of two.
//!
//! A swap exchanges the places of two destinations in the tree of a message: the time-slot swap of
//! umda-multistage-networks, section 4.4, for trees; each adopts the other's children.

use super::{Forest, LATE, NONE, Window};
use crate::Gene;
use ccsched_base::rng::Rng;
use ccsched_network::VertexId;
use rand::RngExt;

impl Forest {
    /// The cheapest other sender, path and step of a delivery; its destination's children keep
    /// theirs.
    pub(super) fn cheapest_place(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
        let (shape, routes) = (self.shape.clone(), self.frame.routes.clone());
        let old = self.frame.genes[g];
        let first = routes.table().of_pair(shape.senders[g].start as usize).start;
        let end = routes.table().of_pair(shape.senders[g].end as usize - 1).end;
        let window = Window::draw((first, end - first), rng);
        self.occupancy.remove(routes.uses(old.path), old.step);
        self.prices.clear(self.frame.steps);
        for path in (0..window.len).map(|index| window.path(index)) {
            let present = (path == old.path).then_some(old.step);
            let received = self.received[self.at(g, shape.origin[path as usize])];
            let uses = routes.uses(path);
            let price = |row: &mut [u32]| self.occupancy.price_starts(uses, row);
            let row = self.prices.add(1, present, price);
            // The sender gets the message too late for these steps.
            let late = (i64::from(received) + 1).clamp(0, row.len() as i64) as usize;
            row[..late].iter_mut().for_each(|price| *price = price.saturating_add(LATE as u32));
        }
        self.price_children(g);
        self.occupancy.add(routes.uses(old.path), old.step);
        let (place, priced) = self.prices.least(rng);
        let gene = place.map(|(row, step)| Gene { path: window.path(row), step });
        (gene.unwrap_or(old), priced)
    }

    /// Adds to the prices of steps what the destination's children pay if it gets the message then.
    fn price_children(&mut self, g: usize) {
        let mut child = self.first_child[self.at(g, self.destination(g))];
        while child != NONE {
            self.prices.raise_from(self.frame.genes[child as usize].step, LATE as u32);
            child = self.next[child as usize];
        }
    }

    /// The genes that change when two random destinations swap places; none if they cannot.
    pub(super) fn exchange_places(&self, rng: &mut Rng, changes: &mut Vec<(usize, Gene)>) {
        let g = rng.random_range(0..self.frame.genes.len());
        let message = self.frame.problem.demands()[g].message as usize;
        let h = rng.random_range(self.shape.of_message[message].clone()) as usize;
        let possible =
            g != h && self.take_place(g, h, rng, changes) && self.take_place(h, g, rng, changes);
        if !possible {
            changes.clear();
        }
    }

    /// Gene `g` with another sender, if that sender is near enough.
    fn sent_by(&self, g: usize, sender: VertexId, step: u32, rng: &mut Rng) -> Option<Gene> {
        let pairs = self.shape.senders[g].clone();
        let senders = &self.shape.sender_of_pair[pairs.start as usize..pairs.end as usize];
        let pair = pairs.start as usize + senders.binary_search(&sender).ok()?;
        let path = rng.random_range(self.frame.routes.table().of_pair(pair));
        Some(Gene { path, step })
    }

    /// In the tree of one message, gives `g`'s destination the place and the children of `h`'s:
    /// appends the changed genes. Returns whether all of them are possible.
    fn take_place(
        &self,
        g: usize,
        h: usize,
        rng: &mut Rng,
        changes: &mut Vec<(usize, Gene)>,
    ) -> bool {
        let (own, other) = (self.destination(g), self.destination(h));
        let place = self.frame.genes[h];
        // If `g`'s destination was the parent of `h`'s, the two change roles.
        let parent = self.origin(place);
        let parent = if parent == own { other } else { parent };
        let Some(gene) = self.sent_by(g, parent, place.step, rng) else { return false };
        changes.push((g, gene));
        let mut child = self.first_child[self.at(h, other)];
        while child != NONE {
            let c = child as usize;
            if c != g {
                let Some(gene) = self.sent_by(c, own, self.frame.genes[c].step, rng) else {
                    return false;
                };
                changes.push((c, gene));
            }
            child = self.next[c];
        }
        true
    }
}
