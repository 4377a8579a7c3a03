//! GOAL, the language of LogGOPSim: sends and receives of every rank, with what each requires.
//!
//! LogGOPSim gives a message one processor and one interface (`cpu`, `nic`) of its sender, and those
//! of the same numbers at its receiver, for as long as the message lasts. So the transfers of a step
//! have colours, of which no vertex has two equal, and a transfer takes processor and interface of
//! its colour; processor 0 is that of the clock. With the clock every rank counts the steps by itself,
//! and an operation of a step requires the end of the step before. Without it an operation requires
//! those of the same rank in its steps before.

use super::ranks::Ranks;
use super::{Output, Settings, Subject, Synchronisation, Transfer};
use ccsched_base::{Error, Result};
use ccsched_model::schedule::printable::printable;
use ccsched_network::{Rate, VertexId};
use std::collections::HashMap;
use std::fmt::Write;

/// The length of messages that have none; with 1 ns a byte after the first, the time of networks that
/// know no rate, a step lasts 1 us.
const BYTES: u64 = 1001;

/// Processors and interfaces are numbered in one byte; the first is that of the clock.
const MOST_COLOURS: u32 = 255;

/// A send or receive of a rank.
struct Operation {
    step: usize,
    sends: bool,
    peer: usize,
    bytes: u64,
    tag: usize,
    colour: u32,
}

/// Writes a schedule.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let bytes = subject.piece_of(settings.bytes.unwrap_or(BYTES));
    let ranks = Ranks::of(subject);
    if subject.is_timed() {
        return timed(subject, &ranks);
    }
    let mut of_rank: Vec<Vec<Operation>> = (0..ranks.len()).map(|_| Vec::new()).collect();
    let mut longest = vec![1; subject.steps()];
    let mut tag = 0;
    for (step, longest) in longest.iter_mut().enumerate() {
        let colours = colours(subject, step);
        if let Some(many) = colours.iter().find(|&&colour| colour >= MOST_COLOURS) {
            return Err(Error::problem(format!(
                "goal: step {} needs {} or more interfaces at a vertex; the format has at most \
                 {MOST_COLOURS}",
                step + 1,
                many + 1
            )));
        }
        for (t, colour) in subject.sent(step).zip(colours) {
            let bytes = t.bytes.unwrap_or(bytes).max(1);
            let [from, to] = [t.from, t.to].map(|v| ranks.of_vertex(v));
            *longest = bytes.max(*longest);
            let operation = |sends, peer| Operation { step, sends, peer, bytes, tag, colour };
            of_rank[from].push(operation(true, to));
            of_rank[to].push(operation(false, from));
            tag += 1;
        }
    }
    let byte_ns = subject.network().rate().map_or(1.0, Rate::byte_ns);
    // The noise of a quotient is no nanosecond.
    let ticks = |bytes: &u64| ((bytes - 1) as f64 * byte_ns - 1e-6).ceil() as u64;
    let longest: Vec<u64> = longest.iter().map(ticks).collect();
    let mut out = format!("// {}\n", printable(&subject.title()));
    if let Some(rate) = subject.network().rate() {
        line(&mut out, format_args!("// capacity 1 = {rate}: LogGOPSim -G {byte_ns}"));
    }
    line(&mut out, format_args!("num_ranks {}", ranks.len()));
    for (rank, operations) in of_rank.iter().enumerate() {
        let name = printable(subject.name(ranks.vertices[rank]));
        out += &format!("\n// {name}\nrank {rank} {{\n");
        match settings.sync.unwrap_or_default() {
            Synchronisation::Clock => clocked(&mut out, operations, &longest),
            Synchronisation::Local => chained(&mut out, operations),
        }
        out += "}\n";
    }
    Ok(Output::File(out))
}

