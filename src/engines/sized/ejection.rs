//! Ejection on the time line: what ends after a target is taken out of a schedule, and put back in the
//! place where it drives out least; what it drives out waits in turn. A message that had to drive others
//! out costs more to be driven out itself. This pays where few messages share a link.

use super::Choices;
use super::occupancy::Occupancy;
use crate::ground::Timetable;
use ccsched_base::rng::Rng;
use rand::RngExt as _;

/// Paths of a waiting message that are looked at for a free place.
const PATHS: usize = 6;
/// The part of a schedule's length by which the next target is shorter: at first, and at most, as each target
/// that is reached doubles it.
const FIRST_PART: u64 = 8000;
const MOST_PART: u64 = 500;
/// Moves from one look at whether time is over to the next.
const LOOK: usize = 32;

/// A schedule of which some messages wait.
pub struct Ejection<'c> {
    held: Occupancy<'c>,
    waiting: Vec<u32>,
    /// By message, how often it has driven others out.
    failures: Vec<u32>,
}

impl<'c> Ejection<'c> {
    /// Begins with a whole schedule, and with how often messages have driven others out before.
    pub fn of(choices: &'c Choices, table: &Timetable, failures: Vec<u32>) -> Self {
        let held = Occupancy::of(choices, table, |_| true);
        Ejection { held, waiting: Vec::new(), failures }
    }

    /// The shortest schedule within some moves; none if none is shorter than the one that it began with.
    pub fn run(
        &mut self,
        aim: u64,
        moves: usize,
        rng: &mut Rng,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Timetable> {
        let mut best: Option<Timetable> = None;
        let mut part = FIRST_PART;
        let mut target = self.shorten(aim, part)?;
        for number in 0..moves {
            if number % LOOK == LOOK - 1 && is_over() {
                break;
            }
            if self.waiting.is_empty() {
                best = Some(self.whole());
                part = (part / 2).max(MOST_PART);
                match self.shorten(aim, part) {
                    Some(shorter) => target = shorter,
                    None => return best,
                }
            }
            let at = rng.random_range(0..self.waiting.len());
            let m = self.waiting.swap_remove(at);
            self.settle(m, target, rng);
        }
        if self.waiting.is_empty() { Some(self.whole()) } else { best }
    }

    /// How often messages have driven others out.
    pub fn failures(self) -> Vec<u32> {
        self.failures
    }

    /// The schedule, of which no message waits.
    fn whole(&mut self) -> Timetable {
        let all = 0..self.held.choices().len() as u32;
        self.held.table.end = all.map(|m| self.held.end(m)).max().unwrap_or(0);
        self.held.table.clone()
    }

    /// Takes out what ends after the next target, which is returned; none if the schedule cannot be
    /// shorter.
    fn shorten(&mut self, aim: u64, part: u64) -> Option<u64> {
        let (choices, end) = (self.held.choices(), self.held.table.end);
        let least = |m: u32| choices.paths(m).map(|path| choices.span(m, path)).min();
        let longest = match choices.has_delays() {
            true => (0..choices.len() as u32).filter_map(least).max(),
            false => choices.lengths.iter().copied().max(),
        };
        let longest = longest.unwrap_or(0);
        let target = (end - (end / part).max(1).min(end)).max(aim);
        if target >= end || target < longest {
            return None;
        }
        for m in 0..choices.len() as u32 {
            if self.held.end(m) > target {
                self.held.lift(m);
                self.waiting.push(m);
            }
        }
        Some(target)
    }

    /// Puts a message where it drives out least before the target.
    fn settle(&mut self, m: u32, target: u64, rng: &mut Rng) {
        let choices = self.held.choices();
        let (lengths, failures) = (&choices.lengths, &self.failures);
        let bytes = lengths[m as usize];
        let last = |path| choices.last_start(m, path, target);
        let (path, start) = match self.held.free(m, &last, PATHS, rng) {
            Some(free) => free,
            None => {
                let price = |m: u32, _| {
                    lengths[m as usize].saturating_mul(1 + u64::from(failures[m as usize]))
                };
                let Some((path, start)) = self.held.cheapest(m, &last, &price, rng) else {
                    self.waiting.push(m);
                    return;
                };
                self.held.clear(path, (start, bytes), &mut self.waiting);
                self.failures[m as usize] += 1;
                (path, start)
            }
        };
        self.held.put(m, path, start);
    }
}
