//! Books of repairs: every entry is the repair of its faults, sharing costs nothing, and a book that was
//! broken off is continued.

use ccsched::comm::thread_group;
use ccsched::experiments::fault_sweep::fault_sets;
use ccsched::experiments::repairs::{RepairBook, RepairSweep, lookup, running};
use ccsched::islands::{Limits, RankGroup, serve_tasks};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::repair::{Target, repair, repaired};
use ccsched::schedule::ScheduleFile;
use ccsched::schedule::changes::Changes;
use ccsched::schedule::file::Provenance;
use ccsched::verify::verify;
use ccsched::{Options, solve};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static NEVER: AtomicBool = AtomicBool::new(false);

fn sweep(name: &str, switching: Switching, sizes: (Option<u8>, Option<u8>)) -> RepairSweep {
    sweep_of(Collective::Aas, name, switching, sizes)
}

fn sweep_of(
    collective: Collective,
    name: &str,
    switching: Switching,
    sizes: (Option<u8>, Option<u8>),
) -> RepairSweep {
    let request = Request { switching, ..Request::new(collective) };
    let problem = request.pose(spec::parse(name).unwrap(), vec![]).unwrap();
    let old = solve(&problem, &Options::default()).unwrap().schedule().unwrap();
    let limits = Limits { iterations: 100, ..Limits::default() };
    let options = Options { islands: Some(1), limits, ..Options::default() };
    let sets = |network: &_| fault_sets(network, sizes.0, sizes.1);
    RepairSweep::new(old, sets, (Target::Fewest(1), options)).unwrap()
}

/// Makes the book of a sweep with a number of members; how many entries were new.
fn make(sweep: &RepairSweep, folder: &Path, size: usize) -> usize {
    let mut members = thread_group(size).into_iter();
    let mut master = members.next().unwrap();
    let new = std::sync::atomic::AtomicUsize::new(0);
    thread::scope(|scope| {
        for mut member in members {
            scope.spawn(move || {
                let solve = |set: &usize, stops: &AtomicBool| sweep.task(*set, stops);
                serve_tasks(&mut member, &solve, &NEVER).unwrap();
            });
        }
        let mut group = RankGroup::new(&mut master);
        let mut book = RepairBook::open(folder, sweep).unwrap();
        let done = |_: &_| {
            new.fetch_add(1, Ordering::Relaxed);
        };
        assert!(!sweep.run((&mut group, &NEVER), &mut book, &done).unwrap());
        group.dismiss().unwrap();
    });
    new.into_inner()
}

/// Checks each entry; how many were carried over.
fn check(sweep: &RepairSweep, folder: &Path) -> usize {
    let old = running(folder).unwrap();
    assert_eq!(old, sweep.old);
    let mut carried = 0;
    for set in &sweep.sets {
        let label = set.label(&sweep.network);
        let entry = lookup(folder, set, &sweep.network).unwrap().1.expect("an entry");
        assert_eq!(entry.fault, label);
        let Ok(problem) = sweep.problem(set) else {
            assert!(entry.impossible.is_some(), "{label}");
            continue;
        };
        let found = entry.repaired.expect("a repair");
        let plan = repaired(&old, &problem, &found.patch).unwrap();
        let file = plan.record(&problem, &[], Provenance::default());
        assert_eq!(verify(&file), [], "{label}");
        let changes = Changes::between(&old, &file);
        assert_eq!((file.steps.len(), changes.changed.len()), (found.steps, found.changed));
        assert!(found.at_least <= found.changed);
        let Some(first) = entry.like else {
            let rows = repair(&old, &problem, sweep.target, &sweep.options).unwrap();
            let direct: &ScheduleFile = &rows.last().unwrap().schedule;
            assert_eq!((&file.steps, &file.model), (&direct.steps, &direct.model), "{label}");
            assert_eq!((&file.network, &file.faults), (&direct.network, &direct.faults));
            continue;
        };
        carried += 1;
        let first = sweep.sets.iter().find(|set| set.label(&sweep.network) == first).unwrap();
        let first = lookup(folder, first, &sweep.network).unwrap().1.unwrap();
        let like = first.repaired.unwrap();
        assert_eq!((like.steps, like.changed), (found.steps, found.changed), "{label}");
    }
    carried
}

#[test]
fn every_entry_is_the_repair_of_its_faults() {
    for (name, switching, sizes) in [
        ("mesh:3x3", Switching::Wormhole, (Some(1), Some(1))),
        ("kautz:2,2", Switching::StoreAndForward, (Some(1), None)),
        // Two of its links cut a corner off.
        ("mesh:2x3", Switching::Wormhole, (Some(2), None)),
    ] {
        let sweep = sweep(name, switching, sizes);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(make(&sweep, folder.path(), 1), sweep.sets.len());
        check(&sweep, folder.path());
    }
}

#[test]
fn repairs_of_a_schedule_with_symmetry_are_shared() {
    for collective in [Collective::Aas, Collective::Aab] {
        let sweep = sweep_of(collective, "ring:6", Switching::Wormhole, (Some(1), Some(1)));
        let folder = tempfile::tempdir().unwrap();
        make(&sweep, folder.path(), 1);
        let carried = check(&sweep, folder.path());
        assert!(carried > 0, "{collective}: {carried} of {}", sweep.sets.len());
    }
}

#[test]
fn a_book_that_was_broken_off_is_continued_and_ends_alike() {
    let sweep = sweep("mesh:3x3", Switching::Wormhole, (Some(1), None));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("repairs.jsonl");
    make(&sweep, folder.path(), 3);
    let whole = std::fs::read_to_string(&path).unwrap();
    assert_eq!(make(&sweep, folder.path(), 1), 0);
    // The last of the entries that are left is cut short.
    let lines: Vec<&str> = whole.lines().take(5).collect();
    let text = lines.join("\n");
    std::fs::write(&path, &text[..text.len() - 7]).unwrap();
    assert_eq!(make(&sweep, folder.path(), 2), sweep.sets.len() - 3);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    // The book is that of one schedule and one seed.
    let options = Options { seed: 2, ..sweep.options.clone() };
    let sets = |network: &_| fault_sets(network, Some(1), None);
    let other = RepairSweep::new(sweep.old.clone(), sets, (sweep.target, options)).unwrap();
    let refused = RepairBook::open(folder.path(), &other).err().unwrap().to_string();
    assert!(refused.contains("the book of other repairs: its seed is 1"), "{refused}");
}
