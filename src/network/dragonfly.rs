//! The groups of a dragonfly, found in a network whatever its name (Kim, Dally, Scott, Abts,
//! "Technology-driven, highly-scalable dragonfly topology", section 3), and the routes that its
//! routers use: at most one local hop in the group of the source, the one global link between the
//! two groups, at most one local hop in the group of the destination. Every two terminals have one
//! such route.
//!
//! The switches, in order of their ids, form groups of equal size. A group is a complete graph, and
//! every two groups have one link. Each terminal is attached to one switch.

use super::{ChannelId, Network, VertexId};

/// No channel.
const NONE: ChannelId = ChannelId::MAX;

/// A network that is a dragonfly.
#[derive(Clone, Debug)]
pub struct Dragonfly {
    /// Routers of a group.
    size: usize,
    /// Terminals of every router; routers are numbered group by group.
    hosts: Vec<Vec<VertexId>>,
    /// By vertex: its router; for a terminal also the channels to and from that router.
    router: Vec<usize>,
    up: Vec<ChannelId>,
    down: Vec<ChannelId>,
    /// Channels by the routers of a group that they join: `[from * size + place of end]`.
    local: Vec<ChannelId>,
    /// Channels by the groups that they join: `[from * groups + to]`, and their end routers.
    global: Vec<(ChannelId, usize, usize)>,
}

impl Dragonfly {
    /// Finds the groups.
    ///
    /// # Errors
    /// The reason why the network is no dragonfly.
    pub fn find(network: &Network) -> Result<Dragonfly, String> {
        let vertices = network.vertices().len();
        let switches: Vec<VertexId> =
            (0..vertices as VertexId).filter(|&v| !network.is_terminal(v)).collect();
        let mut router = vec![usize::MAX; vertices];
        switches.iter().enumerate().for_each(|(r, &v)| router[v as usize] = r);
        let mut hosts = vec![Vec::new(); switches.len()];
        let (mut up, mut down) = (vec![NONE; vertices], vec![NONE; vertices]);
        let has_channels =
            |v: &VertexId| !network.outgoing(*v).is_empty() || !network.incoming(*v).is_empty();
        for v in network.terminals().filter(has_channels) {
            let ([out], [into]) = (network.outgoing(v), network.incoming(v)) else {
                return Err(hangs(network, v));
            };
            let (to, from) = (network.channel(*out).to, network.channel(*into).from);
            if to != from || network.is_terminal(to) {
                return Err(hangs(network, v));
            }
            (up[v as usize], down[v as usize]) = (*out, *into);
            router[v as usize] = router[to as usize];
            hosts[router[to as usize]].push(v);
        }
        let between: Vec<(ChannelId, usize, usize)> = (0..)
            .zip(network.channels())
            .filter(|(_, c)| !network.is_terminal(c.from) && !network.is_terminal(c.to))
            .map(|(id, c)| (id, router[c.from as usize], router[c.to as usize]))
            .collect();
        let n = switches.len();
        let sizes = (1..=n / 2).filter(|size| n.is_multiple_of(*size));
        let found = sizes.into_iter().find_map(|size| Some((size, links(&between, n, size)?)));
        let Some((size, (local, global))) = found else {
            return Err(format!(
                "its {n} switches, in order, do not form complete groups with one link between \
                 every two groups"
            ));
        };
        Ok(Dragonfly { size, hosts, router, up, down, local, global })
    }

    /// Routers of a group.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.hosts.len() / self.size
    }

    /// The terminals at a router of a group.
    pub fn hosts(&self, group: usize, place: usize) -> &[VertexId] {
        &self.hosts[group * self.size + place]
    }

    /// The two ends of the channel between two groups, as places in their groups.
    pub fn gates(&self, from: usize, to: usize) -> (usize, usize) {
        let (_, a, b) = self.global[from * self.groups() + to];
        (a % self.size, b % self.size)
    }

    /// The routes of all pairs.
    pub fn routes(&self, network: &Network) -> LglRoutes {
        let hangs = |v: &VertexId| self.router[*v as usize] != usize::MAX;
        let terminals: Vec<VertexId> = network.terminals().filter(hangs).collect();
        let mut place = vec![0; network.vertices().len()];
        terminals.iter().enumerate().for_each(|(i, &v)| place[v as usize] = i);
        let mut routes =
            LglRoutes { place, terminals: terminals.len(), starts: vec![0], channels: Vec::new() };
        for &from in &terminals {
            for &to in &terminals {
                if to != from {
                    routes.channels.extend(self.route(from, to));
                }
                routes.starts.push(routes.channels.len() as u32);
            }
        }
        routes
    }

    /// The route between two different terminals: local, global, local.
    pub fn route(&self, from: VertexId, to: VertexId) -> Vec<ChannelId> {
        let (a, b) = (self.router[from as usize], self.router[to as usize]);
        let mut route = vec![self.up[from as usize]];
        let local = |a: usize, b: usize, route: &mut Vec<ChannelId>| {
            if a != b {
                route.push(self.local[a * self.size + b % self.size]);
            }
        };
        if a / self.size == b / self.size {
            local(a, b, &mut route);
        } else {
            let (c, out, into) = self.global[a / self.size * self.groups() + b / self.size];
            local(a, out, &mut route);
            route.push(c);
            local(into, b, &mut route);
        }
        route.push(self.down[to as usize]);
        route
    }
}

/// The local-global-local routes of all pairs of terminals of a dragonfly.
#[derive(Clone, Debug)]
pub struct LglRoutes {
    /// Place of every vertex among the terminals.
    place: Vec<usize>,
    terminals: usize,
    /// `starts[i]..starts[i + 1]` of `channels` is the route of pair i: source, then destination.
    starts: Vec<u32>,
    channels: Vec<ChannelId>,
}

impl LglRoutes {
    /// The route from one terminal to another.
    pub fn get(&self, from: VertexId, to: VertexId) -> &[ChannelId] {
        let pair = self.place[from as usize] * self.terminals + self.place[to as usize];
        &self.channels[self.starts[pair] as usize..self.starts[pair + 1] as usize]
    }
}

fn hangs(network: &Network, v: VertexId) -> String {
    let name = network.vertex_name(v);
    format!("terminal '{name}' is not attached to one switch by one channel each way")
}

/// Local and global channels.
type Links = (Vec<ChannelId>, Vec<(ChannelId, usize, usize)>);

/// The channels between `n` routers, if these form groups of this size.
fn links(between: &[(ChannelId, usize, usize)], n: usize, size: usize) -> Option<Links> {
    let groups = n / size;
    if between.len() != n * (size - 1) + groups * (groups - 1) {
        return None;
    }
    let mut local = vec![NONE; n * size];
    let mut global = vec![(NONE, 0, 0); groups * groups];
    for &(c, a, b) in between {
        let slot = if a / size == b / size {
            &mut local[a * size + b % size]
        } else {
            let pair = &mut global[a / size * groups + b / size];
            (pair.1, pair.2) = (a, b);
            &mut pair.0
        };
        // There are as many channels as slots, so if no slot is taken twice, all are full.
        if std::mem::replace(slot, c) != NONE {
            return None;
        }
    }
    Some((local, global))
}
