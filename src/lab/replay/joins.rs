//! The operations of transfers whose messages join: sums are made before they are sent, and signals are
//! sent when those of earlier steps have come.

use super::parts::{Draft, Expected};
use super::vectors::Made;
use ccsched_run::comm::part::Act;

impl Draft<'_> {
    /// The blocks of a transfer whose messages join, and what must have ended before it is sent.
    pub(super) fn joined(
        &mut self,
        transfer: usize,
        from: usize,
    ) -> ([Option<usize>; 2], Vec<usize>) {
        if self.vectors.ranks.is_empty() {
            let heard = self.vectors.heard[from].clone();
            let after = heard.into_iter().filter_map(|made| self.present(from, made));
            return ([None, None], after.collect());
        }
        let [sent, received] = self.vectors.ends[transfer];
        let after = self.make(from, sent).into_iter().collect();
        ([Some(sent), Some(received)], after)
    }

    /// Notes that it has arrived.
    pub(super) fn has_arrived(&mut self, transfer: usize, to: usize, made: Made) {
        match self.vectors.ends.get(transfer) {
            Some(&[_, received]) => self.vectors.ranks[to].made[received] = Some(made),
            None => self.vectors.arrived.push((to, made)),
        }
    }

    /// Makes a vector, if it is a sum that is not made yet; the operation, if it is in the present segment.
    fn make(&mut self, rank: usize, vector: usize) -> Option<usize> {
        let of = &self.vectors.ranks[rank];
        if let Some(made) = of.made[vector] {
            return self.present(rank, made);
        }
        let of = of.sums[vector]?;
        let after = of.into_iter().filter_map(|vector| self.make(rank, vector)).collect();
        let operation = self.add(rank, Act::Add { of, into: vector }, after);
        let segment = self.ranks[rank].part.segments.len() - 1;
        self.vectors.ranks[rank].made[vector] = Some((segment, operation));
        Some(operation)
    }

    /// Makes the results, which are checked.
    pub(super) fn make_results(&mut self) {
        for rank in 0..self.vectors.ranks.len() {
            for result in self.vectors.ranks[rank].results.clone() {
                self.make(rank, result);
                self.ranks[rank].blocks[result].expects = Expected::Sum;
            }
        }
    }
}
