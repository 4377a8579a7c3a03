//! Resilience: the samples of broken links are the same on one rank and on several.

use ccsched::comm::{Solo, thread_group};
use ccsched::experiments::resilience::{Sample, Samples};
use ccsched::islands::{RankGroup, serve_tasks};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request};
use ccsched::{Options, islands::Limits};
use std::sync::atomic::AtomicBool;
use std::thread;

#[test]
fn ranks_share_the_samples_and_find_the_same() {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let limits = Limits { iterations: 50, ..Limits::default() };
    let samples = Samples {
        networks: ["mesh:2x3", "ring:5"].map(|name| spec::parse(name).unwrap()).to_vec(),
        request: Request::new(Collective::Aas),
        faults: vec![0, 1, 2],
        samples: 3,
        options: Options { islands: Some(2), limits, ..Options::default() },
    };
    assert_eq!(samples.tasks().len(), 2 * (1 + 3 + 3));
    let alone = samples.rows((&mut RankGroup::new(&mut Solo), &NEVER), &|| {}).unwrap();
    assert!(alone.0.iter().any(|row| row.cut > 0) && !alone.1);
    let mut members = thread_group(3).into_iter();
    let mut master = members.next().unwrap();
    let samples = &samples;
    thread::scope(|scope| {
        for mut member in members {
            scope.spawn(move || {
                let solve = |sample: &Sample, stops: &AtomicBool| samples.solve(sample, stops);
                serve_tasks(&mut member, &solve, &NEVER).unwrap();
            });
        }
        let mut group = RankGroup::new(&mut master);
        assert_eq!(samples.rows((&mut group, &NEVER), &|| {}).unwrap(), alone);
        group.dismiss().unwrap();
    });
}
