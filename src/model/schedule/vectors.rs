//! The vectors of an all-reduce of one part: what each rank sends, receives and adds. What arrives is a
//! vector of its own. What is sent is a vector, or the sum of several. A sum is made of the largest
//! vectors that the rank has, and kept, so that it is made once. Where ranks would then add in different
//! orders, it may be made of the smallest vectors, in the order of ranks, if that is one order for all.

use ccsched_base::bits;
use std::cmp::Reverse;
use std::collections::HashMap;

/// A transfer: the contributions of some ranks, added up.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The rank that sends it.
    pub from: usize,
    /// The rank that receives it.
    pub to: usize,
    /// The ranks that contribute.
    pub of: Vec<usize>,
}

/// What a rank does with its vectors. Vector 0 is its own contribution; every vector is made once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Adds two vectors.
    Add {
        /// The two; the first is complete no later than the second.
        of: [usize; 2],
        /// Their sum.
        into: usize,
    },
    /// Sends a vector.
    Send {
        /// The rank that receives it.
        to: usize,
        /// The vector.
        vector: usize,
        /// The number of the transfer, counted over all steps.
        transfer: usize,
    },
    /// Receives a vector.
    Receive {
        /// The rank that sends it.
        from: usize,
        /// The vector.
        into: usize,
        /// The number of the transfer, counted over all steps.
        transfer: usize,
    },
}

/// What a rank does.
#[derive(Clone, Debug)]
pub struct Acts {
    /// Its acts with their steps, from 0. In a step it adds, then sends, then receives; after the last
    /// step it may add.
    pub acts: Vec<(usize, Act)>,
    /// By vector, the last of the received ones that it contains, 0 if there is none.
    pub newest: Vec<usize>,
    /// By vector, the first of the ranks whose contributions it has.
    pub first: Vec<usize>,
    /// The vector that has all contributions.
    pub result: usize,
}

/// What all ranks do. The steps are those of a schedule that `verify` accepts.
pub fn of_ranks(ranks: usize, steps: impl Iterator<Item = Vec<Sum>>) -> Vec<Acts> {
    made_of(Parts::Largest, ranks, &steps.collect::<Vec<_>>())
}

/// The same, with one order of additions for all ranks where one is found.
pub fn in_one_order(ranks: usize, steps: impl Iterator<Item = Vec<Sum>>) -> Vec<Acts> {
    let steps: Vec<Vec<Sum>> = steps.collect();
    let large = made_of(Parts::Largest, ranks, &steps);
    if ranks > MOST_OF_SMALL || have_one_order(&large) {
        return large;
    }
    let small = made_of(Parts::Smallest, ranks, &steps);
    if have_one_order(&small) { small } else { large }
}

/// The most ranks that are tried to add in the order of ranks: each may keep a vector for every other one.
const MOST_OF_SMALL: usize = 256;

/// Which of its vectors a rank adds up: the largest as they have come, or the smallest in the order of
/// ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    Largest,
    Smallest,
}

/// What all ranks do whose sums are made of such vectors.
fn made_of(parts: Parts, ranks: usize, steps: &[Vec<Sum>]) -> Vec<Acts> {
    let memory = |rank| Memory::new(parts, rank, ranks);
    let mut memories: Vec<Memory> = (0..ranks).map(memory).collect();
    let (mut number, mut last) = (0, 0);
    for (step, sums) in steps.iter().enumerate() {
        last = step + 1;
        let set = |sum: &Sum| {
            let mut set = vec![0; bits::words(ranks)];
            sum.of.iter().for_each(|&rank| bits::insert(&mut set, rank as u32));
            set
        };
        for (transfer, sum) in (number..).zip(sums) {
            let memory = &mut memories[sum.from];
            let vector = memory.sum(step, &set(sum));
            memory.acts.push((step, Act::Send { to: sum.to, vector, transfer }));
        }
        for (transfer, sum) in (number..).zip(sums) {
            let memory = &mut memories[sum.to];
            let into = memory.keep(set(sum), None);
            memory.acts.push((step, Act::Receive { from: sum.from, into, transfer }));
        }
        number += sums.len();
    }
    let mut all = vec![0; bits::words(ranks)];
    (0..ranks as u32).for_each(|rank| bits::insert(&mut all, rank));
    memories.into_iter().map(|memory| memory.end(last, &all)).collect()
}

