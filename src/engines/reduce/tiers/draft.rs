//! The transfers of all messages, each after those that bring what it carries, and when each should be made: the outer
//! ones in the order of the schedule of lanes, the inner ones in their shadow.

use super::boxes::Boxes;
use super::routes::{Branch, Routes, Shape, Tree, Way};
use crate::ground::lists::{Hop, Lists, count_behind};
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::{ChannelId, VertexId};
use std::collections::HashMap;
use std::sync::Arc;

/// The time of transfers for which any free step will do.
const ANY_TIME: f64 = 1e9;
/// Transfers in all lists that are tried, about.
const WORK: usize = 1 << 18;
/// The most lists.
const MOST_LISTS: usize = 8;

/// More transfers are listed once.
pub const FEW: usize = 1 << 15;

/// The schedule of what goes from box to box.
pub struct Outer {
    /// Its steps.
    pub steps: usize,
    /// By ends, the steps, ascending.
    pub at: HashMap<(VertexId, VertexId), Vec<usize>>,
    /// By demand of an exchange between boxes, the terminal of the box of its destination where it comes in.
    pub relays: Arc<[Option<VertexId>]>,
}

/// What the transfers of a problem are made from.
pub struct Draft<'p> {
    problem: &'p Problem,
    boxes: &'p Boxes,
    routes: Routes<'p>,
    outer: &'p Outer,
    /// By vertex, its box and lane.
    places: Vec<(usize, usize)>,
    /// The shape of the trees in boxes.
    shape: Shape,
    /// By ends, the path from box to box.
    across: HashMap<(VertexId, VertexId), Vec<ChannelId>>,
    hops: Vec<Hop>,
    /// By transfer, its time; earlier ones come first where they are in each other's way.
    times: Vec<f64>,
}

impl<'p> Draft<'p> {
    pub fn new(problem: &'p Problem, boxes: &'p Boxes, outer: &'p Outer, shape: Shape) -> Self {
        Draft {
            problem,
            boxes,
            routes: Routes::new(problem, boxes),
            outer,
            places: boxes.places(),
            shape,
            across: HashMap::new(),
            hops: Vec::new(),
            times: Vec::new(),
        }
    }

    /// The shortest schedule of some lists of all transfers; none if a path is missing.
    pub fn plan(mut self, rng: &mut Rng) -> Option<Plan> {
        // Paths from box to box come first: those within boxes keep away from them.
        let mut pairs: Vec<(VertexId, VertexId)> = self.outer.at.keys().copied().collect();
        pairs.sort_unstable();
        for (from, to) in pairs {
            let path = self.routes.path(from, to, Way::Across)?;
            self.across.insert((from, to), path);
        }
        let collective = self.problem.collective();
        if collective.is_all_reduce() {
            self.sums()?;
        } else if collective.content().is_common() {
            self.copies()?;
        } else {
            self.exchanges()?;
        }
        let Draft { problem, mut hops, times, .. } = self;
        count_behind(&mut hops);
        let lists = Lists::new(problem, &hops);
        if hops.len() > FEW {
            return Some(lists.plan_by(&times));
        }
        let tries = (WORK / hops.len().max(1)).clamp(1, MOST_LISTS);
        let least = lists.least();
        let mut best: Option<Plan> = None;
        for number in 0..tries {
            if best.as_ref().is_some_and(|best| best.len() == least) {
                break;
            }
            let plan = match number {
                0 => lists.plan_by(&times),
                1 => lists.improved_by(&times, rng),
                _ => lists.plan(if number % 2 == 0 { (0.0, 0.0) } else { (0.5, 0.0) }, rng),
            };
            best = best.into_iter().chain([plan]).min_by_key(Plan::len);
        }
        best
    }

    /// Adds a transfer; returns its place.
    fn push(
        &mut self,
        message: MessageId,
        channels: Vec<ChannelId>,
        after: Vec<usize>,
        time: f64,
    ) -> usize {
        self.hops.push(Hop { message, channels, after, behind: 0 });
        self.times.push(time);
        self.hops.len() - 1
    }

    /// When a message goes from a terminal of a box to one of another, if it is the one of this number to go there.
    fn time(&self, ends: (VertexId, VertexId), number: usize) -> Option<f64> {
        let steps = self.outer.at.get(&ends)?;
        let (round, place) = (number / steps.len(), number % steps.len());
        Some((round * self.outer.steps + steps[place]) as f64)
    }

    /// The tree of a root. Those before the first transfers between boxes, or after the last ones, have one step.
    fn tree(&mut self, root: (usize, usize), end: Option<usize>, is_back: bool) -> Option<Tree> {
        let shape = match (self.shape, end) {
            (Shape::Mixed, Some(_)) => Shape::Flat,
            (Shape::Mixed, None) => Shape::Light,
            (shape, _) => shape,
        };
        self.routes.among(end.filter(|_| self.shape == Shape::Mixed));
        let tree = self.routes.tree(root, shape, is_back);
        self.routes.among(None);
        tree
    }

