//! Fault sweeps: fault sets of one class are equal, schedules that are carried over are valid, and a
//! sweep that is continued solves only what is missing.

use crate::support::share::{share, some};
use ccsched::bounds;
use ccsched::comm::thread_group;
use ccsched::engines::{Engine, hgsa};
use ccsched::experiments::fault_sweep::{
    Book, Case, FaultSet, FaultSweep, Header, Results, Subject, Symmetry, carry_over, classes,
    fault_sets, link_sets, vertex_sets,
};
use ccsched::islands::{Job, RankGroup, Search, Solved, Task, serve};
use ccsched::network::{Network, spec};
use ccsched::problem::{Collective, Request, Switching};
use ccsched::schedule::ScheduleFile;
use ccsched::schedule::file::Provenance;
use ccsched::verify::verify;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The interrupt flag of tests that are not interrupted.
static NEVER: AtomicBool = AtomicBool::new(false);

fn task(network: &Network, set: &FaultSet, request: &Request) -> Task {
    let params = Engine::default();
    let job = Job {
        table: None,
        network: set.rest(network).unwrap(),
        faults: set.records(network),
        request: request.clone(),
        engine: params,
        search: Search { seed: 1, exchange_every: 10, goal: None, ..Search::default() },
    };
    Task { job, iterations: 2000, time_limit: None }
}

fn steps(solved: &Solved) -> Option<usize> {
    match solved {
        Solved::Searched { plan, .. } => plan.as_ref().map(|(plan, _)| plan.len()),
        _ => None,
    }
}

#[test]
fn equal_sets_of_faults_have_equal_schedules() {
    use Collective::{Aab, Aas, Oab, Oas};
    use Switching::{StoreAndForward, Wormhole};
    for (name, collective, switching) in [
        ("mesh:3x3", Aas, Wormhole),
        ("ring:6,half", Aab, Wormhole),
        ("kautz:2,2", Oas, Wormhole),
        // Some of its links are parallel.
        ("torus:2x3", Aab, StoreAndForward),
        ("fat-tree:4", Aas, Wormhole),
        ("hypercube:3", Oab, Wormhole),
        ("ring:5,simplex", Aab, Wormhole),
    ] {
        let network = spec::parse(name).unwrap();
        let request = Request { switching, ..Request::new(collective) };
        let rooted = !matches!(collective, Aab | Aas);
        let root = |set: &FaultSet| {
            let mut alive = network.terminals().filter(|v| !set.vertices.contains(v));
            rooted.then(|| alive.next().unwrap())
        };
        let sets: Vec<FaultSet> =
            link_sets(&network, 1).into_iter().chain(vertex_sets(&network, 1)).collect();
        let cases: Vec<Case> = sets.iter().map(|set| (set.clone(), root(set))).collect();
        let symmetry = Symmetry::sample(&network, root(&FaultSet::default()), 1);
        let classes = classes(&symmetry, &cases);
        assert!(classes.len() < sets.len(), "{name}: nothing is equal");
        for class in &classes {
            let first = class[0].0;
            let first_task = task(&network, &sets[first], &request);
            let solved = first_task.solve(&NEVER).unwrap().unwrap();
            for (member, way) in class {
                let member_task = task(&network, &sets[*member], &request);
                let Solved::Searched { plan: Some((plan, _)), .. } = &solved else {
                    assert!(member_task.job.pose().is_err(), "{name}: one of them can be posed");
                    continue;
                };
                let (old, new) = (first_task.job.pose().unwrap(), member_task.job.pose().unwrap());
                let from = (&sets[first], &**plan, &*old);
                let to = (&sets[*member], &*new);
                let carried = carry_over(&symmetry, &network, from, way, to).unwrap();
                let file = carried.record(&new, &bounds::all(&new), Provenance::default());
                assert_eq!(verify(&file), [], "{name}, {}", sets[*member].label(&network));
                assert_eq!(steps(&solved), Some(carried.len()));
            }
        }
    }
}

/// The label of a fault set, and the steps of its schedule if there is one.
type Cell = (String, Option<usize>);

