//! What RCCL's reader refuses though the program is sound: one warning a kind.

use super::program::{Algorithm, Block, Gpu, Kind, Step};

/// Thread blocks of a GPU, thread blocks of a channel, steps of a thread block, chunks of a step,
/// XML nodes that are kept, children of a node.
const MOST_BLOCKS: usize = 64;
const MOST_OF_CHANNEL: usize = 32;
const MOST_STEPS: usize = 64;
const MOST_COUNT: usize = 71;
const MOST_NODES: usize = 4096;
const MOST_GPUS: usize = 1024;

/// Its line, and what is refused.
pub(super) type Warning = (usize, String);

/// The warnings of a program.
pub(super) fn exceeded(algorithm: &Algorithm) -> Vec<Warning> {
    let mut found = Vec::new();
    let demands = |why: String| format!("{why}, which RCCL's reader demands");
    if !algorithm.missing.is_empty() {
        found.push((algorithm.line, demands(format!("no {}", algorithm.missing.join(", ")))));
    }
    let takes = |what: String, most: usize| format!("{what}; RCCL's reader takes at most {most}");
    let gpus = &algorithm.gpus;
    if gpus.len() > MOST_GPUS {
        found.push((algorithm.line, takes(format!("{} GPUs", gpus.len()), MOST_GPUS)));
    }
    let mut first = |limit: &dyn Fn(usize, &Gpu) -> Option<Warning>| {
        found.extend(gpus.iter().enumerate().find_map(|(number, gpu)| limit(number, gpu)));
    };
    first(&|number, gpu| {
        let count = gpu.blocks.len();
        let what = format!("gpu {number} has {count} thread blocks");
        (count > MOST_BLOCKS).then(|| (gpu.line, takes(what, MOST_BLOCKS)))
    });
    first(&|number, gpu| {
        let crowded = |side: fn(&Block) -> Option<usize>| {
            gpu.blocks.iter().find(|block| {
                let same = |b: &&Block| b.channel == block.channel && side(b).is_some();
                gpu.blocks.iter().filter(same).count() > MOST_OF_CHANNEL
            })
        };
        let block = crowded(|block| block.send).or_else(|| crowded(|block| block.receive))?;
        let channel = block.channel;
        let what = format!("gpu {number} has more thread blocks with a peer on channel {channel}");
        Some((block.line, takes(what, MOST_OF_CHANNEL)))
    });
    first(&|number, gpu| {
        let block = gpu.blocks.iter().find(|block| block.steps.len() > MOST_STEPS)?;
        let what = format!("gpu {number} has a thread block of {} steps", block.steps.len());
        Some((block.line, takes(what, MOST_STEPS)))
    });
    first(&|_, gpu| {
        let mut steps = gpu.blocks.iter().flat_map(|block| &block.steps);
        let step = steps.find(|step| step.count > MOST_COUNT)?;
        Some((step.line, takes(format!("cnt is {}", step.count), MOST_COUNT)))
    });
    first(&|number, gpu| {
        let steps: usize = gpu.blocks.iter().map(|block| block.steps.len() + 1).sum();
        let nodes = 1 + gpus.len() + steps;
        let what = format!("gpu {number} has {nodes} XML nodes to read");
        (nodes > MOST_NODES).then(|| (gpu.line, takes(what, MOST_NODES)))
    });
    first(&|_, gpu| {
        // A chain of waits ends in the step that does something.
        let mut pairs = gpu.blocks.iter().flat_map(|block| block.steps.windows(2));
        let is_open = |pair: &&[Step]| {
            let [nop, next] = [&pair[0], &pair[1]];
            let waits = nop.kind == Kind::Nothing && nop.waits_for.is_some();
            waits && next.kind != Kind::Nothing && next.waits_for.is_none()
        };
        let pair = pairs.find(is_open)?;
        let what = "a nop waits, and the step after it does not: it must carry the last wait";
        Some((pair[1].line, demands(what.to_string())))
    });
    found
}
