//! All-to-all scatter of a line, in as few steps as its middle allows: the number of vertices squared over four,
//! rounded down.
//!
//! In the steps of a rotation by c, vertex x sends to x + c modulo n. Messages forward start at least c apart, or in
//! different steps, as they all overlap; those backward likewise with n - c. So the smaller of the two numbers is the
//! number of steps. Paths are parts of the walk from end to end and back: there are as many channels on them as a
//! third of the vertices, in the mean.

use super::draft::Draft;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::Walk;
use ccsched_network::grid::Grid;

/// The schedule of a grid that is a line.
pub fn plan(problem: &Problem, grid: &Grid, _: &mut Rng) -> Option<Plan> {
    let length = grid.at.len();
    let last = length - 1;
    let forth = (0..last).map(|x| grid.channel(x, 0, true));
    let back = (1..length).rev().map(|x| grid.channel(x, 0, false));
    let walk: Walk = forth.chain(back).collect::<Vec<_>>().into();
    let mut draft = Draft::new(problem, length * length / 4);
    let mut begun = 0;
    for forth in 1..length {
        let back = length - forth;
        for x in 0..length {
            let to = (x + forth) % length;
            let (step, first, hops) = match x < back {
                true => (x % forth, x, forth),
                false => (to % back, last + (last - x), back),
            };
            draft.part(begun + step, (grid.at[x], grid.at[to]), &walk, first..first + hops);
        }
        begun += forth.min(back);
    }
    draft.finish()
}

#[cfg(test)]
mod tests {
    use crate::construct::grid::tests::steps;

    #[test]
    fn lines_are_at_the_bound_of_their_middle() {
        for (topology, bound) in [("mesh:10", 25), ("mesh:13", 42), ("mesh:40", 400)] {
            assert_eq!(steps(": line", topology), Some(bound), "{topology}");
        }
    }
}
