//! GPUs that run a program of MSCCL XML in any order that they may: at every moment one of the thread
//! blocks that can go on, chosen at random, takes its next step. A program is broken if one of
//! these runs ends badly. It shares no code with the reader.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use std::collections::{HashMap, VecDeque};

/// What a chunk holds: a source, or the part of a sum, a destination or -1, a number, and of a sum the
/// GPUs that have added to it, as bits.
type Held = [i64; 4];
/// What chunks hold; none for what was not written.
type Sent = Vec<Option<Held>>;
/// What comes of chunks that cannot be added up.
const GARBAGE: Held = [-9; 4];

/// The sum of what two chunks hold.
fn sum(a: Option<Held>, b: Option<Held>) -> Option<Held> {
    let ([part, to, number, of], [other, .., others]) = (a?, b?);
    let fits = of > 0 && part == other && a?[..3] == b?[..3] && of & others == 0;
    Some(if fits { [part, to, number, of | others] } else { GARBAGE })
}

/// A step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub kind: String,
    pub from: (char, i64),
    pub to: (char, i64),
    pub count: i64,
    pub wait: (i64, i64),
    pub tells: bool,
}

/// A thread block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub send: i64,
    pub receive: i64,
    pub channel: i64,
    pub steps: Vec<Step>,
}

/// A GPU: chunks of input, output and scratch, and thread blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    pub sizes: [i64; 3],
    pub blocks: Vec<Block>,
}

/// A program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub collective: String,
    pub in_place: bool,
    pub gpus: Vec<Gpu>,
}

impl Program {
    /// The program of a text in the form of `text`, or of an export.
    pub fn of(text: &str) -> Self {
        let mut program = Program { collective: String::new(), in_place: false, gpus: vec![] };
        for line in text.lines().map(str::trim) {
            let words = line.trim_start_matches('<').trim_end_matches(['/', '>']);
            let value = |key: &str| -> &str {
                let (_, after) = words.split_once(&format!(" {key}=\"")).unwrap();
                after.split_once('"').unwrap().0
            };
            let number = |key: &str| -> i64 { value(key).parse().unwrap() };
            let chunk = |buffer: &str, offset: &str| {
                (value(buffer).chars().next().unwrap(), number(offset))
            };
            match words.split(' ').next().unwrap() {
                "algo" => {
                    program.collective = value("coll").to_string();
                    program.in_place = number("inplace") == 1;
                }
                "gpu" => program.gpus.push(Gpu {
                    sizes: ["i_chunks", "o_chunks", "s_chunks"].map(number),
                    blocks: vec![],
                }),
                "tb" => program.gpus.last_mut().unwrap().blocks.push(Block {
                    send: number("send"),
                    receive: number("recv"),
                    channel: number("chan"),
                    steps: vec![],
                }),
                "step" => {
                    let step = Step {
                        kind: value("type").to_string(),
                        from: chunk("srcbuf", "srcoff"),
                        to: chunk("dstbuf", "dstoff"),
                        count: number("cnt"),
                        wait: (number("depid"), number("deps")),
                        tells: number("hasdep") == 1,
                    };
                    let gpu = program.gpus.last_mut().unwrap();
                    gpu.blocks.last_mut().unwrap().steps.push(step);
                }
                _ => (),
            }
        }
        program
    }

    /// The text of the program.
    pub fn text(&self) -> String {
        let n = self.gpus.len();
        let (inside, outside) = (u8::from(self.in_place), u8::from(!self.in_place));
        let mut out = format!(
            "<algo name=\"t\" proto=\"Simple\" nchannels=\"2\" nchunksperloop=\"{}\" ngpus=\"{n}\" \
             coll=\"{}\" inplace=\"{inside}\" outofplace=\"{outside}\" minBytes=\"0\" \
             maxBytes=\"9\">\n",
            self.parts() * if self.has_one_sum() { 1 } else { n as i64 },
            self.collective
        );
        for (g, gpu) in self.gpus.iter().enumerate() {
            let [i, o, s] = gpu.sizes;
            out +=
                &format!("<gpu id=\"{g}\" i_chunks=\"{i}\" o_chunks=\"{o}\" s_chunks=\"{s}\">\n");
            for (b, block) in gpu.blocks.iter().enumerate() {
                let Block { send, receive, channel, steps } = block;
                out += &format!(
                    "<tb id=\"{b}\" send=\"{send}\" recv=\"{receive}\" chan=\"{channel}\">\n"
                );
                for (s, step) in steps.iter().enumerate() {
                    let Step { kind, from, to, count, wait, tells } = step;
                    out += &format!(
                        "<step s=\"{s}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" \
                         dstoff=\"{}\" cnt=\"{count}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
                        from.0,
                        from.1,
                        to.0,
                        to.1,
                        wait.0,
                        wait.1,
                        u8::from(*tells)
                    );
                }
                out += "</tb>\n";
            }
            out += "</gpu>\n";
        }
        out + "</algo>\n"
    }

    /// Whether one of these runs ends badly.
    pub fn is_broken(&self, runs: usize, rng: &mut Generator) -> bool {
        (0..runs).any(|_| self.run(rng).is_none())
    }

