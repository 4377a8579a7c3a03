//! Vertices on circles: rings and cages by their numbers; Kautz and de Bruijn digraphs and small
//! networks with many links in an order in which links are short.

use super::super::drawing::Drawing;
use super::super::point::{Point, on_circle};
use super::Layout;
use std::f64::consts::TAU;

/// The largest network whose order on a circle is improved.
const MOST: usize = 64;
/// Up to this number of vertices a circle is as clear as any other layout.
const FEW: usize = 8;
/// The mean degree from which on other layouts are no clearer than a circle.
const DENSE: usize = 5;

/// A family whose vertices have the numbers from 0, each joined to the next.
pub(super) fn numbered(drawing: &Drawing, _: &str) -> Option<Layout> {
    let numbers = by_number(drawing)?;
    let all = numbers.iter().max()? + 1;
    // On a circle of thousands, all vertices are at the edge of an empty picture.
    (all <= 2000).then(|| {
        Layout::plain(numbers.iter().map(|&i| on_circle(TAU * i as f64 / all as f64)).collect())
    })
}

/// A pentagon around a pentagram.
pub(super) fn petersen(drawing: &Drawing, _: &str) -> Option<Layout> {
    let numbers = by_number(drawing).filter(|numbers| numbers.iter().all(|&i| i < 10))?;
    let place = |&i: &usize| {
        let radius = if i < 5 { 1.0 } else { 0.5 };
        on_circle(TAU * (i % 5) as f64 / 5.0) * radius
    };
    Some(Layout::plain(numbers.iter().map(place).collect()))
}

/// The vertices as numbers, if all names are.
pub(super) fn by_number(drawing: &Drawing) -> Option<Vec<usize>> {
    let most = 2 * drawing.vertices.len();
    let number = |name: &str| name.parse().ok().filter(|&i| i < most);
    drawing.vertices.iter().map(|v| number(&v.name)).collect()
}

/// A digraph of words.
pub(super) fn words(drawing: &Drawing, _: &str) -> Option<Layout> {
    (drawing.vertices.len() <= MOST).then(|| in_order(drawing))
}

/// Small networks without switches, if they are dense.
pub(super) fn dense(drawing: &Drawing) -> Option<Layout> {
    let n = drawing.vertices.len();
    let degrees: usize = drawing.neighbours().iter().map(Vec::len).sum();
    let is_fit = n <= FEW || (n <= MOST && degrees >= DENSE * n);
    (is_fit && drawing.vertices.iter().all(|v| v.terminal)).then(|| in_order(drawing))
}

/// A circle in an order in which links are short.
fn in_order(drawing: &Drawing) -> Layout {
    let order = shortened(&drawing.neighbours());
    let mut at = vec![Point::default(); order.len()];
    for (place, &v) in order.iter().enumerate() {
        at[v] = on_circle(TAU * place as f64 / order.len() as f64);
    }
    Layout::plain(at)
}

/// An order on the circle, improved by swaps and by turning parts around while links get shorter.
fn shortened(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let n = neighbours.len();
    let chord: Vec<f64> =
        (0..=n).map(|gap| libm::sin(std::f64::consts::PI * gap as f64 / n as f64)).collect();
    let mut order: Vec<usize> = (0..n).collect();
    let length = |order: &[usize]| {
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        let of = |v: usize| -> f64 {
            neighbours[v].iter().map(|&w| chord[place[v].abs_diff(place[w])]).sum()
        };
        (0..n).map(of).sum::<f64>()
    };
    let mut best = length(&order);
    for _ in 0..n {
        let before = best;
        for i in 0..n {
            for j in i + 1..n {
                order[i..=j].reverse();
                let turned = length(&order);
                if turned < best - 1e-9 {
                    best = turned;
                    continue;
                }
                order[i..=j].reverse();
                order.swap(i, j);
                let swapped = length(&order);
                if swapped < best - 1e-9 {
                    best = swapped;
                } else {
                    order.swap(i, j);
                }
            }
        }
        if best >= before {
            break;
        }
    }
    order
}
