//! MSCCL XML, run by the rules of the format: thread blocks take their steps in order, a step waits
//! for the one it names, and what is sent is received in order. At the end every GPU must have every
//! message. The limits of RCCL's reader are checked on what is written, and named where a schedule
//! exceeds them.

use super::{exported, solved, text};
use ccsched::export::{self, Output, Settings, Subject};
use ccsched::problem::{Collective, Switching};
use ccsched::schedule::ScheduleFile;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// An element under way, and its block and step.
type Sent = (Element, (usize, usize));

/// The attributes of an element.
type Element = BTreeMap<String, String>;

/// The elements of a name in a part of the text, each with what stands between it and its end.
fn elements<'t>(text: &'t str, name: &str) -> Vec<(Element, &'t str)> {
    let (start, end) = (format!("<{name} "), format!("</{name}>"));
    let read = |part: &'t str| {
        let (head, body) = part.split_once('>').unwrap();
        let mut element = Element::new();
        let mut rest = head.trim_end_matches('/');
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"').unwrap();
            element.insert(key.trim().to_string(), value.to_string());
            rest = after;
        }
        (element, body.split(&end as &str).next().unwrap())
    };
    text.split(&start as &str).skip(1).map(read).collect()
}

fn number(element: &Element, key: &str) -> i64 {
    element[key].parse().unwrap_or_else(|_| panic!("{key} of {element:?}"))
}

/// Runs a file: by GPU, its chunks, each a source and a destination.
fn run(text: &str) -> Vec<HashMap<(String, i64), (usize, usize)>> {
    let algorithm = &elements(text, "algo")[0];
    for key in ["minBytes", "maxBytes", "outofplace", "inplace", "proto", "nchunksperloop"] {
        assert!(algorithm.0.contains_key(key), "RCCL's reader demands {key}");
    }
    let gpus = elements(algorithm.1, "gpu");
    let count = gpus.len();
    assert_eq!(number(&algorithm.0, "ngpus"), count as i64);
    let gathers = algorithm.0["coll"] == "allgather";
    let mut memory: Vec<HashMap<(String, i64), (usize, usize)>> = (0..count)
        .map(|g| match (gathers, algorithm.0["inplace"].as_str()) {
            (true, "1") => [(("o".to_string(), g as i64), (g, usize::MAX))].into(),
            (true, _) => [(("i".to_string(), 0), (g, usize::MAX))].into(),
            _ => (0..count).map(|d| (("i".to_string(), d as i64), (g, d))).collect(),
        })
        .collect();
    let blocks: Vec<Vec<(Element, Vec<Element>)>> = gpus
        .iter()
        .map(|(_, body)| {
            let block = |(head, body): (Element, &str)| {
                (head, elements(body, "step").into_iter().map(|(step, _)| step).collect())
            };
            elements(body, "tb").into_iter().map(block).collect()
        })
        .collect();
    let mut done: Vec<Vec<usize>> = blocks.iter().map(|list| vec![0; list.len()]).collect();
    let mut sent: HashMap<(i64, i64, i64), VecDeque<Sent>> = HashMap::new();
    let mut moved = true;
    while moved {
        moved = false;
        for (g, blocks) in blocks.iter().enumerate() {
            for (b, (head, steps)) in blocks.iter().enumerate() {
                let Some(step) = steps.get(done[g][b]) else { continue };
                let [depid, deps] = ["depid", "deps"].map(|key| number(step, key));
                if depid >= 0 {
                    let awaited = &blocks[depid as usize].1[deps as usize];
                    assert_eq!(awaited["hasdep"], "1");
                    if done[g][depid as usize] as i64 <= deps {
                        continue;
                    }
                }
                let chunk =
                    |buffer: &str, offset: &str| (step[buffer].clone(), number(step, offset));
                let (from, to) = (chunk("srcbuf", "srcoff"), chunk("dstbuf", "dstoff"));
                let channel = number(head, "chan");
                match step["type"].as_str() {
                    "s" => {
                        let held = memory[g][&from];
                        let connection = (g as i64, number(head, "send"), channel);
                        sent.entry(connection).or_default().push_back((step.clone(), held));
                    }
                    "r" => {
                        let connection = (number(head, "recv"), g as i64, channel);
                        let queue = sent.entry(connection).or_default();
                        let Some((send, held)) = queue.pop_front() else { continue };
                        for key in ["srcbuf", "srcoff", "dstbuf", "dstoff", "cnt"] {
                            assert_eq!(send[key], step[key], "both ends say the same");
                        }
                        memory[g].insert(to, held);
                    }
                    "cpy" => {
                        let held = memory[g][&from];
                        memory[g].insert(to, held);
                    }
                    other => panic!("a step of type {other}"),
                }
                done[g][b] += 1;
                moved = true;
            }
        }
    }
    for (done, blocks) in done.iter().zip(&blocks) {
        assert!(done.iter().zip(blocks).all(|(done, (_, steps))| *done == steps.len()), "stuck");
    }
    assert!(sent.values().all(VecDeque::is_empty));
    memory
}

