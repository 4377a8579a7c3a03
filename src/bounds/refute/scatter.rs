//! Scatters, gathers and any other traffic: every demand has a message of its own.

use super::clauses::Clauses;
use super::meaning::{Group, Meaning, Slot};
use crate as bounds;
use batsat::Lit;
use ccsched_model::problem::{Problem, ResourceId, Switching};
use ccsched_model::routing;
use ccsched_model::routing::{WalkFinder, WalkGraph};
use ccsched_network::metrics::distances_to;
use ccsched_network::{ChannelId, VertexId};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::iter;

/// By step and resource, the literals of its uses.
type Users = Vec<Vec<Vec<Lit>>>;

/// No uses yet.
fn no_users(problem: &Problem, steps: usize) -> Users {
    vec![vec![Vec::new(); problem.resources().capacities().len()]; steps]
}

/// Approximate number of variables for schedules of `steps` steps; counting stops above `most`.
pub fn variables(problem: &Problem, steps: u32, most: usize) -> usize {
    let steps = steps as usize;
    if problem.demands().len().saturating_mul(steps) > most {
        return usize::MAX;
    }
    // In each step, each hop is a variable or takes a resource that is one.
    let Some(all) = Walks::all(problem, most / steps.max(1), &|| false) else { return usize::MAX };
    all.iter().map(|walks| (walks.hops.len() + 1) * steps).sum()
}

/// Adds all clauses about schedules of `steps` steps.
pub fn tell(problem: &Problem, steps: u32, clauses: &mut Clauses<'_>) {
    let Some(mut all) = Walks::all(problem, usize::MAX, &|| clauses.are_given_up()) else {
        return;
    };
    let Some(full) = tighten(problem, steps, &mut all, clauses) else {
        // The messages need more than the steps can carry.
        clauses.any(&[]);
        return;
    };
    let users = match problem.switching() {
        Switching::Wormhole | Switching::Hosts => {
            tell_wormhole(problem, steps as usize, &all, clauses)
        }
        Switching::StoreAndForward => tell_stored(problem, steps as usize, &all, clauses),
    };
    for (step, users) in users.iter().enumerate() {
        let capacities = problem.resources().capacities();
        for (((resource, users), &capacity), &is_full) in
            (0..).zip(users).zip(capacities).zip(&full)
        {
            clauses.at_most(capacity as usize, users, Group::Users(resource, step));
            if is_full {
                clauses.at_least(capacity as usize, users, Group::Full(resource, step));
            }
        }
    }
}

// Symmetry breaking: wormhole steps are interchangeable, and so are messages of one pair; of all
// schedules that differ only in that, one is enough. With the demands in a fixed order, it is the
// one whose steps, demand by demand, are lexicographically first: each demand comes in a step of
// an earlier demand or in the first unused step, and of two demands of one pair the second comes
// no earlier than the first. The order begins with a greedily found set of demands of which no two
// fit in one step: the solver then knows their steps.

/// By demand and step: whether its message comes in that step. The clauses hold in one schedule of
/// each class of equivalent ones.
fn arrivals(
    problem: &Problem,
    steps: usize,
    all: &[Walks],
    clauses: &mut Clauses<'_>,
) -> Vec<Vec<Lit>> {
    let mut comes = vec![Vec::new(); all.len()];
    // By step, whether an earlier demand comes in it.
    let mut taken = vec![clauses.no(); steps];
    let order = order(problem, all, &|| clauses.are_given_up());
    if let Some(record) = clauses.record() {
        record.order.clone_from(&order);
    }
    for (place, &demand) in order.iter().enumerate() {
        if clauses.are_given_up() {
            return comes;
        }
        let line: Vec<Lit> = (0..steps)
            .map(|step| match step > place {
                true => clauses.no(),
                false => clauses.variable(Meaning::Step { demand, step }),
            })
            .collect();
        clauses.any(&line);
        clauses.at_most(1, &line, Group::Steps(demand));
        for step in 1..steps.min(place + 1) {
            clauses.implies(line[step], &[taken[step - 1]]);
        }
        for (step, &literal) in line.iter().enumerate().take(place + 1) {
            let before = taken[step];
            taken[step] = clauses.variable(Meaning::Taken { place, step });
            clauses.implies(taken[step], &[before, literal]);
        }
        comes[demand] = line;
    }
    let ends = |d: usize| (problem.demands()[d].source, problem.demands()[d].destination);
    let mut by_ends = order;
    // Stable: demands of one pair keep their order.
    by_ends.sort_by_key(|&d| ends(d));
    for pair in by_ends.windows(2).filter(|pair| ends(pair[0]) == ends(pair[1])) {
        tell_order(&comes[pair[0]], &comes[pair[1]], clauses);
    }
    comes
}

