//! Schedules as the papers print them: scatters as a table of sources and steps, broadcasts as the
//! trees of their messages. Nothing is verified here; invalid content is shown as it is.

mod bottlenecks;
mod table;
mod text;
mod trees;

pub use text::wrap;

use crate::problem::{Collective, Content};
use crate::schedule::ScheduleFile;

/// Columns of a text that is not printed on a terminal.
pub const WIDTH: usize = 100;

/// The schedule as text of about a hundred columns.
pub fn schedule(file: &ScheduleFile) -> String {
    fitted(file, WIDTH)
}

/// The schedule as text of at most `columns` columns; a single name or cell may need more.
pub fn fitted(file: &ScheduleFile, columns: usize) -> String {
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
        Ok(Content::Common) => trees::print(file, columns),
        Ok(Content::Personal) | Err(_) => {
            table::print(file, columns) + &bottlenecks::print(file, columns)
        }
    };
    out
}
