//! The last steps of a wormhole schedule dissolved: each of their transfers gets a place in two earlier steps, whose
//! transfers are divided anew between these two.
//!
//! The transfers of both steps and the new one are vertices of a graph, conflicts are its edges, and the steps are two
//! colours. Colouring begins with the new transfer and goes on with what it displaces (a Kempe chain); without an odd
//! cycle, all fit. So a transfer finds a place although no step has room for it: its links are free in one step, its
//! port is in another. Links and ports of capacity c are c places, of which a transfer keeps one.

use ccsched_model::problem::{MessageId, Problem, places};
use ccsched_model::schedule::Plan;

/// Channels in use of a schedule whose last steps are dissolved; with more, it takes too much memory.
const MOST_CHANNELS: usize = 30_000_000;
/// Places that are looked at for all transfers together.
const MOST_LOOKS: usize = 500_000_000;
/// Earlier steps tried first: those in which fewest transfers are displaced.
const STEPS: usize = 40;
/// No transfer.
const NONE: u32 = u32::MAX;

/// The schedule with its last steps dissolved, as far as their transfers get places, but not below `least` steps.
pub fn recoloured(problem: &Problem, plan: Plan, least: usize) -> Plan {
    let is_long = plan.len() > least.max(2);
    let is_wormhole = problem.switching().holds_paths();
    if !is_long || !is_wormhole || plan.channel_steps() > MOST_CHANNELS {
        return plan;
    }
    let mut steps = Steps::new(problem, &plan);
    while steps.steps.len() > least.max(2) {
        let mut last = steps.steps.pop().unwrap_or_default();
        while let Some(placed) = last.pop() {
            if !steps.insert(&placed) {
                last.push(placed);
                steps.steps.push(last);
                return steps.plan();
            }
        }
    }
    steps.plan()
}

/// A transfer with its place of every link and port.
#[derive(Clone)]
struct Placed {
    message: MessageId,
    path: Vec<u32>,
    places: Vec<u32>,
}

struct Steps<'p> {
    problem: &'p Problem,
    /// By resource, its first place.
    first: Vec<u32>,
    steps: Vec<Vec<Placed>>,
    /// By place, the transfer of the first and of the second of two steps; reused.
    user: [Vec<u32>; 2],
    /// Places that may still be looked at.
    looks: usize,
}

impl<'p> Steps<'p> {
    fn new(problem: &'p Problem, plan: &Plan) -> Self {
        let first = places(problem.resources().capacities());
        let count = first.last().map_or(0, |&end| end as usize);
        let user = [0, 1].map(|_| vec![NONE; count]);
        let mut steps = Steps { problem, first, steps: Vec::new(), user, looks: MOST_LOOKS };
        for step in plan.steps() {
            let mut of_step: Vec<Placed> = Vec::with_capacity(step.len());
            for t in step.iter() {
                let placed = steps.placed(t.message, t.channels);
                steps.tell(&placed, 0, of_step.len() as u32);
                of_step.push(placed);
            }
            of_step.iter().for_each(|placed| steps.tell(placed, 0, NONE));
            steps.steps.push(of_step);
        }
        steps
    }

    /// A transfer at the first places of the first step that are free, or at the last ones.
    fn placed(&self, message: MessageId, path: &[u32]) -> Placed {
        let (network, resources, switching) =
            (self.problem.network(), self.problem.resources(), self.problem.switching());
        let mut places = Vec::new();
        resources.uses(network, switching, path, |resource, _| {
            let mut all = self.first[resource as usize]..self.first[resource as usize + 1];
            let last = all.end - 1;
            let is_free = |&place: &u32| self.user[0][place as usize] == NONE;
            places.push(all.find(is_free).unwrap_or(last));
        });
        Placed { message, path: path.to_vec(), places }
    }

    fn tell(&mut self, placed: &Placed, side: usize, user: u32) {
        placed.places.iter().for_each(|&place| self.user[side][place as usize] = user);
    }

    /// Sets or clears the users of a step.
    fn tell_all(&mut self, step: usize, side: usize, is_set: bool) {
        self.looks = self.looks.saturating_sub(self.steps[step].len());
        let (users, steps) = (&mut self.user[side], &self.steps[step]);
        for (user, placed) in (0..).zip(steps) {
            let user = if is_set { user } else { NONE };
            placed.places.iter().for_each(|&place| users[place as usize] = user);
        }
    }

