//! Plans of MSCCL++, run by the rules of its executor on random data: blocks advance in many orders, a
//! proxy sends when it likes, what threads have written is there for others after they have met. At the
//! end every GPU must have every result. The limits of the executor are checked on what is written, and
//! named where a schedule exceeds them.

use super::{exported, solved};
use crate::support::search::found_soon;
use crate::support::shrink::quietly;
use ccsched::export::{self, Output, Settings, Subject};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::rng::{Rng, rng_of};
use ccsched::schedule::ScheduleFile;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// A place in the memory of a GPU: the GPU, the buffer, the chunk.
type Cell = (usize, char, usize);

/// What a proxy has to do for a channel.
enum Sent {
    Put(Cell, Cell),
    Signal,
}

/// A thread block under way.
struct Block {
    gpu: usize,
    operations: Vec<Value>,
    /// The next operation.
    at: usize,
    /// Its channel: the kind, and the two ends of it, of which one is another GPU's.
    channel: Option<(bool, usize, usize)>,
    /// The buffers of others: GPU and buffer.
    remote: Vec<(usize, char)>,
    /// Threads have to meet before they read: what was waited for, cells that were written.
    has_waited: bool,
    written: HashSet<Cell>,
    has_put: bool,
    /// The barrier it stands at, and how often that was passed before.
    stands: Option<(usize, usize)>,
}

struct Machine {
    name: String,
    in_place: bool,
    gpus: usize,
    /// Chunks of a message.
    pieces: usize,
    memory: HashMap<Cell, u64>,
    /// By GPU and kind of channel, the peer of each, and its place among those of this pair.
    ends: HashMap<(usize, bool, usize), (usize, usize)>,
    /// Signals that have come and are not waited for yet: of the pair (from, to), kind, place.
    signals: HashMap<(usize, usize, bool, usize), usize>,
    queues: HashMap<(usize, usize), VecDeque<Sent>>,
    barriers: HashMap<(usize, usize), (usize, usize)>,
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number")) as usize
}

fn letter(value: &Value) -> char {
    value.as_str().unwrap().chars().next().unwrap()
}

impl Machine {
    /// In place, the input and the output share memory.
    fn cell(&self, (gpu, buffer, chunk): Cell) -> Cell {
        match (self.in_place, self.name.as_str(), buffer) {
            (true, "allgather", 'i') => (gpu, 'o', gpu * self.pieces + chunk),
            (true, "allreduce", 'o') => (gpu, 'i', chunk),
            (true, "reducescatter", 'o') => (gpu, 'i', gpu * self.pieces + chunk),
            _ => (gpu, buffer, chunk),
        }
    }

    fn read(&self, cell: Cell) -> u64 {
        let known = self.memory.get(&self.cell(cell));
        *known.unwrap_or_else(|| panic!("{cell:?} is read before it is written"))
    }

    fn write(&mut self, cell: Cell, value: u64) {
        let cell = self.cell(cell);
        self.memory.insert(cell, value);
    }

    fn signal(&mut self, gpu: usize, (is_port, channel, _): (bool, usize, usize)) {
        let (peer, place) = self.ends[&(gpu, is_port, channel)];
        *self.signals.entry((gpu, peer, is_port, place)).or_default() += 1;
    }

    /// The proxy of a channel does what is next. Whether there was something.
    fn send(&mut self, gpu: usize, channel: usize) -> bool {
        match self.queues.get_mut(&(gpu, channel)).and_then(VecDeque::pop_front) {
            None => return false,
            Some(Sent::Put(from, to)) => {
                let value = self.read(from);
                self.write(to, value);
            }
            Some(Sent::Signal) => self.signal(gpu, (true, channel, 0)),
        }
        true
    }
}

