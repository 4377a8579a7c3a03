//! A drawing with its layout: where vertices stand and how channels run, for pictures and pages
//! alike. Channels keep to the right, so that those of a link in opposite directions run side by
//! side. The width of a channel is the square root of its capacity, so that a narrow one is seen beside
//! wide ones; the transfers of a step share it.

use super::drawing::Drawing;
use super::labels::labels;
use super::layout::{self, SPACING};
use super::point::{Point, at};
use std::collections::{BTreeMap, HashMap};

/// Radius of a vertex.
pub(super) const RADIUS: f64 = 15.0;
/// Width of a channel of capacity 1, and the most of a transfer.
pub(super) const LANE: f64 = 5.0;
/// The widest that the channels of one direction between two vertices are together.
const WIDEST: f64 = 13.0;
/// Links of networks with more pairs of a link and a vertex are not bent around vertices.
const MOST_TESTS: usize = 4_000_000;

/// A place where channels start and end: a vertex, or the side on which it receives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub vertex: usize,
    pub at: Point,
}

/// How a channel runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub from: usize,
    pub to: usize,
    /// Where the middle of its way is pulled to, for those that pass around vertices.
    pub control: Option<Point>,
    /// How far to the right of the line between its ends its middle runs.
    pub shift: f64,
    /// The width of one transfer.
    pub lane: f64,
}

/// The way of one transfer along a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub start: Point,
    pub control: Option<Point>,
    pub end: Point,
}

/// A pair of spots that some channels join.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub line: Line,
    /// The width of all its channels.
    pub width: f64,
    pub broken: bool,
}

/// What is drawn, and where.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub drawing: Drawing,
    /// The vertices in their order, then the sides on which some of them receive.
    pub spots: Vec<Spot>,
    /// By channel.
    pub lines: Vec<Line>,
    pub bands: Vec<Band>,
    /// By vertex.
    pub labels: Vec<String>,
    /// Width and height, from the origin.
    pub size: Point,
}

impl Scene {
    /// Places everything.
    pub fn new(drawing: Drawing) -> Self {
        let layout = layout::place(&drawing);
        let mut spots: Vec<Spot> = Vec::with_capacity(layout.at.len());
        spots.extend(layout.at.iter().enumerate().map(|(vertex, &at)| Spot { vertex, at }));
        let mut receiver: Vec<usize> = (0..spots.len()).collect();
        for (vertex, place) in layout.receives_at.iter().enumerate() {
            if let Some(at) = *place {
                receiver[vertex] = spots.len();
                spots.push(Spot { vertex, at });
            }
        }
        let labels = labels(drawing.vertices.iter().map(|v| v.name.as_str()));
        let (lines, bands) = lines(&drawing, &spots, &receiver);
        let mut scene = Scene { drawing, spots, lines, bands, labels, size: at(0.0, 0.0) };
        scene.frame();
        scene
    }

    /// Moves everything to the positive coordinates, with a margin, also curves that leave the
    /// vertices behind.
    fn frame(&mut self) {
        let margin = at(SPACING * 0.6, SPACING * 0.6);
        let curve = |band: &Band| {
            let (a, b) = (self.spots[band.line.from].at, self.spots[band.line.to].at);
            band.line.control.map(|c| a.middle(b).middle(c))
        };
        let all: Vec<Point> =
            self.spots.iter().map(|s| s.at).chain(self.bands.iter().filter_map(curve)).collect();
        let Some(&first) = all.first() else {
            self.size = margin + margin;
            return;
        };
        let low = all.iter().fold(first, |m, p| at(m.x.min(p.x), m.y.min(p.y)));
        let high = all.iter().fold(first, |m, p| at(m.x.max(p.x), m.y.max(p.y)));
        let shift = margin - low;
        self.spots.iter_mut().for_each(|s| s.at = s.at + shift);
        let controls = self.lines.iter_mut().filter_map(|line| line.control.as_mut());
        controls.for_each(|c| *c = *c + shift);
        let controls = self.bands.iter_mut().filter_map(|band| band.line.control.as_mut());
        controls.for_each(|c| *c = *c + shift);
        self.size = high - low + margin + margin;
    }

    /// The way of a transfer on a channel, one of those that share it in the step.
    pub fn way(&self, channel: usize, place: usize) -> Way {
        let line = &self.lines[channel];
        let (a, b) = (self.spots[line.from].at, self.spots[line.to].at);
        let slots = f64::from(self.drawing.channels[channel].slots);
        let inside = (place as f64 + 0.5).min(slots) - slots / 2.0;
        let shift = line.shift + inside * line.lane;
        let bent = line.control.unwrap_or(a.middle(b));
        let (out, into) = ((bent - a).unit(), (b - bent).unit());
        Way {
            start: a + out.right() * shift + out * RADIUS,
            control: line.control.map(|c| c + (b - a).unit().right() * shift),
            end: b + into.right() * shift - into * RADIUS,
        }
    }
}

