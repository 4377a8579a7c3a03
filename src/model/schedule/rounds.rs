//! Steps of several rounds: consecutive rounds are one step if no transfer of them needs another. Then
//! a machine starts them together, and waits between steps alone.

use super::ScheduleFile;
use std::collections::HashSet;

impl ScheduleFile {
    /// The same schedule, whose entries of `steps` become rounds, in as few steps as their order allows.
    pub fn in_rounds(mut self) -> ScheduleFile {
        let mut rounds: Vec<u32> = Vec::new();
        // What vertices have received in the present step: message and vertex.
        let mut received = HashSet::new();
        for round in 0..self.steps.len() {
            let ends = |transfer: usize| {
                let e = self.steps.entry(transfer);
                let message = (e.source, e.destination, e.copy, e.piece);
                ((message, e.from), (message, e.to))
            };
            let waits = self.steps.places(round).any(|t| received.contains(&ends(t).0));
            match rounds.last_mut().filter(|_| !waits) {
                Some(rounds) => *rounds += 1,
                None => {
                    rounds.push(1);
                    received.clear();
                }
            }
            received.extend(self.steps.places(round).map(|t| ends(t).1));
        }
        self.model.rounds = Some(rounds);
        self
    }
}
