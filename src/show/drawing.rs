//! What a picture shows: the vertices and channels of a network or of a schedule file, and its
//! broken parts. A file does not hold the links of a broken vertex, so it stands alone.

use super::point::{Point, at};
use crate::network::Network;
use crate::network::faults::Fault;
use crate::schedule::ScheduleFile;
use crate::{Error, Result};
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
    /// The transfers that it carries in one step.
    pub capacity: u32,
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
}

impl Drawing {
    /// The drawing of a network, which has no broken parts.
    pub fn of_network(network: &Network) -> Self {
        let vertex = |(v, vertex): (u32, &crate::network::Vertex)| Vertex {
            name: vertex.name.to_string(),
            terminal: vertex.terminal,
            broken: false,
            // Coordinates go up, pictures down.
            given: network.coordinates(v).map(|(x, y)| at(x, -y)).filter(|p| p.length() < FARTHEST),
        };
        let channel = |c: &crate::network::Channel| Channel {
            from: c.from as usize,
            to: c.to as usize,
            capacity: c.capacity,
            excludes: c.excludes().map(|other| other as usize),
            broken: false,
        };
        Drawing {
            name: network.name().to_string(),
            vertices: (0..).zip(network.vertices()).map(vertex).collect(),
            channels: network.channels().iter().map(channel).collect(),
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
            drawing.channels.push(Channel { from, to, capacity, excludes, broken: false });
        }
        drawing.check_paths(file)?;
        drawing.break_parts(file, &mut ids);
        Ok(drawing)
    }

    /// Refuses paths over channels that the file does not have.
    fn check_paths(&self, file: &ScheduleFile) -> Result<()> {
        for (step, transfers) in file.steps.iter().enumerate() {
            for (place, t) in transfers.enumerate() {
                let known = |&&c: &&u32| c as usize >= self.channels.len();
                if let Some(c) = t.channels.iter().find(known) {
                    return Err(Error::problem(format!(
                        "steps[{step}][{place}]: there is no channel {c}; the network has {}",
                        self.channels.len()
                    )));
                }
            }
        }
        Ok(())
    }

    /// Adds the broken vertices, and the broken links whose ends are known.
    fn break_parts<'f>(&mut self, file: &'f ScheduleFile, ids: &mut HashMap<&'f str, usize>) {
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
        let mut seen = HashSet::new();
        for fault in &file.faults {
            if let Fault::Link(a, b) | Fault::Parallel(a, b) = fault
                && let (Some(&from), Some(&to)) = (ids.get(a.as_str()), ids.get(b.as_str()))
                && seen.insert((from, to))
            {
                self.channels.push(Channel { from, to, capacity: 1, excludes: None, broken: true });
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
