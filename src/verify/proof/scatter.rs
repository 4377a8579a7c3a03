//! The clauses of scatters, gathers and traffics: every demand has a message of its own. Demands
//! are numbered by source, then destination.

use super::allowed::{Allowed, Literal};
use super::resources::all;
use super::text::Meanings;
use super::walks::{Hop, Walks};
use crate::plan::Plan;
use std::collections::{BTreeSet, HashMap};

/// By step and name of a resource, the literals of its uses.
type Users = Vec<HashMap<String, Vec<Literal>>>;

/// Allows all clauses that hold for schedules of `steps` steps.
///
/// # Errors
/// The order of the map is none.
pub(super) fn allow(
    plan: &Plan<'_>,
    steps: u32,
    meanings: &Meanings,
    allowed: &mut Allowed<'_>,
) -> Result<(), String> {
    let steps = steps as usize;
    let ends = demands(plan);
    let mut walks =
        ends.iter().map(|&(from, to)| Walks::of(plan, from, to)).collect::<Result<Vec<_>, _>>()?;
    let capacities = all(plan);
    let Some(full) = spare(&capacities, steps, &meanings.weights, &mut walks) else {
        allowed.any(&[]);
        return Ok(());
    };
    let mut users: Users = vec![HashMap::new(); steps];
    if plan.demand.wormhole {
        let comes = allow_steps(&ends, steps, &meanings.order, allowed)?;
        for (demand, (walks, comes)) in walks.iter().zip(&comes).enumerate() {
            allow_walk(demand, walks, comes, &mut users, allowed);
        }
    } else {
        for (demand, walks) in walks.iter().enumerate() {
            allow_journey(demand, walks, &mut users, allowed);
        }
    }
    for (step, mut users) in users.into_iter().enumerate() {
        for (name, capacity) in &capacities {
            let users = users.remove(name).unwrap_or_default();
            allowed.at_most(*capacity as usize, &users, &format!("users {name} {step}"));
            if full.contains(name) {
                allowed.at_least(*capacity as usize, &users, &format!("full {name} {step}"));
            }
        }
    }
    Ok(())
}

/// The ends of every demand.
fn demands(plan: &Plan<'_>) -> Vec<(usize, usize)> {
    let vertices = 0..plan.graph.len();
    let of = |from: usize| {
        let to = move |to: usize| (0..plan.demand.messages(from, to)).map(move |_| (from, to));
        vertices.clone().flat_map(to)
    };
    vertices.clone().flat_map(of).collect()
}

/// By weights, what the steps can carry besides the lightest walks: hops on heavier detours are
/// not used, and heavier resources are always full. None if the messages need more than that.
fn spare(
    capacities: &[(String, u64)],
    steps: usize,
    weights: &[HashMap<String, u64>],
    walks: &mut [Walks],
) -> Option<BTreeSet<String>> {
    let mut full = BTreeSet::new();
    for weights in weights {
        let of = |name: &str| u128::from(weights.get(name).copied().unwrap_or(0));
        let sum = |names: &[String]| names.iter().map(|name| of(name)).sum::<u128>();
        let weight = |hop: &Hop| sum(&hop.takes);
        let needed: u128 = walks.iter().map(|w| w.least(&weight) + sum(&w.at_ends)).sum();
        let carried: u128 = capacities.iter().map(|(name, c)| of(name) * u128::from(*c)).sum();
        let left = (carried * steps as u128).checked_sub(needed)?;
        for walks in walks.iter_mut() {
            let most = walks.least(&weight) + left;
            walks.keep(&weight, most);
        }
        full.extend(
            capacities.iter().map(|(name, _)| name).filter(|name| of(name) > left).cloned(),
        );
    }
    Some(full)
}

/// Wormhole: the step of every demand. Steps are interchangeable: with the demands in any order,
/// each comes in a step of an earlier demand or in the first step without one; and of two demands
/// of one pair the second comes no earlier.
fn allow_steps(
    ends: &[(usize, usize)],
    steps: usize,
    order: &[usize],
    allowed: &mut Allowed<'_>,
) -> Result<Vec<Vec<Literal>>, String> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted != (0..ends.len()).collect::<Vec<_>>() {
        return Err(format!("`order` is no order of {} demands", ends.len()));
    }
    let mut comes = vec![Vec::new(); ends.len()];
    let mut taken = vec![allowed.no(); steps];
    let mut last_of: HashMap<(usize, usize), usize> = HashMap::new();
    for (place, &demand) in order.iter().enumerate() {
        let line: Vec<Literal> = (0..steps)
            .map(|step| match step <= place {
                true => allowed.literal(&format!("step {demand} {step}")),
                false => allowed.no(),
            })
            .collect();
        allowed.any(&line);
        allowed.at_most(1, &line, &format!("steps {demand}"));
        for step in 0..steps.min(place + 1) {
            if step > 0 {
                // Of this demand's place, the step before is taken by an earlier demand.
                allowed.implies(line[step], &[taken[step - 1]]);
            }
        }
        for step in 0..steps.min(place + 1) {
            let now = allowed.literal(&format!("taken {place} {step}"));
            allowed.implies(now, &[taken[step], line[step]]);
            taken[step] = now;
        }
        if let Some(earlier) = last_of.insert(ends[demand], demand) {
            let earlier: &Vec<Literal> = &comes[earlier];
            for (step, &literal) in line.iter().enumerate() {
                allowed.implies(literal, &earlier[..=step]);
            }
        }
        comes[demand] = line;
    }
    Ok(comes)
}

