//! The orders of replays, simulated: parts run in virtual time with messages of random durations.
//! Every order ends without a deadlock, and keeps the promise that its description makes.

use super::replay::{ORDERS, script, timed};
use ccsched::comm::part::Act;
use ccsched::experiments::replay::{Order, RankPart, Script, parts};
use ccsched::problem::Collective::{Aab, Aas};
use ccsched::problem::Switching::{StoreAndForward, Wormhole};
use ccsched::rng::rng_of;
use rand::RngExt;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// When a transfer began and ended.
type Span = (u64, u64);

/// A rank, and an operation of its segment.
type End = (usize, usize);

/// Ranks in virtual time. A message begins when both ends have posted it; a token takes 1, a
/// transfer 10 to 1000.
struct Simulation<'p> {
    parts: &'p [RankPart],
    /// By rank, its segment, and the operations of it that have begun and ended.
    at: Vec<(usize, HashSet<usize>, HashSet<usize>)>,
    /// By sender, receiver and tag, the first end that was posted: rank, operation.
    posted: HashMap<(usize, usize, u16), Vec<End>>,
    /// Ends of messages: time, and both operations.
    ends: BinaryHeap<Reverse<(u64, [End; 2])>>,
    spans: HashMap<(usize, usize, usize), Span>,
    rng: ccsched::rng::Rng,
}

impl Simulation<'_> {
    /// Posts what can begin on a rank, segment after segment.
    fn post(&mut self, rank: usize, now: u64) {
        while let Some(segment) = self.parts[rank].part.segments.get(self.at[rank].0) {
            let (_, begun, ended) = &self.at[rank];
            let is_ready = |&i: &usize| {
                !begun.contains(&i) && segment[i].after.iter().all(|before| ended.contains(before))
            };
            let ready: Vec<usize> = (0..segment.len()).filter(is_ready).collect();
            for &i in &ready {
                self.at[rank].1.insert(i);
                self.meet(rank, i, now);
            }
            if self.at[rank].2.len() < segment.len() {
                return;
            }
            self.at[rank] = (self.at[rank].0 + 1, HashSet::new(), HashSet::new());
        }
    }

    /// A message begins if its other end is posted already.
    fn meet(&mut self, rank: usize, i: usize, now: u64) {
        let (key, block) = match self.parts[rank].part.segments[self.at[rank].0][i].act {
            Act::Send { to, tag, block } => ((rank, to, tag), block),
            Act::Receive { from, tag, block } => ((from, rank, tag), block),
            Act::Add { .. } => unreachable!("no schedule of this test has sums"),
        };
        let waiting = self.posted.entry(key).or_default();
        let Some(place) = waiting.iter().position(|&(other, _)| other != rank) else {
            waiting.push((rank, i));
            return;
        };
        let other = waiting.remove(place);
        let takes = block.map_or(1, |_| self.rng.random_range(10..1000));
        if let Some(block) = block {
            let message = self.parts[rank].blocks[block].message;
            self.spans.insert((message, key.0, key.1), (now, now + takes));
        }
        self.ends.push(Reverse((now + takes, [(rank, i), other])));
    }
}

/// The span of each transfer, by message, sender and receiver.
fn simulate(parts: &[RankPart], seed: u64) -> HashMap<(usize, usize, usize), Span> {
    let mut simulation = Simulation {
        parts,
        at: vec![Default::default(); parts.len()],
        posted: HashMap::new(),
        ends: BinaryHeap::new(),
        spans: HashMap::new(),
        rng: rng_of(seed, 0, 0),
    };
    (0..parts.len()).for_each(|rank| simulation.post(rank, 0));
    while let Some(Reverse((now, ends))) = simulation.ends.pop() {
        for (rank, i) in ends {
            simulation.at[rank].2.insert(i);
        }
        for (rank, _) in ends {
            simulation.post(rank, now);
        }
    }
    for (rank, part) in parts.iter().enumerate() {
        assert_eq!(simulation.at[rank].0, part.part.segments.len(), "rank {rank} waits forever");
    }
    simulation.spans
}

/// A transfer with its step and its span.
struct Seen<'s> {
    step: usize,
    transfer: &'s ccsched::experiments::replay::Transfer,
    span: Span,
}

fn seen<'s>(script: &'s Script, order: Order, seed: u64) -> Vec<Seen<'s>> {
    let spans = simulate(&parts(script, order), seed);
    let steps = script.steps.iter().enumerate();
    let seen: Vec<Seen<'s>> = steps
        .flat_map(|(step, transfers)| transfers.iter().map(move |transfer| (step, transfer)))
        .map(|(step, transfer)| {
            let span = spans[&(transfer.message, transfer.from, transfer.to)];
            Seen { step, transfer, span }
        })
        .collect();
    assert_eq!(seen.len(), spans.len());
    seen
}

