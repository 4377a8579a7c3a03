//! A problem with several messages a pair, in blocks of as many: every step of its schedules is repeated. A search of
//! the blocks is faster by this factor, and its schedules are longer by less than a block.

use super::Reduction;
use crate::Method;
use crate::policy::most_repeated;
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// Most repetitions that carry nothing, in percent of all messages.
const IDLE: usize = 3;

/// A problem of blocks.
#[derive(Debug)]
pub struct Repeated {
    inner: Arc<Problem>,
    /// How often every step is repeated.
    times: usize,
    /// By block, its first message and the end of its messages.
    blocks: Vec<(u32, u32)>,
}

impl Repeated {
    /// The blocks of a scatter with very many messages.
    pub fn of(problem: &Problem) -> Option<Self> {
        let is_scatter = problem.collective().content().is_personal();
        is_scatter.then(|| Self::at_most(most_repeated(problem), problem)).flatten()
    }

    /// The largest blocks, up to this number of messages, that leave few repetitions idle, of a scatter whose messages
    /// are sorted by pair; none if that is one message.
    pub fn at_most(most: usize, problem: &Problem) -> Option<Self> {
        let copies: Vec<usize> = problem.pairs().map(<[_]>::len).collect();
        let idle =
            |times: usize| copies.iter().map(|c| c.next_multiple_of(times) - c).sum::<usize>();
        let is_good = |times: &usize| 100 * idle(*times) <= IDLE * problem.demands().len();
        let times = (2..=most).rev().find(is_good)?;
        let (mut blocks, mut demands, mut first) = (Vec::new(), Vec::new(), 0);
        for count in copies {
            for begin in (first..first + count).step_by(times) {
                let message = blocks.len() as u32;
                blocks.push((begin as u32, (begin + times).min(first + count) as u32));
                demands.push(Demand { message, ..problem.demands()[begin] });
            }
            first += count;
        }
        let inner = Arc::new(problem.with_demands(demands));
        Some(Repeated { inner, times, blocks })
    }
}

impl Reduction for Repeated {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    /// Every step as often as a block has messages.
    fn plan(&self, plan: Plan) -> Plan {
        let mut spread = Plan::default();
        for (number, step) in plan.steps().enumerate() {
            for copy in 0..self.times {
                for t in step.iter() {
                    let (first, end) = self.blocks[t.message as usize];
                    let message = first + copy as u32;
                    if message < end {
                        spread.push(number * self.times + copy, message, t.channels);
                    }
                }
            }
        }
        spread
    }

    fn steps(&self, whole: u32) -> u32 {
        (whole / self.times as u32).max(1)
    }

    fn method(&self, inner: Method) -> Method {
        inner
    }
}
