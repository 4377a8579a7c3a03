//! The greedy flood: in each step, every vertex takes the rarest messages that its neighbours hold.
//!
//! It floods all messages at once, on an empty board, or a few, in the room that the others leave.
//! The weight of a message grows with the number of its holders, in the whole network and one hop
//! away; the lightest go first. Receivers choose before relays.

use super::board::{Arrival, Board, Heights};
use super::hops::{HopId, Hops};
use super::{Rank, Settings};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, ResourceId};
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
    words: usize,
    /// Whether a vertex can send `j` in this step: bit `j` of the words of the vertex.
    held: Vec<u64>,
    /// Whether a vertex lacks `j` and a vertex with a hop to it can send `j`; bits likewise.
    open: Vec<u64>,
    /// Number of hops that could bring `j` to a vertex, by vertex, then `j`.
    near: Vec<u32>,
    /// Number of vertices that hold `j`.
    holders: Vec<u32>,
    /// Deliveries of this step.
    fresh: Vec<(VertexId, u32)>,
    /// The vertices, in the order in which they choose.
    order: Vec<VertexId>,
    /// The messages that a vertex could take: weight, then `j`.
    keys: Vec<u64>,
    /// The message that each hop to the choosing vertex brings, counted from its first hop.
    brings: Vec<Option<u32>>,
    /// The last search that visited each hop, counted likewise.
    met: Vec<u32>,
    search: u32,
    chains: Chains,
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
    fn holds(&self, v: VertexId, j: u32) -> bool {
        let (word, bit) = self.bit(v, j);
        self.held[word] & bit != 0
    }

    fn any_open(&self, v: VertexId) -> bool {
        let first = v as usize * self.words;
        self.open[first..first + self.words].iter().any(|&word| word != 0)
    }

    fn set_open(&mut self, v: VertexId, j: u32, open: bool) {
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
struct Stage<'a> {
    /// The partial schedule.
    board: &'a mut Board,
    /// The hops.
    hops: &'a Hops,
    /// The heights, which make messages urgent.
    heights: &'a Heights,
    /// The settings of the weights.
    settings: Settings,
    /// The step.
    step: u32,
}

// Chains: a vertex whose hop is blocked moves the blocking delivery to another hop, and so on.
//
// Where vertices share links or ports, a step filled in any order leaves holes. Augmenting paths
// over all vertices close them, as those of `matching` do at one vertex.

/// A withdrawn delivery.
const GONE: u32 = u32::MAX;
/// The user of a resource that no delivery of this step occupies.
const UNUSED: u32 = u32::MAX;

/// The working memory of chains.
#[derive(Clone, Debug, Default)]
struct Chains {
    /// The delivery of this step that occupies a resource, by resource.
    users: Vec<u32>,
    /// The last search that visited a vertex, by vertex.
    asked: Vec<u32>,
    search: u32,
}

impl Flood {
    /// Delivers messages that fit only if other deliveries of the step move.
    fn close_holes(&mut self, stage: &mut Stage<'_>, rng: &mut Rng) {
        self.chains.users.clear();
        self.chains.users.resize(stage.board.resources(), UNUSED);
        self.chains.asked.resize(stage.board.vertices(), 0);
        for i in 0..self.fresh.len() {
            let (v, j) = self.fresh[i];
            let hop = stage.board.arrival(self.active[j as usize], v).hop;
            self.mark(stage.hops.uses(hop), i as u32);
        }
        for i in 0..self.order.len() {
            let v = self.order[i];
            while stage.board.receives(v) && self.any_open(v) {
                self.chains.search += 1;
                if !self.chain(stage, v, rng) {
                    break;
                }
            }
        }
    }

    fn mark(&mut self, uses: &[ResourceId], delivery: u32) {
        uses.iter().for_each(|&r| self.chains.users[r as usize] = delivery);
    }

