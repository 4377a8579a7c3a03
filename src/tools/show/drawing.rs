//! What a picture shows: the vertices and channels of a network or of a schedule file, and its
//! broken parts. A file does not hold the links of a broken vertex: those of a member of a family come
//! from the intact network, in other networks the vertex stands alone.

use super::point::{Point, at};
use ccsched_base::{Error, Result};
use ccsched_model::schedule::ScheduleFile;
use ccsched_network::faults::Fault;
use ccsched_network::{Network, spec};
use std::collections::{HashMap, HashSet};

/// Coordinates farther from the origin than this are not followed.
const FARTHEST: f64 = 1e12;

/// A vertex of a picture.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    pub name: String,
    pub terminal: bool,
    pub broken: bool,
    /// Where the network's file puts it.
    pub given: Option<Point>,
}

/// A channel of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    pub from: usize,
    pub to: usize,
    /// The transfers that it can carry in one step.
    pub capacity: u32,
    /// The most that the schedule sends over it in one step, from 1 to the capacity.
    pub slots: u32,
    /// The opposite channel, if the two share their capacity.
    pub excludes: Option<usize>,
    pub broken: bool,
}

/// A network with its broken parts. The first channels are those of the file, in its order; the
/// broken ones follow.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    pub name: String,
    pub vertices: Vec<Vertex>,
    pub channels: Vec<Channel>,
    /// The network without faults, where the name of a damaged one says which it was: vertices stand
    /// where they stand in it.
    pub intact: Option<Box<Drawing>>,
}

impl Drawing {
    /// The drawing of a network, which has no broken parts.
    pub fn of_network(network: &Network) -> Self {
        let vertex = |(v, vertex): (u32, &ccsched_network::Vertex)| Vertex {
            name: vertex.name.to_string(),
            terminal: vertex.terminal,
            broken: false,
            // Coordinates go up, pictures down.
            given: network.coordinates(v).map(|(x, y)| at(x, -y)).filter(|p| p.length() < FARTHEST),
        };
        let channel = |c: &ccsched_network::Channel| Channel {
            from: c.from as usize,
            to: c.to as usize,
            capacity: c.capacity,
            slots: c.capacity,
            excludes: c.excludes().map(|other| other as usize),
            broken: false,
        };
        Drawing {
            name: network.name().to_string(),
            vertices: (0..).zip(network.vertices()).map(vertex).collect(),
            channels: network.channels().iter().map(channel).collect(),
            intact: None,
        }
    }

    /// The drawing of the network of a schedule file.
    ///
    /// # Errors
    /// [`Error::Problem`] with the place in the file: channels between unknown vertices, transfers
    /// over channels that do not exist.
    pub fn of_file(file: &ScheduleFile) -> Result<Self> {
        let mut drawing = Drawing {
            name: file.network.name.clone(),
            vertices: Vec::with_capacity(file.network.vertices.len()),
            channels: Vec::with_capacity(file.network.channels.len()),
            intact: None,
        };
        let mut ids: HashMap<&str, usize> = HashMap::new();
        for v in &file.network.vertices {
            ids.insert(&v.name, drawing.vertices.len());
            let given = v.at.map(|(x, y)| at(x, -y)).filter(|p| p.length() < FARTHEST);
            let vertex =
                Vertex { name: v.name.clone(), terminal: v.terminal, broken: false, given };
            drawing.vertices.push(vertex);
        }
        for (place, c) in file.network.channels.iter().enumerate() {
            let find = |name: &String| {
                let unknown =
                    || format!("network.channels[{place}]: '{name}' is no vertex of the network");
                ids.get(name.as_str()).copied().ok_or_else(|| Error::problem(unknown()))
            };
            let (from, to) = (find(&c.from)?, find(&c.to)?);
            let (capacity, excludes) = (c.capacity.max(1), c.excludes);
            let (slots, broken) = (1, false);
            drawing.channels.push(Channel { from, to, capacity, slots, excludes, broken });
        }
        drawing.count_slots(file)?;
        drawing.break_parts(file, &mut ids);
        Ok(drawing)
    }

    /// Counts the transfers of each step by channel. Refuses paths over channels that the file does not
    /// have.
    fn count_slots(&mut self, file: &ScheduleFile) -> Result<()> {
        // By channel, the last step that uses it, and the transfers of that step.
        let mut uses = vec![(0, 0); self.channels.len()];
        for (step, transfers) in file.steps.iter().enumerate() {
            for (place, t) in transfers.enumerate() {
                for &c in t.channels {
                    let Some(used) = uses.get_mut(c as usize) else {
                        return Err(Error::problem(format!(
                            "steps[{step}][{place}]: there is no channel {c}; the network has {}",
                            self.channels.len()
                        )));
                    };
                    *used = if used.0 == step { (step, used.1 + 1) } else { (step, 1) };
                    let channel = &mut self.channels[c as usize];
                    channel.slots = channel.slots.max(used.1).min(channel.capacity);
                }
            }
        }
        Ok(())
    }

    /// Adds the broken vertices, and the broken links whose ends are known.
    fn break_parts<'f>(&mut self, file: &'f ScheduleFile, ids: &mut HashMap<&'f str, usize>) {
        let first_broken = self.vertices.len();
        for fault in &file.faults {
            if let Fault::Vertex(name) = fault {
                let place = *ids.entry(name).or_insert(self.vertices.len());
                if place == self.vertices.len() {
                    // The file does not say whether it was a switch.
                    let (name, terminal) = (name.clone(), true);
                    self.vertices.push(Vertex { name, terminal, broken: true, given: None });
                }
            }
        }
        self.intact = (!file.faults.is_empty()).then(|| intact(file, ids)).flatten();
        if let Some(intact) = &self.intact {
            let places: Vec<Option<&usize>> =
                intact.vertices.iter().map(|v| ids.get(v.name.as_str())).collect();
            for (vertex, place) in intact.vertices.iter().zip(&places) {
                if let Some(&place) = place.filter(|place| **place >= first_broken) {
                    self.vertices[place].terminal = vertex.terminal;
                }
            }
            for c in &intact.channels {
                if let (Some(&from), Some(&to)) = (places[c.from], places[c.to])
                    && from.max(to) >= first_broken
                {
                    let (excludes, broken) = (None, true);
                    self.channels.push(Channel { from, to, excludes, broken, ..*c });
                }
            }
        }
        let mut seen = HashSet::new();
        for fault in &file.faults {
            if let Fault::Link(a, b) | Fault::Parallel(a, b, _) = fault
                && let (Some(&from), Some(&to)) = (ids.get(a.as_str()), ids.get(b.as_str()))
                && seen.insert((from, to))
            {
                let (capacity, slots, excludes, broken) = (1, 1, None, true);
                self.channels.push(Channel { from, to, capacity, slots, excludes, broken });
            }
        }
    }

    /// By vertex, the vertices that a channel joins it to, ascending.
    pub fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new(); self.vertices.len()];
        for c in self.channels.iter().filter(|c| c.from != c.to) {
            all[c.from].push(c.to);
            all[c.to].push(c.from);
        }
        for list in &mut all {
            list.sort_unstable();
            list.dedup();
        }
        all
    }
}

/// The network without the faults of the file, if its name is a member of a family that has all vertices.
fn intact(file: &ScheduleFile, ids: &HashMap<&str, usize>) -> Option<Box<Drawing>> {
    let network = spec::parse(&file.network.name).ok()?;
    ids.keys()
        .all(|name| network.find(name).is_some())
        .then(|| Box::new(Drawing::of_network(&network)))
}
