//! The order of the steps: in a thread block, a step after the one that it waits for, and a receive
//! after the send paired with it. Sends and receives between two GPUs on a channel are paired in
//! order. A program whose waits form a circle never ends.

use super::program::{Algorithm, Block, Gpu, Kind, Step, StepAt};
use crate::import::Wrong;
use std::collections::{BTreeMap, VecDeque};

/// The steps of a program in an order in which they can happen.
pub(super) struct Order {
    /// By step.
    pub places: Vec<StepAt>,
    /// By step, the steps that it follows directly.
    pub before: Vec<Vec<usize>>,
    /// By step that receives, the step that sends.
    pub senders: Vec<Option<usize>>,
    /// All steps, each after those before it.
    pub sorted: Vec<usize>,
}

/// By sender, receiver and channel, the numbers of the steps that send, and of those that receive.
type Connections = BTreeMap<(usize, usize, usize), [Vec<usize>; 2]>;

impl Order {
    /// The order of a program.
    pub fn of(algorithm: &Algorithm) -> Result<Self, Wrong> {
        let places: Vec<StepAt> = algorithm.places().collect();
        let connections = connections(algorithm, &places)?;
        let mut order = Order {
            before: vec![Vec::new(); places.len()],
            senders: vec![None; places.len()],
            sorted: Vec::with_capacity(places.len()),
            places,
        };
        order.chain(algorithm)?;
        for (connection, [sends, receives]) in &connections {
            order.pair(algorithm, *connection, sends, receives)?;
        }
        order.sort(algorithm)?;
        Ok(order)
    }

    /// Each step follows the one before it in its thread block, and the one that it waits for.
    fn chain(&mut self, algorithm: &Algorithm) -> Result<(), Wrong> {
        let mut first = Vec::with_capacity(algorithm.gpus.len());
        let mut count = 0;
        for gpu in &algorithm.gpus {
            let starts = gpu.blocks.iter().map(|block| {
                count += block.steps.len();
                count - block.steps.len()
            });
            first.push(starts.collect::<Vec<usize>>());
        }
        for (number, &place) in self.places.iter().enumerate() {
            if place.step > 0 {
                self.before[number].push(number - 1);
            }
            let step = algorithm.step(place);
            let Some((block, other)) = step.waits_for else { continue };
            let wrong = |why: String| Err((step.line, format!("{place} {why}")));
            let Some(of_block) = algorithm.gpus[place.gpu].blocks.get(block) else {
                let count = first[place.gpu].len();
                return wrong(format!("waits for tb {block} (depid); the gpu has {count}"));
            };
            match of_block.steps.get(other) {
                None => {
                    let count = of_block.steps.len();
                    return wrong(format!(
                        "waits for step {other} (deps) of tb {block}, which has {count} steps"
                    ));
                }
                Some(awaited) if !awaited.is_awaited => {
                    return wrong(format!(
                        "waits for step {other} of tb {block}, which tells nobody that it is done; \
                         hasdep of line {} must be 1",
                        awaited.line
                    ));
                }
                Some(_) => self.before[number].push(first[place.gpu][block] + other),
            }
        }
        Ok(())
    }

    /// Pairs the sends and the receives of a connection.
    fn pair(
        &mut self,
        algorithm: &Algorithm,
        (from, to, channel): (usize, usize, usize),
        sends: &[usize],
        receives: &[usize],
    ) -> Result<(), Wrong> {
        for (&send, &receive) in sends.iter().zip(receives) {
            let [sent, got] = [send, receive].map(|number| algorithm.step(self.places[number]));
            if sent.count != got.count {
                let why = format!(
                    "{} receives {} chunks, but {} (line {}) sends {}; cnt must be the same in both",
                    self.places[receive], got.count, self.places[send], sent.line, sent.count
                );
                return Err((got.line, why));
            }
            self.before[receive].push(send);
            self.senders[receive] = Some(send);
        }
        let both = format!(
            "gpu {from} sends {} times to gpu {to} on channel {channel}, and gpu {to} receives {} \
             times from it; they must be as many",
            sends.len(),
            receives.len()
        );
        let surplus = match (sends.get(receives.len()), receives.get(sends.len())) {
            (Some(&send), _) => (send, "has no receive"),
            (_, Some(&receive)) => (receive, "waits for ever for a send"),
            (None, None) => return Ok(()),
        };
        let place = self.places[surplus.0];
        Err((algorithm.step(place).line, format!("{place} {}: {both}", surplus.1)))
    }

