//! Trees: leaves side by side in one row a level, every other vertex above the middle of those below
//! it. The root is a vertex in the middle of the tree, a switch if there is one.

use super::super::drawing::Drawing;
use super::super::point::{Point, at};
use super::Layout;
use super::graph::{FAR, distances};

/// The layout, if the network is one tree; vertices that stand alone are put beside it.
pub(super) fn tree(drawing: &Drawing) -> Option<Layout> {
    let neighbours = drawing.neighbours();
    let n = neighbours.len();
    let alone = |v: &usize| neighbours[*v].is_empty();
    let joined: Vec<usize> = (0..n).filter(|v| !alone(v)).collect();
    let links: usize = neighbours.iter().map(Vec::len).sum::<usize>() / 2;
    if joined.len() < 2 || links + 1 != joined.len() {
        return None;
    }
    let root = root(drawing, &neighbours, joined[0])?;
    let depth = distances(&neighbours, [root], |_| true);
    if joined.iter().any(|&v| depth[v] == FAR) {
        return None;
    }
    // Every vertex before those below it.
    let mut order = vec![root];
    let mut place = 0;
    while let Some(&v) = order.get(place) {
        order.extend(neighbours[v].iter().copied().filter(|&w| depth[w] > depth[v]));
        place += 1;
    }
    let height = joined.iter().map(|&v| depth[v]).max().unwrap_or(0) as f64;
    let x = columns(&neighbours, &depth, root, &order);
    let widest = x.iter().copied().fold(0.0, f64::max);
    // A tree much wider than high gets more room between its levels.
    let rise = (widest / (height.max(1.0) * 2.6)).clamp(1.0, 4.0);
    let mut at: Vec<Point> =
        (0..n).map(|v| at(x[v], f64::from(depth[v].min(1 << 20)) * rise)).collect();
    for (i, v) in (0..n).filter(alone).enumerate() {
        at[v] = super::super::point::at(i as f64, (height + 1.0) * rise);
    }
    Some(Layout::plain(at))
}

/// A vertex in the middle of a longest path, a switch if possible.
fn root(drawing: &Drawing, neighbours: &[Vec<usize>], start: usize) -> Option<usize> {
    let farthest = |from: usize| {
        let d = distances(neighbours, [from], |_| true);
        let end = (0..d.len()).filter(|&v| d[v] != FAR).max_by_key(|&v| (d[v], usize::MAX - v));
        end.map(|v| (v, d))
    };
    let (a, _) = farthest(start)?;
    let (b, from_a) = farthest(a)?;
    let from_b = distances(neighbours, [b], |_| true);
    let length = from_a[b];
    let middle = (0..neighbours.len()).filter(|&v| {
        from_a[v] != FAR && from_a[v] + from_b[v] == length && from_a[v].abs_diff(from_b[v]) <= 1
    });
    middle.min_by_key(|&v| (drawing.vertices[v].terminal, from_a[v].abs_diff(from_b[v]), v))
}

/// The x of every vertex, by a walk without recursion: a path of a million vertices is a tree too.
fn columns(neighbours: &[Vec<usize>], depth: &[u32], root: usize, order: &[usize]) -> Vec<f64> {
    let mut x = vec![0.0; neighbours.len()];
    let below = |v: usize| neighbours[v].iter().copied().filter(move |&w| depth[w] > depth[v]);
    let mut next = 0.0;
    let mut stack = vec![root];
    while let Some(v) = stack.pop() {
        let first = stack.len();
        stack.extend(below(v));
        stack[first..].reverse();
        if stack.len() == first {
            x[v] = next;
            next += 1.0;
        }
    }
    for &v in order.iter().rev() {
        let (low, high) =
            below(v).fold((f64::MAX, f64::MIN), |(l, h), w| (l.min(x[w]), h.max(x[w])));
        if low <= high {
            x[v] = (low + high) / 2.0;
        }
    }
    x
}
