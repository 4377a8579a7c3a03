//! Trade-offs of pieces, steps and rounds: no worse than the published schedules of accelerators in a
//! server, all valid, and books that are read back.

use ccsched::experiments::tradeoff::{SizeBook, Tradeoff, best};
use ccsched::islands::Limits;
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::schedule::TimeModel;
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
            let is_found =
                points.iter().any(|p| p.pieces == pieces && p.steps <= steps && p.rounds <= rounds);
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
