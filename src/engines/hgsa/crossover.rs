//! Two-point crossover of two parents into two children.

use crate::Gene;
use ccsched_base::rng::Rng;
use rand::RngExt;

/// Writes the children of `a` and `b` into `children`: each child copies one parent outside two
/// random points and the other parent between them.
pub fn two_point(a: &[Gene], b: &[Gene], children: &mut [Vec<Gene>; 2], rng: &mut Rng) {
    let (x, y) = (rng.random_range(0..=a.len()), rng.random_range(0..=a.len()));
    let between = x.min(y)..x.max(y);
    for (child, (outer, inner)) in children.iter_mut().zip([(a, b), (b, a)]) {
        child.clear();
        child.extend_from_slice(outer);
        child[between.clone()].copy_from_slice(&inner[between.clone()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;

    #[test]
    fn every_gene_comes_from_a_parent_and_its_twin_from_the_other() {
        let parent = |path| vec![Gene { path, step: 0 }; 9];
        let (a, b) = (parent(1), parent(2));
        let mut rng = rng_of(3, 0, 0);
        let mut children = [Vec::new(), Vec::new()];
        let mut mixed = 0;
        for _ in 0..100 {
            two_point(&a, &b, &mut children, &mut rng);
            for (x, y) in children[0].iter().zip(&children[1]) {
                assert_eq!(x.path + y.path, 3);
            }
            let changes = children[0].windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(changes <= 2, "{changes} points");
            mixed += usize::from(changes > 0);
        }
        assert!(mixed > 50);
    }
}