    /// Sorts the steps, level by level.
    fn sort(&mut self, algorithm: &Algorithm) -> Result<(), Wrong> {
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.places.len()];
        let mut missing: Vec<usize> = self.before.iter().map(Vec::len).collect();
        for (number, before) in self.before.iter().enumerate() {
            before.iter().for_each(|&other| after[other].push(number));
        }
        let ready = |&number: &usize| self.before[number].is_empty();
        let mut queue: VecDeque<usize> = (0..self.places.len()).filter(ready).collect();
        while let Some(number) = queue.pop_front() {
            self.sorted.push(number);
            for &next in &after[number] {
                missing[next] -= 1;
                if missing[next] == 0 {
                    queue.push_back(next);
                }
            }
        }
        match missing.iter().position(|&missing| missing > 0) {
            None => Ok(()),
            Some(blocked) => Err(self.circle(algorithm, blocked, &missing)),
        }
    }

    /// The circle of waits that blocks a step.
    fn circle(&self, algorithm: &Algorithm, blocked: usize, missing: &[usize]) -> Wrong {
        let mut seen = Vec::new();
        let mut at = blocked;
        while !seen.contains(&at) {
            seen.push(at);
            let waits = self.before[at].iter().copied().find(|&other| missing[other] > 0);
            at = waits.expect("what is blocked waits for something that is");
        }
        let circle = &seen[seen.iter().position(|&number| number == at).expect("it was seen")..];
        let named = |&number: &usize| {
            let place = self.places[number];
            format!("{place} (line {})", algorithm.step(place).line)
        };
        let others: Vec<String> = circle[1..].iter().take(4).map(named).collect();
        let rest = if circle.len() > 5 { ", which waits for others" } else { "" };
        let place = self.places[circle[0]];
        let why = match &others[..] {
            [] => format!("{place} waits for itself; depid and deps must name another step"),
            _ => format!(
                "{place} waits for ever: it waits for {}{rest}, which waits for it; one of these \
                 waits, or the order of the steps, must be another",
                others.join(", which waits for ")
            ),
        };
        (algorithm.step(place).line, why)
    }
}

/// The steps that send and receive on each connection. A thread block has it alone.
fn connections(algorithm: &Algorithm, places: &[StepAt]) -> Result<Connections, Wrong> {
    let mut found = Connections::new();
    let mut taken = BTreeMap::new();
    for (gpu, of_gpu) in algorithm.gpus.iter().enumerate() {
        for (number, block) in of_gpu.blocks.iter().enumerate() {
            let wrong = |why: String| Err((block.line, format!("gpu {gpu}, tb {number} {why}")));
            for (peer, name) in [(block.send, "send"), (block.receive, "recv")] {
                let Some(peer) = peer else { continue };
                let gpus = algorithm.gpus.len();
                if peer >= gpus || peer == gpu {
                    return wrong(format!(
                        "has {peer} as {name}; it must be another GPU from 0 to {}, or -1",
                        gpus - 1
                    ));
                }
                if let Some(other) = taken.insert((gpu, peer, name, block.channel), number) {
                    let channel = block.channel;
                    return wrong(format!(
                        "has gpu {peer} as {name} on channel {channel}, as tb {other} has; one of \
                         them must have another channel"
                    ));
                }
            }
            if algorithm.channels.is_some_and(|channels| block.channel >= channels) {
                let channels = algorithm.channels.unwrap_or(0);
                return wrong(format!(
                    "is on channel {}; nchannels is {channels}, so channels are numbered below it",
                    block.channel
                ));
            }
        }
    }
    for (number, &place) in places.iter().enumerate() {
        let (step, block) = (algorithm.step(place), algorithm.block(place));
        let Block { send, receive, channel, .. } = *block;
        let mut add = |peer: Option<usize>, name: &str, sends: bool| {
            let Some(peer) = peer else {
                let why = format!("{place} has no peer: {name} of its thread block is -1");
                return Err((step.line, why));
            };
            let ends = if sends { (place.gpu, peer, channel) } else { (peer, place.gpu, channel) };
            found.entry(ends).or_default()[usize::from(!sends)].push(number);
            Ok(())
        };
        if step.kind.receives() {
            add(receive, "recv", false)?;
        }
        if step.kind.sends() {
            add(send, "send", true)?;
        }
    }
    Ok(found)
}