/// Whether all ranks add the same vectors to each other. If they then also agree on the operands, the vector
/// that has the [first](Acts::first) rank comes before the other, all get the same bits of any operation.
pub fn have_one_order(ranks: &[Acts]) -> bool {
    // By transfer what it carries, and by rank and vector what that is: a rank, or a sum of two such.
    let mut carried: HashMap<usize, usize> = HashMap::new();
    let mut sums: HashMap<[usize; 2], usize> = HashMap::new();
    let mut known: Vec<Vec<usize>> = (0..ranks.len()).map(|rank| vec![rank]).collect();
    known.iter_mut().zip(ranks).for_each(|(of, acts)| of.resize(acts.newest.len(), 0));
    let mut rest: Vec<_> = ranks.iter().map(|of| of.acts.iter().peekable()).collect();
    for step in
        0..=ranks.iter().filter_map(|of| of.acts.last()).map(|last| last.0).max().unwrap_or(0)
    {
        for is_receive in [false, true] {
            for (rest, known) in rest.iter_mut().zip(&mut known) {
                let is_now = |(at, act): &&(usize, Act)| {
                    *at == step && matches!(act, Act::Receive { .. }) == is_receive
                };
                while let Some((_, act)) = rest.next_if(is_now) {
                    match *act {
                        Act::Add { of, into } => {
                            let mut of = of.map(|vector| known[vector]);
                            of.sort_unstable();
                            let next = ranks.len() + sums.len();
                            known[into] = *sums.entry(of).or_insert(next);
                        }
                        Act::Send { vector, transfer, .. } => {
                            carried.insert(transfer, known[vector]);
                        }
                        Act::Receive { into, transfer, .. } => known[into] = carried[&transfer],
                    }
                }
            }
        }
    }
    let mut results = ranks.iter().zip(&known).map(|(acts, known)| known[acts.result]);
    let first = results.next();
    results.all(|result| Some(result) == first)
}

/// The vectors of a rank so far.
struct Memory {
    parts: Parts,
    acts: Vec<(usize, Act)>,
    /// By vector, the ranks whose contributions it has.
    sets: Vec<Vec<u64>>,
    newest: Vec<usize>,
    /// The vector with exactly these contributions.
    numbers: HashMap<Vec<u64>, usize>,
}

impl Memory {
    fn new(parts: Parts, rank: usize, ranks: usize) -> Self {
        let mut own = vec![0; bits::words(ranks)];
        bits::insert(&mut own, rank as u32);
        let (acts, numbers) = (Vec::new(), [(own.clone(), 0)].into());
        Memory { parts, acts, sets: vec![own], newest: vec![0], numbers }
    }

    /// A new vector; one that is received is the newest itself.
    fn keep(&mut self, set: Vec<u64>, newest: Option<usize>) -> usize {
        let number = self.sets.len();
        self.numbers.insert(set.clone(), number);
        self.sets.push(set);
        self.newest.push(newest.unwrap_or(number));
        number
    }

