//! Serial engines on the conflict graph of a traffic with one route per pair (liquid-schedules): an
//! exact search and two greedy ones.

pub mod liquid;

use crate::Method;
pub use crate::ground::conflict_graph;
use crate::ground::conflict_graph::Conflicts;
use crate::row::{EngineRow, Runs};
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_network::VertexId;
use std::collections::HashSet;

/// The exact search for liquid schedules.
pub static LIQUID: EngineRow = EngineRow {
    name: "liquid",
    help: "Exact search for a schedule as long as the bottleneck's load, or a proof that none exists; one \
           route a pair, wormhole only. An iteration is 256 nodes of the search tree",
    runs: Runs::Exact,
    ..SERIAL
};

/// Greedy colouring.
pub static DSATUR: EngineRow = EngineRow {
    name: "dsatur",
    help: "Greedy colouring of the conflict graph; one route a pair, wormhole only",
    runs: Runs::Once(&Method::Colouring, |_, conflicts| dsatur(conflicts)),
    ..SERIAL
};

/// The schedule of programs that ignore the network.
pub static ROUND_ROBIN: EngineRow = EngineRow {
    name: "round-robin",
    help: "Sender i serves receiver i+p in phase p, regardless of the network; one route a pair, wormhole \
           only",
    runs: Runs::Once(&Method::Phases, round_robin),
    ..SERIAL
};

const SERIAL: EngineRow = EngineRow { is_serial: true, ..EngineRow::BASE };

// DSATUR: the greedy colouring of the conflict graph (liquid-schedules, annex; Brélaz 1979). The
// next transfer is the one whose neighbours have the most colours; ties go to the most uncoloured
// neighbours. It gets the lowest free colour.
//
// The neighbours of a transfer are listed link by link, so that no memory grows with the square of
// the number of transfers; transfers without a colour are kept by the number of colours they have met.

/// A vertex of the graph that has no colour yet.
#[derive(Clone, Default)]
struct Waiting {
    /// Colours of its neighbours, in bits, and their number.
    met: Vec<u64>,
    saturation: u32,
    /// Neighbours without a colour.
    degree: u32,
    done: bool,
}

impl Waiting {
    /// The lowest colour that no neighbour has.
    fn lowest(&self) -> u32 {
        let word = self.met.iter().position(|&word| word != u64::MAX);
        let ones = |word: usize| self.met[word].trailing_ones();
        word.map_or(64 * self.met.len() as u32, |word| 64 * word as u32 + ones(word))
    }

    /// Notes the colour of a neighbour. Returns whether it is new.
    fn meet(&mut self, colour: u32) -> bool {
        let (word, bit) = (colour as usize / 64, 1 << (colour % 64));
        if self.met.len() <= word {
            self.met.resize(word + 1, 0);
        }
        let is_new = self.met[word] & bit == 0;
        self.met[word] |= bit;
        self.saturation += u32::from(is_new);
        is_new
    }
}

/// The neighbours of a transfer, each once.
struct Neighbours<'c> {
    conflicts: &'c Conflicts,
    /// By transfer, the last one whose neighbours it was among, plus 1.
    seen: Vec<u32>,
}

impl Neighbours<'_> {
    fn each(&mut self, i: u32, mut act: impl FnMut(u32)) {
        let stamp = i + 1;
        self.seen[i as usize] = stamp;
        for &link in self.conflicts.links(i) {
            for &j in self.conflicts.over(link) {
                if std::mem::replace(&mut self.seen[j as usize], stamp) != stamp {
                    act(j);
                }
            }
        }
    }
}

/// The transfers without a colour, by saturation.
struct Shelves {
    shelves: Vec<Vec<u32>>,
    /// By transfer, its place on its shelf.
    place: Vec<u32>,
    highest: usize,
}

impl Shelves {
    fn remove(&mut self, i: u32, saturation: u32) {
        let shelf = &mut self.shelves[saturation as usize];
        shelf.swap_remove(self.place[i as usize] as usize);
        if let Some(&moved) = shelf.get(self.place[i as usize] as usize) {
            self.place[moved as usize] = self.place[i as usize];
        }
    }

