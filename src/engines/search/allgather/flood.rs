//! The greedy flood: in each step, every vertex takes the rarest messages that its neighbours hold.
//!
//! It floods all messages at once, on an empty board, or a few, in the room that the others leave.
//! The weight of a message grows with the number of its holders, in the whole network and one hop
//! away; the lightest go first. Receivers choose before relays.

use super::board::{Arrival, Board};
use super::chain::{Chains, GONE};
use super::heights::Heights;
use super::hops::{HopId, Hops};
use super::rounds::{Round, rounds};
use super::settings::{Rank, Settings};
use ccsched_base::rng::Rng;
use ccsched_model::problem::MessageId;
use ccsched_network::VertexId;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::ops::Range;

/// The working memory of a flood. The active messages have indices of their own, called `j` here.
#[derive(Clone, Debug, Default)]
pub struct Flood {
    /// The messages being flooded.
    pub(super) active: Vec<MessageId>,
    /// Number of 64-bit words that hold one bit per active message.
    pub(super) words: usize,
    /// Whether a vertex can send `j` in this step: bit `j` of the words of the vertex.
    pub(super) held: Vec<u64>,
    /// Whether a vertex lacks `j` and a vertex with a hop to it can send `j`; bits likewise.
    pub(super) open: Vec<u64>,
    /// Number of hops that could bring `j` to a vertex, by vertex, then `j`.
    pub(super) near: Vec<u32>,
    /// Number of vertices that hold `j`.
    pub(super) holders: Vec<u32>,
    /// Deliveries of this step.
    pub(super) fresh: Vec<(VertexId, u32)>,
    /// The vertices, in the order in which they choose.
    pub(super) order: Vec<VertexId>,
    /// The messages that a vertex could take: weight, then `j`.
    pub(super) keys: Vec<u64>,
    /// The message that each hop to the choosing vertex brings, counted from its first hop.
    pub(super) brings: Vec<Option<u32>>,
    /// The last search that visited each hop, counted likewise.
    pub(super) met: Vec<u32>,
    pub(super) search: u32,
    pub(super) chains: Chains,
    /// Number of times that a vertex has searched for messages to take.
    pub decisions: u64,
}

impl Flood {
    /// Floods `self.active`, which must have no delivery on the board.
    pub fn run(
        &mut self,
        board: &mut Board,
        hops: &Hops,
        heights: &Heights,
        settings: Settings,
        rng: &mut Rng,
    ) {
        self.start(board, hops, settings);
        let mut left: u64 = self.active.iter().map(|&m| u64::from(board.missing(m))).sum();
        for step in 0..board.steps() {
            if left == 0 {
                break;
            }
            // Where hops share resources, a vertex can block another, so the order is random.
            if hops.coupled() {
                self.order.shuffle(rng);
            }
            let mut stage = Stage { board, hops, heights, settings, step };
            for round in rounds(hops, settings) {
                while self.choose_in_turn(&mut stage, round, rng) {}
            }
            if hops.coupled() && settings.chains {
                self.close_holes(&mut stage, rng);
            }
            self.fresh.retain(|&(_, j)| j != GONE);
            let wanted = |&&(v, j): &&(VertexId, u32)| board.wants(self.active[j as usize], v);
            left -= self.fresh.iter().filter(wanted).count() as u64;
            self.pass_on(board, hops, settings);
        }
    }

    /// Every vertex chooses once. Returns whether another turn may bring more.
    fn choose_in_turn(&mut self, stage: &mut Stage<'_>, round: Round, rng: &mut Rng) -> bool {
        let Settings { turn, idle, .. } = stage.settings;
        // Without shared resources, vertices need not take turns.
        let coupled = stage.hops.coupled();
        let most = if coupled { turn } else { usize::MAX };
        let mut again = false;
        for i in 0..self.order.len() {
            let v = self.order[i];
            let is_asked = if stage.board.receives(v) { round.receivers } else { round.relays };
            let is_shut = stage.board.is_shut(stage.hops, v, stage.step);
            if !is_asked || is_shut || !self.any_open(v) {
                continue;
            }
            if coupled && idle > 0 && rng.random_range(0..256) < idle {
                continue;
            }
            let over = if round.long { stage.hops.into(v) } else { stage.hops.direct_into(v) };
            again |= self.serve(stage, v, over, most, rng);
        }
        again
    }

