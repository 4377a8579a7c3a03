//! Static routes: the one path of every pair, as defined by a cluster's forwarding tables
//! (liquid-schedules, section 2, figure 4). Only the pairs in the table can exchange messages.

use super::{Channel, ChannelId, Network, Parts, PathList, Vertex, VertexId};
use ccsched_base::{Error, Result, buckets};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Channels by the vertices they join, parallel ones in order.
pub(super) type Between = HashMap<(VertexId, VertexId), Vec<ChannelId>>;

/// The static routes of a network, in flat arrays: the tables of a fabric of two thousand hosts have
/// four million. Most networks have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routes {
    /// By source, as far as there are any, the first of its routes; at the end their number.
    first: Vec<usize>,
    /// By route, those of a source in order: where it ends.
    to: Vec<VertexId>,
    /// By route, its channels: none if a fault has broken it.
    paths: Parts,
}

impl Routes {
    /// Whether the network has no static routes.
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// The channels from one vertex to another; none if there is no route, or a fault broke it.
    pub fn get(&self, from: VertexId, to: VertexId) -> Option<&[ChannelId]> {
        self.number(from, to).map(|route| self.paths.path(route)).filter(|path| !path.is_empty())
    }

    /// Whether there was a route before a fault broke it.
    pub fn is_broken(&self, from: VertexId, to: VertexId) -> bool {
        self.number(from, to).is_some_and(|route| self.paths.path(route).is_empty())
    }

    /// All routes by pair; broken routes have no channels.
    pub fn iter(&self) -> impl Iterator<Item = (VertexId, VertexId, &[ChannelId])> {
        let sources = 0..self.first.len().saturating_sub(1) as VertexId;
        sources.flat_map(|from| self.of(from).map(move |(to, path)| (from, to, path)))
    }

    /// The routes of one source by their ends; broken routes have no channels.
    pub fn of(&self, from: VertexId) -> impl Iterator<Item = (VertexId, &[ChannelId])> {
        self.places(from).map(|route| (self.to[route], self.paths.path(route)))
    }

    /// Whether some route starts at the vertex.
    pub fn starts_at(&self, v: VertexId) -> bool {
        !self.places(v).is_empty()
    }

    /// The vertices at which routes end.
    pub fn ends(&self) -> BTreeSet<VertexId> {
        self.to.iter().copied().collect()
    }

    /// The routes of one source, by number.
    fn places(&self, from: VertexId) -> Range<usize> {
        let from = from as usize;
        self.first.get(from..from + 2).map_or(0..0, |ends| ends[0]..ends[1])
    }

    /// The channels of all routes, by their numbers.
    pub fn paths(&self) -> &Parts {
        &self.paths
    }

    /// The number of a route.
    pub fn number(&self, from: VertexId, to: VertexId) -> Option<usize> {
        let of = self.places(from);
        let ends = &self.to[of.clone()];
        // Routes to all vertices but their source stand at the number of their end, or one before.
        let near = [to as usize, (to as usize).wrapping_sub(1)];
        let near = near.into_iter().find(|&place| ends.get(place) == Some(&to));
        near.or_else(|| ends.binary_search(&to).ok()).map(|place| of.start + place)
    }

    /// The first mistake of the routes on these vertices and channels, if there is one.
    pub(super) fn flaw(&self, vertices: &[Vertex], channels: &[Channel]) -> Option<String> {
        let name = |v: VertexId| &vertices[v as usize].name;
        self.iter().filter(|(.., route)| !route.is_empty()).find_map(|(from, to, route)| {
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
impl<R: AsRef<[ChannelId]>> FromIterator<((VertexId, VertexId), R)> for Routes {
    fn from_iter<I>(routes: I) -> Self
    where
        I: IntoIterator<Item = ((VertexId, VertexId), R)>,
    {
        let mut list = RouteList::default();
        routes.into_iter().for_each(|((from, to), path)| list.push(from, to, path.as_ref()));
        list.sorted()
    }
}

/// Routes in any order, of which [`Routes`] are made.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteList {
    /// The ends of each.
    pub ends: Vec<(VertexId, VertexId)>,
    pub paths: PathList,
}

impl RouteList {
    /// Adds a route; it takes the place of an earlier one of this pair.
    pub fn push(&mut self, from: VertexId, to: VertexId, path: &[ChannelId]) {
        self.paths.push(path);
        self.ends.push((from, to));
    }

    /// The numbers of the routes by pair, those of one pair in the order given.
    fn by_pair(&self) -> Vec<u32> {
        let mut by_end = vec![0; self.ends.len()];
        buckets::sort(self.ends.iter().map(|r| r.1), |route, at| by_end[at] = route as u32);
        let mut order = vec![0; self.ends.len()];
        let sources = by_end.iter().map(|&route| self.ends[route as usize].0);
        buckets::sort(sources, |place, at| order[at] = by_end[place]);
        order
    }

    /// The routes by pair.
    pub fn sorted(self) -> Routes {
        let mut order = self.by_pair();
        // Of one pair, the last counts.
        order.reverse();
        order.dedup_by_key(|route| self.ends[*route as usize]);
        order.reverse();
        let (mut first, mut to) = (Vec::new(), Vec::with_capacity(order.len()));
        for &route in &order {
            let (source, end) = self.ends[route as usize];
            first.resize(first.len().max(source as usize + 1), to.len());
            to.push(end);
        }
        if !to.is_empty() {
            first.push(to.len());
        }
        let paths = self.paths.into_parts().in_order(order.into_iter().map(|route| route as usize));
        Routes { first, to, paths }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn routes_are_found_by_pair_whatever_their_order() {
        let mut made: BTreeMap<(VertexId, VertexId), Vec<ChannelId>> = BTreeMap::new();
        let list = [
            (5, 2, vec![7]),
            (0, 9, vec![1, 2]),
            (5, 1, vec![]),
            (0, 3, vec![4]),
            (5, 2, vec![8, 9]),
        ];
        list.iter().for_each(|(from, to, path)| drop(made.insert((*from, *to), path.clone())));
        let routes: Routes = list.iter().map(|(from, to, path)| ((*from, *to), path)).collect();
        let all: Vec<_> = routes.iter().map(|(a, b, path)| ((a, b), path.to_vec())).collect();
        assert_eq!(all, made.into_iter().collect::<Vec<_>>());
        assert_eq!((routes.get(5, 2), routes.get(0, 9)), (Some(&[8, 9][..]), Some(&[1, 2][..])));
        assert_eq!((routes.get(5, 1), routes.is_broken(5, 1)), (None, true));
        assert_eq!(
            (routes.get(4, 1), routes.is_broken(0, 4), routes.get(6, 0)),
            (None, false, None)
        );
        let starts: Vec<VertexId> = (0..9).filter(|&v| routes.starts_at(v)).collect();
        assert_eq!((starts, routes.ends()), (vec![0, 5], BTreeSet::from([1, 2, 3, 9])));
        assert_eq!(routes.of(5).map(|(to, _)| to).collect::<Vec<_>>(), [1, 2]);
        let none = Routes::default();
        assert!(none.is_empty() && none.iter().next().is_none() && !none.starts_at(0));
        assert_eq!(none, RouteList::default().sorted());
    }
}
