//! A program: GPUs, their thread blocks, and the steps of these.

use crate::import::Wrong;
use ccsched_network::ChannelId;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// A buffer (input, output, scratch) and an offset in it.
pub(super) type Chunk = (char, usize);

/// A whole file.
#[derive(Default)]
pub(super) struct Algorithm {
    pub line: usize,
    pub collective: String,
    /// The protocol, if the file says so.
    pub protocol: Option<String>,
    /// Whether it may be called with the input in its place in the output.
    pub in_place: bool,
    /// Whether it may be called with another input.
    pub out_of_place: bool,
    /// The chunks of all messages that a GPU ends with, if the file says so.
    pub chunks: Option<usize>,
    /// The number of channels, if the file says so.
    pub channels: Option<usize>,
    /// The number of GPUs, if the file says so.
    pub named_gpus: Option<usize>,
    /// The attributes of <algo> that RCCL demands and the file lacks.
    pub missing: Vec<&'static str>,
    pub gpus: Vec<Gpu>,
}

/// A GPU.
pub(super) struct Gpu {
    pub line: usize,
    pub inputs: usize,
    pub outputs: usize,
    pub scratch: usize,
    pub blocks: Vec<Block>,
}

/// A thread block.
pub(super) struct Block {
    pub line: usize,
    pub send: Option<usize>,
    pub receive: Option<usize>,
    pub channel: usize,
    pub steps: Vec<Step>,
}

/// A step.
pub(super) struct Step {
    pub line: usize,
    pub kind: Kind,
    from: Chunk,
    to: Chunk,
    pub count: usize,
    /// The thread block and step that must be done before.
    pub waits_for: Option<(usize, usize)>,
    /// Whether it tells others that it is done.
    pub is_awaited: bool,
    /// The step of the schedule, from 0, and the channels, from a comment before it.
    pub planned: Option<(usize, Vec<ChannelId>)>,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Send,
    Receive,
    Copy,
    /// Receives, copies, and sends on.
    Forward,
    /// Adds a chunk to another.
    Add,
    /// Adds what it receives to a chunk, and writes the sum.
    AddReceived,
    /// The same, but sends the sum in place of writing it.
    AddAndSend,
    /// Both writes and sends the sum.
    AddAndForward,
    Nothing,
}

impl Kind {
    /// Whether it sends to the peer.
    pub fn sends(self) -> bool {
        matches!(self, Kind::Send | Kind::Forward | Kind::AddAndSend | Kind::AddAndForward)
    }

    /// Whether it receives from the peer.
    pub fn receives(self) -> bool {
        matches!(self, Kind::Receive | Kind::Forward) || self.adds_received()
    }

    /// Whether it adds what it receives to what it reads.
    fn adds_received(self) -> bool {
        matches!(self, Kind::AddReceived | Kind::AddAndSend | Kind::AddAndForward)
    }

    /// Whether it computes.
    pub fn adds(self) -> bool {
        self == Kind::Add || self.adds_received()
    }

    /// Whether it reads the chunks of the source.
    fn reads(self) -> bool {
        matches!(self, Kind::Send | Kind::Copy) || self.adds()
    }

    /// Whether it writes the chunks of the destination.
    fn writes(self) -> bool {
        !matches!(self, Kind::Send | Kind::AddAndSend | Kind::Nothing)
    }
}

impl Step {
    /// The chunks that it reads from the memory of its GPU.
    pub fn reads(&self) -> impl Iterator<Item = Chunk> + use<> {
        let also = if self.kind == Kind::Add { self.count } else { 0 };
        let count = if self.kind.reads() { self.count } else { 0 };
        chunks(self.from, count).chain(chunks(self.to, also))
    }

    /// The chunks that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Chunk> + use<> {
        chunks(self.to, if self.kind.writes() { self.count } else { 0 })
    }
}

/// Chunks one after the other.
fn chunks((buffer, first): Chunk, count: usize) -> impl Iterator<Item = Chunk> {
    (first..first + count).map(move |offset| (buffer, offset))
}

/// A step by its GPU, thread block and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepAt {
    pub gpu: usize,
    pub block: usize,
    pub step: usize,
}

impl std::fmt::Display for StepAt {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "gpu {}, tb {}, step {}", self.gpu, self.block, self.step)
    }
}

impl Algorithm {
    /// The step at a place.
    pub fn step(&self, place: StepAt) -> &Step {
        &self.block(place).steps[place.step]
    }

