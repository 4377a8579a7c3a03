//! Pictures of the study (SVG): throughputs as in figures 5 and 6 of liquid-schedules, and the loss
//! of DSATUR as in figure 11. Classes are ordered by nodes, then by liquid throughput.

use super::Row;
use crate::pictures::{CAPTION, Drawn, LABEL, SIZE, chart, colour, curve, picture};
use plotters::prelude::*;

/// What the pictures show of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Nodes that take part.
    pub nodes: u32,
    /// Load of the bottleneck.
    pub duration: u32,
    /// Steps of DSATUR's schedule.
    pub dsatur: u32,
    /// Steps of round robin's.
    pub round_robin: u32,
}

impl From<&Row> for Level {
    fn from(row: &Row) -> Self {
        Level {
            nodes: row.nodes,
            duration: row.duration,
            dsatur: row.dsatur_steps,
            round_robin: row.round_robin_steps,
        }
    }
}

impl Level {
    /// The throughput of a schedule of this length over links of this rate.
    fn rate(&self, steps: u32, link_rate: f64) -> f64 {
        f64::from(self.nodes * self.nodes) / f64::from(steps.max(1)) * link_rate
    }
}

/// A value of every class.
type Value<'a> = &'a dyn Fn(&Level) -> f64;

/// The liquid throughput of the classes by their nodes: figure 5.
///
/// # Errors
/// The drawing library's.
pub fn by_nodes(levels: &[Level], link_rate: f64) -> Drawn<String> {
    let point = |level: &Level| (f64::from(level.nodes), level.rate(level.duration, link_rate));
    let points: Vec<(f64, f64)> = levels.iter().map(point).collect();
    let most = points.iter().map(|point| point.0).fold(1.0, f64::max);
    let highest = points.iter().map(|point| point.1).fold(1.0, f64::max);
    picture(SIZE, |sheet| {
        let mut chart = chart(&sheet.area)
            .caption("Swiss-T1: liquid throughput of the classes", CAPTION)
            .build_cartesian_2d(0.0..most + 1.0, 0.0..highest * 1.05)?;
        chart
            .configure_mesh()
            .x_desc("nodes")
            .y_desc("MB/s")
            .x_label_formatter(&whole)
            .y_label_formatter(&whole)
            .light_line_style(WHITE)
            .label_style(LABEL)
            .axis_desc_style(LABEL)
            .draw()?;
        chart.draw_series(points.iter().map(|&at| Circle::new(at, 2, colour(0).filled())))?;
        Ok(())
    })
}

/// Throughput of liquid schedules, DSATUR's and round robin's: figure 6.
///
/// # Errors
/// The drawing library's.
pub fn throughput(levels: &[Level], link_rate: f64) -> Drawn<String> {
    curves(
        levels,
        "Swiss-T1: all-to-all throughput",
        "MB/s",
        &[
            ("liquid", &|level: &Level| level.rate(level.duration, link_rate)),
            ("DSATUR", &|level: &Level| level.rate(level.dsatur, link_rate)),
            ("round robin", &|level: &Level| level.rate(level.round_robin, link_rate)),
        ],
    )
}

/// The share of the liquid throughput that DSATUR loses: figure 11.
///
/// # Errors
/// The drawing library's.
pub fn loss(levels: &[Level]) -> Drawn<String> {
    let loss =
        |level: &Level| 100.0 * (1.0 - f64::from(level.duration) / f64::from(level.dsatur.max(1)));
    curves(levels, "Swiss-T1: loss of DSATUR", "% of the liquid throughput", &[("DSATUR", &loss)])
}

/// A step curve for every value.
fn curves(
    levels: &[Level],
    caption: &str,
    unit: &str,
    values: &[(&str, Value<'_>)],
) -> Drawn<String> {
    let all = values.iter().flat_map(|(_, value)| levels.iter().map(value));
    let highest = all.fold(1.0, f64::max);
    picture(SIZE, |sheet| {
        let mut chart = chart(&sheet.area)
            .caption(caption, CAPTION)
            .build_cartesian_2d(0.0..levels.len().max(1) as f64, 0.0..highest * 1.05)?;
        let nodes_at = |x: &f64| {
            levels.get(*x as usize).map_or(String::new(), |level| level.nodes.to_string())
        };
        chart
            .configure_mesh()
            .x_desc("nodes (classes by nodes, then liquid throughput)")
            .y_desc(unit)
            .x_label_formatter(&nodes_at)
            .y_label_formatter(&whole)
            .light_line_style(WHITE)
            .label_style(LABEL)
            .axis_desc_style(LABEL)
            .draw()?;
        for (c, (name, value)) in values.iter().enumerate() {
            // A pale broad line is seen below others that cover most of it.
            let style = match values.len() {
                2.. if c == 0 => colour(c).mix(0.45).stroke_width(7),
                _ => colour(c).stroke_width(2),
            };
            let stairs = levels
                .iter()
                .enumerate()
                .flat_map(|(i, level)| [(i as f64, value(level)), (i as f64 + 1.0, value(level))]);
            curve(sheet, &mut chart, name, style, stairs)?;
        }
        Ok(())
    })
}

/// A label of an axis.
fn whole(value: &f64) -> String {
    format!("{value:.0}")
}
