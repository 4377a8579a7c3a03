//! UMDA: its parts and one whole generation against examples computed by hand with loaded dice, and
//! properties of all its individuals.

use crate::support::checked::{Checker, NEVER, complaints};
use crate::support::program::Desk;
use crate::support::search::run_on;
use ccsched::bounds;
use ccsched::engines::umda::{
    Allele, Broadcast, Dice, Encoding, Fitness, Marginals, Params, Population, Scatter, Umda, swap,
    tournament, walker,
};
use ccsched::engines::{Engine, Seat, Walker};
use ccsched::islands::{Job, Outcome, Search, StopCondition, Threads};
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request};
use ccsched::rng::{Rng, rng_of};
use std::collections::VecDeque;
use std::sync::Arc;

/// Dice that show given numbers.
struct Loaded(VecDeque<u32>);

impl Loaded {
    fn new(numbers: &[u32]) -> Self {
        Loaded(numbers.iter().copied().collect())
    }
}

impl Dice for Loaded {
    fn below(&mut self, n: u32) -> u32 {
        let number = self.0.pop_front().expect("more throws than expected");
        assert!(number < n, "{number} is given, but the dice have {n} sides");
        number
    }

    fn happens(&mut self, probability: f64) -> bool {
        assert!(probability == 0.0 || probability == 1.0, "only certain events are expected");
        probability == 1.0
    }
}

fn problem(topology: &str, collective: Collective) -> Arc<Problem> {
    let request = Request::new(collective);
    Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
}

fn encoding(topology: &str, collective: Collective) -> Arc<Encoding> {
    Arc::new(Encoding::new(problem(topology, collective), None, 1))
}

/// An allele of a scatter on a ring of 3, where every pair has one path.
fn at(g: u32, step: u32) -> Allele {
    Allele { pair: g, path: 0, step }
}

#[test]
fn parents_are_the_winners_of_random_pairs() {
    let mut population = Population::new(4, 1);
    [5, 1, 3, 7].iter().zip(0..).for_each(|(&cost, i)| population.rate(i, cost, 0));
    let mut arena = vec![0; 4];
    // Shuffling 0 1 2 3: place 3 with 0: 3 1 2 0; place 2 with 2, place 1 with 1: as it is.
    // Pairs (3, 1) and (2, 0): 1 is better than 7, 3 is better than 5.
    tournament(&population, &mut arena, &mut Loaded::new(&[0, 2, 1]));
    assert_eq!(arena[..2], [1, 2]);
}

#[test]
fn marginals_are_the_shares_of_the_parents() {
    // Two genes, three parents of four: steps of gene 0 are 0, 0, 2 and of gene 1 are 1, 2, 1.
    let mut population = Population::new(4, 2);
    for (i, steps) in [[0, 1], [0, 2], [9, 9], [2, 1]].iter().enumerate() {
        population.chromosome_mut(i as u32).copy_from_slice(&[at(0, steps[0]), at(1, steps[1])]);
    }
    let mut model = Marginals::new(3, 2);
    model.estimate(&population, &[0, 1, 3]);
    let count = |g, step| model.count(g, |allele| allele.step == step);
    assert_eq!([count(0, 0), count(0, 1), count(0, 2)], [2, 0, 1]);
    assert_eq!([count(1, 0), count(1, 1), count(1, 2)], [0, 2, 1]);
    // Every throw names the parent whose step is drawn, independently for each gene: all 9 pairs.
    let mut drawn = Vec::new();
    for throws in (0..9).map(|i| [i / 3, i % 3]) {
        let mut child = [Allele::default(); 2];
        model.sample(&mut child, &mut Loaded::new(&throws));
        assert_eq!(child.map(|allele| allele.pair), [0, 1]);
        drawn.push(child.map(|allele| allele.step));
    }
    assert_eq!(drawn.iter().filter(|&&steps| steps == [0, 1]).count(), 4, "2/3 x 2/3 of 9");
    assert_eq!(drawn.iter().filter(|&&steps| steps == [2, 2]).count(), 1, "1/3 x 1/3 of 9");
}

#[test]
fn components_of_an_allele_stay_together() {
    // One gene, two parents: (path 0, step 1), (path 1, step 0). No child has path 0 in step 0.
    let parents = [Allele { pair: 0, path: 0, step: 1 }, Allele { pair: 0, path: 1, step: 0 }];
    let mut population = Population::new(2, 1);
    (0..).zip(parents).for_each(|(i, allele)| population.chromosome_mut(i)[0] = allele);
    let mut model = Marginals::new(2, 1);
    model.estimate(&population, &[0, 1]);
    for (throw, parent) in (0..).zip(parents) {
        let (mut child, mut dice) = ([Allele::default()], Loaded::new(&[throw]));
        model.sample(&mut child, &mut dice);
        assert!(dice.0.is_empty() && child == [parent]);
    }
}

