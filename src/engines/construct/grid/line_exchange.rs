//! All messages of one line of vertices that go one way, each hop by hop.
//!
//! In every step each channel takes the waiting message that goes farthest; it can continue in the
//! next step. So messages to a vertex d and beyond are delayed only by each other. Let the channel
//! out of x be idle for these in some step, for the last time before all have passed. The remaining
//! ones have not reached x by then, so they take the channel before x from this step on, and the
//! channel out of x takes each at most one step later. Let the *load* of a channel be the number of
//! its messages. Then the messages to d and beyond have passed a channel after a number of steps
//! equal to its load, or one step after they have passed the channel before. Each vertex with a
//! message beyond d adds to the load, so the former holds: every channel is ready after its load,
//! and the line after the largest load.

use std::collections::BinaryHeap;

/// No message.
const NONE: u32 = u32::MAX;

/// How many messages a line has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Vertices of the line.
    pub length: usize,
    /// By sum of the coordinates of two vertices, modulo the number of entries, the messages from the lower to
    /// the higher one.
    pub of_sum: Vec<usize>,
}

/// A message of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The coordinate of its source on the line.
    pub from: usize,
    /// The coordinate of its destination, which is higher.
    pub to: usize,
    /// Its number among the messages of these two.
    pub number: usize,
}

/// The schedule of a line.
pub struct LineExchange {
    /// The messages, the nearest destination first.
    messages: Vec<Carried>,
    /// By step and coordinate at which a channel starts, the message that it takes.
    taken: Vec<u32>,
    /// Channels of the line.
    channels: usize,
}

impl LineExchange {
    /// The schedule of some messages.
    pub fn new(demand: &Demand) -> Self {
        let channels = demand.length - 1;
        let mut messages = Vec::new();
        let mut waiting = vec![BinaryHeap::new(); channels];
        for to in 1..demand.length {
            for (from, waiting) in waiting.iter_mut().enumerate().take(to) {
                for number in 0..demand.of_sum[(from + to) % demand.of_sum.len()] {
                    waiting.push(messages.len() as u32);
                    messages.push(Carried { from, to, number });
                }
            }
        }
        let mut taken = Vec::new();
        let mut left = messages.len();
        while left > 0 {
            let step = taken.len();
            taken.resize(step + channels, NONE);
            // From the far end on: what a channel hands over is not taken again in this step.
            for at in (0..channels).rev() {
                let Some(message) = waiting[at].pop() else { continue };
                taken[step + at] = message;
                if messages[message as usize].to == at + 1 {
                    left -= 1;
                } else {
                    waiting[at + 1].push(message);
                }
            }
        }
        LineExchange { messages, taken, channels }
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.taken.len() / self.channels
    }

    /// The hops of a step, none after the last: the coordinate from which a message goes to the next one.
    pub fn hops(&self, step: usize) -> impl Iterator<Item = (usize, Carried)> {
        let first = (step * self.channels).min(self.taken.len());
        let of_step = &self.taken[first..self.taken.len().min(first + self.channels)];
        let is_taken = |(_, message): &(usize, u32)| *message != NONE;
        let hops = of_step.iter().copied().enumerate().filter(is_taken);
        hops.map(|(at, message)| (at, self.messages[message as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every message goes hop by hop from its source to its destination, and the steps are the largest load.
    #[test]
    fn a_line_takes_as_many_steps_as_its_largest_load() {
        for length in 2..14 {
            for of_sum in [vec![1], vec![7], vec![3, 2], vec![1, 2, 1], vec![6, 5, 5, 6]] {
                let demand = Demand { length, of_sum };
                let line = LineExchange::new(&demand);
                let mut at: Vec<usize> = line.messages.iter().map(|m| m.from).collect();
                for step in 0..line.steps() {
                    for (from, carried) in line.hops(step) {
                        let message = line.messages.iter().position(|&m| m == carried).unwrap();
                        assert_eq!(at[message], from);
                        at[message] += 1;
                    }
                }
                let ends: Vec<usize> = line.messages.iter().map(|m| m.to).collect();
                assert_eq!(at, ends, "{demand:?}");
                let load = |c| line.messages.iter().filter(|m| (m.from..m.to).contains(&c)).count();
                assert_eq!(Some(line.steps()), (0..length - 1).map(load).max(), "{demand:?}");
                assert_eq!(line.hops(line.steps()).count(), 0);
            }
        }
    }

    #[test]
    fn pairs_without_messages_are_left_out() {
        let line = LineExchange::new(&Demand { length: 3, of_sum: vec![0, 1] });
        let steps: Vec<Vec<(usize, usize)>> =
            (0..line.steps()).map(|s| line.hops(s).map(|(at, m)| (at, m.to)).collect()).collect();
        assert_eq!(steps, [[(0, 1), (1, 2)]]);
        assert_eq!(LineExchange::new(&Demand { length: 3, of_sum: vec![0] }).steps(), 0);
    }
}