/// A timed schedule: each rank has a clock from one start to the next, and colours are of transfers that
/// overlap at a vertex.
fn timed(subject: &Subject, ranks: &Ranks) -> Result<Output> {
    let byte_ns = subject.network().rate().map_or(1.0, Rate::byte_ns);
    let mut transfers: Vec<Transfer<'_>> =
        (0..subject.steps()).flat_map(|s| subject.step(s)).collect();
    transfers.sort_by_key(|t| t.at);
    // By vertex and colour, when it is free.
    let mut free: HashMap<VertexId, Vec<u64>> = HashMap::new();
    let mut of_rank: Vec<Vec<(u64, Operation)>> = (0..ranks.len()).map(|_| Vec::new()).collect();
    for (tag, t) in transfers.iter().enumerate() {
        let (at, bytes) = (t.at.unwrap_or(0), t.bytes.unwrap_or(0).max(1));
        let is_free = |v: VertexId, colour: usize| {
            free.get(&v).and_then(|ends| ends.get(colour)).is_none_or(|&end| end <= at)
        };
        let colour = (0..).find(|&c| is_free(t.from, c) && is_free(t.to, c)).unwrap_or(0);
        if colour as u32 >= MOST_COLOURS {
            let why = format!("goal: a vertex needs more than {MOST_COLOURS} interfaces");
            return Err(Error::problem(why));
        }
        for (v, sends, peer) in [(t.from, true, t.to), (t.to, false, t.from)] {
            let ends = free.entry(v).or_default();
            ends.resize(ends.len().max(colour + 1), 0);
            ends[colour] = at + bytes;
            let peer = ranks.of_vertex(peer);
            let operation = Operation { step: 0, sends, peer, bytes, tag, colour: colour as u32 };
            of_rank[ranks.of_vertex(v)].push((at, operation));
        }
    }
    let mut out = format!("// {}\n", printable(&subject.title()));
    line(&mut out, format_args!("num_ranks {}", ranks.len()));
    for (rank, operations) in of_rank.iter().enumerate() {
        let name = printable(subject.name(ranks.vertices[rank]));
        out += &format!("\n// {name}\nrank {rank} {{\n");
        // No rank may be empty.
        line(&mut out, format_args!("c0: calc 0"));
        let (mut clock, mut now) = (0, 0);
        for (number, (at, operation)) in operations.iter().enumerate() {
            if *at > now {
                let [before, ticks] = [now, *at].map(|time| (time as f64 * byte_ns).round() as u64);
                let ticks = ticks - before;
                clock += 1;
                line(&mut out, format_args!("c{clock}: calc {ticks}"));
                line(&mut out, format_args!("c{clock} requires c{}", clock - 1));
                now = *at;
            }
            say(&mut out, number, operation);
            line(&mut out, format_args!("o{number} requires c{clock}"));
        }
        out += "}\n";
    }
    Ok(Output::File(out))
}

/// The operations of a rank with its clock: `c1` ends with the first step. `longest` has the
/// nanoseconds of each step.
fn clocked(out: &mut String, operations: &[Operation], longest: &[u64]) {
    for (step, nanoseconds) in (1..).zip(longest) {
        line(out, format_args!("c{step}: calc {nanoseconds}"));
        if step > 1 {
            line(out, format_args!("c{step} requires c{}", step - 1));
        }
    }
    for (number, operation) in operations.iter().enumerate() {
        say(out, number, operation);
        if operation.step > 0 {
            line(out, format_args!("o{number} requires c{}", operation.step));
        }
    }
}

/// The operations of a rank, each step after the one before: `e1` follows all of the first step.
fn chained(out: &mut String, operations: &[Operation]) {
    // No rank may be empty.
    line(out, format_args!("e0: calc 0"));
    let mut number = 0;
    for (end, of_step) in (1..).zip(operations.chunk_by(|a, b| a.step == b.step)) {
        let first = number;
        for operation in of_step {
            say(out, number, operation);
            line(out, format_args!("o{number} requires e{}", end - 1));
            number += 1;
        }
        line(out, format_args!("e{end}: calc 0"));
        (first..number).for_each(|o| line(out, format_args!("e{end} requires o{o}")));
    }
}

/// The line of an operation.
fn say(out: &mut String, number: usize, operation: &Operation) {
    let Operation { sends, peer, bytes, tag, colour, .. } = operation;
    let (word, side) = if *sends { ("send", "to") } else { ("recv", "from") };
    let (cpu, nic) = (colour + 1, colour);
    line(
        out,
        format_args!("o{number}: {word} {bytes}b {side} {peer} tag {tag} cpu {cpu} nic {nic}"),
    );
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
}

/// A colour for every transfer of a step, so that no two that start or end at a vertex have the same.
fn colours(subject: &Subject, step: usize) -> Vec<u32> {
    let mut taken: HashMap<VertexId, Vec<bool>> = HashMap::new();
    let mut colour = |ends: [VertexId; 2]| {
        let is_taken = |v: &VertexId, colour: usize| {
            taken.get(v).and_then(|list| list.get(colour)).copied().unwrap_or(false)
        };
        let mut free = 0;
        while ends.iter().any(|v| is_taken(v, free)) {
            free += 1;
        }
        for v in ends {
            let list = taken.entry(v).or_default();
            list.resize(list.len().max(free + 1), false);
            list[free] = true;
        }
        free as u32
    };
    subject.sent(step).map(|t| colour([t.from, t.to])).collect()
}
