//! The fixed routes of a schedule file in flat arrays, as [`Steps`](super::Steps) holds transfers: a
//! fabric of two thousand hosts has four million routes.

use super::names::{NameId, Names};
use super::paths::Paths;
use super::seeds::{Name, Path, needed, once};
use ccsched_network::Parts;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// The route of every pair.
#[derive(Clone, Default)]
pub struct RouteRecords {
    names: Names,
    /// The ends of each.
    routes: Vec<(NameId, NameId)>,
    paths: Paths<usize>,
}

/// The static route of a pair. [`RouteRecords`] holds routes without strings and vectors of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteRecord {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Indices into `network.channels`.
    pub channels: Vec<u32>,
}

/// A route of [`RouteRecords`], as a [`RouteRecord`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RouteRef<'f> {
    /// Where it starts.
    pub from: &'f str,
    /// Where it ends.
    pub to: &'f str,
    /// Indices into `network.channels`.
    pub channels: &'f [u32],
}

impl RouteRecords {
    /// The routes of these records.
    pub fn of(records: &[RouteRecord]) -> Self {
        let mut routes = RouteRecords::default();
        records.iter().for_each(|r| routes.push(&r.from, &r.to, &r.channels));
        routes
    }

    /// Routes that share their channels.
    pub(super) fn shared(names: Names, routes: Vec<(NameId, NameId)>, paths: Parts) -> Self {
        RouteRecords { names, routes, paths: Paths::shared(paths) }
    }

    /// All routes as records.
    pub fn records(&self) -> Vec<RouteRecord> {
        let record = |r: RouteRef<'_>| RouteRecord {
            from: r.from.into(),
            to: r.to.into(),
            channels: r.channels.to_vec(),
        };
        self.into_iter().map(record).collect()
    }

    /// Adds a route.
    pub fn push(&mut self, from: &str, to: &str, channels: &[u32]) {
        let ends = (self.names.number(from), self.names.number(to));
        self.paths.open().extend(channels);
        self.end_route(ends);
    }

    /// Ends a route, whose channels have been added.
    fn end_route(&mut self, ends: (NameId, NameId)) {
        self.paths.end(self.routes.len());
        self.routes.push(ends);
    }

    /// Number of routes.
    pub fn len(&self) -> usize {
        self.routes.len()
    }

    /// Whether there is no route.
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// The names of the vertices by number.
    pub fn names(&self) -> &[Box<str>] {
        self.names.list()
    }

    /// Where the route of this number starts and ends, and its channels.
    pub fn entry(&self, number: usize) -> ((NameId, NameId), &[u32]) {
        (self.routes[number], self.paths.path(number))
    }

    /// The route of this number with names.
    pub fn route(&self, number: usize) -> RouteRef<'_> {
        let name = |id: NameId| &*self.names()[id as usize];
        let ((from, to), channels) = self.entry(number);
        RouteRef { from: name(from), to: name(to), channels }
    }
}

impl<'f> IntoIterator for &'f RouteRecords {
    type Item = RouteRef<'f>;
    type IntoIter = Box<dyn Iterator<Item = RouteRef<'f>> + 'f>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new((0..self.len()).map(|number| self.route(number)))
    }
}

impl PartialEq for RouteRecords {
    /// Equal names may have different numbers.
    fn eq(&self, other: &Self) -> bool {
        self.into_iter().eq(other)
    }
}

impl fmt::Debug for RouteRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl Serialize for RouteRecords {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self)
    }
}

impl<'de> Deserialize<'de> for RouteRecords {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        text.deserialize_seq(AllRoutes)
    }
}

/// Reads all routes.
struct AllRoutes;

impl<'de> Visitor<'de> for AllRoutes {
    type Value = RouteRecords;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RouteRecords, A::Error> {
        let mut routes = RouteRecords::default();
        while list.next_element_seed(OneRoute(&mut routes))?.is_some() {}
        Ok(routes)
    }
}

/// Reads a route.
struct OneRoute<'s>(&'s mut RouteRecords);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    From,
    To,
    Channels,
}

impl<'de> DeserializeSeed<'de> for OneRoute<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<(), D::Error> {
        text.deserialize_struct("RouteRecord", &["from", "to", "channels"], self)
    }
}

impl<'de> Visitor<'de> for OneRoute<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct RouteRecord")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let routes = self.0;
        let (mut from, mut to, mut path) = (None, None, None);
        while let Some(key) = map.next_key()? {
            match key {
                Key::From => {
                    once("from", &from)?;
                    // Files have the routes of one source after the other.
                    let guess = routes.routes.last().map(|&(from, _)| from);
                    from = Some(map.next_value_seed(Name(&mut routes.names, guess))?);
                }
                Key::To => {
                    once("to", &to)?;
                    to = Some(map.next_value_seed(Name(&mut routes.names, None))?);
                }
                Key::Channels => {
                    once("channels", &path)?;
                    path = Some(map.next_value_seed(Path(routes.paths.open()))?);
                }
            }
        }
        let ends = (needed("from", from)?, needed("to", to)?);
        needed("channels", path)?;
        routes.end_route(ends);
        Ok(())
    }
}
