//! Any other network: distances in the picture approximate distances in links (stress, by
//! stochastic gradient descent: Zheng, Pawar, Goodman, "Graph drawing by stochastic gradient
//! descent"). In large networks only distances to some pivots and to neighbours count. The
//! generator has a fixed seed, so a network always looks the same.

use super::super::drawing::Drawing;
use super::super::point::{Point, at, on_circle};
use super::Layout;
use super::graph::{FAR, distances};
use ccsched_base::rng::{Rng, rng_of};

/// The largest network all of whose distances count.
const ALL_PAIRS: usize = 500;
/// The most vertices whose distances to all others count in a larger network, and the fewest.
const PIVOTS: (usize, usize) = (40, 4);
/// The distances to pivots that are kept, as far as the fewest pivots allow.
const MOST_TERMS: usize = 2_000_000;
/// Rounds over all distances.
const ROUNDS: usize = 40;
/// The largest number of links that a network is taken to have between two of its parts.
const APART: f64 = 3.0;

/// A distance that is wanted.
struct Term {
    a: usize,
    b: usize,
    distance: f64,
    /// Whether `b` moves too; a pivot stays.
    both: bool,
}

/// The layout; takes every network.
pub(super) fn stress(drawing: &Drawing) -> Option<Layout> {
    let neighbours = drawing.neighbours();
    let n = neighbours.len();
    let mut rng = rng_of(1, 0, 0);
    let mut terms = terms(&neighbours);
    let mut places: Vec<Point> =
        (0..n).map(|v| on_circle(v as f64 * 2.399_963) * libm::sqrt(v as f64 + 1.0)).collect();
    let far = terms.iter().map(|t| t.distance).fold(1.0, f64::max);
    for round in 0..ROUNDS {
        // From a step that moves the farthest pairs in full to a tenth of that of neighbours.
        let part = round as f64 / (ROUNDS - 1) as f64;
        let eta = far * far * libm::pow(0.1 / (far * far), part);
        shuffle(&mut terms, &mut rng);
        for t in &terms {
            let way = places[t.a] - places[t.b];
            let length = way.length().max(1e-6);
            let step = (eta / (t.distance * t.distance)).min(1.0);
            let pull = way * (step * (length - t.distance) / (2.0 * length));
            places[t.a] = places[t.a] - pull;
            if t.both {
                places[t.b] = places[t.b] + pull;
            }
        }
    }
    Some(Layout::plain(turned(places)))
}

/// The wanted distances.
fn terms(neighbours: &[Vec<usize>]) -> Vec<Term> {
    let n = neighbours.len();
    let mut terms = Vec::new();
    let all = n <= ALL_PAIRS;
    if !all {
        for (a, list) in neighbours.iter().enumerate() {
            let later = list.iter().filter(|&&b| b > a);
            terms.extend(later.map(|&b| Term { a, b, distance: 1.0, both: true }));
        }
    }
    let mut pivot = 0;
    let mut nearest = vec![FAR; n];
    let pivots = (MOST_TERMS / n.max(1)).clamp(PIVOTS.1, PIVOTS.0);
    for place in 0..if all { n } else { pivots } {
        let b = if all { place } else { pivot };
        let from = distances(neighbours, [b], |_| true);
        let reach = from.iter().filter(|&&d| d != FAR).max().copied().unwrap_or(0);
        for a in (0..n).filter(|&a| if all { a > b } else { a != b }) {
            // Parts without a path between them stand beside each other.
            let distance =
                if from[a] == FAR { f64::from(reach) + APART } else { f64::from(from[a]) };
            terms.push(Term { a, b, distance, both: all });
        }
        // The next pivot is the vertex farthest from all pivots.
        nearest.iter_mut().zip(&from).for_each(|(near, &d)| *near = (*near).min(d));
        pivot = (0..n).max_by_key(|&v| (nearest[v].min(FAR - 1), usize::MAX - v)).unwrap_or(0);
    }
    terms
}

/// The places, turned so that their longest extent is to the right.
fn turned(places: Vec<Point>) -> Vec<Point> {
    let centre = super::super::point::mean(places.iter().copied());
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in &places {
        let d = *p - centre;
        (xx, xy, yy) = (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y);
    }
    let angle = 0.5 * libm::atan2(2.0 * xy, xx - yy);
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let turn = |p: &Point| {
        let d = *p - centre;
        at(d.x * cos + d.y * sin, d.y * cos - d.x * sin)
    };
    places.iter().map(turn).collect()
}

fn shuffle(terms: &mut [Term], rng: &mut Rng) {
    use rand::seq::SliceRandom;
    terms.shuffle(rng);
}
