//! Schedules as CSV: a transfer a line, under a line that names the columns. `step` (from 1) and
//! `source` are needed, `destination` too unless all receivers get the same message, and `piece` (from
//! 0) if messages are in pieces, `phase` (reduce or gather) in an all-reduce. Without `from`
//! and `to` the message goes from its source to its destination. The way is given by `channels`,
//! numbers as in a schedule file, or by `path`, vertices with `>` or blanks between them; with
//! neither, it is the fixed route of the pair or the one channel between its ends. With `start`, and `end` if
//! it is given, in bytes, the schedule is a timed one, whose transfers have all the same step.

use super::{Imported, Wrong};
use ::csv::{Position, ReaderBuilder, StringRecord};
use ccsched_base::limits::STEPS;
use ccsched_model::problem::{Message, Phase, Problem};
use ccsched_model::schedule::cells::content;
use ccsched_network::{ChannelId, Lookup, Network, VertexId};
use std::collections::HashMap;

/// The columns, each with its names.
const COLUMNS: [&[&str]; 13] = [
    &["step", "slot", "round"],
    &["source", "src", "message"],
    &["destination", "dst", "dest"],
    &["copy"],
    &["bytes"],
    &["from", "sender"],
    &["to", "receiver"],
    &["channels"],
    &["path"],
    &["piece"],
    &["phase"],
    &["start"],
    &["end"],
];
/// The places in [`COLUMNS`].
const STEP: usize = 0;
const SOURCE: usize = 1;
const DESTINATION: usize = 2;
const COPY: usize = 3;
const BYTES: usize = 4;
const FROM: usize = 5;
const TO: usize = 6;
const CHANNELS: usize = 7;
const PATH: usize = 8;
const PIECE: usize = 9;
const PHASE: usize = 10;
const START: usize = 11;
const END: usize = 12;

/// The places of the columns in a line.
type Places = [Option<usize>; COLUMNS.len()];

/// The first line that is no comment.
fn head(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or("")
}

/// The sign between fields.
fn delimiter(line: &str) -> u8 {
    *[b',', b';', b'\t'].iter().find(|&&sign| line.contains(char::from(sign))).unwrap_or(&b',')
}

/// Whether the first line names the columns of steps and sources.
pub(super) fn recognises(text: &str) -> bool {
    let line = head(text);
    let words: Vec<String> = line
        .split(char::from(delimiter(line)))
        .map(|word| word.trim().trim_matches('"').to_ascii_lowercase())
        .collect();
    let has = |column: usize| words.iter().any(|word| COLUMNS[column].contains(&word.as_str()));
    has(STEP) && has(SOURCE)
}

/// Reads a schedule of a problem.
pub(super) fn read(text: &str, problem: &Problem) -> Result<Imported, Wrong> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .comment(Some(b'#'))
        .delimiter(delimiter(head(text)))
        .from_reader(text.as_bytes());
    let mut places: Option<Places> = None;
    let mut rows = Rows::of(problem);
    let mut record = StringRecord::new();
    loop {
        let before = reader.position().clone();
        let line = line_of(text, &before);
        match reader.read_record(&mut record) {
            Ok(true) => (),
            Ok(false) => break,
            Err(e) => return Err((line, format!("no line of CSV: {}", reason(&e)))),
        }
        match &places {
            None => places = Some(named(&record).map_err(|why| (line, why))?),
            Some(places) => rows.add(&record, places, line).map_err(|why| (line, why))?,
        }
    }
    Ok(rows.read)
}

/// The line of the record after a position: blank lines and comments are skipped.
fn line_of(text: &str, before: &Position) -> usize {
    let rest = text.get(before.byte() as usize..).unwrap_or("");
    let is_skipped = |line: &&str| line.trim().is_empty() || line.starts_with('#');
    before.line() as usize + rest.lines().take_while(is_skipped).count()
}

/// The reason of an error, without its place, which is told in another way.
fn reason(error: &::csv::Error) -> String {
    match error.kind() {
        ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields; the first line has {expected_len}")
        }
        _ => error.to_string(),
    }
}

