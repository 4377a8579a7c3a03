//! All-to-all broadcast by single hops where a group of automorphisms maps the sources to each
//! other: the message of one source of each orbit, or each piece of it, follows a tree, and the messages of the others
//! follow images of the tree in the same steps. The images of a channel cover its orbit once, so
//! there is no conflict if in every step the trees use each orbit of links at most once. A small
//! search for the trees then solves the problem for all messages.
//!
//! On a Cayley network there is one tree, and one orbit of channels per channel of a terminal. The
//! trees nearly always reach the fewest steps that the channels into a terminal allow.

use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::Plan;
use ccsched_model::symmetry::automorphisms::Permutation;
use ccsched_model::symmetry::lookup::CarriedChannels;
use ccsched_model::symmetry::translations::translations;
use ccsched_model::symmetry::{Lookup, groups, translations};
use ccsched_network::metrics::distances_from;
use ccsched_network::{ChannelId, Network, VertexId};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::sync::Arc;

/// Hops examined per delivery of the trees before the search under a group gives up.
const EFFORT: usize = 10_000;
/// Hops examined in total: some tenths of a second.
const MOST_EFFORT: usize = 40_000_000;
/// Groups of translations to try.
const TRANSLATIONS: usize = 2;
/// Other groups to try, per order.
const GROUPS: usize = 3;
/// Most terminals of a network where other groups are tried, which takes longer.
const MOST_TERMINALS: usize = 160;

/// Trees and their images, where they need no more steps than a terminal needs to receive all
/// messages, or all links need to carry them.
pub fn plan(problem: &Arc<Problem>, rng: &mut Rng) -> Option<Plan> {
    let network = problem.network();
    let terminals = network.vertices().len();
    let mut effort = MOST_EFFORT;
    for _ in 0..TRANSLATIONS {
        let Some(group) = translations(network, rng) else { break };
        let group = translations::keeping_links_apart(network, &group, rng);
        if let Some(plan) = under(problem, &group, &mut effort, rng) {
            return Some(plan);
        }
    }
    if terminals > MOST_TERMINALS {
        return None;
    }
    let groups = groups(&Lookup::new(problem.clone()), rng);
    let of_order = groups.chunk_by(|a, b| a.order() == b.order());
    of_order.flat_map(|groups| groups.iter().take(GROUPS)).find_map(|group| {
        let elements: Vec<_> = (0..group.order()).map(|g| group.element(g).to_vec()).collect();
        under(problem, &elements, &mut effort, rng)
    })
}

/// The schedule of the images under a group; spends part of the remaining effort.
fn under(
    problem: &Problem,
    elements: &[Permutation],
    effort: &mut usize,
    rng: &mut Rng,
) -> Option<Plan> {
    let quotient = Quotient::new(problem, elements)?;
    let steps = fewest_steps(problem, &quotient)?;
    let messages = quotient.sources.len() * problem.pieces() as usize;
    let deliveries = messages * (problem.network().vertices().len() - 1);
    if deliveries > steps * quotient.links.len() {
        return None;
    }
    // Half of the effort stays for the next groups.
    let mut own = (EFFORT * deliveries).min(*effort / 2);
    *effort -= own;
    let trees = Nursery::new(problem, &quotient).grow(steps, &mut own, rng);
    *effort += own;
    images(problem, &quotient, &trees?)
}

/// Steps needed to receive all messages, and to carry them over all links; none in wormhole
/// networks where single hops cannot reach the farthest vertex in that time, but longer paths may.
fn fewest_steps(problem: &Problem, quotient: &Quotient) -> Option<usize> {
    let network = problem.network();
    let terminals = problem.receivers().len();
    let limits = problem.receivers().iter().map(|&v| problem.receives_at_once(v));
    let pieces = problem.pieces() as usize;
    let receive = (pieces * (terminals - 1)).div_ceil(limits.min().filter(|&limit| limit > 0)?);
    let carry =
        (pieces * terminals * (terminals - 1)).div_ceil(problem.resources().capacity_of_links());
    let distances = quotient.sources.iter().flat_map(|&source| distances_from(network, source));
    let (fewest, far) = (receive.max(carry), distances.max()? as usize);
    match problem.switching() {
        Switching::StoreAndForward => Some(fewest.max(far)),
        Switching::Wormhole | Switching::Hosts => Some(fewest).filter(|_| far <= fewest),
    }
}

