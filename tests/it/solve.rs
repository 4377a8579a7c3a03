//! The façade: its limits hold for the whole call.

use ccsched::engines::{Engine, hgsa};
use ccsched::islands::{Limits, StopReason};
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request};
use ccsched::verify::verify;
use ccsched::{Listener, Options, solve};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn scatter(topology: &str) -> Problem {
    Request::new(Collective::Aas).pose(spec::parse(topology).unwrap(), vec![]).unwrap()
}

fn limited(time: Duration) -> Options {
    let limits = Limits { time: Some(time), ..Limits::default() };
    Options { engine: Engine::Hgsa(hgsa::Params::default()), limits, ..Options::default() }
}

/// Its bounds take many seconds.
#[test]
fn the_time_limit_covers_the_bounds() {
    let problem = scatter("random-regular:1000,4,1");
    let begin = Instant::now();
    let solution = solve(&problem, &limited(Duration::from_millis(500))).unwrap();
    let spent = begin.elapsed().as_secs_f64();
    assert_eq!((solution.reason, solution.steps()), (StopReason::Time, None));
    // A second more is allowed; the rest is for a busy machine.
    assert!(spent < 10.0, "{spent}");
    assert!(solution.seconds <= spent && solution.seconds > spent - 1.0, "{}", solution.seconds);
}

#[test]
fn an_interrupt_ends_the_call() {
    let flag = Arc::new(AtomicBool::new(false));
    let problem = scatter("random-regular:1000,4,1");
    let options = Options { interrupt: Some(flag.clone()), ..limited(Duration::from_secs(600)) };
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        flag.store(true, Ordering::Relaxed);
    });
    let begin = Instant::now();
    let solution = solve(&problem, &options).unwrap();
    setter.join().unwrap();
    assert_eq!(solution.reason, StopReason::Interrupted);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn a_problem_without_room_is_refused() {
    let options = Options { memory: Some(5_000_000), ..Options::default() };
    let why = solve(&scatter("hypercube:8"), &options).unwrap_err().to_string();
    assert!(why.contains("65280 deliveries") && why.contains("5 MB are allowed"), "{why}");
    if cfg!(target_os = "linux") {
        // One schedule of it needs less; this process has more already.
        let options = Options { memory: Some(3_000_000), ..Options::default() };
        let solution = solve(&scatter("random-regular:150,4,1"), &options).unwrap();
        assert_eq!(solution.reason, StopReason::Memory);
    }
}

#[test]
fn a_listener_gets_verified_schedules_each_better_than_the_last() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let enough = Arc::new(AtomicBool::new(false));
    let (list, flag) = (heard.clone(), enough.clone());
    let listener = Listener::new(move |schedule| {
        assert_eq!(verify(schedule), []);
        let steps = schedule.steps.len();
        list.lock().unwrap().push(steps);
        flag.store(steps <= 30, Ordering::Relaxed);
    });
    let options =
        Options { interrupt: Some(enough), listener: Some(listener), ..Options::default() };
    let solution = solve(&scatter("mesh:3x3x3"), &options).unwrap();
    let heard = heard.lock().unwrap();
    assert!(!heard.is_empty() && heard.is_sorted_by(|a, b| a >= b), "{heard:?}");
    assert_eq!(solution.steps(), heard.last().copied());
    assert_eq!(solution.reason, StopReason::Interrupted);
}
