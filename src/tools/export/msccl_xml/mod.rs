//! MSCCL XML, which RCCL and Azure's msccl-executor run: a thread block for each peer and direction,
//! with its sends or receives in the order of the schedule. A send waits for the receive that
//! brought its message, or for the last that added to the sum; nothing else orders the thread blocks,
//! so that the steps are those of the schedule only in their order.
//!
//! The step and the channels of a transfer stand in a comment before its send: readers of the format
//! skip it, and `import` takes the schedule from it.

mod blocks;

use super::ranks::Ranks;
use super::{Output, Settings, Subject, gpus};
use blocks::{ADD, ADD_HERE, Block, Blocks, COPY, Chunk, NOTHING, RECEIVE, SEND, Step};
use ccsched_base::{Error, Result};
use ccsched_model::problem::Collective;
use ccsched_model::schedule::vectors::{Act, Acts};
use ccsched_network::ChannelId;
use std::fmt::Write;

/// Limits of RCCL's reader: thread blocks of a GPU, steps of a thread block, nodes that it keeps of a
/// file, children of a node.
const MOST_BLOCKS: usize = 64;
const MOST_STEPS: usize = 64;
const MOST_NODES: usize = 4096;
const MOST_GPUS: usize = 1024;

/// The longest call of a program that is for all lengths.
const MOST_BYTES: u64 = 1 << 40;

/// Writes a schedule.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let wrong = |why: String| Err(Error::problem(format!("msccl-xml: {why}")));
    let problem = &subject.problem;
    let gpus::Called { name, ranks } =
        gpus::called("msccl-xml", &[Collective::Reduce], subject, settings)?;
    if ranks.len() > MOST_GPUS {
        let gpus = ranks.len();
        return wrong(format!(
            "{gpus} GPUs; RCCL's reader has at most {MOST_GPUS} children a node"
        ));
    }
    let blocks = Blocks::of(subject, &ranks, settings.in_place);
    for (gpu, of_gpu) in blocks.by_gpu.iter().enumerate() {
        if let Some(why) = excess(of_gpu, ranks.len()) {
            return wrong(format!("gpu {gpu} ('{}') has {why}", subject.name(ranks.vertices[gpu])));
        }
    }
    let is_reduce = problem.collective() == Collective::Reduce;
    let root = problem.root().filter(|_| is_reduce).map(|root| ranks.of_vertex(root));
    Ok(Output::File(text(subject, (name, root), &blocks, settings)))
}

/// The limit that a GPU exceeds.
fn excess(blocks: &[Block], gpus: usize) -> Option<String> {
    if blocks.len() > MOST_BLOCKS {
        let most = format!("RCCL's reader takes at most {MOST_BLOCKS}");
        return Some(format!("{} thread blocks, two for each peer; {most}", blocks.len()));
    }
    if let Some(block) = blocks.iter().find(|block| block.steps.len() > MOST_STEPS) {
        let what = match block.send.or(block.receive) {
            Some(peer) => format!("transfers with gpu {peer}"),
            None => "copies and sums".into(),
        };
        return Some(format!(
            "{} {what} in a thread block; RCCL's reader takes at most {MOST_STEPS} steps",
            block.steps.len()
        ));
    }
    let steps: usize = blocks.iter().map(|block| block.steps.len() + 1).sum();
    let nodes = 1 + gpus + steps;
    (nodes > MOST_NODES)
        .then(|| format!("{nodes} XML nodes to read; RCCL's reader keeps at most {MOST_NODES}"))
}

fn text(
    subject: &Subject,
    (collective, root): (&str, Option<usize>),
    blocks: &Blocks,
    settings: &Settings,
) -> String {
    let gpus = blocks.by_gpu.len();
    let problem = &subject.problem;
    let is_one = problem.collective().joins() || problem.collective() == Collective::Reduce;
    let pieces = problem.pieces() as usize;
    let chunks = if is_one { pieces } else { gpus * pieces };
    let mut out = String::new();
    let name = gpus::quoted(&subject.title());
    let (inside, outside) = (u8::from(settings.in_place), u8::from(!settings.in_place));
    let [least, most] = gpus::bytes_of_call(gpus, is_one, settings.lengths, MOST_BYTES);
    // RCCL's reader demands minBytes, maxBytes and outofplace.
    line(
        &mut out,
        format_args!(
            "<algo name=\"{name}\" proto=\"Simple\" nchannels=\"{}\" nchunksperloop=\"{chunks}\" \
         ngpus=\"{gpus}\" coll=\"{collective}\" inplace=\"{inside}\" outofplace=\"{outside}\" \
         minBytes=\"{least}\" maxBytes=\"{most}\">",
            blocks.channels
        ),
    );
    if let Some(root) = root {
        line(
            &mut out,
            format_args!(
                " <!-- the root is gpu {root}; the format names none: readers take this program for any -->"
            ),
        );
    }
    for (gpu, of_gpu) in blocks.by_gpu.iter().enumerate() {
        let inputs = if collective == "allgather" { pieces } else { chunks };
        let outputs = if collective == "reducescatter" { pieces } else { chunks };
        let slots = blocks.slots[gpu];
        line(
            &mut out,
            format_args!(
                " <gpu id=\"{gpu}\" i_chunks=\"{inputs}\" o_chunks=\"{outputs}\" s_chunks=\"{slots}\">"
            ),
        );
        of_gpu.iter().enumerate().for_each(|(id, block)| add_block(&mut out, id, block));
        line(&mut out, format_args!(" </gpu>"));
    }
    out + "</algo>\n"
}

