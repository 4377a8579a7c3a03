//! The coordinates of the network's file. Vertices without some stand at the mean of their
//! neighbours, a little apart from each other.

use super::super::drawing::Drawing;
use super::super::point::{Point, mean, on_circle};
use super::Layout;

/// The layout, if at least half of the vertices have coordinates.
pub(super) fn given(drawing: &Drawing) -> Option<Layout> {
    let known: Vec<Point> = drawing.vertices.iter().filter_map(|v| v.given).collect();
    if known.is_empty() || 2 * known.len() < drawing.vertices.len() {
        return None;
    }
    let neighbours = drawing.neighbours();
    let centre = mean(known.iter().copied());
    let reach = known.iter().map(|p| p.distance(centre)).fold(1.0, f64::max);
    let place = |v: usize| {
        drawing.vertices[v].given.unwrap_or_else(|| {
            let near: Vec<Point> =
                neighbours[v].iter().filter_map(|&w| drawing.vertices[w].given).collect();
            let at = if near.is_empty() { centre } else { mean(near) };
            // The golden angle keeps those with equal neighbours apart.
            at + on_circle(v as f64 * 2.399_963) * (0.12 * reach)
        })
    };
    Some(Layout::plain((0..drawing.vertices.len()).map(place).collect()))
}
