//! What a group does to the transfers, resources and steps of a problem.

use super::{Action, Group};
use crate::network::{ChannelId, Network, VertexId};
use crate::problem::{Problem, ResourceId};
use std::collections::HashMap;

/// The images of everything under every element of a group.
#[derive(Clone, Debug)]
pub struct Images {
    order: usize,
    steps: usize,
    /// By element, channel.
    channels: Vec<ChannelId>,
    /// By element, resource.
    resources: Vec<ResourceId>,
    action: Action,
    /// By representative, element: the demand.
    demands: Vec<u32>,
    /// By resource, step: the orbit; [`FIXED`] where an element moves neither.
    orbits: Vec<u32>,
}

/// The orbit of cells that two images of one transfer would share.
const FIXED: u32 = u32::MAX;

impl Images {
    /// The images under a group that permutes the steps like that; none if the group does not keep
    /// links and ports apart, or where several transfers can share a port.
    pub fn new(problem: &Problem, group: &Group, action: Action, steps: u32) -> Option<Self> {
        let Problem { network, resources, .. } = problem;
        let (order, steps) = (group.order(), steps as usize);
        let count = resources.capacities().len();
        if resources.capacities().iter().any(|&c| c > 1) {
            return None;
        }
        let (mut channels, mut of_resources) = (Vec::new(), Vec::new());
        let ranks = Ranks::new(network);
        for g in 0..order {
            let element = group.element(g);
            let mut images = vec![ResourceId::MAX; count];
            let mut set = |from: ResourceId, to: ResourceId| {
                let image = &mut images[from as usize];
                let agrees = *image == ResourceId::MAX || *image == to;
                *image = to;
                agrees
            };
            for c in 0..network.channels().len() as ChannelId {
                let image = ranks.image(network, c, element)?;
                channels.push(image);
                if !set(resources.of_channel(c), resources.of_channel(image)) {
                    return None;
                }
            }
            for v in 0..network.vertices().len() as VertexId {
                let w = element[v as usize];
                let send = (resources.send_port(v), resources.send_port(w));
                let receive = (resources.receive_port(v), resources.receive_port(w));
                for ports in [send, receive] {
                    match ports {
                        (Some(from), Some(to)) if set(from, to) => {}
                        (None, None) => {}
                        _ => return None,
                    }
                }
            }
            of_resources.extend(images);
        }
        let mut images = Images {
            order,
            steps,
            channels,
            resources: of_resources,
            action,
            demands: demands(problem, group),
            orbits: Vec::new(),
        };
        images.orbits = images.orbits_of_cells(count);
        Some(images)
    }

    /// Number of elements.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Number of transfers that stand for all.
    pub fn transfers(&self) -> usize {
        self.demands.len() / self.order
    }

    /// The demand that an element makes of a transfer; the identity is element 0.
    pub fn demand(&self, transfer: u32, g: usize) -> u32 {
        self.demands[transfer as usize * self.order + g]
    }

    /// Where an element takes a channel.
    pub fn channel(&self, g: usize, c: ChannelId) -> ChannelId {
        self.channels[g * (self.channels.len() / self.order) + c as usize]
    }

    /// Where an element takes a step.
    pub fn step(&self, g: usize, step: u32) -> u32 {
        self.action.image(g, step)
    }

    /// Where an element takes a resource.
    pub fn resource(&self, g: usize, r: ResourceId) -> ResourceId {
        self.resources[g * (self.resources.len() / self.order) + r as usize]
    }

    /// Whether a transfer that uses these resources in these steps meets its own images.
    pub fn collide(&self, uses: impl Iterator<Item = (ResourceId, u32)> + Clone) -> bool {
        let orbit =
            |(r, step): (ResourceId, u32)| self.orbits[r as usize * self.steps + step as usize];
        let mut later = uses.clone().map(orbit);
        uses.map(orbit).any(|own| {
            later.next();
            own == FIXED || later.clone().any(|other| other == own)
        })
    }

    /// Resources and steps that no transfer may use: an element moves neither, so that a transfer
    /// would meet its image there.
    pub fn fixed_cells(&self) -> impl Iterator<Item = (ResourceId, u32)> + '_ {
        let cells = (0..self.orbits.len()).filter(|&cell| self.orbits[cell] == FIXED);
        cells.map(|cell| ((cell / self.steps) as ResourceId, (cell % self.steps) as u32))
    }

    fn orbits_of_cells(&self, resources: usize) -> Vec<u32> {
        const UNKNOWN: u32 = u32::MAX - 1;
        let mut orbits = vec![UNKNOWN; resources * self.steps];
        for cell in 0..orbits.len() {
            if orbits[cell] != UNKNOWN {
                continue;
            }
            let (r, step) = ((cell / self.steps) as ResourceId, (cell % self.steps) as u32);
            let image =
                |g: usize| self.resource(g, r) as usize * self.steps + self.step(g, step) as usize;
            let is_fixed = (1..self.order).any(|g| image(g) == cell);
            let name = if is_fixed { FIXED } else { cell as u32 };
            (0..self.order).for_each(|g| orbits[image(g)] = name);
        }
        orbits
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
            let ends = (element[d.source as usize], element[d.destination as usize]);
            let image = index[&ends];
            seen[image as usize] = true;
            demands.push(image);
        }
    }
    demands
}

/// Which of several parallel channels each is.
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
