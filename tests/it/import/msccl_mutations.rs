//! Sound programs, each changed in many ways. What the machine of the tests breaks must be refused;
//! changes that mean nothing must be accepted.

use super::msccl_machine::{Block, Program, Step};
use super::read;
use crate::export::{exported, solved, text};
use crate::support::checked::complaints_with;
use ccsched::export::{Output, Settings};
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::schedule::resolve;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Generator;
use std::collections::BTreeMap;

/// An all-gather in place on a ring: own block, the one before it received and sent on, the next
/// received; and the same in two chunks a block.
fn ring(parts: i64) -> (String, Problem) {
    let step = |kind: &str, block: i64, part: i64| {
        let chunk = ('o', block * parts + part);
        let kind = kind.to_string();
        Step { kind, from: chunk, to: chunk, count: 1, wait: (-1, -1), tells: false }
    };
    let gpu = |g: i64| {
        let block = |part: i64| Block {
            send: (g + 1) % 3,
            receive: (g + 2) % 3,
            channel: part,
            steps: vec![
                step("s", g, part),
                step("rcs", (g + 2) % 3, part),
                step("r", (g + 1) % 3, part),
            ],
        };
        super::msccl_machine::Gpu {
            sizes: [0, 3 * parts, 0],
            blocks: (0..parts).map(block).collect(),
        }
    };
    let gpus = (0..3).map(gpu).collect();
    let program = Program { collective: "allgather".into(), in_place: true, gpus };
    let problem = Request::new(Collective::Aab).pose(spec::parse("ring:3").unwrap(), vec![]);
    (program.text(), problem.unwrap())
}

/// An all-reduce in place on a ring as libraries have it: each GPU sends a part, adds and sends on
/// those that come, until one is complete, and that goes around once more.
fn ring_of_sums() -> (String, Problem) {
    let step = |kind: &str, part: i64| {
        let (kind, chunk) = (kind.to_string(), ('o', part.rem_euclid(4)));
        Step { kind, from: chunk, to: chunk, count: 1, wait: (-1, -1), tells: false }
    };
    let gpu = |g: i64| super::msccl_machine::Gpu {
        sizes: [4, 4, 0],
        blocks: vec![Block {
            send: (g + 1) % 4,
            receive: (g + 3) % 4,
            channel: 0,
            steps: vec![
                step("s", g),
                step("rrs", g - 1),
                step("rrs", g - 2),
                step("rrcs", g - 3),
                step("rcs", g),
                step("rcs", g - 1),
                step("r", g - 2),
            ],
        }],
    };
    let gpus = (0..4).map(gpu).collect();
    let program = Program { collective: "allreduce".into(), in_place: true, gpus };
    let stored = Switching::StoreAndForward;
    let request = Request { switching: stored, ..Request::new(Collective::AllReduce) };
    (program.text(), request.pose(spec::parse("ring:4").unwrap(), vec![]).unwrap())
}

/// Sound programs, and the problems that they solve.
fn sound() -> Vec<(&'static str, Program, Problem)> {
    let (wormhole, stored) = (Switching::Wormhole, Switching::StoreAndForward);
    let exported = |network: &str, collective, switching| {
        let schedule = solved(network, collective, switching);
        (text(&schedule, "msccl-xml"), resolve(&schedule).unwrap().0)
    };
    let all = [
        ("all-gather, stored", exported("hypercube:3", Collective::Aab, stored)),
        ("all-to-all, forwarded", exported("ring:5", Collective::Aas, stored)),
        ("all-to-all over switches", exported("fat-tree:4", Collective::Aas, wormhole)),
        ("all-gather over switches", exported("fat-tree:4", Collective::Aab, wormhole)),
        ("all-gather in place", ring(1)),
        ("two chunks in place", ring(2)),
        ("reduce-scatter", exported("hypercube:3", Collective::ReduceScatter, stored)),
        ("all-reduce", exported("ring:5", Collective::AllReduce, stored)),
        ("all-reduce in forwarded rings", ring_of_sums()),
        ("all-reduce of one part", exported("hypercube:3", Collective::AllReduceWhole, stored)),
        ("its sums go several ways", exported("mesh:2x3", Collective::AllReduceWhole, stored)),
    ];
    all.map(|(name, (text, problem))| (name, Program::of(&text), problem)).into()
}

