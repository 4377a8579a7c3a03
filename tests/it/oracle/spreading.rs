//! Broadcasts, exactly: breadth-first search over the sets of informed vertices of all messages. A
//! step is any set of transfers without conflict. States that are subsets of another one are
//! dropped: every continuation of a subset is possible from the superset.

use super::model::{Model, Taken, has_room};
use super::{Exact, Undecided};
use std::collections::{HashMap, HashSet};

/// States beyond this many at one depth are not searched.
const MOST_STATES: usize = 2000;

/// The informed vertices of each message: bit `message * vertices + vertex`.
pub type State = u128;

/// A message and the path of its transfer.
pub type Sent = (usize, Vec<usize>);

/// The next states: for each, the place of a predecessor and the transfers between them.
pub type Next = HashMap<State, (usize, Vec<Sent>)>;

/// Steps, and transfers as (step, message, path).
pub type Scheduled = (usize, Vec<(usize, usize, Vec<usize>)>);

/// One delivery that a step can make, with its minimal sets of resources.
struct Delivery {
    bit: State,
    /// The resources taken, and the path.
    ways: Vec<(Taken, Vec<usize>)>,
    message: usize,
}

/// A state, the place of its predecessor at the depth before, and the transfers between them.
pub struct Known {
    pub state: State,
    pub before: usize,
    pub moved: Vec<Sent>,
}

/// The shortest schedule, as (step, source, none, path).
pub fn solve(model: &Model, most_steps: usize, mut nodes: u64) -> Result<Exact, Undecided> {
    let (steps, moved) = schedule(model, most_steps, &mut nodes)?;
    let source = |m: usize| model.spreads[m].source;
    let transfers = moved.into_iter().map(|(step, m, path)| (step, source(m), None, path));
    Ok(Exact { steps, transfers: transfers.collect() })
}

/// The same, as (step, message, path).
pub fn schedule(model: &Model, most_steps: usize, nodes: &mut u64) -> Result<Scheduled, Undecided> {
    let (start, goal) = ends(model)?;
    let paths = model.transfers();
    let mut depths = vec![vec![Known { state: start, before: 0, moved: vec![] }]];
    for _ in 0..most_steps {
        let mut next: Next = HashMap::new();
        for (before, known) in depths[depths.len() - 1].iter().enumerate() {
            let deliveries = deliveries(model, &paths, known.state, known.state);
            let mut step = Step { deliveries: &deliveries, seen: HashSet::new(), nodes };
            step.choose(0, model.nothing(), known.state, &mut vec![], &mut |state, moved| {
                next.entry(state).or_insert_with(|| (before, moved.to_vec()));
            })?;
        }
        let best = maximal(next)?;
        let arrived = best.iter().position(|known| known.state & goal == goal);
        depths.push(best);
        if let Some(last) = arrived {
            return Ok((depths.len() - 1, trace(&depths, last)));
        }
    }
    Err(Undecided)
}

/// What vertices have in the beginning, and what they must have in the end.
pub fn ends(model: &Model) -> Result<(State, State), Undecided> {
    let (n, spreads) = (model.vertices, &model.spreads);
    if spreads.len() * n > State::BITS as usize {
        return Err(Undecided);
    }
    let (mut start, mut goal) = (0, 0);
    for (m, spread) in spreads.iter().enumerate() {
        start |= 1 << (m * n + spread.source);
        goal |= State::from(spread.goal) << (m * n);
    }
    Ok((start, goal))
}

/// The deliveries of what vertices have to send to those that have nothing yet, and get nothing.
fn deliveries(
    model: &Model,
    paths: &[(usize, usize, Vec<usize>)],
    sends: State,
    gets: State,
) -> Vec<Delivery> {
    let mut all = Vec::new();
    for (message, v, possible) in deliverable(model, paths, sends, gets) {
        let mut ways: Vec<_> =
            possible.map(|(_, _, path)| (model.mask(path), path.clone())).collect();
        ways.sort_by_key(|(mask, _)| mask.count_ones());
        let mut least: Vec<(Taken, Vec<usize>)> = Vec::new();
        for way in ways {
            if least.iter().all(|(mask, _)| mask & way.0 != *mask) {
                least.push(way);
            }
        }
        if !least.is_empty() {
            let bit = 1 << (message * model.vertices + v);
            all.push(Delivery { bit, ways: least, message });
        }
    }
    all
}

/// A path of a transfer: start, end, channels.
pub type Way = (usize, usize, Vec<usize>);

