//! GOAL files, read by a reader of its grammar and run by a small simulator of the model of LogGOPSim
//! with L = o = g = 0 and G = 1: a message of n bytes takes n - 1 ns of its processor and interface
//! at both ends.

use super::{exported, samples};
use ccsched::export::{Output, Settings, Synchronisation};
use ccsched::schedule::ScheduleFile;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// What an operation does.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Calc,
    Send(usize),
    Receive(usize),
}

#[derive(Clone, Debug)]
struct Operation {
    rank: usize,
    kind: Kind,
    /// Bytes, or nanoseconds of a calculation.
    size: u64,
    tag: u64,
    cpu: u64,
    nic: u64,
    /// Operations that wait for this one, and the number of those it waits for.
    next: Vec<usize>,
    waits: usize,
}

/// The number after a word, if the word comes next.
fn option(words: &mut std::iter::Peekable<std::str::SplitWhitespace>, name: &str) -> u64 {
    match words.next_if_eq(&name) {
        Some(_) => words.next().unwrap().parse().unwrap(),
        None => 0,
    }
}

/// Reads a file by the grammar: ranks in order and not empty, labels before their use.
fn parse(text: &str) -> Vec<Operation> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
    let mut lines = lines.map(str::trim);
    let count = lines.next().unwrap().strip_prefix("num_ranks ").unwrap();
    let mut all: Vec<Operation> = Vec::new();
    for rank in 0..count.parse().unwrap() {
        assert_eq!(lines.next(), Some(format!("rank {rank} {{").as_str()));
        let mut labels: HashMap<&str, usize> = HashMap::new();
        loop {
            let line = lines.next().unwrap();
            if line == "}" {
                break;
            }
            if let Some((later, earlier)) = line.split_once(" requires ") {
                let (later, earlier) = (labels[later], labels[earlier]);
                all[earlier].next.push(later);
                all[later].waits += 1;
                continue;
            }
            let (label, rest) = line.split_once(": ").unwrap();
            assert!(label.starts_with(|c: char| c.is_ascii_alphabetic()), "{line}");
            assert!(labels.insert(label, all.len()).is_none(), "{line}");
            let mut words = rest.split_whitespace().peekable();
            let word = words.next().unwrap();
            let size = words.next().unwrap();
            let (kind, size) = match word {
                "calc" => (Kind::Calc, size),
                "send" | "recv" => {
                    let preposition = if word == "send" { "to" } else { "from" };
                    assert_eq!(words.next(), Some(preposition), "{line}");
                    let peer = words.next().unwrap().parse().unwrap();
                    let kind = if word == "send" { Kind::Send(peer) } else { Kind::Receive(peer) };
                    (kind, size.strip_suffix('b').unwrap())
                }
                _ => panic!("{line}"),
            };
            let [tag, cpu, nic] = ["tag", "cpu", "nic"].map(|name| option(&mut words, name));
            assert!(words.next().is_none() && cpu < 256 && nic < 256, "{line}");
            let size = size.parse().unwrap();
            all.push(Operation { rank, kind, size, tag, cpu, nic, next: vec![], waits: 0 });
        }
        assert!(!labels.is_empty(), "rank {rank} is empty");
    }
    assert!(lines.next().is_none());
    all
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// An operation is complete.
    Ends(usize),
    /// An operation may start.
    Starts(usize),
    /// The message of a send reaches its receive, which was ready.
    Arrives(usize),
}