/// In place the result waits for those that read the input.
#[test]
fn one_sum_is_sound_in_place_and_out_of_place() {
    let mut rng = Generator::seed_from_u64(2);
    for (network, collective) in [
        ("hypercube:3", Collective::AllReduceWhole),
        ("ring:6", Collective::AllReduceWhole),
        ("mesh:2x3", Collective::AllReduceWhole),
        ("dgx1", Collective::Reduce),
    ] {
        let schedule = solved(network, collective, Switching::StoreAndForward);
        let problem = resolve(&schedule).unwrap().0;
        for in_place in [false, true] {
            let settings = Settings { in_place, ..Settings::default() };
            let Output::File(text) = exported(&schedule, "msccl-xml", &settings) else { panic!() };
            let program = Program::of(&text);
            let about = format!("{network} {collective}, in place: {in_place}");
            assert!(program.in_place == in_place && !program.is_broken(100, &mut rng), "{about}");
            assert_eq!(refusal(&program, &problem), None, "{about}");
        }
    }
}

/// Why a program is refused; none if it is accepted.
fn refusal(program: &Program, problem: &Problem) -> Option<String> {
    match read(&program.text(), problem) {
        Err(error) => Some(error.to_string()),
        Ok(imported) => {
            let problem = imported.posed.as_ref().unwrap_or(problem);
            let complaints = complaints_with(problem, &imported.plan, &[]);
            (!complaints.is_empty()).then_some(complaints)
        }
    }
}

/// The ways in which a program is changed.
const KINDS: [&str; 16] = [
    "written elsewhere",
    "beyond the buffer",
    "read elsewhere",
    "another buffer",
    "wait dropped",
    "no signal",
    "waits for another",
    "step dropped",
    "steps swapped",
    "step twice",
    "another peer",
    "another channel",
    "another count",
    "another type",
    "sources swapped",
    "less scratch",
];

/// Changes a program in one way; what does not fit a program leaves it as it is.
fn change(program: &mut Program, kind: &str, rng: &mut Generator) {
    let gpu_count = program.gpus.len();
    let g = rng.random_range(0..gpu_count);
    let gpu = &mut program.gpus[g];
    let sizes = gpu.sizes;
    let of_buffer = |buffer: char| sizes["ios".find(buffer).unwrap()];
    if kind == "less scratch" {
        gpu.sizes[2] = (gpu.sizes[2] - 1).max(0);
        return;
    }
    let places: Vec<(usize, usize)> = gpu
        .blocks
        .iter()
        .enumerate()
        .flat_map(|(b, block)| (0..block.steps.len()).map(move |s| (b, s)))
        .collect();
    let (b, s) = places[rng.random_range(0..places.len())];
    let (other_block, other_step) = places[rng.random_range(0..places.len())];
    let steps = gpu.blocks[b].steps.len();
    let step = &mut gpu.blocks[b].steps[s];
    match kind {
        "written elsewhere" => step.to.1 = rng.random_range(0..of_buffer(step.to.0)),
        "beyond the buffer" => {
            let end = if rng.random() { &mut step.to } else { &mut step.from };
            end.1 = of_buffer(end.0) + rng.random_range(0..3);
        }
        "read elsewhere" => step.from.1 = rng.random_range(0..of_buffer(step.from.0)),
        "another buffer" => {
            let buffer = ['i', 'o', 's'][rng.random_range(0..3)];
            if rng.random() { step.to.0 = buffer } else { step.from.0 = buffer }
        }
        "wait dropped" => step.wait = (-1, -1),
        "no signal" => step.tells = false,
        "waits for another" => {
            step.wait = (other_block as i64, other_step as i64);
            gpu.blocks[other_block].steps[other_step].tells = true;
        }
        "step dropped" => drop(gpu.blocks[b].steps.remove(s)),
        "steps swapped" => gpu.blocks[b].steps.swap(s, (s + 1) % steps),
        "step twice" => {
            let again = step.clone();
            gpu.blocks[b].steps.insert(s, again);
        }
        "another peer" => {
            let peer = rng.random_range(-1..=gpu_count as i64);
            let block = &mut gpu.blocks[b];
            if rng.random() { block.send = peer } else { block.receive = peer }
        }
        "another channel" => gpu.blocks[b].channel ^= 1,
        "another count" => step.count += 1,
        "another type" => {
            step.kind = ["s", "r", "cpy", "nop", "rcs", "rrc"][rng.random_range(0..6)].into();
        }
        "sources swapped" => {
            let from = step.from;
            let other = &mut gpu.blocks[other_block].steps[other_step];
            let before = std::mem::replace(&mut other.from, from);
            gpu.blocks[b].steps[s].from = before;
        }
        other => panic!("{other}"),
    }
}

