//! The transfers of a schedule and the ways that each may take: of a broadcast one into its vertex from any other
//! that has the message, of a scatter with wormhole switching one along a path of its pair, else its own.

use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::routing::PathTable;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use std::collections::HashMap;

/// About the most paths of all ways.
const MOST_PATHS: usize = 200_000;
/// The most terminals of which each may send to each other one in a broadcast with wormhole switching.
const MOST_TERMINALS: usize = 128;
/// Ways of a pair, at most.
const OF_PAIR: usize = 4;

/// A way of a transfer.
#[derive(Clone, Debug)]
pub struct Way {
    /// Where it begins.
    pub tail: VertexId,
    pub channels: Vec<ChannelId>,
    /// What it holds.
    pub held: Vec<u32>,
    /// Its delay in nanoseconds.
    pub delay: u64,
}

/// A transfer of a message to a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub message: MessageId,
    pub head: VertexId,
    /// The list of its ways.
    list: u32,
    /// The way that it has in the schedule.
    pub way: u32,
    pub step: u32,
}

/// All transfers, and all ways.
pub struct Ways<'d> {
    /// By channel, its delay in nanoseconds.
    delays: &'d [u64],
    pub items: Vec<Item>,
    pub ways: Vec<Way>,
    lists: Vec<Vec<u32>>,
    /// By message and vertex, the transfer that brings the message there.
    brought: HashMap<(MessageId, VertexId), u32>,
    /// By message, its origin and its transfers.
    pub origins: Vec<VertexId>,
    pub of_message: Vec<Vec<u32>>,
}

impl<'d> Ways<'d> {
    /// Those of a schedule; channels have these delays in nanoseconds.
    pub fn of(problem: &Problem, plan: &Plan, delays: &'d [u64]) -> Self {
        let origin = |m| problem.message(m as MessageId).origin;
        let messages = problem.messages();
        let mut made = Ways {
            delays,
            items: Vec::new(),
            ways: Vec::new(),
            lists: Vec::new(),
            brought: HashMap::new(),
            origins: (0..messages).map(origin).collect(),
            of_message: vec![Vec::new(); messages],
        };
        let is_spread = !problem.collective().content().is_personal();
        let into = if is_spread { made.entrances(problem) } else { Vec::new() };
        let mut of_pairs: HashMap<(VertexId, VertexId), u32> = HashMap::new();
        for (step, transfers) in (0..).zip(plan.steps()) {
            for t in transfers {
                let net = problem.network();
                let ends = [t.channels.first(), t.channels.last()];
                let [Some(&first), Some(&last)] = ends else { continue };
                let (tail, head) = (net.channel(first).from, net.channel(last).to);
                let list = match into.get(head as usize) {
                    Some(&list) => list,
                    None if problem.switching().holds_paths() && !problem.has_fixed_routes() => {
                        let known = of_pairs.get(&(tail, head)).copied();
                        let list = known.unwrap_or_else(|| made.of_pair(problem, (tail, head)));
                        of_pairs.insert((tail, head), list);
                        list
                    }
                    None => made.list(),
                };
                let way = made.way(problem, (list, tail), t.channels);
                let item = Item { message: t.message, head, list, way, step };
                let number = made.items.len() as u32;
                made.brought.entry((t.message, head)).or_insert(number);
                made.of_message[t.message as usize].push(number);
                made.items.push(item);
            }
        }
        made
    }

    /// By vertex, the list of the ways into it, for messages that any vertex may pass on.
    fn entrances(&mut self, problem: &Problem) -> Vec<u32> {
        let net = problem.network();
        let all = 0..net.vertices().len() as VertexId;
        let lists: Vec<u32> = all.clone().map(|_| self.list()).collect();
        if !problem.switching().holds_paths() {
            for c in 0..net.channels().len() as ChannelId {
                let (tail, head) = (net.channel(c).from, net.channel(c).to);
                self.way(problem, (lists[head as usize], tail), &[c]);
            }
            return lists;
        }
        let terminals: Vec<VertexId> = net.terminals().collect();
        if terminals.len() <= MOST_TERMINALS {
            let pairs = terminals.iter().flat_map(|&a| terminals.iter().map(move |&b| (a, b)));
            let pairs: Vec<_> = pairs.filter(|(a, b)| a != b).collect();
            self.of_pairs(problem, &pairs, |_, head| lists[head as usize]);
        }
        lists
    }

    /// The list of the ways of a pair.
    fn of_pair(&mut self, problem: &Problem, pair: (VertexId, VertexId)) -> u32 {
        let list = self.list();
        self.of_pairs(problem, &[pair], |_, _| list);
        list
    }

    /// Adds some ways of each pair to a list.
    fn of_pairs(
        &mut self,
        problem: &Problem,
        pairs: &[(VertexId, VertexId)],
        list: impl Fn(VertexId, VertexId) -> u32,
    ) {
        let slack = problem.routing().slack().min(2);
        let how = (slack, 1);
        let table = PathTable::find_shared(problem.network(), pairs, how, MOST_PATHS, &|| false);
        let Some(table) = table else { return };
        for (number, &(tail, head)) in pairs.iter().enumerate() {
            for path in table.of_pair(number).take(OF_PAIR) {
                self.way(problem, (list(tail, head), tail), table.channels(path));
            }
        }
    }

    fn list(&mut self) -> u32 {
        self.lists.push(Vec::new());
        self.lists.len() as u32 - 1
    }

    /// The number of a way in a list, which gets it if it has not.
    fn way(
        &mut self,
        problem: &Problem,
        (list, tail): (u32, VertexId),
        channels: &[ChannelId],
    ) -> u32 {
        let known = |&&way: &&u32| self.ways[way as usize].channels == channels;
        if let Some(&way) = self.lists[list as usize].iter().find(known) {
            return way;
        }
        let net = problem.network();
        let delay = |&c: &ChannelId| self.delays[c as usize];
        let mut held = Vec::new();
        problem.resources().uses(net, problem.switching(), channels, |r, _| held.push(r));
        let way = Way {
            tail,
            channels: channels.to_vec(),
            held,
            delay: channels.iter().map(delay).sum(),
        };
        self.ways.push(way);
        let number = self.ways.len() as u32 - 1;
        self.lists[list as usize].push(number);
        number
    }

    /// The ways of a transfer.
    pub fn list_of(&self, item: u32) -> &[u32] {
        &self.lists[self.items[item as usize].list as usize]
    }

    /// The transfer that must come before one on a way, if there is one; an error if the message never comes to
    /// where the way begins.
    pub fn before(&self, item: u32, way: u32) -> Result<Option<u32>, ()> {
        let (message, tail) = (self.items[item as usize].message, self.ways[way as usize].tail);
        if self.origins[message as usize] == tail {
            return Ok(None);
        }
        self.brought.get(&(message, tail)).map(|&before| Some(before)).ok_or(())
    }

    /// The delays of all ways, each once, rising.
    pub fn delays(&self) -> Vec<u64> {
        let mut delays: Vec<u64> = self.ways.iter().map(|way| way.delay).collect();
        delays.sort_unstable();
        delays.dedup();
        delays
    }
}
