//! Filling a step: first the best transfers from every source in turn, then repair. A repair
//! removes a few transfers around an idle resource and grows others in their place; it is kept if
//! the step is worth no less.

use super::ground::{Ground, NONE, Pair};
use super::values::Values;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{ResourceId, Way, places};
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// Most transfers that a repair removes.
const MOST_REMOVED: u32 = 3;
/// Idle resources drawn for a repair, of which it takes the most expensive.
const DRAWS: usize = 2;
/// Variation of the values in a repair, so that it tries others.
const NOISE: f32 = 0.3;
/// Tolerance for sums of values.
const SLACK: f32 = 1e-5;
/// Repairs go on while a batch of them takes more than this share off the value that is idle, and more
/// than this share of all.
const GAIN: (f32, f32) = (0.02, 1e-5);

/// Memory of the filling; reused.
#[derive(Clone, Debug, Default)]
pub struct Filler {
    sources: Vec<VertexId>,
    removed: Vec<u32>,
    grown: Vec<u32>,
    starts: Vec<VertexId>,
}

impl Filler {
    /// Fills an empty step. Returns the number of transfers tried.
    pub fn begin(
        &mut self,
        ground: &Ground,
        step: &mut Step,
        left: &mut [u32],
        values: &Values,
        rng: &mut Rng,
    ) -> u64 {
        self.sources.clear();
        let vertices = 0..ground.vertices() as VertexId;
        self.sources.extend(vertices.filter(|&v| ground.is_source(v)));
        self.sources.shuffle(rng);
        let mut tried = 0;
        // A source from which nothing grows stays so: channels only get busy.
        while !self.sources.is_empty() {
            self.sources.retain(|&v| {
                tried += 1;
                step.grow(ground, (v, 0.0), left, values, rng).is_some()
            });
        }
        tried
    }

    /// Repairs in batches of this size while they gain something, at most `most`. Returns their
    /// number.
    pub fn repair_all(
        &mut self,
        ground: &Ground,
        step: &mut Step,
        left: &mut [u32],
        (values, batch, most): (&Values, u64, u64),
        rng: &mut Rng,
    ) -> u64 {
        let idle = |step: &Step| step.idle().iter().map(|&r| values.price(r)).sum::<f32>();
        let least = GAIN.1 * values.total();
        let (mut before, mut made) = (idle(step), 0);
        while made < most {
            (0..batch).for_each(|_| self.repair(ground, step, left, values, rng));
            made += batch;
            let now = idle(step);
            if before - now <= GAIN.0 * before + least {
                break;
            }
            before = now;
        }
        made
    }

    /// One repair around a random idle resource.
    fn repair(
        &mut self,
        ground: &Ground,
        step: &mut Step,
        left: &mut [u32],
        values: &Values,
        rng: &mut Rng,
    ) {
        let idle = step.idle();
        if idle.is_empty() {
            return;
        }
        // Mostly where room is wanted.
        let draws = (0..DRAWS).map(|_| idle[rng.random_range(0..idle.len())]);
        let most_priced = |a: u32, b: u32| if values.price(b) > values.price(a) { b } else { a };
        let Some(resource) = draws.reduce(most_priced) else { return };
        let old = self.remove(ground, step, left, resource, rng);
        if self.removed.is_empty() {
            return;
        }
        let mut new = 0.0;
        self.grown.clear();
        self.starts.shuffle(rng);
        while !self.starts.is_empty() {
            self.starts.retain(|&v| {
                let slot = step.grow(ground, (v, NOISE), left, values, rng);
                self.grown.extend(slot);
                new += slot.map_or(0.0, |slot| step.slot(slot).value);
                slot.is_some()
            });
        }
        if new + SLACK >= old {
            self.removed.iter().for_each(|&slot| step.discard(slot));
            return;
        }
        for &slot in &self.grown {
            left[step.slot(slot).pair as usize] += 1;
            step.release(ground, slot);
            step.discard(slot);
        }
        for &slot in &self.removed {
            left[step.slot(slot).pair as usize] -= 1;
            step.occupy(ground, slot);
        }
    }