    /// The thread block of a place.
    pub fn block(&self, place: StepAt) -> &Block {
        &self.gpus[place.gpu].blocks[place.block]
    }

    /// All steps.
    pub fn places(&self) -> impl Iterator<Item = StepAt> {
        self.gpus.iter().enumerate().flat_map(|(gpu, of_gpu)| {
            of_gpu.blocks.iter().enumerate().flat_map(move |(block, of_block)| {
                (0..of_block.steps.len()).map(move |step| StepAt { gpu, block, step })
            })
        })
    }
}

/// `o[3]`.
pub(super) fn shown((buffer, offset): Chunk) -> String {
    format!("{buffer}[{offset}]")
}

// The elements of a file become a program.

/// The most GPUs, thread blocks of a GPU, or chunks of a step that are read.
const MOST: usize = 65536;

/// Attributes of <algo> without which RCCL reads no file.
const DEMANDED: [&str; 8] = [
    "proto",
    "nchannels",
    "nchunksperloop",
    "ngpus",
    "inplace",
    "outofplace",
    "minBytes",
    "maxBytes",
];

/// Reads a file.
pub(super) fn read(text: &str) -> Result<Algorithm, Wrong> {
    let mut reader = Reader::from_str(text);
    let mut lines = Lines { text, at: 0, line: 1 };
    let mut found = Algorithm::default();
    let mut planned = None;
    loop {
        let event = reader.read_event();
        // The end of an element is in its last line.
        let line = lines.of(reader.buffer_position() as usize);
        match event.map_err(|e| (line, format!("no XML: {e}")))? {
            Event::Start(tag) | Event::Empty(tag) => {
                element(&mut found, &tag, line, &mut planned).map_err(|why| (line, why))?;
            }
            Event::Comment(comment) => planned = plan(&comment),
            Event::Eof => break,
            _ => (),
        }
    }
    match found.line {
        0 => Err((1, "the file has no element <algo>".into())),
        _ => Ok(found),
    }
}

/// Lines of ascending offsets.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn of(&mut self, offset: usize) -> usize {
        let passed = &self.text.as_bytes()[self.at..offset.clamp(self.at, self.text.len())];
        self.line += passed.iter().filter(|&&b| b == b'\n').count();
        self.at = offset.clamp(self.at, self.text.len());
        self.line
    }
}

/// The step and the channels of a comment `step 3 channels 0 8`.
fn plan(comment: &str) -> Option<(usize, Vec<ChannelId>)> {
    let mut words = comment.split_whitespace();
    let step = words.next().filter(|word| *word == "step").and_then(|_| words.next())?;
    let step = step.parse::<usize>().ok().filter(|step| (1..=MOST).contains(step))?;
    words.next().filter(|word| *word == "channels")?;
    let channels: Option<Vec<ChannelId>> = words.map(|word| word.parse().ok()).collect();
    Some((step - 1, channels?))
}

/// Adds an element.
fn element(
    found: &mut Algorithm,
    tag: &BytesStart,
    line: usize,
    planned: &mut Option<(usize, Vec<ChannelId>)>,
) -> Result<(), String> {
    let fields = Fields::of(tag)?;
    match tag.local_name().as_ref() {
        "algo" if found.line > 0 => return Err("a second <algo>; a file has one".into()),
        "algo" => {
            found.line = line;
            found.collective = fields.text("coll")?.to_string();
            found.protocol = fields.text("proto").ok().map(str::to_string);
            found.missing = DEMANDED.into_iter().filter(|name| !fields.has(name)).collect();
            let flag = |name| fields.has(name).then(|| fields.flag(name)).transpose();
            let number = |name| fields.has(name).then(|| fields.number(name)).transpose();
            found.in_place = flag("inplace")?.unwrap_or(false);
            found.out_of_place = flag("outofplace")?.unwrap_or(!found.in_place);
            if !found.in_place && !found.out_of_place {
                return Err("inplace and outofplace are both 0: no call would use this program; \
                     one of them must be 1"
                    .into());
            }
            found.chunks = number("nchunksperloop")?;
            found.channels = number("nchannels")?;
            found.named_gpus = number("ngpus")?;
        }
        "gpu" => {
            let id = found.gpus.len();
            expect("gpu", id, fields.number("id")?)?;
            let [inputs, outputs] = [fields.number("i_chunks")?, fields.number("o_chunks")?];
            let scratch = fields.number("s_chunks")?;
            found.gpus.push(Gpu { line, inputs, outputs, scratch, blocks: Vec::new() });
        }
        "tb" => {
            let gpu = found.gpus.last_mut().ok_or("a <tb> outside of a <gpu>")?;
            expect("tb", gpu.blocks.len(), fields.number("id")?)?;
            let [send, receive] = [fields.peer("send")?, fields.peer("recv")?];
            let channel = fields.number("chan")?;
            gpu.blocks.push(Block { line, send, receive, channel, steps: Vec::new() });
        }
        "step" => {
            let block = found.gpus.last_mut().and_then(|gpu| gpu.blocks.last_mut());
            let block = block.ok_or("a <step> outside of a <tb>")?;
            expect("step", block.steps.len(), fields.number("s")?)?;
            block.steps.push(step(&fields, line, planned.take())?);
        }
        other => return Err(format!("<{other}> is no element of this format")),
    }
    Ok(())
}

