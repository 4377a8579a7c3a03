//! First fit for store-and-forward switching: the earliest arrival of a message over its shortest
//! paths, by dynamic programming over the vertices between the ends. A message waits at a vertex
//! until its next channel is free.

use super::{GROUP, Known, between};
use crate::ground::free_steps::FreeSteps;
use crate::journeys::{Hops, Timetable, Unsorted};
use ccsched_base::{buckets, cores};
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::DistanceTable;
use ccsched_network::{ChannelId, Network, VertexId};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Vertices at one distance from the destination that are followed, those of the earliest arrival, and channels of a vertex.
/// On a fat tree there are hundreds. Fewer where all messages would take long.
const WIDEST: usize = 24;
/// Searches for a free step, for all messages.
const SEARCHES: usize = 400_000_000;

/// Vertices at one distance, and channels of a vertex, that are followed.
fn widest(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> usize {
    let degree = problem.network().channels().len() / problem.network().vertices().len().max(1);
    // About half of the channels of a vertex lead nearer to the destination.
    let searches = between::hops(distances, order) * degree.div_ceil(2);
    (SEARCHES / searches.max(1)).clamp(1, WIDEST)
}

/// The hops of the schedule that takes the demands in this order.
pub fn hops(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Hops {
    if let Some(hops) = by_channel(problem, distances, order) {
        return hops;
    }
    let mut fit = Fit::new(problem, widest(problem, distances, order));
    let mut hops = Unsorted::default();
    // In a scatter, a demand and its message have the same number.
    super::each(problem, distances, order, |demand, path| {
        if path.is_empty() {
            let to = distances.row(demand.destination);
            fit.choose((demand.source, demand.destination), to);
        } else {
            fit.along(path);
        }
        fit.take(|step, c| hops.push(step, demand.message, c));
    });
    hops.into_sorted()
}

struct Fit<'p> {
    /// Vertices at one distance, and channels of a vertex, that are followed.
    widest: usize,
    problem: &'p Problem,
    table: Timetable,
    /// By channel, the transfers that use it.
    used: Vec<u32>,
    /// The channels of the journey found, each with its step.
    journey: Vec<(ChannelId, u32)>,
    /// By vertex, the first step in which the message can leave it; `u32::MAX` before it is seen.
    arrival: Vec<u32>,
    /// By vertex that has been seen, the channel of the earliest arrival.
    last: Vec<ChannelId>,
    seen: Vec<VertexId>,
    /// The channels that are followed from a vertex.
    ways: Vec<ChannelId>,
}

impl<'p> Fit<'p> {
    fn new(problem: &'p Problem, widest: usize) -> Self {
        Fit {
            widest,
            problem,
            table: Timetable::new(problem),
            used: vec![0; problem.network().channels().len()],
            journey: Vec::new(),
            arrival: vec![u32::MAX; problem.network().vertices().len()],
            last: vec![0; problem.network().vertices().len()],
            seen: Vec::new(),
            ways: Vec::new(),
        }
    }

    /// Takes the steps of the journey found; calls `act` with the step and the channel of each hop.
    fn take(&mut self, mut act: impl FnMut(u32, ChannelId)) {
        for &(c, step) in &self.journey {
            self.table.take(c, step);
            self.used[c as usize] += 1;
            act(step, c);
        }
    }

    /// The earliest journey along a path.
    fn along(&mut self, path: &[ChannelId]) {
        self.journey.clear();
        self.journey.extend(self.table.earliest(path));
    }

    /// Forgets the latest vertices of a layer that begins at `first` and is too wide.
    fn narrow(&mut self, first: usize) {
        let Fit { widest, seen, arrival, last, used, .. } = self;
        let (layer, widest) = (&mut seen[first..], *widest);
        if layer.len() > widest {
            let rank = |&v: &VertexId| (arrival[v as usize], used[last[v as usize] as usize]);
            layer.select_nth_unstable_by_key(widest, rank);
            layer[widest..].iter().for_each(|&v| arrival[v as usize] = u32::MAX);
            seen.truncate(first + widest);
        }
    }

    /// The earliest journey over shortest paths. `to` is the distance to the destination, by
    /// vertex.
    fn choose(&mut self, (source, destination): (VertexId, VertexId), to: &[u16]) {
        let network = self.problem.network();
        self.seen.drain(..).for_each(|v| self.arrival[v as usize] = u32::MAX);
        self.arrival[source as usize] = 0;
        self.seen.push(source);
        let mut layer = 0..1;
        for left in (1..to[source as usize]).rev() {
            for i in layer.clone() {
                self.follow(self.seen[i], left, to);
            }
            layer = layer.end..self.seen.len();
            self.narrow(layer.start);
            layer.end = self.seen.len();
        }
        self.finish(destination, to);
        self.journey.clear();
        let mut v = destination;
        while v != source {
            let c = self.last[v as usize];
            self.journey.push((c, self.arrival[v as usize] - 1));
            v = network.channel(c).from;
        }
    }

    /// Follows the channels of a vertex to the vertices at distance `left` from the end; if there
    /// are too many, those used least.
    fn follow(&mut self, u: VertexId, left: u16, to: &[u16]) {
        let network = self.problem.network();
        let leads = |c: &ChannelId| to[network.channel(*c).to as usize] == left;
        let mut ways = std::mem::take(&mut self.ways);
        ways.clear();
        ways.extend(network.outgoing(u).iter().copied().filter(leads));
        if ways.len() > self.widest {
            ways.select_nth_unstable_by_key(self.widest, |&c| (self.used[c as usize], c));
            ways.truncate(self.widest);
        }
        for &c in &ways {
            self.arrive(c, network.channel(c).to as usize, self.arrival[u as usize]);
        }
        self.ways = ways;
    }

    /// Follows the channels to the destination: it has fewer than the vertices next to it together.
    fn finish(&mut self, destination: VertexId, to: &[u16]) {
        let network = self.problem.network();
        for &c in network.incoming(destination) {
            let from = network.channel(c).from as usize;
            if to[from] == 1 && self.arrival[from] != u32::MAX {
                self.arrive(c, destination as usize, self.arrival[from]);
            }
        }
    }

    /// A message that can leave its vertex in a step arrives over a channel; of equal times that over the
    /// channel used least counts.
    fn arrive(&mut self, c: ChannelId, v: usize, leaves: u32) {
        let time = self.table.next(c, leaves) + 1;
        let used = |c: ChannelId| self.used[c as usize];
        let before = self.arrival[v];
        if before == u32::MAX {
            self.seen.push(v as VertexId);
        }
        if time < before || (time == before && used(c) < used(self.last[v])) {
            (self.arrival[v], self.last[v]) = (time, c);
        }
    }
}

// First fit for store-and-forward switching along paths that are known, channel by channel.
//
// Message by message, each crosses a channel in the first step, after it has arrived, that no earlier message has taken
// there. That depends on the earlier messages of this channel alone, and on when they arrive. So where
// no channel waits for itself, over the paths of all messages (on trees, and along routes without deadlocks: up*/down* routes
// of any network, dimension-order routes of meshes), each channel can be filled with all its messages, after those that they
// come from. The schedule is the same. It takes less time: all cores work on it, and each has the row of one channel near.

/// More pairs of channels of which one can follow the other take too much memory: a star of many thousand vertices.
const MOST_PLACES: usize = 1 << 26;

/// The hops of the schedule that takes the demands in this order; none if one has a choice of paths, channels wait for
/// themselves, or share their steps.
fn by_channel(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> Option<Hops> {
    if !problem.resources().are_independent() {
        return None;
    }
    let groups: Vec<&[Demand]> = order.chunks(GROUP).collect();
    let look_up = |group| Known::of(problem, distances, group);
    // Where some messages have a choice or channels wait for themselves, that mostly shows in a few.
    levels(problem.network(), &[look_up(groups.first()?)])?;
    let known = cores::each(groups, look_up);
    let levels = levels(problem.network(), &known)?;
    Some(filled(problem, order, &known, levels))
}

/// The channels that messages cross, those first whose messages come from no other; then those whose messages come from
/// channels of earlier levels only, and so on.
fn levels(network: &Network, known: &[Known]) -> Option<Vec<Vec<ChannelId>>> {
    let follows = Follows::of(network, known)?;
    let count = network.channels().len();
    let mut before = vec![0u32; count];
    let all = 0..count as ChannelId;
    all.clone().for_each(|c| follows.after(c).for_each(|next| before[next as usize] += 1));
    let mut levels = vec![all.filter(|&c| before[c as usize] == 0).collect::<Vec<_>>()];
    let mut placed = 0;
    while let Some(level) = levels.last().filter(|level| !level.is_empty()) {
        placed += level.len();
        let mut free = Vec::new();
        for next in level.iter().flat_map(|&c| follows.after(c)) {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                free.push(next);
            }
        }
        levels.push(free);
    }
    (placed == count).then_some(levels)
}

/// Which channels messages cross next after which.
struct Follows<'n> {
    network: &'n Network,
    /// By channel, the place of the first channel that leaves its end.
    starts: Vec<usize>,
    /// By channel, its number among those that leave the same vertex.
    ranks: Vec<u32>,
    /// By place, whether some message crosses the one channel after the other.
    follows: Vec<bool>,
}