    /// Removes some transfers at the ends of a resource; `starts` are the vertices from which
    /// others may grow. Returns the value removed.
    fn remove(
        &mut self,
        ground: &Ground,
        step: &mut Step,
        left: &mut [u32],
        resource: u32,
        rng: &mut Rng,
    ) -> f32 {
        let network = ground.problem.network();
        let ends = ground.ends(resource);
        self.removed.clear();
        self.starts.clear();
        self.starts.push(ends[0]);
        let mut value = 0.0;
        for _ in 0..rng.random_range(1..=MOST_REMOVED) {
            let v = ends[usize::from(rng.random::<bool>())];
            let near = if rng.random() { network.outgoing(v) } else { network.incoming(v) };
            if near.is_empty() {
                continue;
            }
            let link = ground.link(near[rng.random_range(0..near.len())]);
            let Some(slot) = step.owner(link, rng).filter(|s| !self.removed.contains(s)) else {
                continue;
            };
            let pair = step.slot(slot).pair;
            value += step.slot(slot).value;
            left[pair as usize] += 1;
            step.release(ground, slot);
            self.removed.push(slot);
            let ends = ground.pairs[pair as usize];
            self.starts.extend([ends.source, ends.destination]);
        }
        value
    }
}

// One step while it is filled: the room left on every resource, its transfers, and the search for
// one more transfer through idle channels.

/// A transfer of the step; its path is in [`Step::path`].
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Slot {
    /// The pair, or [`NONE`] if the slot is unused.
    pair: u32,
    /// Channels of its path.
    length: u32,
    /// What it contributes to the step.
    value: f32,
}

/// A step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// By resource: transfers that it can still carry.
    room: Vec<u32>,
    /// The resources with room, and by resource its index there, or [`NONE`].
    idle: Vec<ResourceId>,
    at: Vec<u32>,
    /// By place (a resource has as many as its capacity): the slot that uses it, or [`NONE`].
    owners: Vec<u32>,
    /// By resource: its first place.
    places: Vec<u32>,
    /// The transfers; unused slots are listed in `unused`.
    slots: Vec<Slot>,
    unused: Vec<u32>,
    /// By slot: room for the longest path.
    paths: Vec<ChannelId>,
    stride: usize,
    // Memory of the search.
    mark: Vec<u32>,
    present: u32,
    cost: Vec<f32>,
    last: Vec<ChannelId>,
    queue: Vec<VertexId>,
}

impl Step {
    /// An empty step.
    pub fn new(ground: &Ground) -> Self {
        let capacities = ground.problem.resources().capacities();
        let places = places(capacities);
        let vertices = ground.vertices();
        Step {
            room: capacities.to_vec(),
            idle: (0..capacities.len() as ResourceId).collect(),
            at: (0..capacities.len() as u32).collect(),
            owners: vec![NONE; places[capacities.len()] as usize],
            places,
            slots: Vec::new(),
            unused: Vec::new(),
            paths: Vec::new(),
            stride: ground.longest,
            mark: vec![0; vertices],
            present: 0,
            cost: vec![0.0; vertices],
            last: vec![0; vertices],
            queue: Vec::new(),
        }
    }

    /// Removes all transfers.
    pub fn clear(&mut self, ground: &Ground) {
        let capacities = ground.problem.resources().capacities();
        self.room.copy_from_slice(capacities);
        self.idle.clear();
        self.idle.extend(0..capacities.len() as ResourceId);
        self.at.clear();
        self.at.extend(0..capacities.len() as u32);
        self.owners.fill(NONE);
        self.slots.clear();
        self.unused.clear();
    }

    /// The resources with room.
    fn idle(&self) -> &[ResourceId] {
        &self.idle
    }

    /// A slot.
    fn slot(&self, slot: u32) -> Slot {
        self.slots[slot as usize]
    }

    /// The path of a slot.
    fn path(&self, slot: u32) -> &[ChannelId] {
        let first = slot as usize * self.stride;
        &self.paths[first..first + self.slots[slot as usize].length as usize]
    }

    /// The transfers: their pairs and paths.
    pub fn transfers(&self) -> impl Iterator<Item = (u32, &[ChannelId])> {
        let slots = (0..self.slots.len() as u32).map(|s| (self.slot(s).pair, self.path(s)));
        slots.filter(|&(pair, _)| pair != NONE)
    }