/// The chunks of a list of buffers.
fn cells(list: &Value, local: usize, remote: &[(usize, char)]) -> Vec<Vec<Cell>> {
    let of_buffer = |buffer: &Value| {
        let (gpu, kind) = match buffer.get("buffer_id") {
            Some(id) => remote[number(id)],
            None => (local, letter(&buffer["type"])),
        };
        let (first, size) = (number(&buffer["index"]), number(&buffer["size"]));
        assert!(size > 0);
        (first..first + size).map(|chunk| (gpu, kind, chunk)).collect()
    };
    let all = list.as_array().unwrap();
    assert!(all.len() <= 9, "an operation has at most 8 buffers beside its own");
    all.iter().map(of_buffer).collect()
}

impl Block {
    /// Takes the next operation if it can. Whether it could.
    fn advance(&mut self, machine: &mut Machine) -> bool {
        let Some(operation) = self.operations.get(self.at).cloned() else { return false };
        let name = operation["name"].as_str().unwrap();
        let list = |key: &str| cells(&operation[key], self.gpu, &self.remote);
        let gpu = self.gpu;
        let can = match name {
            "nop" => true,
            "barrier" => return self.meet_others(machine, &operation),
            "signal" | "rlxsignal" => {
                assert!(
                    !self.has_put && self.written.is_empty(),
                    "a signal before threads have met"
                );
                let channel = self.channel.unwrap();
                match channel.0 {
                    true => {
                        machine.queues.entry((gpu, channel.1)).or_default().push_back(Sent::Signal)
                    }
                    false => machine.signal(gpu, channel),
                }
                true
            }
            "wait" | "rlxwait" => {
                let (is_port, channel, _) = self.channel.unwrap();
                let (peer, place) = machine.ends[&(gpu, is_port, channel)];
                let come = machine.signals.entry((peer, gpu, is_port, place)).or_default();
                let has_come = *come > 0;
                *come -= usize::from(has_come);
                self.has_waited |= has_come;
                has_come
            }
            "put" | "pws" | "pwsf" => {
                let (is_port, channel, _) = self.channel.unwrap();
                let [from, to] = [list("src_buff"), list("dst_buff")];
                assert_eq!(from.len(), to.len());
                assert!(is_port || from.iter().all(|cells| cells[0].1 == from[0][0].1));
                assert!(is_port || name == "put", "threads put without signals");
                if is_port {
                    assert_eq!(operation["channel_ids"].as_array().unwrap().len(), from.len());
                }
                assert!(!self.has_waited, "a put before threads have met");
                let is_last = name == "pwsf";
                let queue = machine.queues.entry((gpu, channel)).or_default();
                for (from, to) in from.iter().zip(&to).flat_map(|(a, b)| a.iter().zip(b)) {
                    assert!(!self.written.contains(from), "a put before threads have met");
                    if is_port {
                        queue.push_back(Sent::Put(*from, *to));
                    }
                }
                if name != "put" {
                    assert!(!self.has_put, "a signal before threads have met");
                    queue.push_back(Sent::Signal);
                }
                if !is_port {
                    for (from, to) in from.iter().zip(&to).flat_map(|(a, b)| a.iter().zip(b)) {
                        let value = machine.read(*from);
                        machine.write(*to, value);
                    }
                }
                self.has_put = name == "put";
                if is_last {
                    while machine.send(gpu, channel) {}
                }
                true
            }
            "copy" | "re" => {
                let [from, to] = [list("src_buff"), list("dst_buff")];
                assert!(to.len() == 1 && (name == "re" || from.len() == 1));
                assert!(!self.has_waited, "a sum before threads have met");
                for (k, &to) in to[0].iter().enumerate() {
                    let of: Vec<Cell> = from.iter().map(|cells| cells[k]).collect();
                    assert!(of.iter().all(|cell| !self.written.contains(cell)));
                    let sum =
                        of.iter().fold(0u64, |sum, &cell| sum.wrapping_add(machine.read(cell)));
                    machine.write(to, sum);
                    self.written.insert(to);
                }
                true
            }
            other => panic!("an operation {other}"),
        };
        if name == "nop" {
            self.met();
        }
        self.at += usize::from(can);
        can
    }

    fn met(&mut self) {
        (self.has_waited, self.has_put) = (false, false);
        self.written.clear();
    }

