//! The files for SimGrid: the traces say what the schedule says, along routes that are its paths;
//! `smpirun` replays them in the time of the steps where it is installed.

use super::{exported, samples, solved};
use ccsched::export::{Output, Settings, Synchronisation};
use ccsched::problem::{Collective, Switching};
use ccsched::schedule::ScheduleFile;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

fn files(schedule: &ScheduleFile, settings: &Settings) -> HashMap<String, String> {
    match exported(schedule, "simgrid", settings) {
        Output::Folder(files) => files.into_iter().collect(),
        _ => unreachable!("simgrid is a folder"),
    }
}

/// The values of an attribute, in their order.
fn values<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let start = format!("{name}=\"");
    text.split(&start as &str).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// By hosts, the links of their route.
fn routes(platform: &str) -> HashMap<[usize; 2], Vec<&str>> {
    let routes = platform.lines().filter(|line| line.starts_with("<route "));
    let read = |line| {
        let host = |name| values(line, name)[0].strip_prefix('h').unwrap().parse().unwrap();
        ([host("src"), host("dst")], values(line, "id"))
    };
    routes.map(read).collect()
}

#[test]
fn traces_and_routes_say_what_the_schedule_says() {
    for schedule in samples() {
        let files = files(&schedule, &Settings::default());
        let routes = routes(&files["platform.xml"]);
        let hosts = files["hosts.txt"].lines().count();
        assert_eq!(routes.len(), hosts * (hosts - 1), "SimGrid wants a route for every pair");
        let vertex: Vec<&str> =
            files["vertices.txt"].lines().map(|line| line.split_once(' ').unwrap().1).collect();
        let mut sent = vec![Vec::new(); schedule.steps.len()];
        let mut received = sent.clone();
        for (rank, name) in files["traces.txt"].lines().enumerate() {
            let mut step = 0;
            let mut open = 0;
            for line in files[name].lines() {
                let words: Vec<&str> = line.split(' ').collect();
                assert_eq!(words[0], rank.to_string());
                match words[1..] {
                    ["isend" | "irecv", peer, tag, bytes] => {
                        let peer: usize = peer.parse().unwrap();
                        assert_eq!(bytes, "1000000");
                        open += 1;
                        match words[1] {
                            "isend" => sent[step].push((tag.to_string(), rank, peer)),
                            _ => received[step].push((tag.to_string(), peer, rank)),
                        }
                    }
                    ["waitall", count] => {
                        assert_eq!(count, open.to_string());
                        open = 0;
                    }
                    ["barrier"] => step += 1,
                    ["init" | "finalize"] => (),
                    _ => panic!("{line}"),
                }
            }
            assert_eq!((step, open), (schedule.steps.len(), 0));
        }
        for (step, (sent, received)) in sent.iter_mut().zip(&mut received).enumerate() {
            sent.sort();
            received.sort();
            assert_eq!(sent, received);
            let link = |&c: &u32| {
                let other = schedule.network.channels[c as usize].excludes;
                format!("c{}", other.map_or(c as usize, |other| other.min(c as usize)))
            };
            let path = |channels: &[u32]| channels.iter().map(link).collect::<Vec<_>>();
            let transfers = schedule.steps.iter().nth(step).unwrap();
            let mut planned: Vec<_> = transfers
                .map(|t| (t.from.to_string(), t.to.to_string(), path(t.channels)))
                .collect();
            let of_trace = sent.iter().map(|&(_, from, to)| {
                let links = routes[&[from, to]].iter().filter(|link| **link != "rate");
                let links = links.map(|link| link.to_string()).collect();
                (vertex[from].to_string(), vertex[to].to_string(), links)
            });
            let mut of_trace: Vec<_> = of_trace.collect();
            planned.sort();
            of_trace.sort();
            assert_eq!(of_trace, planned, "{} step {step}", schedule.network.name);
        }
    }
}

fn replay(folder: &Path, schedule: &ScheduleFile, settings: &Settings) -> f64 {
    std::fs::create_dir_all(folder.join("trace")).unwrap();
    for (name, text) in files(schedule, settings) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let out = Command::new("sh").arg(folder.join("replay.sh")).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let time = said.split("Simulation time ").last().unwrap().trim().parse();
    time.unwrap_or_else(|_| panic!("{said}"))
}

#[test]
fn smpirun_replays_a_schedule_in_the_time_of_its_steps() {
    if Command::new("smpirun").arg("-version").output().is_err() {
        eprintln!("skipped: smpirun is not installed (Debian: libsimgrid-dev)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let schedule = solved("hypercube:3,width=2", Collective::Aas, Switching::Wormhole);
    let steps = schedule.steps.len() as f64;
    let time = replay(folder.path(), &schedule, &Settings::default());
    assert!((time - steps).abs() < 1e-3 * steps, "{time} s for {steps} steps");
    let bytes = Settings { bytes: Some(250_000), ..Settings::default() };
    let time = replay(folder.path(), &schedule, &bytes);
    assert!((time - steps / 4.0).abs() < 1e-3 * steps, "{time} s for {steps} steps of 250 kB");
    let local = Settings { sync: Some(Synchronisation::Local), ..Settings::default() };
    assert!(replay(folder.path(), &schedule, &local) > 0.0);
}
