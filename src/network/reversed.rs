//! The reversed network: every channel in the opposite direction. A gather is a scatter on it, run
//! backwards in time.

use super::routes::Routes;
use super::unbroken::Past;
use super::{Channel, ChannelId, Network};
use std::sync::Arc;

impl Network {
    /// The network with every channel reversed. Vertices and channels keep their ids, the two
    /// channels of a link stay a link, and the route of a pair becomes that of the opposite pair,
    /// its channels in opposite order. The name stays, so reversing twice gives the same network.
    pub fn reversed(&self) -> Network {
        let turned = |c: &Channel| Channel { from: c.to, to: c.from, ..*c };
        let turn = |route: &[ChannelId]| route.iter().rev().copied().collect::<Vec<_>>();
        let routes: Routes =
            self.routes.iter().map(|(from, to, route)| ((to, from), turn(route))).collect();
        Network {
            name: self.name.clone(),
            vertices: self.vertices.clone(),
            channels: Arc::new(self.channels.iter().map(turned).collect()),
            coordinates: self.coordinates.clone(),
            aliases: self.aliases.clone(),
            routes: Arc::new(routes),
            rate: self.rate.clone(),
            outgoing: self.incoming.clone(),
            incoming: self.outgoing.clone(),
            capacity: self.capacity.iter().map(|&(out, into)| (into, out)).collect(),
            taking_part: self.taking_part.clone(),
            past: Past::default(),
        }
    }
}
