//! Pictures of the study (SVG): throughputs as in figures 6 and 9 of liquid-schedules, and the loss
//! of DSATUR as in figure 11. Classes are ordered by nodes, then by liquid throughput.

use super::Row;
use crate::experiments::pictures::{
    CAPTION, Drawn, FRAME, LABEL, SIZE, chart, colour, curve, names, picture,
};
use plotters::prelude::*;

/// A value of every class.
type Value<'a> = &'a dyn Fn(&Row) -> f64;

/// Throughput of liquid schedules, DSATUR's and round robin's.
///
/// # Errors
/// The drawing library's.
pub fn throughput(rows: &[Row], link_rate: f64) -> Drawn<String> {
    let rate = move |row: &Row, steps: u32| {
        f64::from(row.nodes * row.nodes) / f64::from(steps.max(1)) * link_rate
    };
    curves(
        rows,
        "Swiss-T1: all-to-all throughput",
        "MB/s",
        &[
            ("liquid", &|row: &Row| rate(row, row.duration)),
            ("DSATUR", &|row: &Row| rate(row, row.dsatur_steps)),
            ("round robin", &|row: &Row| rate(row, row.round_robin_steps)),
        ],
    )
}

/// The share of the liquid throughput that DSATUR loses.
///
/// # Errors
/// The drawing library's.
pub fn loss(rows: &[Row]) -> Drawn<String> {
    let loss = |row: &Row| 100.0 * row.dsatur_loss();
    curves(rows, "Swiss-T1: loss of DSATUR", "% of the liquid throughput", &[("DSATUR", &loss)])
}

/// A step curve for every value.
fn curves(rows: &[Row], caption: &str, unit: &str, values: &[(&str, Value<'_>)]) -> Drawn<String> {
    let all = values.iter().flat_map(|(_, value)| rows.iter().map(value));
    let highest = all.fold(1.0, f64::max);
    picture(SIZE, |area| {
        let mut chart = chart(area)
            .caption(caption, CAPTION)
            .build_cartesian_2d(0.0..rows.len().max(1) as f64, 0.0..highest * 1.05)?;
        let nodes_at =
            |x: &f64| rows.get(*x as usize).map_or(String::new(), |row| row.nodes.to_string());
        chart
            .configure_mesh()
            .x_desc("nodes (classes by nodes, then liquid throughput)")
            .y_desc(unit)
            .x_label_formatter(&nodes_at)
            .light_line_style(WHITE)
            .label_style(LABEL)
            .axis_desc_style(LABEL)
            .draw()?;
        for (c, (name, value)) in values.iter().enumerate() {
            let style = colour(c).stroke_width(2);
            let stairs = rows
                .iter()
                .enumerate()
                .flat_map(|(i, row)| [(i as f64, value(row)), (i as f64 + 1.0, value(row))]);
            curve(&mut chart, name, style, stairs)?;
        }
        names(&mut chart, SeriesLabelPosition::UpperLeft, FRAME)
    })
}