// What RCCL's reader refuses though the program is sound: one warning a kind.

/// Thread blocks of a GPU, thread blocks of a channel, steps of a thread block, chunks of a step,
/// XML nodes that are kept, children of a node.
const MOST_BLOCKS: usize = 64;
const MOST_OF_CHANNEL: usize = 32;
const MOST_STEPS: usize = 64;
const MOST_COUNT: usize = 71;
const MOST_NODES: usize = 4096;
const MOST_GPUS: usize = 1024;

/// Its line, and what is refused.
type Warning = (usize, String);

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
        let what = "a nop waits, and the step after it does not: it must carry the last wait";
        Some((after_open_wait(gpu)?.line, demands(what.to_string())))
    });
    found
}

/// The step after a nop that waits, where this step waits for nothing: a chain of waits ends in the step that does
/// something.
fn after_open_wait(gpu: &Gpu) -> Option<&Step> {
    let mut pairs = gpu.blocks.iter().flat_map(|block| block.steps.windows(2));
    let is_open = |pair: &&[Step]| {
        let [nop, next] = [&pair[0], &pair[1]];
        let waits = nop.kind == Kind::Nothing && nop.waits_for.is_some();
        waits && next.kind != Kind::Nothing && next.waits_for.is_none()
    };
    pairs.find(is_open).map(|pair| &pair[1])
}

// Channels hold few blocks that are sent and not yet received. A program whose sends need more room
// runs in theory, and on the machine waits for ever.

/// Blocks that a channel holds, by protocol: a block takes half of the steps of a buffer of RCCL with
/// Simple, else one of eight.
const ROOM: [(&str, usize); 3] = [("Simple", 2), ("LL", 8), ("LL128", 8)];

/// The circle of waits that limited room makes.
pub(super) fn overfull(algorithm: &Algorithm, order: &Order) -> Option<Warning> {
    let protocol = algorithm.protocol.as_deref()?;
    let (_, room) = ROOM.into_iter().find(|(name, _)| *name == protocol)?;
    // By GPU and thread block that sends, its sends and their receives.
    let mut channels: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (receive, send) in order.senders.iter().enumerate() {
        let Some(send) = *send else { continue };
        let place = order.places[send];
        channels.entry((place.gpu, place.block)).or_default().push((send, receive));
    }
    let mut before = order.before.clone();
    for pairs in channels.values() {
        let later = pairs.iter().skip(room);
        later.zip(pairs).for_each(|((send, _), (_, receive))| before[*send].push(*receive));
    }
    let places = order.places.clone();
    let mut limited = Order { places, before, senders: Vec::new(), sorted: Vec::new() };
    let (line, why) = limited.sort(algorithm).err()?;
    let why = format!(
        "a channel holds {room} blocks (proto {protocol}) that are sent and not yet received, and so {why}"
    );
    Some((line, why))
}
