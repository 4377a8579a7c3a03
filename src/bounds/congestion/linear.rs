//! The best weights, by linear programming. With one variable for the weight of every class of
//! resources and one for the potential of every walk (source, vertex, detour), a walk's potential is at
//! most that of the walk before it plus the weight of the hop between them; the sum of the potentials at
//! the destinations is to be largest, when one step carries the weight 1 for every unit of capacity.
//!
//! A walk with one predecessor needs no variable: its potential is that of the walk before it plus the
//! hop. On a fabric few walks are left, since every host hangs on one leaf.

use super::Proof;
use super::lightest::{Hop, Lightest, Source, end_ports};
use std::collections::HashMap;

/// Larger programs take too long: constraints, and their terms.
const MOST_ROWS: usize = 3_000;
const MOST_TERMS: usize = 20_000;
/// Iterations of the solver; a few hundred prove all that can be proved on most networks.
const ITERATIONS: usize = 2_000;
/// The heaviest weight after rounding. The solution of a program of small whole numbers has small
/// denominators, so one of these is often enough.
const SCALES: std::ops::RangeInclusive<u64> = 1..=64;

/// Considers the best weights, rounded in at most `most` ways, if the program is small enough. It
/// ends early when `is_over` returns true.
pub fn solve(proof: &mut Proof<'_>, most: usize, is_over: &dyn Fn() -> bool) {
    let (of, classes) = proof.lightest.classes_of_resources();
    let Some(program) = program(proof.lightest, &of, classes) else { return };
    let mut best = Vec::new();
    program.approach(ITERATIONS, |variables| {
        best.clear();
        best.extend_from_slice(variables);
        is_over()
    });
    let weights: Vec<f64> = of.iter().map(|&class| best[class]).collect();
    // The finest are nearly exact; on a large network the others take long.
    for scale in super::FINE.into_iter().rev().chain(SCALES).take(most) {
        if is_over() {
            return;
        }
        proof.round_off(&weights, &[scale]);
    }
}

/// The program while it is made: variables are numbers, those of weights first.
struct Draft {
    /// By variable, its coefficient in the objective.
    objective: Vec<f64>,
    /// Sums that must not be positive.
    rows: Vec<Sum>,
    terms: usize,
}

impl Draft {
    /// Whether it has grown too large.
    fn is_large(&self) -> bool {
        self.rows.len() > MOST_ROWS || self.terms > MOST_TERMS
    }

    /// A new variable, and its coefficient in the objective.
    fn variable(&mut self, times: f64) -> usize {
        self.objective.push(times);
        self.objective.len() - 1
    }

    /// A variable is at most a sum.
    fn limit(&mut self, variable: usize, sum: &Sum) {
        let negated = sum.iter().map(|&(other, by)| (other, -by));
        self.rows.push(negated.chain([(variable, 1.0)]).collect());
        self.terms += sum.len() + 1;
    }

    fn aim(&mut self, sum: &Sum, times: f64) {
        sum.iter().for_each(|&(variable, by)| self.objective[variable] += times * by);
    }
}

/// The program for classes of resources, or none if it is too large.
fn program(lightest: &Lightest<'_>, of: &[usize], classes: usize) -> Option<Program> {
    let mut draft = Draft { objective: vec![0.0; classes], rows: Vec::new(), terms: 0 };
    for source in &lightest.sources {
        OfSource { lightest, source, of, draft: &mut draft, potential: HashMap::new() }.add();
        if draft.is_large() {
            return None;
        }
    }
    let mut supply = vec![0.0; classes];
    for (&class, &capacity) in of.iter().zip(lightest.problem.resources().capacities()) {
        supply[class] += f64::from(capacity);
    }
    let all: f64 = supply.iter().sum();
    let supply: Sum = supply.into_iter().enumerate().collect();
    let rows = draft.rows.into_iter().map(|row| (row, 0.0)).chain([(supply, all)]).collect();
    Some(Program { objective: draft.objective, rows })
}