/// The messages and the vertices that may have them and have nothing yet, each with the paths over which it can come.
pub fn deliverable<'p>(
    model: &Model,
    paths: &'p [Way],
    sends: State,
    gets: State,
) -> impl Iterator<Item = (usize, usize, impl Iterator<Item = &'p Way>)> {
    let n = model.vertices;
    let is_in = move |state: State, m: usize, v: usize| state >> (m * n + v) & 1 == 1;
    let spreads = model.spreads.iter().enumerate();
    let all = spreads.flat_map(move |(m, spread)| {
        let may = move |v: &usize| spread.may >> v & 1 == 1;
        (0..n).filter(move |&v| !is_in(gets, m, v)).filter(may).map(move |v| (m, v))
    });
    all.map(move |(m, v)| {
        let can = move |way: &&Way| way.1 == v && is_in(sends, m, way.0);
        (m, v, paths.iter().filter(can))
    })
}

struct Step<'a> {
    deliveries: &'a [Delivery],
    /// (next delivery, resources taken, state): the rest of the search depends on nothing else.
    seen: HashSet<(usize, Taken, State)>,
    nodes: &'a mut u64,
}

impl Step<'_> {
    fn choose(
        &mut self,
        i: usize,
        taken: Taken,
        state: State,
        moved: &mut Vec<Sent>,
        reached: &mut impl FnMut(State, &[Sent]),
    ) -> Result<(), Undecided> {
        if !self.seen.insert((i, taken, state)) {
            return Ok(());
        }
        *self.nodes = self.nodes.checked_sub(1).ok_or(Undecided)?;
        let all = self.deliveries;
        let Some(delivery) = all.get(i) else {
            // If another delivery fits, the search also visits that larger step.
            let more = |d: &Delivery| {
                state & d.bit == 0 && d.ways.iter().any(|&(mask, _)| has_room(taken, mask))
            };
            if !all.iter().any(more) {
                reached(state, moved);
            }
            return Ok(());
        };
        for (mask, path) in delivery.ways.iter().filter(|&&(mask, _)| has_room(taken, mask)) {
            moved.push((delivery.message, path.clone()));
            self.choose(i + 1, taken + mask, state | delivery.bit, moved, reached)?;
            moved.pop();
        }
        self.choose(i + 1, taken, state, moved, reached)
    }
}

/// Whether some steps of some rounds in all suffice: what arrives in a step is sent on in later ones.
pub fn fits(
    model: &Model,
    (steps, rounds): (usize, usize),
    mut nodes: u64,
) -> Result<bool, Undecided> {
    let ((start, goal), nodes) = (ends(model)?, &mut nodes);
    let paths = model.transfers();
    // What was there before the step, what is there now, and the steps begun.
    let mut states = HashSet::from([(start, start, 1)]);
    for _ in 0..rounds {
        let mut next = HashSet::new();
        for &(before, now, begun) in &states {
            let deliveries = deliveries(model, &paths, before, now);
            let mut round = Step { deliveries: &deliveries, seen: HashSet::new(), nodes };
            round.choose(0, model.nothing(), now, &mut vec![], &mut |state, _| {
                next.insert((before, state, begun));
                if begun < steps {
                    next.insert((state, state, begun + 1));
                }
            })?;
        }
        if next.iter().any(|(_, now, _)| now & goal == goal) {
            return Ok(true);
        }
        if next.len() > MOST_STATES {
            return Err(Undecided);
        }
        states = next;
    }
    Ok(false)
}

/// The states that are not subsets of others.
pub fn maximal(states: Next) -> Result<Vec<Known>, Undecided> {
    let mut all: Vec<Known> =
        states.into_iter().map(|(state, (before, moved))| Known { state, before, moved }).collect();
    all.sort_by_key(|known| (std::cmp::Reverse(known.state.count_ones()), known.state));
    let mut best: Vec<Known> = Vec::new();
    for known in all {
        if best.iter().all(|more| more.state & known.state != known.state) {
            best.push(known);
        }
        if best.len() > MOST_STATES {
            return Err(Undecided);
        }
    }
    Ok(best)
}

/// The transfers that have led to a state at the last depth.
pub fn trace(depths: &[Vec<Known>], last: usize) -> Vec<(usize, usize, Vec<usize>)> {
    let mut transfers = Vec::new();
    let mut place = last;
    for (depth, states) in depths.iter().enumerate().skip(1).rev() {
        let known = &states[place];
        let moved = known.moved.iter();
        transfers.extend(moved.map(|(m, path)| (depth - 1, *m, path.clone())));
        place = known.before;
    }
    transfers
}
