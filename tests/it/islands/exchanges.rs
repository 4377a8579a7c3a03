//! The frame of the annealers (hgsa-store-and-forward, section 3.2): exchanges at each tenth
//! iteration, and an own part of the temperatures on each island.

use crate::support::checked::{Checker, NEVER};
use crate::support::search::run_on;
use ccsched::bounds;
use ccsched::comm::thread_group;
use ccsched::engines::{Engine, Method, Seat, hgsa};
use ccsched::islands::{
    Backend, Choice, Graph, IslandStats, Job, Migration, Observer, Progress, RankGroup, Search,
    StopCondition, Threads, run_on_threads, serve,
};
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::rng::rng_of;
use ccsched::schedule::Plan;
use std::sync::Arc;
use std::thread;

const ISLANDS: usize = 4;
const ITERATIONS: u64 = 60;

/// Iterations and statistics at each exchange.
struct Exchanges<'a>(Checker<'a>, Vec<(u64, Vec<IslandStats>)>);

impl Observer for Exchanges<'_> {
    fn progress(&mut self, _: &Progress) {}

    fn islands(&mut self, progress: &Progress, islands: &[IslandStats]) {
        self.1.push((progress.iterations, islands.to_vec()));
    }

    fn improved(&mut self, plan: &Arc<Plan>, method: &Method) -> Result<(), String> {
        self.0.improved(plan, method)
    }
}

/// A job that seeks fewer steps than there can be, so that only its iterations end it, and their
/// number.
fn job(engine: Engine) -> (Job, Arc<Problem>, u32) {
    let mut job = Job {
        network: spec::parse("kautz:3,2").unwrap(),
        faults: vec![],
        request: Request::new(Collective::Aas),
        engine,
        search: Search { seed: 3, ..Search::default() },
        table: None,
    };
    let problem = job.pose().unwrap();
    let bound = bounds::all(&problem)[0].steps - 1;
    job.search.goal = Some(bound);
    (job, problem, bound)
}

/// All exchanges of a search of HGSA.
fn exchanges(backend: &mut dyn Backend, migration: Migration) -> Vec<(u64, Vec<IslandStats>)> {
    let (mut job, problem, bound) = job(Engine::from(hgsa::Params::default()));
    job.search.migration = migration;
    let stop = StopCondition::new(ITERATIONS, None, &NEVER);
    let mut observer = Exchanges(Checker(&problem), vec![]);
    run_on(backend, &job, &problem, bound, stop, &mut observer).unwrap();
    observer.1
}

/// All exchanges of a search on threads, without refutation.
fn on_threads(islands: usize, engine: Engine) -> Vec<(u64, Vec<IslandStats>)> {
    let (job, problem, bound) = job(engine);
    let walker = engine.searcher(&problem).unwrap().walker(job.search.seed);
    let stop = StopCondition::new(ITERATIONS, None, &NEVER);
    let mut observer = Exchanges(Checker(&problem), vec![]);
    run_on_threads(walker, &job.search, islands, bound, stop, &mut observer, None).unwrap();
    observer.1
}

/// The exchanges of a search on ranks.
fn on_ranks(migration: Migration) -> Vec<(u64, Vec<IslandStats>)> {
    let mut members = thread_group(ISLANDS);
    let mut master = members.remove(0);
    thread::scope(|scope| {
        let serve = |mut member| scope.spawn(move || serve(&mut member, &NEVER));
        let served: Vec<_> = members.into_iter().map(serve).collect();
        let mut group = RankGroup::new(&mut master);
        let found = exchanges(&mut group, migration);
        group.dismiss().unwrap();
        served.into_iter().for_each(|one| one.join().unwrap().unwrap());
        found
    })
}

#[test]
fn each_tenth_iteration_is_followed_by_an_exchange_on_threads_and_ranks() {
    let of_threads = exchanges(&mut Threads(ISLANDS), Migration::default());
    assert_eq!(of_threads, on_ranks(Migration::default()));
    let iterations: Vec<u64> = of_threads.iter().map(|(iteration, _)| *iteration).collect();
    assert_eq!(iterations, [10, 20, 30, 40, 50, 60]);
    for (iteration, islands) in &of_threads {
        // Each island receives the solution of one other.
        let sent: u64 = islands.iter().map(|island| island.sent).sum();
        assert_eq!(sent, ISLANDS as u64, "iteration {iteration}");
    }
    let adopted: u64 = of_threads.iter().flat_map(|(_, all)| all).map(|i| i.tally.adopted).sum();
    assert!(adopted > 0, "no island has adopted anything");
}

