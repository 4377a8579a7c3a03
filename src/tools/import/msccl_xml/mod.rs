//! MSCCL XML: what the GPUs send and receive becomes transfers between terminals; GPU k is
//! participant k. The program is run as the machine would run it: `order` orders the steps, `races`
//! checks that no two steps meet at a chunk, `contents` follows the content of the chunks.
//!
//! The format has no steps that all GPUs share. If every send has the comment of `export`, its step
//! and channels are taken from there. Otherwise the transfers get steps one after the other, in
//! the order in which they can happen: each the first step with room on a shortest path, after the
//! step that brought its message.

mod buffers;
mod order;
mod program;
mod transfers;

use super::{Imported, Wrong};
use buffers::Buffers;
use ccsched_model::problem::{Collective, Problem};
use ccsched_network::VertexId;
use order::Order;
use program::{Algorithm, Chunk, Kind, StepAt, shown};
use std::collections::{HashMap, HashSet};

/// Whether a text begins with the element of an algorithm, after comments.
pub(super) fn recognises(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = match (rest.strip_prefix("<!--"), rest.strip_prefix("<?")) {
            (Some(comment), _) => comment.split_once("-->"),
            (None, Some(instruction)) => instruction.split_once("?>"),
            (None, None) => return rest.starts_with("<algo"),
        };
        let Some((_, after)) = after else { return false };
        rest = after.trim_start();
    }
}

/// The collective of a program. The vector of an all-reduce has a part for each GPU, if it has chunks for
/// that.
pub(super) fn collective(text: &str) -> Option<Collective> {
    let algorithm = program::read(text).ok()?;
    let first = algorithm.gpus.first();
    let chunks = first.map_or(0, |gpu| gpu.inputs.max(gpu.outputs));
    Some(match of_name(&algorithm.collective)? {
        Collective::AllReduce if !chunks.is_multiple_of(algorithm.gpus.len()) => {
            Collective::AllReduceWhole
        }
        other => other,
    })
}

/// The collective of a name in the format.
fn of_name(name: &str) -> Option<Collective> {
    Some(match name {
        "allgather" => Collective::Aab,
        "alltoall" => Collective::Aas,
        "reducescatter" | "reduce_scatter" => Collective::ReduceScatter,
        "allreduce" => Collective::AllReduce,
        "reduce" => Collective::Reduce,
        _ => return None,
    })
}

/// Reads a schedule of a problem.
pub(super) fn read(text: &str, problem: &Problem) -> Result<Imported, Wrong> {
    let algorithm = program::read(text)?;
    let terminals = check(&algorithm, problem)?;
    for place in algorithm.places() {
        Buffers::check(&algorithm, place, algorithm.step(place))?;
    }
    let collective = problem.collective();
    let root = problem.root().filter(|_| collective == Collective::Reduce);
    let root = root.and_then(|root| terminals.iter().position(|&v| v == root));
    let order = Order::of(&algorithm)?;
    let mut run = None;
    for (in_place, is_called) in [(false, algorithm.out_of_place), (true, algorithm.in_place)] {
        if !is_called {
            continue;
        }
        // Only where a program has both is it worth saying in which it is wrong.
        let told = |(line, why): Wrong| match (algorithm.out_of_place, in_place) {
            (true, true) => (line, format!("called in place, {why}")),
            _ => (line, why),
        };
        let buffers = Buffers::of(&algorithm, collective, root, in_place).map_err(told)?;
        check_races(&algorithm, &order, &buffers).map_err(told)?;
        let hops = buffers::run(&algorithm, &order, &buffers).map_err(told)?;
        run.get_or_insert((buffers, hops));
    }
    let (buffers, hops) = run.expect("a file without a call is refused");
    let posed = transfers::problem(&hops, &buffers, problem, &terminals);
    let posed = posed.map_err(|why| (algorithm.line, why))?;
    let forwards = posed.as_ref().map(Problem::forwards);
    let problem = forwards.as_deref().unwrap_or(problem);
    let transfers = transfers::of(hops, &buffers, problem, &terminals)?;
    let mut imported = transfers::timed(problem, &transfers)?;
    imported.warnings = order::exceeded(&algorithm);
    imported.warnings.extend(order::overfull(&algorithm, &order));
    imported.chunks = buffers.parts;
    imported.posed = posed;
    Ok(imported)
}

/// Checks that the file is about the collective of the problem on as many terminals; those of the GPUs.
fn check(algorithm: &Algorithm, problem: &Problem) -> Result<Vec<VertexId>, Wrong> {
    let wrong = |why: String| Err((algorithm.line, why));
    let right = match (of_name(&algorithm.collective), problem.collective()) {
        (Some(Collective::AllReduce), Collective::AllReduceWhole) => Collective::AllReduceWhole,
        (Some(right), _) => right,
        (None, _) => {
            return wrong(format!(
                "the collective is '{}'; files of allgather (aab), alltoall (aas), reduce, \
                 reducescatter and allreduce are read",
                algorithm.collective
            ));
        }
    };
    if right != problem.collective() {
        let (has, asked) = (&algorithm.collective, problem.collective());
        return wrong(format!(
            "the file is an {has}, {right}; the schedule of {asked} is asked for"
        ));
    }
    let processes = problem.processes();
    let [senders, receivers] = problem.asked_ends().map(<[VertexId]>::len);
    let must_receive = right != Collective::Reduce;
    if senders != processes.len() || must_receive && receivers != processes.len() {
        return wrong("all that take part must be senders and receivers, as in the format".into());
    }
    let (gpus, name) = (algorithm.gpus.len(), problem.network().name());
    if gpus != processes.len() {
        let has = match problem.network().idle().next() {
            None => format!("{name} has {} terminals", processes.len()),
            Some(_) => format!("{} terminals of {name} take part", processes.len()),
        };
        return wrong(format!("{gpus} GPUs; {has}"));
    }
    match algorithm.named_gpus.filter(|&named| named != gpus) {
        Some(named) => wrong(format!("ngpus is {named}, but the file has {gpus} GPUs")),
        None => Ok(processes.to_vec()),
    }
}

// Races: two steps of a GPU that access one chunk, of which one writes, and that nothing orders. What
// the machine makes of them changes from run to run.

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
fn check_races(algorithm: &Algorithm, order: &Order, buffers: &Buffers) -> Result<(), Wrong> {
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
fn are_near(algorithm: &Algorithm, first: StepAt, second: StepAt) -> bool {
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
