//! Schedules for store-and-forward switching, hop by hop, from paths alone or from a schedule for
//! wormhole switching: each message takes the earliest journey along its path, after those before
//! it, so that it follows them hop by hop; justification then fills what is left idle.

use crate::ground::free_steps::FreeSteps;
use ccsched_base::buckets;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// The schedule of a scatter after justification, if that applies and makes it shorter.
pub fn shorter(problem: &Problem, plan: &Plan) -> Option<Plan> {
    let is_stored = problem.switching().stores();
    let applies = is_stored && problem.collective().content().is_personal();
    if !applies || plan.channel_steps() > MOST_HOPS {
        return None;
    }
    let justified = justified(problem, Hops::of(plan));
    (justified.steps.len() < plan.len()).then(|| justified.plan(problem))
}

/// The schedule of messages along given paths, in this order. A message is given by its demand.
pub fn along<'r>(
    problem: &Problem,
    messages: impl Iterator<Item = (u32, &'r [ChannelId])>,
) -> Hops {
    justified(problem, earliest(problem, messages))
}

/// The same without justification: messages take the earliest journeys along given paths.
pub fn earliest<'r>(
    problem: &Problem,
    messages: impl Iterator<Item = (u32, &'r [ChannelId])>,
) -> Hops {
    let (mut table, mut hops) = (Timetable::new(problem), Unsorted::default());
    let mut journey = Vec::new();
    for (demand, path) in messages {
        journey.clear();
        journey.extend(table.earliest(path));
        for &(c, step) in &journey {
            table.take(c, step);
            hops.push(step, demand, c);
        }
    }
    hops.into_sorted()
}

// A schedule for store-and-forward switching, hop by hop.

/// The hops of every step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Hops {
    /// By hop: the demand and the channel.
    pub hops: Vec<(u32, ChannelId)>,
    /// By step, the end of its hops.
    pub steps: Vec<u32>,
}

impl Hops {
    /// The hops of a schedule of a scatter.
    pub fn of(plan: &Plan) -> Self {
        let mut hops = Hops::default();
        for step in plan.steps() {
            hops.hops.extend(step.iter().map(|t| (t.message, t.channels[0])));
            hops.steps.push(hops.hops.len() as u32);
        }
        hops
    }

    /// The hops, each given with its step, in the order of their steps; those of a step in the order given.
    pub fn sorted(hops: impl Iterator<Item = (u32, (u32, ChannelId))> + Clone + Sync) -> Self {
        let (hops, steps) = buckets::sorted(hops);
        Hops { hops, steps }
    }

    /// The hops, each with its step.
    pub fn iter(&self) -> impl Iterator<Item = (u32, (u32, ChannelId))> + '_ {
        let firsts = std::iter::once(0).chain(self.steps.iter().copied());
        let ranges = firsts.zip(&self.steps).zip(0..);
        ranges.flat_map(|((first, &end), step)| {
            self.hops[first as usize..end as usize].iter().map(move |&hop| (step, hop))
        })
    }

    /// The schedule.
    pub fn plan(&self, problem: &Problem) -> Plan {
        let end = |step: usize| self.steps[step] as usize;
        Plan::of_hops(self.steps.len(), end, |step, hops| {
            let start = step.checked_sub(1).map_or(0, end);
            let of_step = self.hops[start..end(step)].iter();
            hops.extend(
                of_step.map(|&(demand, c)| (problem.demands()[demand as usize].message, c)),
            );
        })
    }
}

/// Hops in any order.
#[derive(Clone, Debug, Default)]
pub struct Unsorted {
    /// By hop: the demand and the channel.
    hops: Vec<(u32, ChannelId)>,
    /// By hop: its step.
    steps: Vec<u32>,
}

impl Unsorted {
    /// Adds a hop.
    pub fn push(&mut self, step: u32, demand: u32, c: ChannelId) {
        self.hops.push((demand, c));
        self.steps.push(step);
    }

    /// The hops in the order of their steps.
    pub fn into_sorted(self) -> Hops {
        Hops::sorted(self.steps.iter().copied().zip(self.hops.iter().copied()))
    }
}

// Justification of a schedule for store-and-forward switching, a technique of project scheduling
// (Valls, Ballestin, Quintanilla 2005). Taken from the last to the first, every hop moves to the latest step
// in which its channel is free before the next hop of its message; then, from the first to the last, to the
// earliest one. Routes stay as they are, and the schedule never gets longer.

