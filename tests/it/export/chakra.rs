//! Traces of Chakra, read by a reader of protocol buffers of the tests' own and played as ASTRA-sim plays
//! them: a node begins when those it waits for have ended, a receive ends with its send. Every rank must
//! end up with what the schedule brings it, in the order of its steps.

use super::exported;
use crate::support::search::found_soon;
use ccsched::export::{Output, Settings};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::schedule::ScheduleFile;
use std::collections::{BTreeMap, HashMap};

/// The fields of a message: by number, its values; those of a length as bytes.
#[derive(Default)]
struct Fields<'b> {
    numbers: BTreeMap<u64, Vec<u64>>,
    parts: BTreeMap<u64, Vec<&'b [u8]>>,
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().expect("a number ends");
        *bytes = rest;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            break;
        }
    }
    value
}

fn part<'b>(bytes: &mut &'b [u8]) -> &'b [u8] {
    let length = varint(bytes) as usize;
    let (part, rest) = bytes.split_at(length);
    *bytes = rest;
    part
}

fn fields(mut bytes: &[u8]) -> Fields<'_> {
    let mut fields = Fields::default();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        match key & 7 {
            0 => fields.numbers.entry(key >> 3).or_default().push(varint(&mut bytes)),
            2 => fields.parts.entry(key >> 3).or_default().push(part(&mut bytes)),
            other => panic!("a field of wire type {other}"),
        }
    }
    fields
}

/// A node: its kind, what it waits for, its attributes by name and number of the field of their value.
#[derive(Debug)]
struct Node {
    kind: u64,
    waits_for: Vec<u64>,
    attributes: HashMap<String, (u64, u64)>,
}

/// The nodes of a file, by id.
fn nodes(mut bytes: &[u8]) -> BTreeMap<u64, Node> {
    let head = fields(part(&mut bytes));
    assert_eq!(head.parts[&1].len(), 1, "a version");
    let mut nodes = BTreeMap::new();
    while !bytes.is_empty() {
        let node = fields(part(&mut bytes));
        let number = |field: u64| node.numbers.get(&field).map_or(0, |values| values[0]);
        let mut waits_for = Vec::new();
        for mut packed in node.parts.get(&5).into_iter().flatten().copied() {
            while !packed.is_empty() {
                waits_for.push(varint(&mut packed));
            }
        }
        let mut attributes = HashMap::new();
        for attribute in &node.parts[&10] {
            let of = fields(attribute);
            let name = String::from_utf8(of.parts[&1][0].to_vec()).unwrap();
            let (&kind, values) = of.numbers.first_key_value().expect("a value");
            attributes.insert(name, (kind, values[0]));
        }
        let node = Node { kind: number(3), waits_for, attributes };
        assert!(nodes.insert(number(1), node).is_none(), "ids are different");
    }
    nodes
}

impl Node {
    /// The value of an attribute of the type that the feeder of ASTRA-sim reads.
    fn value(&self, name: &str) -> u64 {
        let field = match name {
            "comm_size" | "num_ops" => 9,
            "tensor_size" => 13,
            "is_cpu_op" => 27,
            _ => 7,
        };
        let (kind, value) = self.attributes[name];
        assert_eq!(kind, field, "{name}");
        value
    }
}

/// Plays traces: the rounds they take if every send takes one, and the number of sends and of sums.
fn play(traces: &[BTreeMap<u64, Node>], bytes: u64) -> (usize, usize, usize) {
    let mut ended: Vec<HashMap<u64, usize>> = vec![HashMap::new(); traces.len()];
    let mut sent: HashMap<(usize, usize, u64), usize> = HashMap::new();
    let (mut sends, mut sums, mut last) = (0, 0, 0);
    loop {
        let mut moved = false;
        for (rank, nodes) in traces.iter().enumerate() {
            for (&id, node) in nodes {
                assert_eq!(node.value("is_cpu_op"), 0);
                let begins = node.waits_for.iter().map(|id| ended[rank].get(id).copied());
                let Some(begins) = begins.collect::<Option<Vec<_>>>() else { continue };
                let begin = begins.into_iter().max().unwrap_or(0);
                if ended[rank].contains_key(&id) {
                    continue;
                }
                let end = match node.kind {
                    4 => {
                        sums += 1;
                        assert!(node.value("num_ops") > 0 && node.value("tensor_size") > 0);
                        begin
                    }
                    5 => {
                        sends += 1;
                        assert_eq!(node.value("comm_size"), bytes);
                        let to = node.value("comm_dst") as usize;
                        let key = (rank, to, node.value("comm_tag"));
                        assert!(sent.insert(key, begin + 1).is_none(), "tags are different");
                        begin + 1
                    }
                    6 => {
                        assert_eq!(node.value("comm_size"), bytes);
                        let from = node.value("comm_src") as usize;
                        match sent.remove(&(from, rank, node.value("comm_tag"))) {
                            Some(end) => end.max(begin + 1),
                            None => continue,
                        }
                    }
                    other => panic!("a node of kind {other}"),
                };
                last = last.max(end);
                ended[rank].insert(id, end);
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    assert!(traces.iter().zip(&ended).all(|(nodes, ended)| nodes.len() == ended.len()), "stuck");
    assert!(sent.is_empty(), "every send is received");
    (last, sends, sums)
}

fn traces(schedule: &ScheduleFile, bytes: u64) -> Vec<BTreeMap<u64, Node>> {
    let settings = Settings { bytes: Some(bytes), ..Settings::default() };
    let Output::Binary(files) = exported(schedule, "chakra", &settings) else { panic!("files") };
    for (rank, (name, _)) in files.iter().enumerate() {
        assert_eq!(*name, format!("rank.{rank}.et"));
    }
    files.iter().map(|(_, bytes)| nodes(bytes)).collect()
}

#[test]
fn ranks_play_the_steps_of_the_schedule() {
    use Collective::{Aab, Aas, AllReduce, AllReduceWhole, ReduceScatter};
    for (network, collective, pieces, sums) in [
        ("ring:8", Aab, 1, 0),
        ("dgx1", Aab, 2, 0),
        ("dgx-a100:1", Aas, 1, 0),
        ("mi250", ReduceScatter, 1, 16 * 15),
        ("torus:4x4", AllReduce, 1, 16 * 15),
        ("hypercube:3", AllReduceWhole, 1, 3 * 8),
    ] {
        let request = Request { switching: Switching::Hosts, pieces, ..Request::new(collective) };
        let schedule = found_soon(&request, spec::parse(network).unwrap());
        let (steps, sends, added) = play(&traces(&schedule, 6000), 6000 / u64::from(pieces));
        assert_eq!(steps, schedule.steps.len(), "{network}");
        let is_whole = collective == AllReduceWhole;
        assert!(is_whole || sends == schedule.steps.records().concat().len(), "{network}");
        // Several contributions that come at once are one sum.
        assert!(added <= sums && (sums == 0) == (added == 0), "{network}: {added}");
    }
}
