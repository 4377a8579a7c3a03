//! The turns of channels: edge colours of a bipartite graph with many edges of each channel. The edges are halved again and
//! again, each vertex keeping half of its own, until few are left to be coloured. Halves follow each other, so each channel has
//! its turns about evenly.

use crate::ground::edge_colours;
use ccsched_network::ChannelId;

/// Edges of a vertex up to which a graph is coloured.
const MOST_COLOURED: u64 = 64;

/// The graph of all channels.
pub struct Graph {
    /// By channel, its ends, which are numbered for the two sides apart.
    pub ends: Vec<[usize; 2]>,
    /// Above the numbers of all ends.
    pub vertices: usize,
}

impl Graph {
    /// Consecutive parts of the edges, with few of each vertex. `crossings` is how often each channel is used.
    pub fn parts(&self, crossings: Vec<u32>) -> Vec<Vec<u32>> {
        if self.degree(&crossings) <= MOST_COLOURED {
            return vec![crossings];
        }
        self.halves(&crossings).into_iter().flat_map(|half| self.parts(half)).collect()
    }

    /// The channels of each turn of a part; `at_once` is how many edges of a vertex have the same turn.
    pub fn turns(&self, part: &[u32], at_once: usize) -> Vec<Vec<ChannelId>> {
        let mut edges = Vec::new();
        let mut channels: Vec<ChannelId> = Vec::new();
        for (c, &times) in (0..).zip(part) {
            edges.extend((0..times).map(|_| self.ends[c as usize]));
            channels.extend((0..times).map(|_| c));
        }
        let mut turns: Vec<Vec<ChannelId>> = Vec::new();
        for (c, colour) in channels.into_iter().zip(edge_colours::colours(&edges)) {
            let turn = colour / at_once;
            turns.resize_with(turns.len().max(turn + 1), Vec::new);
            turns[turn].push(c);
        }
        turns
    }

    /// The most edges of a vertex.
    fn degree(&self, crossings: &[u32]) -> u64 {
        let mut degree = [vec![0u64; self.vertices], vec![0; self.vertices]];
        for (ends, &times) in self.ends.iter().zip(crossings) {
            (0..2).for_each(|side| degree[side][ends[side]] += u64::from(times));
        }
        degree.iter().flatten().copied().max().unwrap_or(0)
    }

    /// Two halves. The odd edge of a channel goes to either half in turn, along walks that use each
    /// such edge once and begin at vertices of odd degree while there are any.
    fn halves(&self, crossings: &[u32]) -> [Vec<u32>; 2] {
        let half: Vec<u32> = crossings.iter().map(|times| times / 2).collect();
        let mut halves = [half.clone(), half];
        let vertex = |side: usize, c: usize| side * self.vertices + self.ends[c][side];
        let mut left_over: Vec<Vec<usize>> = vec![Vec::new(); 2 * self.vertices];
        let odd = (0..crossings.len()).filter(|&c| crossings[c] % 2 == 1);
        odd.for_each(|c| (0..2).for_each(|side| left_over[vertex(side, c)].push(c)));
        let is_odd = |v: &usize| left_over[*v].len() % 2 == 1;
        let starts: Vec<usize> =
            (0..2 * self.vertices).filter(is_odd).chain(0..2 * self.vertices).collect();
        let mut is_used = vec![false; crossings.len()];
        for start in starts {
            let (mut at, mut half) = (start, start % 2);
            while let Some(c) = left_over[at].pop() {
                if !std::mem::replace(&mut is_used[c], true) {
                    halves[half][c] += 1;
                    half = 1 - half;
                    let side = at / self.vertices;
                    at = vertex(1 - side, c);
                }
            }
        }
        halves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn turns_use_every_channel_as_often_as_asked_and_no_vertex_too_often() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        for at_once in 1..4 {
            let vertices = 12;
            let mut end = || rng.random_range(0..vertices);
            let graph = Graph { ends: (0..40).map(|_| [end(), end()]).collect(), vertices };
            let crossings: Vec<u32> = (0..40).map(|_| rng.random_range(0..300)).collect();
            let mut left = crossings.clone();
            let parts = graph.parts(crossings.clone());
            let turns: Vec<_> = parts.iter().flat_map(|part| graph.turns(part, at_once)).collect();
            for turn in &turns {
                let mut uses = [vec![0; vertices], vec![0; vertices]];
                for &c in turn {
                    left[c as usize] -= 1;
                    (0..2).for_each(|side| uses[side][graph.ends[c as usize][side]] += 1);
                }
                assert!(uses.iter().flatten().all(|&uses| uses <= at_once));
            }
            assert_eq!(left, [0; 40]);
            let least = graph.degree(&crossings) as usize / at_once;
            assert!(
                (least..=least + least / 10 + 32).contains(&turns.len()),
                "{} {least}",
                turns.len()
            );
        }
    }
}
