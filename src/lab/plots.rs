//! Pictures (SVG) of trade-offs, repairs and replays: what schedules cost over lengths or steps.

use crate::pictures::{Axis, Drawn, SIZE, chart, colour, curve, length, marked, picture, whole};
use crate::replay;
use ccsched_base::counted::counted;
use ccsched_model::schedule::TimeModel;
use ccsched_run::repair;
use ccsched_tools::tradeoff::Point;
use indexmap::IndexSet;
use plotters::prelude::*;

/// What the axis of lengths shows.
const BYTES: &str = "bytes of a message";

/// Time over the length of messages, of each schedule of the frontier of a trade-off; both axes are
/// logarithmic.
///
/// # Errors
/// The drawing library's.
pub fn times(points: &[Point], sizes: &[u64], model: &TimeModel, caption: &str) -> Drawn<String> {
    let time =
        |point: &Point, &message_bytes: &u64| point.time_us(&TimeModel { message_bytes, ..*model });
    let shown: Vec<&Point> = points.iter().filter(|point| point.is_frontier).collect();
    let range = |all: &mut dyn Iterator<Item = f64>| {
        all.fold((f64::INFINITY, f64::MIN_POSITIVE), |(a, b), x| (a.min(x), b.max(x)))
    };
    let (least, most) =
        range(&mut shown.iter().flat_map(|point| sizes.iter().map(|size| time(point, size))));
    let (from, to) = range(&mut sizes.iter().map(|&size| size as f64));
    picture(SIZE, |sheet| {
        let x = (from / 1.2..to * 1.2).log_scale().base(2.0);
        let y = (least / 1.2..most * 1.2).log_scale();
        let y = Axis::new(y, "us modelled").written(&f64::to_string);
        let mut chart = chart(&sheet.area, caption, Axis::new(x, BYTES).written(&length), y)?;
        for (c, point) in shown.iter().enumerate() {
            let line = sizes.iter().map(|size| (*size as f64, time(point, size)));
            let name = format!(
                "{}{}, {}, {}",
                if point.parts > 1 { "whole vector: " } else { "" },
                counted(point.pieces, "piece"),
                counted(point.steps, "step"),
                counted(point.rounds, "round")
            );
            curve(sheet, &mut chart, &name, colour(c).stroke_width(2), line)?;
        }
        Ok(())
    })
}

/// The frontier of repairs: changed messages and their lower bound over the steps of the repairs.
///
/// # Errors
/// The drawing library's.
pub fn frontier(rows: &[repair::Row], caption: &str) -> Drawn<String> {
    let steps = |row: &repair::Row| row.length() as f64;
    let is_timed = rows.iter().any(|row| row.schedule.is_timed());
    let changed = |row: &repair::Row| row.changes.changed.len() as f64;
    let least = |row: &repair::Row| row.least.saturating_sub(row.changes.added.len()) as f64;
    let first = rows.iter().map(steps).fold(f64::INFINITY, f64::min);
    let last = rows.iter().map(steps).fold(first, f64::max);
    let most = rows.iter().map(changed).fold(1.0, f64::max);
    let label = |x: &f64| if x.fract() == 0.0 { whole(x) } else { String::new() };
    let (title, labels) =
        if is_timed { ("bytes", 6) } else { ("steps", (last - first) as usize + 2) };
    picture(SIZE, |sheet| {
        let x = Axis::new(first - 0.5..last + 0.5, title).written(&label).labels(labels);
        let y = Axis::new(0.0..most * 1.1, "messages").written(&whole);
        let mut chart = chart(&sheet.area, caption, x, y)?;
        let lines: [fn(&repair::Row) -> f64; 2] = [changed, least];
        let names = ["changed", "change in every repair"];
        for (c, (name, of)) in names.into_iter().zip(lines).enumerate() {
            let points: Vec<(f64, f64)> = rows.iter().map(|row| (steps(row), of(row))).collect();
            marked(sheet, &mut chart, (name, colour(c)), &points)?;
        }
        Ok(())
    })
}

/// Throughput of each schedule of a replay over the length of messages: a line with points as measured, a
/// thin line as predicted.
///
/// # Errors
/// The drawing library's.
pub fn throughput(rows: &[replay::ReplayRow], caption: &str) -> Drawn<String> {
    let measured = |row: &replay::ReplayRow| (row.bytes as f64, row.megabytes_per_second);
    let predicted = |row: &replay::ReplayRow| {
        Some((row.bytes as f64, row.megabytes_per_second * row.measured_over_predicted?))
    };
    let all = rows.iter().flat_map(|row| [Some(measured(row)), predicted(row)]);
    let highest = all.flatten().map(|(_, rate)| rate).fold(0.0, f64::max);
    let sizes = || rows.iter().map(|row| row.bytes as f64);
    let least = sizes().fold(f64::INFINITY, f64::min).max(1.0);
    let most = sizes().fold(least, f64::max);
    // The order of the table.
    let schedules: IndexSet<&str> = rows.iter().map(|row| row.schedule.as_str()).collect();
    picture(SIZE, |sheet| {
        let x = (least / 1.2..most * 1.2).log_scale().base(2.0);
        let y = Axis::new(0.0..highest * 1.1 + 1e-9, "MB/s, all receivers together");
        let mut chart = chart(&sheet.area, caption, Axis::new(x, BYTES).written(&length), y)?;
        for (c, name) in schedules.iter().enumerate() {
            let own = || rows.iter().filter(|row| row.schedule == **name);
            let points: Vec<(f64, f64)> = own().map(measured).collect();
            marked(sheet, &mut chart, (name, colour(c)), &points)?;
            let model: Vec<(f64, f64)> = own().filter_map(predicted).collect();
            if !model.is_empty() {
                let title = format!("{name}, predicted");
                curve(sheet, &mut chart, &title, colour(c).mix(0.5).stroke_width(1), model)?;
            }
        }
        Ok(())
    })
}
