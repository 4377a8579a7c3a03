//! Trees for the messages, or their pieces, of a few sources, one per orbit of a group, such that their images do not
//! conflict: every step uses each orbit of links at most once.
//!
//! The trees grow step by step. In each step, orbits of links are matched to vertices without the
//! message; a link prefers the vertex that can inform most others, or a random one. When too few
//! vertices are informed to finish in time, some steps are undone. Randomness is essential, and so
//! are restarts.

use super::quotient::Quotient;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Retreats, which undo steps, before a restart.
const RETREATS: usize = 40;

/// A piece of a message of a source, by number, and a channel that it takes.
pub type Hop = (u32, ChannelId);

/// The hops of every step.
pub type Trees = Vec<Vec<Hop>>;

/// Grows trees; kept to save allocations.
pub struct Nursery<'a> {
    problem: &'a Problem,
    quotient: &'a Quotient<'a>,
    /// The source of every piece.
    sources: Vec<VertexId>,
    vertices: usize,
    /// Most hops of a step.
    capacity: usize,
    /// By piece, vertex: whether the vertex has it.
    informed: Vec<bool>,
    /// By piece, vertex: number of channels to vertices without it.
    open: Vec<u32>,
    /// By orbit of links, the hops possible in this step.
    choices: Vec<Vec<Hop>>,
    /// By orbit of links, the hop chosen.
    chosen: Vec<Option<Hop>>,
    /// By piece, vertex: the orbit of links that brings it in this step.
    taker: Vec<Option<u32>>,
    /// Messages sent, and received, in this step, by orbit of vertices.
    ports: Vec<(usize, usize)>,
    /// The orbits of links that the search for an augmenting path has visited.
    visited: Vec<bool>,
    /// Whether to prefer the vertices that can inform most others.
    is_eager: bool,
}

impl<'a> Nursery<'a> {
    /// A nursery for a problem and its quotient.
    pub fn new(problem: &'a Problem, quotient: &'a Quotient<'a>) -> Self {
        let vertices = problem.network().vertices().len();
        let pieces = problem.pieces() as usize;
        let of_source = |&source: &VertexId| std::iter::repeat_n(source, pieces);
        let sources: Vec<VertexId> = quotient.sources.iter().flat_map(of_source).collect();
        let places = vertices * sources.len();
        let rows = quotient.links.len();
        let limit = |&v: &VertexId| problem.receives_at_once(v);
        Nursery {
            problem,
            quotient,
            sources,
            vertices,
            capacity: rows.min(quotient.sources.iter().map(limit).sum()),
            informed: vec![false; places],
            open: vec![0; places],
            choices: vec![Vec::new(); rows],
            chosen: vec![None; rows],
            taker: vec![None; places],
            ports: vec![(0, 0); quotient.sources.len()],
            visited: vec![false; rows],
            is_eager: false,
        }
    }

    /// Trees to all vertices in `steps` steps; examines at most `effort` hops and counts them down.
    pub fn grow(&mut self, steps: usize, effort: &mut usize, rng: &mut Rng) -> Option<Trees> {
        let hops = self.quotient.links.iter().map(Vec::len).sum::<usize>();
        let hops = hops * self.sources.len();
        while *effort > 0 {
            self.is_eager = !self.is_eager;
            let mut left = self.begin();
            let mut retreats = 0;
            let mut trees = Trees::new();
            while left > 0 && retreats < RETREATS && *effort > 0 {
                *effort = effort.saturating_sub(hops);
                let step = self.step(rng);
                left -= step.len();
                self.inform(&step, true);
                trees.push(step);
                if left > (steps - trees.len()) * self.capacity {
                    retreats += 1;
                    let back = 2 + rng.random::<u32>().trailing_zeros() as usize;
                    for step in trees.drain(trees.len().saturating_sub(back)..) {
                        left += step.len();
                        self.inform(&step, false);
                    }
                }
            }
            if left == 0 {
                return Some(trees);
            }
        }
        None
    }

    /// Forgets all trees; returns the number of deliveries to make.
    fn begin(&mut self) -> usize {
        let (network, sources) = (self.problem.network(), self.sources.clone());
        self.informed.fill(false);
        for (i, open) in self.open.iter_mut().enumerate() {
            *open = network.outgoing((i % self.vertices) as VertexId).len() as u32;
        }
        let pieces = sources.len();
        (0..).zip(sources).for_each(|(m, source)| self.set(m, source, true));
        self.informed.len() - pieces
    }

