//! The model of a rank: src/run/islands/run without gather.rs. A branch runs groups (`lead`, `relay`, `gather`), any other
//! rank an island alone (`follow`). Each call of `act` is what a rank does between two polls; ranks
//! poll in any order here, which includes all orders that clocks can bring about.

use super::group::Group;
use super::island::{Order, Word, Worker};
use super::master::{Answer, Decision, Master, Saved};

/// The messages on the wire: `MasterMessage`, `IslandMessage`, and the word of a thread that ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    Order(Order),
    /// With the best schedule of the terms.
    Decide(Decision, Option<u8>),
    Answer(Word),
    Found(u8),
    Interrupted,
    Groups(Answer),
    Ended,
    /// `ThreadMember::drop`: no bytes.
    Gone,
}

/// Where a rank is in its loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// `follow`; whether its island is at work.
    Follow { is_at_work: bool },
    /// `Superior::wait`.
    Wait,
    /// `Branch::gather`: what is missing.
    Gather { words: Vec<Option<Word>>, answers: Vec<Option<Answer>>, is_broken: bool },
    /// `Master::is_refuted`, then the decision.
    Refute(Decision),
    /// `Branch::end`: the ranks that have not ended.
    End { left: Vec<usize> },
    /// It has ended in order; `true`: with an error; or it has been killed.
    Done { has_failed: bool },
}

/// `Place`: one group each, and at most one master below.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    pub group: Group,
    pub islands: Vec<usize>,
    pub below: Option<usize>,
    pub best: Option<u8>,
    pub shown: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rank {
    pub number: usize,
    pub at: At,
    pub worker: Worker,
    pub above: usize,
    pub branch: Option<Branch>,
    pub master: Option<Master>,
    /// The flag of its process, and whether it has told of it.
    pub flag: bool,
    has_told: bool,
    /// `Superior::breaks`.
    pub breaks: bool,
    /// The best schedule that has reached this rank, for the check that none is lost.
    pub heard: Option<u8>,
}

/// What a rank sends: destination and content.
pub type Sent = Vec<(usize, Message)>;

impl Rank {
    pub fn new(number: usize, worker: Worker, above: usize) -> Self {
        let at = At::Follow { is_at_work: false };
        let (branch, master, heard) = (None, None, None);
        let (flag, has_told, breaks) = (false, false, false);
        Rank { number, at, worker, above, branch, master, flag, has_told, breaks, heard }
    }

    /// Makes it the first rank of a group of these islands, with a master below.
    pub fn with_group(mut self, islands: Vec<usize>, below: Option<usize>) -> Self {
        let group = Group::new(self.number, islands.len());
        self.branch = Some(Branch { group, islands, below, best: None, shown: None });
        self.at = At::Wait;
        self
    }

    /// Makes it the rank of the master, and begins.
    pub fn lead(&mut self, mut master: Master, resumes: Option<Saved>) -> Sent {
        let decision = master.begin(resumes);
        self.heard = master.shown;
        self.master = Some(master);
        self.decide(decision)
    }

    fn children(&self) -> Vec<usize> {
        let Some(branch) = &self.branch else { return vec![] };
        branch.islands.iter().skip(1).copied().chain(branch.below).collect()
    }

    /// `lead` and `relay`: the leg of a decision, or the end.
    pub fn decide(&mut self, decision: Decision) -> Sent {
        let ends = decision == Decision::End;
        if let (Some(master), Some(branch)) = (&self.master, &mut self.branch) {
            branch.best = master.state.best;
        }
        let (own, sent) = self.pass_on(decision);
        if ends {
            self.at = At::End { left: self.children() };
            return sent;
        }
        self.worker.order(own);
        let branch = self.branch.as_mut().expect("a branch");
        branch.shown = branch.best;
        let words = vec![None; branch.islands.len()];
        let answers = vec![None; usize::from(branch.below.is_some())];
        self.at = At::Gather { words, answers, is_broken: false };
        sent
    }

    /// `Branch::pass_on`.
    fn pass_on(&mut self, decision: Decision) -> (Order, Sent) {
        let branch = self.branch.as_mut().expect("a branch");
        let (part, rest) = decision.split(1);
        let mut orders = branch.group.orders(part);
        let own = orders.remove(0);
        let others = branch.islands.iter().skip(1).copied();
        let mut sent: Sent = others.zip(orders.into_iter().map(Message::Order)).collect();
        sent.extend(branch.below.map(|below| (below, Message::Decide(rest, branch.best))));
        (own, sent)
    }

