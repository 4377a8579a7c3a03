//! Relay scheduling, for large scatters with store-and-forward switching: messages follow planned
//! routes whose loads are balanced (`Routes`), and wait in queues in front of channels. In every
//! step each channel forwards the message with the longest way left. The schedule is little longer
//! than the largest load, except where terminals at switches are nearly as loaded as the channels
//! between switches: there a wormhole schedule gives a shorter one. Each iteration plans some routes anew
//! and schedules all messages.

use super::finish::Fitting;
use super::ground::{Ground, Packed};
use super::rounds;
use super::routes::{Finder, Routes, Share};
use crate::journeys::{Hops, along, justified, shortest};
use crate::{Method, Resume, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::sync::Arc;

/// One message in `REPLANNED` gets another route before each schedule but the first.
const REPLANNED: u32 = 10;
/// Rounds of planning before the first schedule.
const BEFORE_FIRST: u32 = 3;
/// Messages planned in an iteration.
const PLANNED: u32 = 200_000;

/// A search by relay scheduling.
#[derive(Clone, Debug)]
pub struct Relay {
    ground: Arc<Ground>,
    finder: Finder,
    state: State,
}

/// The state that is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    routes: Routes,
    /// Rounds of planning left, and the next pair.
    planning: (u32, u32),
    /// The best schedule, and whether it was not shown yet.
    best: Hops,
    is_new: bool,
    /// Whether the way over a wormhole schedule is better here than queues.
    fits: bool,
}

impl Relay {
    /// A search for a scatter with store-and-forward switching over shortest paths.
    pub fn new(problem: Arc<Problem>) -> Self {
        let ground = Arc::new(Ground::new(problem));
        let state = State {
            routes: Routes::new(&ground, Share::default()),
            planning: (rounds(&ground), 0),
            best: Hops::default(),
            is_new: false,
            fits: false,
        };
        Relay { ground, finder: Finder::default(), state }
    }

    /// Plans some random routes anew.
    fn replan(&mut self, rng: &mut Rng) -> u64 {
        let ground = &self.ground;
        let pairs = ground.pairs.len() as u32;
        for _ in 0..pairs / REPLANNED {
            let pair = rng.random_range(0..pairs);
            let copy = rng.random_range(0..ground.pairs[pair as usize].messages);
            self.state.routes.plan(ground, (pair, copy), &mut self.finder, rng);
        }
        self.state.routes.set_level(ground);
        u64::from(pairs / REPLANNED)
    }

    /// Schedules all messages: the first time in both ways, later in the better one. Returns the
    /// number of hops.
    fn schedule(&mut self, rng: &mut Rng) -> u64 {
        let is_first = self.state.best.steps.is_empty();
        let mut made = 0;
        if is_first || !self.state.fits {
            let queued = Queues::new(&self.ground, &self.state.routes, rng).run(rng);
            made += self.offer(justified(&self.ground.problem, queued));
        }
        if is_first || self.state.fits {
            let queued = self.state.best.steps.len();
            made += self.offer(fitted(&self.ground, &self.state.routes, rng));
            self.state.fits |= self.state.best.steps.len() < queued;
        }
        made
    }

    /// Keeps a schedule if it is the best so far. Returns the number of its hops.
    fn offer(&mut self, hops: Hops) -> u64 {
        let made = hops.hops.len() as u64;
        let load = self.state.routes.largest(&self.ground);
        log::debug!("relay scheduling: {} steps, planned load {load}", hops.steps.len());
        let best = &mut self.state.best;
        if best.steps.is_empty() || hops.steps.len() < best.steps.len() {
            *best = hops;
            self.state.is_new = true;
        }
        made
    }
}

/// A schedule from one for wormhole switching by first fit over the planned routes.
fn fitted(ground: &Ground, routes: &Routes, rng: &mut Rng) -> Hops {
    let packed = Fitting::at_once(ground, routes, &ground.messages(), rng);
    hops(ground, &packed)
}

