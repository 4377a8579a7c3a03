//! Races: two steps of a GPU that access one chunk, of which one writes, and that nothing orders. What
//! the machine makes of them changes from run to run.

use super::buffers::Buffers;
use super::order::Order;
use super::program::{Algorithm, Chunk, Kind, Place, shown};
use crate::import::Wrong;
use std::collections::{HashMap, HashSet};

/// Thread blocks whose steps are followed at once.
const BLOCKS: usize = 16;
/// Steps of a thread block in which a wait is looked for before all steps are followed.
const NEAR: usize = 64;

/// The accesses to a chunk since its last write.
#[derive(Default)]
struct Since {
    write: Option<usize>,
    reads: Vec<usize>,
}

/// Two steps, by number, that must be ordered, in the order in which they were run.
struct Pair {
    first: usize,
    second: usize,
    chunk: Chunk,
    /// Whether each writes.
    writes: [bool; 2],
    /// Whether the first reads what nothing has written yet.
    is_early: bool,
}

/// Finds a race.
pub(super) fn check(algorithm: &Algorithm, order: &Order, buffers: &Buffers) -> Result<(), Wrong> {
    let mut pairs: Vec<Vec<Pair>> = algorithm.gpus.iter().map(|_| Vec::new()).collect();
    let mut since: HashMap<(usize, Chunk), Since> = HashMap::new();
    let full = |gpu| buffers.beginning(gpu).map(|(chunk, _)| chunk).collect::<HashSet<Chunk>>();
    let full: Vec<HashSet<Chunk>> = (0..algorithm.gpus.len()).map(full).collect();
    for &number in &order.sorted {
        let place = order.places[number];
        let (step, gpu) = (algorithm.step(place), place.gpu);
        let canonical = |chunk| buffers.canonical(gpu, chunk);
        let stays = step.reads().map(canonical).eq(step.writes().map(canonical));
        if step.kind == Kind::Copy && stays {
            continue;
        }
        let mut pair = |first: usize, chunk, writes, is_early| {
            if !are_near(algorithm, order.places[first], place) {
                pairs[gpu].push(Pair { first, second: number, chunk, writes, is_early });
            }
        };
        for chunk in step.reads().map(canonical) {
            let since = since.entry((gpu, chunk)).or_default();
            since.reads.push(number);
            if let Some(write) = since.write {
                pair(write, chunk, [true, false], false);
            }
        }
        for chunk in step.writes().map(canonical) {
            let since = since.entry((gpu, chunk)).or_default();
            let is_early = since.write.is_none() && !full[gpu].contains(&chunk);
            since.reads.drain(..).for_each(|read| pair(read, chunk, [false, true], is_early));
            if let Some(write) = since.write.replace(number) {
                pair(write, chunk, [true, true], false);
            }
        }
    }
    let mut races =
        pairs.iter().enumerate().filter_map(|(gpu, pairs)| unordered(order, gpu, pairs));
    races.next().map_or(Ok(()), |race| Err(told(algorithm, order, race)))
}

/// Whether a step follows another of its GPU because of their thread block, or of a wait in it.
fn are_near(algorithm: &Algorithm, first: Place, second: Place) -> bool {
    let steps = &algorithm.block(second).steps[..=second.step];
    first.block == second.block
        || steps.iter().rev().take(NEAR).any(|step| {
            step.waits_for.is_some_and(|(block, step)| block == first.block && step >= first.step)
        })
}

/// The first pair of a GPU that nothing orders.
fn unordered<'p>(order: &Order, gpu: usize, pairs: &'p [Pair]) -> Option<&'p Pair> {
    let group = |pair: &&Pair| order.places[pair.first].block / BLOCKS;
    let groups = pairs.iter().map(|pair| group(&pair)).max().map_or(0, |last| last + 1);
    let mut found: Option<&Pair> = None;
    for number in 0..groups {
        let mut asked = pairs.iter().filter(|pair| group(pair) == number).peekable();
        if asked.peek().is_none() {
            continue;
        }
        // By step and thread block, how many steps of the thread block happen before or at it.
        let mut done = vec![0u32; order.places.len() * BLOCKS];
        for &step in &order.sorted {
            for &before in &order.before[step] {
                for block in 0..BLOCKS {
                    let known = done[before * BLOCKS + block];
                    let here = &mut done[step * BLOCKS + block];
                    *here = known.max(*here);
                }
            }
            let place = order.places[step];
            if place.gpu == gpu && place.block / BLOCKS == number {
                done[step * BLOCKS + place.block % BLOCKS] = place.step as u32 + 1;
            }
        }
        let is_race = |pair: &&Pair| {
            let first = order.places[pair.first];
            done[pair.second * BLOCKS + first.block % BLOCKS] <= first.step as u32
        };
        found = found.or(asked.find(is_race));
    }
    found
}

/// What is wrong, and what would be right.
fn told(algorithm: &Algorithm, order: &Order, pair: &Pair) -> Wrong {
    let [mut early, mut late] = [(pair.first, pair.writes[0]), (pair.second, pair.writes[1])];
    if pair.is_early {
        std::mem::swap(&mut early, &mut late);
    }
    let [first, second] = [early.0, late.0].map(|number| order.places[number]);
    let [before, line] = [first, second].map(|place| algorithm.step(place).line);
    let does = |writes: bool| if writes { "writes" } else { "reads" };
    let wait = format!(
        "{second} must wait for {first}: depid=\"{}\" deps=\"{}\", and hasdep=\"1\" in line \
         {before}",
        first.block, first.step
    );
    let right = match pair.writes {
        [true, true] => format!("one of the blocks belongs into another chunk, or {wait}"),
        _ => wait,
    };
    let why = format!(
        "race: {second} {} {}, and {first} (line {before}) {} it; nothing orders them: {right}",
        does(late.1),
        shown(pair.chunk),
        does(early.1)
    );
    (line, why)
}
