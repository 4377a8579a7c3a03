//! Switches that all have terminals, such as dragonflies and clusters of crossbars: the switches on
//! a circle or by distance, each with its terminals around it on the outer side.

use super::super::drawing::{Channel, Drawing};
use super::super::point::{Point, at, mean, on_circle};
use super::{Layout, numbers};
use super::{circle, stress};
use std::f64::consts::TAU;

/// The layout, if terminals are joined to switches alone, each to one.
pub(super) fn hubs(drawing: &Drawing) -> Option<Layout> {
    let hubs = Hubs::of(drawing)?;
    let inner = hubs.inner(drawing);
    let places = circle::dense(&inner).or_else(|| stress::stress(&inner))?.at;
    let (mut nearest, count) = (f64::MAX, places.len());
    for i in 0..count.min(500) {
        for j in (0..count).filter(|&j| j != i) {
            nearest = nearest.min(places[i].distance(places[j]));
        }
    }
    let scale = if nearest < f64::MAX { hubs.room() / nearest.max(1e-3) } else { 1.0 };
    let places: Vec<Point> = places.iter().map(|&p| p * scale).collect();
    Some(hubs.around(&places))
}

/// `A,P,H`: groups of A switches on a circle, the switches of a group on a small one.
pub(super) fn dragonfly(drawing: &Drawing, params: &str) -> Option<Layout> {
    let a = *numbers(params).first().filter(|&&a| a > 0)?;
    let hubs = Hubs::of(drawing)?;
    let number = |&s: &usize| drawing.vertices[s].name.strip_prefix("sw")?.parse::<usize>().ok();
    let order: Vec<usize> = hubs.switches.iter().map(number).collect::<Option<_>>()?;
    let groups = order.iter().max()? / a + 1;
    let small = (hubs.room() * a as f64 / TAU).max(hubs.room() * 0.6);
    let wide = 2.0 * (small + hubs.room());
    let large = (wide * groups as f64 / TAU).max(wide * 0.6);
    let place = |&i: &usize| {
        let (group, inside) =
            (TAU * (i / a) as f64 / groups as f64, TAU * (i % a) as f64 / a as f64);
        on_circle(group) * large + on_circle(group + inside + TAU / 2.0 / a as f64) * small
    };
    Some(hubs.around(&order.iter().map(place).collect::<Vec<_>>()))
}

/// Switches and their terminals.
struct Hubs {
    vertices: usize,
    switches: Vec<usize>,
    /// By switch in this order, its terminals.
    terminals: Vec<Vec<usize>>,
    alone: Vec<usize>,
}

impl Hubs {
    fn of(drawing: &Drawing) -> Option<Self> {
        let n = drawing.vertices.len();
        let neighbours = drawing.neighbours();
        let switches: Vec<usize> = (0..n).filter(|&v| !drawing.vertices[v].terminal).collect();
        let mut place = vec![None; n];
        switches.iter().enumerate().for_each(|(i, &s)| place[s] = Some(i));
        let mut terminals = vec![Vec::new(); switches.len()];
        let mut alone = Vec::new();
        for t in (0..n).filter(|&v| place[v].is_none()) {
            match neighbours[t].as_slice() {
                [] => alone.push(t),
                // With several switches it stands at the first.
                [first, ..] => terminals[place[*first]?].push(t),
            }
        }
        (!switches.is_empty()).then_some(Hubs { vertices: n, switches, terminals, alone })
    }

    /// The network of the switches alone, drawn as if they were terminals.
    fn inner(&self, drawing: &Drawing) -> Drawing {
        let mut place = vec![None; self.vertices];
        self.switches.iter().enumerate().for_each(|(i, &s)| place[s] = Some(i));
        let channel = |c: &Channel| Some(Channel { from: place[c.from]?, to: place[c.to]?, ..*c });
        let vertex = |&s: &usize| {
            let mut vertex = drawing.vertices[s].clone();
            vertex.terminal = true;
            vertex
        };
        Drawing {
            name: String::new(),
            vertices: self.switches.iter().map(vertex).collect(),
            channels: drawing.channels.iter().filter_map(channel).collect(),
            intact: None,
        }
    }

    /// The radius at which the terminals of the largest hub fit side by side.
    fn radius(&self) -> f64 {
        let most = self.terminals.iter().map(Vec::len).max().unwrap_or(0) as f64;
        (most / 3.4).max(1.3)
    }

    /// The distance between hubs.
    fn room(&self) -> f64 {
        1.9 * self.radius() + 0.6
    }

    /// Terminals around their hubs, on the side away from the middle.
    fn around(&self, places: &[Point]) -> Layout {
        let centre = mean(places.iter().copied());
        let reach = places.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
        let mut all = vec![Point::default(); self.vertices];
        for ((&s, &p), terminals) in self.switches.iter().zip(places).zip(&self.terminals) {
            all[s] = p;
            let away = p - centre;
            let outward = libm::atan2(away.x, -away.y);
            // A hub near the middle has terminals on all sides.
            let is_inner = away.length() < 0.35 * reach || reach < 1e-9;
            let count = terminals.len() as f64;
            let gap = if is_inner { TAU / count } else { (3.4 / count).min(0.75) };
            for (i, &t) in terminals.iter().enumerate() {
                let angle = outward + (i as f64 - (count - 1.0) / 2.0) * gap;
                all[t] = p + on_circle(angle) * self.radius();
            }
        }
        for (i, &t) in self.alone.iter().enumerate() {
            all[t] = centre + at(i as f64, reach + 2.0 * self.radius() + 1.0);
        }
        Layout::plain(all)
    }
}
