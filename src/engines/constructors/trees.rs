//! Trees down which the messages of a few sources travel, one for every orbit of a group, such that
//! all their images are in no conflict: in every step each orbit of links is used once.
//!
//! The trees grow step by step. In each, links are matched to those who have not got a message yet;
//! of those whom a link can inform it prefers who can inform most others in turn, or just anybody:
//! chance is essential, and a new start is cheap.

use super::quotient::Quotient;
use crate::engines::Rng;
use crate::network::{ChannelId, VertexId};
use crate::problem::Problem;
use rand::RngExt;
use rand::seq::SliceRandom;

/// A source, by number, and a channel that its message takes.
pub type Hop = (u32, ChannelId);

/// The hops of every step.
pub type Trees = Vec<Vec<Hop>>;

/// Grows trees; kept to allocate little.
pub struct Nursery<'a> {
    problem: &'a Problem,
    quotient: &'a Quotient<'a>,
    vertices: usize,
    /// By source, vertex: the message is there.
    informed: Vec<bool>,
    /// By source, vertex: how many channels lead to vertices where the message is not.
    open: Vec<u32>,
    /// What every orbit of links can do in this step.
    choices: Vec<Vec<Hop>>,
    /// What it does.
    chosen: Vec<Option<Hop>>,
    /// By source, vertex: the orbit of links that brings the message in this step.
    taker: Vec<Option<u32>>,
    /// Messages sent, and received, in this step, by orbit of vertices.
    ports: Vec<(usize, usize)>,
    /// The orbits of links that the search for an augmenting path has been at.
    visited: Vec<bool>,
}

impl<'a> Nursery<'a> {
    /// For a problem and its quotient.
    pub fn new(problem: &'a Problem, quotient: &'a Quotient<'a>) -> Self {
        let vertices = problem.network.vertices().len();
        let places = vertices * quotient.sources.len();
        let rows = quotient.links.len();
        Nursery {
            problem,
            quotient,
            vertices,
            informed: vec![false; places],
            open: vec![0; places],
            choices: vec![Vec::new(); rows],
            chosen: vec![None; rows],
            taker: vec![None; places],
            ports: vec![(0, 0); quotient.sources.len()],
            visited: vec![false; rows],
        }
    }

    /// Trees to all vertices, in at most so many steps.
    pub fn grow(&mut self, most: usize, is_eager: bool, rng: &mut Rng) -> Option<Trees> {
        let network = &self.problem.network;
        self.informed.fill(false);
        for (i, open) in self.open.iter_mut().enumerate() {
            *open = network.outgoing((i % self.vertices) as VertexId).len() as u32;
        }
        for (m, &source) in self.quotient.sources.iter().enumerate() {
            self.inform(m as u32, source);
        }
        let mut left = self.informed.len() - self.quotient.sources.len();
        let mut trees = Trees::new();
        while left > 0 {
            let step = self.step(is_eager, rng);
            left -= step.len();
            if step.is_empty() || (trees.len() + 1 == most && left > 0) {
                return None;
            }
            for &(m, c) in &step {
                self.inform(m, network.channel(c).to);
            }
            trees.push(step);
        }
        Some(trees)
    }

    fn place(&self, m: u32, v: VertexId) -> usize {
        m as usize * self.vertices + v as usize
    }

    fn inform(&mut self, m: u32, v: VertexId) {
        let place = self.place(m, v);
        self.informed[place] = true;
        for &c in self.problem.network.incoming(v) {
            let place = self.place(m, self.problem.network.channel(c).from);
            self.open[place] -= 1;
        }
    }

    /// As many hops as can be at once.
    fn step(&mut self, is_eager: bool, rng: &mut Rng) -> Vec<Hop> {
        self.list_choices(rng);
        self.chosen.fill(None);
        self.taker.fill(None);
        self.ports.fill((0, 0));
        let mut rows: Vec<u32> = (0..self.choices.len() as u32).collect();
        rows.shuffle(rng);
        rows.sort_by_key(|&row| self.choices[row as usize].len());
        let has_ports = self.problem.resources.capacities().len() > self.problem.resources.links();
        for row in rows {
            if !self.take_best(row, is_eager, rng) && !has_ports {
                self.visited.fill(false);
                self.augment(row);
            }
        }
        self.chosen.iter().flatten().copied().collect()
    }

    fn list_choices(&mut self, rng: &mut Rng) {
        let network = &self.problem.network;
        for (row, channels) in self.quotient.links.iter().enumerate() {
            let mut choices = std::mem::take(&mut self.choices[row]);
            choices.clear();
            for m in 0..self.quotient.sources.len() as u32 {
                let is_choice = |&&c: &&ChannelId| {
                    let c = network.channel(c);
                    self.informed[self.place(m, c.from)] && !self.informed[self.place(m, c.to)]
                };
                choices.extend(channels.iter().filter(is_choice).map(|&c| (m, c)));
            }
            // Of equal ones the first is preferred.
            let turn = rng.random_range(0..choices.len().max(1));
            choices.rotate_left(turn);
            self.choices[row] = choices;
        }
    }

    /// Gives an orbit of links the best of its choices that nobody has.
    fn take_best(&mut self, row: u32, is_eager: bool, rng: &mut Rng) -> bool {
        let is_free = |&&(m, c): &&Hop| {
            let ends = self.problem.network.channel(c);
            self.taker[self.place(m, ends.to)].is_none() && self.has_ports((m, c))
        };
        let rank = |&&(m, c): &&Hop| {
            let eager = u32::from(is_eager);
            eager * self.open[self.place(m, self.problem.network.channel(c).to)]
        };
        let free = self.choices[row as usize].iter().filter(is_free);
        let best = if is_eager {
            free.map(|hop| (rank(&hop), rng.random::<u32>(), hop)).max().map(|best| *best.2)
        } else {
            free.copied().next()
        };
        let Some((m, c)) = best else { return false };
        let ends = *self.problem.network.channel(c);
        self.ports[self.quotient.orbit[ends.from as usize] as usize].0 += 1;
        self.ports[self.quotient.orbit[ends.to as usize] as usize].1 += 1;
        self.give(row, (m, c));
        true
    }

    fn has_ports(&self, (_, c): Hop) -> bool {
        let Problem { network, ports, .. } = self.problem;
        let ends = network.channel(c);
        let sent = self.ports[self.quotient.orbit[ends.from as usize] as usize].0;
        let received = self.ports[self.quotient.orbit[ends.to as usize] as usize].1;
        sent < ports.limit(network.outgoing(ends.from).len())
            && received < ports.limit(network.incoming(ends.to).len())
    }

    fn give(&mut self, row: u32, (m, c): Hop) {
        let place = self.place(m, self.problem.network.channel(c).to);
        self.taker[place] = Some(row);
        self.chosen[row as usize] = Some((m, c));
    }

    /// Gives an orbit of links one of its choices, if others can make way.
    fn augment(&mut self, row: u32) -> bool {
        if std::mem::replace(&mut self.visited[row as usize], true) {
            return false;
        }
        for i in 0..self.choices[row as usize].len() {
            let (m, c) = self.choices[row as usize][i];
            let taker = self.taker[self.place(m, self.problem.network.channel(c).to)];
            if taker.is_none_or(|other| self.augment(other)) {
                self.give(row, (m, c));
                return true;
            }
        }
        false
    }
}
