//! Replays on threads: everything that a schedule delivers arrives with the right content, and what
//! is not right is refused.

use crate::support::search::found_soon;
use crate::support::share::tries_all;
use ccsched::comm::part::{Part, Player, Sizes};
use ccsched::comm::{CommError, Communicator, ThreadPlayer, thread_players};
use ccsched::experiments::plots::throughput;
use ccsched::experiments::replay::{
    LIBRARY, Measurement, Order, Replay, ReplayError, ReplayRow, Script, csv, dismiss, follow,
    hosts, rows, text,
};
use ccsched::experiments::rows::json_lines;
use ccsched::islands::{Form, Limits};
use ccsched::network::spec;
use ccsched::problem::{Collective, Pair, Request, Switching};
use ccsched::schedule::{ScheduleFile, TimeModel};
use ccsched::{Options, solve};
use std::thread;
use std::time::Duration;

pub const ORDERS: [Order; 4] = [Order::Steps, Order::Barrier, Order::Links, Order::Dependency];

pub fn schedule(network: &str, request: &Request) -> ScheduleFile {
    found_soon(request, spec::parse(network).unwrap())
}

pub fn script(network: &str, collective: Collective, switching: Switching) -> Script {
    let request = Request { switching, ..Request::new(collective) };
    Script::new(network, &schedule(network, &request)).unwrap()
}

