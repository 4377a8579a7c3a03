//! All-reduces of random tiny networks against an exact search: bound <= exact <= found. The search
//! is written from the rules of sums alone (docs/model.md).

use super::{ends, found};
use crate::support::search::search;
use crate::support::tiny;
use ccsched::engines::Engine;
use ccsched::network::Network;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::rng::rng_of;
use std::collections::HashSet;
use std::sync::Arc;

/// Networks drawn.
const NETWORKS: usize = 120;
/// Choices of a search until a network counts as too large.
const CHOICES: usize = 50_000;
const MOST_STEPS: u32 = 8;

/// One part: by vertex, the contributions that it holds, as bits; the vertices that have handed theirs
/// over, and those that have the complete sum.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Part {
    holds: Vec<u8>,
    handed: u8,
    complete: u8,
}

/// A transfer of a part: where it starts and ends, and whether it copies the complete sum.
type Move = (usize, usize, bool);

/// The network, and the terminals as bits.
struct Tiny {
    /// Start, end and link of every channel.
    channels: Vec<(usize, usize, usize)>,
    links: usize,
    all: u8,
    seen: HashSet<(Vec<Part>, u32)>,
    choices: usize,
}

impl Part {
    /// Transfers that are at least needed.
    fn needed(&self, all: u8) -> u32 {
        if self.complete != 0 {
            return (all & !self.complete).count_ones();
        }
        let holders = self.holds.iter().filter(|&&of| of != 0).count() as u32;
        holders - 1 + all.count_ones() - 1
    }

    /// What becomes of it in a step; none if a rule is broken.
    fn after(&self, moves: &[Move], all: u8) -> Option<Part> {
        let mut next = self.clone();
        let mut served = 0u8;
        for &(from, to, gathers) in moves {
            let has_all = self.complete >> from & 1 == 1;
            if gathers {
                let twice = (self.complete | served) >> to & 1 == 1;
                if !has_all || twice {
                    return None;
                }
                served |= 1 << to;
                continue;
            }
            if has_all || next.handed >> from & 1 == 1 || self.holds[from] == 0 {
                return None;
            }
            next.handed |= 1 << from;
            next.holds[from] = 0;
        }
        for &(from, to, gathers) in moves {
            if gathers {
                continue;
            }
            let part = self.holds[from];
            if moves.contains(&(to, from, false)) {
                if part | self.holds[to] != all {
                    return None;
                }
                next.holds[from] |= part;
            } else if next.handed >> to & 1 == 1 {
                return None;
            }
            next.holds[to] |= part;
        }
        next.complete |= served;
        for &(_, to, _) in moves {
            next.complete |= u8::from(next.holds[to] == all) << to;
        }
        Some(next)
    }
}

impl Tiny {
    fn of(network: &Network) -> Self {
        let channels = ends(network);
        let links: HashSet<usize> = channels.iter().map(|c| c.2).collect();
        let all = network.terminals().fold(0, |all, v| all | 1 << v);
        Tiny { links: links.len(), channels, all, seen: HashSet::new(), choices: 0 }
    }

    /// Whether the parts can be everywhere within some steps; none if that takes too long.
    fn ends_within(&mut self, mut parts: Vec<Part>, steps: u32) -> Option<bool> {
        // No part is another one's better.
        parts.sort();
        let needed: u32 = parts.iter().map(|part| part.needed(self.all)).sum();
        if needed == 0 {
            return Some(true);
        }
        if needed > steps * self.links as u32 || !self.seen.insert((parts.clone(), steps)) {
            return Some(false);
        }
        let idle = steps * self.links as u32 - needed;
        self.step(&parts, &mut vec![Vec::new(); parts.len()], 0, (0, idle), steps)
    }

    /// Chooses what the channels from one on carry; `used` has the links in use, and `idle` channels may
    /// carry nothing in this and all later steps.
    fn step(
        &mut self,
        parts: &[Part],
        moves: &mut Vec<Vec<Move>>,
        channel: usize,
        (used, idle): (u32, u32),
        steps: u32,
    ) -> Option<bool> {
        self.choices += 1;
        if self.choices > CHOICES {
            return None;
        }
        let Some(&(from, to, link)) = self.channels.get(channel) else {
            let after = parts.iter().zip(&*moves).map(|(part, m)| part.after(m, self.all));
            let Some(next) = after.collect::<Option<Vec<Part>>>() else { return Some(false) };
            let free = self.links as u32 - used.count_ones();
            return if free > idle { Some(false) } else { self.ends_within(next, steps - 1) };
        };
        if used >> link & 1 == 0 {
            for place in 0..parts.len() {
                let part = &parts[place];
                // Of equal parts without a transfer one is as good as another.
                let is_first =
                    (0..place).all(|other| parts[other] != *part || !moves[other].is_empty());
                let has_all = part.complete >> from & 1 == 1;
                let can =
                    if has_all { part.complete >> to & 1 == 0 } else { part.holds[from] != 0 };
                let is_copy = !is_first && moves[place].is_empty();
                if !can || is_copy {
                    continue;
                }
                moves[place].push((from, to, has_all));
                let found = self.step(parts, moves, channel + 1, (used | 1 << link, idle), steps);
                moves[place].pop();
                if found != Some(false) {
                    return found;
                }
            }
        }
        self.step(parts, moves, channel + 1, (used, idle), steps)
    }

    /// The fewest steps.
    fn solve(network: &Network) -> Option<u32> {
        let n = network.vertices().len();
        let own = |v| if network.is_terminal(v) { 1 << v } else { 0 };
        let part = Part { holds: (0..n as u32).map(own).collect(), handed: 0, complete: 0 };
        let parts = vec![part; network.terminals().count()];
        let mut tiny = Tiny::of(network);
        for steps in 1..=MOST_STEPS {
            tiny.seen.clear();
            if tiny.ends_within(parts.clone(), steps)? {
                return Some(steps);
            }
        }
        None
    }
}

#[test]
fn all_reduces() {
    let mut rng = rng_of(41, 0, 0);
    let (mut decided, mut equal, mut fewer) = (0, 0, 0);
    for _ in 0..NETWORKS {
        let network = tiny::network(&mut rng);
        if network.vertices().len() > 4 || network.channels().len() > 6 {
            continue;
        }
        let switching = Switching::StoreAndForward;
        let pose = |collective| {
            let request = Request { switching, ..Request::new(collective) };
            request.pose(network.clone(), vec![]).ok().map(Arc::new)
        };
        let Some(problem) = pose(Collective::AllReduce) else { continue };
        let Some(exact) = Tiny::solve(problem.network()) else { continue };
        let exact = exact as usize;
        decided += 1;
        equal += usize::from(found(&problem, &problem, exact, 500) == exact);
        let halves = [Collective::ReduceScatter, Collective::Aab].map(|half| {
            let half = pose(half).expect("it is posed as the whole is");
            let found = search(&half, Engine::default(), 1, 1, 500).unwrap();
            found.best.expect("a schedule is found").len()
        });
        fewer += usize::from(exact < halves[0] + halves[1]);
    }
    println!("{decided} decided, {equal} equal, {fewer} shorter than the halves");
    assert!(decided >= 20 && equal * 100 >= decided * 85, "{equal} of {decided}");
    assert!(fewer > 0);
}
