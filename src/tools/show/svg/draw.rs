//! The parts of a picture: links, paths, vertices, the caption.

use super::super::point::Point;
use super::super::scene::{LANE, RADIUS, Scene, Way};
use super::canvas::{Canvas, number};
use super::{CAPTION, LEAST, MOST};
use ccsched_model::schedule::RecordRef;
use ccsched_model::schedule::file::Phase;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The red of broken parts.
const BROKEN: &str = "#d40000";
/// Labels of at most this many characters stand inside the vertex.
const INSIDE: usize = 4;

/// A picture of one scene, perhaps with a caption.
pub(super) fn picture(
    scene: &Scene,
    title: &str,
    text: Option<&str>,
    fill: impl FnOnce(&mut Canvas),
) -> String {
    let below = if text.is_some() { CAPTION } else { 0.0 };
    let width = if text.is_some() { scene.size.x.max(LEAST) } else { scene.size.x };
    let mut canvas = Canvas::new(width, scene.size.y + below, MOST, title);
    let shift = format!("translate({} 0)", number((width - scene.size.x) / 2.0));
    canvas.open("g", &[("transform", &shift)]);
    fill(&mut canvas);
    if let Some(text) = text {
        caption(&mut canvas, scene, text);
    }
    canvas.close("g");
    canvas.finish()
}

/// A line of text below a scene.
pub(super) fn caption(canvas: &mut Canvas, scene: &Scene, text: &str) {
    let (x, y) = (number(scene.size.x / 2.0), number(scene.size.y + CAPTION * 0.45));
    let place = [("x", x.as_str()), ("y", &y), ("text-anchor", "middle"), ("font-size", "16")];
    canvas.text("text", &[&place[..], &[("fill", "#333333")]].concat(), text);
}

/// The links and vertices of a network; one-way channels have arrows.
pub(super) fn network(canvas: &mut Canvas, scene: &Scene, colours: &HashMap<&str, String>) {
    links(canvas, scene);
    let ends: HashSet<(usize, usize)> =
        scene.drawing.channels.iter().map(|c| (c.from, c.to)).collect();
    for (id, c) in scene.drawing.channels.iter().enumerate() {
        if !c.broken && !ends.contains(&(c.to, c.from)) {
            let Way { start, control, end } = scene.way(id, c.slots as usize / 2);
            let along = (end - control.unwrap_or(start)).unit();
            arrow(canvas, end, along, 7.0, "#8a929b");
        }
    }
    vertices(canvas, scene, colours);
}

/// The bands of the links.
pub(super) fn links(canvas: &mut Canvas, scene: &Scene) {
    for band in &scene.bands {
        let [a, b] = [band.line.from, band.line.to].map(|spot| scene.spots[spot].at);
        let d = curve(a, band.line.control, b);
        let width = number(band.width);
        let (colour, dash) = if band.broken { (BROKEN, "6 5") } else { ("#dde1e6", "none") };
        let width = if band.broken { "3" } else { &width };
        canvas.empty(
            "path",
            &[
                ("d", &d),
                ("fill", "none"),
                ("stroke", colour),
                ("stroke-width", width),
                ("stroke-dasharray", dash),
            ],
        );
    }
}

/// A message: who sends it, its copy, its phase.
pub(super) type Sent<'f> = (&'f str, Option<u32>, Option<Phase>);

/// By channel, what the transfers carry that are drawn in its lanes already.
pub(super) struct Lanes<'f> {
    /// Whether transfers that carry the same are one tree, which has one lane.
    pub have_trees: bool,
    pub taken: HashMap<u32, Vec<Sent<'f>>>,
}

impl<'f> Lanes<'f> {
    /// The lane of a transfer on a channel.
    fn place(&mut self, channel: u32, t: &RecordRef<'f>) -> usize {
        let (all, own) =
            (self.taken.entry(channel).or_default(), (t.message.source, t.message.piece, t.phase));
        let known = all.iter().position(|other| *other == own).filter(|_| self.have_trees);
        known.unwrap_or_else(|| {
            all.push(own);
            all.len() - 1
        })
    }
}

