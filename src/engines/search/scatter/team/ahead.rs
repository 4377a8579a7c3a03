//! Several teams: islands beyond one exchange group. Each team has a schedule of its own. Even teams seek
//! even numbers of steps, odd teams odd ones: what the search asks for, or one step less. So half of the
//! teams are a step ahead. When the others have found a schedule, they stay where they are, and the others
//! go two steps down.

use crate::Seat;
use ccsched_bounds as bounds;
use ccsched_model::problem::Problem;

/// The steps that a team seeks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    parity: u32,
    /// No schedule has fewer steps.
    least: u32,
}

impl Ahead {
    /// Those of the team of an island; none if there is one team, or a number of steps was asked for.
    pub fn of(seat: Seat, problem: &Problem) -> Option<Self> {
        let group = seat.group.max(1);
        let has_others = seat.islands > group && seat.is_open && seat.team.is_some();
        has_others.then(|| Ahead {
            parity: (seat.island / group % 2) as u32,
            least: bounds::quick(problem).first().map_or(1, |bound| bound.steps),
        })
    }

    /// The steps to seek where the search asks for these.
    pub fn steps(self, asked: u32) -> u32 {
        if asked > self.least && asked % 2 != self.parity { asked - 1 } else { asked }
    }
}
