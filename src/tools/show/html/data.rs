//! What a page knows: the network with its places, the transfers of its steps, and how the schedule
//! was made. Lists of numbers by channel and by transfer, since a page may have many of them.

use super::super::colour::{Ground, colours};
use super::super::point::Point;
use super::super::scene::{RADIUS, Scene};
use super::super::usage::Usage;
use ccsched_base::counted::counted;
use ccsched_model::problem::Collective;
use ccsched_model::schedule::ScheduleFile;
use ccsched_model::schedule::file::Phase;
use ccsched_network::faults::Fault;
use serde::Serialize;
use std::collections::HashMap;

/// Everything; the names of the fields are those that the page's program reads.
#[derive(Serialize)]
pub(super) struct Data<'f> {
    title: String,
    network: &'f str,
    collective: &'f str,
    model: String,
    /// What an entry of the schedule is, a step or a round; of rounds the step that each one of the page is in.
    unit: &'static str,
    started: Option<Vec<usize>>,
    /// The number of entries of the schedule, and the numbers of those of the page, from 1.
    all_steps: usize,
    steps: Vec<usize>,
    bounds: Vec<BoundLine<'f>>,
    program: String,
    method: String,
    faults: Vec<String>,
    /// Names of vertices, then those that only transfers have.
    names: Vec<&'f str>,
    vertices: Vertices<'f>,
    spots: Spots,
    channels: Channels,
    bands: Bands,
    /// Names by number of the sources, and their colours.
    sources: Vec<usize>,
    light: Vec<String>,
    dark: Vec<String>,
    transfers: Transfers,
    /// Whether messages that take one path in one step are one transfer.
    joins: bool,
    /// Whether vertices add up what they receive.
    sums: bool,
    radius: f64,
    size: [f64; 2],
}

#[derive(Serialize)]
struct BoundLine<'f> {
    name: &'f str,
    steps: u32,
    certified: bool,
}

#[derive(Serialize)]
struct Vertices<'f> {
    label: &'f [String],
    terminal: Vec<u8>,
    /// The number of its process; -1 if it runs none.
    process: Vec<i64>,
    broken: Vec<u8>,
}

/// Where vertices stand; the first spots are the vertices in their order.
#[derive(Serialize)]
struct Spots {
    vertex: Vec<usize>,
    x: Vec<f64>,
    y: Vec<f64>,
}

/// By channel of the file; broken channels are bands alone.
#[derive(Serialize)]
struct Channels {
    from: Vec<usize>,
    to: Vec<usize>,
    shift: Vec<f64>,
    lane: Vec<f64>,
    capacity: Vec<u32>,
    /// The most transfers of one step.
    slots: Vec<u32>,
    control: Vec<Option<[f64; 2]>>,
    /// The row of the heat map: both channels of a half-duplex link have one.
    link: Vec<usize>,
    /// By row, its first channel.
    first: Vec<usize>,
    half_duplex: Vec<u8>,
}

#[derive(Serialize)]
struct Bands {
    from: Vec<usize>,
    to: Vec<usize>,
    width: Vec<f64>,
    control: Vec<Option<[f64; 2]>>,
    broken: Vec<u8>,
}

/// The transfers of all steps of the page, one after the other.
#[derive(Default, Serialize)]
struct Transfers {
    /// By step, the end of its transfers.
    ends: Vec<usize>,
    /// Number in the list of sources.
    source: Vec<usize>,
    /// Number of a name; -1 in broadcasts.
    destination: Vec<i64>,
    from: Vec<usize>,
    to: Vec<usize>,
    path_end: Vec<usize>,
    path: Vec<u32>,
    /// By transfer that says so: which of several messages of its pair, and its length.
    copy: Vec<(usize, u32)>,
    bytes: Vec<(usize, u64)>,
    /// By transfer that carries another piece than the first: which one.
    piece: Vec<(usize, u32)>,
    /// By transfer that carries several messages: the others.
    more: Vec<(usize, u32)>,
    /// The transfers that hand partial sums over, where others copy complete ones.
    reduces: Vec<usize>,
}

