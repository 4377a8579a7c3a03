//! Meshes, tori and hypercubes: the first two dimensions down and to the right, the third oblique,
//! and each two more as a grid of such pictures. Directions are a little askew, so that no link
//! passes over a vertex of another dimension.

use super::super::drawing::Drawing;
use super::super::point::{Point, at, on_circle};
use super::circle::by_number;
use super::{Layout, numbers};

/// Tori with more vertices around are folded.
const UNFOLDED: usize = 6;

/// `AxBx..`: vertices are named by their coordinates.
pub(super) fn mesh(drawing: &Drawing, params: &str) -> Option<Layout> {
    grid(drawing, params, |c, _| c)
}

/// `AxBx..`, joined at the ends: long dimensions are folded, so that both ways around lie side by side
/// and no link is longer than two places.
pub(super) fn torus(drawing: &Drawing, params: &str) -> Option<Layout> {
    let folded = |c: usize, size: usize| if 2 * c < size { 2 * c } else { 2 * (size - 1 - c) + 1 };
    grid(drawing, params, |c, size| if size > UNFOLDED { folded(c, size) } else { c })
}

fn grid(
    drawing: &Drawing,
    params: &str,
    position: impl Fn(usize, usize) -> usize,
) -> Option<Layout> {
    let sizes = numbers(params);
    let is_dotted = sizes.iter().any(|&size| size > 10);
    let coordinates = |name: &str| -> Option<Vec<usize>> {
        let words: Option<Vec<usize>> = if is_dotted {
            name.split('.').map(|word| word.parse().ok()).collect()
        } else {
            name.chars().map(|c| c.to_digit(10).map(|d| d as usize)).collect()
        };
        let is_inside = |words: &Vec<usize>| {
            words.len() == sizes.len() && words.iter().zip(&sizes).all(|(c, size)| c < size)
        };
        words.filter(is_inside)
    };
    // Dimensions of size 1 take no room.
    let long: Vec<usize> = (0..sizes.len()).filter(|&d| sizes[d] > 1).collect();
    let ways = directions(&long.iter().map(|&d| sizes[d]).collect::<Vec<_>>());
    let place = |name: &str| {
        let words = coordinates(name)?;
        let along = |d: usize| position(words[d], sizes[d]) as f64;
        let parts = long.iter().zip(&ways).map(|(&d, &way)| way * along(d));
        Some(parts.fold(Point::default(), |sum, part| sum + part))
    };
    let places: Option<Vec<Point>> = drawing.vertices.iter().map(|v| place(&v.name)).collect();
    places.map(Layout::plain)
}

/// `D`: vertices are numbers, and a link changes one bit. Up to four dimensions are seen along a
/// diagonal, where all directions are alike.
pub(super) fn hypercube(drawing: &Drawing, params: &str) -> Option<Layout> {
    let bits = *numbers(params).first().filter(|&&bits| bits < 32)?;
    let numbers = by_number(drawing)?;
    if numbers.iter().any(|&v| v >> bits != 0) {
        return None;
    }
    let ways: Vec<Point> = match bits {
        4 => (0..4).map(|b| on_circle(std::f64::consts::PI * (b as f64 + 0.5) / 4.0)).collect(),
        _ => directions(&vec![2; bits]),
    };
    let place = |&v: &usize| {
        let set = ways.iter().enumerate().filter(|(bit, _)| v >> bit & 1 == 1);
        set.fold(Point::default(), |sum, (_, &way)| sum + way)
    };
    Some(Layout::plain(numbers.iter().map(place).collect()))
}

/// The step from a coordinate to the next in every dimension.
fn directions(sizes: &[usize]) -> Vec<Point> {
    let mut ways = Vec::with_capacity(sizes.len());
    // The extent of the picture so far, which the next dimensions repeat.
    let (mut width, mut height) = (1.0, 1.0);
    let mut left = sizes;
    while let [first, rest @ ..] = left {
        let is_flat = ways.is_empty() && sizes.len() <= 2;
        let skew = if ways.is_empty() { 0.0 } else { 0.07 };
        let Some((second, rest)) = rest.split_first() else {
            ways.push(at(width, skew * height));
            break;
        };
        ways.push(at(-skew * width, height));
        ways.push(at(width, skew * height));
        (width, height) = (width * *second as f64, height * *first as f64);
        left = rest;
        if ways.len() == 2 && !is_flat {
            let Some((third, rest)) = left.split_first() else { break };
            let depth = *third as f64;
            // Layers of a thin picture stand clear of each other; those of a thick one overlap.
            let way = at(0.42, -0.36);
            ways.push(way);
            (width, height) = (width + way.x * depth, height - way.y * depth);
            left = rest;
        }
        (width, height) = (width * 1.12, height * 1.12);
    }
    ways
}