#[test]
fn one_generation() {
    // Simplex ring 0 -> 1 -> 2 -> 0, scatter from 0: gene 0 takes channel 0-1, gene 1 takes 0-1
    // and 1-2. In one step they have one conflict; with one port they never share a step.
    let encoding = encoding("ring:3,simplex", Collective::Oas);
    let params = Params { population: 4, mutation: 0.0, ..Params::default() };
    let mut umda = Umda::new(encoding, params);
    umda.seek(3, &mut rng_of(1, 0, 0));
    let individuals = [[0, 0], [0, 1], [2, 1], [1, 1]];
    let costs = [1, 0, 0, 1];
    for (i, (steps, cost)) in (0..).zip(individuals.iter().zip(costs)) {
        let population = umda.population_mut();
        population.chromosome_mut(i).copy_from_slice(&[at(0, steps[0]), at(1, steps[1])]);
        population.rate(i, cost, 0);
    }
    // Shuffle: 0 1 2 3, place 3 stays, 2 stays, 1 stays. Pairs (0, 1) and (2, 3): parents 1 and 2,
    // whose steps are 0 1 and 2 1. The worse half is 0 and 3.
    // Individual 0: gene 0 from the second parent (2), gene 1 from the first (1): 2 1. The port
    // heuristic begins at gene 0, and finds no surplus.
    // Individual 3: gene 0 from the first (0), gene 1 from the second (1): 0 1; it begins at 1.
    let mut dice = Loaded::new(&[3, 2, 1, 1, 0, 0, 0, 1, 1]);
    umda.generation(&mut dice);
    assert!(dice.0.is_empty(), "{} throws are left", dice.0.len());
    let steps =
        |i| umda.population().chromosome(i).iter().map(|allele| allele.step).collect::<Vec<_>>();
    assert_eq!([steps(0), steps(1), steps(2), steps(3)], [[2, 1], [0, 1], [2, 1], [0, 1]]);
    assert_eq!([0, 1, 2, 3].map(|i| umda.population().cost(i)), [0; 4]);
}

#[test]
fn surplus_moves_to_steps_with_room() {
    // As above: both in step 1; gene 1 comes first and stays, gene 0 moves. Steps 0 and 2 have
    // room, both without conflicts: a throw breaks the tie, and 0 of 2 takes the later.
    let encoding = encoding("ring:3,simplex", Collective::Oas);
    let mut scatter = Scatter::new(&encoding, 3, 1);
    let mut fitness = Fitness::new(&encoding, 3);
    let mut child = [at(0, 1), at(1, 1)];
    scatter.spread(&encoding, &mut child, &mut fitness, &mut Loaded::new(&[1, 0]));
    assert_eq!(child.map(|allele| allele.step), [2, 1]);
    assert_eq!(fitness.cost(), 0);
    assert_eq!(swap(&encoding, &mut child, &mut Loaded::new(&[0, 1, 1])), (0, 1));
    assert_eq!(child.map(|allele| allele.step), [1, 2]);
}

#[test]
fn no_vertex_sends_more_than_its_ports_allow() {
    let mut rng = rng_of(3, 0, 0);
    for topology in ["kautz:2,2", "omega:8", "mesh:3x3", "clos:2,2,2"] {
        let encoding = encoding(topology, Collective::Aas);
        let network = encoding.problem().network();
        let steps = bounds::all(encoding.problem())[0].steps;
        let mut fitness = Fitness::new(&encoding, steps);
        let mut scatter = Scatter::new(&encoding, steps, 2);
        for mutations in [0, 1, 2, 0, 1, 2] {
            let mut child: Vec<Allele> = (0..encoding.demands().len())
                .map(|g| encoding.random(g, rng.below(steps), &mut rng))
                .collect();
            let cost = scatter.finish(&encoding, &mut child, mutations, &mut fitness, &mut rng);
            assert_eq!(cost, fitness.rate(&encoding, &child));
            for v in network.terminals() {
                for step in 0..steps {
                    let sent = encoding.demands().iter().zip(&child);
                    let sent = sent.filter(|(d, a)| d.source == v && a.step == step).count();
                    assert!(sent <= network.outgoing(v).len(), "{topology}: {sent} in {step}");
                }
            }
        }
    }
}