    fn place(&self, m: u32, v: VertexId) -> usize {
        m as usize * self.vertices + v as usize
    }

    /// Index of (piece, vertex) that a hop informs.
    fn target(&self, (m, c): Hop) -> usize {
        self.place(m, self.problem.network().channel(c).to)
    }

    fn inform(&mut self, step: &[Hop], is_informed: bool) {
        let network = self.problem.network();
        step.iter().for_each(|&(m, c)| self.set(m, network.channel(c).to, is_informed));
    }

    fn set(&mut self, m: u32, v: VertexId, is_informed: bool) {
        let network = self.problem.network();
        let place = self.place(m, v);
        self.informed[place] = is_informed;
        for &c in network.incoming(v) {
            let place = self.place(m, network.channel(c).from);
            if is_informed {
                self.open[place] -= 1;
            } else {
                self.open[place] += 1;
            }
        }
    }

    /// The hops of a step, as many as the matching finds.
    fn step(&mut self, rng: &mut Rng) -> Vec<Hop> {
        self.list_choices();
        self.chosen.fill(None);
        self.taker.fill(None);
        self.ports.fill((0, 0));
        let mut rows: Vec<u32> = (0..self.choices.len() as u32).collect();
        rows.shuffle(rng);
        rows.sort_by_key(|&row| self.choices[row as usize].len());
        let has_ports = self.problem.resources().have_ports();
        for row in rows {
            if !self.take_best(row, rng) && !has_ports {
                self.visited.fill(false);
                self.augment(row);
            }
        }
        self.chosen.iter().flatten().copied().collect()
    }

    fn list_choices(&mut self) {
        let network = self.problem.network();
        for (row, channels) in self.quotient.links.iter().enumerate() {
            let mut choices = std::mem::take(&mut self.choices[row]);
            choices.clear();
            for m in 0..self.sources.len() as u32 {
                let is_choice = |&&c: &&ChannelId| {
                    let c = network.channel(c);
                    self.informed[self.place(m, c.from)] && !self.informed[self.place(m, c.to)]
                };
                choices.extend(channels.iter().filter(is_choice).map(|&c| (m, c)));
            }
            self.choices[row] = choices;
        }
    }

    /// Gives an orbit of links the best of its free choices.
    fn take_best(&mut self, row: u32, rng: &mut Rng) -> bool {
        let is_free = |&hop: &Hop| self.taker[self.target(hop)].is_none() && self.has_ports(hop.1);
        let mut rank = |hop: Hop| {
            let open = if self.is_eager { self.open[self.target(hop)] } else { 0 };
            (open, rng.random::<u32>())
        };
        let free = self.choices[row as usize].iter().copied().filter(is_free);
        let Some(hop) = free.max_by_key(|&hop| rank(hop)) else { return false };
        let ends = self.problem.network().channel(hop.1);
        self.ports[self.quotient.orbit[ends.from as usize] as usize].0 += 1;
        self.ports[self.quotient.orbit[ends.to as usize] as usize].1 += 1;
        self.give(row, hop);
        true
    }

    fn has_ports(&self, c: ChannelId) -> bool {
        let ends = self.problem.network().channel(c);
        let sent = self.ports[self.quotient.orbit[ends.from as usize] as usize].0;
        let received = self.ports[self.quotient.orbit[ends.to as usize] as usize].1;
        sent < self.problem.sends_at_once(ends.from)
            && received < self.problem.receives_at_once(ends.to)
    }

    fn give(&mut self, row: u32, hop: Hop) {
        let target = self.target(hop);
        self.taker[target] = Some(row);
        self.chosen[row as usize] = Some(hop);
    }

    /// Gives an orbit of links one of its choices, if other orbits can change theirs.
    fn augment(&mut self, row: u32) -> bool {
        if std::mem::replace(&mut self.visited[row as usize], true) {
            return false;
        }
        for i in 0..self.choices[row as usize].len() {
            let hop = self.choices[row as usize][i];
            let taker = self.taker[self.target(hop)];
            if taker.is_none_or(|other| self.augment(other)) {
                self.give(row, hop);
                return true;
            }
        }
        false
    }
}
