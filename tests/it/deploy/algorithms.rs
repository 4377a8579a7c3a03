//! The steps of the algorithms move what they must: each is played with blocks or contributions by the
//! rule of its paper, over the sends that the model has.

use ccsched::deploy::algorithms::{ALGORITHMS, Step, of_mpich};
use ccsched::problem::Collective;
use std::collections::{BTreeSet, HashSet};

const RANKS: [u32; 9] = [2, 3, 4, 5, 7, 8, 12, 16, 31];

/// The steps of an algorithm, if it is for this number of ranks.
fn steps(collective: Collective, name: &str, ranks: u32) -> Option<Vec<Step>> {
    let is_it =
        |a: &&ccsched::deploy::algorithms::Algorithm| a.collective == collective && a.name == name;
    (ALGORITHMS.iter().find(is_it).expect("an algorithm of this name").steps)(ranks)
}

/// Whether every rank sends once and receives once.
fn is_permutation(step: &Step, ranks: u32) -> bool {
    let ends = |end: fn(&(u32, u32)) -> u32| {
        step.iter().map(|s| end(&(s.from, s.to))).collect::<BTreeSet<u32>>()
    };
    let all: BTreeSet<u32> = (0..ranks).collect();
    step.len() == ranks as usize
        && ends(|s| s.0) == all
        && ends(|s| s.1) == all
        && step.iter().all(|s| s.from != s.to)
}

#[test]
fn direct_algorithms_have_every_pair_once() {
    for ranks in RANKS {
        for (collective, name) in [
            (Collective::Aas, "linear"),
            (Collective::Aas, "pairwise"),
            (Collective::Aas, "pairwise-xor"),
            (Collective::Aab, "linear"),
            (Collective::ReduceScatter, "pairwise"),
        ] {
            let Some(steps) = steps(collective, name, ranks) else {
                assert!(name == "pairwise-xor" && !ranks.is_power_of_two());
                continue;
            };
            let mut pairs = HashSet::new();
            for send in steps.iter().flatten() {
                assert!(send.from != send.to && send.blocks == 1.0);
                assert!(pairs.insert((send.from, send.to)), "{name}: {send:?} twice");
            }
            assert_eq!(pairs.len() as u32, ranks * (ranks - 1));
            match name {
                "linear" => assert_eq!(steps.len(), 1),
                _ => assert!(steps.iter().all(|step| is_permutation(step, ranks))),
            }
        }
    }
}

/// A block moves by a bit of the distance that it has left to go.
#[test]
fn bruck_brings_every_block_of_an_alltoall_to_its_rank() {
    for ranks in RANKS {
        let mut at: Vec<Vec<(u32, u32)>> =
            (0..ranks).map(|s| (0..ranks).map(|d| (s, d)).collect()).collect();
        let steps = steps(Collective::Aas, "bruck", ranks).unwrap();
        assert_eq!(steps.len() as u32, u32::BITS - (ranks - 1).leading_zeros());
        for step in &steps {
            assert!(is_permutation(step, ranks));
            let mut moved = Vec::new();
            for send in step {
                let bit = (send.to + ranks - send.from) % ranks;
                let (goes, stays): (Vec<_>, Vec<_>) = at[send.from as usize]
                    .iter()
                    .partition(|(_, d)| ((d + ranks - send.from) % ranks) & bit != 0);
                assert_eq!(goes.len() as f64, send.blocks, "{ranks} ranks, {send:?}");
                at[send.from as usize] = stays;
                moved.push((send.to, goes));
            }
            moved.into_iter().for_each(|(to, blocks)| at[to as usize].extend(blocks));
        }
        for (rank, blocks) in (0..).zip(&mut at) {
            blocks.sort_unstable();
            assert_eq!(*blocks, (0..ranks).map(|s| (s, rank)).collect::<Vec<_>>());
        }
    }
}

/// By rank, the blocks in the order in which it got them: rings and neighbours pass on the last ones, the
/// others the first ones.
#[test]
fn allgathers_bring_every_block_to_every_rank_once() {
    for ranks in RANKS {
        for name in ["ring", "neighbor-exchange", "bruck", "recursive-doubling"] {
            let Some(steps) = steps(Collective::Aab, name, ranks) else {
                let is_for_it = match name {
                    "recursive-doubling" => ranks.is_power_of_two(),
                    "neighbor-exchange" => ranks % 2 == 0,
                    _ => true,
                };
                assert!(!is_for_it, "{name}, {ranks} ranks");
                continue;
            };
            let mut has: Vec<Vec<u32>> = (0..ranks).map(|rank| vec![rank]).collect();
            for step in &steps {
                assert!(is_permutation(step, ranks));
                let before = has.clone();
                for send in step {
                    let (own, number) = (&before[send.from as usize], send.blocks as usize);
                    assert!(number <= own.len(), "{name}: {send:?} of {own:?}");
                    let sent = match name {
                        "ring" | "neighbor-exchange" => &own[own.len() - number..],
                        _ => &own[..number],
                    };
                    has[send.to as usize].extend(sent);
                }
            }
            for blocks in &mut has {
                blocks.sort_unstable();
                assert_eq!(*blocks, (0..ranks).collect::<Vec<_>>(), "{name}, {ranks} ranks");
            }
        }
    }
}

/// The contributions that a rank has added up.
type Sum = BTreeSet<u32>;

/// By rank and part, its sum: at first its own contribution.
fn contributions(ranks: u32) -> Vec<Vec<Sum>> {
    (0..ranks).map(|rank| vec![Sum::from([rank]); ranks as usize]).collect()
}

/// Adds one sum to another, which has none of its contributions.
fn add(to: &mut Sum, sum: &Sum) {
    assert!(to.is_disjoint(sum), "{sum:?} is added twice to {to:?}");
    to.extend(sum);
}