/// Pairs of transfers of which the one of an earlier step has not ended when the other begins, and
/// which `share` something.
fn overlaps(seen: &[Seen<'_>], share: impl Fn(&Seen<'_>, &Seen<'_>) -> bool) -> usize {
    let pairs = seen.iter().flat_map(|a| seen.iter().map(move |b| (a, b)));
    pairs.filter(|(a, b)| a.step < b.step && b.span.0 < a.span.1 && share(a, b)).count()
}

#[test]
fn orders_keep_their_promises() {
    let links = |a: &Seen<'_>, b: &Seen<'_>| {
        a.transfer.links.iter().any(|link| b.transfer.links.contains(link))
    };
    let data = |a: &Seen<'_>, b: &Seen<'_>| {
        (a.transfer.message, a.transfer.to) == (b.transfer.message, b.transfer.from)
    };
    let ends = |a: &Seen<'_>, b: &Seen<'_>| {
        let of = |s: &Seen<'_>| [s.transfer.from, s.transfer.to];
        of(a).iter().any(|end| of(b).contains(end))
    };
    let any = |_: &Seen<'_>, _: &Seen<'_>| true;
    let mut most = HashMap::new();
    for (network, collective, switching) in [
        ("heawood", Aas, Wormhole),
        ("mesh:3x3", Aab, Wormhole),
        ("ring:5,half", Aas, Wormhole),
        ("torus:2x3,width=2", Aas, Wormhole),
        ("hypercube:3", Aas, StoreAndForward),
        ("hypercube:3", Aab, StoreAndForward),
    ] {
        let script = script(network, collective, switching);
        for (order, seed) in ORDERS.into_iter().flat_map(|order| [(order, 1), (order, 2)]) {
            let seen = seen(&script, order, seed);
            let name = format!("{network} {collective} {order:?}");
            assert_eq!(overlaps(&seen, data), 0, "{name}: sent before it has arrived");
            let counts = [overlaps(&seen, links), overlaps(&seen, ends), overlaps(&seen, any)];
            match order {
                Order::Barrier => assert_eq!(counts[2], 0, "{name}"),
                Order::Steps => assert_eq!(counts[1], 0, "{name}"),
                Order::Links => assert_eq!(counts[0], 0, "{name}"),
                Order::Dependency => {}
            }
            let most = most.entry(format!("{order:?}")).or_insert([0; 3]);
            (0..3).for_each(|i| most[i] = counts[i].max(most[i]));
        }
    }
    // Each order is looser than the one before it somewhere, so the checks above can fail.
    assert!(most["Steps"][2] > 0 && most["Steps"][0] > 0, "{most:?}");
    assert!(most["Links"][1] > 0 && most["Dependency"][0] > 0, "{most:?}");
}

/// What ends before another transfer starts has ended when that begins, at the same ends or on the same
/// links.
#[test]
fn orders_of_a_timed_schedule_keep_their_promises() {
    let script = timed();
    let spans = |s: &Seen<'_>| s.transfer.span.unwrap();
    let mut most = HashMap::new();
    for (order, seed) in [Order::Steps, Order::Links, Order::Dependency]
        .into_iter()
        .flat_map(|order| (1..4).map(move |seed| (order, seed)))
    {
        let seen = seen(&script, order, seed);
        let pairs = || seen.iter().flat_map(|a| seen.iter().map(move |b| (a, b)));
        let broken = pairs().filter(|(a, b)| spans(a)[1] <= spans(b)[0] && b.span.0 < a.span.1);
        let counts = broken.fold([0, 0], |[ends, links], (a, b)| {
            let of = |s: &Seen<'_>| [s.transfer.from, s.transfer.to];
            let shared = a.transfer.links.iter().any(|link| b.transfer.links.contains(link));
            let met = of(a).iter().any(|end| of(b).contains(end));
            [ends + usize::from(met), links + usize::from(shared)]
        });
        match order {
            Order::Steps => assert_eq!(counts[0], 0, "seed {seed}"),
            Order::Links => assert_eq!(counts[1], 0, "seed {seed}"),
            Order::Dependency | Order::Barrier => {}
        }
        let most = most.entry(format!("{order:?}")).or_insert([0; 2]);
        (0..2).for_each(|i| most[i] = counts[i].max(most[i]));
    }
    // So the checks above can fail.
    assert!(most["Steps"][1] > 0 && most["Dependency"].iter().all(|&n| n > 0), "{most:?}");
}