/// The part of the program that is about the walks of one source.
struct OfSource<'a, 'p> {
    lightest: &'a Lightest<'p>,
    source: &'a Source<'p>,
    /// By resource, its class.
    of: &'a [usize],
    draft: &'a mut Draft,
    /// By cell of the walks, its potential.
    potential: HashMap<usize, Sum>,
}

impl OfSource<'_, '_> {
    /// Adds all of it, unless the program becomes too large.
    fn add(&mut self) {
        self.potential.insert(self.source.walks.start as usize, Sum::new());
        if self.source.walks.are_free() {
            self.begin();
        }
        self.add_walks();
        if !self.draft.is_large() {
            self.add_demands();
        }
    }

    /// The potential at the end of a hop.
    fn after(&self, hop: &Hop) -> Sum {
        let mut sum = self.potential[&(hop.before as usize)].clone();
        let (link, ports) = self.lightest.of_hop(hop.channel);
        let resources = std::iter::once(link).chain(ports.into_iter().flatten());
        sum.extend(resources.map(|r| (self.of[r as usize], 1.0)));
        merged(sum)
    }

    /// Paths of any length lead also from later cells to earlier ones. A cell with one hop is next to an
    /// earlier one.
    fn begin(&mut self) {
        for (cell, _, hops) in self.source.walks.cells() {
            let known = match hops {
                [hop] => self.after(hop),
                _ => vec![(self.draft.variable(0.0), 1.0)],
            };
            self.potential.insert(cell as usize, known);
        }
    }

    /// No potential is more than that before a hop and the weight of the hop.
    fn add_walks(&mut self) {
        for (cell, _, hops) in self.source.walks.cells() {
            let known = self.potential.get(&(cell as usize)).map(|known| known[0].0);
            if known.is_some() && hops.len() == 1 {
                continue;
            }
            let mut ways: Vec<Sum> = hops.iter().map(|hop| self.after(hop)).collect();
            ways.sort_by(|a, b| a.partial_cmp(b).expect("coefficients are numbers"));
            ways.dedup();
            // There and back is no shorter path.
            ways.retain(|way| way.iter().all(|(variable, _)| Some(*variable) != known));
            if ways.len() > 1 || known.is_some() {
                let variable = known.unwrap_or_else(|| self.draft.variable(0.0));
                ways.iter().for_each(|way| self.draft.limit(variable, way));
                self.potential.insert(cell as usize, vec![(variable, 1.0)]);
            } else if let Some(way) = ways.pop() {
                self.potential.insert(cell as usize, way);
            }
            if self.draft.is_large() {
                return;
            }
        }
    }

    /// Adds the potentials at destinations to the objective.
    fn add_demands(&mut self) {
        for d in self.source.demands {
            let alike = f64::from(self.source.alike) * self.lightest.problem.volume(d) as f64;
            let cells = self.lightest.cells_of(d.destination);
            let walks: Vec<&Sum> = cells.filter_map(|cell| self.potential.get(&cell)).collect();
            match walks[..] {
                [] => {}
                [walk] => self.draft.aim(walk, alike),
                _ => {
                    let variable = self.draft.variable(alike);
                    walks.iter().for_each(|walk| self.draft.limit(variable, walk));
                }
            }
            let ports = end_ports(self.lightest.problem, d).map(|port| (self.of[port], 1.0));
            self.draft.aim(&ports.collect(), alike);
        }
    }
}

/// The same sum with every variable once.
fn merged(mut sum: Sum) -> Sum {
    sum.sort_unstable_by_key(|(variable, _)| *variable);
    sum.dedup_by(|next, last| {
        let same = next.0 == last.0;
        last.1 += if same { next.1 } else { 0.0 };
        same
    });
    sum
}

// Linear programs by a first-order method, which needs only products with the sparse matrix. A
// primal-dual step (Chambolle and Pock 2011) has step sizes for each row and column; steps are
// reflected and drawn to an anchor (Halpern), which moves to the present point at a restart (Lu and
// Yang 2024). The result is nearly optimal: the caller rounds it and checks what that proves.