    fn meet_others(&mut self, machine: &mut Machine, operation: &Value) -> bool {
        let id = number(&operation["barrier_id"]);
        let count = number(&operation["num_threadblocks"]);
        assert!(id < 16, "the executor has 16 barriers");
        let (stand, passed) = machine.barriers.entry((self.gpu, id)).or_default();
        match self.stands {
            None => {
                *stand += 1;
                self.stands = Some((id, *passed));
                if *stand == count {
                    (*stand, *passed) = (0, *passed + 1);
                }
                true
            }
            Some((_, before)) if *passed > before => {
                self.stands = None;
                self.met();
                self.at += 1;
                true
            }
            Some(_) => false,
        }
    }
}

/// The machine of a plan, with random inputs, and its blocks. The limits of the executor are kept.
fn machine(plan: &Value, rng: &mut Rng) -> (Machine, Vec<Block>) {
    for key in ["protocol", "reuse_resources", "use_double_scratch_buffer", "buffer_alignment"] {
        assert!(!plan[key].is_null(), "{key}");
    }
    assert!(plan["min_message_size"].as_u64() <= plan["max_message_size"].as_u64());
    let gpus = plan["gpus"].as_array().unwrap();
    let name = plan["collective"].as_str().unwrap().to_string();
    let [inputs, outputs] = ["input_chunks", "output_chunks"].map(|key| number(&gpus[0][key]));
    let pieces = if name == "allgather" { inputs } else { outputs };
    let pieces = if name == "alltoall" || name == "allreduce" { 0 } else { pieces };
    let in_place = plan["inplace"].as_bool().unwrap();
    let mut machine = Machine {
        name,
        in_place,
        gpus: gpus.len(),
        pieces,
        memory: HashMap::new(),
        ends: HashMap::new(),
        signals: HashMap::new(),
        queues: HashMap::new(),
        barriers: HashMap::new(),
    };
    let mut blocks = Vec::new();
    for (id, gpu) in gpus.iter().enumerate() {
        assert_eq!(number(&gpu["id"]), id);
        (0..inputs).for_each(|chunk| machine.write((id, 'i', chunk), rng.random()));
        let mut of_pair: HashMap<(bool, usize), usize> = HashMap::new();
        for list in gpu["channels"].as_array().unwrap() {
            let is_port = list["channel_type"] == "port";
            for (channel, peer) in list["connected_to"].as_array().unwrap().iter().enumerate() {
                let place = of_pair.entry((is_port, number(peer))).or_default();
                machine.ends.insert((id, is_port, channel), (number(peer), *place));
                *place += 1;
            }
        }
        let remote = |refs: &Value| {
            let of_kind = |kind: &str| {
                let listed = refs.as_array().unwrap().iter();
                let of_kind = listed.filter(|r| r["access_channel_type"] == kind);
                let ids = of_kind.flat_map(|r| r["remote_buffer_ids"].as_array().unwrap().clone());
                ids.map(|k| gpu["remote_buffers"][number(&k)].clone()).collect::<Vec<_>>()
            };
            let all = [of_kind("memory"), of_kind("port")].concat();
            assert!(all.len() <= 3);
            all.iter().map(|b| (number(&b["rank"]), letter(&b["type"]))).collect()
        };
        for (number_of, block) in gpu["threadblocks"].as_array().unwrap().iter().enumerate() {
            assert_eq!(number(&block["id"]), number_of);
            let operations = block["ops"].as_array().unwrap().clone();
            assert!(operations.len() <= 64, "the executor has 64 operations");
            let channel = block["channels"].as_array().unwrap().first().map(|channel| {
                (channel["channel_type"] == "port", number(&channel["channel_ids"][0]), 0)
            });
            let remote = remote(&block["remote_buffer_refs"]);
            let (has_waited, has_put, written) = (false, false, HashSet::new());
            let stands = None;
            blocks.push(Block {
                gpu: id,
                operations,
                at: 0,
                channel,
                remote,
                has_waited,
                written,
                has_put,
                stands,
            });
        }
    }
    let pairs: BTreeSet<_> =
        machine.ends.iter().map(|(&(a, kind, _), &(b, k))| (a, b, kind, k)).collect();
    assert!(pairs.iter().all(|&(a, b, kind, k)| pairs.contains(&(b, a, kind, k))), "ends pair up");
    (machine, blocks)
}

