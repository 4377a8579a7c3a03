//! Linear programs by a first-order method, which needs only products with the sparse matrix. A
//! primal-dual step (Chambolle and Pock 2011) has step sizes for each row and column; steps are
//! reflected and drawn to an anchor (Halpern), which moves to the present point at a restart (Lu and
//! Yang 2024). The result is nearly optimal: the caller rounds it and checks what that proves.

/// A restart follows when the residual has fallen to this share of the one after the last restart,
const ENOUGH: f64 = 0.2;
/// or to this share and grows again,
const SOME: f64 = 0.8;
/// or when this share of all iterations came after the last restart.
const LONG: f64 = 0.36;
/// The last residual, as a share of the first.
const PRECISION: f64 = 1e-10;

/// A sum of variables with their coefficients.
pub type Sum = Vec<(usize, f64)>;

/// Maximise the objective over variables that are not negative.
pub struct Program {
    /// By variable, its coefficient in the objective.
    pub objective: Vec<f64>,
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
    pub fn approach(&self, iterations: usize, mut is_enough: impl FnMut(&[f64]) -> bool) {
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
