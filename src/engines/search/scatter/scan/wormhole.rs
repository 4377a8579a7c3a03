//! Wormhole: a transfer crosses all its channels in one step, so rows are added step by step.

use super::{NO_WAY, Scan, any, plus};
use crate::search::scatter::board::{NEVER, NOBODY, mark};
use crate::search::scatter::wanted::Wanted;
use ccsched_base::rng::Rng;
use ccsched_model::routing::Hop;
use rand::RngExt;

impl Scan {
    /// Finds the cheapest place.
    pub(super) fn wormhole(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> Option<i16> {
        self.price_steps(wanted);
        self.choose_step(wanted, rng)
    }

    /// Rejects the step last found and finds the cheapest place in the steps that are left.
    pub fn next_cheapest(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> Option<i16> {
        let step = self.place[0].1 as usize;
        self.rows[(wanted.walks.slots() - 1) * self.stride + step] = NO_WAY;
        self.choose_step(wanted, rng)
    }

    /// Fills the rows.
    fn price_steps(&mut self, wanted: &Wanted<'_>) {
        let &Wanted { board, walks, .. } = wanted;
        let (slots, stride) = (walks.slots(), board.stride());
        self.stride = stride;
        self.resize(slots * stride);
        let (send, receive) = (wanted.send_port(), wanted.receive_port());
        match send {
            Some(port) => {
                let (prices, marks) = board.row(port, &mut self.gathered);
                self.rows[..stride].copy_from_slice(prices);
                self.paid[..stride].copy_from_slice(marks);
            }
            None => self.rows[..stride].fill(0),
        }
        if send.is_none() || !self.pay_once {
            self.paid[..stride].fill(mark(NOBODY));
        }
        for slot in 1..slots {
            let (rows, row) = self.rows.split_at_mut(slot * stride);
            let (paid, paid_here) = self.paid.split_at_mut(slot * stride);
            let (row, paid_here) = (&mut row[..stride], &mut paid_here[..stride]);
            for (i, hop) in walks.into_slot(slot).iter().enumerate() {
                let from = hop.from as usize * stride;
                let before = (&rows[from..from + stride], &paid[from..from + stride]);
                let (prices, marks) = board.row(wanted.link(hop.channel), &mut self.gathered);
                let take = if i == 0 { take_way::<true> } else { take_way::<false> };
                take(before.0, before.1, prices, marks, row, paid_here);
                if !self.pay_once {
                    paid_here.fill(mark(NOBODY));
                }
            }
            if slot == slots - 1
                && let Some(port) = receive
            {
                let (prices, marks) = board.row(port, &mut self.gathered);
                for i in 0..stride {
                    let price = if marks[i] == paid_here[i] { 0 } else { prices[i] };
                    row[i] = plus(row[i], price);
                }
            }
        }
    }

    /// Finds the cheapest place in the steps that are left.
    fn choose_step(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> Option<i16> {
        let last = (wanted.walks.slots() - 1) * self.stride;
        let (step, least) = least(&self.rows[last..][..wanted.board.steps()], rng);
        if least >= NEVER {
            return None;
        }
        self.trace_back(wanted, step, rng);
        self.finish(wanted);
        Some(least)
    }

    /// The hops of a cheapest path in a step, last first.
    fn trace_back(&mut self, wanted: &Wanted<'_>, step: usize, rng: &mut Rng) {
        let &Wanted { board, walks, .. } = wanted;
        let mut receive = wanted.receive_port();
        self.place.clear();
        let mut slot = walks.slots() - 1;
        while slot > 0 {
            let price = self.rows[slot * self.stride + step];
            let leads_here = |hop: &&Hop| {
                let from = hop.from as usize * self.stride + step;
                let link = wanted.link(hop.channel);
                let mut paid = self.paid[from];
                let mut sum = self.rows[from];
                for r in [Some(link), receive].into_iter().flatten() {
                    let (price, mark) = board.at(r, step);
                    let price = if mark == paid { 0 } else { price };
                    sum = plus(sum, price);
                    paid = if self.pay_once { mark } else { paid };
                }
                sum == price
            };
            let hop = any(walks.into_slot(slot).iter().filter(leads_here), rng);
            let hop = hop.expect("some hop leads to every slot at its price");
            self.place.push((hop.channel, step as u32));
            slot = hop.from as usize;
            receive = None;
        }
    }
}

/// Extends a row of prices by one hop: `from` is the row of the slot that the hop leaves, and
/// `last` the marks last paid there. The first hop into a slot fills the row; the others lower it.
/// (A function of its own, so that the compiler knows that the slices do not overlap and vectorizes
/// the loop.)
#[inline(never)]
fn take_way<const FIRST: bool>(
    from: &[i16],
    last: &[u16],
    prices: &[i16],
    marks: &[u16],
    row: &mut [i16],
    paid: &mut [u16],
) {
    let all = row.len();
    let (from, last, prices) = (&from[..all], &last[..all], &prices[..all]);
    let (marks, paid) = (&marks[..all], &mut paid[..all]);
    for i in 0..all {
        let (mark, old, was_paid) = (marks[i], row[i], paid[i]);
        let sum = plus(from[i], prices[i] & all_bits(mark != last[i]));
        paid[i] = if FIRST || sum < old { mark } else { was_paid };
        row[i] = if FIRST { sum } else { old.min(sum) };
    }
}

/// All bits set, or none: a mask that selects without a branch.
#[inline]
fn all_bits(yes: bool) -> i16 {
    -i16::from(yes)
}

/// The index of the least value, ties at random, and the value.
fn least(row: &[i16], rng: &mut Rng) -> (usize, i16) {
    let least = row.iter().copied().min().expect("there is a step");
    let ties = row.iter().map(|&v| u32::from(v == least)).sum();
    let nth = if ties > 1 { rng.random_range(0..ties) } else { 0 };
    let mut places = (0..row.len()).filter(|&i| row[i] == least);
    (places.nth(nth as usize).expect("counted"), least)
}