/// The second comes in the step of the first or in a later one.
fn tell_order(first: &[Lit], second: &[Lit], clauses: &mut Clauses<'_>) {
    for (step, &literal) in second.iter().enumerate() {
        clauses.implies(literal, &first[..=step]);
    }
}

/// Demands that exclude each other first, then the others; among these, demands that need the most
/// resources first.
fn order(problem: &Problem, all: &[Walks], stop: &dyn Fn() -> bool) -> Vec<usize> {
    let needs: Vec<Vec<ResourceId>> = all.iter().map(|walks| needed(problem, walks)).collect();
    let mut by_resource = vec![Vec::new(); problem.resources().capacities().len()];
    for (demand, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|&r| by_resource[r as usize].push(demand));
    }
    // Of equals the first.
    let mut order = by_resource.into_iter().min_by_key(|d| Reverse(d.len())).unwrap_or_default();
    let mut others: Vec<usize> = (0..all.len()).filter(|d| !order.contains(d)).collect();
    others.sort_by_key(|&d| (Reverse(needs[d].len()), all[d].hops.len()));
    let conflict = |a: usize, b: usize| needs[a].iter().any(|r| needs[b].contains(r));
    others.retain(|&d| {
        let fits = !stop() && order.iter().all(|&member| conflict(d, member));
        if fits {
            order.push(d);
        }
        !fits
    });
    order.extend(others);
    order
}

/// The resources of capacity 1 that every walk of a demand takes.
fn needed(problem: &Problem, walks: &Walks) -> Vec<ResourceId> {
    let mut found = walks.at_ends.clone();
    found.extend(walks.hops.iter().flat_map(|hop| &hop.takes));
    found.sort_unstable();
    found.dedup();
    let capacities = problem.resources().capacities();
    found.retain(|&r| capacities[r as usize] == 1 && walks.needs(r));
    found
}

// The walks that a message may take, each hop with the resources that it takes, so that hops can
// be weighed and useless ones removed.

/// One hop from slot to slot.
#[derive(Clone, Debug)]
pub struct Hop {
    /// Slot it starts from.
    pub from: usize,
    /// Slot it leads to, a later one.
    pub to: usize,
    /// The channel that it crosses.
    pub channel: ChannelId,
    /// The resources that it takes: its link and, with store-and-forward switching, the ports at
    /// both ends.
    pub takes: Vec<ResourceId>,
}

/// The walks of one demand. Slot 0 is its source, the last slot its destination.
#[derive(Clone, Debug)]
pub struct Walks {
    /// Number of slots.
    slots: usize,
    /// All hops.
    hops: Vec<Hop>,
    /// The resources that every walk takes besides those of its hops.
    at_ends: Vec<ResourceId>,
}

impl Walks {
    /// The walks of all demands, in their order; none if they have more than `most_hops` hops in
    /// all, or it is stopped.
    fn all(problem: &Problem, most_hops: usize, stop: &dyn Fn() -> bool) -> Option<Vec<Walks>> {
        let (network, resources, switching) =
            (problem.network(), problem.resources(), problem.switching());
        // A path visits no vertex twice.
        let most = network.vertices().len() as u32 - 1;
        let mut distances: BTreeMap<VertexId, Vec<u32>> = BTreeMap::new();
        let mut finder = WalkFinder::default();
        let mut all = Vec::new();
        let mut hops = 0;
        for d in problem.demands() {
            let (from, to) = (d.source, d.destination);
            let graph = match problem.fixed_route(from, to) {
                Some(route) => finder.follow(route),
                None => {
                    let distance = distances.entry(to).or_insert_with(|| distances_to(network, to));
                    let longest = distance[from as usize].saturating_add(problem.routing().slack());
                    finder.find(network, (from, to), distance, longest.min(most))
                }
            };
            hops += graph.hops();
            if hops > most_hops || stop() {
                return None;
            }
            let at_ends = resources.at_ends(switching, from, to).collect();
            all.push(Walks { at_ends, ..Walks::of(problem, graph) });
        }
        Some(all)
    }