/// The places of the columns.
fn named(record: &StringRecord) -> Result<Places, String> {
    let mut places = Places::default();
    for (i, field) in record.iter().enumerate() {
        let field = field.trim().to_ascii_lowercase();
        let column = COLUMNS.iter().position(|names| names.contains(&field.as_str()));
        if let Some(column) = column
            && places[column].replace(i).is_some()
        {
            return Err(format!("a second column '{field}'"));
        }
    }
    Ok(places)
}

/// The lines that have been read.
struct Rows<'p> {
    problem: &'p Problem,
    vertices: Lookup<'p>,
    paths: Paths<'p>,
    read: Imported,
}

impl<'p> Rows<'p> {
    fn of(problem: &'p Problem) -> Self {
        Rows {
            problem,
            vertices: problem.network().lookup(),
            paths: Paths::new(problem),
            read: Imported::empty(),
        }
    }

    /// Adds the transfer of a line.
    fn add(&mut self, record: &StringRecord, places: &Places, line: usize) -> Result<(), String> {
        let cell = |column: usize| {
            places[column].and_then(|i| record.get(i)).filter(|field| !field.trim().is_empty())
        };
        // Blanks around a number are none of it; a name may have some at its ends.
        let field = |column: usize| cell(column).map(str::trim);
        let steps = 1..=STEPS;
        let step = field(STEP).and_then(|text| text.parse().ok()).filter(|k| steps.contains(k));
        let step: usize =
            step.ok_or_else(|| format!("the step must be a number from 1 to {STEPS}"))? - 1;
        let source = self.vertex(cell(SOURCE).ok_or("the source is missing")?)?;
        let destination = cell(DESTINATION).map(|name| self.vertex(name)).transpose()?;
        let which = [COPY, PIECE, PHASE].map(field);
        let message = self.message(source, destination, which, field(BYTES))?;
        let from = cell(FROM).map(|name| self.vertex(name)).transpose()?.unwrap_or(source);
        let to = match (cell(TO), destination) {
            (Some(name), _) => self.vertex(name)?,
            (None, Some(destination)) => destination,
            (None, None) => return Err("it does not say where the transfer goes to".into()),
        };
        let channels = self.channels(step, [from, to], field(CHANNELS), cell(PATH))?;
        let start = self.start(step, message, [START, END].map(field))?;
        self.read.starts.extend(start);
        self.paths.take(step, &channels);
        self.read.push(step, message, &channels, line);
        Ok(())
    }

    /// The vertex of a name in a cell.
    fn vertex(&self, cell: &str) -> Result<VertexId, String> {
        self.named(content(cell)).or_else(|_| self.named(content(cell.trim())))
    }

    /// The vertex of a name.
    fn named(&self, name: &str) -> Result<VertexId, String> {
        let network = self.problem.network().name();
        self.vertices.find(name).ok_or_else(|| format!("{network} has no vertex '{name}'"))
    }

