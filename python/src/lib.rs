//! The native part of the Python package: texts in, texts out. A schedule crosses as the text of its
//! file, options as the words of the command line, so that Python has what the program has.

use ccsched::cli::posing::{self, Posed};
use ccsched::islands::{Solution, StopReason};
use ccsched::schedule::{self, Plan, ScheduleFile};
use ccsched::{Listener, Network, Problem, bounds, show, solve};
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyStopIteration, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

create_exception!(_native, Error, PyValueError, "Wrong input, in the words of the program.");

/// How often a search looks for a key that interrupts it.
const HEED: Duration = Duration::from_millis(50);

fn refuse(why: impl Display) -> PyErr {
    Error::new_err(why.to_string())
}

fn read(text: &str) -> PyResult<ScheduleFile> {
    ScheduleFile::from_bytes(text.as_bytes()).map_err(refuse)
}

/// Why a run ended, the largest lower bound, the seconds, and the words about the method.
type About = (String, u32, f64, Option<String>);

/// What a search tells while it runs.
enum News {
    /// The text of a better schedule.
    Better(String),
    End(Result<Box<Solution>, String>),
}

/// Solves a problem; returns the text of the schedule's file, if there is one, what the reader of the
/// network noticed, and how the run went. `heard` is called with the text of each better schedule.
#[pyfunction]
#[pyo3(signature = (words, begin=None, heard=None))]
fn design(
    py: Python<'_>,
    words: Vec<String>,
    begin: Option<&str>,
    heard: Option<Py<PyAny>>,
) -> PyResult<(Option<String>, Vec<String>, About)> {
    let Posed { problem, mut options, notices } =
        py.detach(|| posing::pose(&words)).map_err(refuse)?;
    if let Some(text) = begin {
        let plan = begun(&read(text)?, &problem, options.form.is_some());
        let plan = plan.map_err(|why| refuse(format!("start_from: {why}")))?;
        options.from = Some(Arc::new(plan));
    }
    let interrupt = Arc::new(AtomicBool::new(false));
    options.interrupt = Some(interrupt.clone());
    let (tell, news) = channel();
    if heard.is_some() {
        options.listener = Some(listener(tell.clone()));
    }
    // The search has a thread of its own, so that this one can heed the keyboard.
    let search = thread::spawn(move || {
        let end = solve(&problem, &options).map(Box::new).map_err(|why| why.to_string());
        let _ = tell.send(News::End(end));
    });
    let news = Mutex::new(news);
    let (end, failure) = wait(py, &news, heard.as_ref(), &interrupt);
    let _ = py.detach(|| search.join());
    if let Some(failure) = failure {
        return Err(failure);
    }
    let solution = end.map_err(refuse)?;
    if solution.reason == StopReason::Interrupted && solution.plan.is_none() {
        return Err(PyKeyboardInterrupt::new_err("there is no schedule yet"));
    }
    let about = (
        solution.reason.words().to_string(),
        solution.lower_bound(),
        solution.seconds,
        solution.method.as_ref().map(ToString::to_string),
    );
    let text = py.detach(|| solution.schedule().map(|schedule| schedule.to_json()));
    Ok((text, notices, about))
}

/// What a search begins with: the schedule of the problem, or for the least time an order of messages.
fn begun(file: &ScheduleFile, problem: &Problem, is_order: bool) -> ccsched::Result<Plan> {
    if !is_order {
        return schedule::resolve_onto(file, problem);
    }
    let mut plan = Plan::default();
    for (message, channels) in schedule::order_onto(file, problem)? {
        plan.push(0, message, channels);
    }
    Ok(plan)
}

/// Tells each better schedule.
fn listener(tell: Sender<News>) -> Listener {
    Listener::new(move |schedule| {
        // The receiver lives until the end of the search.
        let _ = tell.send(News::Better(schedule.to_json()));
    })
}

