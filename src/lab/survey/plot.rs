//! The picture of a survey (SVG): a chart for each collective, steps over links, a mark for each
//! network; filled marks are the Pareto set, and a thin line joins them.

use super::Row;
use crate::pictures::{CAPTION, Drawn, LABEL, chart, colour, curve, picture};
use plotters::prelude::*;

/// Pixels of the chart of a collective.
const SIZE: (u32, u32) = (480, 360);
/// Pixels from the middle of a mark to its edge.
const MARK: i32 = 6;
/// Pixels of a ring around it.
const RING: i32 = 4;

/// Steps over links, by collective.
///
/// # Errors
/// The drawing library's.
pub fn plot(rows: &[Row], rules: &str) -> Drawn<String> {
    let names = |of: fn(&Row) -> &String| {
        let mut names: Vec<&str> = Vec::new();
        for row in rows {
            if !names.contains(&of(row).as_str()) {
                names.push(of(row));
            }
        }
        names
    };
    let (networks, collectives) = (names(|row| &row.network), names(|row| &row.collective));
    let wide = if collectives.len() > 1 { 2 } else { 1 };
    let high = collectives.len().div_ceil(wide).max(1);
    let size = (SIZE.0 * wide as u32, SIZE.1 * high as u32);
    let most_links = rows.iter().map(|row| row.links).max().unwrap_or(1) as f64;
    picture(size, |sheet| {
        let charts = sheet.area.split_evenly((high, wide));
        for (number, (area, collective)) in charts.iter().zip(&collectives).enumerate() {
            let of = |row: &&Row| row.collective == *collective;
            let points: Vec<(&Row, (f64, f64))> = (rows.iter().filter(of))
                .filter_map(|row| Some((row, (row.links as f64, row.steps? as f64))))
                .collect();
            let most = points.iter().map(|(_, at)| at.1).fold(1.0, f64::max);
            let mut chart = chart(area)
                .caption(format!("{collective}, {rules}"), CAPTION)
                .build_cartesian_2d(0.0..most_links * 1.1, 0.0..most * 1.15)?;
            chart
                .configure_mesh()
                .x_desc("links")
                .y_desc("steps")
                .x_labels(6)
                .y_labels((most as usize + 2).min(10))
                .x_label_formatter(&|x| format!("{x:.0}"))
                .y_label_formatter(&|y| {
                    if y.fract() == 0.0 { format!("{y:.0}") } else { String::new() }
                })
                .light_line_style(WHITE)
                .label_style(LABEL)
                .axis_desc_style(LABEL)
                .draw()?;
            let mut front: Vec<(f64, f64)> =
                points.iter().filter(|(row, _)| row.is_pareto).map(|(_, at)| *at).collect();
            front.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
            chart.draw_series(LineSeries::new(front, BLACK.mix(0.4)))?;
            for (c, name) in networks.iter().enumerate() {
                if number == 0 {
                    let none: [(f64, f64); 0] = [];
                    curve(sheet, &mut chart, name, colour(c).stroke_width(5), none)?;
                }
                let own = points.iter().enumerate().filter(|(_, (row, _))| row.network == *name);
                chart.draw_series(own.map(|(i, (row, at))| {
                    let style = match row.is_pareto {
                        true => colour(c).filled(),
                        false => colour(c).stroke_width(2),
                    };
                    // Marks at the same point are rings around the last of them.
                    let later = points[i + 1..].iter().filter(|(_, other)| other == at).count();
                    Circle::new(*at, MARK + RING * later as i32, style)
                }))?;
            }
        }
        Ok(())
    })
}