impl<'f> Data<'f> {
    /// The data of some steps, from 0.
    pub fn of(file: &'f ScheduleFile, scene: &'f Scene, steps: &[usize]) -> Self {
        let mut names: Vec<&str> = file.network.vertices.iter().map(|v| v.name.as_str()).collect();
        let drawn = scene.drawing.vertices.iter().map(|v| v.name.as_str());
        names.extend(drawn.skip(names.len()));
        let sources = super::super::sources(file);
        let mut numbers = HashMap::new();
        for (i, name) in names.iter().enumerate() {
            numbers.entry(*name).or_insert(i);
        }
        let mut number = |name: &'f str| {
            *numbers.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let source_names: Vec<usize> = sources.iter().map(|name| number(name)).collect();
        let places: HashMap<&str, usize> = sources.iter().copied().zip(0..).collect();
        let collective = file.model.parsed_collective().ok();
        let transfers = Transfers::of(file, steps, &places, &mut number);
        let ranks: HashMap<&str, i64> = file.processes().into_iter().zip(0..).collect();
        let rank = |name: &str| ranks.get(name).copied().unwrap_or(-1);
        let model = &file.model;
        let root = model.source.as_ref().map_or(String::new(), |s| format!(", root {s}"));
        let relays = model.relays.as_ref().map_or(String::new(), |r| format!(" relays {r},"));
        let pieces = model.pieces.map_or(String::new(), |pieces| {
            format!(", {pieces}", pieces = counted(pieces, "piece"))
        });
        let ports = serde_json::to_string(&model.ports).unwrap_or_default().replace('"', "");
        let p = &file.provenance;
        Data {
            title: super::super::title(file),
            network: &file.network.name,
            collective: &model.collective,
            model: format!(
                "{}, ports {ports},{relays} {} routing{root}{pieces}",
                model.switching, model.routing
            ),
            unit: super::super::unit(file),
            started: file.model.rounds.as_ref().map(|rounds| {
                let numbers = (1..).zip(rounds);
                let all = numbers.flat_map(|(step, &r)| std::iter::repeat_n(step, r as usize));
                let all: Vec<usize> = all.collect();
                steps.iter().map(|&round| all.get(round).copied().unwrap_or(0)).collect()
            }),
            all_steps: file.steps.len(),
            steps: steps.iter().map(|step| step + 1).collect(),
            bounds: file
                .bounds
                .iter()
                .map(|b| BoundLine { name: &b.name, steps: b.steps, certified: b.certified })
                .collect(),
            program: format!("{} {}", p.program, p.version).trim().to_string(),
            method: if p.method.is_empty() { p.engine.clone() } else { p.method.clone() },
            faults: file.faults.iter().map(words).collect(),
            names,
            vertices: Vertices {
                label: &scene.labels,
                terminal: scene.drawing.vertices.iter().map(|v| v.terminal.into()).collect(),
                process: scene.drawing.vertices.iter().map(|v| rank(&v.name)).collect(),
                broken: scene.drawing.vertices.iter().map(|v| v.broken.into()).collect(),
            },
            spots: Spots {
                vertex: scene.spots.iter().map(|s| s.vertex).collect(),
                x: scene.spots.iter().map(|s| tenth(s.at.x)).collect(),
                y: scene.spots.iter().map(|s| tenth(s.at.y)).collect(),
            },
            channels: Channels::of(file, scene),
            bands: Bands::of(scene),
            sources: source_names,
            light: colours(sources.len(), Ground::Light),
            dark: colours(sources.len(), Ground::Dark),
            transfers,
            joins: collective.is_some_and(Collective::joins),
            sums: collective.is_some_and(|c| c.is_reduction() || c.joins()),
            radius: RADIUS,
            size: pair(scene.size),
        }
    }
}

impl Channels {
    fn of(file: &ScheduleFile, scene: &Scene) -> Self {
        let lines = &scene.lines[..file.network.channels.len()];
        let links = Usage::of(file, &[]).links;
        let mut link = vec![0; lines.len()];
        for (row, l) in links.iter().enumerate() {
            link[l.channel] = row;
            if let Some(other) = file.network.channels[l.channel].excludes
                && let Some(place) = link.get_mut(other).filter(|_| l.half_duplex)
            {
                *place = row;
            }
        }
        Channels {
            from: lines.iter().map(|l| l.from).collect(),
            to: lines.iter().map(|l| l.to).collect(),
            shift: lines.iter().map(|l| tenth(l.shift)).collect(),
            lane: lines.iter().map(|l| (l.lane * 100.0).round() / 100.0).collect(),
            capacity: file.network.channels.iter().map(|c| c.capacity.max(1)).collect(),
            slots: scene.drawing.channels[..lines.len()].iter().map(|c| c.slots).collect(),
            control: lines.iter().map(|l| l.control.map(pair)).collect(),
            link,
            first: links.iter().map(|l| l.channel).collect(),
            half_duplex: links.iter().map(|l| l.half_duplex.into()).collect(),
        }
    }
}

impl Bands {
    fn of(scene: &Scene) -> Self {
        let all = || scene.bands.iter();
        Bands {
            from: all().map(|b| b.line.from).collect(),
            to: all().map(|b| b.line.to).collect(),
            width: all().map(|b| tenth(b.width)).collect(),
            control: all().map(|b| b.line.control.map(pair)).collect(),
            broken: all().map(|b| b.broken.into()).collect(),
        }
    }
}

impl Transfers {
    fn of<'f>(
        file: &'f ScheduleFile,
        steps: &[usize],
        sources: &HashMap<&str, usize>,
        number: &mut impl FnMut(&'f str) -> usize,
    ) -> Self {
        let mut all = Transfers::default();
        for &step in steps {
            for (transfer, more) in file.joined(step) {
                let t = file.steps.record(transfer);
                let place = all.source.len();
                all.source.push(sources[t.message.source]);
                let destination = t.message.destination.map_or(-1, |name| number(name) as i64);
                all.destination.push(destination);
                all.from.push(number(t.from));
                all.to.push(number(t.to));
                all.path.extend(t.channels);
                all.path_end.push(all.path.len());
                all.copy.extend(t.message.copy.map(|copy| (place, copy)));
                all.bytes.extend(t.message.bytes.map(|bytes| (place, bytes)));
                all.more.extend((more > 0).then_some((place, more)));
                all.reduces.extend((t.phase == Some(Phase::Reduce)).then_some(place));
                let piece = t.message.piece.filter(|&piece| piece > 0);
                all.piece.extend(piece.map(|piece| (place, piece)));
            }
            all.ends.push(all.source.len());
        }
        all
    }
}

/// A fault in words.
fn words(fault: &Fault) -> String {
    match fault {
        Fault::Link(a, b) => format!("{a} \u{2192} {b}"),
        Fault::Vertex(v) => format!("vertex {v}"),
        Fault::Parallel(a, b, _) => format!("one of {a} \u{2192} {b}"),
    }
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn pair(p: Point) -> [f64; 2] {
    [tenth(p.x), tenth(p.y)]
}