/// The lines of all channels, and the bands below them.
fn lines(drawing: &Drawing, spots: &[Spot], receiver: &[usize]) -> (Vec<Line>, Vec<Band>) {
    // By the two spots: the channels from the lower to the higher, and those back.
    let mut pairs: BTreeMap<(usize, usize), [Vec<usize>; 2]> = BTreeMap::new();
    for (id, c) in drawing.channels.iter().enumerate() {
        let (from, to) = (c.from, receiver[c.to]);
        let back = usize::from(from > to);
        pairs.entry((from.min(to), from.max(to))).or_default()[back].push(id);
    }
    let passing = (spots.len() * pairs.len() <= MOST_TESTS).then(|| Near::new(spots));
    let none = Line { from: 0, to: 0, control: None, shift: 0.0, lane: LANE };
    let mut lines = vec![none; drawing.channels.len()];
    let mut bands = Vec::with_capacity(pairs.len());
    for (&(low, high), ids) in &pairs {
        let control = passing.as_ref().and_then(|near| near.around(spots, low, high));
        let of = |id: &usize| &drawing.channels[*id];
        // Channels that exclude each other share their place.
        let is_shared = |id: &usize| of(id).excludes.is_some();
        let root = |id: &usize| f64::from(of(id).capacity).sqrt();
        let roots = |side: &[usize]| -> f64 { side.iter().map(root).sum() };
        let most = roots(&ids[0]).max(roots(&ids[1]));
        let two_way = !ids[0].is_empty() && !ids[1].is_empty() && !ids[0].iter().all(is_shared);
        let unit = LANE.min(WIDEST * if two_way { 1.0 } else { 1.8 } / most.max(1.0));
        for (back, side) in ids.iter().enumerate() {
            let mut edge = if two_way { 0.0 } else { -roots(side) * unit / 2.0 };
            for &id in side {
                let width = root(&id) * unit;
                let (from, to) = if back == 1 { (high, low) } else { (low, high) };
                let (shift, lane) = (edge + width / 2.0, width / f64::from(of(&id).slots));
                lines[id] = Line { from, to, control, shift, lane };
                edge += width;
            }
        }
        let whole = ids.iter().flatten().any(|id| !of(id).broken);
        let broken = ids.iter().flatten().any(|id| of(id).broken);
        let sides = if two_way { 2.0 } else { 1.0 };
        let line = Line { from: low, to: high, control, shift: 0.0, lane: unit };
        let width = sides * most * unit + 1.0;
        // A link that lost one direction, or one of several, is drawn with a broken line in it.
        bands.extend(whole.then_some(Band { line, width, broken: false }));
        bands.extend(broken.then_some(Band { line, width, broken: true }));
    }
    (lines, bands)
}

/// The spots by the square of a raster in which they are.
struct Near {
    cells: HashMap<(i64, i64), Vec<usize>>,
}

impl Near {
    fn new(spots: &[Spot]) -> Self {
        let mut cells: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
        for (i, s) in spots.iter().enumerate() {
            cells.entry(cell(s.at)).or_default().push(i);
        }
        Near { cells }
    }

    /// The control point of a curve between two spots that passes around the others; none for a
    /// straight line. If every curve passes over some of them, the one that does least.
    fn around(&self, spots: &[Spot], a: usize, b: usize) -> Option<Point> {
        let (p, q) = (spots[a].at, spots[b].at);
        let mut least = self.hits(spots, (a, b), p.middle(q));
        if a == b || least == 0 {
            return None;
        }
        let side = (q - p).right();
        let mut best = None;
        // Curves by how far they leave the line, to the left and to the right.
        for bend in [0.24, -0.24, 0.4, -0.4, 0.15, -0.15, 0.6, -0.6] {
            let control = p.middle(q) + side * bend;
            let hits = self.hits(spots, (a, b), control);
            if hits < least {
                (best, least) = (Some(control), hits);
            }
            if hits == 0 {
                break;
            }
        }
        best
    }

    /// The places of a curve that are too near to a spot other than its ends.
    fn hits(&self, spots: &[Spot], (a, b): (usize, usize), control: Point) -> usize {
        let (p, q) = (spots[a].at, spots[b].at);
        let pieces = ((p.distance(q) / 12.0).ceil() as usize).clamp(4, 400);
        let is_near = |i: &usize| {
            let t = *i as f64 / pieces as f64;
            let u = 1.0 - t;
            let at = p * (u * u) + control * (2.0 * u * t) + q * (t * t);
            let (x, y) = cell(at);
            let mut around = (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y)));
            let is_hit = |&s: &usize| {
                s != a
                    && s != b
                    && spots[s].vertex != spots[a].vertex
                    && spots[s].at.distance(at) < RADIUS + 3.0
            };
            around.any(|c| self.cells.get(&c).is_some_and(|inside| inside.iter().any(is_hit)))
        };
        (1..pieces).filter(is_near).count()
    }
}

fn cell(p: Point) -> (i64, i64) {
    ((p.x / 40.0) as i64, (p.y / 40.0) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::spec;

    fn scene(text: &str) -> Scene {
        Scene::new(Drawing::of_network(&spec::parse(text).unwrap()))
    }

    #[test]
    fn links_pass_around_vertices_and_stay_in_the_picture() {
        for text in ["torus:4x4", "torus:8x8", "kautz:3,2", "fat-tree:16", "chordal-ring:16,2"] {
            let scene = scene(text);
            let near = Near::new(&scene.spots);
            for Band { line, .. } in &scene.bands {
                let (a, b) = (scene.spots[line.from].at, scene.spots[line.to].at);
                let middle = a.middle(b);
                let hits =
                    near.hits(&scene.spots, (line.from, line.to), line.control.unwrap_or(middle));
                assert_eq!(hits, 0, "{text}: {line:?}");
                let top = line.control.map_or(middle, |c| middle.middle(c));
                let inside =
                    top.x > 0.0 && top.y > 0.0 && top.x < scene.size.x && top.y < scene.size.y;
                assert!(inside, "{text}: {top:?}");
            }
        }
    }

    #[test]
    fn opposite_channels_run_side_by_side() {
        let scene = scene("ring:5,width=3");
        for (id, c) in scene.drawing.channels.iter().enumerate() {
            let back = |d: &crate::show::drawing::Channel| (d.from, d.to) == (c.to, c.from);
            let other = scene.drawing.channels.iter().position(back).unwrap();
            for (place, there) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                let (a, b) = (scene.way(id, place), scene.way(other, there));
                assert!(a.start.distance(b.end) > 1.0, "{a:?} {b:?}");
            }
        }
    }
}
