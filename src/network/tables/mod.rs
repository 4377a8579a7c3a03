//! Tables of routes that are made for a network: one route for every pair, by rules with a name.
//! Each routing is a function from a network and its flows to their routes, and a row of
//! the table in this file.

mod anneal;
mod balance;
mod destination;
mod dimension_order;
mod dmodk;
mod floor;
mod leaving;
mod loads;
mod updown;
mod walks;

use super::routes::RouteList;
use super::{Network, PathList, Routes, VertexId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The part of the time for a table that is left, from 1 down to 0. Searches for smaller loads end when nothing is.
pub type Left<'a> = &'a (dyn Fn() -> f64 + Sync);

/// Time without limit.
pub const UNLIMITED: Left<'static> = &|| 1.0;

/// The messages of a pair of terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Flow {
    from: VertexId,
    to: VertexId,
    messages: u32,
}

/// A routing.
struct Kind {
    /// The name, and another one; empty if there is none.
    names: [&'static str; 2],
    /// One line of description.
    about: &'static str,
    /// The routes of all flows, which are by destination, or why the network has none.
    make: fn(&Network, &[Flow], Left<'_>) -> Result<PathList, String>,
}

macro_rules! kinds {
    ($($name:literal $also:literal $make:expr => $about:literal;)*) => {
        &[$(Kind { names: [$name, $also], about: $about, make: $make }),*]
    };
}

/// All routings.
#[rustfmt::skip]
const KINDS: &[Kind] = kinds! {
    "updown" "up-down" updown::routes => "up towards a root, then down, improved without a cycle of channels; free of deadlock; any network of two-way links";
    "dimension-order" "xy" |n, f, _| dimension_order::routes(n, f) => "one dimension after the other; meshes, tori, hypercubes";
    "dmodk" "d-mod-k" |n, f, _| dmodk::routes(n, f) => "up by the number of the destination, then down; fat trees, leaf-spine networks";
    "balanced" "" destination::balanced => "one shortest path for each pair, with a small largest load; any network";
    "destination" "" destination::routes => "as balanced, but the next channel depends on vertex and destination alone; any network";
};

/// The name of a routing with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Table(usize);

impl Table {
    /// All routings with tables.
    pub fn all() -> impl Iterator<Item = Table> {
        (0..KINDS.len()).map(Table)
    }

    /// The routing of this name.
    pub fn find(name: &str) -> Option<Table> {
        let is_it = |table: &Table| !name.is_empty() && table.kind().names.contains(&name);
        Table::all().find(is_it)
    }

    fn kind(self) -> &'static Kind {
        &KINDS[self.0]
    }

    /// Whether the next channel depends on the vertex and the destination alone, whatever it is for.
    pub fn is_by_destination(self) -> bool {
        self.name() == "destination"
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.kind().names[0]
    }

    /// All its names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.kind().names.into_iter().filter(|name| !name.is_empty())
    }

    /// One line of description.
    pub fn about(self) -> &'static str {
        self.kind().about
    }

    /// The routes of these pairs of different terminals. A pair that is listed several times has as
    /// many messages. There must be a path for every pair.
    ///
    /// # Errors
    /// Why the routing does not fit the network, and what does.
    pub fn routes(
        self,
        network: &Network,
        pairs: impl IntoIterator<Item = (VertexId, VertexId)>,
    ) -> Result<Routes, String> {
        self.routes_within(network, pairs, UNLIMITED)
    }

    /// The same, without searching longer than some time is left.
    ///
    /// # Errors
    /// As [`Table::routes`].
    pub fn routes_within(
        self,
        network: &Network,
        pairs: impl IntoIterator<Item = (VertexId, VertexId)>,
        left: Left<'_>,
    ) -> Result<Routes, String> {
        let flows = flows_of(pairs);
        let paths = (self.kind().make)(network, &flows, left)?;
        let ends = flows.into_iter().map(|f| (f.from, f.to)).collect();
        Ok(RouteList { ends, paths }.sorted())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Table> for String {
    fn from(table: Table) -> Self {
        table.name().to_string()
    }
}

impl TryFrom<String> for Table {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Table::find(&name).ok_or_else(|| format!("unknown routing '{name}'"))
    }
}

/// The flows of pairs, by destination.
fn flows_of(pairs: impl IntoIterator<Item = (VertexId, VertexId)>) -> Vec<Flow> {
    let mut pairs: Vec<_> = pairs.into_iter().map(|(from, to)| (to, from)).collect();
    pairs.sort_unstable();
    let flow = |same: &[(VertexId, VertexId)]| {
        let (to, from) = same[0];
        Flow { from, to, messages: same.len() as u32 }
    };
    pairs.chunk_by(|a, b| a == b).map(flow).collect()
}

/// The least load of tables by destination that the bound "leaving" shows, and the vertex that it is about. Pairs that are listed
/// several times have as many messages.
pub fn least_leaving(
    network: &Network,
    pairs: impl IntoIterator<Item = (VertexId, VertexId)>,
) -> Option<(u32, VertexId)> {
    leaving::leaving(&anneal::Core::of(network), &flows_of(pairs))
}

/// The routes of pairs up*/down* in the order of the distances from the most central vertex, as they
/// are without any search for smaller loads.
///
/// # Errors
/// A pair without such a route: some link has one direction alone.
pub fn up_and_down(
    network: &Network,
    pairs: impl IntoIterator<Item = (VertexId, VertexId)>,
) -> Result<Routes, String> {
    let flows = flows_of(pairs);
    let paths = updown::plain(network, &flows)?;
    let ends = flows.into_iter().map(|f| (f.from, f.to)).collect();
    Ok(RouteList { ends, paths }.sorted())
}

/// The flows of one destination after the other.
fn by_destination(flows: &[Flow]) -> impl Iterator<Item = &[Flow]> {
    flows.chunk_by(|a, b| a.to == b.to)
}
