//! The picture of a replay (SVG): throughput over the length of messages, and that of the model.

use super::Row;
use crate::pictures::{CAPTION, Drawn, LABEL, SIZE, chart, colour, curve, length, picture};
use plotters::prelude::*;

/// Throughput of each schedule: a line with points as measured, a thin line as predicted.
///
/// # Errors
/// The drawing library's.
pub fn throughput(rows: &[Row], caption: &str) -> Drawn<String> {
    let predicted = |row: &Row| Some(row.megabytes_per_second * row.measured_over_predicted?);
    let all = rows.iter().flat_map(|row| [Some(row.megabytes_per_second), predicted(row)]);
    let highest = all.flatten().fold(0.0, f64::max);
    let of = |row: &Row| row.bytes as f64;
    let least = rows.iter().map(of).fold(f64::INFINITY, f64::min).max(1.0);
    let most = rows.iter().map(of).fold(least, f64::max);
    let mut schedules: Vec<&str> = rows.iter().map(|row| row.schedule.as_str()).collect();
    schedules.sort_unstable();
    schedules.dedup();
    // The order of the table.
    schedules.sort_by_key(|name| rows.iter().position(|row| row.schedule == *name));
    picture(SIZE, |sheet| {
        let x = (least / 1.2..most * 1.2).log_scale().base(2.0);
        let mut chart = chart(&sheet.area)
            .caption(caption, CAPTION)
            .build_cartesian_2d(x, 0.0..highest * 1.1 + 1e-9)?;
        chart
            .configure_mesh()
            .x_desc("bytes of a message")
            .y_desc("MB/s, all receivers together")
            .x_label_formatter(&|bytes| length(*bytes))
            .light_line_style(WHITE)
            .label_style(LABEL)
            .axis_desc_style(LABEL)
            .draw()?;
        for (c, name) in schedules.iter().enumerate() {
            let own = || rows.iter().filter(|row| row.schedule == **name);
            let points: Vec<(f64, f64)> =
                own().map(|row| (of(row), row.megabytes_per_second)).collect();
            curve(sheet, &mut chart, name, colour(c).stroke_width(2), points.clone())?;
            chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, colour(c).filled())))?;
            let model: Vec<(f64, f64)> =
                own().filter_map(|row| Some((of(row), predicted(row)?))).collect();
            if !model.is_empty() {
                let title = format!("{name}, predicted");
                curve(sheet, &mut chart, &title, colour(c).mix(0.5).stroke_width(1), model)?;
            }
        }
        Ok(())
    })
}
