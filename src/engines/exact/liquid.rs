//! Liquid schedules (liquid-schedules): an exact search for a schedule as long as the load of the
//! bottleneck links, or a proof that there is none. It also takes larger numbers of steps: a frame
//! must use every link whose remaining load equals the steps left.

use crate::ground::conflict_graph::Conflicts;
use ccsched_base::bits;
use ccsched_base::rng::Rng;
use ccsched_model::problem::ResourceId;
use rand::RngExt;
use std::collections::HashSet;

/// The duration of a traffic: the load of its bottlenecks. No schedule has fewer steps.
pub fn duration(conflicts: &Conflicts) -> u32 {
    PartialSchedule::new(conflicts, 0).duration()
}

// The search tree (liquid-schedules, section 3): depth first over the full teams of the remaining
// traffic, enumerated by including, then excluding, one transfer after the other. By theorem 1 the
// teams of the reduced traffic suffice; by theorem 2 a traffic has no schedule if none of its
// teams leads to one. So an exhausted tree is a proof.
//
// Three additions to the paper, none of which loses a schedule. Frames have no order, so the
// search may fix one transfer of the next frame. It remembers remaining traffic that is known to
// have no schedule. And it restarts after a number of nodes, with other choices and a larger
// number, so that a bad choice near the root costs little; the numbers grow without limit, so the
// search ends.

/// Nodes of the first round, per transfer.
const FIRST_ROUND: u64 = 4;
/// Length of a round over that of the one before, in halves.
const GROWTH_HALVES: u64 = 3;
/// Noise in the scores of choices in later rounds.
const NOISE: f64 = 0.5;
/// Words of memory for remaining traffic that is known to have no schedule.
const MOST_REMEMBERED: usize = 24_000_000;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A schedule: the transfers of every frame.
    Schedule(Vec<Vec<u32>>),
    /// There is no schedule with this number of steps.
    Nothing,
    /// Not known yet.
    Open,
}

/// A change of the state, with what it takes to undo it.
enum Entry {
    /// A transfer was included; `open` and `unmet` are the sets before.
    Included { transfer: u32, surely: bool, open: Box<[u64]>, unmet: Box<[u64]> },
    /// A frame was closed.
    Closed,
}

/// A search for a schedule of a number of steps.
pub struct LiquidSearch<'c> {
    partial: PartialSchedule<'c>,
    stack: Vec<Entry>,
    steps: u32,
    /// Remaining traffic, with the steps left, that has no schedule.
    failed: HashSet<Box<[u64]>>,
    round: u64,
    /// Nodes left of this round, and the nodes of the whole round.
    left: u64,
    length: u64,
}

impl<'c> LiquidSearch<'c> {
    /// A new search.
    pub fn new(conflicts: &'c Conflicts, steps: u32) -> Self {
        let length = FIRST_ROUND * conflicts.transfers() as u64 + 16;
        LiquidSearch {
            partial: PartialSchedule::new(conflicts, steps),
            stack: Vec::new(),
            steps,
            failed: HashSet::new(),
            round: 0,
            left: length,
            length,
        }
    }

    /// Continues the search for a number of nodes.
    pub fn advance(&mut self, nodes: u64, rng: &mut Rng) -> Found {
        if self.partial.is_overloaded() {
            return Found::Nothing;
        }
        for _ in 0..nodes {
            if self.left == 0 {
                self.begin_anew();
            }
            self.left -= 1;
            let noise = if self.round == 0 { 0.0 } else { NOISE };
            let lives = match choose(&self.partial, noise, rng) {
                Choice::Either(transfer) => self.include(transfer, false),
                Choice::Surely(transfer) => self.include(transfer, true),
                Choice::Dead => false,
                Choice::Done => {
                    self.stack.push(Entry::Closed);
                    self.partial.close();
                    if let Some(frames) = self.partial.solution() {
                        return Found::Schedule(frames);
                    }
                    !self.failed.contains(&self.key())
                }
            };
            if !lives && !self.backtrack() {
                return Found::Nothing;
            }
        }
        Found::Open
    }

    /// Includes a transfer. Returns whether the frame can still become a full team.
    fn include(&mut self, transfer: u32, surely: bool) -> bool {
        let (open, unmet) = (self.partial.open.clone().into(), self.partial.unmet.clone().into());
        self.stack.push(Entry::Included { transfer, surely, open, unmet });
        self.partial.include(transfer);
        self.partial.can_be_full()
    }

