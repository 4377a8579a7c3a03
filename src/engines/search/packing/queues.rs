//! Messages that follow planned routes and wait in queues in front of channels: in every step each
//! channel forwards one of those with the longest way left.

use super::ground::Ground;
use super::routes::Routes;
use crate::journeys::Hops;
use ccsched_base::rng::Rng;
use ccsched_network::ChannelId;
use rand::seq::SliceRandom;
use std::cmp::Reverse;

/// Messages of a queue that are compared.
const COMPARED: usize = 8;

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
pub struct Queues<'a> {
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
    pub fn new(ground: &'a Ground, routes: &'a Routes, rng: &mut Rng) -> Self {
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
    pub fn run(mut self, rng: &mut Rng) -> Hops {
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
                    moved.push(Message { made: message.made + 1, ..message });
                }
            }
            hops.steps.push(hops.hops.len() as u32);
            moved.drain(..).for_each(|message| self.push(message));
        }
        hops
    }
}
