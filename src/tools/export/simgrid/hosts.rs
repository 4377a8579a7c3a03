//! The hosts of the platform: one for each vertex that sends or receives, and more where the
//! transfers from it to another vertex take several paths.

use crate::export::Subject;
use crate::export::ranks::Ranks;
use ccsched_model::schedule::printable::printable;
use ccsched_network::{ChannelId, VertexId};
use std::collections::HashMap;

/// Hosts by vertex and number of the path.
pub(super) struct Hosts<'f> {
    ranks: Ranks,
    /// By rank of a vertex, its hosts: the first number, and one past the last.
    firsts: Vec<usize>,
    /// By ends, the different paths of their transfers.
    paths: HashMap<(VertexId, VertexId), Vec<&'f [ChannelId]>>,
}

impl<'f> Hosts<'f> {
    /// The hosts that a schedule needs.
    pub fn of(subject: &'f Subject) -> Self {
        let ranks = Ranks::of(subject);
        let mut paths: HashMap<(VertexId, VertexId), Vec<&'f [ChannelId]>> = HashMap::new();
        let mut counts = vec![1; ranks.len()];
        for step in 0..subject.steps() {
            for t in subject.sent(step) {
                let of_pair = paths.entry((t.from, t.to)).or_default();
                if !of_pair.contains(&t.channels) {
                    of_pair.push(t.channels);
                }
                for rank in [t.from, t.to].map(|v| ranks.of_vertex(v)) {
                    counts[rank] = of_pair.len().max(counts[rank]);
                }
            }
        }
        let ends = counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        let firsts = std::iter::once(0).chain(ends).collect();
        Hosts { ranks, firsts, paths }
    }

    /// Number of hosts.
    pub fn len(&self) -> usize {
        self.firsts[self.firsts.len() - 1]
    }

    /// The name of a host.
    pub fn name(host: usize) -> String {
        format!("h{host}")
    }

    /// The hosts between which a transfer goes.
    pub fn ends(&self, from: VertexId, to: VertexId, channels: &[ChannelId]) -> [usize; 2] {
        let paths = self.paths.get(&(from, to)).map_or(&[][..], Vec::as_slice);
        let number = paths.iter().position(|path| *path == channels).unwrap_or(0);
        [from, to].map(|v| self.firsts[self.ranks.of_vertex(v)] + number)
    }

    /// The paths between hosts, by their numbers.
    pub fn routes(&self) -> HashMap<[usize; 2], &'f [ChannelId]> {
        let of_pair = |(&(from, to), paths): (&(VertexId, VertexId), &Vec<&'f [ChannelId]>)| {
            let route = |path: &&'f [ChannelId]| (self.ends(from, to, path), *path);
            paths.iter().map(route).collect::<Vec<_>>()
        };
        self.paths.iter().flat_map(of_pair).collect()
    }

    /// A line that says which vertex a host is.
    pub fn about(&self, subject: &Subject, host: usize) -> String {
        let rank = self.firsts.partition_point(|&first| first <= host) - 1;
        format!("{host} {}\n", printable(subject.name(self.ranks.vertices[rank])))
    }
}