    /// A random transfer on a resource.
    fn owner(&self, resource: ResourceId, rng: &mut Rng) -> Option<u32> {
        let (first, end) = (self.places[resource as usize], self.places[resource as usize + 1]);
        let place = if end - first == 1 { first } else { rng.random_range(first..end) };
        Some(self.owners[place as usize]).filter(|&slot| slot != NONE)
    }

    /// Adds the best transfer from a source through idle channels, if there is one: the pair of the
    /// most value, with a random factor of up to `1 + noise`. `left` is the number of messages left
    /// by pair. Returns its slot.
    fn grow(
        &mut self,
        ground: &Ground,
        (source, noise): (VertexId, f32),
        left: &mut [u32],
        values: &Values,
        rng: &mut Rng,
    ) -> Option<u32> {
        if !ground.is_source(source) || !self.has_room(ground.problem.resources().send_port(source))
        {
            return None;
        }
        let start = (source, noise);
        let pair = match ground.has_fixed_routes() {
            true => self.best_fixed(ground, start, left, values, rng)?,
            false => self.best(ground, start, left, values, rng)?,
        };
        left[pair as usize] -= 1;
        let slot = self.next_slot();
        let length = ground.distance(pair);
        let first = slot as usize * self.stride;
        if let Some(route) = ground.fixed(pair) {
            self.paths[first..first + length].copy_from_slice(route);
        } else {
            let mut v = ground.pairs[pair as usize].destination;
            for place in (first..first + length).rev() {
                self.paths[place] = self.last[v as usize];
                v = ground.problem.network().channel(self.last[v as usize]).from;
            }
        }
        self.seat(ground, (slot, pair, length), values);
        Some(slot)
    }

    /// Adds a transfer whose message is taken already, along a path through idle channels.
    pub fn insert(&mut self, ground: &Ground, (pair, path): (u32, &[ChannelId]), values: &Values) {
        let slot = self.next_slot();
        let first = slot as usize * self.stride;
        self.paths[first..first + path.len()].copy_from_slice(path);
        self.seat(ground, (slot, pair, path.len()), values);
    }

    /// An unused slot.
    fn next_slot(&mut self) -> u32 {
        self.unused.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.paths.resize(self.slots.len() * self.stride, 0);
            self.slots.len() as u32 - 1
        })
    }

    /// Gives a slot, whose path is written, to a pair.
    fn seat(&mut self, ground: &Ground, (slot, pair, length): (u32, u32, usize), values: &Values) {
        let value = value(ground, pair, values);
        self.slots[slot as usize] = Slot { pair, length: length as u32, value };
        self.occupy(ground, slot);
    }

    fn has_room(&self, port: Option<ResourceId>) -> bool {
        port.is_none_or(|port| self.room[port as usize] > 0)
    }

    /// Takes the resources of a slot.
    fn occupy(&mut self, ground: &Ground, slot: u32) {
        self.change(ground, slot, NONE, slot);
    }

    /// Frees the resources of a slot, and keeps its path.
    fn release(&mut self, ground: &Ground, slot: u32) {
        self.change(ground, slot, slot, NONE);
    }

    /// Makes a released slot available.
    fn discard(&mut self, slot: u32) {
        self.slots[slot as usize].pair = NONE;
        self.unused.push(slot);
    }

    /// In one place of every resource of a slot, replaces the owner.
    fn change(&mut self, ground: &Ground, slot: u32, old: u32, new: u32) {
        let Slot { pair, length, .. } = self.slots[slot as usize];
        let first = slot as usize * self.stride;
        for place in first..first + length as usize {
            let link = ground.link(self.paths[place]);
            self.change_one(link, old, new);
        }
        for port in ground.ports(pair).into_iter().flatten() {
            self.change_one(port, old, new);
        }
    }

    fn change_one(&mut self, r: ResourceId, old: u32, new: u32) {
        let places = self.places[r as usize] as usize..self.places[r as usize + 1] as usize;
        let place = self.owners[places].iter_mut().find(|owner| **owner == old);
        *place.expect("owners and slots agree") = new;
        let room = &mut self.room[r as usize];
        if new == NONE {
            *room += 1;
            if *room == 1 {
                self.at[r as usize] = self.idle.len() as u32;
                self.idle.push(r);
            }
        } else {
            *room -= 1;
            if *room == 0 {
                let at = self.at[r as usize] as usize;
                self.idle.swap_remove(at);
                if let Some(&moved) = self.idle.get(at) {
                    self.at[moved as usize] = at as u32;
                }
            }
        }
    }
}