/// A timed schedule of messages of different lengths.
pub fn timed() -> Script {
    let ends = (0..8u64).flat_map(|a| (0..8).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let pair = |(a, b): (u64, u64)| Pair {
        source: a.to_string(),
        destination: b.to_string(),
        bytes: Some(1 + (8 * a + b) * 7919 % 1009),
        count: 1,
    };
    let request =
        Request { pairs: Some(ends.map(pair).collect()), ..Request::new(Collective::Traffic) };
    let network = spec::parse("random-regular:8,3,1").unwrap();
    let limits = Limits { iterations: 20, ..Limits::default() };
    let options = Options { form: Some(Form::Timed), limits, ..Options::default() };
    let solution = solve(&request.pose(network, vec![]).unwrap(), &options).unwrap();
    Script::new("timed", &solution.schedule().unwrap()).unwrap()
}

#[test]
fn timed_schedules_are_played() {
    let script = timed();
    let bytes: u64 = script.messages.iter().map(|message| message.bytes.unwrap()).sum();
    assert_eq!(script.delivered(0), bytes);
    let end = script.steps[0].iter().map(|transfer| transfer.span.unwrap()[1]).max().unwrap();
    let model = TimeModel { startup_us: 3.0, byte_ns: 2.0, ..TimeModel::default() };
    // Seven messages leave a terminal over three links.
    assert!((script.predicted(&model) - (3.0 * 3e-6 + end as f64 * 2e-9)).abs() < 1e-12);
    for order in ORDERS {
        let (measured, others) = run(&replay(vec![script.clone()], order), |player| player);
        match measured {
            Ok(measured) => {
                assert!(order != Order::Barrier && measured.iter().all(|m| m.seconds.len() == 2));
                assert!(others.iter().all(Result::is_ok), "{order:?}");
            }
            Err(why) => assert!(order == Order::Barrier && why.to_string().contains("barriers")),
        }
    }
}

fn replay(scripts: Vec<Script>, order: Order) -> Replay {
    Replay {
        scripts,
        order,
        against_library: false,
        sizes: vec![1, 5000],
        warm_up: 1,
        repeat: 2,
        memory: 1 << 20,
    }
}

/// What rank 0 has measured, and the ends of the other ranks.
type Ended = (Result<Vec<Measurement>, ReplayError>, Vec<Result<(), ReplayError>>);

/// Runs a replay on threads, each of which plays as `player`.
fn run<C: Player + Send>(replay: &Replay, player: impl Fn(ThreadPlayer) -> C) -> Ended {
    let mut players: Vec<C> =
        thread_players(replay.scripts[0].ranks()).into_iter().map(player).collect();
    let mut first = players.remove(0);
    thread::scope(|scope| {
        let others: Vec<_> = players
            .into_iter()
            .map(|mut player| scope.spawn(move || follow(&mut player)))
            .collect();
        let measured = hosts(&mut first).map_err(ReplayError::from).and_then(|hosts| {
            assert_eq!(hosts, vec!["localhost"; others.len() + 1]);
            let measured = replay.run(&mut first, &mut |_, _| {})?;
            dismiss(&mut first)?;
            Ok(measured)
        });
        // The others learn that rank 0 has ended.
        drop(first);
        (measured, others.into_iter().map(|other| other.join().unwrap()).collect())
    })
}

#[test]
fn what_a_schedule_delivers_arrives() {
    use Collective::{
        Aab, Aas, AllReduce, AllReduceWhole, Aog, Barrier, Oab, Oas, Reduce, ReduceScatter,
    };
    use Switching::{StoreAndForward, Wormhole};
    let cases = [
        ("heawood", Aas, Wormhole),
        ("kautz:2,2", Aas, Wormhole),
        ("hypercube:3", Aas, StoreAndForward),
        ("hypercube:3", Aab, StoreAndForward),
        ("mesh:2x3", Aab, Wormhole),
        ("petersen", Oab, Wormhole),
        ("fat-tree:4", Oas, Wormhole),
        ("ring:5,half", Aog, Wormhole),
        ("torus:2x3,width=2", Aas, Wormhole),
        // Senders and receivers are different terminals.
        ("two-switch:2,2", Aas, Wormhole),
        ("kautz:2,2", Reduce, StoreAndForward),
        ("kautz:2,2", ReduceScatter, StoreAndForward),
        ("fat-tree:4", ReduceScatter, Wormhole),
        // Neighbours exchange parts of sums.
        ("ring:6", AllReduce, StoreAndForward),
        ("ring:5", AllReduce, StoreAndForward),
        // Ranks make and send several sums of what they have.
        ("ring:5", AllReduceWhole, StoreAndForward),
        ("mesh:2x3", AllReduceWhole, StoreAndForward),
        ("fat-tree:4", AllReduceWhole, Wormhole),
        ("hypercube:3", Barrier, StoreAndForward),
    ];
    for (number, (network, collective, switching)) in cases.into_iter().enumerate() {
        let pieces = if collective == AllReduceWhole { &[1, 3][..] } else { &[1] };
        for (order, &pieces) in ORDERS.iter().flat_map(|&o| pieces.iter().map(move |p| (o, p))) {
            // Each case has one of the orders where not all are tried.
            if !tries_all() && order != ORDERS[number % ORDERS.len()] {
                continue;
            }
            let request = Request { switching, pieces, ..Request::new(collective) };
            let script = Script::new(network, &schedule(network, &request)).unwrap();
            let replay = replay(vec![script], order);
            let (measured, others) = run(&replay, |player| player);
            let measured = measured.unwrap_or_else(|e| panic!("{network} {order:?}: {e}"));
            assert!(others.iter().all(Result::is_ok), "{network} {order:?}");
            let sizes: Vec<_> = measured.iter().map(|m| (m.bytes, m.seconds.len())).collect();
            assert_eq!(sizes, [(1, 2), (5000, 2)], "{network} {order:?}");
            assert!(measured.iter().flat_map(|m| &m.seconds).all(|&s| s > 0.0));
        }
    }
}

#[test]
fn messages_have_the_lengths_of_the_schedule() {
    let pair = |source: &str, destination: &str, bytes, count| Pair {
        source: source.into(),
        destination: destination.into(),
        bytes: Some(bytes),
        count,
    };
    let pairs = vec![pair("0", "2", 300, 2), pair("3", "1", 50, 1), pair("0", "1", 7, 1)];
    let request = Request { pairs: Some(pairs), ..Request::new(Collective::Traffic) };
    let script = Script::new("pairs", &schedule("ring:4", &request)).unwrap();
    assert!(script.has_lengths());
    assert_eq!((script.delivered(9), script.ranks()), (657, 4));
    let replay = Replay { sizes: vec![0], ..replay(vec![script], Order::Dependency) };
    let (measured, _) = run(&replay, |player| player);
    let model = TimeModel { startup_us: 0.0, byte_ns: 1000.0, ..TimeModel::default() };
    let rows = rows(&replay, &measured.unwrap(), &|_| Some(model));
    // Each message of 300 bytes, one after the other or at once on the two ways.
    let predicted = rows[0].predicted_seconds.unwrap();
    assert!((300e-6..=650e-6).contains(&predicted), "{predicted}");
    let rate = rows[0].megabytes_per_second * rows[0].seconds;
    assert!((rate - 657e-6).abs() < 1e-12, "{rate}");
}

#[test]
fn schedules_are_compared_with_each_other_and_with_the_library() {
    for network in ["kautz:2,2", "two-switch:2,1"] {
        let first = script(network, Collective::Aas, Switching::Wormhole);
        let mut second = first.clone();
        second.name = "again".into();
        let replay = Replay { against_library: true, ..replay(vec![first, second], Order::Steps) };
        let (measured, others) = run(&replay, |player| player);
        let measured = measured.unwrap();
        assert!(others.iter().all(Result::is_ok));
        let model = TimeModel { startup_us: 5.0, byte_ns: 10.0, ..TimeModel::default() };
        let rows = rows(&replay, &measured, &|_| Some(model));
        let names: Vec<&str> = rows.iter().map(|row| row.schedule.as_str()).collect();
        assert_eq!(names, [network, "again", LIBRARY].repeat(2));
        let [small, large] = [&rows[0], &rows[3]];
        let steps = small.steps.unwrap() as f64;
        let close = |row: &ReplayRow, seconds: f64| {
            (row.predicted_seconds.unwrap() - seconds).abs() < 1e-12
        };
        assert!(close(small, steps * 5.01e-6) && close(large, steps * 55e-6), "{rows:?}");
        assert!(small.over_first == 1.0 && rows[2].predicted_seconds.is_none());
        // All that is told is in all outputs.
        let (csv, json) = (csv(&rows).unwrap(), json_lines(&rows).unwrap());
        assert_eq!((csv.lines().count(), json.lines().count()), (7, 6));
        let line: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
        assert_eq!((&line["bytes"], &line["repetitions"]), (&1.into(), &2.into()));
        let table = text(&rows, None);
        assert!(
            table.lines().count() == 8 && table.contains("55.0 us") == (steps == 1.0),
            "{table}"
        );
        let svg = throughput(&rows, "caption").unwrap();
        assert!(svg.contains("again, predicted") && svg.contains(LIBRARY), "{svg}");
    }
}

/// A rank whose memory or network changes one bit of what it receives.
struct Flawed {
    player: ThreadPlayer,
    rank: usize,
}

impl Communicator for Flawed {
    fn rank(&self) -> usize {
        self.player.rank()
    }
    fn size(&self) -> usize {
        self.player.size()
    }
    fn send(&mut self, messages: Vec<(usize, Vec<u8>)>) -> Result<(), CommError> {
        self.player.send(messages)
    }
    fn receive(&mut self, within: Duration) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        self.player.receive(within)
    }
}