    /// The hops of a graph in the order of the slots that they start from, with slots renumbered in
    /// the order in which these hops reach them.
    fn of(problem: &Problem, graph: WalkGraph<'_>) -> Walks {
        let (network, resources, switching) =
            (problem.network(), problem.resources(), problem.switching());
        let into = |slot| graph.into_slot(slot).iter().map(move |&hop| (hop, slot));
        let mut hops: Vec<(routing::Hop, usize)> = (1..graph.slots()).flat_map(into).collect();
        hops.sort_unstable_by_key(|(hop, _)| (hop.from, hop.channel));
        let last = graph.slots() - 1;
        let mut numbers = vec![0; graph.slots()];
        numbers[last] = last;
        let mut next = 1;
        for &(_, to) in &hops {
            if numbers[to] == 0 {
                numbers[to] = next;
                next += 1;
            }
        }
        let hop = |(hop, to): (routing::Hop, usize)| {
            let (link, ports) = resources.of_hop(network, switching, hop.channel);
            let takes = std::iter::once(link).chain(ports.into_iter().flatten()).collect();
            let (from, to) = (numbers[hop.from as usize], numbers[to]);
            Hop { from, to, channel: hop.channel, takes }
        };
        Walks { slots: graph.slots(), hops: hops.into_iter().map(hop).collect(), at_ends: vec![] }
    }

    /// Removes the hops that fail a test, and those that are then on no walk.
    fn keep(&mut self, passes: impl Fn(&Hop) -> bool) {
        self.hops.retain(passes);
        let (before, after) = (self.hops_before(), self.hops_after());
        self.hops.retain(|hop| before[hop.from].is_some() && after[hop.to].is_some());
    }

    /// Whether every walk takes a resource.
    fn needs(&self, resource: ResourceId) -> bool {
        let takes = |hop: &Hop| u64::from(hop.takes.contains(&resource));
        self.at_ends.contains(&resource) || self.least(takes) > 0
    }

    /// By slot, what it is; the source for slots without hops.
    pub fn places(&self, problem: &Problem) -> Vec<Slot> {
        let made = self.hops_before();
        let ends = |hop: &Hop| problem.network().channel(hop.channel);
        let source = self.hops.first().map_or(0, |hop| ends(hop).from);
        let mut places = vec![Slot { vertex: source, made: Some(0) }; self.slots];
        for hop in &self.hops {
            let made = made[hop.to].filter(|_| hop.to + 1 < self.slots);
            places[hop.to] = Slot { vertex: ends(hop).to, made };
        }
        places
    }

    /// The least weight of a walk, ends not counted.
    fn least(&self, weight: impl Fn(&Hop) -> u64) -> u64 {
        self.lightest_before(weight)[self.slots - 1].unwrap_or(0)
    }

    /// By slot, the least weight of hops from the source to there.
    fn lightest_before(&self, weight: impl Fn(&Hop) -> u64) -> Vec<Option<u64>> {
        let mut least = vec![None; self.slots];
        least[0] = Some(0);
        for hop in &self.hops {
            lower(&mut least, (hop.from, hop.to), weight(hop));
        }
        least
    }

    /// By slot, the least weight of hops from there to the destination.
    fn lightest_after(&self, weight: impl Fn(&Hop) -> u64) -> Vec<Option<u64>> {
        let mut least = vec![None; self.slots];
        least[self.slots - 1] = Some(0);
        for hop in self.hops.iter().rev() {
            lower(&mut least, (hop.to, hop.from), weight(hop));
        }
        least
    }

    /// By slot, the fewest hops from the source to there.
    fn hops_before(&self) -> Vec<Option<u64>> {
        self.lightest_before(|_| 1)
    }

    /// By slot, the fewest hops from there to the destination.
    fn hops_after(&self) -> Vec<Option<u64>> {
        self.lightest_after(|_| 1)
    }
}

/// Lowers the weight of a slot by one hop. Hops are listed from earlier slots to later ones, so all
/// hops before this one are done.
fn lower(least: &mut [Option<u64>], (from, to): (usize, usize), weight: u64) {
    if let Some(so_far) = least[from] {
        let sum = so_far + weight;
        least[to] = Some(least[to].map_or(sum, |least| least.min(sum)));
    }
}

// Conclusions from little spare capacity, which the solver, unable to count, would not find. Every
// link and port has a weight. The weight that the steps can carry, minus the weight of the
// lightest walks of all messages, is what remains for detours and for idle links. A hop only on
// heavier detours is never used, and a heavier link or port is never idle.

/// By resource, whether it is used up to its capacity in every step.
type Full = Vec<bool>;

