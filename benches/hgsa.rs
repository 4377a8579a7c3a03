//! Speed of the inner loops of HGSA's islands: moves on complete genes (which count the conflicts
//! of the old and the new place only), recounting all conflicts (after a crossover), and the table
//! of paths (once a search). Moves are measured on slightly cooled solutions, where searches spend
//! most of their time.

use ccsched::engines::hgsa::genes::{Flood, Forest, Genes, Scatter};
use ccsched::network::{VertexId, spec};
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::rng::{Rng, rng_of};
use ccsched::routing::PathTable;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::RngExt;
use std::sync::Arc;

/// Moves of one measured call.
const MOVES: usize = 1000;

fn main() {
    divan::main();
}

fn problem(topology: &str, collective: Collective, switching: Switching) -> Arc<Problem> {
    let request = Request { switching, ..Request::new(collective) };
    Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap())
}

/// Proposes moves of random genes; accepts those that add no conflict and one in eight of those
/// that add one, about as at the temperature at which islands progress best.
fn moves<A: Genes>(assignment: &mut A, count: usize, rng: &mut Rng) {
    let genes = assignment.gene_count();
    for _ in 0..count {
        let budget = i64::from(rng.random_ratio(1, 8));
        let g = rng.random_range(0..genes);
        let gene = assignment.propose(g, rng);
        black_box(assignment.attempt(g, gene, budget));
    }
}

/// Measures moves with a number of steps.
fn measure<A: Genes>(bencher: Bencher<'_, '_>, mut assignment: A, steps: u32) {
    let mut rng = rng_of(1, 0, 0);
    assignment.resize(steps);
    let genes = assignment.start(&mut rng);
    assignment.load(&genes);
    let warm_up = 20 * genes.len();
    moves(&mut assignment, warm_up, &mut rng);
    bencher.counter(ItemsCount::new(MOVES)).bench_local(|| {
        moves(&mut assignment, MOVES, &mut rng);
    });
}

/// Wormhole all-to-all scatters, one step below the easy number.
#[divan::bench(args = [("kautz:3,2", 7), ("heawood", 9), ("levi", 30)], max_time = 2)]
fn scatter_moves(bencher: Bencher<'_, '_>, (topology, steps): (&str, u32)) {
    let problem = problem(topology, Collective::Aas, Switching::Wormhole);
    measure(bencher, Scatter::new(problem, 1), steps);
}

/// Wormhole all-to-all broadcast, from neighbour to neighbour.
#[divan::bench(args = [("kautz:3,2", 4)], max_time = 2)]
fn forest_moves(bencher: Bencher<'_, '_>, (topology, steps): (&str, u32)) {
    let problem = problem(topology, Collective::Aab, Switching::Wormhole);
    measure(bencher, Forest::new(problem, Some(1), 1), steps);
}

/// Store-and-forward all-to-all broadcast.
#[divan::bench(args = [("hypercube:5", 7)], max_time = 2)]
fn flood_moves(bencher: Bencher<'_, '_>, (topology, steps): (&str, u32)) {
    let problem = problem(topology, Collective::Aab, Switching::StoreAndForward);
    measure(bencher, Flood::new(problem, true, 1), steps);
}

/// Conflicts of a whole solution, counted from scratch; items are deliveries.
#[divan::bench(args = ["kautz:3,2", "levi"], max_time = 2)]
fn count_conflicts(bencher: Bencher<'_, '_>, topology: &str) {
    let mut scatter = Scatter::new(problem(topology, Collective::Aas, Switching::Wormhole), 1);
    scatter.resize(30);
    let genes = scatter.start(&mut rng_of(1, 0, 0));
    bencher.counter(ItemsCount::new(genes.len())).bench_local(|| {
        scatter.load(black_box(&genes));
        scatter.cost()
    });
}

/// All shortest paths of all pairs; items are pairs.
#[divan::bench(args = ["hypercube:6"], max_time = 2)]
fn path_table(bencher: Bencher<'_, '_>, topology: &str) {
    let net = spec::parse(topology).unwrap();
    let terminals: Vec<VertexId> = net.terminals().collect();
    let all = || terminals.iter().flat_map(|&a| terminals.iter().map(move |&b| (a, b)));
    let pairs: Vec<(VertexId, VertexId)> = all().filter(|(a, b)| a != b).collect();
    bencher
        .counter(ItemsCount::new(pairs.len()))
        .bench_local(|| PathTable::find(black_box(&net), &pairs, 0, 1));
}