/// Sweeps all single links and nodes; every schedule is valid and meets its lower bound.
fn sweep(name: &str, collective: Collective) -> Vec<Cell> {
    let network = spec::parse(name).unwrap();
    let request = Request::new(collective);
    let rooted = !matches!(collective, Collective::Aab | Collective::Aas);
    let root = |set: &FaultSet| {
        let mut alive = network.terminals().filter(|v| !set.vertices.contains(v));
        rooted.then(|| alive.next().unwrap())
    };
    let sets: Vec<FaultSet> =
        link_sets(&network, 1).into_iter().chain(vertex_sets(&network, 1)).collect();
    let cases: Vec<Case> = sets.iter().map(|set| (set.clone(), root(set))).collect();
    let symmetry = Symmetry::sample(&network, root(&FaultSet::default()), 1);
    let mut cells: Vec<Option<Cell>> = vec![None; sets.len()];
    for class in classes(&symmetry, &cases) {
        let first = class[0].0;
        let first_task = task(&network, &sets[first], &request);
        let Solved::Searched { plan: Some((plan, _)), lower_bound, .. } =
            first_task.solve(&NEVER).unwrap().unwrap()
        else {
            panic!("{name}, {collective}, {}: no schedule", sets[first].label(&network));
        };
        let old = first_task.job.pose().unwrap();
        for (member, way) in &class {
            let label = sets[*member].label(&network);
            let new = task(&network, &sets[*member], &request).job.pose().unwrap();
            let from = (&sets[first], &*plan, &*old);
            let carried = carry_over(&symmetry, &network, from, way, (&sets[*member], &new));
            let carried = carried.unwrap();
            let bounds = bounds::all(&new);
            let file = carried.record(&new, &bounds, Provenance::default());
            assert_eq!(verify(&file), [], "{name}, {collective}, {label}");
            let steps = carried.len();
            assert_eq!((steps as u32, bounds[0].steps), (lower_bound, lower_bound), "{label}");
            let twice = cells[*member].replace((label, Some(steps)));
            assert_eq!(twice, None, "in two classes");
        }
    }
    cells.into_iter().map(|cell| cell.expect("in a class")).collect()
}

/// The papers' tables of single faults (umda-fault-tolerance, tables 3 to 5) with the optimum of
/// each cell; empty if the file is missing.
fn published() -> Vec<serde_json::Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/reference/published.json");
    std::fs::read_to_string(path).map_or(vec![], |text| serde_json::from_str(&text).unwrap())
}

/// The name of the broken link or node of a record, as in labels of sets of faults.
fn broken(record: &serde_json::Value) -> Option<String> {
    let kinds = [("link", "link"), ("node", "node")];
    kinds
        .iter()
        .find_map(|(key, kind)| Some(format!("{kind} {}", record["fault"].get(key)?.as_str()?)))
}

#[test]
fn optima_after_single_faults_agree_with_the_tables() {
    let published = published();
    let mut compared = 0;
    for name in some(&["kautz:3,2", "mesh:4x4"]).copied() {
        for collective in Collective::OF_THE_PAPERS {
            let cells = sweep(name, collective);
            let is_meant = |r: &&serde_json::Value| {
                let of = r["collective"].as_str().map(str::to_lowercase);
                r["topology"] == name && of == Some(collective.to_string())
            };
            let records: Vec<_> = published.iter().filter(is_meant).collect();
            for record in &records {
                let (Some(fault), Some(optimum)) =
                    (broken(record), record["optimal_steps"].as_u64())
                else {
                    continue;
                };
                let root = record["source"].as_str().map(|root| format!("node {root}"));
                let named: Vec<_> = records.iter().filter_map(|r| broken(r)).collect();
                let (kind, others) = fault.split_once(' ').unwrap();
                let of = cells.iter().filter(|(label, _)| match others {
                    "any other" => label.starts_with(kind) && !named.contains(label),
                    _ => *label == fault,
                });
                // If the root fails, the broadcast starts from another terminal.
                let of: Vec<_> = of.filter(|(label, _)| Some(label) != root.as_ref()).collect();
                assert!(!of.is_empty(), "{name}: no {fault}");
                for (label, steps) in of {
                    let steps = steps.map(|steps| steps as u64);
                    assert_eq!(steps, Some(optimum), "{name}, {collective}, {label}");
                    compared += 1;
                }
            }
        }
    }
    assert!(published.is_empty() || compared > share(100), "{compared} cells compared");
}

/// An interrupt of any member breaks off the tasks of all, and the group is ready for more.
#[test]
fn an_interrupt_of_any_rank_ends_the_tasks() {
    let network = spec::parse("levi").unwrap();
    let endless = |set: &FaultSet| {
        let Task { mut job, time_limit, .. } = task(&network, set, &Request::new(Collective::Aas));
        // The paper's moves do not reach the bound.
        job.engine = Engine::from(hgsa::Params::new(hgsa::Neighbourhood::Paper));
        Task { job, iterations: u64::MAX, time_limit }
    };
    let tasks: Vec<Task> = link_sets(&network, 1).iter().map(endless).collect();
    for reached in 0..3 {
        let flags = [(); 3].map(|()| AtomicBool::new(false));
        let [mut master, members @ ..]: [_; 3] = thread_group(3).try_into().ok().unwrap();
        let (flags, tasks) = (&flags, &tasks);
        // The master moves into the closure, so that members notice if an assertion fails.
        thread::scope(move |scope| {
            for (mut member, flag) in members.into_iter().zip(&flags[1..]) {
                scope.spawn(move || serve(&mut member, flag).unwrap());
            }
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(200));
                flags[reached].store(true, Ordering::Relaxed);
            });
            let mut group = RankGroup::new(&mut master);
            let begin = Instant::now();
            let done = &mut |number, _| panic!("task {number} has an outcome");
            assert!(group.tasks(tasks, &flags[0], done).unwrap());
            assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
            assert!(!group.tasks(&[], &NEVER, &mut |_, _| Ok(())).unwrap());
            group.dismiss().unwrap();
        });
    }
}

