//! Schedules of few steps with several rounds each, with store-and-forward switching: in a step of r
//! rounds a channel carries r times its capacity, and what arrives is sent on in later steps.
//!
//! Guided ejection on a partial schedule: a waiting message takes the cheapest way, or tree, through
//! channels and steps; a full channel costs the least weight of a message there. Messages in its way
//! wait instead, and its own weight rises. Broadcasts to all vertices are matched first.

use super::joined;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Joining, MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::metrics::distances_to;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Attempts to match broadcasts.
const MOST_MATCHED: usize = 100;
/// Placements between two looks at the time.
const LOOKED: usize = 256;

/// A step, and the channel that a message takes in it.
type Use = (u32, u32);

/// The messages that are on the way, and their uses of channels.
struct RoundsBoard<'p> {
    problem: &'p Problem,
    /// By step, the rounds.
    rounds: &'p [u32],
    links: usize,
    /// By step, then link: the messages that take it.
    users: Vec<Vec<MessageId>>,
    /// By message.
    uses: Vec<Vec<Use>>,
    weights: Vec<u32>,
}

/// Whether a problem can be searched: no ports and no fixed routes restrict a vertex that stores.
pub fn applies(problem: &Problem) -> bool {
    problem.switching().stores()
        && !problem.resources().have_ports()
        && !problem.has_fixed_routes()
        && !problem.collective().is_all_reduce()
        && problem.collective().joining() != Joining::Signal
        && problem.groups().is_none()
}

/// A schedule with these rounds in its steps, one entry of the plan a round; none if none is found with
/// `effort` placements a message, or before it is over.
pub fn search(
    problem: &Problem,
    rounds: &[u32],
    effort: usize,
    is_over: &dyn Fn() -> bool,
    rng: &mut Rng,
) -> Option<Plan> {
    if problem.collective().joins() {
        return joined::in_rounds(problem, rounds, effort, is_over, rng);
    }
    if may_match(problem) {
        let matched = matched(problem, rounds, effort.min(MOST_MATCHED), is_over, rng);
        if matched.is_some() {
            return matched;
        }
    }
    let messages = problem.messages();
    let links = problem.resources().links();
    let mut board = RoundsBoard {
        problem,
        rounds,
        links,
        users: vec![Vec::new(); links * rounds.len()],
        uses: vec![Vec::new(); messages],
        weights: vec![1; messages],
    };
    let mut ways = Ways::of(problem, rounds.len());
    let mut waiting: Vec<MessageId> = (0..messages as MessageId).collect();
    for placed in 0..effort.saturating_mul(messages) {
        if waiting.is_empty() || placed % LOOKED == 0 && is_over() {
            break;
        }
        let message = waiting.swap_remove(rng.random_range(0..waiting.len()));
        let price = |step: usize, c: u32| board.price(step, c);
        // Without a way in this number of steps there is none at all.
        if !ways.find(problem, message, price, rng) {
            return None;
        }
        board.place(message, ways.uses(), &mut waiting);
    }
    waiting.is_empty().then(|| board.plan())
}

impl RoundsBoard<'_> {
    fn cell(&self, step: usize, c: u32) -> usize {
        step * self.links + self.problem.resources().of_channel(c) as usize
    }

    /// Transfers that a link carries in a step.
    fn capacity(&self, step: usize, c: u32) -> usize {
        let resources = self.problem.resources();
        (resources.capacity(resources.of_channel(c)) * self.rounds[step]) as usize
    }

    /// What a transfer costs: nothing where there is room, else the least weight of those in its way.
    fn price(&self, step: usize, c: u32) -> u32 {
        let users = &self.users[self.cell(step, c)];
        if users.len() < self.capacity(step, c) {
            return 0;
        }
        users.iter().map(|&m| self.weights[m as usize]).min().unwrap_or(0)
    }

    /// Places a message; those in its way wait.
    fn place(&mut self, message: MessageId, uses: &[Use], waiting: &mut Vec<MessageId>) {
        let before = waiting.len();
        for &(step, c) in uses {
            let cell = self.cell(step as usize, c);
            self.users[cell].push(message);
            while self.users[cell].len() > self.capacity(step as usize, c) {
                let others = self.users[cell].iter().copied().filter(|&m| m != message);
                let Some(gone) = others.min_by_key(|&m| self.weights[m as usize]) else { break };
                self.lift(gone);
                waiting.push(gone);
            }
        }
        self.uses[message as usize] = uses.to_vec();
        self.weights[message as usize] += u32::from(waiting.len() > before);
    }

    /// Removes a message.
    fn lift(&mut self, message: MessageId) {
        for (step, c) in std::mem::take(&mut self.uses[message as usize]) {
            let cell = self.cell(step as usize, c);
            if let Some(place) = self.users[cell].iter().position(|&m| m == message) {
                self.users[cell].swap_remove(place);
            }
        }
    }

    /// The schedule, a round after the other.
    fn plan(&self) -> Plan {
        let mut begin = Vec::with_capacity(self.rounds.len());
        let mut all = 0;
        for &rounds in self.rounds {
            begin.push(all);
            all += rounds;
        }
        let mut plan = Plan::new(all);
        let mut used = vec![0; self.users.len()];
        for (message, uses) in (0..).zip(&self.uses) {
            for &(step, c) in uses {
                let cell = self.cell(step as usize, c);
                let width = self.capacity(step as usize, c) as u32 / self.rounds[step as usize];
                let round = begin[step as usize] + used[cell] / width;
                used[cell] += 1;
                plan.push(round as usize, message, [c]);
            }
        }
        plan.tidy();
        plan
    }
}

