//! First fit for wormhole switching: the free steps of a pair are the union over its shortest paths
//! of the intersection of the free steps along a path, by dynamic programming over the vertices
//! between them, a block of steps at a time.

use super::between::{Between, looks};
use crate::ground::free_steps::FreeSteps;
use crate::ground::placed::Placed;
use ccsched_model::problem::{Demand, Problem, ResourceId, Way};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::{Plan, PlanBuilder, Step};
use ccsched_network::{ChannelId, VertexId};

/// Words of a block of steps.
const BLOCK: usize = 4;

type StepBits = [u64; BLOCK];

/// The schedule that takes the demands in this order.
pub fn plan(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Plan {
    continued(problem, distances, &Plan::default(), order)
}

/// The schedule that takes the demands in this order beside the transfers of a plan.
pub fn continued(
    problem: &Problem,
    distances: &DistanceTable,
    plan: &Plan,
    order: &[Demand],
) -> Plan {
    let mut fit = Fit::new(problem);
    fit.between.hurry(looks(problem, distances, order));
    let mut placed = Placed::beside(problem, PlanBuilder::of(plan));
    fit.occupy_all(problem, plan);
    super::each(problem, distances, order, |demand, path| {
        let ends = (demand.source, demand.destination);
        let step = if path.is_empty() {
            fit.choose(problem, ends, distances.row(ends.1))
        } else {
            fit.along(problem, ends, path)
        };
        fit.take(problem, step);
        placed.push(step, demand, fit.path());
    });
    placed.build()
}

/// The steps that are free while messages are placed one after the other.
#[derive(Clone, Debug)]
pub struct Fit {
    free: FreeSteps,
    turns: Turns,
    /// By channel, the transfers that use it.
    used: Vec<u32>,
    /// The path found.
    path: Vec<ChannelId>,
    /// By vertex, the steps of the block in which it is reached; valid where it was visited.
    reached: Vec<StepBits>,
    between: Between,
}

impl Fit {
    /// All steps are free.
    pub fn new(problem: &Problem) -> Self {
        let vertices = problem.network().vertices().len();
        Fit {
            free: FreeSteps::new(problem.resources()),
            turns: Turns::new(problem),
            used: vec![0; problem.network().channels().len()],
            path: Vec::new(),
            reached: vec![[0; BLOCK]; vertices],
            between: Between::new(problem),
        }
    }

    /// The path that was found last.
    pub fn path(&self) -> &[ChannelId] {
        &self.path
    }

    /// Takes a step along the path that was found last.
    pub fn take(&mut self, problem: &Problem, step: u32) {
        let path = std::mem::take(&mut self.path);
        self.occupy(problem, &path, step);
        self.path = path;
    }

    /// Takes a step along a path.
    pub fn occupy(&mut self, problem: &Problem, path: &[ChannelId], step: u32) {
        let (network, resources, switching) =
            (problem.network(), problem.resources(), problem.switching());
        let free = &mut self.free;
        resources.uses(network, switching, path, |r, _| free.take(r, step));
        path.iter().for_each(|&c| self.used[c as usize] += 1);
    }

    /// Takes all steps of a plan, before any other.
    fn occupy_all(&mut self, problem: &Problem, plan: &Plan) {
        let (network, resources, switching) =
            (problem.network(), problem.resources(), problem.switching());
        let steps: Vec<&Step> = plan.steps().collect();
        self.free.take_all(&plan.ends(Step::channel_steps), |step, take| {
            let paths = steps[step].iter().map(|t| t.channels);
            paths.for_each(|path| resources.uses(network, switching, path, |r, _| take(r)));
        });
        let uses = plan.each_part(|_, steps| {
            let mut used = vec![0; network.channels().len()];
            let channels = steps.iter().flatten().flat_map(|t| t.channels);
            channels.for_each(|&c| used[c as usize] += 1);
            used
        });
        for of_part in uses {
            self.used.iter_mut().zip(of_part).for_each(|(used, more)| *used += more);
        }
    }

    /// The first free step along a fixed route.
    pub fn along(
        &mut self,
        problem: &Problem,
        ends: (VertexId, VertexId),
        route: &[ChannelId],
    ) -> u32 {
        self.path.clear();
        self.path.extend_from_slice(route);
        self.first_along(problem, ends)
    }

    /// The first free step along the path.
    fn first_along(&mut self, problem: &Problem, ends: (VertexId, VertexId)) -> u32 {
        let Fit { free, turns, path, .. } = self;
        let ports = ports_of(problem, ends);
        let link = |&c: &ChannelId| problem.resources().of_channel(c);
        let begin = path.iter().map(|c| free.first(link(c))).max().unwrap_or(0);
        let begin = begin.max(turns.begin(problem, free, path));
        for block in (begin / BLOCK * BLOCK..free.words()).step_by(BLOCK) {
            let mut steps = free_ports(free, ports, block);
            for c in &*path {
                let link = link(c);
                (0..BLOCK).for_each(|i| steps[i] &= free.word(link, block + i));
            }
            if let Some(step) = first(&steps) {
                return 64 * block as u32 + step;
            }
        }
        64 * free.words() as u32
    }

    /// The first step in which a shortest path is free, and such a path. `to` is the distance to
    /// the destination, by vertex.
    pub fn choose(&mut self, problem: &Problem, ends: (VertexId, VertexId), to: &[u16]) -> u32 {
        let ports = ports_of(problem, ends);
        let earliest = self.between.list((&self.free, &self.used), ends, to) / BLOCK * BLOCK;
        if self.between.hops.len() + 1 == self.between.vertices.len() {
            // There is one path.
            self.path.clear();
            self.path.extend(self.between.hops.iter().map(|(_, way)| way.channel));
            return self.first_along(problem, ends);
        }
        for block in (earliest..self.free.words()).step_by(BLOCK) {
            let steps = free_ports(&self.free, ports, block);
            if first(&steps).is_some() {
                self.spread(ends.0, steps, block);
                if let Some(step) = first(&self.reached[ends.1 as usize]) {
                    self.trace(problem, ends, Some((block, step)), to);
                    return 64 * block as u32 + step;
                }
            }
        }
        self.trace(problem, ends, None, to);
        64 * self.free.words() as u32
    }

    /// Fills `reached` along the hops, from the steps in which the ports are free.
    fn spread(&mut self, source: VertexId, steps: StepBits, block: usize) {
        self.between.vertices.iter().for_each(|&v| self.reached[v as usize] = [0; BLOCK]);
        self.reached[source as usize] = steps;
        for &(u, Way { to: v, link, .. }) in &self.between.hops {
            let here = self.reached[u as usize];
            if here == [0; BLOCK] {
                continue;
            }
            let row = &self.free.row(link)[block..block + BLOCK];
            let there = &mut self.reached[v as usize];
            (0..BLOCK).for_each(|i| there[i] |= here[i] & row[i]);
        }
    }

    /// The path from the destination back: in a step of a block, or in a step past the rows, where
    /// everything is free. Among the channels that lead there, the one used least.
    fn trace(
        &mut self,
        problem: &Problem,
        (source, destination): (VertexId, VertexId),
        place: Option<(usize, u32)>,
        to: &[u16],
    ) {
        let network = problem.network();
        self.path.clear();
        // Forwards in a free step, where every shortest path will do; backwards among those reached.
        let Some((block, step)) = place else {
            let mut v = source;
            while v != destination {
                let is_nearer = |c: &&ChannelId| {
                    to[network.channel(**c).to as usize].checked_add(1) == Some(to[v as usize])
                };
                let nearer = network.outgoing(v).iter().filter(is_nearer);
                let c = *nearer.min_by_key(|c| self.used[**c as usize]).expect("there is a path");
                self.path.push(c);
                v = network.channel(c).to;
            }
            return;
        };
        let (word, bit) = (step as usize / 64, step % 64);
        let is_free = |row: &[u64]| row[word] >> bit & 1 == 1;
        let mut v = destination;
        // The channel into `v` found so far, and its start. All hops into a vertex come before those into
        // vertices nearer to the source.
        let mut found: Option<(ChannelId, VertexId)> = None;
        for &(u, way) in self.between.hops.iter().rev() {
            if let Some((c, from)) = found.filter(|_| to[way.to as usize] > to[v as usize]) {
                self.path.push(c);
                (v, found) = (from, None);
            }
            let leads_here = way.to == v
                && is_free(&self.reached[u as usize])
                && is_free(&self.free.row(way.link)[block..]);
            let rank = |c: ChannelId| (self.used[c as usize], c);
            if leads_here && found.is_none_or(|(c, _)| rank(way.channel) < rank(c)) {
                found = Some((way.channel, u));
            }
        }
        self.path.extend(found.map(|(c, _)| c));
        self.path.reverse();
    }
}

fn ports_of(problem: &Problem, (from, to): (VertexId, VertexId)) -> [Option<ResourceId>; 2] {
    [problem.resources().send_port(from), problem.resources().receive_port(to)]
}

/// The steps of a block in which the ports at the ends are free.
fn free_ports(free: &FreeSteps, ports: [Option<ResourceId>; 2], block: usize) -> StepBits {
    let mut steps = [u64::MAX; BLOCK];
    for port in ports.into_iter().flatten() {
        (0..BLOCK).for_each(|i| steps[i] &= free.word(port, block + i));
    }
    steps
}

/// The first step of a block.
fn first(steps: &StepBits) -> Option<u32> {
    let word = steps.iter().position(|&word| word != 0)?;
    Some(64 * word as u32 + steps[word].trailing_zeros())
}

// Where the search for a free step may begin, by turn: two channels that follow each other on a path.
// Up to there no step is free in both. Steps are taken, never given back, so that this moves only
// forwards. It helps where two long rows have many free steps, but none in common: in a tree, the
// messages from one subtree to another fill the steps in which both channels are free, and leave the
// others to messages from and to elsewhere.

/// More turns do not fit into memory.
const MOST_TURNS: usize = 20_000_000;

/// By turn, a word of both rows.
#[derive(Clone, Debug)]
struct Turns {
    /// By channel, its place among those that lead to its end.
    place: Vec<u32>,
    /// By channel, the first of the turns into it.
    start: Vec<usize>,
    /// By turn, a word before which no step is free in both channels; empty if there are too many turns.
    word: Vec<u32>,
}

impl Turns {
    /// All steps are free.
    fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let channels = network.channels();
        let mut place = vec![0; channels.len()];
        for v in 0..network.vertices().len() as u32 {
            (0..).zip(network.incoming(v)).for_each(|(i, &c)| place[c as usize] = i);
        }
        let mut turns = 0;
        let mut start = Vec::with_capacity(channels.len());
        for c in channels {
            start.push(turns);
            turns += network.incoming(c.from).len();
        }
        Turns { place, start, word: vec![0; if turns > MOST_TURNS { 0 } else { turns }] }
    }

    /// A word before which no step is free in all channels of a path.
    fn begin(&mut self, problem: &Problem, free: &FreeSteps, path: &[ChannelId]) -> usize {
        if self.word.is_empty() {
            return 0;
        }
        let turn = |pair: &[ChannelId]| {
            let [a, b] = [pair[0], pair[1]];
            let word = &mut self.word[self.start[b as usize] + self.place[a as usize] as usize];
            let [a, b] = [a, b].map(|c| free.row(problem.resources().of_channel(c)));
            let passed = a.iter().zip(b).skip(*word as usize).take_while(|(a, b)| *a & *b == 0);
            *word += passed.count() as u32;
            *word as usize
        };
        path.windows(2).map(turn).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;
    use rand::RngExt;

    #[test]
    fn no_step_before_it_is_free_in_both_channels() {
        let rng = &mut rng_of(4, 0, 0);
        let network = spec::parse("full-binary-tree:3").unwrap();
        let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
        let path = |a, b| {
            let lead = |from, to| {
                let leads = |c: &&ChannelId| problem.network().channel(**c).to == to;
                *problem.network().outgoing(from).iter().find(leads).unwrap()
            };
            [lead(a, 0), lead(0, b)]
        };
        let (mut free, mut turns) = (FreeSteps::new(problem.resources()), Turns::new(&problem));
        let mut moved = 0;
        for _ in 0..8000 {
            let path = if rng.random() { path(1, 2) } else { path(2, 1) };
            free.take(path[rng.random_range(0..2)], rng.random_range(0..400));
            let begin = turns.begin(&problem, &free, &path);
            let both = |word: usize| free.word(path[0], word) & free.word(path[1], word);
            assert!((0..begin).all(|word| both(word) == 0));
            assert!(begin == free.words() || both(begin) != 0);
            moved = moved.max(begin);
        }
        assert!(moved > 2, "rows were full up to word {moved}");
    }
}
