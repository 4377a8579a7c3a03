//! Gossip: in every step each channel carries a message that its end lacks, a rare one first. A
//! schedule at once for many messages to all, on networks in which every vertex stores messages.
//!
//! While every vertex lacks most messages, every channel finds one, so nearly all channels work in
//! all steps but the last few.

use ccsched_base::bits;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::ops::Range;

/// More bits of vertices and messages do not fit into memory.
const MOST_CELLS: usize = 4_000_000_000;

/// The schedule, if the problem is a large all-gather in which messages move channel by channel.
pub fn plan(problem: &Problem, rng: &mut Rng) -> Option<Plan> {
    let vertices = problem.network().vertices().len();
    // A wormhole transfer does not end at a switch.
    let stores = problem.switching().stores() || problem.network().terminals().count() == vertices;
    if stores && vertices * problem.messages() <= MOST_CELLS {
        Gossip::new(problem).run(rng)
    } else {
        None
    }
}

struct Gossip<'p> {
    problem: &'p Problem,
    /// Words of a row of messages.
    words: usize,
    /// By vertex, then message, in bits: whether the vertex has it, and whether it has it or gets
    /// it in the present step.
    has: Vec<u64>,
    gets: Vec<u64>,
    /// By vertex, the messages that it neither has nor gets.
    lacks: Vec<u32>,
    /// By message, the vertices that have it.
    holders: Vec<u32>,
    /// By vertex, whether it must receive.
    receives: Vec<bool>,
    /// Deliveries left.
    left: usize,
    /// By resource, transfers that it can still carry in the present step.
    room: Vec<u32>,
}

impl<'p> Gossip<'p> {
    fn new(problem: &'p Problem) -> Self {
        let vertices = problem.network().vertices().len();
        let words = bits::words(problem.messages());
        let mut has = vec![0; vertices * words];
        for demand in problem.demands() {
            bits::insert(&mut has[demand.source as usize * words..], demand.message);
        }
        let messages = problem.messages() as u32;
        let lacks = |row: &[u64]| messages - row.iter().map(|word| word.count_ones()).sum::<u32>();
        let lacks = has.chunks(words.max(1)).map(lacks).collect();
        let mut receives = vec![false; vertices];
        problem.receivers().iter().for_each(|&v| receives[v as usize] = true);
        Gossip {
            words,
            gets: has.clone(),
            has,
            lacks,
            holders: vec![1; problem.messages()],
            receives,
            left: problem.demands().len(),
            room: problem.resources().capacities().to_vec(),
            problem,
        }
    }

    /// Makes steps until every receiver has every message; none if that ends before.
    fn run(mut self, rng: &mut Rng) -> Option<Plan> {
        let mut plan = Plan::new(0);
        let mut vertices: Vec<VertexId> = (0..self.receives.len() as VertexId).collect();
        while self.left > 0 {
            self.room.copy_from_slice(self.problem.resources().capacities());
            let step = plan.len();
            vertices.shuffle(rng);
            for &v in &vertices {
                self.receive(v, rng, |message, c| plan.push(step, message, [c]));
            }
            if plan.len() == step {
                return None;
            }
            self.has.copy_from_slice(&self.gets);
        }
        plan.tidy();
        Some(plan)
    }

    /// Sends messages to a vertex over all its channels, in turn from a random one on; calls `act` with each.
    fn receive(&mut self, v: VertexId, rng: &mut Rng, mut act: impl FnMut(u32, ChannelId)) {
        let channels = self.problem.network().incoming(v);
        let port = self.problem.resources().receive_port(v);
        let first = rng.random_range(0..channels.len().max(1));
        for &c in channels[first..].iter().chain(&channels[..first]) {
            if port.is_some_and(|port| self.room[port as usize] == 0) {
                break;
            }
            while let Some(message) = self.carry(c, rng) {
                act(message, c);
            }
        }
    }

    /// Sends a message over a channel, if there is room and the end lacks one that the start has.
    fn carry(&mut self, c: ChannelId, rng: &mut Rng) -> Option<u32> {
        let (network, switching, resources) =
            (self.problem.network(), self.problem.switching(), self.problem.resources());
        let link = resources.of_channel(c);
        if self.room[link as usize] == 0 {
            return None;
        }
        let ends = network.channel(c);
        if self.lacks[ends.to as usize] == 0 {
            return None;
        }
        let (_, ports) = resources.of_crossing(network, switching, c, (true, true));
        let ports = ports.into_iter().flatten();
        if ports.clone().any(|port| self.room[port as usize] == 0) {
            return None;
        }
        let message = self.choose(ends.from, ends.to, rng)?;
        self.room[link as usize] -= 1;
        ports.for_each(|port| self.room[port as usize] -= 1);
        bits::insert(&mut self.gets[ends.to as usize * self.words..], message);
        self.lacks[ends.to as usize] -= 1;
        self.holders[message as usize] += 1;
        self.left -= usize::from(self.receives[ends.to as usize]);
        Some(message)
    }

    /// A message that one vertex has and another lacks: the rarest in a word of messages.
    fn choose(&self, from: VertexId, to: VertexId, rng: &mut Rng) -> Option<u32> {
        let row = |v: VertexId| v as usize * self.words..(v as usize + 1) * self.words;
        let (has, gets) = (&self.has[row(from)], &self.gets[row(to)]);
        let first = rng.random_range(0..self.words);
        let lacks = |words: Range<usize>| {
            let (has, gets) = (&has[words.clone()], &gets[words.clone()]);
            let word = has.iter().zip(gets).position(|(has, gets)| has & !gets != 0);
            word.map(|word| words.start + word)
        };
        let word = lacks(first..self.words).or_else(|| lacks(0..first))?;
        let lacking = has[word] & !gets[word];
        let messages =
            bits::all(std::slice::from_ref(&lacking)).map(|bit| (64 * word) as u32 + bit);
        messages.min_by_key(|&message| self.holders[message as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    /// Steps of the schedule, which is verified.
    fn steps(topology: &str, switching: Switching, ports: Option<u32>) -> usize {
        let request = Request { switching, ports: Ports(ports), ..Request::new(Collective::Aab) };
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let plan = Gossip::new(&problem).run(&mut rng_of(1, 0, 0)).unwrap();
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        plan.len()
    }

    #[test]
    fn every_rule_is_kept() {
        for ports in [None, Some(1), Some(2)] {
            for topology in ["mesh:4x4", "kautz:2,3", "ring:7,half", "torus:4x4,width=2"] {
                assert!(steps(topology, Switching::Wormhole, ports) > 1, "{topology} {ports:?}");
            }
            for topology in ["mesh:4x4", "fat-tree:8", "ring:7,half"] {
                let switching = Switching::StoreAndForward;
                assert!(steps(topology, switching, ports) > 1, "{topology} {ports:?}");
            }
        }
    }

    #[test]
    fn it_is_near_the_bound_of_ports() {
        // 99 messages over 4 channels into every vertex.
        let steps = steps("random-regular:100,4,1", Switching::Wormhole, None);
        assert!((25..=32).contains(&steps), "{steps}");
    }
}
