//! Justification of a schedule for store-and-forward switching, a technique of project scheduling
//! (Valls, Ballestin, Quintanilla 2005). Taken from the last to the first, every hop moves to the latest step
//! in which its channel is free before the next hop of its message; then, from the first to the last, to the
//! earliest one. Routes stay as they are, and the schedule never gets longer.

use super::hops::Hops;
use super::timetable::Timetable;
use ccsched_base::buckets;
use ccsched_model::problem::Problem;
use ccsched_network::ChannelId;

/// Rounds without a gain until it ends.
const PATIENCE: u32 = 2;
/// More hops take too much time and memory.
pub const MOST_HOPS: usize = 8_000_000;

/// The schedule after as many rounds as gain steps.
pub fn justified(problem: &Problem, hops: Hops) -> Hops {
    if hops.hops.len() > MOST_HOPS {
        return hops;
    }
    let mut work = Work::new(problem, &hops);
    let (mut best, mut quiet) = (hops, 0);
    while quiet < PATIENCE {
        work.pass(|op| op + 1);
        work.pass(|op| op.wrapping_sub(1));
        quiet += 1;
        if work.len() < best.steps.len() {
            best = Hops::sorted(work.steps.iter().copied().zip(work.ops.iter().copied()));
            quiet = 0;
        }
    }
    best
}

/// The hops of all messages.
struct Work<'p> {
    problem: &'p Problem,
    /// By hop: the demand and the channel; the hops of a demand in turn.
    ops: Vec<(u32, ChannelId)>,
    /// By hop, its step; after an odd number of passes counted from the end.
    steps: Vec<u32>,
    /// The hops by descending step.
    order: Vec<u32>,
}

impl<'p> Work<'p> {
    fn new(problem: &'p Problem, hops: &Hops) -> Self {
        let mut ops = vec![(0, 0); hops.hops.len()];
        let mut steps = vec![0; hops.hops.len()];
        let mut all = hops.iter();
        buckets::sort(hops.hops.iter().map(|&(demand, _)| demand), |_, place| {
            if let Some((step, hop)) = all.next() {
                (ops[place], steps[place]) = (hop, step);
            }
        });
        Work { problem, order: vec![0; ops.len()], ops, steps }
    }

    /// Steps of the schedule.
    fn len(&self) -> usize {
        self.steps.iter().max().map_or(0, |&last| last as usize + 1)
    }

    /// Turns time round, and moves every hop to the first step that is free after the hop at `before`
    /// of the same message.
    fn pass(&mut self, before: impl Fn(usize) -> usize) {
        self.sort();
        let mut table = Timetable::new(self.problem);
        for &op in &self.order {
            let (demand, c) = self.ops[op as usize];
            let before = before(op as usize);
            let follows = self.ops.get(before).is_some_and(|other| other.0 == demand);
            let from = if follows { self.steps[before] + 1 } else { 0 };
            let step = table.next(c, from);
            table.take(c, step);
            self.steps[op as usize] = step;
        }
    }

    /// Sorts the hops by descending step, those of equal steps by number.
    fn sort(&mut self) {
        let Work { steps, order, .. } = self;
        let last = steps.iter().max().map_or(0, |&last| last);
        let from_end = steps.iter().map(|&step| last - step);
        buckets::sort(from_end, |op, place| order[place] = op as u32);
    }
}
