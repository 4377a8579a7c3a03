//! Networks whose vertices and links are in a random order.

use ccsched::network::{LinkKind, Network, NetworkBuilder, VertexId};
use ccsched::rng::Rng;
use rand::RngExt;
use rand::seq::SliceRandom;

/// The image of `net` under a random permutation, and the image of every vertex.
pub fn shuffled(net: &Network, rng: &mut Rng) -> (Network, Vec<VertexId>) {
    let n = net.vertices().len();
    let mut order: Vec<VertexId> = (0..n as VertexId).collect();
    order.shuffle(rng);
    let mut labels: Vec<usize> = (0..n).collect();
    labels.shuffle(rng);
    let mut builder = NetworkBuilder::new(format!("{} shuffled", net.name()));
    let mut image = vec![0; n];
    for (&v, label) in order.iter().zip(labels) {
        image[v as usize] = builder.vertex(format!("node {label}"), net.is_terminal(v));
    }
    // Every link once, by its first channel.
    let channels = (0..).zip(net.channels());
    let mut links: Vec<_> = channels.filter(|(id, c)| c.reverse.is_none_or(|r| r > *id)).collect();
    links.shuffle(rng);
    for (_, c) in links {
        let [mut from, mut to] = [c.from, c.to].map(|v| image[v as usize]);
        let kind = c.kind();
        if kind != LinkKind::OneWay && rng.random() {
            (from, to) = (to, from);
        }
        builder.link(from, to, kind);
    }
    (builder.build().unwrap(), image)
}
