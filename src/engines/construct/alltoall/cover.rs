//! Tilings (tiler.rs) that together contain every displacement of a torus once: an exact cover.
//!
//! As often as a pair of opposite displacements is in no tiling, the search generates tilings with
//! it and takes the one that costs least: a tiling may take pairs from others, which are dissolved,
//! and their other pairs wait again. The price of a pair is the number of times that it had to wait.

use super::tiler::{DIMENSIONS, Dice, Hops, MOST, Tiler, Tiling};

/// Tilings generated per pair before the search gives up.
const EFFORT: usize = 400;
/// One tiling in so many has five pairs: not all have displacements along every dimension.
const FIVE: usize = 12;
/// Divisions of the first ring that are tried of a tiling.
const DIVISIONS: usize = 30;
/// No pair, of the displacement 0, or no tiling.
const NONE: usize = usize::MAX;

/// The tilings of a torus with three sides of odd length, if the search finds them.
pub fn cover(length: usize, dice: &mut Dice<'_>) -> Option<Vec<Tiling>> {
    let mut cover = Cover::new(length);
    let mut effort = EFFORT * cover.pairs.len();
    while let Some(&pair) = pick(&cover.waiting, dice) {
        effort = effort.checked_sub(1)?;
        match cover.cheapest(pair, dice) {
            Some(tiling) => cover.add(tiling),
            None => cover.price[pair] += 1,
        }
    }
    Some(cover.tilings.into_iter().flatten().map(|(tiling, _)| tiling).collect())
}

fn pick<'a, T>(items: &'a [T], dice: &mut Dice<'_>) -> Option<&'a T> {
    if items.is_empty() { None } else { items.get(dice(items.len())) }
}

/// A partial cover.
struct Cover {
    length: usize,
    /// A displacement of every pair.
    pairs: Vec<Hops>,
    /// By number of a displacement, its pair; none of the first, which is 0.
    pair_of: Vec<usize>,
    /// With the pairs of each.
    tilings: Vec<Option<(Tiling, [usize; MOST])>>,
    /// By pair, its tiling.
    tiling_of: Vec<usize>,
    waiting: Vec<usize>,
    price: Vec<u64>,
    /// The units modulo the length, each with its inverse, 1 first.
    units: Vec<(usize, usize)>,
}

impl Cover {
    fn new(length: usize) -> Self {
        let mut pairs = Vec::new();
        let mut pair_of = vec![NONE; length.pow(DIMENSIONS as u32)];
        for number in 0..pair_of.len() {
            let opposite = digits(number, length).map(|hops| -hops);
            let opposite = number_of(&opposite, length);
            if number < opposite {
                pair_of[number] = pairs.len();
                pairs.push(digits(number, length));
            } else if number > opposite {
                pair_of[number] = pair_of[opposite];
            }
        }
        let count = pairs.len();
        Cover {
            length,
            pairs,
            pair_of,
            tilings: Vec::new(),
            tiling_of: vec![NONE; count],
            waiting: (0..count).collect(),
            price: vec![1; count],
            units: (1..length)
                .filter_map(|a| Some((a, (1..length).find(|b| a * b % length == 1)?)))
                .collect(),
        }
    }

    /// The pairs of a tiling; none if one is 0 or is there twice.
    fn members(&self, tiling: &Tiling) -> Option<[usize; MOST]> {
        let mut members = [NONE; MOST];
        for i in 0..tiling.pairs {
            let pair = self.pair_of[number_of(&tiling.hops[i], self.length)];
            if pair == NONE || members.contains(&pair) {
                return None;
            }
            members[i] = pair;
        }
        Some(members)
    }

    /// A tiling with a pair, among those that make the cheapest pairs wait.
    fn cheapest(&self, pair: usize, dice: &mut Dice<'_>) -> Option<Tiling> {
        let (n, d) = (self.length, DIMENSIONS);
        let mut tiling = Tiling { pairs: MOST - 1, ..Tiling::default() };
        if dice(FIVE) == 0 {
            tiling.pairs = MOST;
        }
        let first = dice(d);
        let is_turned = dice(2);
        for turn in 0..d {
            tiling.order[turn] = if is_turned == 0 { first + turn } else { first + d - turn } % d;
            let unit = if turn == 0 { 0 } else { dice(self.units.len()) };
            let dimension = tiling.order[turn];
            (tiling.weights[dimension], tiling.inverses[dimension]) = self.units[unit];
        }
        let divisions = (n / 2 + 1).pow(tiling.pairs as u32 - 2);
        let sparsity = divisions.div_ceil(2 * DIVISIONS);
        let mut best: Option<(u64, Tiling)> = None;
        let mut show = |tiling: &Tiling| {
            let Some(members) = self.members(tiling) else { return };
            let cost = self.cost(&members);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, *tiling));
            }
        };
        let tiler = Tiler { length: n, sparsity };
        tiler.each(self.pairs[pair], tiling, dice, &mut show);
        best.map(|(_, tiling)| tiling)
    }

    /// The prices of the pairs that wait if a tiling takes these.
    fn cost(&self, members: &[usize; MOST]) -> u64 {
        let mut cost = 0;
        for (i, &pair) in members.iter().enumerate().filter(|&(_, &pair)| pair != NONE) {
            let tiling = self.tiling_of[pair];
            let is_counted =
                || members[..i].iter().any(|&m| m != NONE && self.tiling_of[m] == tiling);
            if tiling == NONE || is_counted() {
                continue;
            }
            let waits = |other: &&usize| **other != NONE && !members.contains(other);
            let others = self.tilings[tiling].iter().flat_map(|(_, others)| others);
            cost += others.filter(waits).map(|&other| self.price[other]).sum::<u64>();
        }
        cost
    }

    /// Adds a tiling, and dissolves those that share a pair with it.
    fn add(&mut self, tiling: Tiling) {
        let Some(members) = self.members(&tiling) else { return };
        for &pair in members.iter().filter(|&&pair| pair != NONE) {
            let old = self.tiling_of[pair];
            if old == NONE {
                continue;
            }
            let dissolved = self.tilings[old].take().map(|(_, others)| others);
            for other in dissolved.into_iter().flatten().filter(|&other| other != NONE) {
                self.tiling_of[other] = NONE;
                self.waiting.push(other);
                self.price[other] += u64::from(!members.contains(&other));
            }
        }
        let place = self.tilings.iter().position(Option::is_none).unwrap_or(self.tilings.len());
        if place == self.tilings.len() {
            self.tilings.push(None);
        }
        self.tilings[place] = Some((tiling, members));
        for &pair in members.iter().filter(|&&pair| pair != NONE) {
            self.tiling_of[pair] = place;
        }
        let tiling_of = &self.tiling_of;
        self.waiting.retain(|&pair| tiling_of[pair] == NONE);
    }
}

/// The displacement of a number, at most half a side along each dimension.
fn digits(mut number: usize, length: usize) -> Hops {
    let mut hops = [0; DIMENSIONS];
    for hop in &mut hops {
        let digit = number % length;
        *hop = if digit > length / 2 { digit as isize - length as isize } else { digit as isize };
        number /= length;
    }
    hops
}

/// The number of a displacement.
fn number_of(hops: &Hops, length: usize) -> usize {
    let digit = |hop: isize| (if hop < 0 { hop + length as isize } else { hop }) as usize;
    hops.iter().rev().fold(0, |number, &hop| number * length + digit(hop))
}