#[test]
fn islands_receive_from_their_neighbours_on_threads_and_ranks() {
    let of = |graph, migrants, choice| Migration { graph, migrants, choice };
    let mut courses = vec![exchanges(&mut Threads(ISLANDS), Migration::default())];
    for (migration, all) in [
        (of(Graph::Ring, None, None), 8),
        // A square of four: two neighbours each.
        (of(Graph::Torus, Some(1), Some(Choice::Random)), 4),
        (of(Graph::Full, None, None), 12),
        (of(Graph::Star, Some(2), Some(Choice::Best)), 8),
    ] {
        let of_threads = exchanges(&mut Threads(ISLANDS), migration);
        assert_eq!(of_threads, on_ranks(migration), "{migration:?}");
        for (iteration, islands) in &of_threads {
            let sent: u64 = islands.iter().map(|island| island.sent).sum();
            assert_eq!(sent, all, "{migration:?}, iteration {iteration}");
            if migration.choice == Some(Choice::Best) {
                let best = islands.iter().min_by_key(|island| island.cost).unwrap();
                // All others receive the best one.
                assert!(best.sent >= ISLANDS as u64 - 1, "{islands:?}");
            }
        }
        courses.push(of_threads);
    }
    // Each migration is another search.
    for (i, course) in courses.iter().enumerate() {
        assert!(courses[..i].iter().all(|other| other != course), "{i}");
    }
}

/// Temperatures fall on every island, each within its own part.
fn assert_rungs(found: &[(u64, Vec<IslandStats>)]) {
    let (_, first) = &found[0];
    for (island, pair) in first.windows(2).enumerate() {
        let [hotter, colder] = [pair[0].temperature, pair[1].temperature];
        assert!(hotter > colder, "islands {island} and {}: {hotter} {colder}", island + 1);
    }
    for rows in found.windows(2) {
        for island in 0..ISLANDS {
            let [before, after] = [&rows[0].1[island], &rows[1].1[island]];
            assert!(after.temperature < before.temperature, "island {island}: {rows:?}");
        }
    }
}

#[test]
fn islands_share_the_temperatures_out() {
    assert_rungs(&on_threads(ISLANDS, Engine::from(hgsa::Params::default())));
}

#[test]
fn the_default_engine_anneals_on_every_island() {
    let found = on_threads(ISLANDS, Engine::default());
    assert_rungs(&found);
    let adopted: u64 = found.iter().flat_map(|(_, all)| all).map(|i| i.tally.adopted).sum();
    assert!(adopted > 0, "no island has adopted anything");
    // One island has no partner, and does not anneal.
    let alone = on_threads(1, Engine::default());
    assert!(alone.iter().all(|(_, islands)| islands[0].temperature == 0.0));
}

/// Where nothing is found, an annealer makes at most a tenth of the moves of its island. None of its
/// moves looks at more than one place of a transfer, as those of searches do.
#[test]
fn annealers_make_at_most_a_tenth_of_the_moves() {
    use Collective::{Aab, Aas, Oab};
    use Switching::{StoreAndForward, Wormhole};
    for (topology, collective, switching) in [
        ("kautz:3,2", Aas, Wormhole),
        ("random-regular:24,3,1", Aas, Wormhole),
        ("random-regular:16,3,1", Aas, StoreAndForward),
        ("random-regular:24,3,1", Aab, Wormhole),
        ("random-regular:24,3,1", Aab, StoreAndForward),
        ("random-regular:40,3,1", Oab, Wormhole),
    ] {
        let request = Request { switching, ..Request::new(collective) };
        let network = spec::parse(topology).unwrap();
        let problem = Arc::new(request.pose(network, vec![]).unwrap());
        let steps = bounds::all(&problem)[0].steps - 1;
        let mut walker = Engine::default().searcher(&problem).unwrap().walker(1);
        let rng = &mut rng_of(1, 0, 0);
        walker.settle(Seat::among(0, 2).with_team(|_| true));
        walker.seek(steps, rng);
        let (mut all, mut of_annealer) = (0, 0);
        for _ in 0..400 {
            all += walker.iterate(rng);
            of_annealer += walker.tally().proposed;
        }
        assert!(10 * of_annealer <= all, "{topology}: {of_annealer} moves of {all}");
    }
}

#[test]
fn without_a_ladder_islands_cool_in_lock_step() {
    let params = hgsa::Params { ladder: false, ..hgsa::Params::default() };
    for (_, islands) in on_threads(ISLANDS, Engine::from(params)) {
        assert!(islands.iter().all(|i| i.temperature == islands[0].temperature));
    }
}