/// The trees and all their images.
fn images(problem: &Problem, quotient: &Quotient, trees: &Trees) -> Option<Plan> {
    let pieces = problem.pieces();
    let mut plan = Plan::new(trees.len() as u32);
    let mut elements: Vec<&Permutation> = quotient.elements.iter().collect();
    // In the order of messages, so that no sorting is needed.
    elements.sort_unstable_by_key(|g| g[0]);
    for g in elements {
        for (step, hops) in trees.iter().enumerate() {
            let image = |&(m, c): &TreeEdge| {
                let source = g[quotient.sources[(m / pieces) as usize] as usize];
                Some((source * pieces + m % pieces, quotient.image(g, c)?))
            };
            let mut images = hops.iter().map(image).collect::<Option<Vec<_>>>()?;
            images.sort_unstable();
            images.into_iter().for_each(|(message, c)| plan.push(step, message, [c]));
        }
    }
    plan.tidy();
    Some(plan)
}

// Trees for the messages, or their pieces, of a few sources, one per orbit of a group, such that their images do not
// conflict: every step uses each orbit of links at most once.
//
// The trees grow step by step. In each step, orbits of links are matched to vertices without the
// message; a link prefers the vertex that can inform most others, or a random one. When too few
// vertices are informed to finish in time, some steps are undone. Randomness is essential, and so
// are restarts.

/// Retreats, which undo steps, before a restart.
const RETREATS: usize = 40;

/// A piece of a message of a source, by number, and a channel that it takes.
type TreeEdge = (u32, ChannelId);

/// The hops of every step.
type Trees = Vec<Vec<TreeEdge>>;

/// Grows trees; kept to save allocations.
struct Nursery<'a> {
    problem: &'a Problem,
    quotient: &'a Quotient<'a>,
    /// The source of every piece.
    sources: Vec<VertexId>,
    vertices: usize,
    /// Most hops of a step.
    capacity: usize,
    /// By piece, vertex: whether the vertex has it.
    informed: Vec<bool>,
    /// By piece, vertex: number of channels to vertices without it.
    open: Vec<u32>,
    /// By orbit of links, the hops possible in this step.
    choices: Vec<Vec<TreeEdge>>,
    /// By orbit of links, the hop chosen.
    chosen: Vec<Option<TreeEdge>>,
    /// By piece, vertex: the orbit of links that brings it in this step.
    taker: Vec<Option<u32>>,
    /// Messages sent, and received, in this step, by orbit of vertices.
    ports: Vec<(usize, usize)>,
    /// The orbits of links that the search for an augmenting path has visited.
    visited: Vec<bool>,
    /// Whether to prefer the vertices that can inform most others.
    is_eager: bool,
}

impl<'a> Nursery<'a> {
    /// A nursery for a problem and its quotient.
    fn new(problem: &'a Problem, quotient: &'a Quotient<'a>) -> Self {
        let vertices = problem.network().vertices().len();
        let pieces = problem.pieces() as usize;
        let of_source = |&source: &VertexId| std::iter::repeat_n(source, pieces);
        let sources: Vec<VertexId> = quotient.sources.iter().flat_map(of_source).collect();
        let places = vertices * sources.len();
        let rows = quotient.links.len();
        let limit = |&v: &VertexId| problem.receives_at_once(v);
        Nursery {
            problem,
            quotient,
            sources,
            vertices,
            capacity: rows.min(quotient.sources.iter().map(limit).sum()),
            informed: vec![false; places],
            open: vec![0; places],
            choices: vec![Vec::new(); rows],
            chosen: vec![None; rows],
            taker: vec![None; places],
            ports: vec![(0, 0); quotient.sources.len()],
            visited: vec![false; rows],
            is_eager: false,
        }
    }

    /// Trees to all vertices in `steps` steps; examines at most `effort` hops and counts them down.
    fn grow(&mut self, steps: usize, effort: &mut usize, rng: &mut Rng) -> Option<Trees> {
        let hops = self.quotient.links.iter().map(Vec::len).sum::<usize>();
        let hops = hops * self.sources.len();
        while *effort > 0 {
            self.is_eager = !self.is_eager;
            let mut left = self.begin();
            let mut retreats = 0;
            let mut trees = Trees::new();
            while left > 0 && retreats < RETREATS && *effort > 0 {
                *effort = effort.saturating_sub(hops);
                let step = self.step(rng);
                left -= step.len();
                self.inform(&step, true);
                trees.push(step);
                if left > (steps - trees.len()) * self.capacity {
                    retreats += 1;
                    let back = 2 + rng.random::<u32>().trailing_zeros() as usize;
                    for step in trees.drain(trees.len().saturating_sub(back)..) {
                        left += step.len();
                        self.inform(&step, false);
                    }
                }
            }
            if left == 0 {
                return Some(trees);
            }
        }
        None
    }

