//! The dynamic program over the shortest paths of a pair: in which steps of a block a path is free,
//! and in which one or two resources of a path are taken.

use super::board::Board;
use super::{BLOCK, Block, MOST_EJECTED};
use crate::bits;
use crate::engines::search::packing::ground::{Ground, Pair};
use crate::network::{ChannelId, VertexId};
use crate::problem::ResourceId;
use crate::rng::Rng;
use rand::RngExt;

/// Memory of the dynamic program.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// By vertex, or by number of hops of a fixed route: the steps of the block in which it is
    /// reached with 0, at most 1, and at most 2 taken resources.
    reached: Vec<[Block; MOST_EJECTED + 1]>,
    /// The place of the destination in `reached`.
    end: usize,
    mark: Vec<u32>,
    present: u32,
    layer: Vec<VertexId>,
    next: Vec<VertexId>,
    /// First word of the block.
    first: usize,
    /// The path traced, and the transfers in its way.
    pub path: Vec<ChannelId>,
    pub ejected: Vec<u32>,
}

impl Scan {
    /// For a network of this number of vertices.
    pub fn new(vertices: usize) -> Self {
        Scan {
            reached: vec![[[0; BLOCK]; MOST_EJECTED + 1]; vertices],
            mark: vec![0; vertices],
            ..Scan::default()
        }
    }

    /// Fills `reached` from the source of a pair towards its destination, for a random block of
    /// steps, with the first `LEVELS` of the three levels.
    pub fn spread<const LEVELS: usize>(
        &mut self,
        ground: &Ground,
        board: &Board,
        pair: u32,
        rng: &mut Rng,
    ) {
        let [send, receive] = ground.ports(pair);
        self.first = rng.random_range(0..=board.words - BLOCK);
        // Bits past the last step are removed at the destination.
        let mut start = [[u64::MAX; BLOCK]; MOST_EJECTED + 1];
        if let Some(port) = send {
            start[0].copy_from_slice(board.block(port, self.first));
        }
        match ground.fixed(pair) {
            Some(route) => self.follow::<LEVELS>(ground, board, route, start),
            None => self.widen::<LEVELS>(ground, board, ground.pairs[pair as usize], start),
        }
        if let Some(port) = receive {
            let here = self.reached[self.end];
            let free = board.block(port, self.first);
            self.reached[self.end] = [[0; BLOCK]; MOST_EJECTED + 1];
            pass::<LEVELS>(&here, free, &mut self.reached[self.end]);
        }
        for level in &mut self.reached[self.end] {
            (0..BLOCK).for_each(|i| level[i] &= board.all[self.first + i]);
        }
    }

    /// Fills `reached` along a fixed route.
    fn follow<const LEVELS: usize>(
        &mut self,
        ground: &Ground,
        board: &Board,
        route: &[ChannelId],
        start: [Block; MOST_EJECTED + 1],
    ) {
        self.end = route.len();
        self.reached.resize(self.reached.len().max(self.end + 1), start);
        self.reached[0] = start;
        for (hops, &c) in route.iter().enumerate() {
            let here = self.reached[hops];
            self.reached[hops + 1] = [[0; BLOCK]; MOST_EJECTED + 1];
            let free = board.block(ground.link(c), self.first);
            pass::<LEVELS>(&here, free, &mut self.reached[hops + 1]);
        }
    }

    /// Fills `reached` along all shortest paths.
    fn widen<const LEVELS: usize>(
        &mut self,
        ground: &Ground,
        board: &Board,
        ends: Pair,
        start: [Block; MOST_EJECTED + 1],
    ) {
        let to = ground.to(ends.destination);
        self.present += 1;
        self.layer.clear();
        self.layer.push(ends.source);
        self.mark[ends.source as usize] = self.present;
        self.reached[ends.source as usize] = start;
        self.end = ends.destination as usize;
        for left in (0..to[ends.source as usize]).rev() {
            self.next.clear();
            for &u in &self.layer {
                let here = self.reached[u as usize];
                for way in ground.ways(u) {
                    let v = way.to as usize;
                    if to[v] != left {
                        continue;
                    }
                    if self.mark[v] != self.present {
                        self.mark[v] = self.present;
                        self.reached[v] = [[0; BLOCK]; MOST_EJECTED + 1];
                        self.next.push(v as VertexId);
                    }
                    let free = board.block(way.link, self.first);
                    pass::<LEVELS>(&here, free, &mut self.reached[v]);
                }
            }
            std::mem::swap(&mut self.layer, &mut self.next);
        }
    }

