//! The algorithms of MPI libraries for collectives, as steps: who sends how much to whom. A step ends
//! when all of its sends have ended. Blocks are those of an all-to-all, all-gather or reduce-scatter,
//! and the parts of an all-reduce, one a rank.
//!
//! Sources: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations
//! in MPICH", IJHPCA 19 (2005); J. Bruck et al., "Efficient algorithms for all-to-all communications in
//! multiport message-passing systems", IEEE TPDS 8 (1997). Not counted: copies inside a rank (the
//! rotations of Bruck's algorithm) and additions.

use ccsched_base::{Error, Result};
use ccsched_model::problem::Collective;
use std::collections::BTreeSet;

/// The name of what MPICH takes by the length of a call.
pub const MPICH: &str = "mpich";
/// The name of all that Open MPI has.
pub const OPEN_MPI: &str = "openmpi";

/// A send from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Send {
    /// The rank that sends.
    pub from: u32,
    /// The rank that receives.
    pub to: u32,
    /// Blocks; vectors that are halved may have parts of blocks.
    pub blocks: f64,
}

/// The sends that begin together.
pub type Step = Vec<Send>;

/// An algorithm for a collective.
#[derive(Debug)]
pub struct Algorithm {
    /// The collective.
    pub collective: Collective,
    /// The name.
    pub name: &'static str,
    /// Its number in the lists of Open MPI's component `tuned`, as its rules name it; 0 if it is none of them.
    pub open_mpi: u32,
    /// Its steps on a number of ranks, at least 2; none if it is not for that number.
    pub steps: fn(u32) -> Option<Vec<Step>>,
}

macro_rules! algorithms {
    ($($collective:ident $name:literal $open_mpi:literal $steps:path;)*) => {
        /// All algorithms.
        pub const ALGORITHMS: &[Algorithm] = &[$(Algorithm {
            collective: Collective::$collective,
            name: $name,
            open_mpi: $open_mpi,
            steps: $steps,
        }),*];
    };
}

#[rustfmt::skip]
algorithms! {
    Aas           "linear"             1 all_at_once;
    Aas           "pairwise"           2 shifts;
    Aas           "pairwise-xor"       0 exchanges;
    Aas           "bruck"              3 alltoall_bruck;
    Aab           "linear"             1 all_at_once;
    Aab           "ring"               4 ring;
    Aab           "neighbor-exchange"  5 neighbor_exchange;
    Aab           "bruck"              2 allgather_bruck;
    Aab           "recursive-doubling" 3 allgather_doubling;
    ReduceScatter "linear"             1 to_one_and_parts_back;
    ReduceScatter "pairwise"           0 shifts;
    ReduceScatter "ring"               0 ring;
    ReduceScatter "recursive-halving"  3 scatter_halving;
    AllReduce     "linear"             1 to_one_and_back;
    AllReduce     "ring"               4 two_rings;
    AllReduce     "recursive-doubling" 3 allreduce_doubling;
    AllReduce     "rabenseifner"       6 rabenseifner;
}

/// The name of a collective that programs get by schedules, as MPI has it, in small letters.
///
/// # Errors
/// [`Error::Field`]: there is no algorithm to compare it with.
pub fn title(collective: Collective) -> Result<&'static str> {
    match collective {
        Collective::Aas => Ok("alltoall"),
        Collective::Aab => Ok("allgather"),
        Collective::ReduceScatter => Ok("reduce-scatter"),
        Collective::AllReduce => Ok("allreduce"),
        other => {
            let why = format!("{other} is none of alltoall, allgather, reduce-scatter, allreduce");
            Err(Error::field("collective", why))
        }
    }
}

/// The algorithms of a collective.
pub fn of(collective: Collective) -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().filter(move |a| a.collective == collective)
}

