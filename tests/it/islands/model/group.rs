//! The model of an exchange group: src/run/islands/groups/exchange.rs.

use super::island::{Order, Report, Value, Word, mix};
use super::master::{Answer, Decision, GroupState};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Save {
    No,
    At(Vec<Order>),
    Within,
}

/// `Group`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    islands: usize,
    rng: Value,
    reports: Vec<Report>,
    early: Vec<Option<Report>>,
    /// Whether partners are drawn; the generator and the reports determine them.
    drawn: bool,
    save: Save,
}

impl Group {
    pub fn new(first: usize, islands: usize) -> Self {
        let (reports, early) = (vec![], vec![]);
        let rng = mix(77, first as Value);
        Group { islands, rng, reports, early, drawn: false, save: Save::No }
    }

    /// `Group::orders`.
    pub fn orders(&mut self, decision: Decision) -> Vec<Order> {
        let to_all = |order: Order| vec![order; self.islands];
        match decision {
            Decision::Seek(target) if !self.drawn => to_all(Order::Seek(target, None)),
            Decision::Seek(target) => {
                let partners = self.partners().into_iter();
                partners.map(|partner| Order::Seek(target, partner)).collect()
            }
            Decision::CrossOver => self.partners().into_iter().map(Order::CrossOver).collect(),
            Decision::Load(mut states) => {
                let state = states.pop().expect("a state of the group");
                (self.rng, self.early) = (state.rng, state.reports);
                let load = |(state, then)| Order::Load(state, Box::new(then));
                state.islands.into_iter().zip(state.orders).map(load).collect()
            }
            Decision::Save(next) => {
                let next = next.map(|next| self.orders(*next));
                self.save = next.map_or(Save::Within, Save::At);
                vec![Order::Save; self.islands]
            }
            Decision::Proceed => match std::mem::replace(&mut self.save, Save::No) {
                Save::At(orders) => orders,
                _ => panic!("proceeding without what was decided"),
            },
            Decision::Break => to_all(Order::Break),
            Decision::End => to_all(Order::End),
        }
    }

    /// `Group::partners`.
    fn partners(&mut self) -> Vec<Option<Value>> {
        assert!(std::mem::take(&mut self.drawn), "crossing over before partners are drawn");
        self.rng = mix(self.rng, 9);
        let shift = 1 + self.rng as usize % self.islands.max(2).saturating_sub(1);
        let partner = |i: usize| (self.islands > 1).then_some((i + shift) % self.islands);
        let genome = |i: usize| partner(i).and_then(|p| self.reports[p].genome);
        (0..self.islands).map(genome).collect()
    }

    /// `Group::answer`; `best` is that of the terms.
    pub fn answer(&mut self, words: Vec<Word>, best: Option<u8>) -> Answer {
        if self.save != Save::No {
            return Answer::Saved(self.saved(words));
        }
        let mut early = std::mem::take(&mut self.early).into_iter();
        let report = |word| match (early.next().flatten(), word) {
            (Some(report), _) | (None, Word::Report(report)) => report,
            (_, word) => panic!("{word:?} in place of a report"),
        };
        self.reports = words.into_iter().map(report).collect();
        let cost = self.reports.iter().map(|r| r.cost).min().expect("an island");
        let is_broken = self.reports.iter().any(|r| r.is_broken);
        self.drawn = !is_broken;
        let plans = self.reports.iter().filter_map(|r| r.plan);
        let plan = plans.filter(|&plan| best.is_none_or(|best| plan < best)).min();
        Answer::Summary { cost, plan, is_broken }
    }

    /// `Group::saved`.
    fn saved(&self, words: Vec<Word>) -> Option<Vec<GroupState>> {
        let state = |word| match word {
            Word::State(state) => state,
            word => panic!("{word:?} in place of a state"),
        };
        let states: Option<Vec<_>> = words.into_iter().map(state).collect();
        let (islands, told) = states?.into_iter().unzip();
        let whole = |r: &Report| (!r.is_broken).then(|| r.clone());
        let (orders, reports) = match &self.save {
            Save::At(orders) => (orders.clone(), vec![None; self.islands]),
            _ => (told, self.reports.iter().map(whole).collect()),
        };
        Some(vec![GroupState { rng: self.rng, islands, orders, reports }])
    }
}