impl Walker for Relay {
    fn seek(&mut self, _steps: u32, _rng: &mut Rng) -> u64 {
        self.state.is_new = false;
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if self.state.planning.0 > 0 {
            let State { routes, planning, best, .. } = &mut self.state;
            let planned = routes.plan_some(&self.ground, planning, PLANNED, &mut self.finder, rng);
            let is_third = planning.0 + BEFORE_FIRST <= rounds(&self.ground) && planning.1 == 0;
            let is_first = is_third && best.steps.is_empty();
            return planned + if is_first { self.schedule(rng) } else { 0 };
        }
        let planned = if self.state.best.steps.is_empty() { 0 } else { self.replan(rng) };
        planned + self.schedule(rng)
    }

    fn cost(&self) -> u64 {
        u64::from(!self.state.is_new)
    }

    fn method(&self) -> Method {
        Method::RelayScheduling
    }

    fn plan(&self) -> Plan {
        self.state.best.plan(&self.ground.problem)
    }
}

impl Resume for Relay {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&self.state)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let state: State = codec::decode(state)?;
        if !state.routes.is_like(&self.state.routes) {
            return Err(CommError::Unfit("pairs"));
        }
        self.state = state;
        Ok(())
    }
}

// Messages that follow planned routes and wait in queues in front of channels: in every step each
// channel forwards one of those with the longest way left.

/// Messages of a queue that are compared.
const COMPARED: usize = 8;

/// A message on its way.
#[derive(Clone, Copy, Debug)]
struct Packet {
    demand: u32,
    pair: u32,
    copy: u32,
    /// Hops made.
    made: u32,
}

/// The messages in front of every channel.
struct Queues<'a> {
    ground: &'a Ground,
    routes: &'a Routes,
    /// By channel, then hops left less one.
    waiting: Vec<Vec<Packet>>,
    longest: usize,
    /// By channel, the messages that wait, and all that have still to cross it.
    lengths: Vec<u32>,
    load: Vec<u32>,
    left: u64,
}

impl<'a> Queues<'a> {
    /// All messages at their sources.
    fn new(ground: &'a Ground, routes: &'a Routes, rng: &mut Rng) -> Self {
        let channels = ground.problem.network().channels().len();
        let mut queues = Queues {
            ground,
            routes,
            waiting: vec![Vec::new(); channels * ground.longest],
            longest: ground.longest,
            lengths: vec![0; channels],
            load: vec![0; channels],
            left: 0,
        };
        let mut order: Vec<u32> = (0..ground.pairs.len() as u32).collect();
        order.shuffle(rng);
        for pair in order {
            let ends = ground.pairs[pair as usize];
            for copy in 0..ends.messages {
                let route = routes.route(ground, (pair, copy));
                route.iter().for_each(|&c| queues.load[c as usize] += 1);
                queues.left += route.len() as u64;
                queues.push(Packet { demand: ends.first + copy, pair, copy, made: 0 });
            }
        }
        queues
    }

    /// Adds a message to the queue of its next channel, unless it has arrived.
    fn push(&mut self, message: Packet) {
        let route = self.routes.route(self.ground, (message.pair, message.copy));
        let Some(&c) = route.get(message.made as usize) else { return };
        let left = route.len() - message.made as usize;
        self.waiting[c as usize * self.longest + left - 1].push(message);
        self.lengths[c as usize] += 1;
    }

    /// Of the messages of a channel with the most hops left, one whose next channel has the fewest
    /// in front of it, and of these the most to carry still.
    fn pop(&mut self, c: ChannelId) -> Option<Packet> {
        let queues = c as usize * self.longest..(c as usize + 1) * self.longest;
        let queue = queues.rev().find(|&queue| !self.waiting[queue].is_empty())?;
        let first = self.waiting[queue].len().saturating_sub(COMPARED);
        let urgency = |&(_, message): &(usize, &Packet)| {
            let route = self.routes.route(self.ground, (message.pair, message.copy));
            let next = route.get(message.made as usize + 1);
            next.map(|&c| (self.lengths[c as usize], Reverse(self.load[c as usize])))
        };
        let among = self.waiting[queue].iter().enumerate().skip(first);
        let (at, _) = among.min_by_key(urgency)?;
        let message = self.waiting[queue].swap_remove(at);
        self.lengths[c as usize] -= 1;
        self.load[c as usize] -= 1;
        self.left -= 1;
        Some(message)
    }