/// Checks names of algorithms; [`MPICH`] and [`OPEN_MPI`] are such.
///
/// # Errors
/// [`Error::Field`]: a name that no algorithm has.
pub fn check(names: &[String]) -> Result<()> {
    let mut all: BTreeSet<&str> = ALGORITHMS.iter().map(|a| a.name).collect();
    all.extend([MPICH, OPEN_MPI]);
    let Some(unknown) = names.iter().find(|name| !all.contains(name.as_str())) else {
        return Ok(());
    };
    let known: Vec<&str> = all.into_iter().collect();
    let why = format!("unknown algorithm '{unknown}'; known: {}", known.join(", "));
    Err(Error::field("against", why))
}

/// The algorithm that MPICH takes for a call of this length: the rules of Thakur, Rabenseifner and Gropp.
pub fn of_mpich(collective: Collective, ranks: u32, bytes: u64) -> &'static str {
    let total = bytes.saturating_mul(ranks.into());
    let is_power = ranks.is_power_of_two();
    match collective {
        Collective::Aas if bytes <= 256 => "bruck",
        Collective::Aas if bytes <= 32 << 10 => "linear",
        Collective::Aas if is_power => "pairwise-xor",
        Collective::Aas => "pairwise",
        Collective::Aab if is_power && total < 512 << 10 => "recursive-doubling",
        Collective::Aab if total < 80 << 10 => "bruck",
        Collective::Aab => "ring",
        Collective::ReduceScatter if total < 512 << 10 => "recursive-halving",
        Collective::ReduceScatter => "pairwise",
        _ if bytes <= 2 << 10 => "recursive-doubling",
        _ => "rabenseifner",
    }
}

/// A step in which every rank sends as much, to a rank that `to` names.
fn each(ranks: u32, blocks: f64, to: impl Fn(u32) -> u32) -> Step {
    (0..ranks).map(|from| Send { from, to: to(from), blocks }).collect()
}

/// Every rank starts its messages to all others at once.
fn all_at_once(ranks: u32) -> Option<Vec<Step>> {
    let of = |from| {
        let others = (1..ranks).map(move |k| (from + k) % ranks);
        others.map(move |to| Send { from, to, blocks: 1.0 })
    };
    Some(vec![(0..ranks).flat_map(of).collect()])
}

/// In step k every rank sends a block to the k-th after it.
fn shifts(ranks: u32) -> Option<Vec<Step>> {
    Some((1..ranks).map(|k| each(ranks, 1.0, |from| (from + k) % ranks)).collect())
}

/// In step k every rank exchanges blocks with the rank whose number differs in the bits of k.
fn exchanges(ranks: u32) -> Option<Vec<Step>> {
    let steps = || (1..ranks).map(|k| each(ranks, 1.0, |from| from ^ k)).collect();
    ranks.is_power_of_two().then(steps)
}

/// In the step of a bit, every rank sends the blocks whose distance to go has this bit.
fn alltoall_bruck(ranks: u32) -> Option<Vec<Step>> {
    let step = |bit: u32| {
        let blocks = (1..ranks).filter(|distance| distance & bit != 0).count();
        each(ranks, blocks as f64, |from| (from + bit) % ranks)
    };
    Some(distances(ranks).map(step).collect())
}

/// Every rank passes on to the next one what it got in the step before.
fn ring(ranks: u32) -> Option<Vec<Step>> {
    Some(vec![each(ranks, 1.0, |from| (from + 1) % ranks); ranks as usize - 1])
}

/// Pairs of neighbours on a ring exchange blocks, by turns with the one on the left and on the right: the
/// own block first, then the two that came last.
fn neighbor_exchange(ranks: u32) -> Option<Vec<Step>> {
    let step = |number: u32| {
        let to = |from: u32| match (from + number).is_multiple_of(2) {
            true => (from + 1) % ranks,
            false => (from + ranks - 1) % ranks,
        };
        each(ranks, if number == 0 { 1.0 } else { 2.0 }, to)
    };
    ranks.is_multiple_of(2).then(|| (0..ranks / 2).map(step).collect())
}

/// A reduce-scatter, then an all-gather, along the same ring.
fn two_rings(ranks: u32) -> Option<Vec<Step>> {
    Some([ring(ranks)?, ring(ranks)?].concat())
}

