//! The saved state of an annealer. A file can hold anything behind a right checksum, so every field
//! is checked before the search goes on from it.

use super::Annealer;
use crate::ground::check_steps;
use crate::hgsa::cooling::Thermostat;
use crate::hgsa::genes::Genes;
use crate::hgsa::metropolis::Metropolis;
use crate::{Gene, Resume};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use serde::{Deserialize, Serialize};

/// The state; everything else follows from it.
#[derive(Serialize, Deserialize)]
struct Saved {
    steps: u32,
    genes: Vec<Gene>,
    memory: Vec<u32>,
    thermostat: Thermostat,
    metropolis: Metropolis,
}

impl<A: Genes> Annealer<A> {
    /// Whether all genes can have these values.
    pub(super) fn can_have(&self, genes: &[Gene]) -> bool {
        let mut numbered = genes.iter().enumerate();
        genes.len() == self.solution.gene_count()
            && numbered.all(|(g, &gene)| self.solution.can_be(g, gene))
    }
}

impl<A: Genes> Resume for Annealer<A> {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&Saved {
            steps: self.solution.steps(),
            genes: self.solution.genes().to_vec(),
            memory: self.solution.memory(),
            thermostat: self.thermostat,
            metropolis: self.metropolis.clone(),
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { steps, genes, memory, thermostat, metropolis } = codec::decode(state)?;
        if genes.len() != self.solution.gene_count() {
            return Err(CommError::Unfit("genes"));
        }
        check_steps(steps, genes.len())?;
        thermostat.check(&self.whole)?;
        metropolis.check(&thermostat)?;
        self.genetics.result.resize(steps);
        self.solution.resize(steps);
        if !self.can_have(&genes) {
            return Err(CommError::Unsound("the path and the step of a gene must be its own"));
        }
        self.solution.load(&genes);
        self.solution.remember(&memory)?;
        (self.thermostat, self.metropolis) = (thermostat, metropolis);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WAITS;
    use crate::hgsa::{self, Params};
    use crate::{Genome, Seat, Walker};
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Problem, Request, Switching};
    use ccsched_network::spec;
    use std::sync::Arc;

    /// An annealer in the middle of a search.
    fn annealing(collective: Collective, switching: Switching) -> Box<dyn Walker> {
        let request = Request { switching, ..Request::new(collective) };
        let problem: Problem = request.pose(spec::parse("ring:6").unwrap(), vec![]).unwrap();
        let (mut walker, mut rng) =
            (hgsa::walker(&Arc::new(problem), Params::default(), 1), rng_of(1, 0, 0));
        walker.settle(Seat::among(0, 1));
        walker.seek(4, &mut rng);
        for _ in 0..5 {
            walker.iterate(&mut rng);
        }
        walker
    }

    fn all() -> [Box<dyn Walker>; 3] {
        [
            annealing(Collective::Aas, Switching::Wormhole),
            annealing(Collective::Aab, Switching::Wormhole),
            annealing(Collective::Aab, Switching::StoreAndForward),
        ]
    }

    /// What is said about the state of a walker after a change.
    fn said(walker: &dyn Walker, forge: impl Fn(&mut Saved)) -> String {
        let mut state: Saved = codec::decode(&walker.save().unwrap()).unwrap();
        forge(&mut state);
        let loaded = walker.boxed_clone().load(&codec::encode(&state).unwrap());
        loaded.map_or_else(|why| why.to_string(), |()| String::new())
    }

    #[test]
    fn a_forged_field_is_named() {
        for walker in all() {
            let walker = &*walker;
            assert_eq!(said(walker, |_| ()), "");
            let of_gene = "the path and the step of a gene must be its own";
            let far = |g: &mut Gene| g.path = u32::MAX;
            let late = |g: &mut Gene| g.step = u32::MAX - 1;
            let beyond = |g: &mut Gene| g.step = 4;
            for forge in [far, late, beyond] {
                let why = said(walker, |state| forge(&mut state.genes[3]));
                assert!(why.contains(of_gene), "{why}");
            }
            // A path of another gene.
            let why = said(walker, |state| {
                let last = state.genes.len() - 1;
                state.genes[last].path = 0;
            });
            assert!(why.contains(of_gene), "{why}");
            let why = said(walker, |state| state.steps = 2_000_000_000);
            assert!(why.contains("number of steps"), "{why}");
            let why = said(walker, |state| state.steps = 0);
            assert!(why.contains(of_gene), "{why}");
            let why = said(walker, |state| state.genes.truncate(3));
            assert!(why.contains("number of genes"), "{why}");
            let why = said(walker, |state| state.metropolis = Metropolis::new());
            assert_eq!(why, "");
            let why = said(walker, |state| state.metropolis.set(50.0));
            assert!(why.contains("the temperature of its moves"), "{why}");
        }
    }

    #[test]
    fn a_forged_list_of_waiting_transfers_is_refused() {
        let walker = annealing(Collective::Aas, Switching::Wormhole);
        for forge in [
            |state: &mut Saved| state.memory.push(3),
            |state: &mut Saved| state.memory.clear(),
            |state: &mut Saved| state.memory[0] = state.memory[1],
            |state: &mut Saved| state.memory[0] = u32::MAX,
            |state: &mut Saved| {
                let placed = state.genes.iter_mut().find(|gene| gene.step != WAITS);
                placed.unwrap().step = WAITS;
            },
        ] {
            let why = said(&*walker, forge);
            assert!(why.contains("that waits must be once"), "{why}");
        }
        assert_eq!(said(&*walker, |state| state.memory.reverse()), "");
    }

    #[test]
    fn forged_lists_of_children_are_refused() {
        let walker = annealing(Collective::Aab, Switching::Wormhole);
        let state: Saved = codec::decode(&walker.save().unwrap()).unwrap();
        for place in 0..state.memory.len() {
            for value in [0, 1, 29, u32::MAX] {
                let why = said(&*walker, |state| state.memory[place] = value);
                let is_same = state.memory[place] == value;
                assert_eq!(why.is_empty(), is_same, "{place}: {value}: {why}");
            }
        }
        assert!(said(&*walker, |state| state.memory[0] = 30).contains("number of genes"));
        assert!(said(&*walker, |state| state.memory.truncate(3)).contains("deliveries"));
        assert!(said(&*walker, |s| s.memory.rotate_left(1)).contains("once in the lists"));
    }

    #[test]
    fn genomes_of_other_problems_are_recognised() {
        for walker in all() {
            let Genome::Genes(genes) = walker.genome() else { panic!("annealers show genes") };
            assert!(walker.can_meet(&Genome::Genes(genes.clone())));
            assert!(walker.can_meet(&Genome::Nothing));
            assert!(!walker.can_meet(&Genome::Genes(genes[1..].to_vec())));
            let mut forged = genes;
            forged[0].path = u32::MAX;
            assert!(!walker.can_meet(&Genome::Genes(forged)));
        }
    }
}