/// Rounds without a gain until it ends.
const PATIENCE: u32 = 2;
/// More hops take too much time and memory.
const MOST_HOPS: usize = 8_000_000;

/// The schedule after as many rounds as gain steps.
pub fn justified(problem: &Problem, hops: Hops) -> Hops {
    if hops.hops.len() > MOST_HOPS {
        return hops;
    }
    let mut work = Work::new(problem, &hops);
    let (mut best, mut quiet) = (hops, 0);
    while quiet < PATIENCE {
        work.pass(|op| op + 1);
        work.pass(|op| op.wrapping_sub(1));
        quiet += 1;
        if work.len() < best.steps.len() {
            best = Hops::sorted(work.steps.iter().copied().zip(work.ops.iter().copied()));
            quiet = 0;
        }
    }
    best
}

/// The hops of all messages.
struct Work<'p> {
    problem: &'p Problem,
    /// By hop: the demand and the channel; the hops of a demand in turn.
    ops: Vec<(u32, ChannelId)>,
    /// By hop, its step; after an odd number of passes counted from the end.
    steps: Vec<u32>,
    /// The hops by descending step.
    order: Vec<u32>,
}

impl<'p> Work<'p> {
    fn new(problem: &'p Problem, hops: &Hops) -> Self {
        let mut ops = vec![(0, 0); hops.hops.len()];
        let mut steps = vec![0; hops.hops.len()];
        let mut all = hops.iter();
        buckets::sort(hops.hops.iter().map(|&(demand, _)| demand), |_, place| {
            if let Some((step, hop)) = all.next() {
                (ops[place], steps[place]) = (hop, step);
            }
        });
        Work { problem, order: vec![0; ops.len()], ops, steps }
    }

    /// Steps of the schedule.
    fn len(&self) -> usize {
        self.steps.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// Turns time round, and moves every hop to the first step that is free after the hop at `before`
    /// of the same message.
    fn pass(&mut self, before: impl Fn(usize) -> usize) {
        self.sort();
        let mut table = Timetable::new(self.problem);
        for &op in &self.order {
            let (demand, c) = self.ops[op as usize];
            let before = before(op as usize);
            let follows = self.ops.get(before).is_some_and(|other| other.0 == demand);
            let from = if follows { self.steps[before] + 1 } else { 0 };
            let step = table.next(c, from);
            table.take(c, step);
            self.steps[op as usize] = step;
        }
    }

    /// Sorts the hops by descending step, those of equal steps by number.
    fn sort(&mut self) {
        let Work { steps, order, .. } = self;
        let last = steps.iter().max().map_or(0, |&last| last);
        let from_end = steps.iter().map(|&step| last - step);
        buckets::sort(from_end, |op, place| order[place] = op as u32);
    }
}

// The order of the steps of a wormhole schedule whose messages follow each other hop by hop. Consecutive steps
// of a construction often need the same channels at different places of their paths, and messages then wait
// for each other; steps in random order do so evenly.

/// The steps of a schedule in random order.
pub fn shuffled(steps: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..steps).collect();
    order.shuffle(rng);
    order
}

/// The shortest of some schedules: the first follows the steps in random order, the second one as they
/// are, the others in random orders. None can be much shorter than the steps are many, so it ends when one
/// is not longer. `of_step` gives the messages of a step, by demand, and their paths.
///
/// # Panics
/// `tries` is 0.
pub fn shortest<'r, M: Iterator<Item = (u32, &'r [ChannelId])>>(
    problem: &Problem,
    (steps, of_step): (usize, impl Fn(usize) -> M),
    tries: usize,
    rng: &mut Rng,
) -> Hops {
    let mut best: Option<Hops> = None;
    for number in 0..tries {
        let order = if number == 1 { (0..steps).collect() } else { shuffled(steps, rng) };
        let hops = along(problem, order.into_iter().flat_map(&of_step));
        if best.as_ref().is_none_or(|best| hops.steps.len() < best.steps.len()) {
            best = Some(hops);
        }
        if best.as_ref().is_some_and(|best| best.steps.len() <= steps) {
            break;
        }
    }
    best.expect("it tries once")
}

// The steps in which channels are free, with store-and-forward switching.

