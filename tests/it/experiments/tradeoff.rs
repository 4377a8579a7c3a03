//! Trade-offs of pieces, steps and rounds: no worse than the published schedules of accelerators in a
//! server, all valid, and books that are read back.

use ccsched::islands::{Gap, Limits};
use ccsched::network::spec;
use ccsched::problem::{Collective, Ports, Request, Switching};
use ccsched::schedule::TimeModel;
use ccsched::tradeoff::{Point, SizeBook, Tradeoff, best};
use ccsched::verify::verify;
use ccsched::{Options, ScheduleFile};

fn tradeoff(topology: &str, collective: Collective, most_pieces: u32) -> Tradeoff {
    let switching = Switching::StoreAndForward;
    let limits = Limits { iterations: 200, ..Limits::default() };
    Tradeoff {
        request: Request { switching, ..Request::new(collective) },
        network: spec::parse(topology).unwrap(),
        faults: vec![],
        most_pieces,
        effort: 100,
        options: Options { islands: Some(1), limits, ..Options::default() },
        table: None,
    }
}

/// Pieces, steps and rounds of other programs: SCCL on the hybrid cube mesh and on rings. Pieces of an
/// all-to-all are those of a pair.
#[test]
fn schedules_are_no_worse_than_those_of_other_programs() {
    let gathers = [[1, 2, 2], [2, 2, 3], [3, 3, 4], [4, 3, 5], [5, 3, 6], [6, 3, 7]];
    for (topology, collective, rows) in [
        ("dgx1", Collective::Aab, &gathers[..]),
        ("dgx1", Collective::ReduceScatter, &gathers[..2]),
        ("dgx1", Collective::Aas, &[[1, 2, 3], [3, 2, 8]]),
        ("dgx1", Collective::AllReduce, &[[1, 4, 4], [2, 4, 6]]),
        ("ring:8", Collective::Aab, &[[1, 4, 4], [2, 4, 7]]),
        ("ring:8", Collective::Aas, &[[1, 4, 8]]),
    ] {
        let most = rows.iter().map(|row| row[0]).max().unwrap();
        let points = tradeoff(topology, collective, most).run(&mut |_| ()).unwrap();
        for &[pieces, steps, rounds] in rows {
            let of_all_parts = points.iter().filter(|p| p.parts == 1);
            let is_found = of_all_parts
                .into_iter()
                .any(|p| p.pieces == pieces && p.steps <= steps && p.rounds <= rounds);
            assert!(is_found, "{collective} of {topology}: {pieces}, {steps}, {rounds}");
        }
        for point in &points {
            assert_eq!(verify(&point.file), [], "{}", point.name());
            assert!(point.rounds >= point.bound, "{}", point.name());
            let rounds = point.file.model.rounds.as_ref().unwrap();
            assert_eq!(rounds.len(), point.steps as usize);
            assert_eq!(rounds.iter().sum::<u32>(), point.rounds);
        }
        assert!(points.iter().any(|point| point.is_frontier));
    }
}

/// Parts of a vector whose sums meet anywhere: SCCL on the hybrid cube mesh.
#[test]
fn parts_of_a_vector_that_is_cut() {
    let mut tradeoff = tradeoff("dgx1", Collective::AllReduceWhole, 8);
    tradeoff.options.limits = Limits { iterations: 500, gap: Gap(500_000), ..Limits::default() };
    tradeoff.effort = 10;
    for (pieces, steps, rounds) in [(4, 3, 3)] {
        let points = tradeoff.of_pieces(&tradeoff.posed(pieces).unwrap()).unwrap();
        let is_found = |p: &Point| p.steps <= steps && p.rounds <= rounds;
        assert!(points.iter().any(is_found), "{pieces}, {steps}, {rounds}");
        for point in &points {
            assert_eq!(verify(&point.file), [], "{}", point.name());
            assert!(point.rounds >= point.bound, "{}", point.name());
        }
    }
}

