//! Execution traces of Chakra (protocol buffers), which ASTRA-sim plays as a custom collective: a file a
//! rank, with a node for each send, receive and sum. The nodes of a step wait for those of the step before
//! at this rank, so that ranks keep the order of the steps and need no clock.
//!
//! Source: github.com/mlcommons/chakra, schema/protobuf/et_def.proto.

use super::moves::Moves;
use super::{Output, Settings, Subject, gpus};
use ccsched_base::Result;
use ccsched_model::problem::Collective;
use prost::Message;

/// The length of messages that have none.
const BYTES: u64 = 1_000_000;
/// The version of the schema.
const SCHEMA: &str = "1.0.2-chakra.0.0.4";

/// The head of a file; names and numbers of fields are those of the schema.
#[derive(Message)]
struct GlobalMetadata {
    #[prost(string, tag = "1")]
    version: String,
    #[prost(message, repeated, tag = "2")]
    attr: Vec<Attribute>,
}

/// A value by name; one of the values is there, of the type that readers ask for.
#[derive(Message)]
struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int32, optional, tag = "7")]
    int32: Option<i32>,
    #[prost(int64, optional, tag = "9")]
    int64: Option<i64>,
    #[prost(uint64, optional, tag = "13")]
    uint64: Option<u64>,
    #[prost(bool, optional, tag = "27")]
    bool: Option<bool>,
    #[prost(string, optional, tag = "29")]
    string: Option<String>,
}

#[derive(Message)]
struct Node {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(enumeration = "Kind", tag = "3")]
    kind: i32,
    #[prost(uint64, repeated, tag = "5")]
    data_deps: Vec<u64>,
    #[prost(message, repeated, tag = "10")]
    attr: Vec<Attribute>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
enum Kind {
    None = 0,
    Compute = 4,
    Send = 5,
    Receive = 6,
}

impl Attribute {
    fn named(name: &str) -> Self {
        Attribute { name: name.into(), ..Attribute::default() }
    }

    fn small(name: &str, value: usize) -> Self {
        Attribute { int32: Some(value as i32), ..Attribute::named(name) }
    }

    fn large(name: &str, value: u64) -> Self {
        Attribute { int64: Some(value as i64), ..Attribute::named(name) }
    }
}

/// The trace of a rank under way.
#[derive(Default)]
struct Trace {
    nodes: Vec<Node>,
    /// The nodes that those of the step wait for.
    before: Vec<u64>,
    /// The nodes of the step so far.
    now: Vec<u64>,
}

impl Trace {
    fn add(&mut self, kind: Kind, name: String, mut attr: Vec<Attribute>) {
        attr.push(Attribute { bool: Some(false), ..Attribute::named("is_cpu_op") });
        let id = self.nodes.len() as u64;
        let data_deps = self.before.clone();
        self.nodes.push(Node { id, name, kind: kind.into(), data_deps, attr });
        self.now.push(id);
    }

    /// What comes next waits for the nodes so far.
    fn go_on(&mut self) {
        if !self.now.is_empty() {
            self.before = std::mem::take(&mut self.now);
        }
    }

    /// The bytes of the file: each message after its length.
    fn bytes(&self, title: &str) -> Vec<u8> {
        let text = |name: &str, value: &str| Attribute {
            string: Some(value.into()),
            ..Attribute::named(name)
        };
        let attr = vec![text("schema", SCHEMA), text("schedule", title)];
        let head = GlobalMetadata { version: SCHEMA.into(), attr };
        let mut bytes = head.encode_length_delimited_to_vec();
        for node in &self.nodes {
            bytes.extend(node.encode_length_delimited_to_vec());
        }
        bytes
    }
}

/// Writes a schedule.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let gpus::Called { ranks, .. } =
        gpus::called("chakra", &[Collective::Reduce], subject, settings)?;
    let moves = Moves::of(subject, &ranks, false);
    let bytes = subject.piece_of(settings.bytes.unwrap_or(BYTES));
    let mut traces: Vec<Trace> = (0..ranks.len()).map(|_| Trace::default()).collect();
    let mut tag = 0;
    for (number, step) in moves.steps.iter().enumerate() {
        for (place, sum) in step.sums.iter().enumerate() {
            let operands = sum.of.len() as u64;
            let attr = vec![
                Attribute::large("num_ops", (operands - 1) * bytes),
                Attribute { uint64: Some(operands * bytes), ..Attribute::named("tensor_size") },
            ];
            let trace = &mut traces[sum.gpu];
            trace.add(Kind::Compute, format!("step {number} sum {place}"), attr);
        }
        traces.iter_mut().for_each(Trace::go_on);
        for put in &step.puts {
            let name = |what: &str| format!("step {} {what} {} {}", number + 1, put.from, put.to);
            let attr = |peer: &str, rank: usize| {
                let size = Attribute::large("comm_size", bytes);
                vec![size, Attribute::small(peer, rank), Attribute::small("comm_tag", tag)]
            };
            let (send, receive) = (attr("comm_dst", put.to), attr("comm_src", put.from));
            traces[put.from].add(Kind::Send, name("send"), send);
            traces[put.to].add(Kind::Receive, name("receive"), receive);
            tag += 1;
        }
        traces.iter_mut().for_each(Trace::go_on);
    }
    let title = subject.title();
    let file = |(rank, trace): (usize, &Trace)| (format!("rank.{rank}.et"), trace.bytes(&title));
    Ok(Output::Binary(traces.iter().enumerate().map(file).collect()))
}
