//! Lower bounds as data, with their evidence: what a schedule file says of them. How they are found
//! stands in `bounds`, how they are checked in `verify`.

use ccsched_network::VertexId;

/// A lower bound and its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// Which argument.
    pub name: &'static str,
    /// No schedule has fewer steps.
    pub steps: u32,
    /// The bottleneck.
    pub evidence: Evidence,
}

/// What a check of the bound needs besides the network and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing else.
    Nothing,
    /// The terminal, or joint of the network, that is the bottleneck.
    Vertex(VertexId),
    /// The vertices on the sending side of a cut.
    Side(Vec<VertexId>),
    /// Disjoint regions. With a source, its message must enter all of them and spread there;
    /// without, all messages from outside must enter the one region.
    Spread {
        /// The source of the message.
        source: Option<VertexId>,
        /// The regions.
        regions: Vec<Region>,
    },
    /// An exhausted search; a check would have to repeat it.
    Search,
    /// The weight of every resource of the problem.
    Weights(Vec<u64>),
    /// Disjoint sets of vertices, each with a process.
    Partition(Vec<Vec<VertexId>>),
    /// Several weights of every resource, of which those count that prove most.
    Several(Vec<Vec<u64>>),
    /// Groups side by side: this of one of them, by number, as if it were alone.
    Group(usize, Box<Evidence>),
}

impl Bound {
    /// The bound of a search that has ruled out all schedules of fewer steps.
    pub fn by_search(steps: u32) -> Self {
        Bound { name: "search", steps, evidence: Evidence::Search }
    }

    /// Whether it can be checked without search.
    pub fn is_certified(&self) -> bool {
        self.evidence != Evidence::Search
    }
}

/// A lower bound in bytes and its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteBound {
    /// Which argument.
    pub name: &'static str,
    /// No schedule takes fewer.
    pub bytes: u64,
    /// The bottleneck.
    pub evidence: Evidence,
}

/// A set of vertices with disjoint parts, all of which every message from outside must reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its vertices, ascending.
    pub vertices: Vec<VertexId>,
    /// Disjoint subsets, each a region with parts of its own; may be empty.
    pub parts: Vec<Region>,
}