fn in_place(schedule: &ScheduleFile) -> Settings {
    assert_eq!(schedule.model.collective, "aab");
    Settings { in_place: true, ..Settings::default() }
}

#[test]
fn every_gpu_gets_every_message() {
    let (wormhole, stored) = (Switching::Wormhole, Switching::StoreAndForward);
    for (network, collective, switching) in [
        ("petersen", Collective::Aab, stored),
        ("fat-tree:8", Collective::Aab, wormhole),
        ("ring:8", Collective::Aab, stored),
        ("kautz:3,2", Collective::Aab, stored),
        ("petersen", Collective::Aas, stored),
        ("hypercube:3", Collective::Aas, stored),
        ("mesh:3x3", Collective::Aas, stored),
        ("fat-tree:32", Collective::Aas, wormhole),
    ] {
        let schedule = solved(network, collective, switching);
        let gpus = schedule.model.senders.len();
        let mut texts = vec![text(&schedule, "msccl-xml")];
        if collective == Collective::Aab {
            match exported(&schedule, "msccl-xml", &in_place(&schedule)) {
                Output::File(text) => texts.push(text),
                _ => unreachable!("it is one file"),
            }
            assert!(texts[0].contains("cpy") && !texts[1].contains("cpy"));
            for (step, _) in elements(&texts[1], "step") {
                assert_eq!(step["srcoff"], step["dstoff"], "Chakra's converter demands it");
            }
        }
        for text in texts {
            assert!(text.starts_with("<algo "));
            for (g, memory) in run(&text).into_iter().enumerate() {
                for source in 0..gpus {
                    let (held, _) = (memory[&("o".to_string(), source as i64)], ());
                    assert_eq!(held.0, source, "{network}");
                    assert!(held.1 == usize::MAX || held.1 == g, "{network}");
                }
            }
            // The limits of RCCL's reader.
            for (_, gpu) in elements(&text, "gpu") {
                let blocks = elements(gpu, "tb");
                assert!(blocks.len() <= 64);
                let mut of_channel: HashMap<i64, usize> = HashMap::new();
                for (head, body) in &blocks {
                    assert!(elements(body, "step").len() <= 64);
                    *of_channel.entry(number(head, "chan")).or_default() += 1;
                }
                // A copy needs no peer.
                assert!(of_channel.values().all(|&count| count <= 33), "{of_channel:?}");
            }
        }
    }
}

#[test]
fn limits_of_the_format_are_named() {
    let refused = |schedule: &ScheduleFile, settings: &Settings| {
        let format = export::find("msccl-xml").unwrap();
        let subject = Subject::of(schedule).unwrap();
        export::write(format, &subject, settings).unwrap_err().to_string()
    };
    let plain = Settings::default();
    let moved = Settings { in_place: true, ..Settings::default() };
    let (wormhole, stored) = (Switching::Wormhole, Switching::StoreAndForward);
    for (network, collective, switching, settings, part) in [
        (
            "ring:4",
            Collective::Oab,
            wormhole,
            &plain,
            "written for aab (all-gather), aas (all-to-all), reduce, reduce-scatter and",
        ),
        ("ring:4", Collective::Aas, wormhole, &moved, "in_place: an all-to-all moves messages"),
        (
            "fat-tree:64",
            Collective::Aas,
            wormhole,
            &plain,
            "thread blocks, two for each peer; RCCL",
        ),
        ("fat-tree:4", Collective::Aas, stored, &plain, "stores messages, and no rank"),
        (
            "ring:5",
            Collective::Aas,
            wormhole,
            &plain,
            "but GPUs pass nothing on that is not sent to them; a schedule with hosts switching",
        ),
        (
            "ring:24",
            Collective::Aas,
            stored,
            &plain,
            "in a thread block; RCCL's reader takes at most 64 steps",
        ),
    ] {
        let why = refused(&solved(network, collective, switching), settings);
        assert!(why.contains(part), "{network}: {why}");
    }
}