    /// Puts every message at its source.
    fn start(&mut self, board: &Board, hops: &Hops, settings: Settings) {
        let (vertices, count) = (board.vertices(), self.active.len());
        self.words = count.div_ceil(64);
        self.holders.clear();
        self.holders.resize(count, 0);
        for bits in [&mut self.held, &mut self.open] {
            bits.clear();
            bits.resize(vertices * self.words, 0);
        }
        self.near.clear();
        self.near.resize(vertices * count, 0);
        self.order.clear();
        self.order.extend(0..vertices as VertexId);
        self.fresh.clear();
        for j in 0..count {
            self.fresh.push((board.source(self.active[j]), j as u32));
        }
        self.pass_on(board, hops, settings);
    }

    fn bit(&self, v: VertexId, j: u32) -> (usize, u64) {
        (v as usize * self.words + j as usize / 64, 1 << (j % 64))
    }

    /// Whether a vertex can send a message in this step.
    pub(super) fn holds(&self, v: VertexId, j: u32) -> bool {
        let (word, bit) = self.bit(v, j);
        self.held[word] & bit != 0
    }

    pub(super) fn any_open(&self, v: VertexId) -> bool {
        let first = v as usize * self.words;
        self.open[first..first + self.words].iter().any(|&word| word != 0)
    }

    pub(super) fn set_open(&mut self, v: VertexId, j: u32, open: bool) {
        let (word, bit) = self.bit(v, j);
        if open {
            self.open[word] |= bit;
        } else {
            self.open[word] &= !bit;
        }
    }

    /// Ends a step: its deliveries can be sent from the next step on.
    fn pass_on(&mut self, board: &Board, hops: &Hops, settings: Settings) {
        let count = self.active.len();
        for i in 0..self.fresh.len() {
            let (v, j) = self.fresh[i];
            let (word, bit) = self.bit(v, j);
            self.held[word] |= bit;
            self.open[word] &= !bit;
            self.holders[j as usize] += 1;
            for &h in hops.out_of(v) {
                if settings.long == Rank::No && hops.is_long(h) {
                    continue;
                }
                let to = hops.to(h);
                if !board.may_hold(self.active[j as usize], to) {
                    continue;
                }
                self.near[to as usize * count + j as usize] += 1;
                let (word, bit) = self.bit(to, j);
                if self.held[word] & bit == 0 {
                    self.open[word] |= bit;
                }
            }
        }
        self.fresh.clear();
    }

    /// A vertex chooses at most `most` messages, and a hop of `over` for each. Returns whether it
    /// might take more.
    fn serve(
        &mut self,
        stage: &mut Stage<'_>,
        v: VertexId,
        over: Range<HopId>,
        most: usize,
        rng: &mut Rng,
    ) -> bool {
        let room = |stage: &Stage<'_>| {
            over.clone().filter(|&h| stage.board.has_room(stage.hops, h, stage.step)).count()
        };
        self.decisions += 1;
        let free = room(stage);
        if free == 0 {
            return false;
        }
        let most = most.min(free);
        self.weigh(stage, v, rng);
        self.brings.clear();
        self.brings.resize(over.len(), None);
        let mut keys = std::mem::take(&mut self.keys);
        // Only the lightest few are usually needed, so only they are sorted at first.
        let few = (3 * most + 8).min(keys.len());
        if few < keys.len() {
            keys.select_nth_unstable(few);
        }
        keys[..few].sort_unstable();
        let mut taken = 0;
        for i in 0..keys.len() {
            if i == few {
                keys[few..].sort_unstable();
            }
            let j = keys[i] as u32;
            if self.find_hop(stage, &over, j, rng) {
                taken += 1;
            }
            if taken == most || (stage.hops.coupled() && room(stage) == 0) {
                break;
            }
        }
        self.keys = keys;
        for (h, brought) in over.zip(0..) {
            if let Some(j) = self.brings[brought] {
                let arrival = Arrival { hop: h, step: stage.step };
                stage.board.note(self.active[j as usize], v, arrival);
                self.set_open(v, j, false);
                self.fresh.push((v, j));
            }
        }
        taken == most && most < free
    }
}

/// The context of the choices in a step.
pub struct Stage<'a> {
    /// The partial schedule.
    pub board: &'a mut Board,
    /// The hops.
    pub hops: &'a Hops,
    /// The heights, which make messages urgent.
    pub heights: &'a Heights,
    /// The settings of the weights.
    pub settings: Settings,
    /// The step.
    pub step: u32,
}
