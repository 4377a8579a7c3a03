//! In which steps a shortest path of a pair is free, or becomes free when one or two transfers leave:
//! one dynamic program over the shortest paths, on bits over all steps at once.

use super::super::packing::ground::Ground;
use super::board::Board;
use crate::bits;
use crate::network::{ChannelId, VertexId};
use crate::problem::ResourceId;
use crate::rng::Rng;
use rand::RngExt;

/// Most transfers that a place may cost.
pub const MOST_EJECTED: usize = 2;
/// Levels of a vertex: the number of taken resources on the way to it, at most.
const ALL: usize = MOST_EJECTED + 1;

/// Which resources must be free.
#[derive(Clone, Copy)]
pub enum Free<'t> {
    /// All.
    All,
    /// At least these.
    These(&'t [bool]),
    /// None.
    None,
}

impl Free<'_> {
    /// Whether a resource may be full.
    fn may_fall(&self, r: ResourceId) -> bool {
        match self {
            Free::All => false,
            Free::These(tight) => !tight[r as usize],
            Free::None => true,
        }
    }
}

/// Memory of the dynamic program.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    words: usize,
    /// By vertex, level and word: the steps in which it is reached.
    reached: Vec<u64>,
    mark: Vec<u32>,
    present: u32,
    layer: Vec<VertexId>,
    next: Vec<VertexId>,
    /// The path traced, and the full resources on it.
    pub path: Vec<ChannelId>,
    pub full: Vec<ResourceId>,
}

impl Scan {
    /// For a board.
    pub fn new(vertices: usize, board: &Board) -> Self {
        let words = board.words;
        Scan {
            words,
            reached: vec![0; vertices * ALL * words],
            mark: vec![0; vertices],
            ..Scan::default()
        }
    }

    fn row(&self, v: VertexId, level: usize) -> std::ops::Range<usize> {
        let first = (v as usize * ALL + level) * self.words;
        first..first + self.words
    }

    /// Finds the steps of a pair. Returns the least level with a step, if there is one.
    pub fn spread(
        &mut self,
        ground: &Ground,
        board: &Board,
        pair: u32,
        must: Free<'_>,
    ) -> Option<usize> {
        let ends = ground.pairs[pair as usize];
        let to = ground.to(ends.destination);
        let [send, receive] = ground.ports(pair);
        let levels = if matches!(must, Free::All) { 1 } else { ALL };
        self.present += 1;
        self.visit(ends.source);
        for level in 0..levels {
            let row = self.row(ends.source, level);
            self.reached[row].copy_from_slice(&board.all);
        }
        if let Some(port) = send {
            self.cross(ends.source, ends.source, port, board, (levels, must));
        }
        self.layer.clear();
        self.layer.push(ends.source);
        for left in (0..to[ends.source as usize]).rev() {
            self.next.clear();
            for at in 0..self.layer.len() {
                let u = self.layer[at];
                for way in ground.ways(u) {
                    if to[way.to as usize] != left {
                        continue;
                    }
                    if self.mark[way.to as usize] != self.present {
                        self.visit(way.to);
                        self.next.push(way.to);
                    }
                    self.cross(u, way.to, way.link, board, (levels, must));
                }
            }
            std::mem::swap(&mut self.layer, &mut self.next);
        }
        if let Some(port) = receive {
            self.cross(ends.destination, ends.destination, port, board, (levels, must));
        }
        (0..levels).find(|&level| !bits::is_empty(&self.reached[self.row(ends.destination, level)]))
    }

    fn visit(&mut self, v: VertexId) {
        self.mark[v as usize] = self.present;
        let rows = self.row(v, 0).start..self.row(v, MOST_EJECTED).end;
        self.reached[rows].fill(0);
    }

    /// Adds to `v` the steps in which a resource lets through from `u`; a step in which it is full
    /// falls by one level. With one vertex, the resource restricts its steps.
    fn cross(
        &mut self,
        u: VertexId,
        v: VertexId,
        r: ResourceId,
        board: &Board,
        (levels, must): (usize, Free<'_>),
    ) {
        let free = &board.free[r as usize * self.words..][..self.words];
        let may_fall = must.may_fall(r);
        for level in (0..levels).rev() {
            let [here, above, there] = [(u, level), (u, level.wrapping_sub(1)), (v, level)]
                .map(|(v, level)| (v as usize * ALL).wrapping_add(level).wrapping_mul(self.words));
            for (i, free) in free.iter().enumerate() {
                let falls = if may_fall && level > 0 { self.reached[above + i] } else { 0 };
                let through = self.reached[here + i] & free | falls;
                let before = if u == v { 0 } else { self.reached[there + i] };
                self.reached[there + i] = before | through;
            }
        }
    }

    /// A random step of a pair at a level.
    pub fn any_step(&self, ground: &Ground, pair: u32, level: usize, rng: &mut Rng) -> u32 {
        let steps = &self.reached[self.row(ground.pairs[pair as usize].destination, level)];
        let all = bits::count(steps);
        let nth = if all > 1 { rng.random_range(0..all) } else { 0 };
        bits::nth(steps, nth).expect("there is a step at this level")
    }

    /// Writes a random path of a pair in a step at a level into `path`, and the full resources on it
    /// into `full`.
    pub fn trace(
        &mut self,
        ground: &Ground,
        board: &Board,
        (pair, step, mut level): (u32, u32, usize),
        must: Free<'_>,
        rng: &mut Rng,
    ) {
        let network = ground.problem.network();
        let ends = ground.pairs[pair as usize];
        let to = ground.to(ends.destination);
        let [send, receive] = ground.ports(pair);
        let (word, bit) = (step as usize / 64, step % 64);
        self.path.clear();
        self.full.clear();
        if let Some(port) = receive.filter(|&port| !board.is_free(port, step)) {
            level -= 1;
            self.full.push(port);
        }
        let mut v = ends.destination;
        while v != ends.source {
            let ways = network.incoming(v);
            let turn = rng.random_range(0..ways.len());
            let leads_here = |&&c: &&ChannelId| {
                let u = network.channel(c).from;
                let is_free = board.is_free(ground.link(c), step);
                let before = match is_free {
                    true => Some(level),
                    false => level.checked_sub(1).filter(|_| must.may_fall(ground.link(c))),
                };
                to[u as usize] == to[v as usize] + 1
                    && self.mark[u as usize] == self.present
                    && before.is_some_and(|before| {
                        self.reached[self.row(u, before).start + word] >> bit & 1 == 1
                    })
            };
            let c = *ways[turn..]
                .iter()
                .chain(&ways[..turn])
                .find(leads_here)
                .expect("the vertex is reached at this level");
            if !board.is_free(ground.link(c), step) {
                level -= 1;
                self.full.push(ground.link(c));
            }
            self.path.push(c);
            v = network.channel(c).from;
        }
        if let Some(port) = send.filter(|&port| !board.is_free(port, step)) {
            self.full.push(port);
        }
        self.path.reverse();
    }
}
