//! `--svg`: networks, printed schedules, times and success rates as pictures in a folder, with a page
//! that shows them.

use crate::atomic;
use crate::experiments::compare::slug;
use crate::experiments::reproduce::{
    Experiment, PRINTED_SCHEDULES, Printed, Row, index, rates, times,
};
use crate::network::spec;
use crate::show;
use crate::show::svg::Picture;
use anyhow::{Context, anyhow};
use indexmap::IndexSet;
use std::path::Path;

/// Makes the folder, and checks that it can be written to.
///
/// # Errors
/// It cannot.
pub(super) fn check(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    Ok(atomic::check_writable(&folder.join("index.html"))?)
}

/// Draws what the experiments are about, and the rows.
///
/// # Errors
/// Files that cannot be written; the drawing library's.
pub(super) fn draw(
    folder: &Path,
    experiments: &[&'static Experiment],
    printed: &Printed,
    rows: &[Row],
) -> anyhow::Result<()> {
    let is_shown = |id: &str| experiments.iter().any(|experiment| experiment.id == id);
    let mut drawn: Vec<(String, String)> = Vec::new();
    let mut save = |name: String, caption: String, svg: String| {
        drawn.push((name.clone(), caption));
        atomic::write(&folder.join(name), svg)
    };
    let charts = [("times", times(rows)), ("rates", rates(rows))];
    for (name, chart) in charts {
        if let Some(svg) = chart.map_err(|e| anyhow!("{name}: {e}"))? {
            save(format!("{name}.svg"), format!("{name} of the engines and of print"), svg)?;
        }
    }
    for schedule in PRINTED_SCHEDULES.iter().filter(|schedule| is_shown(schedule.id)) {
        let (file, id) = (schedule.file()?, schedule.id);
        let steps: Vec<usize> = (0..file.steps.len()).collect();
        let caption = format!("{id}: the printed schedule, {}", show::title(&file));
        save(format!("{id}.svg"), caption, Picture::of(&file)?.sheet(&steps)?)?;
    }
    let shown = printed.cells.iter().filter(|cell| is_shown(&cell.id));
    let networks: IndexSet<&str> = shown.map(|cell| cell.topology.as_str()).collect();
    for network in networks {
        let svg = show::svg::network(&spec::parse(network)?);
        save(format!("network-{}.svg", slug(network)), network.into(), svg)?;
    }
    atomic::write(&folder.join("index.html"), index(&drawn))?;
    Ok(())
}
