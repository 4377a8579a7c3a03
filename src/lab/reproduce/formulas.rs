//! The formulas of umda-diameter-degree-networks: sizes of graphs, and lower bounds.

use ccsched_network::Network;
use ccsched_network::metrics::spread;

/// Equation 1: vertices of degree d and diameter D.
pub fn moore(d: f64, diameter: f64) -> f64 {
    (d * (d - 1.0).powf(diameter) - 2.0) / (d - 2.0)
}

/// Equation 2: the same in a digraph.
pub fn directed_moore(d: f64, diameter: f64) -> f64 {
    (d.powf(diameter + 1.0) - 1.0) / (d - 1.0)
}

/// Equation 3: the same with even girth.
pub fn even_girth_moore(d: f64, diameter: f64) -> f64 {
    2.0 * (0..diameter as i32).map(|i| (d - 1.0).powi(i)).sum::<f64>()
}

/// Equation 5, with the printed bisection.
pub fn bound_5(vertices: f64, bisection: f64) -> f64 {
    (vertices * vertices / (2.0 * bisection)).ceil()
}

/// Equation 6, with the printed bisection and 2 delta. The text has P^2/(2 + 2 delta), the numbers
/// are those of P^2/2 + 2 delta.
pub fn bound_6(network: &Network, bisection: f64, two_delta: f64, degree: f64) -> f64 {
    let vertices = network.vertices().len() as f64;
    let by_cut = ((vertices * vertices / 2.0 + two_delta) / bisection).ceil();
    by_cut.max((spread(network).sum as f64 / (vertices * degree)).ceil())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_give_known_sizes() {
        assert_eq!((moore(7.0, 2.0), moore(3.0, 2.0)), (50.0, 10.0));
        assert_eq!((directed_moore(3.0, 2.0), even_girth_moore(3.0, 4.0)), (13.0, 30.0));
        assert_eq!(bound_5(14.0, 14.0), 7.0);
    }
}
