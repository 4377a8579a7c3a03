//! Broadcasts of many messages, step by step: every vertex matches the channels into it to messages that
//! it lacks and that their starts had before the step, rare ones first, with noise. So nearly every
//! channel works in every round, as schedules at the bound need it.

use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Whether a problem can be matched: every vertex gets every message.
pub fn applies(problem: &Problem) -> bool {
    let is_common = problem.collective().content().is_common();
    is_common && problem.receivers().len() == problem.network().vertices().len()
}

/// A schedule with these rounds in its steps, within some attempts, or before it is over.
pub fn search(
    problem: &Problem,
    rounds: &[u32],
    attempts: usize,
    is_over: &dyn Fn() -> bool,
    rng: &mut Rng,
) -> Option<Plan> {
    (0..attempts).take_while(|_| !is_over()).find_map(|_| Matching::new(problem).run(rounds, rng))
}

struct Matching<'p> {
    problem: &'p Problem,
    messages: usize,
    /// By vertex, then message: whether it has it before the step, and whether it has it or gets it.
    has: Vec<bool>,
    gets: Vec<bool>,
    /// By vertex, the messages that it lacks.
    lacks: Vec<usize>,
    /// By message, the vertices that have it or get it.
    holders: Vec<u32>,
    /// By channel into the present vertex, what it carries in the step.
    carried: Vec<Vec<MessageId>>,
}

impl<'p> Matching<'p> {
    fn new(problem: &'p Problem) -> Self {
        let (n, messages) = (problem.network().vertices().len(), problem.messages());
        let mut has = vec![false; n * messages];
        let mut lacks = vec![messages; n];
        for d in problem.demands().chunk_by(|a, b| a.message == b.message).map(|all| all[0]) {
            has[d.source as usize * messages + d.message as usize] = true;
            lacks[d.source as usize] -= 1;
        }
        Matching {
            problem,
            messages,
            gets: has.clone(),
            has,
            lacks,
            holders: vec![1; messages],
            carried: Vec::new(),
        }
    }

    fn run(mut self, rounds: &[u32], rng: &mut Rng) -> Option<Plan> {
        let (network, resources) = (self.problem.network(), self.problem.resources());
        let mut plan = Plan::new(rounds.iter().sum());
        let mut left: u32 = rounds.iter().sum();
        let mut begin = 0;
        let mut vertices: Vec<VertexId> = (0..self.lacks.len() as VertexId).collect();
        for &rounds in rounds {
            let room = |c: ChannelId| resources.capacity(resources.of_channel(c)) * rounds;
            // By link, what it has carried in the step: the two directions may share it.
            let mut used = vec![0; resources.links()];
            vertices.shuffle(rng);
            for &v in &vertices {
                self.receive(
                    v,
                    |c| (room(c) - used[resources.of_channel(c) as usize]) as usize,
                    rng,
                );
                for (&c, carried) in network.incoming(v).iter().zip(&self.carried) {
                    let link = resources.of_channel(c);
                    for &message in carried {
                        let round = begin + used[link as usize] / resources.capacity(link);
                        used[link as usize] += 1;
                        plan.push(round as usize, message, [c]);
                    }
                }
            }
            left -= rounds;
            begin += rounds;
            let can = |v: VertexId| self.problem.receives_at_once(v) * left as usize;
            if vertices.iter().any(|&v| self.lacks[v as usize] > can(v)) {
                return None;
            }
            self.has.copy_from_slice(&self.gets);
        }
        plan.tidy();
        Some(plan)
    }

    /// Matches messages to the channels into a vertex, each with its room.
    fn receive(&mut self, v: VertexId, room: impl Fn(ChannelId) -> usize, rng: &mut Rng) {
        let channels = self.problem.network().incoming(v);
        let row = v as usize * self.messages;
        self.carried.iter_mut().for_each(Vec::clear);
        self.carried.resize(channels.len(), Vec::new());
        let room: Vec<usize> = channels.iter().map(|&c| room(c)).collect();
        let noise = 1 + rng.random_range(0..2u32);
        let lacked = (0..self.messages as MessageId).filter(|&m| !self.gets[row + m as usize]);
        let mut wanted: Vec<(u32, u32, MessageId)> = lacked
            .map(|m| {
                let rarity = self.holders[m as usize] + rng.random_range(0..noise);
                (rarity, rng.random::<u32>(), m)
            })
            .collect();
        wanted.sort_unstable();
        let mut free: usize = room.iter().sum();
        let mut visited = vec![false; channels.len()];
        for (_, _, message) in wanted {
            if free == 0 {
                break;
            }
            visited.fill(false);
            if self.carry(message, channels, &room, &mut visited) {
                free -= 1;
                self.gets[row + message as usize] = true;
                self.lacks[v as usize] -= 1;
                self.holders[message as usize] += 1;
            }
        }
    }

    /// Finds a channel for a message, if need be by moving others.
    fn carry(
        &mut self,
        message: MessageId,
        channels: &[ChannelId],
        room: &[usize],
        visited: &mut [bool],
    ) -> bool {
        for (i, &c) in channels.iter().enumerate() {
            let from = self.problem.network().channel(c).from as usize;
            if visited[i] || room[i] == 0 || !self.has[from * self.messages + message as usize] {
                continue;
            }
            visited[i] = true;
            if self.carried[i].len() < room[i] {
                self.carried[i].push(message);
                return true;
            }
            for place in 0..self.carried[i].len() {
                let other = self.carried[i][place];
                if self.carry(other, channels, room, visited) {
                    self.carried[i][place] = message;
                    return true;
                }
            }
        }
        false
    }
}
