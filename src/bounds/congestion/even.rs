//! Divides every message evenly among all its shortest paths. Where a symmetry maps every channel
//! to every other, all channels then have the same load, and no other division has a smaller
//! largest load: total distance over channels (umda-diameter-degree-networks, section 3) is then
//! the best that congestion can prove.

use super::lightest::{Lightest, Source};
use super::walks::Walks;
use ccsched_model::routing::Layers;

/// The load of every resource.
pub fn loads(lightest: &Lightest<'_>) -> Vec<f64> {
    let mut load: Vec<f64> = lightest.at_ends.iter().map(|&messages| messages as f64).collect();
    for source in &lightest.sources {
        spread(lightest, source, &mut load);
    }
    lightest.level(&mut load);
    load
}

/// Adds the load of one source: counts shortest paths outwards, then divides the messages
/// backwards.
fn spread(lightest: &Lightest<'_>, source: &Source<'_>, load: &mut [f64]) {
    let Source { demands, walks, alike } = source;
    let network = lightest.problem.network();
    let n = network.vertices().len();
    let shortest =
        walks.are_free().then(|| Walks::of(network, &Layers::from(network, walks.start), 0));
    let walks = shortest.as_ref().unwrap_or(walks);
    // Walks of the first cells are shortest paths.
    let cells = || walks.cells().filter(|&(cell, ..)| (cell as usize) < n);
    let mut paths = vec![0.0; n];
    let mut flow = paths.clone();
    paths[walks.start as usize] = 1.0;
    for (cell, _, hops) in cells() {
        paths[cell as usize] = hops.iter().map(|hop| paths[hop.before as usize]).sum();
    }
    for d in *demands {
        flow[d.destination as usize] += f64::from(*alike) * lightest.problem.volume(d) as f64;
    }
    for (cell, _, hops) in cells().rev() {
        let share = flow[cell as usize] / paths[cell as usize];
        for hop in hops {
            let before = hop.before as usize;
            lightest.load_hop(hop.channel, share * paths[before], load);
            flow[before] += share * paths[before];
        }
    }
}