/// Adds a line.
fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
}

/// Adds a thread block.
fn add_block(out: &mut String, id: usize, block: &Block) {
    let peer = |peer: Option<usize>| peer.map_or("-1".into(), |peer| peer.to_string());
    let (send, receive) = (peer(block.send), peer(block.receive));
    line(
        out,
        format_args!(
            "  <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{}\">",
            block.channel
        ),
    );
    for (number, step) in block.steps.iter().enumerate() {
        if let Some((time, channels)) = &step.planned {
            let channels: Vec<String> = channels.iter().map(u32::to_string).collect();
            line(
                out,
                format_args!("   <!-- step {} channels {} -->", time + 1, channels.join(" ")),
            );
        }
        line(out, format_args!("   {}", element(number, step)));
    }
    line(out, format_args!("  </tb>"));
}

/// The element of a step.
fn element(number: usize, step: &Step) -> String {
    let Step { kind, from, to, waits_for, is_awaited, .. } = step;
    let [depid, deps] = waits_for
        .map_or(["-1".into(), "-1".into()], |[block, step]| [block.to_string(), step.to_string()]);
    format!(
        "<step s=\"{number}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" \
         cnt=\"1\" depid=\"{depid}\" deps=\"{deps}\" hasdep=\"{}\"/>",
        from.0,
        from.1,
        to.0,
        to.1,
        u8::from(*is_awaited)
    )
}

// An all-reduce of one part: each piece of the input and the output of a GPU is a chunk, other vectors have
// chunks of scratch memory. A vector that is received for one sum alone is added as it comes (`rrc`);
// other sums are made by a thread block without a peer (`cpy`, `re`).

/// A step of a GPU by its thread block and number.
type LocalStep = [usize; 2];

/// The vectors of a piece at a GPU while its steps are written.
struct Gpu<'b> {
    gpu: usize,
    piece: usize,
    acts: &'b Acts,
    in_place: bool,
    /// By vector, its chunk and the step that wrote it.
    held: Vec<Option<(Chunk, Option<LocalStep>)>>,
    /// By received vector, the sum that takes it as it comes, and the other operand.
    fused: Vec<Option<[usize; 2]>>,
    /// The steps that read the input.
    readers: Vec<LocalStep>,
}

impl<'f> Blocks<'f> {
    /// The steps of all GPUs.
    fn add_vectors(&mut self, subject: &'f Subject, ranks: &Ranks, in_place: bool) {
        let pieces = subject.problem.pieces();
        let of_step = |step| subject.sent(step).map(move |t| (step, t));
        let sent: Vec<_> = (0..subject.steps()).flat_map(of_step).collect();
        let of_piece = |piece| {
            let sent = sent.iter().filter(move |(_, t)| t.message.piece == piece);
            sent.map(|(step, t)| (*step, t.channels)).collect()
        };
        let planned: Vec<Vec<(usize, &'f [ChannelId])>> = (0..pieces).map(of_piece).collect();
        let acts: Vec<Vec<Acts>> = (0..pieces).map(|piece| ranks.vectors(subject, piece)).collect();
        for gpu in 0..ranks.len() {
            let mut of: Vec<Gpu<'_>> = Vec::new();
            let mut in_order: Vec<(usize, usize, Act)> = Vec::new();
            for (piece, acts) in acts.iter().enumerate() {
                of.push(Gpu::new([gpu, piece], &acts[gpu], in_place));
                in_order.extend(acts[gpu].acts.iter().map(|&(step, act)| (step, piece, act)));
            }
            in_order.sort_by_key(|&(step, ..)| step);
            of.iter_mut().for_each(|of| of.move_own(self));
            for (_, piece, act) in in_order {
                let of = &mut of[piece];
                match act {
                    Act::Send { to, vector, transfer } => {
                        of.send(self, to, vector, planned[piece][transfer]);
                    }
                    Act::Receive { from, into, .. } => {
                        of.receive(self, from, into);
                        of.add_ready(self, into);
                    }
                    // It is made when the last vector of it has come.
                    Act::Add { .. } => (),
                }
            }
        }
    }
}

impl<'b> Gpu<'b> {
    fn new([gpu, piece]: [usize; 2], acts: &'b Acts, in_place: bool) -> Self {
        let vectors = acts.newest.len();
        let mut uses = vec![0; vectors];
        uses[acts.result] += 1;
        let mut is_received = vec![false; vectors];
        for (_, act) in &acts.acts {
            match *act {
                Act::Add { of, .. } => of.iter().for_each(|&v| uses[v] += 1),
                Act::Send { vector, .. } => uses[vector] += 1,
                Act::Receive { into, .. } => is_received[into] = true,
            }
        }
        // The operand that comes last, if nothing else reads it.
        let mut fused = vec![None; vectors];
        for (_, act) in &acts.acts {
            if let Act::Add { of: [a, b], into } = *act
                && is_received[b]
                && uses[b] == 1
                && acts.newest[a] < b
            {
                fused[b] = Some([into, a]);
            }
        }
        let mut held = vec![None; vectors];
        held[0] = Some((('i', piece), None));
        Gpu { gpu, piece, acts, in_place, held, fused, readers: Vec::new() }
    }

