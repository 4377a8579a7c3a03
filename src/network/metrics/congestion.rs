//! The load of the channels under an even spread of all pairs, and the bound that it implies for
//! every cut (the argument of umda-diameter-degree-networks, section 3, reversed): if no channel
//! carries more than L times its capacity, channels of total capacity K carry at most K L, so a cut
//! that P pairs cross has a capacity of at least P / L.

use super::UNREACHABLE;
use crate::{Network, VertexId};

/// The load of every channel when each ordered pair of different terminals sends one message,
/// spread evenly over its shortest paths.
pub fn channel_loads(net: &Network) -> Vec<f64> {
    let mut loads = vec![0.0; net.channels().len()];
    for source in net.terminals() {
        spread_from(net, source, &mut loads);
    }
    loads
}

/// Adds the loads of one source: counts the shortest paths outwards, then distributes the load
/// backwards (Brandes' accumulation).
fn spread_from(net: &Network, source: VertexId, loads: &mut [f64]) {
    let n = net.vertices().len();
    let mut distance = vec![UNREACHABLE; n];
    let mut paths = vec![0.0f64; n];
    let mut order = vec![source];
    distance[source as usize] = 0;
    paths[source as usize] = 1.0;
    let mut next = 0;
    while let Some(&v) = order.get(next) {
        next += 1;
        for &c in net.outgoing(v) {
            let to = net.channel(c).to as usize;
            if distance[to] == UNREACHABLE {
                distance[to] = distance[v as usize] + 1;
                order.push(to as VertexId);
            }
            if distance[to] == distance[v as usize] + 1 {
                paths[to] += paths[v as usize];
            }
        }
    }
    let mut load = vec![0.0f64; n];
    for &v in order.iter().skip(1).rev() {
        let v = v as usize;
        load[v] += net.is_terminal(v as VertexId) as u32 as f64;
        for &c in net.incoming(v as VertexId) {
            let from = net.channel(c).from as usize;
            if distance[from] != UNREACHABLE && distance[from] + 1 == distance[v] {
                let share = load[v] * paths[from] / paths[v];
                loads[c as usize] += share;
                load[from] += share;
            }
        }
    }
}

/// A lower bound on the capacity of the channels, both directions together, between two halves of
/// the terminals that differ by at most one terminal. Zero if some terminal cannot reach another.
pub fn crossing_bound(net: &Network) -> u32 {
    let terminals = net.terminals().count() as u64;
    let crossing = 2 * (terminals / 2) * terminals.div_ceil(2);
    let channels = net.channels().iter();
    let loads: Vec<f64> =
        channels.zip(channel_loads(net)).map(|(c, load)| load / f64::from(c.capacity)).collect();
    let most = loads.iter().copied().fold(0.0, f64::max);
    let apart = super::spread(net).unreachable > 0;
    // If numbers of paths exceed the range of f64, loads are not finite and nothing is known.
    if apart || most == 0.0 || !loads.iter().all(|load| load.is_finite()) {
        return 0;
    }
    // The loads are sums of fractions; the margin is far larger than their rounding errors.
    (crossing as f64 / most - 1e-6).ceil() as u32
}
