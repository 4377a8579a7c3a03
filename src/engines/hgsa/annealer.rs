//! One island of HGSA: simulated annealing of its genes, and crossover with another island's genes
//! (hgsa-store-and-forward, section 3.2, figure 4).

use super::cooling::{Cooling, Thermostat};
use super::genes::Genes;
use super::genetic::Genetics;
use super::{Neighbourhood, Params, Restart, Shortening};
use crate::ground::check_steps;
use crate::{Gene, Genome, Method, PathsFound, Resume, Seat, Tally, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Simulated annealing of one solution.
#[derive(Clone)]
pub struct Annealer<A> {
    solution: A,
    genetics: Genetics<A>,
    /// The genes that a swap changes; kept to avoid allocation.
    changes: Vec<(usize, Gene)>,
    thermostat: Thermostat,
    metropolis: Metropolis,
    params: Params,
    /// The cooling of one island alone, and of this one.
    whole: Cooling,
    cooling: Cooling,
    restart: Restart,
    tally: Tally,
}

impl<A: Genes> Annealer<A> {
    /// An annealer of empty genes; [`Walker::seek`] must follow.
    pub fn new(assignment: A, params: Params, (cooling, restart): (Cooling, Restart)) -> Self {
        Annealer {
            genetics: Genetics::new(&assignment),
            solution: assignment,
            changes: Vec::new(),
            thermostat: Thermostat::new(cooling),
            metropolis: Metropolis::new(),
            params,
            whole: cooling,
            cooling,
            restart,
            tally: Tally::default(),
        }
    }

    /// Swaps the places of two transfers if the cost rises by at most `budget`.
    fn swap(&mut self, budget: i64, rng: &mut Rng) {
        self.changes.clear();
        self.solution.propose_swap(rng, &mut self.changes);
        let before = self.solution.cost() as i64;
        for (g, gene) in &mut self.changes {
            let old = self.solution.genes()[*g];
            self.solution.attempt(*g, *gene, i64::MAX);
            *gene = old;
        }
        self.tally.proposed += 1;
        if self.solution.cost() as i64 - before <= budget {
            self.tally.accepted += 1;
        } else {
            for &(g, old) in self.changes.iter().rev() {
                self.solution.attempt(g, old, i64::MAX);
            }
        }
    }

    /// Begins with a new solution.
    fn start(&mut self, rng: &mut Rng) {
        let start = self.solution.start(rng);
        self.solution.load(&start);
        self.shorten_paths();
    }

    /// The first heuristic, where the paper applies it.
    fn shorten_paths(&mut self) {
        if self.params.shortening == Shortening::Paper {
            self.solution.shorten();
        }
    }

    /// Metropolis between the own solution and the one that was bred.
    fn select(&mut self, rng: &mut Rng) {
        self.metropolis.set(self.thermostat.temperature());
        let rise = self.genetics.result.cost() as i64 - self.solution.cost() as i64;
        if rise <= self.metropolis.budget(rng) {
            std::mem::swap(&mut self.solution, &mut self.genetics.result);
            self.tally.adopted += 1;
        }
        self.shorten_paths();
    }

    /// A random transfer takes a random path or step.
    fn mutate_one(&mut self, budget: i64, rng: &mut Rng) {
        let g = rng.random_range(0..self.solution.gene_count());
        let gene = self.solution.propose(g, rng);
        self.tally.proposed += 1;
        self.tally.accepted += u64::from(self.solution.attempt(g, gene, budget));
    }

    /// A transfer in conflict takes the cheapest of its other paths and steps. Returns the number
    /// of them that were priced, and of attempts to relocate others.
    fn focus(&mut self, budget: i64, rng: &mut Rng) -> u64 {
        let g = self.solution.draw(rng);
        let (gene, priced) = self.solution.cheapest(g, rng);
        self.tally.proposed += 1;
        self.tally.accepted += u64::from(self.solution.attempt(g, gene, budget));
        priced + self.solution.relocate(rng)
    }
}

impl<A: Genes + 'static> Walker for Annealer<A> {
    fn settle(&mut self, seat: Seat) {
        if self.params.ladder {
            self.cooling = self.whole.rung(seat.island, seat.islands);
            self.thermostat = Thermostat::new(self.cooling);
        }
    }

    fn paths(&self) -> Option<PathsFound> {
        Some(PathsFound::of(self.solution.routes().table()))
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        let old = self.solution.genes().to_vec();
        self.genetics.result.resize(steps);
        self.solution.resize(steps);
        self.start(rng);
        if !old.is_empty() {
            // Genes that no longer fit are drawn at random.
            let keep = |(g, &gene): (usize, &Gene)| {
                if self.solution.fits(gene) { gene } else { self.solution.random(g, rng) }
            };
            let kept: Vec<Gene> = old.iter().enumerate().map(keep).collect();
            self.genetics.result.load(&kept);
            if self.genetics.result.cost() <= self.solution.cost() {
                self.solution.load(&kept);
            }
        }
        // An island that keeps what it has learnt goes on cooling.
        if self.restart == Restart::Fresh {
            self.thermostat = Thermostat::new(self.cooling);
        }
        0
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.metropolis.set(self.thermostat.temperature());
        let mut moves = 0;
        let genes = self.solution.gene_count() as u64;
        for _ in 0..genes.div_ceil(self.params.stride) {
            if self.solution.cost() == 0 {
                return moves;
            }
            let budget = self.metropolis.budget(rng);
            moves += 1;
            if rng.random_bool(self.params.swap_share) {
                self.swap(budget, rng);
            } else if self.params.neighbourhood == Neighbourhood::Focused {
                moves += self.focus(budget, rng).saturating_sub(1);
            } else {
                self.mutate_one(budget, rng);
            }
        }
        if self.thermostat.cool() && self.restart == Restart::Fresh {
            self.start(rng);
        }
        moves
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        let Genome::Genes(partner) = partner else { return 0 };
        if !self.params.exchange {
            return 0;
        }
        self.genetics.breed(&self.solution, partner, &self.params, rng);
        self.select(rng);
        0
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        !matches!(partner, Genome::Genes(genes) if !self.can_have(genes))
    }

    fn cost(&self) -> u64 {
        self.solution.cost()
    }

    fn genome(&self) -> Genome {
        Genome::Genes(self.solution.genes().to_vec())
    }

    fn temperature(&self) -> f64 {
        self.thermostat.temperature()
    }

    fn polish(&mut self, rng: &mut Rng) {
        shorten(&mut self.solution, self.params.most_longest, rng);
        straighten(&mut self.solution, rng);
    }

    fn tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }

    fn method(&self) -> Method {
        Method::Annealing
    }

    fn plan(&self) -> Plan {
        self.solution.plan(self.solution.genes())
    }
}

