//! The coordinates of a line of a mesh, or those that are free for the messages of a line, while messages are
//! corrected dimension after dimension (phases.rs).

use ccsched_network::grid::Grid;

/// The coordinates of all dimensions but one, in some phase, as a sum of two places: of those dimensions that
/// messages have corrected before, and of the rest.
#[derive(Clone, Copy)]
pub struct Others {
    /// That of the dimensions corrected before.
    pub corrected: usize,
    /// That of the rest.
    pub rest: usize,
}

/// What is to be added to a number for another one, modulo a third.
pub fn rest(of: usize, number: usize, modulo: usize) -> usize {
    (of + modulo - number % modulo) % modulo
}

/// By sum, modulo their number, the coordinates of all dimensions but one, in a phase of its lines.
pub fn others(grid: &Grid, dimension: usize, phase: usize) -> Vec<Vec<Others>> {
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
    use ccsched_network::spec;

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
