//! The model of a branch that collects answers: src/run/islands/run/gather.rs.

use super::island::{Order, Word};
use super::master::{Answer, Decision, Next, better};
use super::rank::{At, Message, Rank, Sent};

impl Rank {
    /// One look of `gather` that finds something: a break, the answer of the own island, or the end.
    pub fn poll(&mut self) -> Option<Sent> {
        let At::Gather { mut words, mut answers, is_broken } = self.at.clone() else {
            unreachable!("it gathers")
        };
        if words.iter().all(Option::is_some) && answers.iter().all(Option::is_some) {
            let branch = self.branch.as_mut().expect("a branch");
            let words = words.into_iter().flatten().collect();
            let answer = branch.group.answer(words, branch.best);
            let answer = answers.drain(..).flatten().fold(answer, Answer::join);
            return Some(self.answer(answer));
        }
        let mut sent = vec![];
        let breaks = match &self.master {
            Some(master) => master.breaks(self.flag),
            None => {
                if self.flag {
                    sent = self.tell();
                }
                self.breaks
            }
        };
        if !sent.is_empty() {
            return Some(sent);
        }
        if breaks && !is_broken {
            self.worker.break_off();
            let branch = self.branch.as_ref().expect("a branch");
            let late = |&(_, word): &(usize, &Option<Word>)| word.is_none();
            let islands = branch.islands.iter().copied().zip(&words).skip(1).filter(late);
            sent.extend(islands.map(|(rank, _)| (rank, Message::Order(Order::Break))));
            if answers.first().is_some_and(Option::is_none) {
                let order = Message::Decide(Decision::Break, branch.best);
                sent.extend(branch.below.map(|below| (below, order)));
            }
            self.at = At::Gather { words, answers, is_broken: true };
            return Some(sent);
        }
        if words[0].is_some() {
            return None;
        }
        let word = self.worker.wait()?;
        let sent = self.overhear(&word);
        words[0] = Some(word);
        self.at = At::Gather { words, answers, is_broken };
        Some(sent)
    }

    /// The answer of all groups: to the master, or to the rank above.
    fn answer(&mut self, answer: Answer) -> Sent {
        let Some(master) = &mut self.master else {
            self.at = At::Wait;
            return vec![(self.above, Message::Groups(answer))];
        };
        match master.reply(answer) {
            Next::Decided(decision) => self.decide(decision),
            Next::Refutes(decision) => {
                self.at = At::Refute(decision);
                vec![]
            }
        }
    }

    /// `Branch::overhear`.
    fn overhear(&mut self, word: &Word) -> Sent {
        match word {
            Word::Report(report) => report.plan.map_or(vec![], |plan| self.found(plan)),
            _ => vec![],
        }
    }

    /// `Branch::found`.
    fn found(&mut self, plan: u8) -> Sent {
        self.heard = better(self.heard, Some(plan));
        let branch = self.branch.as_mut().expect("a branch");
        if branch.shown.is_some_and(|shown| shown <= plan) {
            return vec![];
        }
        branch.shown = Some(plan);
        match &mut self.master {
            Some(master) => {
                master.hear(plan);
                vec![]
            }
            None => vec![(self.above, Message::Found(plan))],
        }
    }

    /// `Branch::sort`.
    pub fn sort(&mut self, from: usize, message: Message) -> Sent {
        let At::Gather { words, answers, .. } = &mut self.at else { unreachable!("it gathers") };
        let branch = self.branch.as_ref().expect("a branch");
        let island = branch.islands.iter().position(|&rank| rank == from);
        match message {
            Message::Interrupted | Message::Answer(Word::Interrupted) => match &mut self.master {
                Some(master) => {
                    master.is_told = true;
                    vec![]
                }
                None => self.tell(),
            },
            Message::Answer(word) => {
                let place = &mut words[island.expect("an island of the group")];
                assert!(place.replace(word.clone()).is_none(), "two answers of rank {from}");
                self.overhear(&word)
            }
            Message::Found(plan) if branch.below == Some(from) => self.found(plan),
            Message::Groups(answer) if branch.below == Some(from) => {
                assert!(answers[0].replace(answer).is_none(), "two answers of rank {from}");
                vec![]
            }
            Message::Decide(Decision::Break, _) if from == self.above => {
                self.breaks = true;
                vec![]
            }
            message => panic!("rank {} gathers: {message:?} from {from}", self.number),
        }
    }
}
