//! The picture of a trade-off (SVG): time over the length of messages, of each schedule of the frontier.

use crate::pictures::{CAPTION, Drawn, LABEL, SIZE, chart, colour, curve, length, picture};
use ccsched_base::counted::counted;
use ccsched_model::schedule::TimeModel;
use ccsched_tools::tradeoff::Point;
use plotters::prelude::*;

/// Time over the length of messages; both axes are logarithmic.
///
/// # Errors
/// The drawing library's.
pub fn times(points: &[Point], sizes: &[u64], model: &TimeModel, caption: &str) -> Drawn<String> {
    let time =
        |point: &Point, &message_bytes: &u64| point.time_us(&TimeModel { message_bytes, ..*model });
    let shown: Vec<&Point> = points.iter().filter(|point| point.is_frontier).collect();
    let all = shown.iter().flat_map(|point| sizes.iter().map(|size| time(point, size)));
    let range = |all: &mut dyn Iterator<Item = f64>| {
        all.fold((f64::INFINITY, f64::MIN_POSITIVE), |(a, b), x| (a.min(x), b.max(x)))
    };
    let (least, most) = range(&mut { all });
    let (from, to) = range(&mut sizes.iter().map(|&size| size as f64));
    picture(SIZE, |sheet| {
        let x = (from / 1.2..to * 1.2).log_scale().base(2.0);
        let y = (least / 1.2..most * 1.2).log_scale();
        let mut chart = chart(&sheet.area).caption(caption, CAPTION).build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc("bytes of a message")
            .x_label_formatter(&|bytes| length(*bytes))
            .y_desc("us modelled")
            .y_label_formatter(&|us| us.to_string())
            .light_line_style(WHITE)
            .label_style(LABEL)
            .axis_desc_style(LABEL)
            .draw()?;
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