/// Every rank sends all blocks that it has to ranks before it, twice as far in each step.
fn allgather_bruck(ranks: u32) -> Option<Vec<Step>> {
    let step = |distance: u32| {
        let blocks = distance.min(ranks - distance);
        each(ranks, f64::from(blocks), |from| (from + ranks - distance) % ranks)
    };
    Some(distances(ranks).map(step).collect())
}

/// Every rank exchanges all blocks that it has with ranks twice as far in each step.
fn allgather_doubling(ranks: u32) -> Option<Vec<Step>> {
    let step = |distance: u32| each(ranks, f64::from(distance), |from| from ^ distance);
    ranks.is_power_of_two().then(|| distances(ranks).map(step).collect())
}

/// The powers of two below a number of ranks.
fn distances(ranks: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..ranks.next_power_of_two().trailing_zeros()).map(|bit| 1 << bit)
}

/// All ranks send `blocks` to the first one.
fn to_one(ranks: u32, blocks: f64) -> Step {
    (1..ranks).map(|from| Send { from, to: 0, blocks }).collect()
}

/// The other direction.
fn back(step: &Step) -> Step {
    step.iter().map(|s| Send { from: s.to, to: s.from, ..*s }).collect()
}

/// All vectors to the first rank, and the sum back.
fn to_one_and_back(ranks: u32) -> Option<Vec<Step>> {
    let there = to_one(ranks, ranks.into());
    Some(vec![there.clone(), back(&there)])
}

/// All vectors to the first rank, and to each other one its block of the sum.
fn to_one_and_parts_back(ranks: u32) -> Option<Vec<Step>> {
    Some(vec![to_one(ranks, ranks.into()), back(&to_one(ranks, 1.0))])
}

/// Steps on the largest power of two of ranks: before them, as many ranks as are left each give their
/// vector to a neighbour, which gives back `result` blocks after them.
fn folded(ranks: u32, result: f64, steps: impl Fn(u32) -> Vec<Step>) -> Option<Vec<Step>> {
    let inner = 1 << ranks.ilog2();
    let left = ranks - inner;
    let rank = |number: u32| if number < left { 2 * number + 1 } else { number + left };
    let fold = |blocks: f64| -> Step {
        (0..left).map(|i| Send { from: 2 * i, to: 2 * i + 1, blocks }).collect()
    };
    let named = |s: Send| Send { from: rank(s.from), to: rank(s.to), ..s };
    let inner = steps(inner).into_iter().map(|step| step.into_iter().map(named).collect());
    let all = [fold(ranks.into())].into_iter().chain(inner).chain([back(&fold(result))]);
    Some(all.filter(|step| !step.is_empty()).collect())
}

/// Ranks exchange whole vectors, twice as far in each step.
fn allreduce_doubling(ranks: u32) -> Option<Vec<Step>> {
    let whole = f64::from(ranks);
    let steps = |inner| distances(inner).map(|d| each(inner, whole, |from| from ^ d)).collect();
    folded(ranks, whole, steps)
}

/// Ranks exchange half of what they have left to add up, the farthest first.
fn scatter_halving(ranks: u32) -> Option<Vec<Step>> {
    let halves = |inner: u32| {
        let part = f64::from(ranks) / f64::from(inner);
        distances(inner).rev().map(move |d| each(inner, part * f64::from(d), |from| from ^ d))
    };
    folded(ranks, 1.0, |inner| halves(inner).collect())
}

/// A reduce-scatter by halving from the nearest on, then an all-gather the same way back.
fn rabenseifner(ranks: u32) -> Option<Vec<Step>> {
    let steps = |inner: u32| -> Vec<Step> {
        let half = f64::from(ranks) / 2.0;
        let step = |d: u32| each(inner, half / f64::from(d), |from| from ^ d);
        distances(inner).map(step).chain(distances(inner).rev().map(step)).collect()
    };
    folded(ranks, ranks.into(), steps)
}
