//! Routes by destination, as in the forwarding tables of switches: the next channel depends on the vertex and the
//! destination alone, and is looked up once for all routes that come through. Routes that meet go on together, and
//! share their channels from there on.

use super::{Flow, by_destination};
use crate::{ChannelId, Network, PathList, VertexId};
use ccsched_base::cores;
use std::ops::Range;

/// No channel: it is not known yet, or routes end here.
pub(super) const NONE: ChannelId = ChannelId::MAX;

/// The routes of all flows. `towards` yields, for a destination, what tells the next channel of a vertex. All cores
/// work on it.
///
/// # Errors
/// The first flow that comes to a vertex without a next channel, and why there is none.
pub(super) fn routes<N, E>(
    network: &Network,
    flows: &[Flow],
    towards: impl Fn(VertexId) -> N + Sync,
) -> Result<PathList, (Flow, E)>
where
    N: FnMut(VertexId) -> Result<ChannelId, E>,
    E: Send,
{
    let groups: Vec<&[Flow]> = by_destination(flows).collect();
    let walk = |range: Range<usize>| -> Result<PathList, (Flow, E)> {
        let (mut tree, mut found) = (Tree::new(network), PathList::default());
        for group in &groups[range] {
            tree.add(group, towards(group[0].to), &mut found)?;
        }
        Ok(found)
    };
    let ends = cores::ends(groups.iter().map(|group| group.len()));
    let mut found = PathList::default();
    for part in cores::each(cores::parts(groups.len(), |group| ends[group]), walk) {
        found.append(part?);
    }
    Ok(found)
}

/// The routes to one destination after the other, which form a tree each.
pub(super) struct Tree<'n> {
    network: &'n Network,
    /// By vertex, as far as routes come there: the next channel, whether one comes from elsewhere, and where the rest of it
    /// stands once it is laid.
    next: Vec<ChannelId>,
    is_inner: Vec<bool>,
    rest: Vec<Option<Range<usize>>>,
}

impl<'n> Tree<'n> {
    pub fn new(network: &'n Network) -> Self {
        let n = network.vertices().len();
        Tree { network, next: vec![NONE; n], is_inner: vec![false; n], rest: vec![None; n] }
    }

    /// Adds the routes of flows to one destination. They end early at a vertex whose next channel is [`NONE`].
    ///
    /// # Errors
    /// The first flow that comes to a vertex without a next channel, and why there is none.
    pub fn add<E>(
        &mut self,
        flows: &[Flow],
        mut look_up: impl FnMut(VertexId) -> Result<ChannelId, E>,
        found: &mut PathList,
    ) -> Result<(), (Flow, E)> {
        self.next.fill(NONE);
        self.is_inner.fill(false);
        self.rest.fill(None);
        for flow in flows {
            let mut at = flow.from;
            while at != flow.to && self.next[at as usize] == NONE {
                let c = look_up(at).map_err(|why| (*flow, why))?;
                if c == NONE {
                    break;
                }
                self.next[at as usize] = c;
                at = self.network.channel(c).to;
                self.is_inner[at as usize] = true;
            }
        }
        // From the leaves on: every other route is the rest of one of these.
        let is_leaf = |flow: &&Flow| !self.is_inner[flow.from as usize];
        let leaves: Vec<Flow> = flows.iter().filter(is_leaf).copied().collect();
        leaves.into_iter().for_each(|flow| self.lay(flow, found));
        for flow in flows {
            found.push_part(self.rest[flow.from as usize].clone().unwrap_or_default());
        }
        Ok(())
    }

    /// Makes the walk longer by a route, for all that meet it.
    fn lay(&mut self, flow: Flow, found: &mut PathList) {
        let Tree { network, next, rest, .. } = self;
        let hop = |v: VertexId| Some(next[v as usize]).filter(|&c| v != flow.to && c != NONE);
        let hops = std::iter::successors(hop(flow.from), |&c| hop(network.channel(c).to));
        let place = found.lay(hops.clone());
        for (c, at) in hops.zip(place.clone()) {
            rest[network.channel(c).from as usize].get_or_insert(at..place.end);
        }
    }
}
