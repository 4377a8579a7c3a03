//! The model of decisions and answers, and of the master of the search: src/run/islands/groups,
//! src/run/islands/master.

use super::island::{Order, Report, State, Value};

/// Exchanges after which the search ends.
pub const EXCHANGES: u8 = 2;

/// `Decision`, without the exchanges between groups, each tenth.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    Seek(u8),
    CrossOver,
    Load(Vec<GroupState>),
    Save(Option<Box<Decision>>),
    Proceed,
    Break,
    End,
}

/// `GroupState`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupState {
    pub rng: Value,
    pub islands: Vec<State>,
    pub orders: Vec<Order>,
    pub reports: Vec<Option<Report>>,
}

/// `Answer`, with what the master needs of a `Summary`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    Summary { cost: u8, plan: Option<u8>, is_broken: bool },
    Saved(Option<Vec<GroupState>>),
}

impl Decision {
    /// `Decision::split` in parts for this number of groups and for the rest.
    pub fn split(self, first: usize) -> (Decision, Decision) {
        match self {
            Decision::Load(mut states) => {
                let rest = states.split_off(first);
                (Decision::Load(states), Decision::Load(rest))
            }
            Decision::Save(Some(next)) => {
                let (a, b) = next.split(first);
                (Decision::Save(Some(Box::new(a))), Decision::Save(Some(Box::new(b))))
            }
            other => (other.clone(), other),
        }
    }
}

impl Answer {
    /// `Answer::join`.
    pub fn join(self, next: Answer) -> Answer {
        match (self, next) {
            (
                Answer::Summary { cost, plan, is_broken },
                Answer::Summary { cost: c, plan: p, is_broken: b },
            ) => Answer::Summary {
                cost: cost.min(c),
                plan: better(plan, p),
                is_broken: is_broken || b,
            },
            (Answer::Saved(a), Answer::Saved(b)) => {
                Answer::Saved(a.zip(b).map(|(a, b)| [a, b].concat()))
            }
            _ => panic!("answers of two kinds"),
        }
    }
}

pub fn better(a: Option<u8>, b: Option<u8>) -> Option<u8> {
    a.into_iter().chain(b).min()
}

/// `MasterState` and `State`: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Saved {
    pub exchanges: u8,
    pub target: u8,
    pub best: Option<u8>,
    pub is_over: bool,
    pub groups: Vec<GroupState>,
}

/// `Master`. Its keeper holds the last state; its observer has seen `shown`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Master {
    pub state: Saved,
    pub is_told: bool,
    pub shown: Option<u8>,
    held: Option<(Saved, bool)>,
    pub kept: Option<Saved>,
    keeps: bool,
    pub is_interrupted: bool,
}

/// How a decision goes on.
pub enum Next {
    /// It is made.
    Decided(Decision),
    /// A refutation comes first (`Master::check`), in which other ranks are overheard.
    Refutes(Decision),
}

impl Master {
    pub fn new(keeps: bool) -> Self {
        let state = Saved { exchanges: 0, target: 9, best: None, is_over: false, groups: vec![] };
        let (shown, held, kept) = (None, None, None);
        Master { state, is_told: false, shown, held, kept, keeps, is_interrupted: false }
    }

    /// `Master::begin`, without the refutation of a resumed search.
    pub fn begin(&mut self, resumes: Option<Saved>) -> Decision {
        let Some(mut state) = resumes else { return Decision::Seek(self.state.target) };
        let groups = std::mem::take(&mut state.groups);
        let is_over = state.is_over || state.exchanges >= EXCHANGES;
        (self.shown, self.state) = (state.best, state);
        if is_over { Decision::End } else { Decision::Load(groups) }
    }

    /// `Master::breaks`; `flag` is the flag of rank 0.
    pub fn breaks(&self, flag: bool) -> bool {
        self.held.is_none() && (self.is_told || flag)
    }

    /// `Master::hear`, of a schedule.
    pub fn hear(&mut self, plan: u8) {
        if self.shown.is_none_or(|shown| plan < shown) {
            self.shown = Some(plan);
        }
    }

    /// `Master::reply`, up to the refutation.
    pub fn reply(&mut self, answer: Answer) -> Next {
        Next::Decided(match (self.held.take(), answer) {
            (Some(_), Answer::Saved(None)) => Decision::End,
            (Some((state, ends)), Answer::Saved(Some(groups))) => {
                self.kept = Some(Saved { groups, ..state });
                if ends { Decision::End } else { Decision::Proceed }
            }
            (None, Answer::Summary { plan, is_broken: true, .. }) => {
                self.is_interrupted = true;
                if self.keeps {
                    self.held = Some((self.state.clone(), true));
                }
                self.keep_best(plan);
                if self.keeps { Decision::Save(None) } else { Decision::End }
            }
            (None, Answer::Summary { cost, plan, .. }) => {
                self.state.exchanges += 1;
                let seeks_on = self.keep_best(plan);
                let seek = Decision::Seek(self.state.target);
                let decision = if cost == 0 { seek } else { Decision::CrossOver };
                if seeks_on {
                    return Next::Refutes(decision);
                }
                if self.keeps {
                    self.kept = Some(Saved { is_over: true, ..self.state.clone() });
                }
                Decision::End
            }
            (held, answer) => panic!("{answer:?} out of turn, {held:?}"),
        })
    }

    /// The rest of `Master::decide`. `saves_now` says whether it is time for a checkpoint.
    pub fn after_refutation(
        &mut self,
        decision: Decision,
        flag: bool,
        saves_now: bool,
    ) -> Decision {
        let is_interrupted = flag || self.is_told;
        let is_limit = self.state.exchanges >= EXCHANGES;
        // The limit of iterations comes before the interrupt.
        self.is_interrupted = is_interrupted && !is_limit;
        let ends = is_limit || is_interrupted;
        if !self.keeps || !(ends || saves_now) {
            return if ends { Decision::End } else { decision };
        }
        self.held = Some((self.state.clone(), ends));
        Decision::Save(Some(Box::new(decision)))
    }

    /// `Master::keep_best`; the best of all plans is the goal.
    fn keep_best(&mut self, plan: Option<u8>) -> bool {
        let Some(plan) = plan.filter(|&plan| self.state.best.is_none_or(|best| plan < best)) else {
            return true;
        };
        (self.state.best, self.shown) = (Some(plan), Some(plan));
        self.state.target = plan / 2;
        plan > 0
    }
}
