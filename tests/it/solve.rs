//! The façade: its limits hold for the whole call.

use ccsched::engines::{Engine, hgsa};
use ccsched::islands::{Limits, StopReason};
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request};
use ccsched::schedule::Plan;
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

/// One transfer a step, except the first `without`.
fn slow(problem: &Problem, without: usize) -> Arc<Plan> {
    let solution = solve(problem, &Options::default()).unwrap();
    let mut plan = Plan::default();
    for t in solution.plan.unwrap().transfers().skip(without) {
        plan.push(plan.len(), t.message, t.channels.iter().copied());
    }
    Arc::new(plan)
}

#[test]
fn a_call_begins_with_the_schedule_that_is_given() {
    let problem = scatter("ring:6");
    let first = slow(&problem, 0);
    let heard = Arc::new(Mutex::new(vec![]));
    let hears = heard.clone();
    let listener = Listener::new(move |file| hears.lock().unwrap().push(file.steps.len()));
    for engine in [Engine::default(), Engine::Hgsa(hgsa::Params::default())] {
        let options = Options {
            engine,
            from: Some(first.clone()),
            listener: Some(listener.clone()),
            limits: Limits { iterations: 2000, ..Limits::default() },
            ..Options::default()
        };
        let solution = solve(&problem, &options).unwrap();
        let steps = std::mem::take(&mut *heard.lock().unwrap());
        assert_eq!(steps.first(), Some(&first.len()));
        assert!(steps.is_sorted_by(|a, b| a > b), "{steps:?}");
        assert!(solution.steps() < Some(first.len()) && solution.steps() == steps.last().copied());
        // What is optimal ends the call.
        let from = Options { from: solution.plan.clone(), listener: None, ..options };
        let again = solve(&problem, &from).unwrap();
        assert!(again.steps() <= solution.steps());
        if solution.is_optimal() {
            assert_eq!(again.schedule().unwrap().provenance.method, "the schedule given");
            assert_eq!(again.reason, StopReason::Bound);
        }
    }
}

#[test]
fn a_schedule_of_another_problem_is_refused() {
    let problem = scatter("ring:4");
    let refused = |plan: Arc<Plan>, engine| {
        let options = Options { engine, from: Some(plan), ..Options::default() };
        solve(&problem, &options).unwrap_err().to_string()
    };
    let why = refused(slow(&scatter("ring:6"), 0), Engine::default());
    assert!(why.contains("not valid for the problem: it has messages or channels of another"));
    let why = refused(slow(&problem, 1), Engine::default());
    assert!(why.contains("not valid for the problem:") && why.contains("'0'"), "{why}");
    let why = refused(slow(&problem, 0), Engine::Dsatur);
    assert!(why.contains("dsatur"), "{why}");
}