    /// The vector with these contributions, made of those that the rank has.
    fn sum(&mut self, step: usize, set: &[u64]) -> usize {
        if let Some(&vector) = self.numbers.get(set) {
            return vector;
        }
        let is_within = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a & !b == 0);
        let mut parts: Vec<usize> =
            (0..self.sets.len()).filter(|&v| is_within(&self.sets[v], set)).collect();
        match self.parts {
            Parts::Largest => parts.sort_by_key(|&v| Reverse(bits::count(&self.sets[v]))),
            Parts::Smallest => parts.sort_by_key(|&v| bits::count(&self.sets[v])),
        }
        let mut rest = set.to_vec();
        parts.retain(|&v| {
            let fits = is_within(&self.sets[v], &rest);
            if fits {
                bits::subtract(&mut rest, &self.sets[v]);
            }
            fits
        });
        match self.parts {
            Parts::Largest => parts.sort_by_key(|&v| self.newest[v]),
            Parts::Smallest => parts.sort_by_key(|&v| bits::nth(&self.sets[v], 0)),
        }
        let sum = parts.into_iter().reduce(|sum, part| {
            let both = self.sets[sum].iter().zip(&self.sets[part]).map(|(a, b)| a | b).collect();
            let into = self.keep(both, Some(self.newest[sum].max(self.newest[part])));
            let is_later = self.newest[sum] > self.newest[part];
            let of = if is_later { [part, sum] } else { [sum, part] };
            self.acts.push((step, Act::Add { of, into }));
            into
        });
        sum.expect("a rank sends what it has")
    }

    /// The acts in their order, when the last step is over.
    fn end(mut self, step: usize, all: &[u64]) -> Acts {
        let result = self.sum(step, all);
        let place = |act: &Act| match act {
            Act::Add { .. } => 0,
            Act::Send { .. } => 1,
            Act::Receive { .. } => 2,
        };
        self.acts.sort_by_key(|(step, act)| (*step, place(act)));
        let first =
            |set: &Vec<u64>| bits::nth(set, 0).expect("a vector has contributions") as usize;
        let first = self.sets.iter().map(first).collect();
        Acts { acts: self.acts, newest: self.newest, first, result }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(from: usize, to: usize, of: &[usize]) -> Sum {
        Sum { from, to, of: of.to_vec() }
    }

    #[test]
    fn orders_of_addition_are_told_apart() {
        let twice = |a, b| [sum(a, b, &[a]), sum(b, a, &[b])];
        // Pairs, then pairs of pairs.
        let first = [twice(0, 1), twice(2, 3)].concat();
        let pair = |from: usize| [from / 2 * 2, from / 2 * 2 + 1];
        let second = [[0, 2], [2, 0], [1, 3], [3, 1]].map(|[a, b]| sum(a, b, &pair(a)));
        assert!(have_one_order(&of_ranks(4, vec![first, second.into()].into_iter())));
        // Around a ring of three each begins with its own, unless all add in the order of ranks.
        let around = |by: usize| (0..3).map(move |a| sum(a, (a + by) % 3, &[a])).collect();
        let steps = vec![around(1), around(2)];
        assert!(!have_one_order(&made_of(Parts::Largest, 3, &steps)));
        let acts = in_one_order(3, steps.into_iter());
        assert!(have_one_order(&acts));
        for acts in acts {
            for (_, act) in &acts.acts {
                if let Act::Add { of: [a, b], .. } = act {
                    assert!(acts.newest[*a] <= acts.newest[*b]);
                }
            }
        }
        // Rank 0 gets 1 and 2 as one vector, rank 1 apart: they cannot add in one order.
        let steps = [
            vec![sum(2, 1, &[2])],
            vec![sum(1, 0, &[1, 2]), sum(0, 1, &[0]), sum(0, 2, &[0])],
            vec![sum(1, 2, &[1])],
        ];
        assert!(!have_one_order(&in_one_order(3, steps.into_iter())));
    }

    #[test]
    fn a_sum_is_made_once_of_the_largest_vectors() {
        // Rank 0 gets 1, then 2 and 3; it sends 0+1, and 0+1+2 to two ranks.
        let steps = vec![
            vec![sum(1, 0, &[1])],
            vec![sum(2, 0, &[2]), sum(3, 0, &[3]), sum(0, 4, &[1, 0])],
            vec![sum(0, 1, &[0, 1, 2]), sum(0, 2, &[0, 1, 2])],
            vec![sum(4, 0, &[4])],
        ];
        let acts = of_ranks(5, steps.into_iter()).swap_remove(0);
        let right = [
            (0, Act::Receive { from: 1, into: 1, transfer: 0 }),
            (1, Act::Add { of: [0, 1], into: 2 }),
            (1, Act::Send { to: 4, vector: 2, transfer: 3 }),
            (1, Act::Receive { from: 2, into: 3, transfer: 1 }),
            (1, Act::Receive { from: 3, into: 4, transfer: 2 }),
            (2, Act::Add { of: [2, 3], into: 5 }),
            (2, Act::Send { to: 1, vector: 5, transfer: 4 }),
            (2, Act::Send { to: 2, vector: 5, transfer: 5 }),
            (3, Act::Receive { from: 4, into: 6, transfer: 6 }),
            (4, Act::Add { of: [5, 4], into: 7 }),
            (4, Act::Add { of: [7, 6], into: 8 }),
        ];
        assert_eq!((&acts.acts[..], acts.result), (&right[..], 8));
        assert_eq!(acts.newest, [0, 1, 1, 3, 4, 3, 6, 4, 6]);
    }
}
