//! One run of UMDA at a fixed number of steps: the generation of section 4.5 of
//! umda-multistage-networks.

use super::Params;
use super::broadcast::Broadcast;
use super::population::{Allele, Dice, Encoding, Fitness, Marginals, Population, tournament};
use super::scatter::Scatter;
use crate::ground::check_steps;
use crate::{Gene, Genome, Method, PathsFound, Resume, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Content;
use ccsched_model::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generations at one number of steps before a larger one is tried.
const PATIENCE: u64 = 10_000;

/// The papers' repair and mutation of a new individual, before its evaluation.
#[derive(Clone, Debug)]
enum Heuristics {
    Scatter(Scatter),
    Broadcast(Broadcast),
}

/// A population that evolves.
#[derive(Clone)]
pub struct Umda {
    params: Params,
    encoding: Arc<Encoding>,
    heuristics: Heuristics,
    fitness: Fitness,
    population: Population,
    model: Marginals,
    /// All individuals, in the order last needed.
    arena: Vec<u32>,
    generation: u64,
    /// The least cost since the population was last new, and the generation that reached it.
    progress: (u64, u64),
    /// The best individual of all populations.
    best: Vec<Gene>,
    cost: u64,
}

/// The saved state of a run; every generation estimates the model anew.
#[derive(Serialize, Deserialize)]
struct Saved {
    steps: u32,
    population: Population,
    /// The order of the last restoration of broadcasts.
    order: Vec<u32>,
    generation: u64,
    progress: (u64, u64),
    best: Vec<Gene>,
    cost: u64,
}

impl Umda {
    /// A population for a problem; [`Walker::seek`] must follow.
    pub fn new(encoding: Arc<Encoding>, params: Params) -> Self {
        let (size, genes) = (params.population as usize, encoding.demands().len());
        Umda {
            heuristics: Heuristics::of(&encoding, 0, params),
            fitness: Fitness::new(&encoding, 0),
            population: Population::new(size, genes),
            model: Marginals::new(size / 2, genes),
            arena: (0..params.population).collect(),
            generation: 0,
            progress: (u64::MAX, 0),
            best: vec![Gene::default(); genes],
            cost: u64::MAX,
            encoding,
            params,
        }
    }

    /// The population.
    pub fn population(&self) -> &Population {
        &self.population
    }

    /// The population, to set the initial individuals.
    pub fn population_mut(&mut self) -> &mut Population {
        &mut self.population
    }

    /// One generation: a tournament picks the parents, the model of the parents is sampled, and the
    /// new individuals replace the worse half.
    pub fn generation(&mut self, dice: &mut impl Dice) {
        let half = self.population.size() / 2;
        let mutated = self.params.mutated(self.encoding.problem());
        tournament(&self.population, &mut self.arena, dice);
        self.model.estimate(&self.population, &self.arena[..half]);
        (0..).zip(&mut self.arena).for_each(|(i, place)| *place = i);
        self.population.rank(&mut self.arena);
        self.generation += 1;
        for place in half..self.population.size() {
            let worse = self.arena[place];
            let child = self.population.chromosome_mut(worse);
            self.model.sample(child, dice);
            let is_mutated = dice.happens(self.params.mutation);
            let mutations = if is_mutated { mutated } else { 0 };
            let (encoding, fitness) = (&*self.encoding, &mut self.fitness);
            let cost = self.heuristics.finish(encoding, child, mutations, fitness, dice);
            self.population.rate(worse, cost, self.generation);
            self.note(worse);
        }
    }

    /// The initial population: random, with a share of broadcasts that start from step 0.
    fn populate(&mut self, dice: &mut impl Dice) {
        self.progress = (u64::MAX, self.generation);
        let steps = self.fitness.steps();
        let injected = (f64::from(self.params.population) * self.params.injected) as u32;
        for individual in 0..self.params.population {
            let child = self.population.chromosome_mut(individual);
            for (g, allele) in child.iter_mut().enumerate() {
                let step = dice.below(steps);
                *allele = self.encoding.random(g, step, dice);
            }
            let (encoding, fitness) = (&*self.encoding, &mut self.fitness);
            let cost = match &mut self.heuristics {
                Heuristics::Broadcast(broadcast) if individual < injected => {
                    broadcast.inject(encoding, child, fitness, dice)
                }
                heuristics => heuristics.finish(encoding, child, 0, fitness, dice),
            };
            self.population.rate(individual, cost, self.generation);
            self.note(individual);
        }
    }

    /// Whether the population has not improved for the allowed time.
    fn has_converged(&self) -> bool {
        let since = self.generation - self.progress.1;
        self.params.restart_after.is_some_and(|most| since >= most)
    }

    /// Keeps an individual that is better than all before.
    fn note(&mut self, individual: u32) {
        if self.population.cost(individual) < self.progress.0 {
            self.progress = (self.population.cost(individual), self.generation);
        }
        if self.population.cost(individual) < self.cost {
            self.cost = self.population.cost(individual);
            let chromosome = self.population.chromosome(individual);
            for (gene, &allele) in self.best.iter_mut().zip(chromosome) {
                *gene = self.encoding.gene(allele);
            }
        }
    }
}

impl Heuristics {
    fn of(encoding: &Encoding, steps: u32, params: Params) -> Self {
        match encoding.problem().collective().content() {
            Content::Common => Heuristics::Broadcast(Broadcast::new(encoding, steps)),
            Content::Personal => Heuristics::Scatter(Scatter::new(
                encoding,
                steps,
                params.mutated(encoding.problem()),
            )),
        }
    }

    /// Repairs a sampled chromosome and mutates it `mutations` times; returns its fitness.
    fn finish(
        &mut self,
        encoding: &Encoding,
        child: &mut [Allele],
        mutations: u32,
        fitness: &mut Fitness,
        dice: &mut impl Dice,
    ) -> u64 {
        match self {
            Heuristics::Scatter(scatter) => {
                scatter.finish(encoding, child, mutations, fitness, dice)
            }
            Heuristics::Broadcast(broadcast) => {
                broadcast.finish(encoding, child, mutations, fitness, dice)
            }
        }
    }
}

// Schedules are not polished: the papers stop at the first conflict-free schedule.
impl Walker for Umda {
    fn paths(&self) -> Option<PathsFound> {
        Some(PathsFound::of(self.encoding.routes().table()))
    }

    /// Every number of steps is a new run.
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.heuristics = Heuristics::of(&self.encoding, steps, self.params);
        self.fitness = Fitness::new(&self.encoding, steps);
        self.generation = 0;
        self.cost = u64::MAX;
        self.populate(rng);
        u64::from(self.params.population)
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        if self.has_converged() {
            self.populate(rng);
            return u64::from(self.params.population);
        }
        self.generation(rng);
        u64::from(self.params.population / 2)
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn mean_cost(&self) -> f64 {
        let costs = (0..self.params.population).map(|i| self.population.cost(i));
        costs.sum::<u64>() as f64 / f64::from(self.params.population)
    }

    fn genome(&self) -> Genome {
        Genome::Genes(self.best.clone())
    }

    fn patience(&self) -> u64 {
        PATIENCE
    }

    fn method(&self) -> Method {
        Method::MarginalDistribution
    }

    fn plan(&self) -> Plan {
        self.encoding.plan(&self.best, self.fitness.steps())
    }
}

impl Resume for Umda {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        codec::encode(&Saved {
            steps: self.fitness.steps(),
            population: self.population.clone(),
            order: match &self.heuristics {
                Heuristics::Scatter(_) => Vec::new(),
                Heuristics::Broadcast(broadcast) => broadcast.order().to_vec(),
            },
            generation: self.generation,
            progress: self.progress,
            best: self.best.clone(),
            cost: self.cost,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { steps, population, order, generation, progress, best, cost } =
            codec::decode(state)?;
        if !population.is_like(&self.population) || best.len() != self.best.len() {
            return Err(CommError::Unfit("individuals or genes"));
        }
        check_steps(steps, best.len())?;
        if progress.1 > generation {
            return Err(CommError::Unsound("its progress must be of a past generation"));
        }
        self.heuristics = Heuristics::of(&self.encoding, steps, self.params);
        self.fitness = Fitness::new(&self.encoding, steps);
        if let Heuristics::Broadcast(broadcast) = &mut self.heuristics
            && !broadcast.set_order(order)
        {
            return Err(CommError::Unfit("genes"));
        }
        (self.population, self.generation) = (population, generation);
        (self.best, self.cost, self.progress) = (best, cost, progress);
        Ok(())
    }
}