// The saved state of an annealer. A file can hold anything behind a right checksum, so every field
// is checked before the search goes on from it.

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
    fn can_have(&self, genes: &[Gene]) -> bool {
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

// Metropolis acceptance with integer costs: a rise by d is accepted with probability exp(-d/T).

/// Rises less likely than this are never accepted.
const LEAST_PROBABILITY: f64 = 1e-9;
/// A relative change of temperature up to this keeps the thresholds as they are.
const SAME: f64 = 0.02;

/// Acceptance at one temperature.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Metropolis {
    /// `thresholds[d - 1]`: a rise by `d` is accepted if 64 random bits are below it. Decreasing.
    thresholds: Vec<u64>,
    temperature: f64,
}

impl Metropolis {
    /// Metropolis at temperature 0: accepts no rise.
    fn new() -> Self {
        Metropolis { thresholds: Vec::new(), temperature: 0.0 }
    }

    /// Sets the temperature, in units of cost.
    fn set(&mut self, temperature: f64) {
        if (temperature - self.temperature).abs() <= SAME * self.temperature {
            return;
        }
        self.temperature = temperature;
        self.thresholds.clear();
        // One factor per unit of cost, so a temperature takes one exponential.
        let factor = libm::exp(-1.0 / temperature);
        let mut probability = factor;
        while probability > LEAST_PROBABILITY {
            self.thresholds.push((probability * u64::MAX as f64) as u64);
            probability *= factor;
        }
    }

