//! MSCCL XML: what the GPUs send and receive becomes transfers between terminals; GPU k is
//! participant k. The program is run as the machine would run it: `order` orders the steps, `races`
//! checks that no two steps meet at a chunk, `contents` follows the content of the chunks.
//!
//! The format has no steps that all GPUs share. If every send has the comment of `export`, its step
//! and channels are taken from there. Otherwise the transfers get steps one after the other, in
//! the order in which they can happen: each the first step with room on a shortest path, after the
//! step that brought its message.

mod buffers;
mod contents;
mod fifos;
mod file;
mod limits;
mod order;
mod program;
mod races;
mod timing;
mod transfers;

use super::{Imported, Wrong};
use buffers::Buffers;
use ccsched_model::problem::{Collective, Problem};
use ccsched_network::VertexId;
use order::Order;
use program::Algorithm;

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
    let algorithm = file::read(text).ok()?;
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
    let algorithm = file::read(text)?;
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
        races::check(&algorithm, &order, &buffers).map_err(told)?;
        let hops = contents::run(&algorithm, &order, &buffers).map_err(told)?;
        run.get_or_insert((buffers, hops));
    }
    let (buffers, hops) = run.expect("a file without a call is refused");
    let posed = transfers::problem(&hops, &buffers, problem, &terminals);
    let posed = posed.map_err(|why| (algorithm.line, why))?;
    let forwards = posed.as_ref().map(Problem::forwards);
    let problem = forwards.as_deref().unwrap_or(problem);
    let transfers = transfers::of(hops, &buffers, problem, &terminals)?;
    let mut imported = timing::timed(problem, &transfers)?;
    imported.warnings = limits::exceeded(&algorithm);
    imported.warnings.extend(fifos::overfull(&algorithm, &order));
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