/// Runs a plan once, its blocks by random preference, and checks the results.
fn run(plan: &Value, rng: &mut Rng) {
    let (mut machine, mut blocks) = machine(plan, rng);
    let inputs = machine.memory.clone();
    let input = |cell: Cell| inputs[&machine_cell(plan, cell)];
    loop {
        blocks.shuffle(rng);
        // Sometimes the first that can goes as far as it can, sometimes all go by turns.
        let far = rng.random_range(0..3) > 0;
        let mut has_moved = false;
        for block in &mut blocks {
            while block.advance(&mut machine) {
                has_moved = true;
                if !far {
                    break;
                }
            }
            if has_moved && far {
                break;
            }
        }
        let mut keys: Vec<_> = machine.queues.keys().copied().collect();
        keys.sort_unstable();
        for (gpu, channel) in keys {
            if rng.random_range(0..4) == 0 || !has_moved {
                has_moved |= machine.send(gpu, channel);
            }
        }
        if !has_moved {
            break;
        }
    }
    assert!(blocks.iter().all(|block| block.at == block.operations.len()), "blocks are stuck");
    assert!(machine.signals.values().all(|&left| left == 0), "all signals are waited for");
    let gpus = machine.gpus;
    let outputs = number(&plan["gpus"][0]["output_chunks"]);
    let of_each = outputs / gpus;
    for gpu in 0..gpus {
        for chunk in 0..outputs {
            let sum =
                |chunk| (0..gpus).fold(0u64, |sum, g| sum.wrapping_add(input((g, 'i', chunk))));
            let expected = match machine.name.as_str() {
                "allgather" => input((chunk / of_each, 'i', chunk % of_each)),
                "alltoall" => input((chunk / of_each, 'i', gpu * of_each + chunk % of_each)),
                "reducescatter" => sum(gpu * outputs + chunk),
                _ => sum(chunk),
            };
            assert_eq!(machine.read((gpu, 'o', chunk)), expected, "gpu {gpu}, chunk {chunk}");
        }
    }
}

/// Where an input lies.
fn machine_cell(plan: &Value, (gpu, buffer, chunk): Cell) -> Cell {
    let gathers = plan["collective"] == "allgather" && plan["inplace"] == true;
    let pieces = number(&plan["gpus"][0]["input_chunks"]);
    if gathers { (gpu, 'o', gpu * pieces + chunk) } else { (gpu, buffer, chunk) }
}

fn plan(schedule: &ScheduleFile, settings: &Settings) -> Value {
    match exported(schedule, "mscclpp", settings) {
        Output::File(text) => serde_json::from_str(&text).unwrap(),
        _ => unreachable!("it is one file"),
    }
}

fn schedule(network: &str, collective: Collective, pieces: u32) -> ScheduleFile {
    let switching = Switching::Hosts;
    let request = Request { switching, pieces, ..Request::new(collective) };
    found_soon(&request, spec::parse(network).unwrap())
}

#[test]
fn plans_of_machines_give_every_gpu_its_results() {
    use Collective::{Aab, Aas, AllReduce, AllReduceWhole, ReduceScatter};
    let mut rng = rng_of(74, 0, 0);
    for (network, collective, pieces, of_node) in [
        ("dgx1", Aab, 1, None),
        ("dgx1", Aab, 6, None),
        ("dgx1", AllReduce, 1, None),
        ("dgx1", AllReduceWhole, 4, None),
        ("dgx-a100:1", Aab, 1, None),
        ("dgx-a100:1", ReduceScatter, 1, None),
        ("dgx-a100:1", Aas, 1, None),
        ("dgx-a100:2", Aab, 2, Some(8)),
        ("dgx-a100:2", AllReduce, 1, Some(8)),
        ("mi250", ReduceScatter, 3, None),
        ("mi250", Aas, 1, Some(8)),
        ("hypercube:3", AllReduceWhole, 2, Some(4)),
        ("fat-tree:8", AllReduceWhole, 1, Some(2)),
        ("ring:5", Aas, 2, Some(1)),
        ("mesh:3x3", AllReduce, 2, Some(3)),
    ] {
        let schedule = schedule(network, collective, pieces);
        for in_place in [false, true] {
            if in_place && collective == Aas {
                continue;
            }
            let settings = Settings { in_place, gpus_per_node: of_node, ..Settings::default() };
            let plan = plan(&schedule, &settings);
            let kinds: BTreeSet<&str> = plan["gpus"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|gpu| gpu["channels"].as_array().unwrap())
                .map(|channel| channel["channel_type"].as_str().unwrap())
                .collect();
            assert_eq!(kinds.contains("port"), of_node.is_some(), "{network}");
            for _ in 0..8 {
                run(&plan, &mut rng);
            }
        }
    }
}