/// Channels at a port that are told when it is taken, at most.
const FEW: usize = 8;

/// The free steps of all links and ports, as rows of bits.
///
/// Where a vertex has few channels, each channel has one row, of the steps in which its link and
/// the ports at its ends are free together: a message at a port closes its step for all channels
/// there. Otherwise each link and each port has a row.
#[derive(Clone, Debug)]
pub struct Timetable {
    free: FreeSteps,
    /// By channel, the rows in which its steps are free together.
    open: Lists,
    /// By channel, the rows that close in a step in which a message crosses it.
    closed: Lists,
}

impl Timetable {
    /// All steps are free.
    pub fn new(problem: &Problem) -> Self {
        let resources = problem.resources();
        let channels = 0..problem.network().channels().len() as ChannelId;
        let of = |c: ChannelId| {
            let (link, ports) = resources.of_hop(problem.network(), problem.switching(), c);
            std::iter::once(link).chain(ports.into_iter().flatten())
        };
        let own = Lists::from(channels.clone().map(|c| of(c).collect()));
        let mut users = vec![Vec::new(); resources.capacities().len()];
        channels.clone().for_each(|c| of(c).for_each(|r| users[r as usize].push(c)));
        let is_simple = resources.capacities().iter().all(|&capacity| capacity == 1);
        if !resources.have_ports() || !is_simple || users.iter().any(|users| users.len() > FEW) {
            return Timetable { free: FreeSteps::new(resources), open: own.clone(), closed: own };
        }
        let beside = channels.clone().map(|c| {
            let mut all: Vec<u32> = of(c).flat_map(|r| users[r as usize].iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        });
        let free = FreeSteps::of_capacities(vec![1; channels.len()]);
        Timetable {
            free,
            open: Lists::from(channels.clone().map(|c| vec![c])),
            closed: Lists::from(beside),
        }
    }

    /// The first step, from `from` on, in which a channel and the ports at its ends are free.
    #[inline]
    pub fn next(&self, c: ChannelId, from: u32) -> u32 {
        match *self.open.of(c) {
            [row] => self.free.earliest([row], from),
            [link, port] => self.free.earliest([link, port], from),
            [link, send, receive] => self.free.earliest([link, send, receive], from),
            _ => unreachable!("a channel is a link between two ends"),
        }
    }

    /// The earliest journey along a path: its channels, each with its step.
    pub fn earliest<'a>(
        &'a self,
        path: &'a [ChannelId],
    ) -> impl Iterator<Item = (ChannelId, u32)> + 'a {
        let mut from = 0;
        path.iter().map(move |&c| {
            let step = self.next(c, from);
            from = step + 1;
            (c, step)
        })
    }

    /// A message crosses a channel in a step.
    #[inline]
    pub fn take(&mut self, c: ChannelId, step: u32) {
        self.closed.of(c).iter().for_each(|&row| self.free.take(row, step));
    }
}

/// Rows by channel, in flat arrays.
#[derive(Clone, Debug)]
struct Lists {
    rows: Vec<u32>,
    /// By channel, the first of its rows; then the end of the last.
    starts: Vec<u32>,
}

impl Lists {
    fn from(lists: impl Iterator<Item = Vec<u32>>) -> Self {
        let (mut rows, mut starts) = (Vec::new(), vec![0]);
        for list in lists {
            rows.extend(list);
            starts.push(rows.len() as u32);
        }
        Lists { rows, starts }
    }