    /// In place, where the own contribution is sent after the result has taken its place, it is copied
    /// at first.
    fn move_own(&mut self, blocks: &mut Blocks<'_>) {
        let newest = self.acts.newest[self.acts.result];
        let acts = self.acts.acts.iter().map(|(_, act)| act);
        let later =
            acts.skip_while(|act| !matches!(act, Act::Receive { into, .. } if *into == newest));
        let is_sent = later.into_iter().any(|act| matches!(act, Act::Send { vector: 0, .. }));
        if self.in_place && is_sent {
            blocks.slots[self.gpu] += 1;
            let chunk = ('s', blocks.slots[self.gpu] - 1);
            let copy = Step::of(COPY, ('i', self.piece), chunk);
            let place = blocks.add_to((self.gpu, self.gpu, false), copy);
            self.readers.push(place);
            self.held[0] = Some((chunk, Some(place)));
        }
    }

    /// The chunk that a vector is written to.
    fn target(&mut self, blocks: &mut Blocks<'_>, vector: usize) -> Chunk {
        if vector == self.acts.result {
            return ('o', self.piece);
        }
        blocks.slots[self.gpu] += 1;
        ('s', blocks.slots[self.gpu] - 1)
    }

    /// The chunk of a vector that a step reads, and the step that wrote it.
    fn read(&mut self, blocks: &mut Blocks<'_>, vector: usize) -> (Chunk, Option<LocalStep>) {
        let (chunk, writer) = self.held[vector].expect("a vector is read after it is made");
        blocks.expect(self.gpu, writer);
        (chunk, writer)
    }

    /// In place, the result takes the place of the input: its step waits for those that read the input.
    fn wait_for_readers(&mut self, blocks: &mut Blocks<'_>, peer: usize, target: Chunk) {
        if !self.in_place || target != ('o', self.piece) {
            return;
        }
        for reader in std::mem::take(&mut self.readers) {
            blocks.expect(self.gpu, Some(reader));
            let step = Step {
                waits_for: Some(reader),
                ..Step::of(NOTHING, ('i', self.piece), ('o', self.piece))
            };
            blocks.add_to((self.gpu, peer, false), step);
        }
    }

    fn send<'f>(
        &mut self,
        blocks: &mut Blocks<'f>,
        to: usize,
        vector: usize,
        planned: (usize, &'f [ChannelId]),
    ) {
        let (chunk, waits_for) = self.read(blocks, vector);
        let step = Step { waits_for, planned: Some(planned), ..Step::of(SEND, chunk, chunk) };
        let place = blocks.add_to((self.gpu, to, true), step);
        self.note(vector, place);
    }

    /// Notes a step that reads a vector, if that is the input.
    fn note(&mut self, vector: usize, reader: LocalStep) {
        if self.held[vector].is_some_and(|(chunk, _)| chunk.0 == 'i') {
            self.readers.push(reader);
        }
    }

    fn receive(&mut self, blocks: &mut Blocks<'_>, from: usize, vector: usize) {
        let Some([sum, other]) = self.fused[vector] else {
            let target = self.target(blocks, vector);
            self.wait_for_readers(blocks, from, target);
            let step = Step::of(RECEIVE, target, target);
            let place = blocks.add_to((self.gpu, from, false), step);
            self.held[vector] = Some((target, Some(place)));
            return;
        };
        let (chunk, waits_for) = self.read(blocks, other);
        let target = self.target(blocks, sum);
        self.wait_for_readers(blocks, from, target);
        let step = Step { waits_for, ..Step::of(ADD, chunk, target) };
        let place = blocks.add_to((self.gpu, from, false), step);
        self.note(other, place);
        self.held[sum] = Some((target, Some(place)));
    }

    /// Makes the sums whose last vector is this one, but those that are made as it comes.
    fn add_ready(&mut self, blocks: &mut Blocks<'_>, newest: usize) {
        let acts = self.acts;
        for (_, act) in &acts.acts {
            let Act::Add { of: [a, b], into } = *act else { continue };
            if acts.newest[into] != newest || self.held[into].is_some() {
                continue;
            }
            let (gpu, target) = (self.gpu, self.target(blocks, into));
            for (kind, vector) in [(COPY, a), (ADD_HERE, b)] {
                let (chunk, waits_for) = self.read(blocks, vector);
                if kind == COPY {
                    self.wait_for_readers(blocks, gpu, target);
                }
                let step = Step { waits_for, ..Step::of(kind, chunk, target) };
                let place = blocks.add_to((gpu, gpu, false), step);
                self.note(vector, place);
                self.held[into] = Some((target, Some(place)));
            }
        }
    }
}