    /// Checks that the thresholds are those of the temperature, which is one of the thermostat's or
    /// the first.
    ///
    /// # Errors
    /// The field that cannot be.
    fn check(&self, thermostat: &Thermostat) -> Result<(), CommError> {
        let mut right = Metropolis::new();
        if self.temperature != 0.0 {
            if !thermostat.has(self.temperature) {
                return Err(CommError::Unsound("the temperature of its moves must be its own"));
            }
            right.set(self.temperature);
        }
        match self.thresholds == right.thresholds {
            true => Ok(()),
            false => {
                Err(CommError::Unsound("the thresholds of its moves must be its temperature's"))
            }
        }
    }

    /// Draws the largest rise in cost that the next move may make.
    fn budget(&self, rng: &mut Rng) -> i64 {
        let bits: u64 = rng.random();
        self.thresholds.iter().take_while(|&&threshold| bits < threshold).count() as i64
    }
}

// The second heuristic (hgsa-store-and-forward, section 3.3): if few transfers of a conflict-free
// solution end last, mutate them until they end earlier; each success saves at least one step.
// Long paths are shortened likewise, which frees channels for other transfers.

/// Mutations tried per gene.
const TRIES: usize = 100;

/// Shortens a conflict-free solution while at most `most_longest` transfers end last. Returns the
/// number of steps it needs.
fn shorten<A: Genes>(solution: &mut A, most_longest: usize, rng: &mut Rng) -> u32 {
    loop {
        let genes = solution.genes().len();
        let last = (0..genes).map(|g| solution.end(g)).max().unwrap_or(0);
        let longest: Vec<usize> = (0..genes).filter(|&g| solution.end(g) == last).collect();
        if longest.len() > most_longest || !longest.iter().all(|&g| earlier(solution, g, last, rng))
        {
            return last;
        }
    }
}

/// Tries to end gene `g` before step `last` without a conflict.
fn earlier<A: Genes>(solution: &mut A, g: usize, last: u32, rng: &mut Rng) -> bool {
    for _ in 0..TRIES {
        // Another gene's move may have ended this one earlier as well.
        if solution.end(g) < last {
            return true;
        }
        let gene = solution.random(g, rng);
        if gene.step < solution.genes()[g].step {
            replace_if(solution, g, gene, |solution| solution.end(g) < last);
        }
    }
    solution.end(g) < last
}

/// Replaces paths by shorter ones where that causes no conflict.
fn straighten<A: Genes>(solution: &mut A, rng: &mut Rng) {
    for g in 0..solution.genes().len() {
        for _ in 0..TRIES / 4 {
            let length = solution.length(g);
            if length == 1 {
                break;
            }
            let gene = solution.random(g, rng);
            replace_if(solution, g, gene, |solution| solution.length(g) < length);
        }
    }
}

/// Gives gene `g` a new value if the solution stays conflict-free and `is_better` holds.
fn replace_if<A: Genes>(solution: &mut A, g: usize, gene: Gene, is_better: impl Fn(&A) -> bool) {
    let old = solution.genes()[g];
    // The solution has no conflict, so that a rise by 0 causes none.
    if solution.attempt(g, gene, 0) && !is_better(solution) {
        solution.attempt(g, old, i64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Params;
    use super::*;
    use crate::{Genome, Seat, WAITS, Walker, hgsa};
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

    #[test]
    fn rises_are_accepted_as_often_as_boltzmann_says() {
        let mut metropolis = Metropolis::new();
        metropolis.set(0.7);
        let mut rng = rng_of(5, 0, 0);
        let draws = 200_000;
        let budgets: Vec<i64> = (0..draws).map(|_| metropolis.budget(&mut rng)).collect();
        for rise in 1..=4 {
            let accepted = budgets.iter().filter(|&&b| b >= rise).count() as f64 / draws as f64;
            let expected = (-(rise as f64) / 0.7).exp();
            assert!((accepted - expected).abs() < 0.005, "{rise}: {accepted} {expected}");
        }
    }
}