    /// The steps in which a path displaces the fewest transfers.
    fn nearest(&mut self, path: &[u32]) -> Vec<usize> {
        let (network, resources, switching) =
            (self.problem.network(), self.problem.resources(), self.problem.switching());
        let mut is_wanted = vec![false; self.first.len()];
        resources.uses(network, switching, path, |r, _| is_wanted[r as usize] = true);
        let of_place: Vec<bool> = (0..self.first.len() - 1)
            .flat_map(|r| (self.first[r]..self.first[r + 1]).map(move |_| r))
            .map(|r| is_wanted[r])
            .collect();
        let displaces = |placed: &&Placed| placed.places.iter().any(|&p| of_place[p as usize]);
        let count = |step: &Vec<Placed>| step.iter().filter(displaces).count();
        let counts: Vec<usize> = self.steps.iter().map(count).collect();
        let all = self.steps.iter().flatten().map(|placed| placed.places.len()).sum();
        self.looks = self.looks.saturating_sub(all);
        let mut order: Vec<usize> = (0..self.steps.len()).collect();
        order.sort_by_key(|&step| counts[step]);
        order.truncate(STEPS);
        order
    }

    /// Finds places for a transfer. Returns whether there are any.
    fn insert(&mut self, Placed { message, path, .. }: &Placed) -> bool {
        for one in self.nearest(path) {
            if self.looks == 0 {
                break;
            }
            self.tell_all(one, 0, true);
            let placed = self.placed(*message, path);
            let other = (0..self.steps.len()).find(|&other| {
                other != one && {
                    self.tell_all(other, 1, true);
                    let chain = self.chain(&placed, [one, other]);
                    self.tell_all(other, 1, false);
                    chain.map(|chain| self.exchange(&chain, [one, other])).is_some()
                }
            });
            // The users of the first step are those from before an exchange.
            self.user[0].fill(NONE);
            if other.is_some() {
                self.steps[one].push(placed);
                return true;
            }
        }
        false
    }

    /// The transfers of both steps that change places so that a new one fits in the first; none if that is an odd cycle.
    fn chain(&self, placed: &Placed, steps: [usize; 2]) -> Option<[Vec<bool>; 2]> {
        let mut moves = steps.map(|step| vec![false; self.steps[step].len()]);
        // Those of the first step that the new one displaces, and what these displace there.
        let mut waiting = Vec::new();
        let blocked = |placed: &Placed, side: usize, moves: &mut [Vec<bool>; 2]| {
            let mut found = Vec::new();
            for &place in &placed.places {
                let user = self.user[side][place as usize];
                if user != NONE && !std::mem::replace(&mut moves[side][user as usize], true) {
                    found.push((side, user));
                }
            }
            found
        };
        waiting.extend(blocked(placed, 0, &mut moves));
        while let Some((side, user)) = waiting.pop() {
            let moved = &self.steps[steps[side]][user as usize];
            waiting.extend(blocked(moved, 1 - side, &mut moves));
        }
        // What comes into the first step must not meet the new one.
        let comes = self.steps[steps[1]].iter().zip(&moves[1]).filter(|(_, moves)| **moves);
        let mut comes = comes.flat_map(|(placed, _)| &placed.places);
        (!comes.any(|place| placed.places.contains(place))).then_some(moves)
    }

    /// Exchanges the transfers that move.
    fn exchange(&mut self, moves: &[Vec<bool>; 2], steps: [usize; 2]) {
        let mut moved = [Vec::new(), Vec::new()];
        for side in [0, 1] {
            let mut place = 0;
            self.steps[steps[side]].retain(|placed| {
                let leaves = moves[side][place];
                place += 1;
                moved[side].extend(leaves.then(|| placed.clone()));
                !leaves
            });
        }
        let [first, second] = moved;
        self.steps[steps[0]].extend(second);
        self.steps[steps[1]].extend(first);
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        for (step, of_step) in self.steps.iter().enumerate() {
            of_step.iter().for_each(|placed| plan.push(step, placed.message, &placed.path));
        }
        plan.tidy();
        plan
    }
}