#[test]
fn what_the_machine_breaks_is_refused() {
    let mut rng = Generator::seed_from_u64(1);
    for (name, program, problem) in sound() {
        assert!(!program.is_broken(100, &mut rng), "{name} is sound");
        assert_eq!(refusal(&program, &problem), None, "{name}");
        let mut broken: Vec<(Program, &str)> = Vec::new();
        for turn in 0..8 * KINDS.len() {
            let kind = KINDS[turn % KINDS.len()];
            let mut changed = program.clone();
            change(&mut changed, kind, &mut rng);
            let is_new = broken.iter().all(|(other, _)| *other != changed);
            if is_new && changed.is_broken(40, &mut rng) {
                let why = refusal(&changed, &problem);
                assert!(why.is_some(), "{name}: {kind}: {}", changed.text());
                broken.push((changed, kind));
            }
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        broken.iter().for_each(|(_, kind)| *kinds.entry(kind).or_default() += 1);
        assert!(broken.len() >= 50 && kinds.len() >= 11, "{name}: {kinds:?}");
    }
}

#[test]
fn what_means_nothing_is_accepted() {
    for (name, program, problem) in sound() {
        let accepted = |changed: &Program, what: &str| {
            assert_eq!(refusal(changed, &problem), None, "{name}: {what}");
        };
        // A send has no part in where its blocks end.
        let mut other = program.clone();
        let steps = other.gpus.iter_mut().flat_map(|gpu| &mut gpu.blocks);
        for step in steps.flat_map(|block| &mut block.steps) {
            match &step.kind[..] {
                "s" => step.to = ('o', 1000),
                "r" | "rcs" => step.from = ('s', 1000),
                _ => (),
            }
            step.tells = true;
        }
        accepted(&other, "unused offsets without waits");
        // Thread blocks in another order.
        let mut other = program.clone();
        for gpu in &mut other.gpus {
            let last = gpu.blocks.len() as i64 - 1;
            gpu.blocks.reverse();
            let steps = gpu.blocks.iter_mut().flat_map(|block| &mut block.steps);
            steps.filter(|step| step.wait.0 >= 0).for_each(|step| step.wait.0 = last - step.wait.0);
        }
        accepted(&other, "thread blocks backwards");
        // A wait in a step of its own, and unused scratch memory.
        let mut other = program.clone();
        for gpu in &mut other.gpus {
            gpu.sizes[2] += 1;
            let block = gpu.blocks.iter_mut().rfind(|block| block.send >= 0).unwrap();
            let wait = std::mem::replace(&mut block.steps[0].wait, (-1, -1));
            let nop = ('i', -1);
            let kind = "nop".to_string();
            block.steps.push(Step { kind, from: nop, to: nop, count: 0, wait, tells: false });
            block.steps.rotate_right(1);
            let is_alone = gpu.blocks.iter().flat_map(|b| &b.steps).all(|step| step.wait.0 < 0);
            if !is_alone {
                gpu.blocks.iter_mut().for_each(|block| block.steps.retain(|s| s.kind != "nop"));
                gpu.blocks.iter_mut().rfind(|block| block.send >= 0).unwrap().steps[0].wait = wait;
            }
        }
        accepted(&other, "a step that does nothing");
    }
}