    /// What it can do without a message: none, if it waits. There are two results where the clock
    /// decides whether the state is saved.
    pub fn act(&self) -> Vec<(Rank, Sent)> {
        let mut next = self.clone();
        match &self.at {
            At::Follow { .. } | At::Wait if self.flag && !self.has_told => {
                let sent = next.tell();
                vec![(next, sent)]
            }
            At::Follow { is_at_work: true } => match next.worker.wait() {
                None => vec![],
                Some(word) => {
                    next.at = At::Follow { is_at_work: false };
                    vec![(next, vec![(self.above, Message::Answer(word))])]
                }
            },
            At::Gather { .. } => next.poll().into_iter().map(|sent| (next.clone(), sent)).collect(),
            At::Refute(decision) => {
                let saved = |saves_now| {
                    let mut next = self.clone();
                    let master = next.master.as_mut().expect("the master refutes");
                    let decision = master.after_refutation(decision.clone(), self.flag, saves_now);
                    let sent = next.decide(decision);
                    (next, sent)
                };
                vec![saved(false), saved(true)]
            }
            At::End { left } if left.is_empty() => {
                next.at = At::Done { has_failed: false };
                let is_below = self.number > 0;
                let sent = is_below.then_some((self.above, Message::Ended)).into_iter();
                let mut sent: Sent = sent.collect();
                sent.extend(self.goodbye());
                vec![(next, sent)]
            }
            _ => vec![],
        }
    }

    /// The last word of a thread: to rank 0, or from it to all.
    pub fn goodbye(&self) -> Sent {
        let to = if self.number == 0 { 1..3 } else { 0..1 };
        to.map(|rank| (rank, Message::Gone)).collect()
    }

    /// It tells of an interrupt, once.
    pub fn tell(&mut self) -> Sent {
        if std::mem::replace(&mut self.has_told, true) {
            return vec![];
        }
        let is_branch = self.branch.is_some();
        let word = Message::Answer(Word::Interrupted);
        vec![(self.above, if is_branch { Message::Interrupted } else { word })]
    }

    /// Takes a message.
    ///
    /// # Panics
    /// The protocol does not expect it: `CommError::OutOfTurn`.
    pub fn take(&self, from: usize, message: Message) -> (Rank, Sent) {
        let mut next = self.clone();
        let mut sent = vec![];
        match (&self.at, message) {
            (At::Done { .. }, _) => {}
            (At::End { left }, Message::Gone) if from != 0 && !left.contains(&from) => {}
            // `overhears` takes no notice; the next message to that rank fails.
            (At::Refute(_), Message::Gone) => {}
            // The error ends the rank.
            (_, Message::Gone) => {
                next.at = At::Done { has_failed: true };
                sent = self.goodbye();
            }
            (At::Refute(_), _) => next.master.as_mut().expect("the master").is_told = true,
            (At::End { left }, Message::Ended) => {
                next.at = At::End { left: left.iter().copied().filter(|&r| r != from).collect() };
            }
            (At::End { .. }, _) => {}
            (At::Follow { is_at_work }, Message::Order(order)) => match order {
                Order::End => {
                    next.at = At::Done { has_failed: false };
                    sent.push((self.above, Message::Ended));
                    sent.extend(self.goodbye());
                }
                Order::Break if !is_at_work => {}
                Order::Break => next.worker.break_off(),
                order => {
                    next.worker.order(order);
                    next.at = At::Follow { is_at_work: true };
                }
            },
            (At::Wait, Message::Decide(Decision::Break, _)) if from == self.above => {}
            (At::Wait, Message::Decide(decision, best)) if from == self.above => {
                next.breaks = false;
                next.branch.as_mut().expect("a branch").best = best;
                sent = next.decide(decision);
            }
            (At::Wait, Message::Interrupted | Message::Answer(Word::Interrupted)) => {
                sent = next.tell();
            }
            (At::Gather { .. }, message) => sent = next.sort(from, message),
            (at, message) => panic!("rank {} at {at:?}: {message:?} from {from}", self.number),
        }
        (next, sent)
    }
}
