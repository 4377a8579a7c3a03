//! Every island finds a first schedule, with whatever settings it begins: some cannot find one at any
//! number of steps.

use crate::support::checked::complaints;
use crate::support::tiny;
use ccsched::engines::{Engine, Seat};
use ccsched::problem::{Collective, Switching};
use ccsched::rng::rng_of;

/// Islands; each begins with settings of its own.
const ISLANDS: usize = 8;

#[test]
fn each_island_finds_sums_of_groups_at_once() {
    let mut rng = rng_of(73, 0, 0);
    for _ in 0..60 {
        let of = [Collective::AllReduce];
        let problem = tiny::groups_of(&mut rng, &of, Switching::StoreAndForward);
        for island in 0..ISLANDS {
            let mut walker = Engine::default().searcher(&problem).unwrap().walker(1);
            let seat =
                Seat { island, islands: ISLANDS, group: 4, seed: 1, is_open: true, team: None };
            walker.settle(seat);
            walker.seek(1000, &mut rng);
            assert_eq!(walker.cost(), 0, "{:?}", problem.request());
            assert_eq!(complaints(&problem, &walker.plan()), "", "{:?}", problem.request());
        }
    }
}
