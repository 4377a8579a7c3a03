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
//! sum of the pair's coordinates alone. For each dimension, D different schedules of a line
//! serve all lines in all phases, and a message is found by arithmetic.
//!
//! A line takes as many steps as the load of its middle channel. In all phases together, each pair of a line has
//! N / n messages: the line is never idle in the middle, if it need not wait for the other dimensions. So
//! the steps are (n / 2)² N / n for the longest dimension, which is the bound of the cut across it. A line begins
//! a phase when it has ended the one before, and all lines have that bring its messages. Where long dimensions
//! are alike and the classes are not quite equal, this adds some steps, fewer than D in all examples.

use crate::policy::is_large;
use ccsched_base::cores;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use ccsched_network::grid::Grid;
use std::collections::BinaryHeap;

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

// All messages of one line of vertices that go one way, each hop by hop.
//
// In every step each channel takes the waiting message that goes farthest; it can continue in the
// next step. So messages to a vertex d and beyond are delayed only by each other. Let the channel
// out of x be idle for these in some step, for the last time before all have passed. The remaining
// ones have not reached x by then, so they take the channel before x from this step on, and the
// channel out of x takes each at most one step later. Let the *load* of a channel be the number of
// its messages. Then the messages to d and beyond have passed a channel after a number of steps
// equal to its load, or one step after they have passed the channel before. Each vertex with a
// message beyond d adds to the load, so the former holds: every channel is ready after its load,
// and the line after the largest load.

/// No message.
const NONE: u32 = u32::MAX;

/// How many messages a line has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Demand {
    /// Vertices of the line.
    length: usize,
    /// By sum of the coordinates of two vertices, modulo the number of entries, the messages from the lower to
    /// the higher one.
    of_sum: Vec<usize>,
}

/// A message of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Carried {
    /// The coordinate of its source on the line.
    from: usize,
    /// The coordinate of its destination, which is higher.
    to: usize,
    /// Its number among the messages of these two.
    number: usize,
}

/// The schedule of a line.
struct LineExchange {
    /// The messages, the nearest destination first.
    messages: Vec<Carried>,
    /// By step and coordinate at which a channel starts, the message that it takes.
    taken: Vec<u32>,
    /// Channels of the line.
    channels: usize,
}

impl LineExchange {
    /// The schedule of some messages.
    fn new(demand: &Demand) -> Self {
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
    fn steps(&self) -> usize {
        self.taken.len() / self.channels
    }

    /// The hops of a step, none after the last: the coordinate from which a message goes to the next one.
    fn hops(&self, step: usize) -> impl Iterator<Item = (usize, Carried)> {
        let first = (step * self.channels).min(self.taken.len());
        let of_step = &self.taken[first..self.taken.len().min(first + self.channels)];
        let is_taken = |(_, message): &(usize, u32)| *message != NONE;
        let hops = of_step.iter().copied().enumerate().filter(is_taken);
        hops.map(|(at, message)| (at, self.messages[message as usize]))
    }
}

// The coordinates of a line of a mesh, or those that are free for the messages of a line, while messages are
// corrected dimension after dimension.

/// The coordinates of all dimensions but one, in some phase, as a sum of two places: of those dimensions that
/// messages have corrected before, and of the rest.
#[derive(Clone, Copy)]
struct Others {
    /// That of the dimensions corrected before.
    corrected: usize,
    /// That of the rest.
    rest: usize,
}

/// What is to be added to a number for another one, modulo a third.
fn rest(of: usize, number: usize, modulo: usize) -> usize {
    (of + modulo - number % modulo) % modulo
}

/// By sum, modulo their number, the coordinates of all dimensions but one, in a phase of its lines.
fn others(grid: &Grid, dimension: usize, phase: usize) -> Vec<Vec<Others>> {
    let dimensions = grid.sides.len();
    let mut of_sum = vec![Vec::new(); dimensions];
    for place in (0..grid.at.len()).filter(|&place| grid.coordinate(place, dimension) == 0) {
        let mut sum = 0;
        let mut others = Others { corrected: 0, rest: 0 };
        for other in 0..dimensions {
            let coordinate = grid.coordinate(place, other);
            sum += coordinate;
            // The message has begun with the dimension that is `phase` before this one.
            let is_corrected = (1..=phase).contains(&rest(dimension, other, dimensions));
            let part = if is_corrected { &mut others.corrected } else { &mut others.rest };
            *part += coordinate * grid.stride(other);
        }
        of_sum[sum % dimensions].push(others);
    }
    of_sum
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

    /// In each phase, the two parts make up every place of a line's first vertex once, by sum.
    #[test]
    fn parts_make_up_every_line() {
        let grid = Grid::find(&spec::parse("mesh:5x4x3").unwrap()).unwrap();
        for dimension in 0..3 {
            for phase in 0..3 {
                let mut places = Vec::new();
                for (sum, of_sum) in others(&grid, dimension, phase).iter().enumerate() {
                    for others in of_sum {
                        let place = others.corrected + others.rest;
                        let all: usize = (0..3).map(|k| grid.coordinate(place, k)).sum();
                        assert_eq!((all % 3, grid.coordinate(place, dimension)), (sum, 0));
                        places.push(place);
                        // One dimension is corrected in each phase: none at first, both others at last.
                        assert!(phase > 0 || others.corrected == 0);
                        assert!(phase < 2 || others.rest == 0);
                    }
                }
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len() * grid.sides[dimension].length, 60);
            }
        }
    }
}
