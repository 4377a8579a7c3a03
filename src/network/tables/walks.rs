//! Routes by destination, as in the forwarding tables of switches: the next channel depends on the vertex and the
//! destination alone, and is looked up once for all routes that come through.

use super::{Flow, Found, by_destination};
use crate::cores;
use crate::network::{ChannelId, Network, VertexId};
use std::ops::Range;

/// No channel yet.
const NONE: ChannelId = ChannelId::MAX;

/// The routes of all flows. `towards` yields, for a destination, what tells the next channel of a vertex. All cores
/// work on it.
///
/// # Errors
/// The first flow that comes to a vertex without a next channel, and why there is none.
pub(super) fn routes<N, E>(
    network: &Network,
    flows: &[Flow],
    towards: impl Fn(VertexId) -> N + Sync,
) -> Result<Found, (Flow, E)>
where
    N: FnMut(VertexId) -> Result<ChannelId, E>,
    E: Send,
{
    let groups: Vec<&[Flow]> = by_destination(flows).collect();
    let walk = |range: Range<usize>| -> Result<Found, (Flow, E)> {
        let (mut found, mut route) = (Found::new(), Vec::new());
        let mut next = vec![NONE; network.vertices().len()];
        for group in &groups[range] {
            let to = group[0].to;
            let mut look_up = towards(to);
            next.fill(NONE);
            for flow in *group {
                let mut at = flow.from;
                route.clear();
                while at != to {
                    let c = &mut next[at as usize];
                    if *c == NONE {
                        *c = look_up(at).map_err(|why| (*flow, why))?;
                    }
                    route.push(*c);
                    at = network.channel(*c).to;
                }
                found.push(route.clone());
            }
        }
        Ok(found)
    };
    let ends = cores::ends(groups.iter().map(|group| group.len()));
    let mut found = Found::with_capacity(flows.len());
    for part in cores::each(cores::parts(groups.len(), |group| ends[group]), walk) {
        found.extend(part?);
    }
    Ok(found)
}