    /// Delivers one more message to `v`. Returns whether that was possible.
    fn chain(&mut self, stage: &mut Stage<'_>, v: VertexId, rng: &mut Rng) -> bool {
        self.chains.asked[v as usize] = self.chains.search;
        if stage.board.is_shut(stage.hops, v, stage.step) {
            return false;
        }
        let all = stage.hops.into(v);
        let over = if stage.settings.long == Rank::No { stage.hops.direct_into(v) } else { all };
        if over.is_empty() {
            return false;
        }
        let first = rng.random_range(over.clone());
        self.decisions += 1;
        for h in turn(&over, first) {
            if stage.board.has_room(stage.hops, h, stage.step)
                && let Some(j) = self.rarest(stage.hops.from(h), v)
            {
                self.deliver(stage, h, j);
                return true;
            }
        }
        turn(&over, first).any(|h| self.displace(stage, h, rng))
    }

    /// Delivers a message over a hop by moving the one delivery that blocks it, if possible.
    fn displace(&mut self, stage: &mut Stage<'_>, h: HopId, rng: &mut Rng) -> bool {
        let Some(delivery) = self.in_the_way(stage, h) else { return false };
        let (other, old) = self.fresh[delivery as usize];
        let v = stage.hops.to(h);
        if self.chains.asked[other as usize] == self.chains.search {
            return false;
        }
        let Some(j) = self.rarest(stage.hops.from(h), v) else { return false };
        let m = self.active[old as usize];
        let arrival = stage.board.arrival(m, other);
        stage.board.lift(stage.hops, m, other);
        self.mark(stage.hops.uses(arrival.hop), UNUSED);
        self.set_open(other, old, true);
        self.fresh[delivery as usize].1 = GONE;
        self.deliver(stage, h, j);
        // Not marked: it stays in place while the other vertex searches for a hop.
        let mine = self.fresh.len() as u32 - 1;
        self.mark(stage.hops.uses(h), UNUSED);
        let may_lose = stage.settings.relays != Rank::Equal && !stage.board.receives(other);
        if may_lose || self.chain(stage, other, rng) {
            self.mark(stage.hops.uses(h), mine);
            return true;
        }
        stage.board.lift(stage.hops, self.active[j as usize], v);
        self.set_open(v, j, true);
        self.fresh.truncate(mine as usize);
        stage.board.put(stage.hops, m, arrival);
        self.mark(stage.hops.uses(arrival.hop), delivery);
        self.set_open(other, old, false);
        self.fresh[delivery as usize].1 = old;
        false
    }

    fn deliver(&mut self, stage: &mut Stage<'_>, hop: HopId, j: u32) {
        let arrival = Arrival { hop, step: stage.step };
        stage.board.put(stage.hops, self.active[j as usize], arrival);
        self.mark(stage.hops.uses(hop), self.fresh.len() as u32);
        let v = stage.hops.to(hop);
        self.set_open(v, j, false);
        self.fresh.push((v, j));
    }

    /// The one delivery of this step that blocks a hop; none if several do.
    fn in_the_way(&self, stage: &Stage<'_>, h: HopId) -> Option<u32> {
        let mut one = None;
        for &r in stage.hops.uses(h).iter().filter(|&&r| stage.board.is_full(r, stage.step)) {
            let user = self.chains.users[r as usize];
            if user == UNUSED || one.is_some_and(|one| one != user) {
                return None;
            }
            one = Some(user);
        }
        one
    }

    /// The message with the fewest holders that `from` can send and `to` lacks.
    fn rarest(&self, from: VertexId, to: VertexId) -> Option<u32> {
        let mut best: Option<u32> = None;
        let (from, to) = (from as usize * self.words, to as usize * self.words);
        for word in 0..self.words {
            let mut bits = self.held[from + word] & self.open[to + word];
            while bits != 0 {
                let j = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                if best.is_none_or(|b| self.holders[j as usize] < self.holders[b as usize]) {
                    best = Some(j);
                }
            }
        }
        best
    }
}

/// All hops of a range, cyclically from `first`.
fn turn(over: &Range<HopId>, first: HopId) -> impl Iterator<Item = HopId> + use<> {
    (first..over.end).chain(over.start..first)
}

// The rounds of a step: usually receivers and direct hops first, then relays and long hops.

