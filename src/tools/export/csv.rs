//! A transfer a line. The path stands twice: as the numbers of its channels in the schedule file,
//! and as its vertices. `import` reads the file back.

use super::{Output, Settings, Subject};
use ccsched_base::{Error, Result};
use ccsched_model::problem::Phase;
use ccsched_model::schedule::cells::cell;
use ccsched_network::VertexId;

/// The columns. Steps are counted from 1. Messages in pieces have a further one, and sums that are
/// reduced and then gathered; transfers of a timed schedule have two.
const COLUMNS: [&str; 9] =
    ["step", "source", "destination", "copy", "bytes", "from", "to", "channels", "path"];
const PIECE: &str = "piece";
const PHASE: &str = "phase";
const TIMES: [&str; 2] = ["start", "end"];

/// Writes a schedule.
pub(super) fn write(subject: &Subject, _: &Settings) -> Result<Output> {
    text(subject).map(Output::File).map_err(|e| Error::problem(format!("csv: {e}")))
}

fn text(subject: &Subject) -> Result<String, Box<dyn std::error::Error>> {
    let mut out = ::csv::Writer::from_writer(Vec::new());
    let is_cut = subject.problem.pieces() > 1;
    let has_phases = subject.problem.collective().is_all_reduce();
    let further = [is_cut.then_some(&PIECE), has_phases.then_some(&PHASE)];
    let times = TIMES.iter().filter(|_| subject.is_timed());
    out.write_record(COLUMNS.iter().chain(further.into_iter().flatten()).chain(times))?;
    let name = |v: VertexId| subject.name(v);
    let of = |v: VertexId| cell(name(v));
    for step in 0..subject.steps() {
        for t in subject.step(step) {
            let channels: Vec<String> = t.channels.iter().map(u32::to_string).collect();
            let path: Vec<&str> = subject.path(t.channels).into_iter().map(name).collect();
            let whole = [
                (step + 1).to_string(),
                of(t.message.origin).into(),
                t.message.destination.map_or(String::new(), |v| of(v).into()),
                t.message.copy.map_or(String::new(), |copy| copy.to_string()),
                t.bytes.map_or(String::new(), |bytes| bytes.to_string()),
                of(t.from).into(),
                of(t.to).into(),
                channels.join(" "),
                cell(&path.join(">")).into(),
            ];
            let piece = is_cut.then(|| t.message.piece.to_string());
            let phase = t.message.phase.map(|phase| match phase {
                Phase::Reduce => "reduce".to_string(),
                Phase::Gather => "gather".to_string(),
            });
            let span = t.bytes.unwrap_or(0) + subject.delay_of(t.channels);
            let times = t.at.map(|at| [at, at + span].map(|time| time.to_string()));
            let times = times.iter().flatten();
            out.write_record(whole.iter().chain(&piece).chain(&phase).chain(times))?;
        }
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}