impl Player for Flawed {
    fn host(&self) -> String {
        self.player.host()
    }
    fn play(&mut self, part: &Part, blocks: &mut [Vec<u8>]) -> Result<(), CommError> {
        self.player.play(part, blocks)?;
        if self.rank() == self.rank {
            blocks.iter_mut().filter(|block| block.len() == 5000).for_each(|b| b[4321] ^= 1);
        }
        Ok(())
    }
    fn all_to_all(
        &mut self,
        out: &[u8],
        into: &mut [u8],
        sizes: Option<&Sizes>,
    ) -> Result<(), CommError> {
        self.player.all_to_all(out, into, sizes)
    }
}

#[test]
fn a_changed_bit_ends_the_replay() {
    let replay =
        replay(vec![script("kautz:2,2", Collective::Aas, Switching::Wormhole)], Order::Steps);
    for rank in [0, 3] {
        let (measured, others) = run(&replay, |player| Flawed { player, rank });
        let error = match rank {
            0 => measured.map(|_| ()).unwrap_err(),
            _ => {
                assert!(matches!(measured, Err(ReplayError::Comm(_))), "rank 0 has not noticed");
                others.into_iter().nth(rank - 1).unwrap().unwrap_err()
            }
        };
        let said = error.to_string();
        assert!(said.contains(&format!("at rank {rank} with wrong content: byte 4321")), "{said}");
    }
}

