//! A new schedule as the beginning of a repair: with wormhole switching its steps are permuted so that
//! many messages have their old places.

use super::{Repair, Repaired, old_places};
use crate::search::scatter::places::{Crossing, Places};
use ccsched_model::schedule::Plan;
use std::cmp::Reverse;
use std::collections::HashMap;

impl Repair {
    /// A valid schedule of the problem as a repair. Steps that share most messages with an old step, of
    /// the same paths, take its place first.
    pub fn nearest(&self, plan: &Plan) -> Repaired {
        let longest = |t: u32| self.search.hops.longest(t as usize);
        let mut found = old_places(&self.search.problem, plan, longest);
        if self.search.problem.switching().holds_paths() {
            let there = self.order(&found, plan.len());
            found.iter_mut().flatten().for_each(|(_, step)| *step = there[*step as usize]);
        }
        let mut places = Places::new((0..found.len() as u32).map(longest));
        (0..).zip(&found).for_each(|(t, place)| places.set(t, place));
        let is_home = |t: &u32| self.home.is_placed(*t) && places.of(*t) == self.home.of(*t);
        let moved = found.len() - (0..found.len() as u32).filter(is_home).count();
        Repaired { moved, places }
    }

    /// By step of a new schedule, the step whose place it takes.
    fn order(&self, new: &[Vec<Crossing>], steps: usize) -> Vec<u32> {
        let channels = |place: &[Crossing]| place.iter().map(|at| at.0).collect::<Vec<_>>();
        let mut alike: HashMap<(u32, u32), usize> = HashMap::new();
        for (t, place) in (0..).zip(new) {
            let home = self.home.of(t);
            if let (Some(here), Some(there)) = (place.first(), home.first())
                && (there.1 as usize) < steps
                && channels(place) == channels(home)
            {
                *alike.entry((here.1, there.1)).or_default() += 1;
            }
        }
        let mut pairs: Vec<((u32, u32), usize)> = alike.into_iter().collect();
        pairs.sort_unstable_by_key(|&(pair, count)| (Reverse(count), pair));
        let (mut there, mut is_taken) = (vec![None; steps], vec![false; steps]);
        for ((from, to), _) in pairs {
            if there[from as usize].is_none() && !is_taken[to as usize] {
                there[from as usize] = Some(to);
                is_taken[to as usize] = true;
            }
        }
        let mut left = (0..steps as u32).filter(|&to| !is_taken[to as usize]);
        let rest = |to: Option<u32>| to.or_else(|| left.next()).expect("as many steps as places");
        there.into_iter().map(rest).collect()
    }
}