/// The path of a transfer.
pub(super) fn path<'f>(
    canvas: &mut Canvas,
    scene: &Scene,
    t: &RecordRef<'f>,
    colour: &str,
    title: &str,
    lanes: &mut Lanes<'f>,
) {
    let mut d = String::new();
    let (mut tip, mut along, mut width) = (Point::default(), Point::default(), f64::MAX);
    for (hop, &channel) in t.channels.iter().enumerate() {
        let place = lanes.place(channel, t);
        let Way { start, control, end } = scene.way(channel as usize, place);
        let line = &scene.lines[channel as usize];
        if hop == 0 {
            let _ = write!(d, "M{}", pair(start));
        } else {
            // Through the vertex between two channels.
            let _ = write!(d, "Q{} {}", pair(scene.spots[line.from].at), pair(start));
        }
        along = (end - control.unwrap_or(start)).unit();
        width = width.min(line.lane.min(LANE) * 0.72);
        let is_last = hop + 1 == t.channels.len();
        tip = end;
        let end = if is_last { end - along * (6.0 + width) } else { end };
        match control {
            Some(c) => drop(write!(d, "Q{} {}", pair(c), pair(end))),
            None => drop(write!(d, "L{}", pair(end))),
        }
    }
    if t.channels.is_empty() {
        return;
    }
    let width = width.max(0.8);
    canvas.open("g", &[]);
    canvas.text("title", &[], title);
    canvas.empty(
        "path",
        &[("d", &d), ("fill", "none"), ("stroke", colour), ("stroke-width", &number(width))],
    );
    arrow(canvas, tip, along, 5.0 + 1.4 * width, colour);
    canvas.close("g");
}

/// The vertices: terminals are discs in the colour of their messages, switches squares.
pub(super) fn vertices(canvas: &mut Canvas, scene: &Scene, colours: &HashMap<&str, String>) {
    for spot in &scene.spots {
        let vertex = &scene.drawing.vertices[spot.vertex];
        let label = &scene.labels[spot.vertex];
        let own = colours.get(vertex.name.as_str()).map(String::as_str);
        let fill = match (vertex.broken, vertex.terminal) {
            (true, _) => "#ffffff",
            (false, true) => own.unwrap_or("#5b6570"),
            (false, false) => "#ffffff",
        };
        let stroke = match (vertex.broken, vertex.terminal) {
            (true, _) => BROKEN,
            (false, true) => "#ffffff",
            (false, false) => "#5b6570",
        };
        canvas.open("g", &[("fill", fill), ("stroke", stroke), ("stroke-width", "1.6")]);
        canvas.text("title", &[], &vertex.name);
        let (x, y) = (number(spot.at.x), number(spot.at.y));
        if vertex.terminal {
            canvas.empty("circle", &[("cx", &x), ("cy", &y), ("r", &number(RADIUS - 1.0))]);
        } else {
            let (side, half) = (number(2.0 * RADIUS - 3.0), RADIUS - 1.5);
            let (left, top) = (number(spot.at.x - half), number(spot.at.y - half));
            let place = [("x", left.as_str()), ("y", &top), ("width", &side), ("height", &side)];
            canvas.empty("rect", &[&place[..], &[("rx", "5")]].concat());
        }
        let ink = if fill == "#ffffff" { "#30363d" } else { "#ffffff" };
        write_label(canvas, spot.at, label, ink);
        canvas.close("g");
    }
}

/// The label inside its vertex if it is short, else below.
fn write_label(canvas: &mut Canvas, at: Point, label: &str, ink: &str) {
    let length = label.chars().count();
    let is_inside = length <= INSIDE;
    let size = match length {
        0..=2 => "13",
        3 => "11",
        4 => "9.5",
        _ => "8.5",
    };
    let y = if is_inside { at.y + 4.2 } else { at.y + RADIUS + 8.5 };
    let (x, y) = (number(at.x), number(y));
    let mut attributes =
        vec![("x", x.as_str()), ("y", &y), ("text-anchor", "middle"), ("font-size", size)];
    if is_inside {
        attributes.extend([("fill", ink), ("stroke", "none")]);
    } else {
        // A white edge keeps the text readable above links.
        attributes.extend([("fill", "#30363d"), ("stroke", "#ffffff")]);
        attributes.extend([("stroke-width", "2.4"), ("paint-order", "stroke")]);
    }
    canvas.text("text", &attributes, label);
}

/// The tip of an arrow.
fn arrow(canvas: &mut Canvas, tip: Point, along: Point, length: f64, colour: &str) {
    let back = tip - along * length;
    let side = along.right() * (length * 0.46);
    let d = format!("M{}L{}L{}z", pair(tip), pair(back + side), pair(back - side));
    canvas.empty("path", &[("d", &d), ("fill", colour)]);
}

fn curve(a: Point, control: Option<Point>, b: Point) -> String {
    match control {
        Some(c) => format!("M{}Q{} {}", pair(a), pair(c), pair(b)),
        None => format!("M{}L{}", pair(a), pair(b)),
    }
}

fn pair(p: Point) -> String {
    format!("{} {}", number(p.x), number(p.y))
}
