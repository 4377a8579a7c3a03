//! Static routes: the one path of every pair, as defined by a cluster's forwarding tables
//! (liquid-schedules, section 2, figure 4). Only the pairs in the table can exchange messages.

use super::{Channel, ChannelId, Network, Vertex, VertexId};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Channels by the vertices they join, parallel ones in order.
pub(super) type Between = HashMap<(VertexId, VertexId), Vec<ChannelId>>;

/// The static routes of a network; most networks have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routes {
    /// A route that a fault has broken has no channels left.
    by_pair: BTreeMap<(VertexId, VertexId), Vec<ChannelId>>,
}

impl Routes {
    /// Whether the network has no static routes.
    pub fn is_empty(&self) -> bool {
        self.by_pair.is_empty()
    }

    /// The channels from one vertex to another; none if there is no route, or a fault broke it.
    pub fn get(&self, from: VertexId, to: VertexId) -> Option<&[ChannelId]> {
        self.by_pair.get(&(from, to)).map(Vec::as_slice).filter(|route| !route.is_empty())
    }

    /// Whether there was a route before a fault broke it.
    pub fn is_broken(&self, from: VertexId, to: VertexId) -> bool {
        self.by_pair.get(&(from, to)).is_some_and(Vec::is_empty)
    }

    /// All routes by pair; broken routes have no channels.
    pub fn iter(&self) -> impl Iterator<Item = (VertexId, VertexId, &[ChannelId])> {
        self.by_pair.iter().map(|(&(from, to), route)| (from, to, route.as_slice()))
    }

    /// The routes of one source by their ends; broken routes have no channels.
    pub fn of(&self, from: VertexId) -> impl Iterator<Item = (VertexId, &[ChannelId])> {
        let all = self.by_pair.range((from, 0)..=(from, VertexId::MAX));
        all.map(|(&(_, to), route)| (to, route.as_slice()))
    }

    /// Whether some route starts at the vertex.
    pub fn starts_at(&self, v: VertexId) -> bool {
        self.by_pair.range((v, 0)..=(v, VertexId::MAX)).next().is_some()
    }

    /// The vertices at which routes end.
    pub fn ends(&self) -> BTreeSet<VertexId> {
        self.by_pair.keys().map(|&(_, to)| to).collect()
    }

    pub(super) fn insert(&mut self, from: VertexId, to: VertexId, route: Vec<ChannelId>) {
        self.by_pair.insert((from, to), route);
    }

    /// The first mistake of the routes on these vertices and channels, if there is one.
    pub(super) fn flaw(&self, vertices: &[Vertex], channels: &[Channel]) -> Option<String> {
        let name = |v: VertexId| &vertices[v as usize].name;
        self.by_pair.iter().filter(|(_, route)| !route.is_empty()).find_map(|(pair, route)| {
            let &(from, to) = pair;
            let wrong =
                |why: String| Some(format!("route from '{}' to '{}': {why}", name(from), name(to)));
            if let Some(end) = [from, to].into_iter().find(|&v| !vertices[v as usize].terminal) {
                return wrong(format!("'{}' is a switch; routes join terminals", name(end)));
            }
            let (mut at, mut met) = (from, BTreeSet::from([from]));
            for &c in route {
                let Some(ends) = channels.get(c as usize) else {
                    return wrong(format!("there is no channel {c}"));
                };
                if ends.from != at {
                    return wrong(format!("its channels are not joined at '{}'", name(at)));
                }
                if !met.insert(ends.to) {
                    return wrong(format!("it visits '{}' twice", name(ends.to)));
                }
                at = ends.to;
            }
            if at == to { None } else { wrong(format!("it ends at '{}'", name(at))) }
        })
    }
}

/// Routes by pair; of several for one pair the last.
impl FromIterator<((VertexId, VertexId), Vec<ChannelId>)> for Routes {
    fn from_iter<I>(routes: I) -> Self
    where
        I: IntoIterator<Item = ((VertexId, VertexId), Vec<ChannelId>)>,
    {
        Routes { by_pair: routes.into_iter().collect() }
    }
}

impl Network {
    /// The network with other static routes.
    ///
    /// # Errors
    /// Routes that are not paths between terminals of this network.
    pub fn with_routes(&self, routes: Routes) -> Result<Network> {
        match routes.flaw(&self.vertices, &self.channels) {
            Some(why) => Err(Error::Network { network: self.name().to_string(), why }),
            None => Ok(Network { routes: Arc::new(routes), ..self.clone() }),
        }
    }
}

/// The channels of a list, by the vertices they join.
pub(super) fn between(channels: &[Channel]) -> Between {
    let mut map = Between::new();
    for (id, c) in (0..).zip(channels) {
        map.entry((c.from, c.to)).or_default().push(id);
    }
    map
}