impl<'n> Follows<'n> {
    /// None if a path is not known, or if there are too many pairs of channels.
    fn of(network: &'n Network, known: &[Known]) -> Option<Self> {
        let sizes = network.channels().iter().map(|c| network.outgoing(c.to).len());
        let ends = cores::ends(sizes);
        let mut ranks = vec![0; ends.len()];
        for v in 0..network.vertices().len() as VertexId {
            (0..).zip(network.outgoing(v)).for_each(|(rank, &c)| ranks[c as usize] = rank);
        }
        let places = ends.last().copied().filter(|&places| places <= MOST_PLACES)?;
        let starts = std::iter::once(0).chain(ends).collect();
        let mut all = Follows { network, starts, ranks, follows: vec![false; places] };
        let parts = cores::parts(known.len(), |group| (group + 1) * GROUP);
        let marked = cores::each(parts, |part| {
            let mut follows = vec![false; places];
            let is_known = known[part].iter().flat_map(Known::paths).all(|path| {
                path.windows(2).for_each(|pair| follows[all.place(pair[0], pair[1])] = true);
                !path.is_empty()
            });
            is_known.then_some(follows)
        });
        for follows in marked {
            all.follows.iter_mut().zip(follows?).for_each(|(all, follows)| *all |= follows);
        }
        Some(all)
    }

