//! Speed of guided ejection one step below the optimum, so that it never ends: moves (ejections and
//! attempts to relocate), and cells (channel, step) scanned for cheap places.

use ccsched::engines::Walker;
use ccsched::engines::search::scatter::{Hops, ScatterSearch};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::rng::{Rng, rng_of};
use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;

const CASES: [(&str, u32, Switching); 5] = [
    ("heawood", 8, Switching::Wormhole),
    ("levi", 27, Switching::Wormhole),
    ("hypercube:5", 15, Switching::Wormhole),
    ("torus:8x8", 63, Switching::Wormhole),
    ("hypercube:5", 15, Switching::StoreAndForward),
];

/// Iterations before and within a measured call.
const SWEEPS: u32 = 20;

fn main() {
    divan::main();
}

/// A search that has run for a while.
fn search(topology: &str, steps: u32, switching: Switching) -> (ScatterSearch, Rng) {
    let request = Request { switching, ..Request::new(Collective::Aas) };
    let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
    let hops = Arc::new(Hops::new(problem.clone(), 0));
    let mut ejection = ScatterSearch::new(problem, hops);
    let mut rng = rng_of(1, 0, 0);
    ejection.seek(steps, &mut rng);
    (0..SWEEPS).for_each(|_| {
        ejection.iterate(&mut rng);
    });
    (ejection, rng)
}

fn sweep(ejection: &mut ScatterSearch, rng: &mut Rng) -> u64 {
    (0..SWEEPS).map(|_| ejection.iterate(rng)).sum()
}

/// Items are moves.
#[divan::bench(args = CASES, max_time = 2)]
fn moves(bencher: Bencher<'_, '_>, (topology, steps, switching): (&str, u32, Switching)) {
    let (mut ejection, mut rng) = search(topology, steps, switching);
    let moves = sweep(&mut ejection, &mut rng);
    bencher.counter(ItemsCount::new(moves)).bench_local(|| sweep(&mut ejection, &mut rng));
}

/// Items are cells: their average number over ten calls.
#[divan::bench(args = CASES, max_time = 2)]
fn scanned_cells(bencher: Bencher<'_, '_>, (topology, steps, switching): (&str, u32, Switching)) {
    let (mut ejection, mut rng) = search(topology, steps, switching);
    let before = ejection.scanned();
    (0..10).for_each(|_| {
        sweep(&mut ejection, &mut rng);
    });
    let cells = (ejection.scanned() - before) / 10;
    bencher.counter(ItemsCount::new(cells)).bench_local(|| sweep(&mut ejection, &mut rng));
}