/// The rules that the plans keep are needed: without them, runs fail.
#[test]
fn a_plan_without_its_meetings_fails() {
    let mut rng = rng_of(76, 0, 0);
    let schedule = schedule("dgx-a100:2", Collective::AllReduce, 1);
    let settings = Settings { gpus_per_node: Some(8), ..Settings::default() };
    let whole = plan(&schedule, &settings);
    for kind in ["nop", "barrier", "wait", "rlxwait", "pws"] {
        let mut less = whole.clone();
        for gpu in less["gpus"].as_array_mut().unwrap() {
            for block in gpu["threadblocks"].as_array_mut().unwrap() {
                block["ops"].as_array_mut().unwrap().retain(|operation| operation["name"] != kind);
            }
        }
        let fails = (0..20).any(|_| quietly(|| run(&less, &mut rng)).is_err());
        assert!(fails, "without {kind}");
    }
}

/// A block has a limited number of operations: long schedules have several for a peer.
#[test]
fn long_schedules_are_cut_into_segments() {
    let mut rng = rng_of(75, 0, 0);
    for (network, collective) in [("ring:16", Collective::Aab), ("mesh:4x4", Collective::Aas)] {
        let plan = plan(&schedule(network, collective, 2), &Settings::default());
        let channels = plan["gpus"][0]["channels"][0]["connected_to"].as_array().unwrap();
        let peers: BTreeSet<String> = channels.iter().map(Value::to_string).collect();
        assert!(channels.len() > peers.len(), "{network}");
        (0..4).for_each(|_| run(&plan, &mut rng));
    }
}

#[test]
fn lengths_and_limits_are_named() {
    let all = schedule("ring:4", Collective::Aab, 1);
    let some = Settings { lengths: Some((1000, Some(1999))), ..Settings::default() };
    let plan = plan(&all, &some);
    assert_eq!([&plan["min_message_size"], &plan["max_message_size"]], [4000, 7999]);
    let refused = |schedule: &ScheduleFile, settings: &Settings| {
        let format = export::find("mscclpp").unwrap();
        let subject = Subject::of(schedule).unwrap();
        export::write(format, &subject, settings).unwrap_err().to_string()
    };
    let plain = Settings::default();
    let of_three = Settings { gpus_per_node: Some(3), ..Settings::default() };
    let (wormhole, hosts) = (Switching::Wormhole, Switching::Hosts);
    for (network, collective, switching, settings, part) in [
        ("ring:4", Collective::Oab, wormhole, &plain, "written for aab (all-gather)"),
        (
            "ring:4",
            Collective::Reduce,
            hosts,
            &plain,
            "(all-to-all), reduce-scatter and all-reduce, not reduce",
        ),
        ("ring:4", Collective::Aab, hosts, &of_three, "4 GPUs are no whole number of nodes of 3"),
        (
            "ring:5",
            Collective::Aas,
            wormhole,
            &plain,
            "a schedule with hosts switching stops there",
        ),
        (
            "ring:32",
            Collective::Aas,
            hosts,
            &plain,
            "the executor has 16: the schedule has too many",
        ),
    ] {
        let why = refused(&solved(network, collective, switching), settings);
        assert!(why.contains(part), "{network}: {why}");
    }
}
