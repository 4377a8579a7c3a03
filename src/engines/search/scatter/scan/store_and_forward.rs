//! Store-and-forward: a hop takes one step, so rows are shifted by one; a message may wait at a
//! vertex, so a row never rises. (The time-expanded network, without building it.)

use super::{NO_WAY, Scan, any, plus};
use crate::search::scatter::board::{Board, NEVER};
use crate::search::scatter::wanted::Wanted;
use ccsched_base::rng::Rng;
use ccsched_model::problem::ResourceId;
use ccsched_model::routing::Hop;

impl Scan {
    /// Finds the cheapest place.
    pub(super) fn store_and_forward(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> Option<i16> {
        self.price_times(wanted);
        let (last, end) = (wanted.walks.slots() - 1, wanted.board.steps());
        let price = self.rows[last * self.stride + end];
        if price >= NEVER {
            return None;
        }
        self.trace_back_in_time(wanted, rng);
        self.finish(wanted);
        Some(price)
    }

    /// Fills the rows, which hold the price of being at a slot before each step and after the last.
    fn price_times(&mut self, wanted: &Wanted<'_>) {
        let &Wanted { board, walks, .. } = wanted;
        let (slots, steps) = (walks.slots(), board.steps());
        let stride = board.stride() + 1;
        self.stride = stride;
        self.resize(slots * stride);
        self.rows[..stride].fill(0);
        for slot in 1..slots {
            let (before, row) = self.rows.split_at_mut(slot * stride);
            let row = &mut row[..stride];
            row.fill(NO_WAY);
            for hop in walks.into_slot(slot) {
                let from = &before[hop.from as usize * stride..][..stride - 1];
                let (prices, _) = board.row(wanted.link(hop.channel), &mut self.gathered);
                let sums = from.iter().zip(prices).map(|(f, p)| plus(*f, *p));
                let (send, receive) = wanted.ports_of_hop(hop.channel);
                if send.is_none() && receive.is_none() {
                    row[1..].iter_mut().zip(sums).for_each(|(r, sum)| *r = (*r).min(sum));
                    continue;
                }
                // Not the padding: a port has no price after the last step.
                for (step, (r, sum)) in row[1..=steps].iter_mut().zip(sums).enumerate() {
                    let ports = plus(of_port(board, send, step), of_port(board, receive, step));
                    *r = (*r).min(plus(sum, ports));
                }
            }
            let mut least = NO_WAY;
            for r in row {
                least = least.min(*r);
                *r = least;
            }
        }
    }

    /// The hops of a cheapest walk, last first. At each vertex the message may have just arrived or
    /// have waited.
    fn trace_back_in_time(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) {
        let &Wanted { board, walks, .. } = wanted;
        self.place.clear();
        let (mut slot, mut time) = (walks.slots() - 1, board.steps());
        while slot > 0 {
            let at = |slot: usize, time: usize| self.rows[slot * self.stride + time];
            let price = at(slot, time);
            let leads_here = |hop: &&Hop| {
                let step = time - 1;
                let link = board.at(wanted.link(hop.channel), step).0;
                let sum = plus(at(hop.from as usize, step), link);
                // Most hops are too expensive without their ports.
                sum <= price && {
                    let (send, receive) = wanted.ports_of_hop(hop.channel);
                    let ports = plus(of_port(board, send, step), of_port(board, receive, step));
                    plus(sum, ports) == price
                }
            };
            let waited = (time > 0 && at(slot, time - 1) == price).then_some(None);
            let came = walks.into_slot(slot).iter().filter(leads_here).map(Some);
            let way = any(waited.into_iter().chain(came), rng);
            time -= 1;
            if let Some(hop) = way.expect("some hop leads to every slot at its price") {
                self.place.push((hop.channel, time as u32));
                slot = hop.from as usize;
            }
        }
    }
}

/// The price of a port in a step; 0 where ports are not limited.
#[inline]
fn of_port(board: &Board, port: Option<ResourceId>, step: usize) -> i16 {
    port.map_or(0, |port| board.at(port, step).0)
}
