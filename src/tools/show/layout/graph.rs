//! Distances in the undirected graph of a drawing.

use std::collections::VecDeque;

/// In place of a distance to a vertex that cannot be reached.
pub(super) const FAR: u32 = u32::MAX;

/// By vertex, the number of links to the nearest of `starts`; only vertices for which `is_open`
/// holds are passed and reached.
pub(super) fn distances(
    neighbours: &[Vec<usize>],
    starts: impl IntoIterator<Item = usize>,
    is_open: impl Fn(usize) -> bool,
) -> Vec<u32> {
    let mut distance = vec![FAR; neighbours.len()];
    let mut queue: VecDeque<usize> = VecDeque::new();
    for v in starts {
        if distance[v] == FAR {
            distance[v] = 0;
            queue.push_back(v);
        }
    }
    while let Some(v) = queue.pop_front() {
        for &w in &neighbours[v] {
            if distance[w] == FAR && is_open(w) {
                distance[w] = distance[v] + 1;
                queue.push_back(w);
            }
        }
    }
    distance
}