/// The short end: messages go straight to their receivers where paths are held, the whole vector of an
/// all-reduce goes at once, rounds are merged over the same paths, and phases over ranks have any number
/// of partners. Rows are parts of a message, steps and rounds; all are proved.
#[test]
fn the_short_end_is_reached_and_proved() {
    let (hosts, stored) = (Switching::Hosts, Switching::StoreAndForward);
    for (topology, collective, switching, ports, rows) in [
        ("dgx-a100:1", Collective::Aab, hosts, None, &[[1, 1, 7]][..]),
        ("dgx-a100:1", Collective::ReduceScatter, hosts, None, &[[1, 1, 7]]),
        ("dgx-a100:1", Collective::AllReduce, hosts, None, &[[1, 2, 14], [8, 1, 7]]),
        ("fat-tree:8", Collective::Aab, hosts, None, &[[1, 1, 7]]),
        ("complete:8", Collective::AllReduce, stored, Some(1), &[[1, 2, 14]]),
        ("dgx1", Collective::AllReduce, stored, None, &[[8, 2, 2]]),
        ("torus:4x4", Collective::Aas, stored, None, &[[1, 4, 8]]),
        ("fat-tree:8", Collective::Oab, hosts, None, &[[1, 1, 7]]),
    ] {
        let mut tradeoff = tradeoff(topology, collective, 1);
        tradeoff.request.switching = switching;
        tradeoff.request.ports = Ports(ports);
        let points = tradeoff.run(&mut |_| ()).unwrap();
        points.iter().for_each(|point| assert_eq!(verify(&point.file), [], "{topology}"));
        for &row in rows {
            let is_row = |p: &&Point| [p.parts, p.steps, p.rounds] == row;
            let point = points.iter().find(is_row);
            assert!(point.is_some_and(|p| p.is_proved), "{collective} of {topology}: {row:?}");
        }
    }
    for collective in [Collective::Barrier, Collective::AllReduceWhole] {
        let mut joined = tradeoff("fat-tree:16", collective, 1);
        joined.request.switching = hosts;
        let points = joined.run(&mut |_| ()).unwrap();
        for point in &points {
            assert_eq!(verify(&point.file), []);
            // What arrives in a step is not sent on in it.
            let mut in_one = point.file.clone();
            in_one.model.rounds = Some(vec![point.rounds]);
            assert_eq!(verify(&in_one).is_empty(), point.steps == 1);
        }
        let sizes: Vec<_> = points.iter().map(|point| (point.steps, point.rounds)).collect();
        assert_eq!(sizes, [(1, 15), (2, 6), (3, 5), (4, 4)], "{collective}");
    }
}

/// A wormhole scatter passes nothing on: one step of all rounds.
#[test]
fn what_waits_for_nothing_is_one_step() {
    let mut tradeoff = tradeoff("petersen", Collective::Aas, 1);
    tradeoff.request.switching = Switching::Wormhole;
    let points = tradeoff.run(&mut |_| ()).unwrap();
    assert_eq!((points.len(), points[0].steps), (1, 1));
    let model = TimeModel { startup_us: 2.0, byte_ns: 1.0, ..TimeModel::default() };
    let time = 2.0 + f64::from(points[0].rounds) * 1.024;
    assert!((points[0].time_us(&model) - time).abs() < 1e-9);
}

#[test]
fn books_choose_by_length() {
    let points = tradeoff("dgx1", Collective::Aab, 3).run(&mut |_| ()).unwrap();
    let model = TimeModel::default();
    let sizes: Vec<u64> = (10..=26).map(|power| 1 << power).collect();
    let folder = tempfile::tempdir().unwrap();
    SizeBook::of(&points, &sizes, &model, folder.path()).write(&points).unwrap();
    let book = SizeBook::read(folder.path()).unwrap();
    assert!(book.sizes.len() > 1);
    for &message_bytes in &sizes {
        let model = TimeModel { message_bytes, ..model };
        let fastest = &points[best(&points, &model).unwrap()];
        let chosen: ScheduleFile = book.schedule(message_bytes).unwrap();
        assert_eq!(chosen, fastest.file, "{message_bytes}");
    }
    // Shorter ones than were compared take the schedule of the shortest.
    assert_eq!(book.file(1), book.file(1024));
    for wrong in ["", "{}", r#"{"format": "other"}"#] {
        std::fs::write(folder.path().join("book.json"), wrong).unwrap();
        assert!(SizeBook::read(folder.path()).is_err());
    }
}

/// Of schedules that take the same time, the one of the fewest pieces is taken, then that of the fewest
/// rounds, whatever their order.
#[test]
fn equal_times_are_decided_by_pieces_then_rounds() {
    let points = tradeoff("ring:4", Collective::Aab, 1).run(&mut |_| ()).unwrap();
    let like = |pieces: u32, rounds: u32| {
        let file = points[0].file.clone();
        Point { pieces, rounds, file, ..points[0] }
    };
    let model = TimeModel::default();
    assert_eq!(best(&[like(8, 24), like(2, 7), like(2, 6)], &model), Some(2));
    assert_eq!(best(&[like(2, 6), like(2, 7), like(8, 24)], &model), Some(0));
    assert_eq!(best::<Point>(&[], &model), None);
}
