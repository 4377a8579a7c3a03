//! The steps in which channels are free, with store-and-forward switching.

use crate::engines::free_steps::FreeSteps;
use crate::network::ChannelId;
use crate::problem::{Problem, ResourceId};

/// The free steps of all links and ports.
#[derive(Clone, Debug)]
pub struct Timetable<'p> {
    problem: &'p Problem,
    free: FreeSteps,
}

impl<'p> Timetable<'p> {
    /// All steps are free.
    pub fn new(problem: &'p Problem) -> Self {
        Timetable { problem, free: FreeSteps::new(&problem.resources) }
    }

    /// The first step, from `from` on, in which a channel and the ports at its ends are free.
    pub fn next(&self, c: ChannelId, from: u32) -> u32 {
        match self.crossing(c) {
            (link, [None, None]) => self.free.earliest([link], from),
            (link, [Some(port), None] | [None, Some(port)]) => {
                self.free.earliest([link, port], from)
            }
            (link, [Some(send), Some(receive)]) => self.free.earliest([link, send, receive], from),
        }
    }

    /// The earliest journey along a path: its channels, each with its step.
    pub fn earliest<'a>(
        &'a self,
        path: &'a [ChannelId],
    ) -> impl Iterator<Item = (ChannelId, u32)> + 'a {
        let mut from = 0;
        path.iter().map(move |&c| {
            let step = self.next(c, from);
            from = step + 1;
            (c, step)
        })
    }

    /// A message crosses a channel in a step.
    pub fn take(&mut self, c: ChannelId, step: u32) {
        let (link, ports) = self.crossing(c);
        self.free.take(link, step);
        ports.into_iter().flatten().for_each(|port| self.free.take(port, step));
    }

    /// The link of a channel, and the limited ports at its ends.
    fn crossing(&self, c: ChannelId) -> (ResourceId, [Option<ResourceId>; 2]) {
        self.problem.resources.of_hop(&self.problem.network, self.problem.switching, c)
    }
}