    /// Returns to the last included transfer that can be excluded instead, and excludes it. Returns
    /// whether there is one.
    fn backtrack(&mut self) -> bool {
        while let Some(entry) = self.stack.pop() {
            match entry {
                Entry::Closed => {
                    self.remember();
                    self.partial.reopen();
                }
                Entry::Included { transfer, surely, open, unmet } => {
                    self.partial.take_back();
                    if surely {
                        continue;
                    }
                    self.partial.open.copy_from_slice(&open);
                    self.partial.unmet.copy_from_slice(&unmet);
                    self.partial.exclude(transfer);
                    if self.partial.can_be_full() {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Remembers that the remaining traffic has no schedule.
    fn remember(&mut self) {
        if (self.failed.len() + 1) * self.partial.remaining.len() <= MOST_REMEMBERED {
            let key = self.key();
            self.failed.insert(key);
        }
    }

    fn key(&self) -> Box<[u64]> {
        let left = u64::from(self.partial.left);
        self.partial.remaining.iter().copied().chain([left]).collect()
    }

    fn begin_anew(&mut self) {
        self.partial = PartialSchedule::new(self.partial.conflicts, self.steps);
        self.stack.clear();
        self.round += 1;
        self.length = self.length * GROWTH_HALVES / 2;
        self.left = self.length;
    }

    /// Transfers that the present branch has not placed yet, for the progress line.
    pub fn remaining(&self) -> u64 {
        bits::all(&self.partial.remaining).count() as u64
    }
}

// The state of the search: the closed frames, the remaining traffic, and the sets of the open
// frame. Every change can be undone.

/// The closed frames and the open frame.
pub struct PartialSchedule<'c> {
    /// The traffic.
    conflicts: &'c Conflicts,
    /// Steps left, including that of the open frame.
    left: u32,
    /// Transfers in no closed frame.
    remaining: Vec<u64>,
    /// Of these, transfers that the open frame can still include.
    open: Vec<u64>,
    /// Excluded transfers that congest with none of the frame's transfers yet: it is not full.
    unmet: Vec<u64>,
    /// The bottlenecks of the remaining traffic.
    bottlenecks: Vec<ResourceId>,
    /// All frames; the last is open.
    frames: Vec<Vec<u32>>,
    load: Vec<u32>,
    used: Vec<bool>,
}

impl<'c> PartialSchedule<'c> {
    /// The empty state with a number of steps.
    fn new(conflicts: &'c Conflicts, steps: u32) -> Self {
        let most = conflicts.users().keys().max().map_or(0, |&r| r as usize + 1);
        let mut load = vec![0; most];
        for (&r, users) in conflicts.users() {
            load[r as usize] = users.iter().map(|word| word.count_ones()).sum();
        }
        let mut remaining = vec![0; conflicts.words()];
        (0..conflicts.transfers() as u32).for_each(|i| bits::insert(&mut remaining, i));
        let mut partial = PartialSchedule {
            left: steps,
            open: remaining.clone(),
            unmet: vec![0; conflicts.words()],
            remaining,
            bottlenecks: Vec::new(),
            frames: vec![Vec::new()],
            used: vec![false; most],
            load,
            conflicts,
        };
        partial.find_bottlenecks();
        partial
    }

    /// The open frame.
    fn frame(&self) -> &[u32] {
        &self.frames[self.frames.len() - 1]
    }

    /// Whether the open frame uses a link.
    fn is_used(&self, r: ResourceId) -> bool {
        self.used[r as usize]
    }

    /// How near a link is to being a bottleneck: 1 for a bottleneck.
    fn urgency(&self, r: ResourceId) -> f64 {
        let slack = f64::from(self.left.saturating_sub(self.load[r as usize]));
        1.0 / ((1.0 + slack) * (1.0 + slack))
    }

    /// Whether some link has more remaining transfers than steps are left.
    fn is_overloaded(&self) -> bool {
        self.load.iter().any(|&load| load > self.left)
    }

    /// The largest load.
    fn duration(&self) -> u32 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Puts a transfer into the frame.
    fn include(&mut self, i: u32) {
        let conflicts = self.conflicts;
        bits::remove(&mut self.open, i);
        bits::subtract(&mut self.open, conflicts.of(i));
        bits::subtract(&mut self.unmet, conflicts.of(i));
        let last = self.frames.len() - 1;
        self.frames[last].push(i);
        conflicts.links(i).iter().for_each(|&r| self.used[r as usize] = true);
    }

    /// Removes the last transfer from the frame; the caller restores `open` and `unmet`.
    fn take_back(&mut self) {
        let last = self.frames.len() - 1;
        if let Some(i) = self.frames[last].pop() {
            self.conflicts.links(i).iter().for_each(|&r| self.used[r as usize] = false);
        }
    }

    /// Excludes a transfer from the frame, together with all others over the same links: they are
    /// interchangeable.
    fn exclude(&mut self, i: u32) {
        let conflicts = self.conflicts;
        let links = conflicts.links(i);
        bits::remove(&mut self.open, i);
        bits::insert(&mut self.unmet, i);
        let alike: Vec<u32> = bits::both(conflicts.of(i), &self.open)
            .filter(|&j| conflicts.links(j) == links)
            .collect();
        for j in alike {
            bits::remove(&mut self.open, j);
            bits::insert(&mut self.unmet, j);
        }
    }

    /// Whether every excluded transfer can still congest with one of the frame.
    fn can_be_full(&self) -> bool {
        bits::all(&self.unmet).all(|i| bits::meet(self.conflicts.of(i), &self.open))
    }

    /// Closes the frame and begins the next.
    fn close(&mut self) {
        let frame = std::mem::take(self.frames.last_mut().expect("there is a frame"));
        for &i in &frame {
            bits::remove(&mut self.remaining, i);
            for &r in self.conflicts.links(i) {
                self.load[r as usize] -= 1;
                self.used[r as usize] = false;
            }
        }
        let last = self.frames.len() - 1;
        self.frames[last] = frame;
        self.frames.push(Vec::new());
        self.left -= 1;
        self.open.copy_from_slice(&self.remaining);
        self.unmet.fill(0);
        self.find_bottlenecks();
    }

    /// Reopens the frame before; the caller restores `open` and `unmet`.
    fn reopen(&mut self) {
        self.frames.pop();
        self.left += 1;
        let last = self.frames.len() - 1;
        for &i in &self.frames[last] {
            bits::insert(&mut self.remaining, i);
            for &r in self.conflicts.links(i) {
                self.load[r as usize] += 1;
                self.used[r as usize] = true;
            }
        }
        self.find_bottlenecks();
    }

    /// All frames, if nothing remains.
    fn solution(&self) -> Option<Vec<Vec<u32>>> {
        bits::is_empty(&self.remaining).then(|| self.frames.clone())
    }

    fn find_bottlenecks(&mut self) {
        self.bottlenecks.clear();
        let bottlenecks = (0..).zip(&self.load).filter(|&(_, &load)| load > 0 && load == self.left);
        self.bottlenecks.extend(bottlenecks.map(|(r, _)| r));
    }
}

// The choice of the next transfer within a time frame (liquid-schedules, section 3.2). Links whose
// remaining load equals the steps left are bottlenecks: a team must use all of them. The
// bottleneck with the fewest candidates comes first; afterwards the frame is filled until it is
// full.

/// The next action of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Include this transfer, and exclude it on backtracking.
    Either(u32),
    /// Include this transfer, and never exclude it: some frame must have it, and frames have no
    /// order.
    Surely(u32),
    /// The frame is a full team.
    Done,
    /// No full team has these transfers included and excluded.
    Dead,
}

/// Chooses the next action. Without noise it takes the transfer with the best score.
pub fn choose(partial: &PartialSchedule<'_>, noise: f64, rng: &mut Rng) -> Choice {
    if partial.left == 0 {
        return Choice::Dead;
    }
    let conflicts = partial.conflicts;
    let mut scarcest: Option<(u32, &[u64])> = None;
    for &link in &partial.bottlenecks {
        if partial.is_used(link) {
            continue;
        }
        let users = &conflicts.users()[&link][..];
        let ways = bits::common(users, &partial.open);
        if ways == 0 {
            return Choice::Dead;
        }
        if scarcest.is_none_or(|(least, _)| ways < least) {
            scarcest = Some((ways, users));
        }
    }
    let best = match scarcest {
        Some((_, users)) => best(partial, bits::both(users, &partial.open), noise, rng),
        None => best(partial, bits::all(&partial.open), noise, rng),
    };
    match best {
        Some(i) if partial.frame().is_empty() => Choice::Surely(i),
        Some(i) => Choice::Either(i),
        None if bits::is_empty(&partial.unmet) => Choice::Done,
        None => Choice::Dead,
    }
}

/// The candidate whose links are nearest to being bottlenecks.
fn best(
    partial: &PartialSchedule<'_>,
    candidates: impl Iterator<Item = u32>,
    noise: f64,
    rng: &mut Rng,
) -> Option<u32> {
    let mut best: Option<(f64, u32)> = None;
    for i in candidates {
        let urgency: f64 = partial.conflicts.links(i).iter().map(|&r| partial.urgency(r)).sum();
        let score = urgency * (1.0 + noise * rng.random::<f64>());
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, i));
        }
    }
    best.map(|(_, i)| i)
}
