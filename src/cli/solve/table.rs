//! The schedule above the summary, where it is short or asked for.

use crate::cli::terminal;
use crate::schedule::ScheduleFile;
use crate::show;
use std::collections::HashSet;
use std::path::Path;

/// More rows than this fill screens that nobody has asked for.
const MOST_SENDERS: usize = 30;

/// The schedule, or where there is more to see, or nothing: what is saved is not printed as well.
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
