//! Divides every message evenly among all its shortest paths. Where a symmetry maps every channel
//! to every other, all channels then have the same load, and no other division has a smaller
//! largest load: total distance over channels (umda-diameter-degree-networks, section 3) is then
//! the best that congestion can prove.

use super::lightest::{Lightest, Source};
use crate::network::ChannelId;

/// The load of every resource.
pub fn loads(lightest: &Lightest<'_>) -> Vec<f64> {
    let mut load = vec![0.0; lightest.problem.resources.capacities().len()];
    for source in &lightest.sources {
        spread(lightest, source, &mut load);
    }
    lightest.load_ends(&mut load);
    lightest.level(&mut load);
    load
}

/// Adds the load of one source: counts shortest paths outwards, then divides the messages
/// backwards.
fn spread(lightest: &Lightest<'_>, source: &Source<'_>, load: &mut [f64]) {
    let network = &lightest.problem.network;
    let distance = |v: u32| source.layers.distance[v as usize];
    // A channel increases the distance by at most 1; one that does lies on a shortest path.
    let leads_on = |c: &&ChannelId| {
        let ends = network.channel(**c);
        distance(ends.from) < distance(ends.to)
    };
    let mut paths = vec![0.0; source.layers.distance.len()];
    let mut flow = paths.clone();
    paths[source.demands[0].source as usize] = 1.0;
    for &v in &source.layers.order {
        for &c in network.outgoing(v).iter().filter(leads_on) {
            paths[network.channel(c).to as usize] += paths[v as usize];
        }
    }
    for d in source.demands {
        flow[d.destination as usize] += f64::from(source.alike);
    }
    for &v in source.layers.order.iter().rev() {
        let share = flow[v as usize] / paths[v as usize];
        for &c in network.incoming(v).iter().filter(leads_on) {
            let before = network.channel(c).from as usize;
            lightest.load_hop(c, share * paths[before], load);
            flow[before] += share * paths[before];
        }
    }
}