/// Wormhole: one walk from the source to the destination, and the resources that it takes in the
/// step of the demand.
fn allow_walk(
    demand: usize,
    walks: &Walks,
    comes: &[Literal],
    users: &mut Users,
    allowed: &mut Allowed<'_>,
) {
    let last = walks.slots.len() - 1;
    let (mut into, mut out) = (vec![Vec::new(); last + 1], vec![Vec::new(); last + 1]);
    let mut hops = Vec::new();
    for hop in &walks.hops {
        let literal = allowed.literal(&format!("hop {demand} {} {}", hop.made, hop.channel));
        into[hop.to].push(literal);
        out[hop.from].push(literal);
        hops.push(literal);
    }
    allowed.any(&out[0]);
    allowed.any(&into[last]);
    for (slot, out) in walks.slots.iter().zip(&out) {
        allowed.at_most(1, out, &format!("out {demand} {slot}"));
    }
    for (hop, &literal) in walks.hops.iter().zip(&hops) {
        if hop.from > 0 {
            allowed.implies(literal, &into[hop.from]);
        }
        if hop.to < last {
            allowed.implies(literal, &out[hop.to]);
        }
    }
    let of_hops = walks.hops.iter().flat_map(|hop| &hop.takes);
    let names: BTreeSet<&String> = of_hops.chain(&walks.at_ends).collect();
    for name in names {
        let on = |(hop, &literal): (&Hop, &Literal)| hop.takes.contains(name).then_some(literal);
        let on: Vec<Literal> = walks.hops.iter().zip(&hops).filter_map(on).collect();
        let takes = match (walks.needs(name), on.as_slice()) {
            (true, _) => allowed.yes,
            (_, &[one]) => one,
            _ => {
                let takes = allowed.literal(&format!("takes {demand} {name}"));
                allowed.implies(takes, &on);
                on.iter().for_each(|&literal| allowed.implies(literal, &[takes]));
                takes
            }
        };
        for (step, &comes) in comes.iter().enumerate() {
            let both = if takes == allowed.yes || comes == allowed.no() {
                comes
            } else {
                let both = allowed.literal(&format!("takes-in {demand} {name} {step}"));
                allowed.any(&[-takes, -comes, both]);
                allowed.implies(both, &[takes]);
                allowed.implies(both, &[comes]);
                both
            };
            users[step].entry(name.clone()).or_default().push(both);
        }
    }
}

/// Store-and-forward: a message makes the hops of one walk in ascending steps. It goes on from
/// every slot that it reaches, and after any number of hops it is in one slot.
fn allow_journey(demand: usize, walks: &Walks, users: &mut Users, allowed: &mut Allowed<'_>) {
    let (steps, last) = (users.len(), walks.slots.len() - 1);
    let (made, left) = (walks.before(&|_| 1), walks.after(&|_| 1));
    let mut been = vec![allowed.no(); last + 1];
    been[0] = allowed.yes;
    let mut out = vec![Vec::new(); last + 1];
    for (step, users) in users.iter_mut().enumerate() {
        let mut into = vec![Vec::new(); last + 1];
        for hop in &walks.hops {
            let comes = made[hop.from].is_some_and(|made| made <= step as u128);
            let arrives = left[hop.to].is_some_and(|left| left + (step as u128) < steps as u128);
            if !(comes && arrives) {
                continue;
            }
            let name = format!("goes {demand} {} {} {step}", hop.made, hop.channel);
            let goes = allowed.literal(&name);
            allowed.implies(goes, &[been[hop.from]]);
            for name in &hop.takes {
                users.entry(name.clone()).or_default().push(goes);
            }
            into[hop.to].push(goes);
            out[hop.from].push(goes);
        }
        for (slot, ways) in into.iter().enumerate().filter(|(_, ways)| !ways.is_empty()) {
            let (before, name) = (been[slot], &walks.slots[slot]);
            let now = allowed.literal(&format!("been {demand} {name} {step}"));
            allowed.at_most(1, ways, &format!("into {demand} {name} {step}"));
            for &way in ways {
                allowed.implies(way, &[now]);
                allowed.implies(way, &[-before]);
            }
            let mut reasons = ways.clone();
            reasons.push(before);
            allowed.implies(now, &reasons);
            been[slot] = now;
        }
    }
    allowed.any(&[been[last]]);
    let mut places: HashMap<u128, Vec<Literal>> = HashMap::new();
    for slot in 0..last {
        allowed.implies(been[slot], &out[slot]);
        if let Some(made) = made[slot] {
            places.entry(made).or_default().push(been[slot]);
        }
    }
    for (made, places) in places {
        allowed.at_most(1, &places, &format!("places {demand} {made}"));
    }
}
