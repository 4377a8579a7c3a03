//! A transfer a line. The path stands twice: as the numbers of its channels in the schedule file,
//! and as its vertices. `import` reads the file back.

use super::{Output, Settings, Subject};
use crate::network::VertexId;
use crate::schedule::cells::cell;
use crate::{Error, Result};

/// The columns. Steps are counted from 1.
const COLUMNS: [&str; 9] =
    ["step", "source", "destination", "copy", "bytes", "from", "to", "channels", "path"];

/// Writes a schedule.
pub(super) fn write(subject: &Subject, _: &Settings) -> Result<Output> {
    text(subject).map(Output::File).map_err(|e| Error::problem(format!("csv: {e}")))
}

fn text(subject: &Subject) -> Result<String, Box<dyn std::error::Error>> {
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record(COLUMNS)?;
    let name = |v: VertexId| subject.name(v);
    let of = |v: VertexId| cell(name(v));
    for step in 0..subject.steps() {
        for t in subject.step(step) {
            let channels: Vec<String> = t.channels.iter().map(u32::to_string).collect();
            let path: Vec<&str> = subject.path(t.channels).into_iter().map(name).collect();
            out.write_record([
                (step + 1).to_string().as_str(),
                &of(t.message.origin),
                &t.message.destination.map_or("".into(), of),
                &t.message.copy.map_or(String::new(), |copy| copy.to_string()),
                &t.bytes.map_or(String::new(), |bytes| bytes.to_string()),
                &of(t.from),
                &of(t.to),
                &channels.join(" "),
                &cell(&path.join(">")),
            ])?;
        }
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}