    /// The message that is carried.
    fn message(
        &self,
        source: VertexId,
        destination: Option<VertexId>,
        [copy, piece, phase]: [Option<&str>; 3],
        bytes: Option<&str>,
    ) -> Result<u32, String> {
        let (problem, name) = (self.problem, |v: VertexId| self.problem.network().vertex_name(v));
        let is_common = problem.collective().content().is_common();
        let copy = copy.map_or(Ok(1), str::parse::<u32>);
        let copy = copy.map_err(|_| "the copy must be a number from 1")?;
        let pieces = problem.pieces();
        let piece = match piece.map(str::parse::<u32>) {
            None if pieces == 1 => 0,
            Some(Ok(piece)) if piece < pieces => piece,
            _ => return Err(format!("the piece must be a number from 0 to {}", pieces - 1)),
        };
        if destination.is_none() && !is_common {
            let why = format!("the destination is missing, which {} needs", problem.collective());
            return Err(why);
        }
        let phase = match (phase, problem.collective().is_all_reduce()) {
            (_, false) => None,
            (Some("reduce"), true) => Some(Phase::Reduce),
            (Some("gather"), true) => Some(Phase::Gather),
            (_, true) => return Err("the phase must be reduce or gather".into()),
        };
        let row = Message { copy: Some(copy), piece, phase, ..Message::new(source, destination) };
        let message = problem.find_message(&row).ok_or_else(|| {
            let to = destination.map_or("all", name);
            let source = name(source);
            format!("{} has no message {copy} from '{source}' to '{to}'", problem.collective())
        })?;
        let asked = problem.lengths().as_ref().map(|lengths| lengths[message as usize]);
        match bytes.map(|bytes| (bytes, bytes.parse::<u64>())) {
            Some((bytes, Err(_))) => Err(format!("'{bytes}' is no number of bytes")),
            Some((_, Ok(bytes))) if asked.is_some_and(|asked| asked != bytes) => Err(format!(
                "{bytes} bytes, but the traffic asks for {} in this message",
                asked.unwrap_or(bytes)
            )),
            _ => Ok(message),
        }
    }

    /// When the transfer starts, in a timed schedule.
    fn start(
        &self,
        step: usize,
        message: u32,
        [start, end]: [Option<&str>; 2],
    ) -> Result<Option<u64>, String> {
        let is_later = || self.read.lines.iter().any(|of_step| !of_step.is_empty());
        if start.is_some() == self.read.starts.is_empty() && is_later() {
            return Err("either all transfers have a start, or none".into());
        }
        let Some(start) = start else {
            return end.map_or(Ok(None), |_| Err("it has an end, and no start".into()));
        };
        let instant = |text: &str| {
            let number = text.parse::<u64>();
            number.map_err(|_| format!("'{text}' is no instant, which is a number of bytes"))
        };
        let Some(lengths) = self.problem.lengths() else {
            return Err("a start is for messages with lengths, and the traffic gives none".into());
        };
        if step > 0 {
            return Err("transfers with a start have the step 1".into());
        }
        let (start, bytes) = (instant(start)?, lengths[message as usize]);
        let ends = start.checked_add(bytes);
        match (end.map(instant).transpose()?, ends) {
            (_, None) => Err(format!("the start {start} is too late")),
            (Some(end), Some(ends)) if end != ends => {
                Err(format!("it starts at {start} and ends at {end}, but has {bytes} bytes"))
            }
            _ => Ok(Some(start)),
        }
    }

    /// The channels of the transfer. If the line has both numbers and vertices, they must agree.
    fn channels(
        &self,
        step: usize,
        [from, to]: [VertexId; 2],
        numbers: Option<&str>,
        path: Option<&str>,
    ) -> Result<Vec<ChannelId>, String> {
        let network = self.problem.network();
        let name = |v: VertexId| network.vertex_name(v);
        let channels = match (numbers, path) {
            (Some(numbers), _) => given(numbers, network)?,
            (None, Some(path)) => self.paths.along(step, &self.vertices_of(path)?)?,
            (None, None) => self.paths.of_ends(step, from, to)?,
        };
        let ([first, ..], [.., last]) = (&channels[..], &channels[..]) else {
            return Err("the path needs two vertices or more".into());
        };
        let ends = [network.channel(*first).from, network.channel(*last).to];
        if ends != [from, to] {
            let [a, b] = ends.map(name);
            let [from, to] = [from, to].map(name);
            return Err(format!(
                "the transfer is from '{from}' to '{to}', but its path leads from '{a}' to '{b}'"
            ));
        }
        if let (Some(_), Some(path)) = (numbers, path) {
            let others = channels.iter().map(|&c| name(network.channel(c).to));
            let vertices: Vec<&str> = std::iter::once(name(ends[0])).chain(others).collect();
            // Names may contain the sign between them, so texts are compared, not lists.
            let is_same = |sign: &&str| {
                let joined = vertices.join(sign);
                joined == content(path) || joined == content(path.trim())
            };
            if ![">", " > ", " "].iter().any(is_same) {
                let of_channels = vertices.join(">");
                return Err(format!("the path is {path}, but the channels lead {of_channels}"));
            }
        }
        Ok(channels)
    }

