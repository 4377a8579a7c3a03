//! The schedule above the summary, if it is short or requested.

use crate::cli::terminal;
use crate::schedule::ScheduleFile;
use crate::show;
use std::collections::HashSet;

/// Larger tables are printed only with --table.
const MOST_SENDERS: usize = 30;

/// The schedule; a hint at --table if it is too long.
pub fn text(record: &ScheduleFile, asked: bool) -> String {
    let senders: HashSet<&str> = record.steps.iter().flatten().map(|t| t.from).collect();
    if asked || senders.len() <= MOST_SENDERS {
        return format!("{}\n", show::fitted(record, terminal::width()));
    }
    format!("{} senders; --table prints the schedule\n", senders.len())
}