/// The receivers of every message, and its source.
fn ends(problem: &Problem) -> Vec<(VertexId, Vec<VertexId>)> {
    let of_message = problem.demands().chunk_by(|a, b| a.message == b.message);
    of_message.map(|d| (d[0].source, d.iter().map(|d| d.destination).collect())).collect()
}

// Broadcasts of many messages, step by step: every vertex matches the channels into it to messages that
// it lacks and that their starts had before the step, rare ones first, with noise. So nearly every
// channel works in every round, as schedules at the bound need it.

/// Whether a problem can be matched: every vertex gets every message.
fn may_match(problem: &Problem) -> bool {
    let is_common = problem.collective().content().is_common();
    is_common && problem.receivers().len() == problem.network().vertices().len()
}

/// A schedule with these rounds in its steps, within some attempts, or before it is over.
pub fn matched(
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

// The cheapest way, or tree, of a message through channels and steps.

/// Not reached.
const NEVER: u32 = u32::MAX;
/// No channel: the message waits.
const WAITS: ChannelId = ChannelId::MAX;
/// What a transfer costs beside those in its way, in parts of a weight, and the most of its noise.
const HOP: u32 = 16;
/// One tree in this number grows from near receivers to far ones.
const NEAR_FIRST: u32 = 4;
const WEIGHT: u32 = 1 << 10;

/// The search for ways; kept to save allocations.
pub struct Ways {
    steps: usize,
    vertices: usize,
    /// By message: its source and its receivers.
    ends: Vec<(VertexId, Vec<VertexId>)>,
    /// By destination, the distances of all vertices, if the ways to it must be shortest.
    distances: Vec<Option<Vec<u32>>>,
    /// By vertex, the steps after which it has the message.
    since: Vec<u32>,
    /// By steps made, then vertex: the cost, and the channel of the last of these steps.
    cost: Vec<u32>,
    by: Vec<ChannelId>,
    uses: Vec<Use>,
}

impl Ways {
    /// For schedules of this number of steps.
    pub fn of(problem: &Problem, steps: usize) -> Self {
        let vertices = problem.network().vertices().len();
        let ends = ends(problem);
        let mut distances = vec![None; vertices];
        if problem.collective().content().is_personal() {
            for d in problem.demands() {
                let to = d.destination as usize;
                distances[to].get_or_insert_with(|| distances_to(problem.network(), d.destination));
            }
        }
        Ways {
            steps,
            vertices,
            ends,
            distances,
            since: vec![NEVER; vertices],
            cost: vec![NEVER; (steps + 1) * vertices],
            by: vec![WAITS; (steps + 1) * vertices],
            uses: Vec::new(),
        }
    }

    /// The uses of the last message.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// Finds a tree from the source of a message to its receivers, path by path; false if a receiver is too
    /// far.
    pub fn find(
        &mut self,
        problem: &Problem,
        message: MessageId,
        price: impl Fn(usize, ChannelId) -> u32,
        rng: &mut Rng,
    ) -> bool {
        self.uses.clear();
        self.since.fill(NEVER);
        let (source, mut missing) = self.ends[message as usize].clone();
        self.since[source as usize] = 0;
        // Longer ways than the steps allow are none, so slack needs no counting where it allows all.
        let slack = problem.routing().slack() as usize;
        let to = missing[0] as usize;
        let is_bound = |distance: &&Vec<u32>| {
            (distance[source as usize] as usize).saturating_add(slack) < self.steps
        };
        let toward = self.distances[to].as_ref().filter(is_bound).cloned();
        let is_far_first = rng.random_range(0..NEAR_FIRST) > 0;
        while !missing.is_empty() {
            self.fill(problem, toward.as_deref(), &price, rng);
            let last = self.steps * self.vertices;
            let cost = |&v: &VertexId| self.cost[last + v as usize];
            // The way to a far receiver passes near ones early; without noise trees are all alike.
            let rank = |v: &VertexId| match is_far_first {
                true => cost(v),
                false => NEVER - cost(v),
            };
            let Some(next) = missing.iter().copied().max_by_key(rank) else { break };
            if cost(&next) == NEVER {
                return false;
            }
            self.trace(problem, next);
            missing.retain(|&v| self.since[v as usize] == NEVER);
        }
        true
    }

    /// The costs of all vertices after each number of steps.
    fn fill(
        &mut self,
        problem: &Problem,
        toward: Option<&[u32]>,
        price: &impl Fn(usize, ChannelId) -> u32,
        rng: &mut Rng,
    ) {
        let n = self.vertices;
        for (v, &since) in self.since.iter().enumerate() {
            self.cost[v] = if since == 0 { 0 } else { NEVER };
        }
        for step in 0..self.steps {
            let (before, after) = (step * n, (step + 1) * n);
            for v in 0..n {
                let has = self.since[v] as usize <= step + 1;
                self.cost[after + v] = if has { 0 } else { self.cost[before + v] };
                self.by[after + v] = WAITS;
            }
            for (c, ends) in (0..).zip(problem.network().channels()) {
                let (from, to) = (ends.from as usize, ends.to as usize);
                let leads = toward.is_none_or(|distance| distance[to] < distance[from]);
                if self.cost[before + from] == NEVER || self.since[to] != NEVER || !leads {
                    continue;
                }
                let hop = HOP + rng.random_range(0..HOP);
                let cost = price(step, c).saturating_mul(WEIGHT).saturating_add(hop);
                let cost = cost.saturating_add(self.cost[before + from]).min(NEVER - 1);
                if cost < self.cost[after + to] {
                    self.cost[after + to] = cost;
                    self.by[after + to] = c;
                }
            }
        }
    }

    /// Adds the way to a vertex.
    fn trace(&mut self, problem: &Problem, to: VertexId) {
        let (mut v, mut step) = (to as usize, self.steps);
        while self.since[v] as usize > step {
            let c = self.by[step * self.vertices + v];
            step -= 1;
            if c != WAITS {
                self.since[v] = step as u32 + 1;
                self.uses.push((step as u32, c));
                v = problem.network().channel(c).from as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    #[test]
    fn rounds_make_valid_steps() {
        let all = [
            ("ring:8", Collective::Aab, 1, &[1, 1, 1, 1][..], true),
            ("ring:8", Collective::Aab, 2, &[2, 2, 2, 1], true),
            // Four pieces of each neighbour do not fit one round.
            ("ring:8", Collective::Aab, 2, &[1, 2, 2, 1], false),
            ("hypercube:3", Collective::Aas, 1, &[1, 2, 1], true),
            ("petersen", Collective::Aab, 1, &[1, 2], true),
            ("petersen", Collective::Aab, 1, &[3], false),
            ("ring:6", Collective::ReduceScatter, 2, &[2, 2, 2], true),
        ];
        for (topology, collective, pieces, rounds, is_found) in all {
            let switching = Switching::StoreAndForward;
            let request = Request { switching, pieces, ..Request::new(collective) };
            let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
            assert!(applies(&problem));
            let found = search(&problem, rounds, 200, &|| false, &mut rng_of(1, 0, 0));
            let what = format!("{collective} of {topology} in {rounds:?}");
            assert_eq!(found.is_some(), is_found, "{what}");
            let Some(plan) = found else { continue };
            let mut file = plan.record(&problem, &[], Provenance::default()).in_rounds();
            assert!(file.steps_of_rounds() <= rounds.len(), "{what}: {:?}", file.model.rounds);
            assert_eq!(verify(&file), [], "{what}");
            // One step of all rounds cannot pass anything on.
            file.model.rounds = Some(vec![file.steps.len() as u32]);
            assert!(!verify(&file).is_empty(), "{what}");
        }
    }
}
