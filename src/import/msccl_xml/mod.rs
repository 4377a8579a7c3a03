//! MSCCL XML: what the GPUs send and receive becomes transfers between terminals, GPU k being the
//! terminal k. The chunks that steps read and write say which message a transfer carries.
//!
//! The format has no steps that all GPUs share. If every send has the comment of `export`, its step
//! and channels are taken from there. Otherwise the transfers get steps one after the other, in
//! the order in which they can happen: each the first step with room on a shortest path, after the
//! step that brought its message.

mod file;
mod flow;
mod timing;

use super::{Imported, Wrong};
use crate::problem::{Collective, Problem};
use file::Algorithm;

/// Whether a text begins with the element of an algorithm, after comments.
pub(super) fn recognises(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("<!--").or_else(|| rest.strip_prefix("<?")) {
        let Some((_, after)) = comment.split_once('>') else { return false };
        rest = after.trim_start();
    }
    rest.starts_with("<algo")
}

/// Reads a schedule of a problem.
pub(super) fn read(text: &str, problem: &Problem) -> Result<Imported, Wrong> {
    let algorithm = file::read(text)?;
    check(&algorithm, problem)?;
    let transfers = flow::transfers(&algorithm, problem)?;
    timing::timed(problem, &transfers)
}

/// Checks that the file is about the collective of the problem on as many terminals.
fn check(algorithm: &Algorithm, problem: &Problem) -> Result<(), Wrong> {
    let wrong = |why: String| Err((algorithm.line, why));
    let right = match algorithm.collective.as_str() {
        "allgather" => Collective::Aab,
        "alltoall" => Collective::Aas,
        other => {
            return wrong(format!(
                "the collective is '{other}'; files of allgather (aab) and alltoall (aas) are read"
            ));
        }
    };
    if right != problem.collective {
        let (has, asked) = (&algorithm.collective, problem.collective);
        return wrong(format!(
            "the file is an {has}, {right}; the schedule of {asked} is asked for"
        ));
    }
    let (gpus, terminals) = (algorithm.gpus.len(), problem.network.terminals().count());
    if gpus != terminals {
        let name = problem.network.name();
        return wrong(format!("{gpus} GPUs; {name} has {terminals} terminals"));
    }
    let inputs = if right == Collective::Aab { 1 } else { gpus };
    match algorithm.gpus.iter().find(|gpu| (gpu.inputs, gpu.outputs) != (inputs, gpus)) {
        None => Ok(()),
        Some(gpu) => Err((
            gpu.line,
            format!(
                "i_chunks is {} and o_chunks {}; a message is one chunk, so they must be {inputs} \
                 and {gpus}",
                gpu.inputs, gpu.outputs
            ),
        )),
    }
}
