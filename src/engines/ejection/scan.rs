//! The cheapest place of a transfer: dynamic programming over the slots of its walks, for all steps
//! at once. A row of a slot holds, step by step, the least price of getting there.
//!
//! Wormhole: a transfer crosses all its channels in one step, so rows are added lane by lane.
//! Store-and-forward: a hop takes a step, so rows are shifted by one; a message may wait at a vertex,
//! so a row never rises. (The time-expanded network, without building it.)

use super::board::{Board, NEVER, NOBODY, Row, mark};
use super::hops::{Hop, Walks};
use super::places::{Crossing, cut_loops};
use crate::engines::Rng;
use crate::problem::{Demand, Problem, ResourceId, Switching};
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
    /// Finds the cheapest place of a transfer with these walks, ties at random. Its price; none if
    /// there is no place that fits into the number of steps.
    pub fn cheapest(
        &mut self,
        problem: &Problem,
        board: &Board,
        demand: &Demand,
        walks: Walks<'_>,
        rng: &mut Rng,
    ) -> Option<i16> {
        if board.steps() == 0 {
            return None;
        }
        match problem.switching {
            Switching::Wormhole => {
                self.price_steps(problem, board, demand, walks);
                self.choose_step(problem, board, demand, walks, rng)
            }
            Switching::StoreAndForward => {
                let price = self.store_and_forward(problem, board, walks, rng)?;
                self.finish(problem);
                Some(price)
            }
        }
    }

    /// Fills the rows of a wormhole transfer.
    fn price_steps(&mut self, problem: &Problem, board: &Board, demand: &Demand, walks: Walks<'_>) {
        let (slots, stride) = (walks.slots(), board.stride());
        self.stride = stride;
        self.resize(slots * stride);
        let send = problem.resources.send_port(demand.source);
        let receive = problem.resources.receive_port(demand.destination);
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
                let link = problem.resources.of_channel(hop.channel);
                let before = (&rows[from..from + stride], &paid[from..from + stride]);
                let (prices, marks) = board.row(link, &mut self.gathered);
                let take = if i == 0 { first_way } else { another_way };
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

    /// The cheapest of the steps that are left.
    fn choose_step(
        &mut self,
        problem: &Problem,
        board: &Board,
        demand: &Demand,
        walks: Walks<'_>,
        rng: &mut Rng,
    ) -> Option<i16> {
        let last = (walks.slots() - 1) * self.stride;
        let (step, least) = least(&self.rows[last..][..board.steps()], rng);
        if least >= NEVER {
            return None;
        }
        let receive = problem.resources.receive_port(demand.destination);
        self.trace_back(problem, board, walks, step, receive, rng);
        self.finish(problem);
        Some(least)
    }

    /// Finds the cheapest place in any other step than the one last found; wormhole only.
    pub fn next_cheapest(
        &mut self,
        problem: &Problem,
        board: &Board,
        demand: &Demand,
        walks: Walks<'_>,
        rng: &mut Rng,
    ) -> Option<i16> {
        let step = self.place[0].1 as usize;
        self.rows[(walks.slots() - 1) * self.stride + step] = NO_WAY;
        self.choose_step(problem, board, demand, walks, rng)
    }

    /// Puts the hops found in order.
    fn finish(&mut self, problem: &Problem) {
        self.place.reverse();
        if problem.routing.slack() > 1 {
            cut_loops(problem, &mut self.place);
        }
    }

    /// The hops of a cheapest path in a step, last first.
    fn trace_back(
        &mut self,
        problem: &Problem,
        board: &Board,
        walks: Walks<'_>,
        step: usize,
        mut receive: Option<ResourceId>,
        rng: &mut Rng,
    ) {
        self.place.clear();
        let mut slot = walks.slots() - 1;
        while slot > 0 {
            let price = self.rows[slot * self.stride + step];
            let leads_here = |hop: &&Hop| {
                let from = hop.from as usize * self.stride + step;
                let link = problem.resources.of_channel(hop.channel);
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

    fn store_and_forward(
        &mut self,
        problem: &Problem,
        board: &Board,
        walks: Walks<'_>,
        rng: &mut Rng,
    ) -> Option<i16> {
        // A row holds the prices of being there before every step, and after the last.
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
                let (link, send, receive) = stops(problem, hop);
                let (prices, _) = board.row(link, &mut self.gathered);
                let sums = from.iter().zip(prices).map(|(f, p)| plus(*f, *p));
                if send.is_none() && receive.is_none() {
                    row[1..].iter_mut().zip(sums).for_each(|(r, sum)| *r = (*r).min(sum));
                    continue;
                }
                let price = |port: Option<ResourceId>, step: usize| {
                    port.map_or(0, |port| board.at(port, step).0)
                };
                // Not the padding: nobody is asked for the price of a port after the last step.
                for (step, (r, sum)) in row[1..=steps].iter_mut().zip(sums).enumerate() {
                    let ports = plus(price(send, step), price(receive, step));
                    *r = (*r).min(plus(sum, ports));
                }
            }
            let mut least = NO_WAY;
            for r in row {
                least = least.min(*r);
                *r = least;
            }
        }
        let price = self.rows[(slots - 1) * stride + steps];
        (price < NEVER).then(|| {
            self.trace_back_in_time(problem, board, walks, rng);
            price
        })
    }

    /// The hops of a cheapest way, last first. At every vertex it is open whether the message came
    /// just now or has waited.
    fn trace_back_in_time(
        &mut self,
        problem: &Problem,
        board: &Board,
        walks: Walks<'_>,
        rng: &mut Rng,
    ) {
        self.place.clear();
        let (mut slot, mut time) = (walks.slots() - 1, board.steps());
        while slot > 0 {
            let at = |slot: usize, time: usize| self.rows[slot * self.stride + time];
            let price = at(slot, time);
            let leads_here = |hop: &&Hop| {
                let (link, send, receive) = stops(problem, hop);
                let all = [Some(link), send, receive].into_iter().flatten();
                let own = all.map(|r| board.at(r, time - 1).0).fold(0, plus);
                plus(at(hop.from as usize, time - 1), own) == price
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

    fn resize(&mut self, cells: usize) {
        if self.rows.len() < cells {
            self.rows.resize(cells, 0);
            self.paid.resize(cells, 0);
        }
    }
}

/// A row of prices after one more hop: `from` is that of the slot it comes from, and `last` who has
/// been paid last there. (A function of its own, so that the compiler knows that its slices are apart
/// and runs the loop on vectors.)
#[inline(never)]
fn first_way(
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
        let mark = marks[i];
        row[i] = plus(from[i], prices[i] & all_bits(mark != last[i]));
        paid[i] = mark;
    }
}

/// The same where the row has prices already: the cheaper way counts.
#[inline(never)]
fn another_way(
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
        paid[i] = if sum < old { mark } else { was_paid };
        row[i] = old.min(sum);
    }
}

/// All bits set, or none: chooses without a branch.
fn all_bits(yes: bool) -> i16 {
    -i16::from(yes)
}

/// The sum of two prices, of which each is at most [`NEVER`], and so is the sum.
fn plus(a: i16, b: i16) -> i16 {
    a.wrapping_add(b).min(NEVER)
}

/// What a store-and-forward hop occupies: its link, and the ports at its ends where limited.
pub fn stops(problem: &Problem, hop: &Hop) -> (ResourceId, Option<ResourceId>, Option<ResourceId>) {
    let resources = &problem.resources;
    let ends = problem.network.channel(hop.channel);
    let ports = (resources.send_port(ends.from), resources.receive_port(ends.to));
    (resources.of_channel(hop.channel), ports.0, ports.1)
}

/// The least value, and where it stands, ties at random.
fn least(row: &[i16], rng: &mut Rng) -> (usize, i16) {
    let least = row.iter().copied().min().expect("there is a step");
    let ties = row.iter().map(|&v| u32::from(v == least)).sum();
    let nth = if ties > 1 { rng.random_range(0..ties) } else { 0 };
    let mut places = (0..row.len()).filter(|&i| row[i] == least);
    (places.nth(nth as usize).expect("counted"), least)
}

/// Any of some things.
pub fn any<T>(things: impl Iterator<Item = T>, rng: &mut Rng) -> Option<T> {
    let mut chosen = None;
    for (before, thing) in (1..).zip(things) {
        if chosen.is_none() || rng.random_range(0..before) == 0 {
            chosen = Some(thing);
        }
    }
    chosen
}
