//! The façade: its limits hold for the whole call.

use ccsched::engines::{Engine, hgsa};
use ccsched::islands::{Form, Limits, StopReason};
use ccsched::network::spec;
use ccsched::problem::{Collective, Pair, Problem, Request};
use ccsched::schedule::{Plan, order_onto};
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
    Options { engine: Engine::from(hgsa::Params::default()), limits, ..Options::default() }
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
    for engine in [Engine::default(), Engine::from(hgsa::Params::default())] {
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
    let why = refused(slow(&problem, 0), Engine::of(&ccsched::engines::exact::DSATUR));
    assert!(why.contains("dsatur"), "{why}");
}

/// An all-to-all of eight terminals on links for one message, whose lengths a number draws.
fn sized(number: u64) -> Problem {
    let ends = (0..8u64).flat_map(|a| (0..8).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let pair = |(a, b): (u64, u64)| Pair {
        source: a.to_string(),
        destination: b.to_string(),
        bytes: Some(1 + (8 * a + b) * number % 101),
        count: 1,
    };
    let request =
        Request { pairs: Some(ends.map(pair).collect()), ..Request::new(Collective::Traffic) };
    request.pose(spec::parse("random-regular:8,3,1").unwrap(), vec![]).unwrap()
}

fn for_time(form: Form, from: Option<Arc<Plan>>, iterations: u64) -> Options {
    let limits = Limits { iterations, ..Limits::default() };
    Options { form: Some(form), from, limits, islands: Some(2), ..Options::default() }
}

#[test]
fn messages_of_different_lengths_take_the_least_time() {
    let problem = sized(7919);
    let heard = Arc::new(Mutex::new(vec![]));
    let hears = heard.clone();
    let listener = Listener::new(move |file| {
        assert_eq!(verify(file), []);
        hears.lock().unwrap().push(file.span().unwrap());
    });
    let options = Options { listener: Some(listener), ..for_time(Form::Timed, None, 40) };
    let solution = solve(&problem, &options).unwrap();
    let file = solution.schedule().unwrap();
    let heard = heard.lock().unwrap();
    assert!(heard.is_sorted_by(|a, b| a > b) && heard.last().copied() == file.span(), "{heard:?}");
    let least = solution.least_cost();
    assert!(file.is_timed() && Some(least) <= file.span());
    assert_eq!(solution.is_optimal(), Some(least) == file.span());
    let steps = solve(&problem, &for_time(Form::Steps { startup: 5 }, None, 40)).unwrap();
    let file = steps.schedule().unwrap();
    assert_eq!((verify(&file), steps.steps()), (vec![], Some(file.steps.len())));
    for (options, word) in [
        (Options { steps: Some(3), ..options.clone() }, "steps"),
        (Options { engine: Engine::from(hgsa::Params::default()), ..options.clone() }, "engine"),
    ] {
        let why = solve(&problem, &options).unwrap_err().to_string();
        assert!(why.contains(word), "{why}");
    }
    assert!(solve(&scatter("ring:4"), &options).unwrap_err().to_string().contains("lengths"));
}

/// New lengths on the same network: the first schedule is at least as good as the messages in the old order,
/// each as early as its old path allows. The lists here are written from the model alone.
#[test]
fn the_least_time_begins_with_an_old_order() {
    let new = sized(104_729);
    let lengths = new.lengths().unwrap();
    for form in [Form::Timed, Form::Steps { startup: 5 }] {
        let old = solve(&sized(7919), &for_time(form, None, 40)).unwrap().schedule().unwrap();
        let order = order_onto(&old, &new).unwrap();
        assert_eq!(order.len(), new.messages());
        let mut plan = Plan::default();
        // Start, end and path, or a step and its end.
        let mut held: Vec<(u64, u64, &[u32])> = vec![];
        let mut longest: Vec<u64> = vec![];
        for (message, path) in &order {
            plan.push(0, *message, path.iter().copied());
            let bytes = lengths[*message as usize];
            let lasts = if form == Form::Timed { bytes } else { 1 };
            let is_free = |&at: &u64| {
                let meets = |h: &(u64, u64, &[u32])| h.0 < at + lasts && at < h.1;
                let shares = |h: &(u64, u64, &[u32])| h.2.iter().any(|c| path.contains(c));
                !held.iter().any(|h| meets(h) && shares(h))
            };
            let at = held.iter().map(|h| h.1).chain([0]).filter(is_free).min().unwrap();
            held.push((at, at + lasts, path));
            longest.resize(longest.len().max(at as usize + 1), 0);
            longest[at as usize] = longest[at as usize].max(bytes);
        }
        let listed = match form {
            Form::Timed => held.iter().map(|h| h.1).max().unwrap(),
            Form::Steps { startup } => {
                let steps = held.iter().map(|h| h.1).max().unwrap();
                longest.iter().sum::<u64>() + startup * steps
            }
        };
        let first = solve(&new, &for_time(form, Some(Arc::new(plan)), 1)).unwrap();
        let cost = first.plan.as_ref().unwrap().cost();
        assert!(cost <= listed, "{form:?}: {cost}, but the old order takes {listed}");
        assert_eq!(verify(&first.schedule().unwrap()), []);
    }
}
