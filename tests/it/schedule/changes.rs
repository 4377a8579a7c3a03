//! Differences of two schedules.

use ccsched::network::spec;
use ccsched::problem::{Collective, Request};
use ccsched::schedule::changes::Changes;
use ccsched::schedule::file::Provenance;
use ccsched::schedule::{Plan, ScheduleFile, resolve};
use ccsched::{Options, solve};

fn ring() -> ScheduleFile {
    let request = Request::new(Collective::Aas);
    let problem = request.pose(spec::parse("ring:5").unwrap(), vec![]).unwrap();
    solve(&problem, &Options::default()).unwrap().schedule().unwrap()
}

#[test]
fn a_schedule_does_not_differ_from_itself() {
    let file = ring();
    let changes = Changes::between(&file, &file);
    assert_eq!((changes.kept, changes.changed.len()), (20, 0));
    assert_eq!(
        changes.summary(),
        "20 messages kept, 0 changed (0 only in their steps), 0 added, 0 dropped"
    );
}

#[test]
fn later_steps_and_dropped_messages_are_told_apart() {
    let old = ring();
    let (problem, plan) = resolve(&old).unwrap();
    let mut later = Plan::default();
    let mut is_first = true;
    for (step, transfers) in plan.steps().enumerate() {
        for t in transfers.iter() {
            if t.message == 0 {
                continue;
            }
            let step = if is_first { plan.len() } else { step };
            later.push(step, t.message, t.channels.iter().copied());
            is_first = false;
        }
    }
    let new = later.record(&problem, &[], Provenance::default());
    let changes = Changes::between(&old, &new);
    assert_eq!((changes.kept, changes.changed.len(), changes.dropped.len()), (18, 1, 1));
    assert!(changes.changed[0].is_of_steps());
    assert_eq!(changes.changed[0].new[0].step, plan.len() + 1);
    let back = Changes::between(&new, &old);
    assert_eq!((back.kept, back.added.len()), (18, 1));
}