    /// Forgets all trees; returns the number of deliveries to make.
    fn begin(&mut self) -> usize {
        let (network, sources) = (self.problem.network(), self.sources.clone());
        self.informed.fill(false);
        for (i, open) in self.open.iter_mut().enumerate() {
            *open = network.outgoing((i % self.vertices) as VertexId).len() as u32;
        }
        let pieces = sources.len();
        (0..).zip(sources).for_each(|(m, source)| self.set(m, source, true));
        self.informed.len() - pieces
    }

    fn place(&self, m: u32, v: VertexId) -> usize {
        m as usize * self.vertices + v as usize
    }

    /// Index of (piece, vertex) that a hop informs.
    fn target(&self, (m, c): TreeEdge) -> usize {
        self.place(m, self.problem.network().channel(c).to)
    }

    fn inform(&mut self, step: &[TreeEdge], is_informed: bool) {
        let network = self.problem.network();
        step.iter().for_each(|&(m, c)| self.set(m, network.channel(c).to, is_informed));
    }

    fn set(&mut self, m: u32, v: VertexId, is_informed: bool) {
        let network = self.problem.network();
        let place = self.place(m, v);
        self.informed[place] = is_informed;
        for &c in network.incoming(v) {
            let place = self.place(m, network.channel(c).from);
            if is_informed {
                self.open[place] -= 1;
            } else {
                self.open[place] += 1;
            }
        }
    }

    /// The hops of a step, as many as the matching finds.
    fn step(&mut self, rng: &mut Rng) -> Vec<TreeEdge> {
        self.list_choices();
        self.chosen.fill(None);
        self.taker.fill(None);
        self.ports.fill((0, 0));
        let mut rows: Vec<u32> = (0..self.choices.len() as u32).collect();
        rows.shuffle(rng);
        rows.sort_by_key(|&row| self.choices[row as usize].len());
        let has_ports = self.problem.resources().have_ports();
        for row in rows {
            if !self.take_best(row, rng) && !has_ports {
                self.visited.fill(false);
                self.augment(row);
            }
        }
        self.chosen.iter().flatten().copied().collect()
    }

    fn list_choices(&mut self) {
        let network = self.problem.network();
        for (row, channels) in self.quotient.links.iter().enumerate() {
            let mut choices = std::mem::take(&mut self.choices[row]);
            choices.clear();
            for m in 0..self.sources.len() as u32 {
                let is_choice = |&&c: &&ChannelId| {
                    let c = network.channel(c);
                    self.informed[self.place(m, c.from)] && !self.informed[self.place(m, c.to)]
                };
                choices.extend(channels.iter().filter(is_choice).map(|&c| (m, c)));
            }
            self.choices[row] = choices;
        }
    }

    /// Gives an orbit of links the best of its free choices.
    fn take_best(&mut self, row: u32, rng: &mut Rng) -> bool {
        let is_free =
            |&hop: &TreeEdge| self.taker[self.target(hop)].is_none() && self.has_ports(hop.1);
        let mut rank = |hop: TreeEdge| {
            let open = if self.is_eager { self.open[self.target(hop)] } else { 0 };
            (open, rng.random::<u32>())
        };
        let free = self.choices[row as usize].iter().copied().filter(is_free);
        let Some(hop) = free.max_by_key(|&hop| rank(hop)) else { return false };
        let ends = self.problem.network().channel(hop.1);
        self.ports[self.quotient.orbit[ends.from as usize] as usize].0 += 1;
        self.ports[self.quotient.orbit[ends.to as usize] as usize].1 += 1;
        self.give(row, hop);
        true
    }

    fn has_ports(&self, c: ChannelId) -> bool {
        let ends = self.problem.network().channel(c);
        let sent = self.ports[self.quotient.orbit[ends.from as usize] as usize].0;
        let received = self.ports[self.quotient.orbit[ends.to as usize] as usize].1;
        sent < self.problem.sends_at_once(ends.from)
            && received < self.problem.receives_at_once(ends.to)
    }