    /// The place of a pair of channels, of which the second leaves the end of the first.
    #[inline]
    fn place(&self, c: ChannelId, next: ChannelId) -> usize {
        self.starts[c as usize] + self.ranks[next as usize] as usize
    }

    /// The channels that some message crosses next after this one.
    fn after(&self, c: ChannelId) -> impl Iterator<Item = ChannelId> + '_ {
        let next = self.network.outgoing(self.network.channel(c).to).iter().copied();
        next.filter(move |&next| self.follows[self.place(c, next)])
    }
}

/// The hops of all messages, level after level.
fn filled(
    problem: &Problem,
    order: &[Demand],
    known: &[Known],
    levels: Vec<Vec<ChannelId>>,
) -> Hops {
    // Messages are numbered in their order.
    let paths = known.iter().flat_map(Known::paths).zip(0u32..);
    let crossings = paths.flat_map(|(path, message)| path.iter().map(move |&c| (c, message)));
    let (messages, ends) = buckets::sorted(crossings);
    let of_channel = |c: usize| {
        let end = |c: usize| ends.get(c).map_or(messages.len(), |&end| end as usize);
        &messages[c.checked_sub(1).map_or(0, end)..end(c)]
    };
    let arrivals: Vec<AtomicU32> = order.iter().map(|_| AtomicU32::new(0)).collect();
    let fill = |c: ChannelId| -> Vec<(u32, u32)> {
        let messages = of_channel(c as usize);
        // Reads all distant places before the first decision, so that the processor overlaps the
        // reads.
        let far = |&message: &u32| {
            (arrivals[message as usize].load(Relaxed), order[message as usize].message)
        };
        let mut crossings: Vec<(u32, u32)> = messages.iter().map(far).collect();
        let capacity = problem.resources().capacity(problem.resources().of_channel(c));
        let mut free = FreeSteps::of_capacities(vec![capacity]);
        for (step, _) in &mut crossings {
            *step = free.earliest([0], *step);
            free.take(0, *step);
        }
        for (&message, (step, _)) in messages.iter().zip(&crossings) {
            arrivals[message as usize].store(step + 1, Relaxed);
        }
        crossings
    };
    // By channel, the step and the message of each hop.
    let mut crossings = vec![Vec::new(); problem.network().channels().len()];
    for level in levels {
        let filled = cores::each(level.clone(), fill);
        level.into_iter().zip(filled).for_each(|(c, filled)| crossings[c as usize] = filled);
    }
    drop(messages);
    Hops::sorted((0..).zip(&crossings).flat_map(|(c, crossings)| {
        crossings.iter().map(move |&(step, message)| (step, (message, c)))
    }))
}