#[test]
fn members_of_a_group_share_the_tasks() {
    let network = spec::parse("hypercube:3").unwrap();
    let request = Request::new(Collective::Aas);
    let tasks: Vec<Task> =
        link_sets(&network, 1).iter().map(|set| task(&network, set, &request)).collect();
    let alone: Vec<Solved> =
        tasks.iter().map(|task| task.solve(&NEVER).unwrap().unwrap()).collect();
    for size in [1, 2, 4] {
        let mut members = thread_group(size).into_iter();
        let mut master = members.next().unwrap();
        thread::scope(|scope| {
            for mut member in members {
                scope.spawn(move || serve(&mut member, &NEVER).unwrap());
            }
            let mut group = RankGroup::new(&mut master);
            // Twice, to see that a group is ready for the next.
            for _ in 0..2 {
                let mut all = vec![None; tasks.len()];
                group
                    .tasks(&tasks, &NEVER, &mut |number, solved| {
                        assert!(all[number].replace(solved).is_none(), "done twice");
                        Ok(())
                    })
                    .unwrap();
                let all: Vec<Solved> = all.into_iter().map(Option::unwrap).collect();
                assert!(all == alone, "{size} members");
            }
            group.dismiss().unwrap();
        });
    }
}

/// Runs the open cells of a sweep with the results and the book of a folder; returns their number, and
/// the rows as lines of JSON.
fn continue_sweep(sweep: &FaultSweep, folder: &Path) -> (usize, Vec<String>) {
    let cells = sweep.cells().unwrap();
    let results = folder.join("results.jsonl");
    let mut results = Results::open(Some(results.as_path()), &Header::new(sweep)).unwrap();
    let mut book = Book::open(&folder.join("book"), &Subject::new(sweep)).unwrap();
    let open = sweep.open_cells(&cells, &results, Some(&book)).len();
    let mut master = thread_group(1).remove(0);
    let mut group = RankGroup::new(&mut master);
    let kept = (&mut results, Some(&mut book));
    assert!(!sweep.run(&cells, (&mut group, &NEVER), kept).unwrap(), "nothing interrupts it");
    let rows = sweep.rows(&results);
    (open, rows.iter().map(|row| serde_json::to_string(row).unwrap()).collect())
}

#[test]
fn a_sweep_is_continued_where_its_files_end() {
    let network = spec::parse("ring:5").unwrap();
    let sweep = FaultSweep {
        sets: fault_sets(&network, Some(1), Some(1)).unwrap(),
        network,
        faults: vec![],
        requests: [Collective::Oab, Collective::Aas].map(Request::new).to_vec(),
        engine: Engine::default(),
        seed: 1,
        iterations: 2000,
        time_limit: None,
    };
    let folder = tempfile::tempdir().unwrap();
    let (open, rows) = continue_sweep(&sweep, folder.path());
    assert_eq!((open, rows.len()), (sweep.cells().unwrap().len(), 2 * (1 + 5 + 5)));
    assert!(rows.iter().all(|row| row.contains("\"optimal\":true")), "{rows:?}");
    assert_eq!(continue_sweep(&sweep, folder.path()), (0, rows.clone()));
    let book = folder.path().join("book");
    let file = book.join("aas-node_2.json");
    assert_eq!(verify(&ScheduleFile::read(&file).unwrap()), []);
    // A schedule that is missing is made again, and so is a row that was cut short.
    std::fs::remove_file(&file).unwrap();
    assert_eq!(continue_sweep(&sweep, folder.path()), (1, rows.clone()));
    assert!(file.exists());
    let path = folder.path().join("results.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 9]).unwrap();
    assert_eq!(continue_sweep(&sweep, folder.path()), (1, rows));
    // The files belong to one sweep.
    let other = FaultSweep { seed: 2, ..sweep.clone() };
    let refused = Results::open(Some(path.as_path()), &Header::new(&other)).err().unwrap();
    assert!(refused.to_string().contains("another sweep: its seed is 1"), "{refused}");
    let other = FaultSweep { network: spec::parse("ring:6").unwrap(), ..sweep };
    let refused = Book::open(&book, &Subject::new(&other)).err().unwrap();
    assert!(refused.to_string().contains("book of another sweep"), "{refused}");
}