// The best transfer that still fits into a step: from one source, over all shortest paths through
// idle channels, or over fixed routes.

/// How much the price of a path above that of the cheapest one counts against it.
const WASTE: f32 = 1.5;
/// Exponent of the value of a transfer: a little above 1, so that a step prefers long messages;
/// short ones fit into the last steps.
const EXPONENT: f32 = 1.15;

impl Step {
    /// The pair of the most value that is reached from a source.
    fn best(
        &mut self,
        ground: &Ground,
        (source, noise): (VertexId, f32),
        left: &[u32],
        values: &Values,
        rng: &mut Rng,
    ) -> Option<u32> {
        let Ground { problem, .. } = ground;
        let resources = problem.resources();
        let (from, pairs) = (ground.from(source), ground.pairs_from(source));
        let cheapest = values.from(ground, source);
        self.present += 1;
        self.queue.clear();
        self.queue.push(source);
        self.mark[source as usize] = self.present;
        self.cost[source as usize] = 0.0;
        let (mut best, mut next) = (None, 0);
        let mut most = 0.0;
        while let Some(&u) = self.queue.get(next) {
            next += 1;
            let pair = pairs[u as usize];
            if pair != NONE && left[pair as usize] > 0 {
                let least = cheapest[u as usize];
                let waste = WASTE * (self.cost[u as usize] - least);
                let factor = if noise > 0.0 { 1.0 + noise * rng.random::<f32>() } else { 1.0 };
                let worth = (least - waste).max(1e-6) * factor;
                if worth > most && self.has_room(resources.receive_port(u)) {
                    (best, most) = (Some(pair), worth);
                }
            }
            for &Way { to, link, channel } in ground.ways(u) {
                let v = to as usize;
                if from[v] != from[u as usize] + 1 || self.room[link as usize] == 0 {
                    continue;
                }
                let cost = self.cost[u as usize] + values.price(link);
                let is_first = self.mark[v] != self.present;
                if is_first {
                    self.mark[v] = self.present;
                    self.queue.push(v as VertexId);
                }
                if is_first || cost < self.cost[v] || cost == self.cost[v] && rng.random() {
                    (self.cost[v], self.last[v]) = (cost, channel);
                }
            }
        }
        best
    }

    /// The pair of the most value from a source whose fixed route is idle.
    fn best_fixed(
        &self,
        ground: &Ground,
        (source, noise): (VertexId, f32),
        left: &[u32],
        values: &Values,
        rng: &mut Rng,
    ) -> Option<u32> {
        let worths = values.from(ground, source);
        let (mut best, mut most) = (None, 0.0);
        let is_idle = |link: ResourceId| self.room[link as usize] > 0;
        ground.each_idle(source, is_idle, |pair| {
            if left[pair as usize] == 0 {
                return;
            }
            let factor = if noise > 0.0 { 1.0 + noise * rng.random::<f32>() } else { 1.0 };
            let v = ground.pairs[pair as usize].destination;
            let worth = worths[v as usize] * factor;
            if worth > most && self.has_room(ground.problem.resources().receive_port(v)) {
                (best, most) = (Some(pair), worth);
            }
        });
        best
    }
}

/// What a transfer of a pair contributes to a step.
fn value(ground: &Ground, pair: u32, values: &Values) -> f32 {
    let ports = ground.ports(pair).into_iter().flatten().map(|port| values.price(port));
    let Pair { source, destination, .. } = ground.pairs[pair as usize];
    let value = values.from(ground, source)[destination as usize] + ports.sum::<f32>();
    libm::powf(value, EXPONENT)
}