    #[inline]
    fn of(&self, c: ChannelId) -> &[u32] {
        let [start, end] = [c, c + 1].map(|c| self.starts[c as usize] as usize);
        &self.rows[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::first_fit::fitted;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;
    use rand::RngExt;
    use std::sync::Arc;

    /// The schedules of an all-to-all whose messages follow those of a first fit for wormhole switching:
    /// steps before justification and after it.
    fn steps(topology: &str, ports: Ports) -> (usize, usize) {
        let switching = Switching::StoreAndForward;
        let request = Request { switching, ports, ..Request::new(Collective::Aas) };
        let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
        let twin = problem.with_switching(Switching::Wormhole);
        let plan = fitted(&twin, &mut rng_of(1, 0, 0));
        let mut table = Timetable::new(&problem);
        let mut last = 0;
        for t in plan.transfers() {
            let mut from = 0;
            for &c in t.channels {
                from = table.next(c, from) + 1;
                table.take(c, from - 1);
            }
            last = last.max(from);
        }
        let hops = along(&problem, plan.transfers().map(|t| (t.message, t.channels)));
        let file = hops.plan(&problem).record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        (last as usize, hops.steps.len())
    }

    #[test]
    fn justified_schedules_are_valid_and_never_longer() {
        let mut gained = 0;
        for topology in [
            "mesh:4x4",
            "fat-tree:16",
            "kautz:2,3",
            "ring:7,half",
            "torus:4x4,width=2",
            "slim-fly:5,3",
        ] {
            for ports in [None, Some(1), Some(2)] {
                let (before, after) = steps(topology, Ports(ports));
                assert!(after <= before, "{topology}, {ports:?} ports: {before} and {after}");
                gained += before - after;
            }
        }
        assert!(gained > 0);
    }

    #[test]
    fn a_schedule_is_made_shorter_where_that_applies() {
        // The hop of the second message could be in the first step.
        let pose = |switching| {
            let request = Request { switching, ..Request::new(Collective::Aas) };
            request.pose(spec::parse("ring:4,simplex").unwrap(), vec![]).unwrap()
        };
        let problem = pose(Switching::StoreAndForward);
        let messages = problem.demands().iter().map(|d| d.message);
        // One hop a step.
        let mut plan = Plan::new(0);
        for (message, d) in messages.zip(problem.demands()) {
            let mut at = d.source;
            while at != d.destination {
                let c = problem.network().outgoing(at)[0];
                plan.push(plan.len(), message, [c]);
                at = problem.network().channel(c).to;
            }
        }
        let shorter = shorter(&problem, &plan).unwrap();
        assert_eq!((plan.len(), shorter.channel_steps()), (24, 24));
        assert!(shorter.len() <= 8, "{}", shorter.len());
        let file = shorter.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{:?}", verify(&file));
        assert!(super::shorter(&pose(Switching::Wormhole), &plan).is_none());
    }

    #[test]
    fn a_hop_moves_to_the_step_that_another_leaves_idle() {
        // A message from leaf to leaf of a tree, and one from the root, which waits behind it although
        // its channel is idle before.
        let request =
            Request { switching: Switching::StoreAndForward, ..Request::new(Collective::Aas) };
        let problem = request.pose(spec::parse("full-binary-tree:3").unwrap(), vec![]).unwrap();
        let network = problem.network();
        let channel = |from, to| {
            let leads = |c: &&ChannelId| network.channel(**c).to == to;
            *network.outgoing(from).iter().find(leads).unwrap()
        };
        let (first, second) = (channel(1, 0), channel(0, 2));
        let late = Hops::sorted((0..).zip([(0, first), (0, second), (1, second)]));
        assert_eq!(justified(&problem, late).steps.len(), 2);
    }

    /// In a random order of hops, the next step is that of a plain search through all hops so far.
    #[test]
    fn a_step_is_free_if_no_hop_takes_a_link_or_a_port() {
        for (topology, ports) in [
            ("kautz:2,3", 1),
            ("mesh:4x4", 1),
            ("mesh:4x4", 2),
            ("complete:12", 1),
            ("ring:6,half", 1),
            ("torus:4x4,width=2", 1),
        ] {
            let (switching, ports) = (Switching::StoreAndForward, Ports(Some(ports)));
            let request = Request { switching, ports, ..Request::new(Collective::Aas) };
            let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
            let resources = problem.resources();
            let mut table = Timetable::new(&problem);
            let mut used = vec![vec![0; 400]; resources.capacities().len()];
            let rng = &mut rng_of(3, 0, 0);
            for _ in 0..300 {
                let c = rng.random_range(0..problem.network().channels().len() as u32);
                let from = rng.random_range(0..40);
                let (link, ports) = resources.of_hop(problem.network(), switching, c);
                let own: Vec<u32> =
                    [Some(link), ports[0], ports[1]].into_iter().flatten().collect();
                let is_free = |step: &u32| {
                    own.iter().all(|&r| used[r as usize][*step as usize] < resources.capacity(r))
                };
                let step = (from..).find(is_free).unwrap();
                assert_eq!(table.next(c, from), step, "{topology}");
                table.take(c, step);
                own.iter().for_each(|&r| used[r as usize][step as usize] += 1);
            }
        }
    }
}
