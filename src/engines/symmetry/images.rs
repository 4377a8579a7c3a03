//! What a group does to the transfers, links, ports and steps of a problem, and the quotient that is
//! left: one transfer of every orbit, one resource of every orbit, and all steps.

use super::{Action, Group};
use crate::network::{ChannelId, Network, VertexId};
use crate::problem::{Problem, ResourceId, Resources};
use std::collections::HashMap;
use std::sync::Arc;

/// A resource of the quotient, and a step.
pub type Cell = (ResourceId, u32);

/// A problem seen through a group.
#[derive(Clone, Debug)]
pub struct Images {
    group: Arc<Group>,
    action: Action,
    ranks: Arc<Ranks>,
    /// By representative, element: the demand.
    demands: Vec<u32>,
    /// By resource: the row that its orbit is in the quotient.
    rows: Vec<u32>,
    /// By resource: the element that takes it to the first of its orbit.
    turns: Vec<u32>,
    /// By row: the elements, but the identity, that leave the first of the orbit where it is.
    resting: Vec<Vec<u32>>,
}

impl Images {
    /// The quotient by a group that permutes the steps like that; none if the group does not keep
    /// links and ports apart, or where several transfers can share a port.
    pub fn new(problem: &Problem, group: &Arc<Group>, action: Action) -> Option<Self> {
        let Problem { network, resources, .. } = problem;
        let ranks = Arc::new(Ranks::new(network));
        let count = resources.capacities().len();
        if resources.capacities().iter().any(|&c| c > 1) {
            return None;
        }
        let mut rows = vec![u32::MAX; count];
        let mut turns = vec![0; count];
        let mut resting = Vec::new();
        let some_user = users(network, resources);
        let inverse: Vec<usize> = (0..group.order()).map(|g| group.inverse(g)).collect();
        for r in 0..count {
            if rows[r] != u32::MAX {
                continue;
            }
            let mut rests = Vec::new();
            for (g, &inverse) in inverse.iter().enumerate() {
                let image = some_user[r].image(network, resources, &ranks, group.element(g))?;
                if g > 0 && image as usize == r {
                    rests.push(g as u32);
                }
                if rows[image as usize] == u32::MAX {
                    rows[image as usize] = resting.len() as u32;
                    turns[image as usize] = inverse as u32;
                }
            }
            resting.push(rests);
        }
        let demands = demands(problem, group);
        Some(Images { group: group.clone(), action, ranks, demands, rows, turns, resting })
    }

    /// The group.
    pub fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// How it permutes the steps.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Number of elements.
    pub fn order(&self) -> usize {
        self.group.order()
    }

    /// Number of transfers that stand for all.
    pub fn transfers(&self) -> usize {
        self.demands.len() / self.order()
    }

    /// The demand that an element makes of a transfer; the identity is element 0.
    pub fn demand(&self, transfer: u32, g: usize) -> u32 {
        self.demands[transfer as usize * self.order() + g]
    }

    /// Where an element takes a channel.
    pub fn channel(&self, network: &Network, g: usize, c: ChannelId) -> ChannelId {
        self.ranks.image(network, c, self.group.element(g)).expect("it is an automorphism")
    }

    /// Where an element takes a step.
    pub fn step(&self, g: usize, step: u32) -> u32 {
        self.action.image(g, step)
    }

    /// Number of resources of the quotient.
    pub fn rows(&self) -> usize {
        self.resting.len()
    }

    /// What a resource in a step is in the quotient.
    pub fn cell(&self, r: ResourceId, step: u32) -> Cell {
        (self.rows[r as usize], self.action.image(self.turns[r as usize] as usize, step))
    }

    /// The row of a resource in the quotient, and which of the row's steps every step is.
    pub fn row(&self, r: ResourceId) -> (ResourceId, &[u32]) {
        (self.rows[r as usize], self.action.images(self.turns[r as usize] as usize))
    }

    /// A cell, and all others that are the same one.
    pub fn twins(&self, (row, step): Cell) -> impl Iterator<Item = Cell> + '_ {
        let others = &self.resting[row as usize];
        let twin = move |&g: &u32| (row, self.action.image(g as usize, step));
        std::iter::once((row, step)).chain(others.iter().map(twin))
    }

    /// Whether a transfer that uses these resources in these steps meets its own images.
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

    /// The cells that no transfer may use: it would meet an image of its own there.
    pub fn fixed_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let steps = self.action.steps();
        let all = (0..self.rows() as u32).flat_map(move |row| (0..steps).map(move |s| (row, s)));
        all.filter(|&cell| self.twins(cell).skip(1).any(|twin| twin == cell))
    }
}

/// By orbit, element: the demand that the element makes of the orbit's first.
fn demands(problem: &Problem, group: &Group) -> Vec<u32> {
    let ends = problem.demands.iter().map(|d| (d.source, d.destination));
    let index: HashMap<_, u32> = ends.zip(0..).collect();
    let mut seen = vec![false; problem.demands.len()];
    let mut demands = Vec::with_capacity(problem.demands.len());
    for (i, d) in problem.demands.iter().enumerate() {
        if seen[i] {
            continue;
        }
        for g in 0..group.order() {
            let element = group.element(g);
            let image = index[&(element[d.source as usize], element[d.destination as usize])];
            seen[image as usize] = true;
            demands.push(image);
        }
    }
    demands
}

/// Something that has a resource to itself.
#[derive(Clone, Copy)]
enum User {
    Link(ChannelId),
    Sender(VertexId),
    Receiver(VertexId),
}

impl User {
    fn image(
        self,
        network: &Network,
        resources: &Resources,
        ranks: &Ranks,
        element: &[VertexId],
    ) -> Option<ResourceId> {
        match self {
            User::Link(c) => Some(resources.of_channel(ranks.image(network, c, element)?)),
            User::Sender(v) => resources.send_port(element[v as usize]),
            User::Receiver(v) => resources.receive_port(element[v as usize]),
        }
    }
}

/// A user of every resource.
fn users(network: &Network, resources: &Resources) -> Vec<User> {
    let mut users = vec![User::Link(0); resources.capacities().len()];
    for c in 0..network.channels().len() as ChannelId {
        users[resources.of_channel(c) as usize] = User::Link(c);
    }
    for v in 0..network.vertices().len() as VertexId {
        if let Some(port) = resources.send_port(v) {
            users[port as usize] = User::Sender(v);
        }
        if let Some(port) = resources.receive_port(v) {
            users[port as usize] = User::Receiver(v);
        }
    }
    users
}

/// Which of several parallel channels each is.
#[derive(Debug)]
struct Ranks {
    parallel: HashMap<(VertexId, VertexId), Vec<ChannelId>>,
    rank: Vec<usize>,
}

impl Ranks {
    fn new(network: &Network) -> Self {
        let mut parallel: HashMap<_, Vec<ChannelId>> = HashMap::new();
        let mut rank = Vec::new();
        for (id, c) in (0..).zip(network.channels()) {
            let all = parallel.entry((c.from, c.to)).or_default();
            rank.push(all.len());
            all.push(id);
        }
        Ranks { parallel, rank }
    }

    fn image(&self, network: &Network, c: ChannelId, element: &[VertexId]) -> Option<ChannelId> {
        let ends = network.channel(c);
        let there = (element[ends.from as usize], element[ends.to as usize]);
        self.parallel.get(&there)?.get(self.rank[c as usize]).copied()
    }
}