    /// The vertices of a path.
    fn vertices_of(&self, path: &str) -> Result<Vec<VertexId>, String> {
        let path = content(path.trim());
        match path.contains('>') {
            true => path.split('>').map(|name| self.named(name.trim())).collect(),
            false => path.split_whitespace().map(|name| self.named(name)).collect(),
        }
    }
}

/// The channels of these numbers, which must be joined.
fn given(numbers: &str, network: &Network) -> Result<Vec<ChannelId>, String> {
    let all = network.channels().len();
    let channel = |word: &str| {
        let known = word.parse::<ChannelId>().ok().filter(|&c| (c as usize) < all);
        known.ok_or_else(|| {
            format!("there is no channel '{word}'; the network has 0 to {}", all - 1)
        })
    };
    numbers.split_whitespace().map(channel).collect()
}

// The channels of a transfer whose file has only the vertices of its path, or only its ends.

/// Chooses channels, and remembers their use by step: of parallel channels a transfer takes the one
/// with the most room.
struct Paths<'p> {
    problem: &'p Problem,
    /// By step and resource, the transfers so far.
    used: HashMap<(usize, u32), u32>,
}

impl<'p> Paths<'p> {
    /// No channel is in use.
    fn new(problem: &'p Problem) -> Self {
        Paths { problem, used: HashMap::new() }
    }

    /// The channels along these vertices in a step.
    fn along(&self, step: usize, vertices: &[VertexId]) -> Result<Vec<ChannelId>, String> {
        if let Some(route) = self.route(vertices) {
            return Ok(route);
        }
        let hop = |pair: &[VertexId]| self.between(step, pair[0], pair[1]);
        vertices.windows(2).map(hop).collect()
    }

    /// The channels of a transfer whose file has only its ends: its fixed route, or one channel.
    fn of_ends(&self, step: usize, from: VertexId, to: VertexId) -> Result<Vec<ChannelId>, String> {
        if let Some(route) = self.problem.fixed_route(from, to) {
            return Ok(route.to_vec());
        }
        let channel = self.between(step, from, to);
        channel.map(|c| vec![c]).map_err(|why| {
            format!("{why}; a transfer over several channels needs a path or channels")
        })
    }

    /// Notes that a transfer uses these channels in a step.
    fn take(&mut self, step: usize, channels: &[ChannelId]) {
        for &c in channels {
            *self.used.entry((step, self.problem.resources().of_channel(c))).or_default() += 1;
        }
    }

    /// The fixed route between the ends of a path, if it has the same vertices.
    fn route(&self, vertices: &[VertexId]) -> Option<Vec<ChannelId>> {
        let ([first, ..], [.., last]) = (vertices, vertices) else { return None };
        let route = self.problem.fixed_route(*first, *last)?;
        let network = self.problem.network();
        let is_same = route.len() + 1 == vertices.len()
            && route.iter().zip(&vertices[1..]).all(|(&c, &v)| network.channel(c).to == v);
        is_same.then(|| route.to_vec())
    }

    /// The channel with the most room of those from one vertex to another.
    fn between(&self, step: usize, from: VertexId, to: VertexId) -> Result<ChannelId, String> {
        let (network, resources) = (self.problem.network(), self.problem.resources());
        let room = |c: ChannelId| {
            let resource = resources.of_channel(c);
            let used = self.used.get(&(step, resource)).copied().unwrap_or(0);
            i64::from(resources.capacity(resource)) - i64::from(used)
        };
        let parallel = network.outgoing(from).iter().copied();
        let parallel = parallel.filter(|&c| network.channel(c).to == to);
        // The first of those with equal room.
        parallel.rev().max_by_key(|&c| room(c)).ok_or_else(|| {
            let [from, to] = [from, to].map(|v| network.vertex_name(v));
            format!("the network has no channel from '{from}' to '{to}'")
        })
    }
}