#[test]
fn restoration_replaces_the_uninformed_source() {
    // Ring 0 - 1 - 2 - 0, broadcast from 0. In step 0, genes let 1 and 2 inform each other; only 0
    // is informed, so 0 sends both messages, along its one path to each, without a conflict.
    let encoding = encoding("ring:3", Collective::Oab);
    let by = |g: usize, v: u32| encoding.pairs(g).find(|&p| encoding.sender(p) == v).unwrap();
    let mut child = [(0, 2), (1, 1)].map(|(g, v)| Allele { pair: by(g, v), path: 0, step: 0 });
    let mut fitness = Fitness::new(&encoding, 2);
    let mut broadcast = Broadcast::new(&encoding, 2);
    // No throw is needed: there is one informed source, with one path.
    let cost = broadcast.finish(&encoding, &mut child, 0, &mut fitness, &mut Loaded::new(&[]));
    assert_eq!(child.map(|allele| encoding.sender(allele.pair)), [0, 0]);
    assert_eq!((child.map(|allele| allele.step), cost), ([0, 0], 0));
}

#[test]
fn a_vertex_without_an_informed_neighbour_is_postponed_and_penalised() {
    // Simplex ring of 4, from neighbour to neighbour: transfers that are all in step 0 become one
    // per step; with two steps the last transfer exceeds the limit, which costs 1.
    let encoding = Encoding::new(problem("ring:4,simplex", Collective::Oab), Some(1), 1);
    for (steps, penalty) in [(3, 0), (2, 1)] {
        let mut child = [0, 1, 2].map(|g| encoding.random(g, 0, &mut Loaded::new(&[])));
        let mut fitness = Fitness::new(&encoding, steps);
        let mut broadcast = Broadcast::new(&encoding, steps);
        let mut dice = Loaded::new(&[]);
        let cost = broadcast.finish(&encoding, &mut child, 0, &mut fitness, &mut dice);
        assert_eq!(child.map(|allele| allele.step), [0, 1, 2]);
        assert_eq!(cost, penalty);
    }
}

#[test]
fn restored_trees_without_conflicts_are_schedules() {
    let mut rng: Rng = rng_of(5, 0, 0);
    let mut valid = 0;
    for (topology, collective) in
        [("kautz:2,2", Collective::Aab), ("ring:5", Collective::Aab), ("mesh:3x3", Collective::Oab)]
    {
        let encoding = encoding(topology, collective);
        // More steps than needed, so that some individuals have no conflicts by chance.
        let steps = 3 * encoding.demands().len() as u32;
        let mut fitness = Fitness::new(&encoding, steps);
        let mut broadcast = Broadcast::new(&encoding, steps);
        for i in 0..60 {
            let mut child: Vec<Allele> = (0..encoding.demands().len())
                .map(|g| encoding.random(g, rng.below(steps), &mut rng))
                .collect();
            let cost = match i % 3 {
                0 => broadcast.inject(&encoding, &mut child, &mut fitness, &mut rng),
                m => broadcast.finish(&encoding, &mut child, 4 * m, &mut fitness, &mut rng),
            };
            assert_eq!(cost, fitness.rate(&encoding, &child), "{topology}");
            if cost == 0 {
                let genes: Vec<_> = child.iter().map(|&a| encoding.gene(a)).collect();
                let found = complaints(encoding.problem(), &encoding.plan(&genes, steps));
                assert!(found.is_empty(), "{topology}: {found}");
                valid += 1;
            }
        }
    }
    assert!(valid > 60, "{valid} schedules");
}

#[test]
fn the_better_half_survives_and_the_rest_is_new() {
    for collective in [Collective::Aas, Collective::Aab] {
        let mut umda = Umda::new(encoding("kautz:2,2", collective), Params::default());
        let mut rng = rng_of(2, 0, 0);
        umda.seek(3, &mut rng);
        for _ in 0..30 {
            let costs = |umda: &Umda| {
                let mut costs: Vec<u64> = (0..60).map(|i| umda.population().cost(i)).collect();
                costs.sort_unstable();
                costs
            };
            let before = costs(&umda);
            assert!(umda.cost() <= before[0]);
            umda.generation(&mut rng);
            let after = costs(&umda);
            assert!(after.iter().zip(&before[..30]).all(|(new, old)| new <= old));
        }
    }
}

