//! `--svg`: networks, printed schedules, times, success rates, run-time distributions and the throughputs
//! of the Swiss-T1 as pictures in a folder, with a page that shows them.

use super::rows::Work;
use anyhow::{Context, anyhow};
use ccsched_base::atomic;
use ccsched_lab::compare::slug;
use ccsched_lab::pictures::Drawn;
use ccsched_lab::reproduce::{
    Experiment, PRINTED_SCHEDULES, Row, index, rates, times, times_to_target, totals,
};
use ccsched_lab::swiss_t1::{LINK_RATE, Level, by_nodes, loss, throughput};
use ccsched_network::spec;
use ccsched_tools::show;
use ccsched_tools::show::svg::Picture;
use indexmap::IndexSet;
use std::path::Path;

/// Draws the classes of the Swiss-T1.
type OfSwiss = fn(&[Level]) -> Drawn<String>;

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
    work: &Work<'_>,
    rows: &[Row],
) -> anyhow::Result<()> {
    let Work { printed, settings, computer, .. } = work;
    let is_shown = |id: &str| experiments.iter().any(|experiment| experiment.id == id);
    let mut drawn: Vec<(String, String)> = Vec::new();
    let mut save = |name: String, caption: String, svg: String| {
        drawn.push((name.clone(), caption));
        atomic::write(&folder.join(name), svg)
    };
    let wrong = |error: Box<dyn std::error::Error>| anyhow!("{error}");
    let charts = [
        ("times", times(rows).map_err(wrong)?, "times of the cells, in print and here"),
        ("rates", rates(rows).map_err(wrong)?, "success rates of the engines of the papers"),
    ];
    for (name, chart, caption) in charts {
        chart.map_or(Ok(()), |svg| save(format!("{name}.svg"), caption.into(), svg))?;
    }
    for Experiment { id, about, .. } in experiments {
        let drawn = times_to_target(&printed.setups, id, rows, settings.cpu_limit);
        for (name, svg) in drawn.map_err(wrong)? {
            save(format!("{id}-{}.svg", slug(&name)), format!("{id}: {about}"), svg)?;
        }
    }
    let swiss: [(&str, OfSwiss); 3] = [
        ("liq-f5", |levels| by_nodes(levels, LINK_RATE)),
        ("liq-f6", |levels| throughput(levels, LINK_RATE)),
        ("liq-f11", loss),
    ];
    for (id, draw) in swiss.into_iter().filter(|(id, _)| is_shown(id)) {
        let about = experiments.iter().find(|e| e.id == id).map_or("", |e| e.about);
        let svg = draw(computer.levels()?).map_err(wrong)?;
        save(format!("{id}.svg"), format!("{id}: {about}"), svg)?;
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
    atomic::write(&folder.join("index.html"), index(show::html::STYLE, &totals(rows), &drawn))?;
    Ok(())
}
