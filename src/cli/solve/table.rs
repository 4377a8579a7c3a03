//! The schedule above the summary, if it is short or requested.

use crate::cli::terminal;
use crate::schedule::ScheduleFile;
use crate::show;
use std::collections::HashSet;
use std::path::Path;

/// Larger tables are printed only with --table.
const MOST_SENDERS: usize = 30;

/// The schedule; a hint at --table if it is too long; nothing if it is saved.
pub fn text(record: &ScheduleFile, output: Option<&Path>, asked: bool) -> String {
    let senders: HashSet<&str> =
        record.steps.iter().flatten().map(|transfer| transfer.from.as_str()).collect();
    if asked || (output.is_none() && senders.len() <= MOST_SENDERS) {
        return format!("{}\n", show::fitted(record, terminal::width()));
    }
    match output {
        Some(_) => String::new(),
        None => format!("{} senders; --table prints the schedule\n", senders.len()),
    }
}
