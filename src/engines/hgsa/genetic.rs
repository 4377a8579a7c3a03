//! The genetic step between an island's solution and another's (hgsa-store-and-forward, section
//! 3.2): two children by two-point crossover; the best of parents and children is mutated, a parent
//! always, a child with a given probability.

use super::Params;
use super::genes::Genes;
use crate::Gene;
use ccsched_base::rng::Rng;
use rand::RngExt;

/// The working memory of the step.
#[derive(Clone)]
pub struct Genetics<A> {
    /// The result of the last step; before, the individual that is counted.
    pub result: A,
    children: [Vec<Gene>; 2],
    best: Vec<Gene>,
}

impl<A: Genes> Genetics<A> {
    /// The step for solutions like this one.
    pub fn new(like: &A) -> Self {
        Genetics { result: like.clone(), children: Default::default(), best: Vec::new() }
    }

    /// Breeds the result from the own solution and a partner's. Of equal individuals the own comes
    /// first, then the partner.
    pub fn breed(&mut self, own: &A, partner: &[Gene], params: &Params, rng: &mut Rng) {
        two_point(own.genes(), partner, &mut self.children, rng);
        let is_parent = self.choose(own, partner);
        if is_parent || rng.random_bool(params.child_mutation) {
            self.mutate(params.mutated_share, rng);
        }
    }

    /// The result becomes the best of parents and children; returns whether it is a parent.
    fn choose(&mut self, own: &A, partner: &[Gene]) -> bool {
        let mut least = own.cost();
        let mut is_parent = true;
        self.best.clear();
        self.best.extend_from_slice(own.genes());
        let others = [(partner, true), (&self.children[0], false), (&self.children[1], false)];
        for (genes, of_parent) in others {
            self.result.load(genes);
            if self.result.cost() < least {
                (least, is_parent) = (self.result.cost(), of_parent);
                self.best.clear();
                self.best.extend_from_slice(genes);
            }
        }
        self.result.load(&self.best);
        is_parent
    }

    fn mutate(&mut self, share: f64, rng: &mut Rng) {
        let genes = self.result.gene_count();
        for _ in 0..((genes as f64 * share) as usize).max(1) {
            let g = rng.random_range(0..genes);
            let gene = self.result.random(g, rng);
            self.result.attempt(g, gene, i64::MAX);
        }
    }
}

// Two-point crossover of two parents into two children.

/// Writes the children of `a` and `b` into `children`: each child copies one parent outside two
/// random points and the other parent between them.
fn two_point(a: &[Gene], b: &[Gene], children: &mut [Vec<Gene>; 2], rng: &mut Rng) {
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
    use crate::hgsa::Neighbourhood;
    use crate::hgsa::genes::Frame;
    use ccsched_base::rng::rng_of;
    use ccsched_model::schedule::Plan;

    /// The path that a mutation puts into a gene.
    const MUTANT: u32 = 77;

    /// Genes whose cost is the sum of their paths; a mutant costs nothing. Their steps say which
    /// parent they come from, also after a mutation.
    #[derive(Clone)]
    struct Sum(Vec<Gene>);

    fn genes(paths: &[u32], step: u32) -> Vec<Gene> {
        paths.iter().map(|&path| Gene { path, step }).collect()
    }

    impl Genes for Sum {
        fn frame(&self) -> &Frame {
            unreachable!("nothing below needs it")
        }

        fn steps(&self) -> u32 {
            1
        }

        fn resize(&mut self, _: u32) {}

        fn load(&mut self, genes: &[Gene]) {
            self.0 = genes.to_vec();
        }

        fn gene_count(&self) -> usize {
            self.0.len()
        }

        fn genes(&self) -> &[Gene] {
            &self.0
        }

        fn cost(&self) -> u64 {
            self.0.iter().filter(|gene| gene.path != MUTANT).map(|gene| u64::from(gene.path)).sum()
        }

        fn random(&self, g: usize, _: &mut Rng) -> Gene {
            Gene { path: MUTANT, ..self.0[g] }
        }

        fn is_in_conflict(&self, g: usize) -> bool {
            self.0[g].path > 0
        }

        fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64) {
            (self.random(g, rng), 1)
        }

        fn attempt(&mut self, g: usize, gene: Gene, _: i64) -> bool {
            self.0[g] = gene;
            true
        }

        fn can_be(&self, g: usize, _: Gene) -> bool {
            g < self.0.len()
        }

        fn fits(&self, _: Gene) -> bool {
            true
        }

        fn end(&self, _: usize) -> u32 {
            1
        }

        fn length(&self, _: usize) -> usize {
            1
        }

        fn plan(&self, _: &[Gene]) -> Plan {
            Plan::new(1)
        }
    }

    fn params(child_mutation: f64, mutated_share: f64) -> Params {
        Params { child_mutation, mutated_share, ..Params::new(Neighbourhood::Paper) }
    }

    /// The results of many steps.
    fn bred(own: &[u32], partner: &[u32], params: Params) -> impl Iterator<Item = Sum> + use<> {
        let (own, partner) = (Sum(genes(own, 1)), genes(partner, 2));
        let mut genetics = Genetics::new(&own);
        let mut rng = rng_of(3, 0, 0);
        (0..2000).map(move |_| {
            genetics.breed(&own, &partner, &params, &mut rng);
            genetics.result.clone()
        })
    }

    fn mutants(solution: &Sum) -> usize {
        solution.0.iter().filter(|gene| gene.path == MUTANT).count()
    }

    #[test]
    fn a_parent_is_always_mutated_whatever_the_probability_for_children() {
        // No child costs less than the own genes, or than the partner's.
        let (zeros, ones) = ([0, 0, 0, 0], [1, 1, 1, 1]);
        for (own, partner) in [(zeros, ones), (ones, zeros)] {
            for result in bred(&own, &partner, params(0.0, 0.01)) {
                let rest = result.0.iter().filter(|g| g.path != MUTANT);
                assert_eq!((mutants(&result), rest.map(|g| g.path).sum::<u32>()), (1, 0));
            }
        }
    }

    #[test]
    fn a_mutation_changes_the_share_of_the_genes_that_is_asked_for() {
        // Genes are drawn with replacement, so that two draws may be one gene.
        let most = bred(&[0; 8], &[1; 8], params(0.0, 0.5)).map(|result| mutants(&result)).max();
        let least = bred(&[0; 8], &[1; 8], params(0.0, 0.5)).map(|result| mutants(&result)).min();
        assert_eq!(most, Some(4));
        assert!(least >= Some(1));
    }

    #[test]
    fn the_better_child_is_mutated_with_its_probability() {
        // Children cost less than their parents, most of them.
        let (own, partner) = ([0, 0, 5, 5], [5, 5, 0, 0]);
        for (probability, from, to) in [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.3, 0.24, 0.36)] {
            let of_both = |child: &Sum| child.0.iter().any(|g| g.step != child.0[0].step);
            let children: Vec<Sum> =
                bred(&own, &partner, params(probability, 0.01)).filter(of_both).collect();
            assert!(children.len() > 1000, "{}", children.len());
            let share = children.iter().filter(|child| mutants(child) > 0).count() as f64
                / children.len() as f64;
            assert!((from..=to).contains(&share), "{probability}: {share}");
        }
    }

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