/// Checks that elements are numbered from 0.
fn expect(what: &str, right: usize, given: usize) -> Result<(), String> {
    match given == right && right < MOST {
        true => Ok(()),
        false => Err(format!("<{what}> has the number {given} in place of {right}")),
    }
}

fn step(
    fields: &Fields,
    line: usize,
    planned: Option<(usize, Vec<ChannelId>)>,
) -> Result<Step, String> {
    let kind = match fields.text("type")? {
        "s" => Kind::Send,
        "r" => Kind::Receive,
        "cpy" => Kind::Copy,
        "rcs" => Kind::Forward,
        "re" => Kind::Add,
        "rrc" => Kind::AddReceived,
        "rrs" => Kind::AddAndSend,
        "rrcs" => Kind::AddAndForward,
        "nop" => Kind::Nothing,
        other => {
            return Err(format!(
                "a step of type '{other}'; there are s, r, rcs, cpy, re, rrc, rrs, rrcs and nop"
            ));
        }
    };
    let moves = kind != Kind::Nothing;
    // An offset that the step does not use may be -1.
    let chunk = |buffer: &str, offset: &str, is_used: bool| -> Result<Chunk, String> {
        let name = match fields.text(buffer)? {
            "i" => 'i',
            "o" => 'o',
            "s" => 's',
            other => return Err(format!("'{other}' is no buffer; buffers are i, o and s")),
        };
        let offset =
            if is_used { fields.number(offset)? } else { fields.peer(offset)?.unwrap_or(0) };
        Ok((name, offset))
    };
    let waits_for = match (fields.peer("depid")?, fields.peer("deps")?) {
        (Some(block), Some(step)) => Some((block, step)),
        (Some(block), None) => {
            return Err(format!("depid is {block} and deps is -1; both name a step, or none"));
        }
        (None, _) => None,
    };
    let count = if moves { fields.number("cnt")? } else { 0 };
    if moves && count == 0 {
        return Err("cnt is 0; a step moves at least one chunk".into());
    }
    Ok(Step {
        line,
        kind,
        from: chunk("srcbuf", "srcoff", kind.reads())?,
        to: chunk("dstbuf", "dstoff", kind.writes())?,
        count,
        waits_for,
        is_awaited: fields.flag("hasdep")?,
        planned,
    })
}

/// The attributes of an element.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn of(tag: &BytesStart) -> Result<Self, String> {
        let mut fields = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|e| e.to_string())?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|e| e.to_string())?.into_owned();
            fields.push((attribute.key.as_ref().to_string(), value));
        }
        Ok(Fields(fields))
    }

    fn text(&self, name: &str) -> Result<&str, String> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.as_str())
            .ok_or_else(|| format!("the attribute {name} is missing"))
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// 0 or 1.
    fn flag(&self, name: &str) -> Result<bool, String> {
        match self.text(name)? {
            "0" => Ok(false),
            "1" => Ok(true),
            other => Err(format!("{name} is '{other}'; it must be 0 or 1")),
        }
    }

    /// A number from 0.
    fn number(&self, name: &str) -> Result<usize, String> {
        let text = self.text(name)?;
        let number = text.parse::<usize>().ok().filter(|&number| number <= MOST);
        number.ok_or_else(|| format!("{name} is '{text}'; it must be a number from 0 to {MOST}"))
    }

    /// A number from 0, or -1 for none.
    fn peer(&self, name: &str) -> Result<Option<usize>, String> {
        if self.text(name)? == "-1" { Ok(None) } else { self.number(name).map(Some) }
    }
}
