//! The fewest messages of a scatter that change in every schedule of a number of steps.
//!
//! A message without an old place that is still possible changes, or is new. Over a cut others have to
//! change as well: let X be the messages without a place that must cross it, and let the room of a
//! channel be what it carries in all steps less the messages that keep their places. If at most M of X
//! have room on channels that their paths can take (a largest matching), each other one needs the
//! place of a message that had one, which changes. It makes room for f of them, if it takes up to f
//! places over the cut. So at least (|X| - M) / f more messages change, whether or not the cut is full.
//!
//! A channel that has become narrower may hold more old places in a step than it carries. What is too much
//! there changes, and one message makes room at as many such places as it has.

use ccsched_bounds::{Side, sides};
use ccsched_engines::search::scatter::{old_places, uses};
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_model::schedule::Plan;
use ccsched_network::metrics::Distances;
use ccsched_network::{ChannelId, VertexId};
use std::collections::BTreeMap;

/// With more vertices, cuts are not looked at.
const MOST_VERTICES: usize = 2_000;
/// Messages times channels above which a cut is left out, and those of all cuts together.
const MOST_OF_CUT: usize = 100_000;
const MOST_OF_ALL: usize = 20_000_000;

/// The old places of the messages of a problem.
pub(super) struct Least<'p> {
    problem: &'p Problem,
    /// By demand: the channels and steps of its old place, none if it is not possible any more.
    homes: Vec<Vec<(ChannelId, u32)>>,
    distances: Option<Distances>,
}

/// What crosses a cut in one direction.
#[derive(Default)]
struct Crossing {
    /// The channels that cross, by what they take up.
    channels: BTreeMap<ResourceId, Vec<ChannelId>>,
    /// Messages that must change, and find no room.
    short: usize,
}

impl<'p> Least<'p> {
    /// `old` has the transfers of the old schedule that are still possible.
    pub fn of(problem: &'p Problem, old: &Plan) -> Self {
        let network = problem.network();
        let is_small = network.vertices().len() <= MOST_VERTICES;
        let distances = is_small.then(|| Distances::new(network));
        let slack = problem.routing().slack();
        let longest = |t: u32| {
            let d = &problem.demands()[t as usize];
            let far = distances.as_ref().map_or(u32::MAX, |all| all.get(d.source, d.destination));
            far.saturating_add(slack)
        };
        let homes = old_places(problem, old, longest);
        Least { problem, homes, distances }
    }

    /// Whether a message may stay where it was.
    fn is_kept(&self, t: usize, steps: u32) -> bool {
        self.homes[t].last().is_some_and(|&(_, step)| step < steps)
    }

    /// The messages without a place, which change or are new.
    pub fn homeless(&self, steps: u32) -> usize {
        (0..self.homes.len()).filter(|&t| !self.is_kept(t, steps)).count()
    }

    /// The messages that change or are new in every schedule with this number of steps.
    pub fn at(&self, steps: u32) -> usize {
        let (kept, homeless): (Vec<usize>, Vec<usize>) =
            (0..self.homes.len()).partition(|&t| self.is_kept(t, steps));
        let Some(distances) = &self.distances else {
            return homeless.len() + self.crowded(&kept);
        };
        let resources = self.problem.resources();
        let mut room: Vec<u64> =
            resources.capacities().iter().map(|&c| u64::from(c) * u64::from(steps)).collect();
        for &t in &kept {
            for (r, _) in uses(self.problem, &self.homes[t]) {
                room[r as usize] = room[r as usize].saturating_sub(1);
            }
        }
        let mut work = 0;
        let mut forced = |side: &Side| {
            let [there, back] = [true, false].map(|forward| {
                self.crossing((side, forward), (&homeless, &room, distances), &mut work)
            });
            if there.short + back.short == 0 {
                return 0;
            }
            // What takes places of both directions may make room in both at once.
            let (mut most, mut is_of_both) = ([1, 1], false);
            for &t in &kept {
                let [a, b] = [&there, &back].map(|crossing| {
                    let uses = uses(self.problem, &self.homes[t]);
                    uses.filter(|(r, _)| crossing.channels.contains_key(r)).count()
                });
                most = [most[0].max(a), most[1].max(b)];
                is_of_both |= a > 0 && b > 0;
            }
            let [a, b] = [there.short.div_ceil(most[0]), back.short.div_ceil(most[1])];
            if is_of_both { a.max(b) } else { a + b }
        };
        let forced = sides(self.problem.network()).map(|side| forced(&side)).max();
        homeless.len() + forced.unwrap_or(0).max(self.crowded(&kept))
    }

