//! All-to-all scatter with store-and-forward switching on lines and meshes of any number of dimensions D.
//!
//! A message goes along one dimension after the other, in D *phases*. So that all dimensions are in use all the
//! time, there are D *classes* of messages, by the sum of all coordinates of source and destination modulo D: a
//! message of class j begins with dimension j and goes on with j + 1 and so on, cyclically. In phase i the lines
//! of dimension k carry class k - i alone.
//!
//! Take a line of dimension k in some phase, and two of its vertices. Of their messages in this class, the
//! coordinates of the other dimensions are fixed by the line on one side: where the message is already
//! corrected, the destination's, else the source's. The others are free but for their sum modulo D. So there are
//! about N / n / D messages for each pair, with N vertices and n of them on the line, and how many depends on the
//! sum of the pair's coordinates alone. For each dimension, D different schedules of a line (line_exchange.rs)
//! serve all lines in all phases, and a message is found by arithmetic.
//!
//! A line takes as many steps as the load of its middle channel. In all phases together, each pair of a line has
//! N / n messages: the line is never idle in the middle, if it need not wait for the other dimensions. So
//! the steps are (n / 2)² N / n for the longest dimension, which is the bound of the cut across it. A line begins
//! a phase when it has ended the one before, and all lines have that bring its messages. Where long dimensions
//! are alike and the classes are not quite equal, this adds some steps, fewer than D in all examples.

use super::line_exchange::{Demand, LineExchange};
use super::others::{Others, others, rest};
use crate::policy::is_large;
use ccsched_base::cores;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use ccsched_network::grid::Grid;

/// The schedule of a line or a mesh, if the problem is large or the schedule at the bound.
pub fn plan(problem: &Problem, grid: &Grid, _: &mut Rng) -> Option<Plan> {
    let phases = Phases::new(problem, grid);
    // A search finds the schedule of a small problem at the bound.
    (is_large(problem) || phases.steps() <= bound(grid)).then(|| phases.plan())
}

/// The messages across the middle of the longest side, for each channel there.
fn bound(grid: &Grid) -> usize {
    let length = grid.sides[0].length;
    (length / 2) * length.div_ceil(2) * (grid.at.len() / length)
}

/// The lines of a dimension that have the same sum of other coordinates, in a phase.
struct Run {
    begin: usize,
    dimension: usize,
    phase: usize,
    sum: usize,
    /// Of the free coordinates and the two coordinates of a message on the line, the sum.
    class: usize,
}

/// The schedules of all lines.
struct Phases<'p> {
    problem: &'p Problem,
    grid: &'p Grid,
    /// By dimension, phase and sum, the coordinates of the other dimensions: those of a line, or free ones.
    others: Vec<Vec<Vec<Vec<Others>>>>,
    /// By dimension and class, the schedules backward and forward, by their places in the next list.
    ways: Vec<Vec<[usize; 2]>>,
    exchanges: Vec<LineExchange>,
    runs: Vec<Run>,
}

impl<'p> Phases<'p> {
    fn new(problem: &'p Problem, grid: &'p Grid) -> Self {
        let all = 0..grid.sides.len();
        let of_phases = |k| all.clone().map(|phase| others(grid, k, phase)).collect();
        let others: Vec<Vec<_>> = all.clone().map(of_phases).collect();
        let mut demands: Vec<Demand> = Vec::new();
        let mut number = |demand: Demand| {
            demands.iter().position(|d| *d == demand).unwrap_or_else(|| {
                demands.push(demand);
                demands.len() - 1
            })
        };
        let mut ways = vec![Vec::new(); all.len()];
        for (k, of_dimension) in ways.iter_mut().enumerate() {
            let length = grid.sides[k].length;
            for class in all.clone() {
                let count = |sum| others[k][0][rest(class, sum, all.len())].len();
                let forward = all.clone().map(count).collect();
                // The same line from its other end: a sum s is 2 (length - 1) - s.
                let mirrored = |sum| count(2 * (length - 1) + (all.len() - 1) * sum);
                let backward = all.clone().map(mirrored).collect();
                of_dimension
                    .push([backward, forward].map(|of_sum| number(Demand { length, of_sum })));
            }
        }
        let exchanges = cores::each(demands, |demand| LineExchange::new(&demand));
        let mut phases = Phases { problem, grid, others, ways, exchanges, runs: Vec::new() };
        phases.begin();
        phases
    }

