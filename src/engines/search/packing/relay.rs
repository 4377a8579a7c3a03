//! Relay scheduling, for large scatters with store-and-forward switching: messages follow planned
//! routes whose loads are balanced (`Routes`), and wait in queues in front of channels. In every
//! step each channel forwards the message with the longest way left. The schedule is little longer
//! than the largest load, except where terminals at switches are nearly as loaded as the channels
//! between switches: there a wormhole schedule gives a shorter one. Each iteration plans some routes anew
//! and schedules all messages.

use super::fitting::Fitting;
use super::ground::Ground;
use super::rounds;
use super::routes::{Finder, Routes};
use super::stored;
use crate::comm::{CommError, codec};
use crate::engines::{Genome, Method, Resume, Walker};
use crate::network::ChannelId;
use crate::problem::Problem;
use crate::rng::Rng;
use crate::schedule::Plan;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::sync::Arc;

/// One message in `REPLANNED` gets another route before each schedule but the first.
const REPLANNED: u32 = 10;
/// Messages of a queue that are compared.
const COMPARED: usize = 8;
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

/// A schedule: the hops of every step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Hops {
    /// By hop: the demand and the channel.
    hops: Vec<(u32, ChannelId)>,
    /// By step, the end of its hops.
    steps: Vec<u32>,
}

impl Relay {
    /// A search for a scatter with store-and-forward switching over shortest paths.
    pub fn new(problem: Arc<Problem>) -> Self {
        let ground = Arc::new(Ground::new(problem));
        let state = State {
            routes: Routes::new(&ground),
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
            made += self.offer(Queues::new(&self.ground, &self.state.routes, rng).run(rng));
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
    let mut fitting = Fitting::new(ground, routes, rng);
    fitting.place_some(ground, routes, usize::MAX);
    let mut hops = Hops::default();
    let made = fitting.schedule().map(|packed| stored::hops(ground, &packed)).unwrap_or_default();
    for same in made.chunk_by(|a, b| a.step == b.step) {
        hops.hops.extend(same.iter().map(|hop| (hop.demand, hop.channel)));
        hops.steps.push(hops.hops.len() as u32);
    }
    hops
}

/// A message on its way.
#[derive(Clone, Copy, Debug)]
struct Message {
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
    waiting: Vec<Vec<Message>>,
    longest: usize,
    /// By channel, the messages that wait, and all that have still to cross it.
    lengths: Vec<u32>,
    load: Vec<u32>,
    left: u64,
}

impl<'a> Queues<'a> {
    /// All messages at their sources.
    fn new(ground: &'a Ground, routes: &'a Routes, rng: &mut Rng) -> Self {
        let channels = ground.problem.network.channels().len();
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
                queues.push(Message { demand: ends.first + copy, pair, copy, made: 0 });
            }
        }
        queues
    }

    /// Adds a message to the queue of its next channel, unless it has arrived.
    fn push(&mut self, message: Message) {
        let route = self.routes.route(self.ground, (message.pair, message.copy));
        let Some(&c) = route.get(message.made as usize) else { return };
        let left = route.len() - message.made as usize;
        self.waiting[c as usize * self.longest + left - 1].push(message);
        self.lengths[c as usize] += 1;
    }

    /// Of the messages of a channel with the most hops left, one whose next channel has the fewest
    /// in front of it, and of these the most to carry still.
    fn pop(&mut self, c: ChannelId) -> Option<Message> {
        let queues = c as usize * self.longest..(c as usize + 1) * self.longest;
        let queue = queues.rev().find(|&queue| !self.waiting[queue].is_empty())?;
        let first = self.waiting[queue].len().saturating_sub(COMPARED);
        let urgency = |&(_, message): &(usize, &Message)| {
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
        let (network, resources) = (&problem.network, &problem.resources);
        let mut hops = Hops::default();
        let mut moved = Vec::new();
        let mut room = resources.capacities().to_vec();
        let mut order: Vec<ChannelId> = (0..network.channels().len() as ChannelId).collect();
        order.shuffle(rng);
        while self.left > 0 {
            room.copy_from_slice(resources.capacities());
            // The most loaded channels first, where they share ports or a link with others.
            if !resources.are_independent() {
                order.sort_by_key(|&c| Reverse(self.load[c as usize]));
            }
            for &c in &order {
                let (link, ports) = resources.of_hop(network, problem.switching, c);
                let all = [Some(link), ports[0], ports[1]];
                let has_room =
                    |room: &[u32]| all.into_iter().flatten().all(|r| room[r as usize] > 0);
                while self.lengths[c as usize] > 0 && has_room(&room) {
                    let Some(message) = self.pop(c) else { break };
                    all.into_iter().flatten().for_each(|r| room[r as usize] -= 1);
                    hops.hops.push((message.demand, c));
                    moved.push(Message { made: message.made + 1, ..message });
                }
            }
            hops.steps.push(hops.hops.len() as u32);
            moved.drain(..).for_each(|message| self.push(message));
        }
        hops
    }
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

    fn cross_over(&mut self, _partner: &Genome, _rng: &mut Rng) -> u64 {
        0
    }

    fn cost(&self) -> u64 {
        u64::from(!self.state.is_new)
    }

    fn genome(&self) -> Genome {
        Genome::Nothing
    }

    fn method(&self) -> Method {
        Method::RelayScheduling
    }

    fn plan(&self) -> Plan {
        let Hops { hops, steps } = &self.state.best;
        let mut plan = Plan::new(steps.len() as u32);
        let mut first = 0;
        for (step, &end) in steps.iter().enumerate() {
            for &(demand, c) in &hops[first..end as usize] {
                plan.push(step, self.ground.problem.demands[demand as usize].message, [c]);
            }
            first = end as usize;
        }
        plan.tidy();
        plan
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
