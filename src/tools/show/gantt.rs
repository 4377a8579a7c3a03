//! A timed schedule as a Gantt chart: a row for each link, the busiest first, with a bar for each transfer
//! that holds it. As a picture, and as a page for a browser that names a bar under the pointer.

use super::colour::{Ground, colours};
use super::svg::canvas::{Canvas, number};
use super::timed::held;
use ccsched_base::counted::counted;
use ccsched_model::schedule::ScheduleFile;
use quick_xml::escape::escape;
use std::collections::HashMap;

/// The most rows; those of less busy links are left out.
const MOST_ROWS: usize = 400;
/// The most bars of a chart.
const MOST_BARS: usize = 200_000;
const ROW: f64 = 14.0;
const WIDTH: f64 = 1000.0;
const MARGIN: f64 = 20.0;
/// Columns of a name, in units of the picture.
const LETTER: f64 = 6.2;

/// A bar of a row: the transfer, and the lane of the link that it holds.
struct Bar {
    transfer: usize,
    interval: [u64; 2],
    lane: usize,
}

/// The chart as a picture.
pub fn chart(file: &ScheduleFile) -> String {
    let rows = rows(file);
    let span = file.span().unwrap_or(0).max(1);
    let names: Vec<String> = rows.iter().map(|(c, _)| name(file, *c)).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let left = MARGIN + LETTER * widest as f64 + 8.0;
    let lanes = |c: usize| f64::from(file.network.channels[c].capacity.max(1));
    let mut shown = 0;
    let height: f64 = rows.iter().map(|(c, _)| ROW * lanes(*c)).sum();
    let (width, height) = (left + WIDTH + MARGIN, height + 3.0 * MARGIN);
    let mut canvas = Canvas::new(width, height, f64::INFINITY, &super::title(file));
    let at = |time: u64| left + WIDTH * (time as f64 / span as f64);
    let sources = super::sources(file);
    let place: HashMap<&str, usize> = sources.iter().copied().zip(0..).collect();
    canvas.text(
        "text",
        &[("x", &number(left)), ("y", "14"), ("font-size", "11"), ("fill", "#444444")],
        &format!(
            "{}, the busiest first; 0 to {span}",
            counted(rows.len(), "link"),
            span = counted(span, "byte")
        ),
    );
    let shades = colours(sources.len(), Ground::Light);
    let mut y = 2.0 * MARGIN;
    for ((c, bars), name) in rows.iter().zip(&names) {
        let height = ROW * lanes(*c);
        let [x, base] = [MARGIN, y + ROW - 4.0].map(number);
        canvas.text("text", &[("x", &x), ("y", &base), ("font-size", "10")], name);
        for bar in bars.iter().take(MOST_BARS - shown) {
            let t = file.steps.record(bar.transfer);
            let [start, end] = bar.interval;
            let [x, wide] = [at(start), (at(end) - at(start)).max(0.5)].map(number);
            let top = number(y + ROW * bar.lane as f64);
            let own = place.get(t.message.source).copied().unwrap_or(0);
            let fill = shades.get(own).map_or("#5b6570", String::as_str);
            let of_bar =
                [("x", &*x), ("y", &*top), ("width", &*wide), ("height", "12"), ("fill", fill)];
            canvas.open("rect", &of_bar);
            let to = t.message.destination.unwrap_or("?");
            let copy = t.message.copy.map_or(String::new(), |copy| format!("#{copy}"));
            canvas.text("title", &[], &format!("{}>{to}{copy}: {start}-{end}", t.message.source));
            canvas.close("rect");
        }
        shown += bars.len().min(MOST_BARS - shown);
        y += height;
    }
    canvas.finish()
}

/// The chart as a page.
pub fn page(file: &ScheduleFile) -> String {
    let (title, chart) = (super::title(file), chart(file));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\"><title>{0}</title>\n<style>body {{ font-family: system-ui, sans-serif; }} \
         rect:hover {{ opacity: 0.6; }}</style></head>\n<body><h1>{0}</h1>\n<p>A row is a link, a bar a \
         transfer that holds it, in the colour of its source; its name is shown under the \
         pointer.</p>\n{chart}</body></html>\n",
        escape(&title)
    )
}

/// The links, the busiest first, and what holds each.
fn rows(file: &ScheduleFile) -> Vec<(usize, Vec<Bar>)> {
    let channels = &file.network.channels;
    let delays = file.network.delays_in_bytes();
    let mut by_link: HashMap<usize, Vec<Bar>> = HashMap::new();
    for transfer in 0..file.steps.iter().map(|step| step.len()).sum() {
        let record = file.steps.record(transfer);
        for &channel in file.steps.path(transfer).iter().filter(|&&c| (c as usize) < channels.len())
        {
            let c = channel as usize;
            let interval = held(&record, Some(channel), &delays);
            let link = channels[c].excludes.map_or(c, |other| c.min(other));
            by_link.entry(link).or_default().push(Bar { transfer, interval, lane: 0 });
        }
    }
    let mut rows: Vec<(usize, Vec<Bar>)> = by_link.into_iter().collect();
    let busy = |bars: &[Bar]| bars.iter().map(|bar| bar.interval[1] - bar.interval[0]).sum::<u64>();
    rows.sort_by_cached_key(|(c, bars)| {
        (std::cmp::Reverse(busy(bars) / u64::from(channels[*c].capacity.max(1))), *c)
    });
    rows.truncate(MOST_ROWS);
    for (c, bars) in &mut rows {
        bars.sort_by_key(|bar| bar.interval);
        let mut ends = vec![0; channels[*c].capacity.max(1) as usize];
        for bar in bars {
            // A schedule that is not valid has no free lane for some bars.
            bar.lane = ends.iter().position(|&end| end <= bar.interval[0]).unwrap_or(0);
            ends[bar.lane] = bar.interval[1];
        }
    }
    rows
}

fn name(file: &ScheduleFile, c: usize) -> String {
    let channel = &file.network.channels[c];
    let arrow = if channel.excludes.is_some() { "--" } else { "->" };
    format!("{} {arrow} {}", channel.from, channel.to)
}