/// A restart follows when the residual has fallen to this share of the one after the last restart,
const ENOUGH: f64 = 0.2;
/// or to this share and grows again,
const SOME: f64 = 0.8;
/// or when this share of all iterations came after the last restart.
const LONG: f64 = 0.36;
/// The last residual, as a share of the first.
const PRECISION: f64 = 1e-10;

/// A sum of variables with their coefficients.
type Sum = Vec<(usize, f64)>;

/// Maximise the objective over variables that are not negative.
struct Program {
    /// By variable, its coefficient in the objective.
    objective: Vec<f64>,
    /// Sums and their upper limits.
    pub rows: Vec<(Sum, f64)>,
}

/// Step sizes by row or column, before the balance between the two.
struct Steps {
    columns: Vec<f64>,
    rows: Vec<f64>,
}

/// The variables, and the prices of the rows.
#[derive(Clone)]
struct Point {
    variables: Vec<f64>,
    prices: Vec<f64>,
}

impl Program {
    /// Approaches the optimum for at most `iterations`, and shows the variables to `is_enough` at every
    /// restart and at the end.
    fn approach(&self, iterations: usize, mut is_enough: impl FnMut(&[f64]) -> bool) {
        let steps = self.steps();
        let mut at = Point {
            variables: vec![0.0; self.objective.len()],
            prices: vec![0.0; self.rows.len()],
        };
        let (mut anchor, mut next) = (at.clone(), at.clone());
        let mut gradient = vec![0.0; self.objective.len()];
        // The larger it is, the longer the steps of prices and the shorter those of variables.
        let limits = norm(self.rows.iter().map(|(_, limit)| *limit));
        let mut balance = norm(self.objective.iter().copied()) / limits.max(f64::MIN_POSITIVE);
        let mut since = 0_usize;
        let (mut begin, mut first, mut last) = (0.0, 0.0, f64::INFINITY);
        for iteration in 1..=iterations {
            let residual = self.step(&at, &mut next, &mut gradient, &steps, balance);
            if iteration == 1 {
                begin = residual;
            }
            if since == 0 {
                first = residual;
            }
            since += 1;
            let restarts = residual <= ENOUGH * first
                || residual <= SOME * first && residual > last
                || since as f64 >= LONG * iteration as f64;
            last = residual;
            if !restarts {
                let share = since as f64 / (since + 1) as f64;
                draw(&mut at.variables, &next.variables, &anchor.variables, share);
                draw(&mut at.prices, &next.prices, &anchor.prices, share);
                continue;
            }
            if is_enough(&next.variables) || residual <= PRECISION * begin {
                return;
            }
            let moved = distance(&next.variables, &anchor.variables, &steps.columns);
            let priced = distance(&next.prices, &anchor.prices, &steps.rows);
            if moved > 0.0 && priced > 0.0 {
                balance = (balance * priced / moved).sqrt();
            }
            at.clone_from(&next);
            anchor.clone_from(&next);
            (since, last) = (0, f64::INFINITY);
        }
        is_enough(&next.variables);
    }

    /// One over the sum of the coefficients: the method converges with such steps.
    fn steps(&self) -> Steps {
        let mut columns = vec![f64::MIN_POSITIVE; self.objective.len()];
        let mut rows = vec![f64::MIN_POSITIVE; self.rows.len()];
        for (of_row, (row, _)) in rows.iter_mut().zip(&self.rows) {
            for &(column, by) in row {
                *of_row += by.abs();
                columns[column] += by.abs();
            }
        }
        rows.iter_mut().chain(&mut columns).for_each(|sum| *sum = sum.recip());
        Steps { columns, rows }
    }

