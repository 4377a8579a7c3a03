//! The cheapest place of a transfer: dynamic programming over the slots of its walks, for all steps
//! at once. The row of a slot holds, by step, the least price of reaching it.

use super::board::{Board, NEVER, NOBODY, RowBuffer, mark};
use super::places;
use super::places::Crossing;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Demand, Problem, ResourceId, Switching};
use ccsched_model::routing::{Hop, WalkGraph};
use ccsched_network::ChannelId;
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
    gathered: RowBuffer,
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

// Store-and-forward: a hop takes one step, so rows are shifted by one; a message may wait at a
// vertex, so a row never rises. (The time-expanded network, without building it.)

impl Scan {
    /// Finds the cheapest place.
    fn store_and_forward(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> Option<i16> {
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

// Wormhole: a transfer crosses all its channels in one step, so rows are added step by step.

impl Scan {
    /// Finds the cheapest place.
    fn wormhole(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> Option<i16> {
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

// The input of a search for a place: the transfer, its walks and the board.

/// A request for a place of one transfer. (Passed by reference: copies cost time in the innermost
/// loops of the search.)
pub struct Wanted<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// The partial schedule.
    pub board: &'a Board,
    /// The demand that the transfer serves.
    demand: &'a Demand,
    /// The walks that the transfer may take.
    pub walks: WalkGraph<'a>,
}

impl<'a> Wanted<'a> {
    /// For the transfer of a demand, by its index.
    pub fn new(
        problem: &'a Problem,
        board: &'a Board,
        demand: usize,
        walks: WalkGraph<'a>,
    ) -> Self {
        Wanted { problem, board, demand: &problem.demands()[demand], walks }
    }

    /// The link of a channel.
    pub fn link(&self, channel: ChannelId) -> ResourceId {
        self.problem.resources().of_channel(channel)
    }

    /// The send port of the transfer's source, where it is limited.
    pub fn send_port(&self) -> Option<ResourceId> {
        self.problem.resources().send_port(self.demand.source)
    }

    /// The receive port of its destination, where it is limited.
    pub fn receive_port(&self) -> Option<ResourceId> {
        self.problem.resources().receive_port(self.demand.destination)
    }

    /// The ports that a store-and-forward hop occupies besides its link, where they are limited:
    /// the send port and the receive port.
    pub fn ports_of_hop(&self, channel: ChannelId) -> (Option<ResourceId>, Option<ResourceId>) {
        let (network, resources) = (self.problem.network(), self.problem.resources());
        let (_, [send, receive]) = resources.of_hop(network, Switching::StoreAndForward, channel);
        (send, receive)
    }

    /// Cuts the loops out of a place, where the routing allows walks with loops.
    pub fn cut_loops(&self, place: &mut Vec<Crossing>) {
        if self.problem.routing().slack() > 1 {
            places::cut_loops(self.problem, place);
        }
    }
}