fn run(topology: &str, collective: Collective, seed: u64, iterations: u64) -> Outcome {
    let job = Job {
        network: spec::parse(topology).unwrap(),
        faults: vec![],
        request: Request::new(collective),
        engine: Engine::from(Params::default()),
        search: Search { seed, exchange_every: 10, goal: None, ..Search::default() },
        table: None,
    };
    let problem = job.pose().unwrap();
    let bound = bounds::all(&problem)[0].steps;
    let stop = StopCondition::new(iterations, None, &NEVER);
    run_on(&mut Threads(1), &job, &problem, bound, stop, &mut Checker(&problem)).unwrap()
}

#[test]
fn schedules_are_valid() {
    for topology in ["ring:6", "kautz:2,2", "omega:4", "binary-tree:4", "fat-tree:4", "mesh:2x3"] {
        for collective in Collective::OF_THE_PAPERS {
            let best = run(topology, collective, 1, 2000).best;
            assert!(best.is_some(), "{collective} of {topology}");
        }
    }
}

#[test]
fn the_figures_of_the_papers_are_reached_on_small_networks() {
    let cells = [
        ("omega:8", Collective::Aab, 7),
        ("omega:8", Collective::Aas, 7),
        ("kautz:3,2", Collective::Oab, 2),
        ("petersen", Collective::Aab, 3),
        ("full-binary-tree:7", Collective::Aas, 12),
    ];
    for (topology, collective, steps) in cells {
        let best = run(topology, collective, 1, 40_000).best.unwrap();
        assert!(best.len() <= steps, "{topology} {collective}: {}", best.len());
    }
}

#[test]
fn the_same_seed_gives_the_same_result() {
    for collective in [Collective::Aas, Collective::Aab] {
        let result = |seed| {
            let problem = problem("kautz:2,3", collective);
            let mut umda = walker(&problem, Params::default(), seed);
            let mut rng = rng_of(seed, 0, 0);
            umda.seek(bounds::all(&problem)[0].steps, &mut rng);
            (0..50).for_each(|_| {
                umda.iterate(&mut rng);
            });
            umda.genome()
        };
        assert_eq!(result(1), result(1));
        assert_ne!(result(1), result(2));
    }
}

#[test]
fn wrong_input() {
    let cases = [
        ("--switching sf", "wormhole"),
        ("--islands 2", "serial"),
        ("--set umda:population=7", "even"),
        ("--set umda:population=0", "even"),
        ("--set umda:mutation=1.5", "from 0 to 1"),
        ("--umda-radius 0", "at least 1"),
        ("--set umda:mutated-genes=0", "at least 1"),
        ("--set umda:injected=-1", "from 0 to 1"),
    ];
    let desk = Desk::new();
    for (args, word) in cases {
        desk.refuse(&format!("solve -t ring:4 --engine umda {args}"), &[word]);
    }
}

#[test]
fn one_island_unless_asked_otherwise() {
    let summary = Desk::new().json("solve -t ring:4 --engine umda --json");
    assert_eq!((&summary["engine"], &summary["ranks"]), (&"umda".into(), &1.into()));
}

/// A population that cannot improve: more steps are needed than the target.
fn converging(restart_after: Option<u64>) -> Box<dyn Walker> {
    let problem = problem("ring:5", Collective::Aas);
    let params = Params { restart_after, ..Params::default() };
    let mut walker = Engine::from(params).searcher(&problem).unwrap().walker(1);
    walker.settle(Seat::among(0, 1));
    walker
}

#[test]
fn a_converged_population_begins_anew_if_asked_to() {
    let restarts = |restart_after| {
        let (mut walker, mut rng) = (converging(restart_after), rng_of(4, 0, 0));
        walker.seek(2, &mut rng);
        let (mut restarts, mut least) = (0, walker.cost());
        for _ in 0..300 {
            // A new population is evaluated whole, a generation replaces half of it.
            restarts += usize::from(walker.iterate(&mut rng) == 60);
            assert!(walker.cost() <= least, "the best individual is kept");
            least = walker.cost();
            let mut resumed = converging(restart_after);
            resumed.load(&walker.save().unwrap()).unwrap();
            assert_eq!(resumed.save().unwrap(), walker.save().unwrap());
        }
        restarts
    };
    assert_eq!(restarts(None), 0);
    let (soon, late) = (restarts(Some(10)), restarts(Some(80)));
    assert!(late >= 1 && soon > 2 * late, "{soon} restarts after 10, {late} after 80 generations");
}
