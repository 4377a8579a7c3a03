//! An engine of its own for the commands of ccsched: a (1+1) evolution strategy. The parent has a path
//! and a step for each delivery. A child changes some of them, and replaces the parent unless it has
//! more conflicts. The number of changes grows after a better child and shrinks after others, such
//! that every fifth child is better (1/5 success rule).
//!
//! `cargo run --release --example own_engine -- solve -c aas --engine one-plus-one`
//!
//! `cargo run --release --example own_engine -- compare -c aas --steps 9 --evaluations 3000000 \
//!     --run one-plus-one:islands=4 --run hgsa:islands=4 --run umda --runs 10`

use ccsched::comm::{CommError, codec};
use ccsched::engines::hgsa::genes::{Genes, Scatter};
use ccsched::engines::row::{EngineRow, Parameter, Runs, values};
use ccsched::engines::{Gene, Genome, Method, Resume, Walker};
use ccsched::problem::Content;
use ccsched::rng::Rng;
use ccsched::schedule::Plan;
use rand::RngExt;
use std::process::ExitCode;

fn main() -> ExitCode {
    ccsched::cli::run(&[&ENGINE])
}

/// The row that registers it.
pub static ENGINE: EngineRow = EngineRow {
    name: "one-plus-one",
    help: "(1+1) evolution strategy with the 1/5 success rule; one message a pair",
    parameters: &[
        Parameter::positive("changes", "Genes that the first child changes, on average"),
        Parameter::positive("growth", "Factor of the changes after a better child"),
    ],
    defaults: values([1.0, 1.2]),
    refuses: |problem| {
        let is_scatter = problem.collective().content() == Content::Personal;
        (!is_scatter).then(|| "schedules one message a pair, such as -c aas".into())
    },
    runs: Runs::Islands(|problem, &[changes, growth, ..], seed| {
        let parent = Scatter::new(problem.clone(), seed);
        Box::new(Strategy { parent, changes, growth, undo: vec![] })
    }),
    ..EngineRow::BASE
};

#[derive(Clone)]
struct Strategy {
    parent: Scatter,
    changes: f64,
    growth: f64,
    undo: Vec<(usize, Gene)>,
}

impl Walker for Strategy {
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        let mut genes = self.parent.genes().to_vec();
        self.parent.resize(steps);
        for g in 0..self.parent.gene_count() {
            match genes.get(g) {
                Some(&gene) if self.parent.fits(gene) => {}
                Some(_) => genes[g] = self.parent.random(g, rng),
                None => genes.push(self.parent.random(g, rng)),
            }
        }
        self.parent.load(&genes);
        1
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        let (genes, mut children) = (self.parent.gene_count(), 0);
        while children < genes as u64 && self.parent.cost() > 0 {
            let before = self.parent.cost();
            let changes = self.changes.clamp(1.0, genes as f64);
            for _ in 0..changes as usize + usize::from(rng.random_bool(changes.fract())) {
                let g = rng.random_range(0..genes);
                self.undo.push((g, self.parent.genes()[g]));
                self.parent.attempt(g, self.parent.random(g, rng), i64::MAX);
            }
            let (is_better, is_worse) = (self.parent.cost() < before, self.parent.cost() > before);
            let factor = if is_better { self.growth } else { self.growth.powf(-0.25) };
            self.changes = changes * factor;
            for (g, gene) in self.undo.drain(..).rev().filter(|_| is_worse) {
                self.parent.attempt(g, gene, i64::MAX);
            }
            children += 1;
        }
        children
    }

    /// A solution of another island that is no worse becomes the parent.
    fn cross_over(&mut self, partner: &Genome, _rng: &mut Rng) -> u64 {
        let Genome::Genes(genes) = partner else { return 0 };
        let (own, cost) = (self.parent.genes().to_vec(), self.parent.cost());
        self.parent.load(genes);
        if self.parent.cost() > cost {
            self.parent.load(&own);
        }
        1
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        !matches!(partner, Genome::Genes(genes) if !self.can_have(genes))
    }

    fn cost(&self) -> u64 {
        self.parent.cost()
    }

    fn genome(&self) -> Genome {
        Genome::Genes(self.parent.genes().to_vec())
    }

    fn method(&self) -> Method {
        Method::Own("(1+1) evolution strategy".into())
    }

    fn plan(&self) -> Plan {
        self.parent.plan(self.parent.genes())
    }
}

/// For checkpoints.
impl Resume for Strategy {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&(self.parent.steps(), self.parent.genes(), self.changes))
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let (steps, genes, changes): (u32, Vec<Gene>, f64) = codec::decode(state)?;
        if steps > 1 << 16 || !changes.is_finite() {
            return Err(CommError::Unsound("the steps and the changes must be those of a search"));
        }
        self.parent.resize(steps);
        if !self.can_have(&genes) {
            return Err(CommError::Unsound("each gene must have a path and a step of its own"));
        }
        self.parent.load(&genes);
        self.changes = changes;
        Ok(())
    }
}

impl Strategy {
    fn can_have(&self, genes: &[Gene]) -> bool {
        let mut numbered = genes.iter().enumerate();
        genes.len() == self.parent.gene_count()
            && numbered.all(|(g, &gene)| self.parent.can_be(g, gene))
    }
}