/// By rank, when its last operation ends.
fn run(mut operations: Vec<Operation>) -> Vec<u64> {
    let key = |o: &Operation, sends: bool| match o.kind {
        Kind::Send(peer) if sends => Some((o.rank, peer, o.tag, o.size)),
        Kind::Receive(peer) if !sends => Some((peer, o.rank, o.tag, o.size)),
        _ => None,
    };
    let mut receive_of = HashMap::new();
    for (number, o) in operations.iter().enumerate() {
        if let Some(message) = key(o, false) {
            assert!(receive_of.insert(message, number).is_none(), "{o:?} twice");
        }
    }
    let sends = operations.iter().filter_map(|o| key(o, true)).count();
    assert_eq!(sends, receive_of.len(), "every message is sent and received");
    let ranks = operations.iter().map(|o| o.rank + 1).max().unwrap();
    let (mut ends, mut done) = (vec![0; ranks], 0);
    // When a processor, and an interface, is free again.
    let mut free: HashMap<(usize, bool, u64), u64> = HashMap::new();
    let (mut sent, mut ready) = (HashMap::new(), HashMap::new());
    let first = (0..operations.len()).filter(|&o| operations[o].waits == 0);
    let mut events: BinaryHeap<Reverse<(u64, Event)>> =
        first.map(|o| Reverse((0, Event::Starts(o)))).collect();
    while let Some(Reverse((now, event))) = events.pop() {
        match event {
            Event::Ends(number) => {
                done += 1;
                let o = &operations[number];
                ends[o.rank] = now.max(ends[o.rank]);
                for next in o.next.clone() {
                    operations[next].waits -= 1;
                    if operations[next].waits == 0 {
                        events.push(Reverse((now, Event::Starts(next))));
                    }
                }
            }
            Event::Starts(number) if matches!(operations[number].kind, Kind::Receive(_)) => {
                ready.insert(number, now);
                if sent.contains_key(&number) {
                    events.push(Reverse((now, Event::Arrives(number))));
                }
            }
            Event::Starts(number) | Event::Arrives(number) => {
                let o = &operations[number];
                let has_nic = o.kind != Kind::Calc;
                let mut places = vec![(o.rank, false, o.cpu)];
                places.extend(has_nic.then_some((o.rank, true, o.nic)));
                let busy = places.iter().filter_map(|place| free.get(place).copied()).max();
                if let Some(until) = busy.filter(|&until| until > now) {
                    events.push(Reverse((until, event)));
                    continue;
                }
                let end = now + if has_nic { o.size - 1 } else { o.size };
                places.into_iter().for_each(|place| _ = free.insert(place, end));
                events.push(Reverse((end, Event::Ends(number))));
                if let Some(message) = key(o, true) {
                    let receive = receive_of[&message];
                    sent.insert(receive, now);
                    if ready.contains_key(&receive) {
                        events.push(Reverse((now, Event::Arrives(receive))));
                    }
                }
            }
        }
    }
    assert_eq!(done, operations.len(), "no operation waits for ever");
    ends
}

fn goal(schedule: &ScheduleFile, sync: Synchronisation) -> String {
    let settings = Settings { sync: Some(sync), bytes: Some(1001), ..Settings::default() };
    match exported(schedule, "goal", &settings) {
        Output::File(text) => text,
        _ => unreachable!("goal is one file"),
    }
}

#[test]
fn with_the_clock_every_rank_ends_after_its_steps() {
    for schedule in samples() {
        let text = goal(&schedule, Synchronisation::Clock);
        let time = schedule.steps.len() as u64 * 1000;
        let ends = run(parse(&text));
        assert!(ends.iter().all(|&end| end == time), "{}: {ends:?}", schedule.network.name);
        let transfers: usize = schedule.steps.iter().map(|step| step.len()).sum();
        assert_eq!(text.matches(": send 1001b").count(), transfers);
    }
}

#[test]
fn an_interface_with_two_messages_in_a_step_makes_it_longer() {
    let mut noticed = 0;
    for schedule in samples() {
        let text = goal(&schedule, Synchronisation::Clock);
        let alike: String =
            text.lines().map(|l| l.split(" cpu ").next().unwrap().to_string() + "\n").collect();
        // Sends and receives stay on one processor, which is not that of the clock.
        let one: String = alike
            .lines()
            .map(|l| if l.contains(" tag ") { format!("{l} cpu 1\n") } else { format!("{l}\n") })
            .collect();
        let last = run(parse(&one)).into_iter().max().unwrap();
        noticed += usize::from(last > schedule.steps.len() as u64 * 1000);
    }
    assert!(noticed >= 5, "{noticed}");
}

#[test]
fn without_the_clock_all_messages_arrive() {
    for schedule in samples() {
        let ends = run(parse(&goal(&schedule, Synchronisation::Local)));
        // The time of the longest chain of steps at least, and no operation is left.
        assert!(ends.iter().max().unwrap() >= &1000, "{ends:?}");
    }
}