#[test]
fn a_changed_bit_of_a_sum_ends_the_replay() {
    for collective in [Collective::AllReduce, Collective::AllReduceWhole] {
        let all_reduce = script("ring:4", collective, Switching::StoreAndForward);
        let replay = replay(vec![all_reduce], Order::Dependency);
        let (measured, _) = run(&replay, |player| Flawed { player, rank: 0 });
        let error = measured.map(|_| ()).unwrap_err();
        let ReplayError::Sum { to: 0, why, .. } = error else { panic!("{error}") };
        assert_eq!(why, "byte 4321 is wrong");
    }
}

#[test]
fn wrong_input_is_refused_before_any_rank_begins() {
    let kautz = || script("kautz:2,2", Collective::Aas, Switching::Wormhole);
    let ring = script("ring:6", Collective::Oab, Switching::Wormhole);
    let refused = |replay: Replay| {
        let (measured, others) = run(&replay, |player| player);
        // No work has come; then rank 0 ended.
        assert!(others.iter().all(|other| matches!(other, Err(ReplayError::Comm(_)))));
        match measured {
            Err(ReplayError::Input(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let different = refused(replay(vec![kautz(), ring.clone()], Order::Steps));
    assert!(different.contains("different terminals"), "{different}");
    let library = |scripts| Replay { against_library: true, ..replay(scripts, Order::Steps) };
    let broadcast = refused(library(vec![ring]));
    assert!(broadcast.starts_with("against: ") && broadcast.contains("aas"), "{broadcast}");
    let large = Replay { memory: 29_999, ..replay(vec![kautz()], Order::Steps) };
    let large = refused(large);
    assert!(large.contains("memory: ") && large.contains("50000 bytes"), "{large}");
    let long =
        Replay { sizes: vec![1 << 31], memory: u64::MAX, ..replay(vec![kautz()], Order::Steps) };
    let long = refused(long);
    assert!(long.contains("at most 2147483647 bytes"), "{long}");
    let long = Replay { sizes: vec![1 << 30], memory: u64::MAX, ..library(vec![kautz()]) };
    assert!(refused(long).contains("at most 357913941 bytes"));
}

#[test]
fn only_terminals_are_ranks_and_only_valid_schedules_are_played() {
    let request =
        Request { switching: Switching::StoreAndForward, ..Request::new(Collective::Aab) };
    let refused = |file: &ScheduleFile| Script::new("s", file).unwrap_err().to_string();
    let stored = refused(&schedule("fat-tree:4", &request));
    assert!(stored.contains("stores and forwards") && stored.contains("wormhole"), "{stored}");
    let mut file = schedule("ring:4", &Request::new(Collective::Aas));
    let mut steps = file.steps.records();
    let moved = steps[0].pop().unwrap();
    steps.last_mut().unwrap().push(moved);
    file.steps = ccsched::schedule::Steps::of(&steps);
    assert!(refused(&file).starts_with("the schedule is not valid: "), "{}", refused(&file));
}
