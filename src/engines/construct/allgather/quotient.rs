//! The quotient of a network by a group: vertices and channels that the group maps to each other
//! count as one, an orbit. If no two transfers of a step use channels of the same orbit, no two of
//! all their images conflict; each transfer has one image per element.

use ccsched_model::problem::Problem;
use ccsched_model::symmetry::automorphisms::Permutation;
use ccsched_model::symmetry::carried::CarriedChannels;
use ccsched_network::{ChannelId, Network, VertexId};

/// Not in an orbit yet.
const NONE: u32 = u32::MAX;

/// The orbits of a group that moves every vertex.
pub struct Quotient<'a> {
    network: &'a Network,
    /// The group, the identity first.
    pub elements: &'a [Permutation],
    channels: CarriedChannels,
    /// A vertex of every orbit of vertices.
    pub sources: Vec<VertexId>,
    /// The orbit of every vertex.
    pub orbit: Vec<u32>,
    /// The channels of every usable orbit of links, repeated by the capacity of its links. An orbit
    /// is unusable where an element maps a half-duplex link to itself: a transfer would conflict
    /// with its own image.
    pub links: Vec<Vec<ChannelId>>,
}

impl<'a> Quotient<'a> {
    /// None if the group does not act on the links, or an element other than the identity fixes a
    /// vertex.
    pub fn new(problem: &'a Problem, elements: &'a [Permutation]) -> Option<Self> {
        let network = problem.network();
        let vertices = network.vertices().len();
        let (mut sources, mut orbit) = (Vec::new(), vec![NONE; vertices]);
        for v in 0..vertices as VertexId {
            if orbit[v as usize] == NONE {
                elements.iter().for_each(|g| orbit[g[v as usize] as usize] = sources.len() as u32);
                sources.push(v);
            }
        }
        if sources.len() * elements.len() != vertices {
            return None;
        }
        let (channels, links) = (CarriedChannels::new(network), Vec::new());
        let mut quotient = Quotient { network, elements, channels, sources, orbit, links };
        quotient.links = quotient.orbits_of_links(problem)?;
        Some(quotient)
    }

    fn orbits_of_links(&self, problem: &Problem) -> Option<Vec<Vec<ChannelId>>> {
        let count = self.network.channels().len();
        let link = |c: ChannelId| problem.resources().of_channel(c) as usize;
        // By link: its orbit. By orbit: the number of its links, and its channels.
        let mut row = vec![NONE; problem.resources().links()];
        let mut rows: Vec<(usize, Vec<ChannelId>)> = Vec::new();
        let mut seen = vec![false; count];
        for c in 0..count as ChannelId {
            if seen[c as usize] {
                continue;
            }
            let known = row[link(c)];
            let own = if known == NONE { rows.len() as u32 } else { known };
            if known == NONE {
                rows.push((0, Vec::new()));
            }
            let (links, channels) = &mut rows[own as usize];
            for g in self.elements {
                let image = self.image(g, c)?;
                if std::mem::replace(&mut seen[image as usize], true) {
                    continue;
                }
                channels.push(image);
                let place = &mut row[link(image)];
                if *place == NONE && known == NONE {
                    *place = own;
                    *links += 1;
                } else if *place != own {
                    return None;
                }
            }
        }
        let is_free = |(links, _): &(usize, _)| *links == self.elements.len();
        let of_row = |(_, channels): (usize, Vec<ChannelId>)| {
            let times = channels.first().map_or(1, |&c| self.network.channel(c).capacity as usize);
            std::iter::repeat_n(channels, times)
        };
        Some(rows.into_iter().filter(is_free).flat_map(of_row).collect())
    }

    /// The image of a channel under an element.
    pub fn image(&self, g: &[VertexId], c: ChannelId) -> Option<ChannelId> {
        let is_exclusive = |c: ChannelId| self.network.channel(c).exclusive;
        self.channels.image(c, g).filter(|&image| is_exclusive(image) == is_exclusive(c))
    }
}
