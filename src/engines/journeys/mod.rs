//! Schedules for store-and-forward switching, hop by hop, from paths alone or from a schedule for
//! wormhole switching: each message takes the earliest journey along its path, after those before
//! it, so that it follows them hop by hop; justification then fills what is left idle.

mod hops;
mod justify;
mod timetable;

pub use hops::Hops;
pub use justify::{MOST_HOPS, justified};
pub use timetable::Timetable;

use crate::network::ChannelId;
use crate::problem::Problem;

/// The schedule of messages along given paths, in this order. A message is given by its demand.
pub fn along<'r>(
    problem: &Problem,
    messages: impl Iterator<Item = (u32, &'r [ChannelId])>,
) -> Hops {
    let mut table = Timetable::new(problem);
    let (mut hops, mut steps) = (Vec::new(), Vec::new());
    for (demand, path) in messages {
        let mut from = 0;
        for &c in path {
            let step = table.next(c, from);
            table.take(c, step);
            hops.push((demand, c));
            steps.push(step);
            from = step + 1;
        }
    }
    justified(problem, Hops::sorted(&hops, &steps))
}