    /// How many of the messages with a place must give it up, since others have it too.
    fn crowded(&self, kept: &[usize]) -> usize {
        let resources = self.problem.resources();
        let mut held: BTreeMap<(u32, ResourceId), u64> = BTreeMap::new();
        for &t in kept {
            for (r, step) in uses(self.problem, &self.homes[t]) {
                *held.entry((step, r)).or_default() += 1;
            }
        }
        held.retain(|&(_, r), held| {
            *held = held.saturating_sub(resources.capacities()[r as usize].into());
            *held > 0
        });
        if held.is_empty() {
            return 0;
        }
        // Places of one step are those of other messages than places of another, where a message has one step.
        let has_one_step = self.problem.switching().holds_paths();
        let class = |step: u32| if has_one_step { step } else { 0 };
        let mut too_much: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (&(step, _), more) in &held {
            too_much.entry(class(step)).or_default().0 += more;
        }
        for &t in kept {
            let mut freed: BTreeMap<u32, u64> = BTreeMap::new();
            for (r, step) in uses(self.problem, &self.homes[t]) {
                if held.contains_key(&(step, r)) {
                    *freed.entry(class(step)).or_default() += 1;
                }
            }
            for (class, freed) in freed {
                let (_, most) = too_much.entry(class).or_default();
                *most = freed.max(*most);
            }
        }
        too_much.values().map(|&(more, most)| more.div_ceil(most.max(1)) as usize).sum()
    }

    /// How many of the messages without a place find no room over a cut.
    fn crossing(
        &self,
        (side, forward): (&Side, bool),
        (homeless, room, distances): (&[usize], &[u64], &Distances),
        work: &mut usize,
    ) -> Crossing {
        let problem = self.problem;
        let network = problem.network();
        let crosses =
            |from: VertexId, to: VertexId| side.has(from) == forward && side.has(to) != forward;
        let demand = |t: usize| &problem.demands()[t];
        let wanting: Vec<usize> = (homeless.iter().copied())
            .filter(|&t| crosses(demand(t).source, demand(t).destination))
            .collect();
        let mut crossing = Crossing::default();
        for (c, ends) in (0..).zip(network.channels()) {
            if crosses(ends.from, ends.to) {
                let resource = problem.resources().of_channel(c);
                crossing.channels.entry(resource).or_default().push(c);
            }
        }
        let all: Vec<(&ResourceId, &Vec<ChannelId>)> = crossing.channels.iter().collect();
        let of_cut = wanting.len() * all.len();
        if of_cut > MOST_OF_CUT || *work + of_cut > MOST_OF_ALL {
            return crossing;
        }
        *work += of_cut;
        let slack = u64::from(problem.routing().slack());
        let may_take = |t: usize, c: ChannelId| {
            let (d, ends) = (demand(t), network.channel(c));
            match problem.fixed_route(d.source, d.destination) {
                Some(route) => route.contains(&c),
                None => {
                    let far = |from, to| u64::from(distances.get(from, to));
                    let over = far(d.source, ends.from) + 1 + far(ends.to, d.destination);
                    over <= far(d.source, d.destination) + slack
                }
            }
        };
        let choices = wanting.iter().map(|&t| {
            let has = |(_, channels): &(&ResourceId, &Vec<ChannelId>)| {
                channels.iter().any(|&c| may_take(t, c))
            };
            all.iter().enumerate().filter(|(_, of)| has(of)).map(|(place, _)| place).collect()
        });
        let choices: Vec<Vec<usize>> = choices.collect();
        let room: Vec<u64> = all.iter().map(|(r, _)| room[**r as usize]).collect();
        crossing.short = wanting.len() - matched(&choices, &room);
        crossing
    }
}

/// The most items that find room among their choices, by augmenting paths.
fn matched(choices: &[Vec<usize>], room: &[u64]) -> usize {
    let mut held: Vec<Vec<usize>> = vec![Vec::new(); room.len()];
    let mut found = 0;
    let mut seen = vec![false; room.len()];
    for item in 0..choices.len() {
        seen.fill(false);
        found += usize::from(place(item, choices, room, &mut held, &mut seen));
    }
    found
}

/// Places an item, and moves others for it.
fn place(
    item: usize,
    choices: &[Vec<usize>],
    room: &[u64],
    held: &mut [Vec<usize>],
    seen: &mut [bool],
) -> bool {
    let free = choices[item].iter().find(|&&at| (held[at].len() as u64) < room[at]);
    if let Some(&at) = free {
        held[at].push(item);
        return true;
    }
    for &at in &choices[item] {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        for place_of in 0..held[at].len() {
            let other = held[at][place_of];
            if place(other, choices, room, held, seen) {
                held[at][place_of] = item;
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_moved_to_make_room() {
        let choices = [vec![0, 1], vec![0], vec![1, 2], vec![0, 1]];
        assert_eq!(matched(&choices, &[1, 1, 1]), 3);
        assert_eq!(matched(&choices, &[2, 1, 1]), 4);
        assert_eq!(matched(&choices, &[0, 0, 1]), 1);
    }
}
