//! The picture of a frontier of repairs (SVG): changed messages over steps, beside the lower bound.

use crate::pictures::{CAPTION, Drawn, LABEL, SIZE, chart, colour, curve, picture};
use ccsched_run::repair::Row;
use plotters::prelude::*;

/// Changed messages and their lower bound over the steps of the repairs.
///
/// # Errors
/// The drawing library's.
pub fn frontier(rows: &[Row], caption: &str) -> Drawn<String> {
    let steps = |row: &Row| row.length() as f64;
    let is_timed = rows.iter().any(|row| row.schedule.is_timed());
    let changed = |row: &Row| row.changes.changed.len() as f64;
    let least = |row: &Row| row.least.saturating_sub(row.changes.added.len()) as f64;
    let first = rows.iter().map(steps).fold(f64::INFINITY, f64::min);
    let last = rows.iter().map(steps).fold(first, f64::max);
    let most = rows.iter().map(changed).fold(1.0, f64::max);
    picture(SIZE, |sheet| {
        let mut chart = chart(&sheet.area)
            .caption(caption, CAPTION)
            .build_cartesian_2d(first - 0.5..last + 0.5, 0.0..most * 1.1)?;
        let labels = if is_timed { 6 } else { (last - first) as usize + 2 };
        chart
            .configure_mesh()
            .x_desc(if is_timed { "bytes" } else { "steps" })
            .y_desc("messages")
            .x_labels(labels)
            .x_label_formatter(&|x| {
                if x.fract() == 0.0 { format!("{x:.0}") } else { String::new() }
            })
            .y_label_formatter(&|y| format!("{y:.0}"))
            .light_line_style(WHITE)
            .label_style(LABEL)
            .axis_desc_style(LABEL)
            .draw()?;
        let lines: [fn(&Row) -> f64; 2] = [changed, least];
        let names = ["changed", "change in every repair"];
        for (c, (name, of)) in names.into_iter().zip(lines).enumerate() {
            let points: Vec<(f64, f64)> = rows.iter().map(|row| (steps(row), of(row))).collect();
            curve(sheet, &mut chart, name, colour(c).stroke_width(2), points.clone())?;
            chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, colour(c).filled())))?;
        }
        Ok(())
    })
}
