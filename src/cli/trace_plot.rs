//! `trace`: the picture of a trace, as an SVG file. Above, what was wrong with every island's solution
//! over the iterations; below, the number of steps that was sought.

use super::trace::{Row, read};
use crate::atomic;
use crate::experiments::pictures::{Area, Drawn, LABEL, chart, colour, curve, names, picture};
use anyhow::{Context, anyhow};
use plotters::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;

const SIZE: (u32, u32) = (760, 560);
/// Height of the upper part.
const UPPER: u32 = 380;
/// How many colours islands have: a thin grey curve would be taken for a line of the mesh.
const COLOURS: usize = 6;

/// Which trace, and where its picture goes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// A file that `solve --trace` has written
    pub trace: PathBuf,
    /// The picture (SVG)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Draws a trace.
///
/// # Errors
/// A file that is no trace, or has no rows; a picture that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rows = read(&args.trace)?;
    if rows.is_empty() {
        return Err(anyhow!("{}: there is no exchange in this trace", args.trace.display()));
    }
    let svg = draw(&rows).map_err(|e| anyhow!("the picture cannot be drawn: {e}"))?;
    atomic::write(&args.output, svg).context("--output")?;
    Ok(ExitCode::SUCCESS)
}

fn draw(rows: &[Row]) -> Drawn<String> {
    let last = rows.iter().map(|row| row.iteration).max().unwrap_or(0).max(1);
    picture(SIZE, |area| {
        let (upper, lower) = area.split_vertically(UPPER);
        draw_costs(&upper, rows, last)?;
        draw_steps(&lower, rows, last)
    })
}

fn draw_costs(area: &Area<'_>, rows: &[Row], last: u64) -> Drawn {
    let islands = rows.iter().map(|row| row.island).max().unwrap_or(0) + 1;
    let most = rows.iter().map(|row| row.cost).max().unwrap_or(0).max(1);
    let mut chart = chart(area).x_label_area_size(30).build_cartesian_2d(0..last, 0..most)?;
    chart.configure_mesh().y_desc("conflicts or waiting transfers").label_style(LABEL).draw()?;
    for island in 0..islands {
        let style = colour(island % COLOURS).stroke_width(1);
        let of_island = rows.iter().filter(|row| row.island == island);
        let points = of_island.map(|row| (row.iteration, row.cost));
        curve(&mut chart, &format!("island {island}"), style, points)?;
    }
    names(&mut chart, SeriesLabelPosition::MiddleRight, TRANSPARENT)
}

fn draw_steps(area: &Area<'_>, rows: &[Row], last: u64) -> Drawn {
    let sought = || rows.iter().filter(|row| row.island == 0);
    let steps = sought().map(|row| row.steps_sought).max().unwrap_or(0) + 1;
    let mut chart = chart(area).build_cartesian_2d(0..last, 0..steps)?;
    chart.configure_mesh().x_desc("iterations").y_desc("steps sought").label_style(LABEL).draw()?;
    let points = sought().map(|row| (row.iteration, row.steps_sought));
    chart.draw_series(LineSeries::new(points, BLACK.stroke_width(2)))?;
    Ok(())
}