    fn give(&mut self, row: u32, hop: TreeEdge) {
        let target = self.target(hop);
        self.taker[target] = Some(row);
        self.chosen[row as usize] = Some(hop);
    }

    /// Gives an orbit of links one of its choices, if other orbits can change theirs.
    fn augment(&mut self, row: u32) -> bool {
        if std::mem::replace(&mut self.visited[row as usize], true) {
            return false;
        }
        for i in 0..self.choices[row as usize].len() {
            let hop = self.choices[row as usize][i];
            let taker = self.taker[self.target(hop)];
            if taker.is_none_or(|other| self.augment(other)) {
                self.give(row, hop);
                return true;
            }
        }
        false
    }
}

// The quotient of a network by a group: vertices and channels that the group maps to each other
// count as one, an orbit. If no two transfers of a step use channels of the same orbit, no two of
// all their images conflict; each transfer has one image per element.

/// Not in an orbit yet.
const NONE: u32 = u32::MAX;

/// The orbits of a group that moves every vertex.
struct Quotient<'a> {
    network: &'a Network,
    /// The group, the identity first.
    elements: &'a [Permutation],
    channels: CarriedChannels,
    /// A vertex of every orbit of vertices.
    sources: Vec<VertexId>,
    /// The orbit of every vertex.
    orbit: Vec<u32>,
    /// The channels of every usable orbit of links, repeated by the capacity of its links. An orbit
    /// is unusable where an element maps a half-duplex link to itself: a transfer would conflict
    /// with its own image.
    links: Vec<Vec<ChannelId>>,
}

impl<'a> Quotient<'a> {
    /// None if the group does not act on the links, or an element other than the identity fixes a
    /// vertex.
    fn new(problem: &'a Problem, elements: &'a [Permutation]) -> Option<Self> {
        let network = problem.network();
        let vertices = network.vertices().len();
        let (mut sources, mut orbit) = (Vec::new(), vec![NONE; vertices]);
        for v in 0..vertices as VertexId {
            if orbit[v as usize] == NONE {
                elements.iter().for_each(|g| orbit[g[v as usize] as usize] = sources.len() as u32);
                sources.push(v);
            }
        }
        if sources.len() * elements.len() != vertices {
            return None;
        }
        let (channels, links) = (CarriedChannels::new(network), Vec::new());
        let mut quotient = Quotient { network, elements, channels, sources, orbit, links };
        quotient.links = quotient.orbits_of_links(problem)?;
        Some(quotient)
    }

    fn orbits_of_links(&self, problem: &Problem) -> Option<Vec<Vec<ChannelId>>> {
        let count = self.network.channels().len();
        let link = |c: ChannelId| problem.resources().of_channel(c) as usize;
        // By link: its orbit. By orbit: the number of its links, and its channels.
        let mut row = vec![NONE; problem.resources().links()];
        let mut rows: Vec<(usize, Vec<ChannelId>)> = Vec::new();
        let mut seen = vec![false; count];
        for c in 0..count as ChannelId {
            if seen[c as usize] {
                continue;
            }
            let known = row[link(c)];
            let own = if known == NONE { rows.len() as u32 } else { known };
            if known == NONE {
                rows.push((0, Vec::new()));
            }
            let (links, channels) = &mut rows[own as usize];
            for g in self.elements {
                let image = self.image(g, c)?;
                if std::mem::replace(&mut seen[image as usize], true) {
                    continue;
                }
                channels.push(image);
                let place = &mut row[link(image)];
                if *place == NONE && known == NONE {
                    *place = own;
                    *links += 1;
                } else if *place != own {
                    return None;
                }
            }
        }
        let is_free = |(links, _): &(usize, _)| *links == self.elements.len();
        let of_row = |(_, channels): (usize, Vec<ChannelId>)| {
            let times = channels.first().map_or(1, |&c| self.network.channel(c).capacity as usize);
            std::iter::repeat_n(channels, times)
        };
        Some(rows.into_iter().filter(is_free).flat_map(of_row).collect())
    }

    /// The image of a channel under an element.
    fn image(&self, g: &[VertexId], c: ChannelId) -> Option<ChannelId> {
        let is_exclusive = |c: ChannelId| self.network.channel(c).exclusive;
        self.channels.image(c, g).filter(|&image| is_exclusive(image) == is_exclusive(c))
    }
}
