//! The images of links, ports and steps under a group, and the quotient of the problem: its transfers
//! (group.rs), one resource of every orbit, and all steps.

use super::{Action, Group, Lookup, Orbits};
use crate::problem::ResourceId;
use ccsched_network::ChannelId;
use std::sync::Arc;

/// A row (a resource of the quotient) and a step.
pub type Cell = (ResourceId, u32);

/// The quotient of a problem by a group.
#[derive(Clone, Debug)]
pub struct Images {
    lookup: Arc<Lookup>,
    group: Arc<Group>,
    action: Action,
    orbits: Orbits,
    /// By resource: the row of its orbit in the quotient.
    rows: Vec<u32>,
    /// By resource: the element that maps it to the first of its orbit.
    turns: Vec<u32>,
    /// By row: how many transfers each resource of the orbit carries in a step.
    capacities: Vec<u32>,
    /// By row: the elements, except the identity, that fix the first of the orbit.
    resting: Vec<Vec<u32>>,
}

impl Images {
    /// The quotient by a group that acts on the steps by `action`; none if the group does not map
    /// links to links and ports to ports, or if several transfers can share a port.
    pub fn new(lookup: &Arc<Lookup>, group: &Arc<Group>, action: Action) -> Option<Self> {
        let resources = lookup.problem().resources();
        let capacities = resources.capacities();
        if capacities[resources.links()..].iter().any(|&c| c > 1) {
            return None;
        }
        let mut of_rows = Vec::new();
        let mut rows = vec![u32::MAX; capacities.len()];
        let mut turns = vec![0; capacities.len()];
        let mut resting = Vec::new();
        let inverse: Vec<usize> = (0..group.order()).map(|g| group.inverse(g)).collect();
        for r in 0..capacities.len() {
            if rows[r] != u32::MAX {
                continue;
            }
            let mut rests = Vec::new();
            for (g, &inverse) in inverse.iter().enumerate() {
                let image = lookup.resource(r as ResourceId, group.element(g))?;
                if g > 0 && image as usize == r {
                    rests.push(g as u32);
                }
                if rows[image as usize] == u32::MAX {
                    rows[image as usize] = resting.len() as u32;
                    turns[image as usize] = inverse as u32;
                }
            }
            resting.push(rests);
            of_rows.push(capacities[r]);
        }
        let orbits = Orbits::of(lookup, group)?;
        let (lookup, group) = (lookup.clone(), group.clone());
        let capacities = of_rows;
        Some(Images { lookup, group, action, orbits, rows, turns, capacities, resting })
    }

    /// The group.
    pub fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// The group's action on the steps.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Number of elements of the group.
    pub fn order(&self) -> usize {
        self.group.order()
    }

    /// The transfers of the quotient.
    pub fn orbits(&self) -> &Orbits {
        &self.orbits
    }

    /// The image of a channel under an element.
    pub fn channel(&self, g: usize, c: ChannelId) -> ChannelId {
        self.lookup.channel(c, self.group.element(g))
    }

    /// By resource and element, the image.
    pub fn resources(&self) -> Vec<ResourceId> {
        let of_resource = |r| (0..self.order()).map(move |g| (r, g));
        let image = |(r, g)| self.lookup.resource(r, self.group.element(g));
        let all = (0..self.rows.len() as ResourceId).flat_map(of_resource);
        all.map(|pair| image(pair).expect("the group maps links to links and ports to ports"))
            .collect()
    }

    /// The image of a step under an element.
    pub fn step(&self, g: usize, step: u32) -> u32 {
        self.action.image(g, step)
    }

    /// Number of resources of the quotient.
    pub fn rows(&self) -> usize {
        self.resting.len()
    }

    /// By row, how many transfers of the quotient it carries in a step. (A transfer that shares a
    /// cell with an image of its own is ruled out, even if the link could carry both.)
    pub fn capacities(&self) -> &[u32] {
        &self.capacities
    }

    /// The cell of the quotient for a resource in a step.
    pub fn cell(&self, r: ResourceId, step: u32) -> Cell {
        (self.rows[r as usize], self.action.image(self.turns[r as usize] as usize, step))
    }

    /// The row of a resource in the quotient, and, by step, the row's step that corresponds to it.
    pub fn row(&self, r: ResourceId) -> (ResourceId, &[u32]) {
        (self.rows[r as usize], self.action.images(self.turns[r as usize] as usize))
    }

    /// A cell and the cells that are equivalent to it.
    pub fn twins(&self, (row, step): Cell) -> impl Iterator<Item = Cell> + '_ {
        let others = &self.resting[row as usize];
        let twin = move |&g: &u32| (row, self.action.image(g as usize, step));
        std::iter::once((row, step)).chain(others.iter().map(twin))
    }

    /// Whether a transfer that uses these resources in these steps conflicts with its own images.
    pub fn collide(&self, uses: impl Iterator<Item = (ResourceId, u32)> + Clone) -> bool {
        let cell = |(r, step)| self.cell(r, step);
        let mut later = uses.clone().map(cell);
        uses.map(cell).any(|own| {
            later.next();
            let twins = || self.twins(own);
            twins().skip(1).any(|twin| twin == own)
                || later.clone().any(|other| twins().any(|twin| twin == other))
        })
    }

    /// The cells that no transfer can use, because it would share them with an image of its own.
    pub fn fixed_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let steps = self.action.steps();
        let all = (0..self.rows() as u32).flat_map(move |row| (0..steps).map(move |s| (row, s)));
        all.filter(|&cell| self.twins(cell).skip(1).any(|twin| twin == cell))
    }
}
