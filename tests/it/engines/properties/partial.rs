//! Walkers that hold partial schedules: the only violations are missing deliveries, the cost is
//! their number, and no message is carried to a vertex that does not need it.

use crate::support::share::share;
use crate::support::tiny;
use ccsched::bounds;
use ccsched::engines::WAITS;
use ccsched::engines::hgsa::genes::{Ejecting, Genes};
use ccsched::engines::{Engine, Seat};
use ccsched::problem::{Collective, Problem};
use ccsched::rng::rng_of;
use ccsched::schedule::Plan;
use ccsched::schedule::file::Provenance;
use ccsched::verify::{Rule, verify};
use rand::RngExt;
use std::collections::HashSet;

const PROBLEMS: usize = 300;
const SWEEPS: usize = 12;

/// A message and a vertex.
type Places = HashSet<(u32, u32)>;

/// The vertices that receive each message, and those that send it.
fn ends(problem: &Problem, plan: &Plan) -> (Places, Places) {
    let channel = |c: u32| problem.network().channel(c);
    let transfers = || plan.transfers();
    let got = transfers().map(|t| (t.message, channel(t.channels[t.channels.len() - 1]).to));
    let sent = transfers().map(|t| (t.message, channel(t.channels[0]).from));
    (got.collect(), sent.collect())
}

/// Returns the number of deliveries that are missing.
fn check(problem: &Problem, plan: &Plan) -> u64 {
    if plan.is_empty() {
        return problem.demands().len() as u64;
    }
    // Without bounds: a partial plan may be shorter than every complete one.
    let file = plan.record(problem, &[], Provenance::default());
    for violation in verify(&file) {
        assert_eq!(violation.rule, Rule::Completeness, "{violation}\n{problem:#?}");
    }
    let (got, sent) = ends(problem, plan);
    for &(message, v) in &got {
        let useful = problem.receivers().contains(&v) || sent.contains(&(message, v));
        assert!(useful, "{message} reaches {v} without need\n{problem:#?}");
    }
    problem.demands().iter().filter(|d| !got.contains(&(d.message, d.destination))).count() as u64
}

#[test]
fn broadcasts_of_many_messages() {
    let mut rng = rng_of(11, 0, 0);
    let (mut complete, mut partial) = (0, 0);
    for _ in 0..share(PROBLEMS) {
        let problem = tiny::problem(&mut rng, Collective::Aab);
        if problem.messages() == 1 {
            continue;
        }
        let params = Engine::default();
        let mut walker = params.searcher(&problem).unwrap().walker(1);
        let mut partner = walker.clone();
        partner.settle(Seat::among(1, 2));
        // One step less than the best bound, as many, or one more.
        let steps = (bounds::all(&problem)[0].steps + rng.random_range(0..3)).max(2) - 1;
        walker.seek(steps, &mut rng);
        partner.seek(steps, &mut rng);
        for _ in 0..SWEEPS {
            walker.iterate(&mut rng);
            partner.iterate(&mut rng);
            walker.cross_over(&partner.genome(), &mut rng);
            let plan = walker.plan();
            assert!(plan.len() <= steps as usize);
            assert_eq!(check(&problem, &plan), walker.cost(), "{problem:#?}");
        }
        *(if walker.cost() == 0 { &mut complete } else { &mut partial }) += 1;
    }
    assert!(complete > share(50) && partial > share(50), "{complete} complete, {partial} partial");
}

/// Random moves on genes that eject each other.
#[test]
fn scatters_whose_transfers_eject_each_other() {
    let mut rng = rng_of(12, 0, 0);
    let (mut complete, mut partial, mut ejected) = (0, 0, 0);
    for i in 0..share(PROBLEMS) {
        let collective = [Collective::Oas, Collective::Aas, Collective::Aog][i % 3];
        let problem = tiny::problem(&mut rng, collective);
        let mut genes = Ejecting::new(problem.clone(), 1);
        genes.resize(bounds::all(&problem)[0].steps + rng.random_range(0..2));
        let start = genes.start(&mut rng);
        genes.load(&start);
        for _ in 0..SWEEPS {
            let g = genes.draw(&mut rng);
            let gene = match rng.random_range(0..2) {
                0 => genes.random(g, &mut rng),
                _ => genes.cheapest(g, &mut rng).0,
            };
            let budget = [-1, 0, 1, i64::MAX][rng.random_range(0..4)];
            let (old, before) = (genes.genes().to_vec(), genes.cost() as i64);
            let mut free = genes.clone();
            assert!(free.attempt(g, gene, i64::MAX));
            let rise = free.cost() as i64 - before;
            assert_eq!(genes.attempt(g, gene, budget), rise <= budget, "{problem:#?}");
            let right = if rise <= budget { &free } else { &genes };
            assert_eq!(genes.genes(), right.genes());
            let lost = |&h: &usize| genes.genes()[h].step == WAITS && old[h].step != WAITS;
            for h in (0..old.len()).filter(lost).filter(|&h| h != g) {
                // It was in the way: its place is not free.
                assert!(!genes.clone().attempt(h, old[h], -1), "{problem:#?}");
                ejected += 1;
            }
            let cost = genes.cost();
            genes.relocate(&mut rng);
            assert_eq!(genes.cost(), cost, "a relocation ejects no transfer");
            let plan = genes.plan(genes.genes());
            assert_eq!(check(&problem, &plan), cost, "{problem:#?}");
            let mut again = genes.clone();
            again.load(genes.genes());
            again.remember(&genes.memory()).unwrap();
            assert_eq!((again.genes(), again.memory()), (genes.genes(), genes.memory()));
        }
        *(if genes.cost() == 0 { &mut complete } else { &mut partial }) += 1;
    }
    assert!(complete > share(50) && partial > share(50), "{complete} complete, {partial} partial");
    assert!(ejected > share(500), "{ejected} ejected");
}
