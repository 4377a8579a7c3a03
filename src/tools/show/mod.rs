//! Schedules for people. As the papers print them: scatters as a table of sources and steps,
//! broadcasts as the trees of their messages. Step by step: the paths of all transfers, the use of
//! all links. As pictures, and as a page for a browser. Nothing is verified here; invalid content is shown as it is.

mod bottlenecks;
mod colour;
mod dependencies;
mod drawing;
pub mod gantt;
pub mod html;
mod labels;
mod layout;
mod links;
mod numbers;
mod paths;
mod point;
mod scene;
pub mod svg;
mod table;
mod text;
mod timed;
mod trees;
mod usage;

pub use dependencies::DependencyGraph;
pub use links::links;
pub use numbers::Numbers;
pub use paths::paths;
pub use text::wrap;

use ccsched_base::counted::counted;
use ccsched_model::problem::Content;
use ccsched_model::schedule::{MessageRef, ScheduleFile};
use std::collections::HashSet;

/// Columns of a text that is not printed on a terminal.
pub const WIDTH: usize = 100;

/// The schedule as text of about a hundred columns.
pub fn schedule(file: &ScheduleFile) -> String {
    fitted(file, WIDTH)
}

/// The schedule as text of at most `columns` columns; a single name or cell may need more.
pub fn fitted(file: &ScheduleFile, columns: usize) -> String {
    let model = &file.model;
    let mut out = title(file) + "\n\n";
    if file.is_timed() {
        return out + &timed::print(file, columns);
    }
    let collective = model.parsed_collective();
    out += &match collective.as_ref().map(|collective| collective.content()) {
        Ok(_) if collective.as_ref().is_ok_and(|collective| collective.joins()) => {
            table::joined(file, columns)
        }
        Ok(Content::Common) => trees::print(file, columns),
        Ok(Content::Personal) | Err(_) => {
            table::print(file, columns) + &bottlenecks::print(file, columns)
        }
    };
    out
}

/// Where pictures put the vertices of a schedule's network, in its order: x to the right, y down.
///
/// # Errors
/// Unknown vertices and channels, with the place in the file.
pub fn places(file: &ScheduleFile) -> ccsched_base::Result<Vec<(f64, f64)>> {
    let scene = scene::Scene::new(drawing::Drawing::of_file(file)?);
    let vertices = file.network.vertices.len();
    Ok(scene.spots.iter().take(vertices).map(|spot| (spot.at.x, spot.at.y)).collect())
}

/// What an entry of a schedule's `steps` is called: a round where steps have several, and of pieces.
fn unit(file: &ScheduleFile) -> &'static str {
    let has_rounds = file.model.rounds.is_some() || file.model.pieces.is_some_and(|p| p > 1);
    if has_rounds { "round" } else { "step" }
}

/// What a file holds, in a line.
pub fn title(file: &ScheduleFile) -> String {
    if let (true, Some(span)) = (file.is_timed(), file.span()) {
        let (collective, network) = (file.model.collective.to_uppercase(), &file.network.name);
        return format!(
            "{collective} timed, {span} long, on {network}, {}",
            file.model.switching,
            span = counted(span, "byte")
        );
    }
    let steps = file.steps_of_rounds();
    let rounds = (unit(file) == "round").then(|| file.steps.len());
    format!(
        "{}{}{} in {}{} on {}, {}",
        file.model.collective.to_uppercase(),
        if file.model.parts == Some(1) { " of one part" } else { "" },
        file.model.pieces.map_or(String::new(), |pieces| format!(
            " of {pieces} a message",
            pieces = counted(pieces, "piece")
        )),
        counted(steps, "step"),
        rounds.map_or(String::new(), |rounds| format!(
            " of {rounds}",
            rounds = counted(rounds, "round")
        )),
        file.network.name,
        file.model.switching,
    )
}

/// What tells a piece of a message from the first one; nothing of the first and of whole messages.
fn piece(message: &MessageRef<'_>) -> String {
    message.piece.filter(|&piece| piece > 0).map_or(String::new(), |piece| format!("/{piece}"))
}

/// The sources of messages: the senders of the model, then all others.
fn sources(file: &ScheduleFile) -> Vec<&str> {
    let others = file.steps.iter().flatten().map(|t| t.message.source);
    let senders = file.model.senders.iter().map(String::as_str);
    let mut seen = HashSet::new();
    senders.chain(others).filter(|s| seen.insert(*s)).collect()
}
