//! One step while it is filled: the room left on every resource, its transfers, and the search for
//! one more transfer through idle channels.

mod best;

use super::ground::{Ground, NONE};
use super::values::Values;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{ResourceId, places};
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A transfer of the step; its path is in [`Step::path`].
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Slot {
    /// The pair, or [`NONE`] if the slot is unused.
    pub pair: u32,
    /// Channels of its path.
    length: u32,
    /// What it contributes to the step.
    pub value: f32,
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
    pub fn idle(&self) -> &[ResourceId] {
        &self.idle
    }

    /// A slot.
    pub fn slot(&self, slot: u32) -> Slot {
        self.slots[slot as usize]
    }

    /// The path of a slot.
    pub fn path(&self, slot: u32) -> &[ChannelId] {
        let first = slot as usize * self.stride;
        &self.paths[first..first + self.slots[slot as usize].length as usize]
    }

    /// The transfers: their pairs and paths.
    pub fn transfers(&self) -> impl Iterator<Item = (u32, &[ChannelId])> {
        let slots = (0..self.slots.len() as u32).map(|s| (self.slot(s).pair, self.path(s)));
        slots.filter(|&(pair, _)| pair != NONE)
    }

    /// A random transfer on a resource.
    pub fn owner(&self, resource: ResourceId, rng: &mut Rng) -> Option<u32> {
        let (first, end) = (self.places[resource as usize], self.places[resource as usize + 1]);
        let place = if end - first == 1 { first } else { rng.random_range(first..end) };
        Some(self.owners[place as usize]).filter(|&slot| slot != NONE)
    }

    /// Adds the best transfer from a source through idle channels, if there is one: the pair of the
    /// most value, with a random factor of up to `1 + noise`. `left` is the number of messages left
    /// by pair. Returns its slot.
    pub fn grow(
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
        let value = best::value(ground, pair, values);
        self.slots[slot as usize] = Slot { pair, length: length as u32, value };
        self.occupy(ground, slot);
    }

    fn has_room(&self, port: Option<ResourceId>) -> bool {
        port.is_none_or(|port| self.room[port as usize] > 0)
    }

    /// Takes the resources of a slot.
    pub fn occupy(&mut self, ground: &Ground, slot: u32) {
        self.change(ground, slot, NONE, slot);
    }

    /// Frees the resources of a slot, and keeps its path.
    pub fn release(&mut self, ground: &Ground, slot: u32) {
        self.change(ground, slot, slot, NONE);
    }

    /// Makes a released slot available.
    pub fn discard(&mut self, slot: u32) {
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