    /// Finds when the lines begin each phase.
    fn begin(&mut self) {
        let all = 0..self.grid.sides.len();
        // By dimension and sum, when the lines have ended the phase before.
        let mut ends = vec![vec![0; all.len()]; all.len()];
        for phase in all.clone() {
            let before = ends.clone();
            for k in all.clone() {
                // In the first phase, all are 0.
                let brought = before[(k + all.len() - 1) % all.len()].iter().max();
                for sum in all.clone() {
                    let begin = before[k][sum].max(*brought.unwrap_or(&0));
                    let class = rest(k, phase + sum, all.len());
                    let run = Run { begin, dimension: k, phase, sum, class };
                    ends[k][sum] = self.end(&run);
                    self.runs.push(run);
                }
            }
        }
    }

    /// The schedules of the lines of a run, backward and forward.
    fn exchanges(&self, run: &Run) -> [&LineExchange; 2] {
        self.ways[run.dimension][run.class].map(|way| &self.exchanges[way])
    }

    /// The step after the last of a run.
    fn end(&self, run: &Run) -> usize {
        run.begin + self.exchanges(run).map(LineExchange::steps).into_iter().fold(0, usize::max)
    }

    /// Number of steps.
    fn steps(&self) -> usize {
        self.runs.iter().map(|run| self.end(run)).max().unwrap_or(0)
    }

    fn plan(&self) -> Plan {
        let mut sizes = vec![0; self.steps()];
        for run in &self.runs {
            let lines = self.others[run.dimension][run.phase][run.sum].len();
            for exchange in self.exchanges(run) {
                for step in 0..exchange.steps() {
                    sizes[run.begin + step] += exchange.hops(step).count() * lines;
                }
            }
        }
        let ends = cores::ends(sizes.into_iter());
        Plan::of_hops(
            ends.len(),
            |step| ends[step],
            |step, hops| {
                let has_begun = |run: &&Run| run.begin <= step;
                self.runs.iter().filter(has_begun).for_each(|run| self.list(run, step, hops));
            },
        )
    }

    /// Adds the hops of a run in a step.
    fn list(&self, run: &Run, step: usize, hops: &mut Vec<(MessageId, ChannelId)>) {
        let (grid, k) = (self.grid, run.dimension);
        let of_phase = &self.others[k][run.phase];
        let (stride, last) = (grid.stride(k), grid.sides[k].length - 1);
        for (exchange, is_forward) in self.exchanges(run).into_iter().zip([false, true]) {
            for (at, carried) in exchange.hops(step - run.begin) {
                let [at, from, to] = [at, carried.from, carried.to]
                    .map(|coordinate| if is_forward { coordinate } else { last - coordinate });
                let free = of_phase[rest(run.class, from + to, of_phase.len())][carried.number];
                let [from, to] = [from * stride + free.corrected, to * stride + free.rest];
                hops.extend(of_phase[run.sum].iter().map(|line| {
                    let from = grid.at[from + line.rest] as usize;
                    let to = grid.at[to + line.corrected] as usize;
                    let place = at * stride + line.corrected + line.rest;
                    (self.problem.exchanged(from, to), grid.channel(place, k, is_forward))
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::grid::tests::built;
    use ccsched_model::problem::{Collective, Request, Switching};
    use ccsched_network::spec;

    /// The steps above the bound of the longest side.
    fn excess(topology: &str) -> usize {
        let switching = Switching::StoreAndForward;
        let request = Request { switching, ..Request::new(Collective::Aas) };
        let plan = built("phases of lines", topology, request);
        let plan = plan.unwrap_or_else(|| panic!("{topology}"));
        let grid = Grid::find(&spec::parse(topology).unwrap()).unwrap();
        assert_eq!(plan.transfers().count(), distances(&grid), "{topology}");
        plan.len() - bound(&grid)
    }

    /// The sum of the distances of all pairs.
    fn distances(grid: &Grid) -> usize {
        let places = grid.at.len();
        let of_side = |n: usize| n * (n * n - 1) / 3 * (places / n) * (places / n);
        grid.sides.iter().map(|side| of_side(side.length)).sum()
    }

    #[test]
    fn lines_and_meshes_are_at_the_bound() {
        let lines = "mesh:10 mesh:13 mesh:33 mesh:17x2 mesh:4x4 mesh:5x7 mesh:10x9 mesh:14x13";
        let boxes = "mesh:3x3x3 mesh:5x5x3 mesh:10x2x2 mesh:6x6x6 mesh:7x7x6 mesh:4x4x4x4";
        for topology in lines.split(' ').chain(boxes.split(' ')) {
            assert_eq!(excess(topology), 0, "{topology}");
        }
    }

    /// Classes of a cube are equal if 3 divides its side.
    #[test]
    fn unequal_classes_add_less_than_a_step_for_each_phase() {
        for (topology, steps) in [("mesh:8x8x8", 2), ("mesh:3x3x3x3", 2)] {
            assert_eq!(excess(topology), steps, "{topology}");
        }
    }
}