    /// One run; none if it ends badly.
    fn run(&self, rng: &mut Generator) -> Option<()> {
        let n = self.gpus.len() as i64;
        let gathers = self.collective == "allgather";
        let parts = self.parts();
        let has_sums = self.collective.contains("reduce");
        let mut memory: Vec<HashMap<(char, i64), Held>> = Vec::new();
        for g in 0..n {
            let messages = if gathers || self.has_one_sum() { 1 } else { n };
            let beginning = |offset: i64| match (has_sums, gathers) {
                (true, _) => [offset / parts, -1, offset % parts, 1 << g],
                (_, true) => [g, -1, offset, 0],
                _ => [g, offset / parts, offset % parts, 0],
            };
            let chunks = 0..messages * parts;
            memory.push(chunks.map(|o| (self.alias(g, ('i', o)), beginning(o))).collect());
        }
        let mut done: Vec<Vec<usize>> = self.gpus.iter().map(|g| vec![0; g.blocks.len()]).collect();
        let mut fifos: HashMap<(i64, i64, i64), VecDeque<Sent>> = HashMap::new();
        loop {
            let mut ready = Vec::new();
            for (g, gpu) in self.gpus.iter().enumerate() {
                for (b, block) in gpu.blocks.iter().enumerate() {
                    let Some(step) = block.steps.get(done[g][b]) else { continue };
                    let (other, number) = step.wait;
                    let is_told = other < 0 || {
                        let awaited = gpu.blocks.get(other as usize)?.steps.get(number as usize)?;
                        awaited.tells && done[g][other as usize] as i64 > number
                    };
                    let source = (block.receive, g as i64, block.channel);
                    let has_come = !matches!(&step.kind[..], "r" | "rcs" | "rrc" | "rrs" | "rrcs")
                        || fifos.get(&source).is_some_and(|fifo| !fifo.is_empty());
                    if is_told && has_come {
                        ready.push((g, b));
                    }
                }
            }
            if ready.is_empty() {
                break;
            }
            let (g, b) = ready[rng.random_range(0..ready.len())];
            let block = &self.gpus[g].blocks[b];
            let step = &block.steps[done[g][b]];
            done[g][b] += 1;
            let chunks = |(buffer, first): (char, i64)| -> Option<Vec<(char, i64)>> {
                let size = self.gpus[g].sizes["ios".find(buffer)?];
                let is_inside = first >= 0 && first + step.count <= size;
                let named = (first..first + step.count).map(|o| self.alias(g as i64, (buffer, o)));
                is_inside.then(|| named.collect())
            };
            let mut data: Sent = match &step.kind[..] {
                "nop" => continue,
                "s" | "cpy" => {
                    chunks(step.from)?.iter().map(|chunk| memory[g].get(chunk).copied()).collect()
                }
                "re" => {
                    chunks(step.to)?.iter().map(|chunk| memory[g].get(chunk).copied()).collect()
                }
                _ => fifos.get_mut(&(block.receive, g as i64, block.channel))?.pop_front()?,
            };
            if data.len() as i64 != step.count {
                return None;
            }
            if step.kind.starts_with("rr") || step.kind == "re" {
                let own =
                    chunks(step.from)?.into_iter().map(|chunk| memory[g].get(&chunk).copied());
                data = own.zip(data).map(|(a, b)| sum(a, b)).collect();
            }
            if !matches!(&step.kind[..], "s" | "rrs") {
                for (chunk, held) in chunks(step.to)?.into_iter().zip(&data) {
                    match held {
                        Some(held) => memory[g].insert(chunk, *held),
                        None => memory[g].remove(&chunk),
                    };
                }
            }
            if matches!(&step.kind[..], "s" | "rcs" | "rrs" | "rrcs") {
                if !(0..n).contains(&block.send) || block.send == g as i64 {
                    return None;
                }
                fifos.entry((g as i64, block.send, block.channel)).or_default().push_back(data);
            }
        }
        let all_done = self
            .gpus
            .iter()
            .zip(&done)
            .all(|(gpu, done)| gpu.blocks.iter().zip(done).all(|(b, d)| b.steps.len() == *d));
        let scatters = self.collective == "reducescatter";
        let right = |g: i64, offset: i64| {
            let (message, number) = (offset / parts, offset % parts);
            let held = match (has_sums, gathers) {
                (true, _) => [if scatters { g } else { message }, -1, number, (1 << n) - 1],
                (_, true) => [message, -1, number, 0],
                _ => [message, g, number, 0],
            };
            memory[g as usize].get(&self.alias(g, ('o', offset))) == Some(&held)
        };
        let messages = if scatters || self.has_one_sum() { 1 } else { n };
        // The root of a reduce is the first GPU.
        let receivers = if self.collective == "reduce" { 1 } else { n };
        let is_right = (0..receivers).all(|g| (0..messages * parts).all(|offset| right(g, offset)));
        (all_done && is_right && fifos.values().all(VecDeque::is_empty)).then_some(())
    }

    /// Chunks of a message.
    fn parts(&self) -> i64 {
        let is_one = self.collective == "reducescatter" || self.has_one_sum();
        let messages = if is_one { 1 } else { self.gpus.len() };
        self.gpus[0].sizes[1] / messages as i64
    }

    /// Whether there is one sum: a reduce, or an all-reduce of one part.
    fn has_one_sum(&self) -> bool {
        let outputs = self.gpus[0].sizes[1];
        self.collective == "reduce"
            || self.collective == "allreduce" && outputs % self.gpus.len() as i64 != 0
    }

    /// In place, the input is a part of the output; of a reduce-scatter the output is one of the input.
    fn alias(&self, gpu: i64, chunk: (char, i64)) -> (char, i64) {
        let parts = self.parts();
        match chunk {
            ('o', offset) if self.in_place && self.collective == "reducescatter" => {
                ('i', gpu * parts + offset)
            }
            _ if self.collective == "reducescatter" => chunk,
            ('i', offset) if self.in_place && self.collective == "allgather" => {
                ('o', gpu * parts + offset)
            }
            ('i', offset) if self.in_place => ('o', offset),
            other => other,
        }
    }
}