/// A round of choices.
#[derive(Clone, Copy)]
struct Round {
    /// Whether long hops are used, too.
    long: bool,
    /// Whether receivers choose.
    receivers: bool,
    /// Whether relays choose.
    relays: bool,
}

/// The rounds of one step.
fn rounds(hops: &Hops, Settings { relays, long, .. }: Settings) -> impl Iterator<Item = Round> {
    let long = if hops.any_long() { long } else { Rank::No };
    let first = Round { long: long == Rank::Equal, receivers: true, relays: relays == Rank::Equal };
    let then = Round { receivers: false, relays: true, ..first };
    let rest = Round { long: true, receivers: true, relays: relays != Rank::No };
    let all = [(true, first), (relays == Rank::After, then), (long == Rank::After, rest)];
    all.into_iter().filter(|(wanted, _)| *wanted).map(|(_, round)| round)
}

// Weights of messages: urgent ones go first, then rare ones.

/// Added to the keys of messages that are not urgent, so that urgent ones sort before them.
const URGENT: u32 = 1 << 30;
/// The key of one spare step, above all weights.
const STEP: u32 = 1 << 20;

impl Flood {
    /// Lists the messages that a vertex could take, with their weights.
    fn weigh(&mut self, stage: &Stage<'_>, v: VertexId, rng: &mut Rng) {
        self.keys.clear();
        let Settings { holders, near, noise, spare, .. } = stage.settings;
        let left = stage.board.steps() - 1 - stage.step;
        let count = self.active.len();
        for word in 0..self.words {
            let mut bits = self.open[v as usize * self.words + word];
            while bits != 0 {
                let j = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let next_door = self.near[v as usize * count + j];
                let blur = (u64::from(rng.random::<u32>()) * u64::from(noise)) >> 32;
                let weight = holders * self.holders[j] + near * next_door + blur as u32;
                // What a vertex only passes on waits for what it must receive.
                let is_relayed = stage.board.is_for_some() && !stage.board.wants(self.active[j], v);
                let mut key = URGENT + weight + u32::from(is_relayed) * STEP;
                if let Some(spare) = spare
                    && let Some(height) = stage.heights.get(self.active[j], v)
                    && left >= height
                    && left - height <= spare
                {
                    key = (left - height) * STEP + weight.min(STEP - 1);
                }
                self.keys.push(u64::from(key) << 32 | j as u64);
            }
        }
    }
}

// Bipartite matching of hops and messages: the hops to one vertex in one step bring different
// messages.
//
// Messages are matched lightest first. Each takes a free hop or, by an augmenting path, a hop
// whose message can move to another hop. So the matching is as large as possible and uses the
// lightest messages.

impl Flood {
    /// Finds a hop for message `j`. Returns whether there is one.
    fn find_hop(
        &mut self,
        stage: &mut Stage<'_>,
        over: &Range<HopId>,
        j: u32,
        rng: &mut Rng,
    ) -> bool {
        if self.met.len() < over.len() {
            self.met.resize(over.len(), 0);
        }
        self.search = self.search.wrapping_add(1);
        // The choice of a hop matters only where hops share resources.
        let first = if stage.hops.coupled() { rng.random_range(0..over.len()) } else { 0 };
        self.augment(stage, over, j, first)
    }

    fn augment(
        &mut self,
        stage: &mut Stage<'_>,
        over: &Range<HopId>,
        j: u32,
        first: usize,
    ) -> bool {
        let turn = (first..over.len()).chain(0..first);
        for i in turn.clone() {
            let h = over.start + i as HopId;
            if self.brings[i].is_none()
                && self.holds(stage.hops.from(h), j)
                && stage.board.has_room(stage.hops, h, stage.step)
            {
                stage.board.occupy(stage.hops, h, stage.step);
                self.brings[i] = Some(j);
                return true;
            }
        }
        for i in turn {
            let h = over.start + i as HopId;
            if let Some(other) = self.brings[i]
                && self.met[i] != self.search
                && self.holds(stage.hops.from(h), j)
            {
                self.met[i] = self.search;
                if self.augment(stage, over, other, first) {
                    self.brings[i] = Some(j);
                    return true;
                }
            }
        }
        false
    }
}