#[cfg(test)]
mod tests {
    use super::super::distances_and_order;
    use super::*;
    use crate::journeys::earliest;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Routing, Switching};
    use ccsched_network::spec;
    use ccsched_network::tables::Table;

    /// The schedule of an all-to-all, and that of one message after the other along its known path.
    fn schedules(topology: &str, request: Request) -> Option<[Hops; 2]> {
        let request = Request { switching: Switching::StoreAndForward, ..request };
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let (distances, order) = distances_and_order(&problem, <[_]>::len, &mut rng_of(1, 0, 0));
        let by_channel = by_channel(&problem, &distances, &order)?;
        let known = Known::of(&problem, &distances, &order);
        let messages = order.iter().map(|d| d.message).zip(known.paths());
        Some([by_channel, earliest(&problem, messages)])
    }

    fn table(name: &str) -> Routing {
        Routing::Table(Table::find(name).unwrap())
    }

    #[test]
    fn the_schedule_is_that_of_one_message_after_the_other() {
        let [updown, dimension_order] = ["updown", "dimension-order"].map(table);
        let of = |routing| Request { routing, ..Request::new(Collective::Aas) };
        for (topology, routing) in [
            ("full-binary-tree:63", Routing::Minimal),
            ("full-binary-tree:31,width=2", Routing::Minimal),
            ("mesh:40", Routing::Minimal),
            ("ring:9", updown),
            ("random-regular:150,3,1", updown),
            ("torus:7x8", updown),
            ("mesh:5x4x3", dimension_order),
        ] {
            let Some([by_channel, expected]) = schedules(topology, of(routing)) else {
                panic!("{topology} {routing:?}");
            };
            let sorted = |by_channel: &Hops| {
                let mut all: Vec<_> = by_channel.iter().collect();
                all.sort_unstable();
                all
            };
            assert!(sorted(&by_channel) == sorted(&expected), "{topology} {routing:?}");
        }
    }

    #[test]
    fn other_problems_are_left_to_others() {
        let aas = || Request::new(Collective::Aas);
        let routing = table("dimension-order");
        for (topology, request) in [
            ("ring:9", aas()),
            ("mesh:4x4", aas()),
            ("mesh:12,half", aas()),
            ("full-binary-tree:31", Request { ports: Ports(Some(1)), ..aas() }),
            ("torus:5x5", Request { routing, ..aas() }),
        ] {
            assert!(schedules(topology, request).is_none(), "{topology}");
        }
    }
}