    /// One step from `at`; returns its length.
    fn step(
        &self,
        at: &Point,
        next: &mut Point,
        gradient: &mut [f64],
        steps: &Steps,
        balance: f64,
    ) -> f64 {
        gradient.copy_from_slice(&self.objective);
        for ((row, _), price) in self.rows.iter().zip(&at.prices) {
            row.iter().for_each(|&(column, by)| gradient[column] -= by * price);
        }
        for (column, next) in next.variables.iter_mut().enumerate() {
            let by = steps.columns[column] / balance * gradient[column];
            *next = (at.variables[column] + by).max(0.0);
        }
        for (index, (row, limit)) in self.rows.iter().enumerate() {
            let ahead = |column: usize| 2.0 * next.variables[column] - at.variables[column];
            let sum: f64 = row.iter().map(|&(column, by)| by * ahead(column)).sum();
            let by = steps.rows[index] * balance * (sum - limit);
            next.prices[index] = (at.prices[index] + by).max(0.0);
        }
        let moved = distance(&next.variables, &at.variables, &steps.columns);
        let priced = distance(&next.prices, &at.prices, &steps.rows);
        (moved * moved * balance + priced * priced / balance).sqrt()
    }
}

/// Reflects a point at the next one, and draws it to the anchor by what `share` leaves.
fn draw(at: &mut [f64], next: &[f64], anchor: &[f64], share: f64) {
    for ((at, next), anchor) in at.iter_mut().zip(next).zip(anchor) {
        *at = share * (2.0 * next - *at) + (1.0 - share) * anchor;
    }
}

fn norm(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|number| number * number).sum::<f64>().sqrt()
}

/// The distance of two points, in steps.
fn distance(a: &[f64], b: &[f64], steps: &[f64]) -> f64 {
    a.iter().zip(b).zip(steps).map(|((a, b), step)| (a - b) * (a - b) / step).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::classes::Classes;
    use ccsched_model::problem::{Collective, Ports, Problem, Request, Routing, Switching};
    use ccsched_network::spec;

    /// What the program proves without the game, and what the game proves without the program.
    fn proved(problem: &Problem) -> (f64, f64) {
        let classes = Classes::of(problem);
        let lightest = Lightest::new(problem, classes.as_ref()).unwrap();
        let mut proof = Proof { lightest: &lightest, by_ratio: false, best: None };
        solve(&mut proof, usize::MAX, &|| false);
        let mut game = Proof { lightest: &lightest, by_ratio: false, best: None };
        super::super::play(problem, 4000, &mut game, &|| false);
        (proof.value(), game.value())
    }

    #[test]
    fn the_game_proves_no_more() {
        let names = ["binary-tree:8", "dragonfly:2,2,1", "petersen", "mesh:3x3", "ring:6,half"];
        for name in names {
            for (switching, ports, slack) in [
                (Switching::Wormhole, None, 0),
                (Switching::Wormhole, Some(1), 1),
                (Switching::StoreAndForward, Some(1), 0),
            ] {
                let routing = if slack == 0 { Routing::Minimal } else { Routing::Slack(slack) };
                let request = Request::new(Collective::Aas);
                let request = Request { switching, ports: Ports(ports), routing, ..request };
                let problem = request.pose(spec::parse(name).unwrap(), vec![]).unwrap();
                let (exact, game) = proved(&problem);
                assert!(exact >= game && exact > 0.0, "{name} {switching}: {exact}, {game}");
            }
        }
    }

    #[test]
    fn the_optimum_of_a_small_program_is_approached() {
        // Feasible points have at most 2 of the second variable, and the edge from (1, 2) to (3, 0) limits
        // the rest.
        let rows = vec![(vec![(1, 1.0)], 2.0), (vec![(0, 1.0), (1, 1.0)], 3.0)];
        let program = Program { objective: vec![2.0, 3.0], rows };
        let mut last = Vec::new();
        program.approach(5_000, |variables| {
            last = variables.to_vec();
            false
        });
        assert!((last[0] - 1.0).abs() < 1e-6 && (last[1] - 2.0).abs() < 1e-6, "{last:?}");
    }

    #[test]
    fn it_ends_when_that_is_enough() {
        let program = Program { objective: vec![1.0], rows: vec![(vec![(0, 1.0)], 1.0)] };
        let mut shown = 0;
        program.approach(usize::MAX, |_| {
            shown += 1;
            true
        });
        assert_eq!(shown, 1);
    }
}
