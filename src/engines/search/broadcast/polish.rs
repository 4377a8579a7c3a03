//! Shortens a complete broadcast tree (of equally long schedules the one that uses fewer
//! channels, then the one with the shorter longest path): each receiver moves to the shortest free
//! path until nothing changes.

use super::BroadcastSearch;
use ccsched_base::rng::Rng;
use rand::seq::SliceRandom;

impl BroadcastSearch {
    /// Replaces deliveries by shorter ones as long as there are any.
    pub(super) fn shorten(&mut self, rng: &mut Rng) {
        for i in 0..self.relays.len() {
            let v = self.relays[i];
            if self.tree.is_placed(v) && self.tree.load(v) == 0 {
                self.evicted.clear();
                self.tree.evict(v, &mut self.evicted);
            }
        }
        let all = [&self.receivers[..], &self.relays].concat();
        let mut order: Vec<_> = all.into_iter().filter(|&v| self.tree.is_placed(v)).collect();
        let mut improved = true;
        while improved {
            order.shuffle(rng);
            improved = false;
            for &v in &order {
                let Some(old) = self.tree.delivery(v).filter(|d| d.path.len() > 1) else {
                    continue;
                };
                let last = self.tree.first_sent(v);
                self.tree.free(v);
                let context = (self.problem.network(), &*self.ways, &self.tree);
                let length = old.path.len() as u32;
                let is_shorter =
                    self.scan.shortest_free(context, v, 0..last, length, rng).is_some();
                self.tree.place(v, if is_shorter { &self.scan.best } else { &old });
                improved |= is_shorter;
            }
        }
    }
}
