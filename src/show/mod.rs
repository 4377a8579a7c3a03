//! Schedules as the papers print them: scatters as a table of sources and steps, broadcasts as the
//! trees of their messages. Nothing is verified here, and odd content is shown as it is.

mod bottlenecks;
mod table;
mod text;
mod trees;

use crate::problem::{Collective, Content};
use crate::schedule::ScheduleFile;

/// The schedule as text of about a hundred columns.
pub fn schedule(file: &ScheduleFile) -> String {
    let model = &file.model;
    let mut out = format!(
        "{} in {} step{} on {}, {}\n\n",
        model.collective.to_uppercase(),
        file.steps.len(),
        if file.steps.len() == 1 { "" } else { "s" },
        file.network.name,
        model.switching,
    );
    out += &match model.collective.parse().map(Collective::content) {
        Ok(Content::Common) => trees::print(file),
        Ok(Content::Personal) | Err(_) => table::print(file) + &bottlenecks::print(file),
    };
    out
}
