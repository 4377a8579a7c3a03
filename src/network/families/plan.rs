//! The plan that a family makes: named vertices and links, before the kind of the links is chosen
//! and the options that make them wider are applied.

use crate::{LinkKind, Network, NetworkBuilder, Rate, Vertex, VertexId};
use ccsched_base::Result;

/// The options that set the widths of links.
pub const WIDTHS: [&str; 3] = ["width", "up", "grow"];

/// The widths of the links of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// The capacity of all links; in a tree, of the links of its leaves.
    pub width: u32,
    /// The factor by which the links above those of the leaves are wider.
    pub up: u32,
    /// The factor by which the links of each level are wider than those of the level below.
    pub grow: u32,
}

impl Default for Widths {
    fn default() -> Self {
        Widths { width: 1, up: 1, grow: 1 }
    }
}

impl Widths {
    /// The capacity of the links of a level.
    fn at(self, level: u32) -> u32 {
        let up = if level > 0 { self.up } else { 1 };
        self.width.saturating_mul(up).saturating_mul(self.grow.saturating_pow(level))
    }

    /// The capacity of a link.
    fn of(self, link: &Link) -> u32 {
        self.at(link.level).saturating_mul(link.width)
    }
}

/// A link before the options are applied.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    ends: (VertexId, VertexId),
    /// Above the links of the leaves; 0 except in trees.
    level: u32,
    width: u32,
}

/// A network before it is built.
pub struct Plan {
    /// The parameters in their canonical spelling.
    pub params: String,
    /// Whether the family's links are one-way channels.
    pub one_way: bool,
    /// What capacity 1 stands for, if the family is a machine.
    pub rate: Option<Rate>,
    vertices: Vec<Vertex>,
    links: Vec<Link>,
    /// Static routes, as lists of vertices.
    routes: Vec<Vec<VertexId>>,
}

impl Plan {
    /// An empty plan.
    pub fn new(params: impl ToString) -> Self {
        let params = params.to_string();
        let (vertices, links, routes) = (Vec::new(), Vec::new(), Vec::new());
        Plan { params, one_way: false, rate: None, vertices, links, routes }
    }

    /// Starts with terminals `0`..`n-1`.
    pub fn numbered(params: impl ToString, n: u64) -> Self {
        let mut plan = Plan::new(params);
        (0..n).for_each(|i| plan.vertex(i.to_string(), true));
        plan
    }

    /// Adds a vertex.
    pub fn vertex(&mut self, name: String, terminal: bool) {
        self.vertices.push(Vertex { name: name.into(), terminal });
    }

    /// Adds switches `s<stage>.0`..; returns the number of the first.
    pub fn switches(&mut self, stage: u32, count: u64) -> u64 {
        let first = self.vertices.len() as u64;
        (0..count).for_each(|i| self.vertex(format!("s{stage}.{i}"), false));
        first
    }

    /// Adds a link; it leads from `a` to `b` if links are one-way.
    pub fn link(&mut self, a: u64, b: u64) {
        self.link_above(0, a, b);
    }

    /// Adds a link that is `width` times as wide as the narrowest.
    pub fn wide_link(&mut self, a: u64, b: u64, width: u32) {
        self.links.push(Link { ends: (a as VertexId, b as VertexId), level: 0, width });
    }

    /// Adds a link of a tree, `level` levels above the links of the leaves.
    pub fn link_above(&mut self, level: u32, a: u64, b: u64) {
        self.links.push(Link { ends: (a as VertexId, b as VertexId), level, width: 1 });
    }

    /// Adds a static route. Its links may be added later.
    pub fn route(&mut self, vertices: &[u64]) {
        self.routes.push(vertices.iter().map(|&v| v as VertexId).collect());
    }

    /// Whether the network has no switches.
    pub fn is_direct(&self) -> bool {
        self.vertices.iter().all(|v| v.terminal)
    }

    /// Whether it is a tree with links above those of its leaves.
    pub fn has_levels(&self) -> bool {
        self.links.iter().any(|link| link.level > 0)
    }

    /// The transfers that all channels together carry in a step, with two channels a link.
    pub fn carries(&self, widths: Widths) -> u64 {
        self.links.iter().map(|link| 2 * u64::from(widths.of(link))).sum()
    }

    /// Builds the network. Channels are in the order of their start vertices, as in a network file,
    /// so that saving and reading does not change the network.
    pub fn build(mut self, name: String, kind: LinkKind, widths: Widths) -> Result<Network> {
        if kind == LinkKind::OneWay {
            self.links.sort_by_key(|link| link.ends.0);
        } else {
            self.links
                .iter_mut()
                .for_each(|Link { ends: (a, b), .. }| (*a, *b) = ((*a).min(*b), (*a).max(*b)));
            self.links.sort_unstable();
        }
        let mut net = NetworkBuilder::new(name);
        net.rate(self.rate);
        for v in self.vertices {
            net.vertex(v.name, v.terminal);
        }
        for link in self.links {
            net.wide_link(link.ends.0, link.ends.1, kind, widths.of(&link));
        }
        let between = net.between();
        for route in self.routes {
            let channel = |ends: &[VertexId]| between[&(ends[0], ends[1])][0];
            let channels: Vec<_> = route.windows(2).map(channel).collect();
            net.route(route[0], route[route.len() - 1], &channels);
        }
        net.build()
    }
}