#[test]
fn rings_add_up_every_contribution_once() {
    for ranks in RANKS {
        let mut has = contributions(ranks);
        let steps = steps(Collective::AllReduce, "ring", ranks).unwrap();
        assert_eq!(steps.len() as u32, 2 * (ranks - 1));
        for (number, step) in (0..).zip(&steps) {
            assert!(is_permutation(step, ranks));
            let before = has.clone();
            for send in step {
                assert_eq!((send.to, send.blocks), ((send.from + 1) % ranks, 1.0));
                let part = ((send.from + 2 * ranks - number) % ranks) as usize;
                let (sum, own) = (&before[send.from as usize][part], &mut has[send.to as usize]);
                match number < ranks - 1 {
                    true => add(&mut own[part], sum),
                    false => own[part] = sum.clone(),
                }
            }
        }
        assert!(has.iter().flatten().all(|sum| sum.len() as u32 == ranks));
    }
}

#[test]
fn doubling_adds_up_whole_vectors() {
    for ranks in RANKS {
        let mut has: Vec<Sum> = (0..ranks).map(|rank| Sum::from([rank])).collect();
        for step in steps(Collective::AllReduce, "recursive-doubling", ranks).unwrap() {
            let before = has.clone();
            for send in step {
                assert_eq!(send.blocks, f64::from(ranks));
                let (sum, own) = (&before[send.from as usize], &mut has[send.to as usize]);
                match sum.len() as u32 == ranks {
                    true => own.clone_from(sum),
                    false => add(own, sum),
                }
            }
        }
        assert!(has.iter().all(|sum| sum.len() as u32 == ranks), "{ranks} ranks: {has:?}");
    }
}

/// Halving: a rank sends the half of its range that it does not keep, and adds up the other; then the
/// ranges grow together again.
#[test]
fn halves_of_vectors_are_added_up_and_spread() {
    for ranks in [2u32, 4, 8, 16, 32] {
        for (collective, name) in [
            (Collective::ReduceScatter, "recursive-halving"),
            (Collective::AllReduce, "rabenseifner"),
        ] {
            let steps = steps(collective, name, ranks).unwrap();
            let halvings = ranks.ilog2() as usize;
            let mut has = contributions(ranks);
            let mut range = vec![0..ranks as usize; ranks as usize];
            for (number, step) in steps.iter().enumerate() {
                assert!(is_permutation(step, ranks));
                let (sums, ranges) = (has.clone(), range.clone());
                for send in step {
                    let (from, to) = (send.from as usize, send.to as usize);
                    let (mine, its) = (ranges[from].clone(), ranges[to].clone());
                    if number < halvings {
                        // Both have the same range; the one of the smaller number keeps its beginning.
                        assert_eq!(mine, its);
                        let middle = (mine.start + mine.end) / 2;
                        let kept = if to < from { its.start..middle } else { middle..its.end };
                        assert_eq!(kept.len() as f64, send.blocks);
                        kept.clone().for_each(|part| add(&mut has[to][part], &sums[from][part]));
                        range[to] = kept;
                    } else {
                        assert_eq!(mine.len() as f64, send.blocks);
                        assert!(mine.end == its.start || its.end == mine.start);
                        mine.clone().for_each(|p| has[to][p].clone_from(&sums[from][p]));
                        range[to] = mine.start.min(its.start)..mine.end.max(its.end);
                    }
                }
            }
            let left = if collective == Collective::AllReduce { ranks as usize } else { 1 };
            for (sums, range) in has.iter().zip(&range) {
                assert_eq!(range.len(), left, "{name}");
                assert!(sums[range.clone()].iter().all(|sum| sum.len() as u32 == ranks));
            }
        }
    }
}

/// Other numbers of ranks have a step before, in which whole vectors are handed over, and one after.
#[test]
fn ranks_that_are_left_over_hand_their_vectors_over() {
    for (collective, name, result) in [
        (Collective::ReduceScatter, "recursive-halving", 1.0),
        (Collective::AllReduce, "rabenseifner", 6.0),
        (Collective::AllReduce, "recursive-doubling", 6.0),
    ] {
        let steps = steps(collective, name, 6).unwrap();
        let ends = |step: &Step| step.iter().map(|s| (s.from, s.to, s.blocks)).collect::<Vec<_>>();
        assert_eq!(ends(&steps[0]), [(0, 1, 6.0), (2, 3, 6.0)], "{name}");
        assert_eq!(ends(&steps[steps.len() - 1]), [(1, 0, result), (3, 2, result)], "{name}");
        let inner: BTreeSet<u32> = steps[1].iter().map(|s| s.from).collect();
        assert_eq!(inner, BTreeSet::from([1, 3, 4, 5]), "{name}");
    }
}

#[test]
fn what_mpich_takes_is_an_algorithm_for_that_number_of_ranks() {
    for ranks in RANKS {
        for collective in
            [Collective::Aas, Collective::Aab, Collective::ReduceScatter, Collective::AllReduce]
        {
            for power in 0..26 {
                let name = of_mpich(collective, ranks, 1 << power);
                assert!(steps(collective, name, ranks).is_some(), "{name}, {ranks} ranks");
            }
        }
    }
    let taken = |collective, bytes| of_mpich(collective, 8, bytes);
    assert_eq!(
        [256, 257, 32769].map(|bytes| taken(Collective::Aas, bytes)),
        ["bruck", "linear", "pairwise-xor"]
    );
    assert_eq!(
        [65535, 65536].map(|bytes| taken(Collective::Aab, bytes)),
        ["recursive-doubling", "ring"]
    );
}