    /// Whether the destination is reached in some step at a level.
    pub fn has_steps(&self, level: usize) -> bool {
        self.reached[self.end][level] != [0; BLOCK]
    }

    /// A random step at a level, uniformly.
    pub fn any_step(&self, level: usize, rng: &mut Rng) -> u32 {
        let steps = self.reached[self.end][level];
        let all = bits::count(&steps);
        let nth = if all > 1 { rng.random_range(0..all) } else { 0 };
        64 * self.first as u32 + bits::nth(&steps, nth).expect("there is a step at this level")
    }

    /// Writes a random path of a pair in a step at a level into `path`, and the transfers in its
    /// way into `ejected`.
    pub fn trace(
        &mut self,
        ground: &Ground,
        board: &Board,
        (pair, step, mut level): (u32, u32, usize),
        rng: &mut Rng,
    ) {
        let [send, receive] = ground.ports(pair);
        self.path.clear();
        self.ejected.clear();
        if let Some(port) = receive
            && !board.is_free(port, step)
        {
            level -= 1;
            self.eject(board, port, step, rng);
        }
        if let Some(route) = ground.fixed(pair) {
            self.path.extend_from_slice(route);
            for link in route.iter().map(|&c| ground.link(c)) {
                if !board.is_free(link, step) {
                    self.eject(board, link, step, rng);
                }
            }
        } else {
            self.retrace(ground, board, (pair, step, level), rng);
        }
        if let Some(port) = send
            && !board.is_free(port, step)
        {
            self.eject(board, port, step, rng);
        }
    }

    /// The part of `trace` over shortest paths.
    fn retrace(
        &mut self,
        ground: &Ground,
        board: &Board,
        (pair, step, mut level): (u32, u32, usize),
        rng: &mut Rng,
    ) {
        let network = &ground.problem.network;
        let ends = ground.pairs[pair as usize];
        let to = ground.to(ends.destination);
        let (word, bit) = (step as usize / 64 - self.first, step % 64);
        let mut v = ends.destination;
        while v != ends.source {
            let ways = network.incoming(v);
            let turn = rng.random_range(0..ways.len());
            let leads_here = |&&c: &&ChannelId| {
                let u = network.channel(c).from as usize;
                let is_free = board.is_free(ground.link(c), step);
                let before = if is_free { Some(level) } else { level.checked_sub(1) };
                to[u] == to[v as usize] + 1
                    && self.mark[u] == self.present
                    && before.is_some_and(|before| self.reached[u][before][word] >> bit & 1 == 1)
            };
            let turned = ways[turn..].iter().chain(&ways[..turn]);
            let c = *turned.clone().find(leads_here).expect("the vertex is reached at this level");
            let link = ground.link(c);
            if !board.is_free(link, step) {
                level -= 1;
                self.eject(board, link, step, rng);
            }
            self.path.push(c);
            v = network.channel(c).from;
        }
        self.path.reverse();
    }

    /// Notes a transfer on a full resource, unless one of those noted is on it.
    fn eject(&mut self, board: &Board, r: ResourceId, step: u32, rng: &mut Rng) {
        let is_noted = |cell: usize| self.ejected.contains(&board.owners[cell]);
        if board.cells(r, step).any(is_noted) {
            return;
        }
        let owners = board.cells(r, step).map(|cell| board.owners[cell]);
        // Whatever the order of the places, which a resumed search does not know.
        let from: u32 = rng.random();
        self.ejected.extend(owners.min_by_key(|owner| owner.wrapping_sub(from)));
    }
}

/// Adds to `there` what one more resource lets through: a step that is free there keeps its level,
/// another step falls by one.
#[inline]
fn pass<const LEVELS: usize>(
    here: &[Block; MOST_EJECTED + 1],
    free: &[u64],
    there: &mut [Block; MOST_EJECTED + 1],
) {
    for level in 0..LEVELS {
        for i in 0..BLOCK {
            let falls = if level == 0 { 0 } else { here[level - 1][i] };
            there[level][i] |= here[level][i] & free[i] | falls;
        }
    }
}