    /// A message from a member of a box to all others, once it has it.
    fn spread(
        &mut self,
        message: MessageId,
        root: (usize, usize),
        (after, time, turns): (&[usize], f64, f64),
    ) -> Option<()> {
        let is_last = time < ANY_TIME && time + 1.0 >= turns * self.outer.steps as f64;
        let tree = self.tree(root, is_last.then_some(1), false)?;
        let first = self.hops.len();
        for Branch { path, after: branch, depth } in tree {
            let after = branch.map_or_else(|| after.to_vec(), |branch| vec![first + branch]);
            self.push(message, path, after, time + depth as f64);
        }
        Some(())
    }

    /// The contributions of a box at one of its members; returns the transfers that bring the last of them.
    fn collect(
        &mut self,
        message: MessageId,
        root: (usize, usize),
        time: f64,
    ) -> Option<Vec<usize>> {
        let tree = self.tree(root, (time < 1.0).then_some(0), true)?;
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); tree.len()];
        let mut last = Vec::new();
        // Leaves come last in a tree.
        for (i, Branch { path, after, depth }) in tree.into_iter().enumerate().rev() {
            let before = std::mem::take(&mut into[i]);
            let hop = self.push(message, path, before, time - depth as f64);
            after.map_or(&mut last, |after| &mut into[after]).push(hop);
        }
        Some(last)
    }

    /// All messages of an all-gather: from box to box each keeps to its lane, and in each box it spreads from there.
    fn copies(&mut self) -> Option<()> {
        let turns = f64::from(self.problem.pieces());
        for message in 0..self.problem.messages() as MessageId {
            let row = self.problem.message(message);
            let (home, lane) = self.places[row.origin as usize];
            for number in (0..self.boxes.members.len()).filter(|&number| number != home) {
                let ends = (row.origin, self.boxes.members[number][lane]);
                let time = self.time(ends, row.piece as usize)?;
                let path = self.across.get(&ends)?.clone();
                let hop = self.push(message, path, Vec::new(), time);
                self.spread(message, (number, lane), (&[hop], time, turns))?;
            }
            self.spread(message, (home, lane), (&[], ANY_TIME, turns))?;
        }
        Some(())
    }

    /// All parts of an all-reduce: each is collected in every box by its lane, across at its root, and spreads likewise.
    fn sums(&mut self) -> Option<()> {
        let problem = self.problem;
        let pieces = problem.pieces() as usize;
        let turns = 2.0 * pieces as f64;
        let parts = problem.messages() as MessageId / 2;
        for part in 0..parts {
            let row = problem.message(part);
            let (home, lane) = self.places[row.origin as usize];
            let piece = row.piece as usize;
            let all = 0..self.boxes.members.len();
            let others: Vec<usize> = all.filter(|&number| number != home).collect();
            let (mut whole, mut first) = (Vec::new(), f64::MAX);
            for &number in &others {
                let member = self.boxes.members[number][lane];
                let time = self.time((member, row.origin), piece)?;
                let after = self.collect(part, (number, lane), time)?;
                let path = self.across.get(&(member, row.origin))?.clone();
                whole.push(self.push(part, path, after, time));
                first = first.min(self.time((row.origin, member), pieces + piece)?);
            }
            whole.extend(self.collect(part, (home, lane), first)?);
            let gathered = part + parts;
            for &number in &others {
                let ends = (row.origin, self.boxes.members[number][lane]);
                let time = self.time(ends, pieces + piece)?;
                let path = self.across.get(&ends)?.clone();
                let hop = self.push(gathered, path, whole.clone(), time);
                self.spread(gathered, (number, lane), (&[hop], time, turns))?;
            }
            self.spread(gathered, (home, lane), (&whole, ANY_TIME, turns))?;
        }
        Some(())
    }

    /// All messages of a total exchange: from box to box, then within the box of their destination. Of those with equal
    /// ends from box to box, the ones that are at their destination then go last.
    fn exchanges(&mut self) -> Option<()> {
        let problem = self.problem;
        let relays = self.outer.relays.clone();
        let is_relayed =
            |i: &usize| relays[*i].is_some_and(|v| v != problem.demands()[*i].destination);
        let mut order: Vec<usize> = (0..relays.len()).collect();
        order.sort_by_key(|i| !is_relayed(i));
        let mut taken: HashMap<(VertexId, VertexId), usize> = HashMap::new();
        for i in order {
            let d = problem.demands()[i];
            let (number, _) = self.places[d.destination as usize];
            let Some(relay) = relays[i] else {
                let path = self.routes.path(d.source, d.destination, Way::Within(number))?;
                self.push(d.message, path, Vec::new(), ANY_TIME);
                continue;
            };
            let ends = (d.source, relay);
            let turn = taken.entry(ends).or_default();
            *turn += 1;
            let turn = *turn - 1;
            let time = self.time(ends, turn)?;
            let mut path = self.across.get(&ends)?.clone();
            let then = match relay == d.destination {
                true => Vec::new(),
                false => self.routes.path(relay, d.destination, Way::Within(number))?,
            };
            if !problem.switching().relays() {
                path.extend(then);
                self.push(d.message, path, Vec::new(), time);
                continue;
            }
            let hop = self.push(d.message, path, Vec::new(), time);
            if !then.is_empty() {
                self.push(d.message, then, vec![hop], time + 1.0);
            }
        }
        Some(())
    }
}