/// Removes hops that no schedule of `steps` steps can use. Returns the resources that are always
/// full, or none if the messages need more than the steps can carry. Weights that change anything
/// are recorded.
fn tighten(
    problem: &Problem,
    steps: u32,
    all: &mut [Walks],
    clauses: &mut Clauses<'_>,
) -> Option<Full> {
    let mut full = vec![false; problem.resources().capacities().len()];
    for weights in weightings(problem) {
        if clauses.are_given_up() {
            break;
        }
        let mut record = clauses.record();
        let weigh = Weigh(&weights);
        let needed: u64 = all.iter().map(|walks| weigh.least(walks)).sum();
        let capacities = problem.resources().capacities();
        let supply: u64 = weights.iter().zip(capacities).map(|(w, &c)| w * u64::from(c)).sum();
        let hops = |all: &[Walks]| all.iter().map(|walks| walks.hops.len()).sum::<usize>();
        let before = record.as_ref().map(|_| (hops(all), full.clone()));
        let left = (supply * u64::from(steps)).checked_sub(needed);
        if let Some(left) = left {
            all.iter_mut().for_each(|walks| weigh.remove_detours(walks, left));
            full.iter_mut().zip(&weights).for_each(|(full, &weight)| *full |= weight > left);
        }
        if let Some(record) = &mut record
            && (left.is_none() || before != Some((hops(all), full.clone())))
        {
            record.weights.push(weights);
        }
        left?;
    }
    Some(full)
}

/// Weights to try: those of the bounds, then each link and port alone, then all links out of and
/// into each vertex.
fn weightings(problem: &Problem) -> impl Iterator<Item = Vec<u64>> {
    let (resources, network) = (problem.resources(), problem.network());
    let among = |heavy: &mut dyn Iterator<Item = ResourceId>| {
        let mut weights = vec![0; resources.capacities().len()];
        heavy.for_each(|resource| weights[resource as usize] = 1);
        weights
    };
    let alone = (0..resources.capacities().len() as ResourceId)
        .map(move |resource| among(&mut iter::once(resource)));
    let around = (0..network.vertices().len() as VertexId)
        .flat_map(|v| [network.outgoing(v), network.incoming(v)])
        .map(move |channels| among(&mut channels.iter().map(|&c| resources.of_channel(c))));
    bounds::weights(problem).into_iter().chain(alone).chain(around)
}

/// Weighs walks by the weights of the resources.
struct Weigh<'w>(&'w [u64]);

impl Weigh<'_> {
    fn hop(&self, hop: &Hop) -> u64 {
        self.sum(&hop.takes)
    }

    fn sum(&self, resources: &[ResourceId]) -> u64 {
        resources.iter().map(|&r| self.0[r as usize]).sum()
    }

    /// The weight of the lightest walk.
    fn least(&self, walks: &Walks) -> u64 {
        walks.least(|hop| self.hop(hop)) + self.sum(&walks.at_ends)
    }

    /// Removes hops whose every walk weighs over `most` more than the lightest walk.
    fn remove_detours(&self, walks: &mut Walks, most: u64) {
        let weight = |hop: &Hop| self.hop(hop);
        let (before, after) = (walks.lightest_before(weight), walks.lightest_after(weight));
        let limit = walks.least(weight) + most;
        walks.keep(|hop| {
            let through = before[hop.from].zip(after[hop.to]).map(|(a, b)| a + weight(hop) + b);
            through.is_some_and(|through| through <= limit)
        });
    }
}

// Clauses of store-and-forward scatters: a message makes the hops of one walk in ascending steps,
// and may wait at any vertex.

/// Adds all clauses about the messages of a schedule of `steps` steps. Returns the uses of every
/// resource.
fn tell_stored(problem: &Problem, steps: usize, all: &[Walks], clauses: &mut Clauses<'_>) -> Users {
    let mut users = no_users(problem, steps);
    for (demand, walks) in all.iter().enumerate() {
        if clauses.are_given_up() {
            break;
        }
        tell_journey(problem, demand, walks, &mut users, clauses);
    }
    users
}

