//! What the variables of a refutation mean, in words that a reader of the logged clauses can check.
//! docs/proofs.md is the grammar; `verify` reads it with code of its own.

use ccsched_model::problem::{Problem, ResourceId};
use ccsched_network::VertexId;

/// The meaning of a variable. Steps count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Always true.
    True,
    /// A vertex has the message of a source after a number of steps.
    Has {
        /// Source of the message.
        source: VertexId,
        /// The vertex.
        vertex: VertexId,
        /// Number of steps made.
        steps: u32,
    },
    /// The message of a source crosses a channel in a step (store-and-forward).
    Crosses {
        /// Source of the message.
        source: VertexId,
        /// The channel.
        channel: u32,
        /// The step.
        step: u32,
    },
    /// The message of a source comes to a terminal in a step (wormhole).
    Comes {
        /// Source of the message.
        source: VertexId,
        /// The terminal.
        vertex: VertexId,
        /// The step.
        step: u32,
    },
    /// The path by which it comes uses a channel.
    Uses {
        /// Source of the message.
        source: VertexId,
        /// The terminal it comes to.
        vertex: VertexId,
        /// The step.
        step: u32,
        /// The channel.
        channel: u32,
    },
    /// The path by which it comes begins at a vertex.
    Begins {
        /// Source of the message.
        source: VertexId,
        /// The terminal it comes to.
        vertex: VertexId,
        /// The step.
        step: u32,
        /// The vertex that sends.
        from: VertexId,
    },
    /// The message of a demand comes in a step.
    Step {
        /// The demand.
        demand: usize,
        /// The step.
        step: usize,
    },
    /// An earlier demand of the order, or this one, comes in a step.
    Taken {
        /// Place in the order.
        place: usize,
        /// The step.
        step: usize,
    },
    /// The walk of a demand crosses a channel after a number of hops.
    Hop {
        /// The demand.
        demand: usize,
        /// Hops made before.
        made: u64,
        /// The channel.
        channel: u32,
    },
    /// The walk of a demand takes a resource.
    Takes {
        /// The demand.
        demand: usize,
        /// The resource.
        resource: ResourceId,
    },
    /// The message of a demand takes a resource in a step.
    TakesIn {
        /// The demand.
        demand: usize,
        /// The resource.
        resource: ResourceId,
        /// The step.
        step: usize,
    },
    /// The message of a demand crosses a channel in a step, after a number of hops.
    Goes {
        /// The demand.
        demand: usize,
        /// Hops made before.
        made: u64,
        /// The channel.
        channel: u32,
        /// The step.
        step: usize,
    },
    /// The message of a demand has been in a slot by the end of a step.
    Been {
        /// The demand.
        demand: usize,
        /// The slot.
        slot: Slot,
        /// The step.
        step: usize,
    },
    /// Of the first literals of a group, at least a number hold.
    Count {
        /// The group.
        group: Group,
        /// Number of literals.
        first: usize,
        /// The least number that hold.
        least: usize,
    },
}

/// A vertex after a number of hops; the destination of a demand is one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The vertex.
    pub vertex: VertexId,
    /// Hops made; none for the destination.
    pub made: Option<u64>,
}

/// Literals of which at most, or at least, some number hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The uses of a resource in a step: at most its capacity.
    Users(ResourceId, usize),
    /// The same: at least its capacity.
    Full(ResourceId, usize),
    /// The channels over which the message of a source comes to a vertex in a step.
    Ways(VertexId, VertexId, u32),
    /// The steps of a demand.
    Steps(usize),
    /// The hops of a demand out of a slot.
    Out(usize, Slot),
    /// The hops of a demand into a slot in a step.
    Into(usize, Slot, usize),
    /// The slots of a demand after a number of hops.
    Places(usize, u64),
}

impl Meaning {
    /// The line of the map, without the number of the variable. `names` are those of the resources.
    pub fn words(&self, names: &[String]) -> String {
        let name = |resource: ResourceId| &names[resource as usize];
        match *self {
            Meaning::True => "true".into(),
            Meaning::Has { source, vertex, steps } => format!("has {source} {vertex} {steps}"),
            Meaning::Crosses { source, channel, step } => {
                format!("crosses {source} {channel} {step}")
            }
            Meaning::Comes { source, vertex, step } => format!("comes {source} {vertex} {step}"),
            Meaning::Uses { source, vertex, step, channel } => {
                format!("uses {source} {vertex} {step} {channel}")
            }
            Meaning::Begins { source, vertex, step, from } => {
                format!("begins {source} {vertex} {step} {from}")
            }
            Meaning::Step { demand, step } => format!("step {demand} {step}"),
            Meaning::Taken { place, step } => format!("taken {place} {step}"),
            Meaning::Hop { demand, made, channel } => format!("hop {demand} {made} {channel}"),
            Meaning::Takes { demand, resource } => format!("takes {demand} {}", name(resource)),
            Meaning::TakesIn { demand, resource, step } => {
                format!("takes-in {demand} {} {step}", name(resource))
            }
            Meaning::Goes { demand, made, channel, step } => {
                format!("goes {demand} {made} {channel} {step}")
            }
            Meaning::Been { demand, slot, step } => {
                format!("been {demand} {} {step}", slot.words())
            }
            Meaning::Count { group, first, least } => {
                let group = match group {
                    Group::Users(resource, step) => format!("users {} {step}", name(resource)),
                    Group::Full(resource, step) => format!("full {} {step}", name(resource)),
                    Group::Ways(source, vertex, step) => format!("ways {source} {vertex} {step}"),
                    Group::Steps(demand) => format!("steps {demand}"),
                    Group::Out(demand, slot) => format!("out {demand} {}", slot.words()),
                    Group::Into(demand, slot, step) => {
                        format!("into {demand} {} {step}", slot.words())
                    }
                    Group::Places(demand, made) => format!("places {demand} {made}"),
                };
                format!("count {first} {least} {group}")
            }
        }
    }
}

impl Slot {
    fn words(self) -> String {
        match self.made {
            Some(made) => format!("{} {made}", self.vertex),
            None => format!("{} end", self.vertex),
        }
    }
}

/// By resource, its name: a link by its first channel, a port by its vertex.
pub fn resource_names(problem: &Problem) -> Vec<String> {
    let (network, resources) = (problem.network(), problem.resources());
    let mut names = vec![String::new(); resources.capacities().len()];
    for channel in (0..network.channels().len() as u32).rev() {
        names[resources.of_channel(channel) as usize] = format!("link:{channel}");
    }
    for v in 0..network.vertices().len() as VertexId {
        if let Some(port) = resources.send_port(v) {
            names[port as usize] = format!("send:{v}");
        }
        if let Some(port) = resources.receive_port(v) {
            names[port as usize] = format!("receive:{v}");
        }
    }
    names
}
