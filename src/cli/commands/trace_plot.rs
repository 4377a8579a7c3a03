//! `show TRACE --svg FILE`: draws a trace of `solve --progress csv=TRACE`. The upper chart shows the cost of each island's solution
//! over the iterations, the lower one the step target.

use crate::dash;
use crate::trace::{Row, read};
use anyhow::{Context, anyhow};
use ccsched_base::counted::counted;
use ccsched_lab::pictures::{Area, Axis, Drawn, Sheet, chart, colour, curve, picture, short};
use plotters::prelude::*;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

const SIZE: (u32, u32) = (760, 560);
/// Height of the upper part.
const UPPER: u32 = 370;
/// The legend names at most this number of islands.
const MOST_NAMED: usize = 16;

/// Draws a trace.
///
/// # Errors
/// A file that has no rows; a picture that cannot be written.
pub fn run(trace: &Path, svg: &Path) -> anyhow::Result<ExitCode> {
    let rows = read(trace)?;
    if rows.is_empty() {
        return Err(anyhow!("{}: the trace has no rows", trace.display()));
    }
    let drawn = draw(&rows).map_err(|e| anyhow!("the picture cannot be drawn: {e}"))?;
    dash::write(svg, drawn).context("--svg")?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a file is a trace, by the names of its columns.
pub fn is_trace(path: &Path) -> bool {
    // What is read of a stream is gone.
    let is_file = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    let Some(file) = is_file.then(|| std::fs::File::open(path).ok()).flatten() else {
        return false;
    };
    let mut line = Vec::new();
    let read = BufReader::new(file).take(LONGEST).read_until(b'\n', &mut line);
    read.is_ok() && line.starts_with(b"iteration,island,")
}

/// Bytes of the first line that are looked at.
const LONGEST: u64 = 200;

fn draw(rows: &[Row]) -> Drawn<String> {
    picture(SIZE, |sheet| {
        let (upper, lower) = sheet.area.split_vertically(UPPER);
        draw_costs(sheet, &upper, rows)?;
        draw_steps(sheet, &lower, rows)
    })
}

/// From 0 to the largest value. Axes are in floating point: a file may hold the largest 64-bit
/// number, and adding 1 to it would overflow.
fn axis(values: impl Iterator<Item = f64>) -> Range<f64> {
    0.0..values.fold(1.0, f64::max)
}

fn iterations(rows: &[Row]) -> Range<f64> {
    axis(rows.iter().map(|row| row.iteration as f64))
}

fn draw_costs(sheet: &Sheet<'_>, area: &Area<'_>, rows: &[Row]) -> Drawn {
    // A map, because island numbers in the file may be arbitrary.
    let mut islands: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
    for row in rows {
        islands.entry(row.island).or_default().push((row.iteration as f64, row.cost as f64));
    }
    let costs = axis(rows.iter().map(|row| row.cost as f64));
    let caption = match islands.len() {
        1 => "Search of one island".to_string(),
        n @ ..=MOST_NAMED => format!("Search of {n}", n = counted(n, "island")),
        n => format!("Search of {n}, the first {MOST_NAMED} named", n = counted(n, "island")),
    };
    let x = Axis::new(iterations(rows), "").written(&label);
    let y = Axis::new(costs, "conflicts or waiting transfers").written(&label);
    let mut chart = chart(area, &caption, x, y)?;
    for (place, (island, points)) in islands.into_iter().enumerate() {
        let style = colour(place).stroke_width(1);
        if place < MOST_NAMED {
            curve(sheet, &mut chart, &format!("island {island}"), style, points)?;
        } else {
            chart.draw_series(LineSeries::new(points, style))?;
        }
    }
    Ok(())
}

/// The step target, and the lower bound below which it cannot fall.
fn draw_steps(sheet: &Sheet<'_>, area: &Area<'_>, rows: &[Row]) -> Drawn {
    let first = rows.iter().map(|row| row.island).min();
    let sought = || rows.iter().filter(|row| Some(row.island) == first);
    let steps = axis(sought().map(|row| row.steps_sought as f64 + 1.0));
    let x = Axis::new(iterations(rows), "iterations").written(&label);
    let y = Axis::new(steps, "steps sought").written(&label).labels(4);
    let mut chart = chart(area, "", x, y)?;
    let bound = |row: &Row| Some((row.iteration as f64, row.lower_bound? as f64));
    let bounds: Vec<(f64, f64)> = sought().filter_map(bound).collect();
    if !bounds.is_empty() {
        let grey = RGBColor(140, 140, 140).stroke_width(4);
        curve(sheet, &mut chart, "lower bound", grey, bounds)?;
    }
    let points = sought().map(|row| (row.iteration as f64, row.steps_sought as f64));
    curve(sheet, &mut chart, "steps sought", BLACK.stroke_width(2), points)
}

fn label(value: &f64) -> String {
    if *value < 1e15 { short(value) } else { format!("{value:e}") }
}