/// Adds all clauses about one message.
fn tell_journey(
    problem: &Problem,
    demand: usize,
    walks: &Walks,
    users: &mut Users,
    clauses: &mut Clauses<'_>,
) {
    let steps = users.len();
    let (made, left) = (walks.hops_before(), walks.hops_after());
    let slots = walks.places(problem);
    // By slot, whether the message has been there.
    let mut been = vec![clauses.no(); walks.slots];
    been[0] = clauses.yes();
    // By slot, all hops out of it.
    let mut out_of = vec![Vec::new(); walks.slots];
    for (step, users) in users.iter_mut().enumerate() {
        let mut into = vec![Vec::new(); walks.slots];
        for hop in &walks.hops {
            let in_time = left[hop.to].is_some_and(|left| left as usize + step < steps);
            let Some(made) = made[hop.from].filter(|&made| in_time && made as usize <= step) else {
                continue;
            };
            let goes = Meaning::Goes { demand, made, channel: hop.channel, step };
            let goes = clauses.variable(goes);
            clauses.implies(goes, &[been[hop.from]]);
            for &resource in &hop.takes {
                users[resource as usize].push(goes);
            }
            into[hop.to].push(goes);
            out_of[hop.from].push(goes);
        }
        for (slot, mut ways) in into.into_iter().enumerate().filter(|(_, ways)| !ways.is_empty()) {
            let before = been[slot];
            been[slot] = clauses.variable(Meaning::Been { demand, slot: slots[slot], step });
            clauses.at_most(1, &ways, Group::Into(demand, slots[slot], step));
            ways.iter().for_each(|&way| clauses.implies(way, &[been[slot]]));
            ways.iter().for_each(|&way| clauses.implies(way, &[!before]));
            ways.push(before);
            clauses.implies(been[slot], &ways);
        }
    }
    let last = walks.slots - 1;
    clauses.any(&[been[last]]);
    // The message goes on from every slot that it reaches, and after any number of hops it is in
    // one slot only.
    let mut places = vec![Vec::new(); walks.slots];
    for (slot, out) in out_of.iter().enumerate().take(last) {
        clauses.implies(been[slot], out);
        if let Some(made) = made[slot] {
            places[made as usize].push(been[slot]);
        }
    }
    for (made, places) in (0..).zip(&places) {
        clauses.at_most(1, places, Group::Places(demand, made));
    }
}

// Clauses of wormhole scatters: each message comes in one step over one walk. Separate variables
// choose the step and the walk, so that what the solver learns about a walk holds in every step.

/// Adds all clauses about the messages of a schedule of `steps` steps. Returns the uses of every
/// resource.
fn tell_wormhole(
    problem: &Problem,
    steps: usize,
    all: &[Walks],
    clauses: &mut Clauses<'_>,
) -> Users {
    let comes = arrivals(problem, steps, all, clauses);
    let mut users = no_users(problem, steps);
    for (demand, (walks, comes)) in all.iter().zip(&comes).enumerate() {
        if clauses.are_given_up() {
            break;
        }
        for (resource, takes) in takes(problem, demand, walks, clauses) {
            for ((step, users), &comes) in users.iter_mut().enumerate().zip(comes) {
                let meaning = Meaning::TakesIn { demand, resource, step };
                users[resource as usize].push(clauses.both(takes, comes, meaning));
            }
        }
    }
    users
}

/// Whether a demand's walk takes each of the resources that it may take.
fn takes(
    problem: &Problem,
    demand: usize,
    walks: &Walks,
    clauses: &mut Clauses<'_>,
) -> BTreeMap<ResourceId, Lit> {
    let mut hops_on: BTreeMap<ResourceId, Vec<Lit>> = BTreeMap::new();
    for (hop, literal) in walks.hops.iter().zip(hops(problem, demand, walks, clauses)) {
        for &resource in &hop.takes {
            hops_on.entry(resource).or_default().push(literal);
        }
    }
    let yes = clauses.yes();
    let mut takes: BTreeMap<ResourceId, Lit> = walks.at_ends.iter().map(|&r| (r, yes)).collect();
    for (resource, hops) in hops_on {
        let literal = match walks.needs(resource) {
            true => yes,
            false => clauses.either(&hops, Meaning::Takes { demand, resource }),
        };
        takes.insert(resource, literal);
    }
    takes
}

/// Whether each hop is on the demand's walk: one hop leaves the source, and after each hop to
/// another slot than the last a hop leaves that slot.
fn hops(problem: &Problem, demand: usize, walks: &Walks, clauses: &mut Clauses<'_>) -> Vec<Lit> {
    let (slots, made) = (walks.places(problem), walks.hops_before());
    let mut into = vec![Vec::new(); walks.slots];
    let mut out_of = vec![Vec::new(); walks.slots];
    let mut literals = Vec::with_capacity(walks.hops.len());
    for hop in &walks.hops {
        let made = made[hop.from].unwrap_or(0);
        let literal = clauses.variable(Meaning::Hop { demand, made, channel: hop.channel });
        into[hop.to].push(literal);
        out_of[hop.from].push(literal);
        literals.push(literal);
    }
    let last = walks.slots - 1;
    clauses.any(&out_of[0]);
    clauses.any(&into[last]);
    for (out, &slot) in out_of.iter().zip(&slots) {
        clauses.at_most(1, out, Group::Out(demand, slot));
    }
    for (hop, &literal) in walks.hops.iter().zip(&literals) {
        if hop.from != 0 {
            clauses.implies(literal, &into[hop.from]);
        }
        if hop.to != last {
            clauses.implies(literal, &out_of[hop.to]);
        }
    }
    literals
}