/// Waits for the end of a search. An interrupt from the keyboard ends it, and `StopIteration` of `heard`:
/// what it has found is the result. Any other exception of `heard` ends it too, and is returned.
fn wait(
    py: Python<'_>,
    news: &Mutex<Receiver<News>>,
    heard: Option<&Py<PyAny>>,
    interrupt: &AtomicBool,
) -> (Result<Box<Solution>, String>, Option<PyErr>) {
    let mut failure = None;
    // The first one counts; the search ends with either.
    let mut stop = |error: PyErr| {
        interrupt.store(true, Ordering::Relaxed);
        let is_gentle = error.is_instance_of::<PyStopIteration>(py)
            || error.is_instance_of::<PyKeyboardInterrupt>(py);
        if failure.is_none() && !is_gentle {
            failure = Some(error);
        }
    };
    let end = loop {
        let got = py.detach(|| match news.lock() {
            Ok(news) => news.recv_timeout(HEED),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        match got {
            Ok(News::End(end)) => break end,
            Ok(News::Better(text)) if !interrupt.load(Ordering::Relaxed) => {
                let told = heard.map_or(Ok(py.None()), |heard| heard.call1(py, (text,)));
                told.map_or_else(&mut stop, |_| ());
            }
            Ok(News::Better(_)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                break Err("internal error, please report it: the search panicked".into());
            }
        }
        py.check_signals().unwrap_or_else(&mut stop);
    };
    (end, failure)
}

/// The rules that a schedule violates, in words; none if it is valid.
#[pyfunction]
fn violations(py: Python<'_>, text: &str) -> PyResult<Vec<String>> {
    let file = read(text)?;
    Ok(py.detach(|| ccsched::verify::verify(&file)).iter().map(ToString::to_string).collect())
}

/// The text of a schedule file, which may be compressed.
#[pyfunction]
fn loaded(path: PathBuf) -> PyResult<String> {
    ScheduleFile::read(path).map(|file| file.to_json()).map_err(refuse)
}

/// A lower bound: name, steps, words about the bottleneck; bytes in place of steps where messages have
/// lengths.
type Row = (String, Option<u32>, String, Option<u64>);

/// The lower bounds of a problem on steps, the largest first, then those in bytes.
#[pyfunction]
fn lower_bounds(py: Python<'_>, words: Vec<String>) -> PyResult<Vec<Row>> {
    py.detach(|| {
        let problem = posing::pose(&words)?.problem;
        let about = |bound: &bounds::Bound| {
            let why = posing::evidence(&problem, bound);
            (bound.name.to_string(), Some(bound.steps), why, None)
        };
        let of_bytes = posing::in_bytes(&problem).into_iter();
        let of_bytes =
            of_bytes.map(|(name, bytes, why)| (name.to_string(), None, why, Some(bytes)));
        Ok(bounds::all(&problem).iter().map(about).chain(of_bytes).collect())
    })
    .map_err(|why: String| refuse(why))
}

/// A network: name, vertices (name, whether it is a terminal), channels (from, to, capacity, opposite
/// channel that shares it), a picture, the text of its file, and what its reader noticed.
type Parts = (
    String,
    Vec<(String, bool)>,
    Vec<(usize, usize, u32, Option<usize>)>,
    String,
    String,
    Vec<String>,
);

/// The network of some options of `ccsched topology`.
#[pyfunction]
fn network(py: Python<'_>, words: Vec<String>) -> PyResult<Parts> {
    let parts = |network: &Network| {
        let vertex = |v: &ccsched::network::Vertex| (v.name.to_string(), v.terminal);
        let channel = |c: &ccsched::network::Channel| {
            (c.from as usize, c.to as usize, c.capacity, c.excludes().map(|other| other as usize))
        };
        let vertices = network.vertices().iter().map(vertex).collect();
        let channels = network.channels().iter().map(channel).collect();
        (network.name().to_string(), vertices, channels, show::svg::network(network))
    };
    py.detach(|| {
        let (network, notices) = posing::network(&words)?;
        let text = ccsched::network::files::toml::write::to_toml(&network);
        let text = text.map_err(|why| why.to_string())?;
        let (name, vertices, channels, picture) = parts(&network);
        Ok((name, vertices, channels, picture, text, notices))
    })
    .map_err(|why: String| refuse(why))
}

/// The schedule as text that fits a number of columns.
#[pyfunction]
fn table(text: &str, columns: usize) -> PyResult<String> {
    Ok(show::fitted(&read(text)?, columns))
}

/// The schedule as a page for a browser.
#[pyfunction]
fn page(text: &str) -> PyResult<String> {
    let file = read(text)?;
    if file.is_timed() {
        return Ok(show::gantt::page(&file));
    }
    let steps: Vec<usize> = (0..file.steps.len()).collect();
    show::html::page(&file, &steps).map_err(refuse)
}

/// A picture (SVG) of a step, from 0, or of all on a sheet; of a timed schedule a chart of its links.
#[pyfunction]
#[pyo3(signature = (text, step=None))]
fn picture(text: &str, step: Option<usize>) -> PyResult<String> {
    let file = read(text)?;
    if file.is_timed() {
        return Ok(show::gantt::chart(&file));
    }
    let picture = show::svg::Picture::of(&file).map_err(refuse)?;
    match step {
        Some(step) => picture.step(step),
        None => picture.sheet(&(0..file.steps.len()).collect::<Vec<_>>()),
    }
    .map_err(refuse)
}

/// Where pictures put the vertices: x to the right, y down.
#[pyfunction]
fn places(text: &str) -> PyResult<Vec<(f64, f64)>> {
    show::places(&read(text)?).map_err(refuse)
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        Error, design, loaded, lower_bounds, network, page, picture, places, table, violations,
    };

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
