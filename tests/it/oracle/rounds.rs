//! Steps of several rounds: the marks of trade-offs against exact solutions of random tiny problems.

use super::model::Model;
use super::{NODES, spreading};
use crate::support::tiny;
use ccsched::Options;
use ccsched::islands::Limits;
use ccsched::problem::{Collective, Problem};
use ccsched::rng::rng_of;
use ccsched::tradeoff::{Point, Tradeoff};
use ccsched::verify::verify;

/// Problems that are drawn, and those that must be decided.
const PROBLEMS: usize = 160;
const DECIDED: usize = 100;

fn points(problem: &Problem) -> Vec<Point> {
    let limits = Limits { iterations: 200, ..Limits::default() };
    let tradeoff = Tradeoff {
        request: problem.request().clone(),
        network: problem.asked_network().into_owned(),
        faults: vec![],
        most_pieces: 1,
        effort: 50,
        options: Options { islands: Some(1), limits, ..Options::default() },
        table: None,
    };
    tradeoff.run(&mut |_| ()).unwrap()
}

/// A mark says that no schedule has fewer steps and no more rounds, or fewer rounds and no more steps.
#[test]
fn marked_schedules_are_not_beaten() {
    let collectives =
        [Collective::Oab, Collective::Aab, Collective::Reduce, Collective::ReduceScatter];
    let mut rng = rng_of(31, 0, 0);
    let (mut decided, mut marked, mut least, mut all) = (0, 0, 0, 0);
    for drawn in 0..PROBLEMS {
        let problem = tiny::problem(&mut rng, collectives[drawn % collectives.len()]);
        let model = Model::new(&problem, true);
        let points = points(&problem);
        assert!(!points.is_empty(), "problem {drawn}");
        let mut is_decided = true;
        for point in &points {
            assert_eq!(verify(&point.file), [], "problem {drawn}");
            let (steps, rounds) = (point.steps as usize, point.rounds as usize);
            let fits = |of| spreading::fits(&model, of, NODES);
            let fewer = [(steps - 1, rounds), (steps, rounds - 1)];
            let fewer =
                fewer.into_iter().map(|(s, r)| if s == 0 { Ok(false) } else { fits((s, r)) });
            let (Ok(is_beaten), Ok(can_be)) =
                (fewer.collect::<Result<Vec<bool>, _>>(), fits((steps, rounds)))
            else {
                is_decided = false;
                continue;
            };
            let is_beaten = is_beaten.contains(&true);
            assert!(can_be, "problem {drawn}: {steps} steps and {rounds} rounds cannot be");
            assert!(!(point.is_proved && is_beaten), "problem {drawn}: {steps}, {rounds}");
            all += 1;
            marked += usize::from(point.is_proved);
            least += usize::from(!is_beaten);
        }
        decided += usize::from(is_decided);
    }
    println!("{decided} decided; of {all} schedules {least} are not beaten, {marked} marked");
    assert!(decided >= DECIDED, "{decided}");
    assert!(marked * 10 >= all * 6 && least * 10 >= all * 9, "{marked}, {least} of {all}");
}