    fn add(&mut self, i: u32, saturation: u32) {
        let saturation = saturation as usize;
        if self.shelves.len() <= saturation {
            self.shelves.resize(saturation + 1, Vec::new());
        }
        self.place[i as usize] = self.shelves[saturation].len() as u32;
        self.shelves[saturation].push(i);
        self.highest = self.highest.max(saturation);
    }

    /// The highest shelf with a transfer.
    fn top(&mut self) -> &[u32] {
        while self.highest > 0 && self.shelves[self.highest].is_empty() {
            self.highest -= 1;
        }
        &self.shelves[self.highest]
    }
}

/// The transfers of every colour.
pub fn dsatur(conflicts: &Conflicts) -> Vec<Vec<u32>> {
    let n = conflicts.transfers();
    let mut neighbours = Neighbours { conflicts, seen: vec![0; n] };
    let mut waiting = vec![Waiting::default(); n];
    for (i, waiting) in (0..).zip(&mut waiting) {
        neighbours.each(i, |_| waiting.degree += 1);
    }
    neighbours.seen.fill(0);
    let place = (0..n as u32).collect();
    let mut shelves = Shelves { shelves: vec![(0..n as u32).collect()], place, highest: 0 };
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for _ in 0..n {
        // Ties go to the first transfer.
        let order = |&&i: &&u32| (waiting[i as usize].degree, std::cmp::Reverse(i));
        let Some(&i) = shelves.top().iter().max_by_key(order) else { break };
        let colour = waiting[i as usize].lowest();
        shelves.remove(i, waiting[i as usize].saturation);
        waiting[i as usize] = Waiting { done: true, ..Waiting::default() };
        classes.resize(classes.len().max(colour as usize + 1), Vec::new());
        classes[colour as usize].push(i);
        neighbours.each(i, |j| {
            let neighbour = &mut waiting[j as usize];
            if neighbour.done {
                return;
            }
            neighbour.degree -= 1;
            let before = neighbour.saturation;
            if neighbour.meet(colour) {
                shelves.remove(j, before);
                shelves.add(j, before + 1);
            }
        });
    }
    classes
}

// Round robin: in phase p the i-th sender serves the (i+p)-th receiver, on any network; transfers
// that congest within a phase take further time frames (liquid-schedules, section 1.1, figure 2).
// The baseline: the schedule of programs that ignore the topology.

/// The transfers of every time frame.
pub fn round_robin(problem: &Problem, conflicts: &Conflicts) -> Vec<Vec<u32>> {
    let (senders, receivers) = (problem.senders(), problem.receivers());
    let phases = senders.len().max(receivers.len()).max(1);
    let place = |list: &[VertexId], v| list.binary_search(&v).unwrap_or(0);
    let mut by_phase: Vec<Vec<u32>> = vec![Vec::new(); phases];
    for (i, d) in (0..).zip(problem.demands()) {
        let (s, r) = (place(senders, d.source), place(receivers, d.destination));
        by_phase[(r + phases - s) % phases].push(i);
    }
    by_phase.iter().flat_map(|phase| split(phase, conflicts)).collect()
}

/// Splits a phase into time frames: each transfer goes into the first frame without a conflict.
fn split(phase: &[u32], conflicts: &Conflicts) -> Vec<Vec<u32>> {
    let mut frames: Vec<(Vec<u32>, HashSet<ResourceId>)> = Vec::new();
    for &i in phase {
        let links = conflicts.links(i);
        let at = frames.iter().position(|(_, taken)| links.iter().all(|r| !taken.contains(r)));
        let at = at.unwrap_or_else(|| {
            frames.push(Default::default());
            frames.len() - 1
        });
        let (frame, taken) = &mut frames[at];
        frame.push(i);
        taken.extend(links);
    }
    frames.into_iter().map(|(frame, _)| frame).collect()
}