    /// Runs all steps.
    fn run(mut self, rng: &mut Rng) -> Hops {
        let problem = &self.ground.problem;
        let (network, resources) = (problem.network(), problem.resources());
        let mut hops = Hops::default();
        let mut moved = Vec::new();
        let mut room = resources.capacities().to_vec();
        let mut order: Vec<ChannelId> = (0..network.channels().len() as ChannelId).collect();
        order.shuffle(rng);
        // By port, the hops that it has still to make.
        let mut carried = vec![0u32; resources.capacities().len()];
        for &c in &order {
            let (_, ports) = resources.of_hop(network, problem.switching(), c);
            ports.into_iter().flatten().for_each(|r| carried[r as usize] += self.load[c as usize]);
        }
        while self.left > 0 {
            room.copy_from_slice(resources.capacities());
            // The most loaded ports first, then channels, where they share ports or a link with others.
            if !resources.are_independent() {
                let load = |c: ChannelId| {
                    let (_, ports) = resources.of_hop(network, problem.switching(), c);
                    let ports = ports.into_iter().flatten().map(|r| carried[r as usize]);
                    (ports.sum::<u32>(), self.load[c as usize])
                };
                order.sort_by_cached_key(|&c| Reverse(load(c)));
            }
            for &c in &order {
                let (link, ports) = resources.of_hop(network, problem.switching(), c);
                let all = [Some(link), ports[0], ports[1]];
                let has_room =
                    |room: &[u32]| all.into_iter().flatten().all(|r| room[r as usize] > 0);
                while self.lengths[c as usize] > 0 && has_room(&room) {
                    let Some(message) = self.pop(c) else { break };
                    all.into_iter().flatten().for_each(|r| room[r as usize] -= 1);
                    ports.into_iter().flatten().for_each(|r| carried[r as usize] -= 1);
                    hops.hops.push((message.demand, c));
                    moved.push(Packet { made: message.made + 1, ..message });
                }
            }
            hops.steps.push(hops.hops.len() as u32);
            moved.drain(..).for_each(|message| self.push(message));
        }
        hops
    }
}

// A schedule for store-and-forward switching from one for wormhole switching, whose messages follow
// each other hop by hop.

/// Hops of all orders of the steps together that are tried, about; the fewest and most orders.
const TRIED: usize = 8_000_000;
const TRIES: (usize, usize) = (2, 12);

/// The hops of all messages, which follow each other as the steps do.
fn hops(ground: &Ground, packed: &Packed) -> Hops {
    let paths = Paths::new(ground, packed);
    along(&ground.problem, (0..packed.transfers()).map(|t| paths.of(t)))
}

/// The hops of all messages, which follow the steps in the best of some orders; always the same for
/// the same steps.
pub fn best_hops(ground: &Ground, packed: &Packed) -> Hops {
    let paths = Paths::new(ground, packed);
    let of_step = |step: usize| packed.step(step).map(|t| paths.of(t));
    let tries = (TRIED / packed.hops().max(1)).clamp(TRIES.0, TRIES.1);
    let rng = &mut rng_of(packed.len() as u64, 0, 0);
    shortest(&ground.problem, (packed.len(), of_step), tries, rng)
}

/// The messages of transfers.
struct Paths<'p> {
    packed: &'p Packed,
    /// By transfer, the demand of its message.
    demands: Vec<u32>,
}

impl<'p> Paths<'p> {
    fn new(ground: &Ground, packed: &'p Packed) -> Self {
        let mut next: Vec<u32> = ground.pairs.iter().map(|pair| pair.first).collect();
        let take = |&pair: &u32| {
            next[pair as usize] += 1;
            next[pair as usize] - 1
        };
        Paths { packed, demands: packed.pairs().iter().map(take).collect() }
    }

    fn of(&self, t: usize) -> (u32, &'p [ChannelId]) {
        (self.demands[t], self.packed.transfer(t).1)
    }
}
