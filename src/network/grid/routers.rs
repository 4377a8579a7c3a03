//! The routers of a network and their links. A terminal with one neighbour, which is a switch, hangs
//! at this switch; all other vertices are routers, whether or not they have a terminal.

use crate::{Network, VertexId};
use std::collections::HashSet;

/// Two routers that are linked, whatever the directions and the number of their channels.
#[derive(Clone, Copy)]
pub struct Link {
    pub ends: [u32; 2],
}

/// The routers of a network, in the order of their vertices.
pub struct Routers {
    /// By router.
    pub vertices: Vec<VertexId>,
    /// By vertex, its router; of a hanging terminal, that of its switch.
    pub of: Vec<u32>,
    /// In the order of their first channels.
    pub links: Vec<Link>,
    /// By router, its neighbours and the links to them, in the order of the links.
    pub near: Vec<Vec<(u32, usize)>>,
}

impl Routers {
    /// The routers, with terminals that hang at them if these are allowed.
    pub fn of(network: &Network, may_hang: bool) -> Self {
        let all = 0..network.vertices().len() as VertexId;
        let switch: Vec<Option<VertexId>> =
            all.clone().map(|v| switch_of(network, v).filter(|_| may_hang)).collect();
        let vertices: Vec<VertexId> = all.filter(|&v| switch[v as usize].is_none()).collect();
        let mut of = vec![u32::MAX; switch.len()];
        (0..).zip(&vertices).for_each(|(router, &v)| of[v as usize] = router);
        for (v, switch) in switch.iter().enumerate() {
            if let Some(switch) = switch {
                of[v] = of[*switch as usize];
            }
        }
        let (mut links, mut near) = (Vec::new(), vec![Vec::new(); vertices.len()]);
        let mut known = HashSet::new();
        for channel in network.channels() {
            let [a, b] = [channel.from, channel.to].map(|v| of[v as usize]);
            if a != b && known.insert((a.min(b), a.max(b))) {
                near[a as usize].push((b, links.len()));
                near[b as usize].push((a, links.len()));
                links.push(Link { ends: [a, b] });
            }
        }
        Routers { vertices, of, links, near }
    }
}

/// The switch at which a vertex hangs.
fn switch_of(network: &Network, v: VertexId) -> Option<VertexId> {
    let mut neighbours =
        [network.outgoing(v), network.incoming(v)].into_iter().flatten().map(|&c| {
            let channel = network.channel(c);
            if channel.from == v { channel.to } else { channel.from }
        });
    let switch = neighbours.next()?;
    let hangs = network.is_terminal(v)
        && !network.is_terminal(switch)
        && neighbours.all(|neighbour| neighbour == switch);
    hangs.then_some(switch)
}
