//! A timed schedule as text: a row a sender with its transfers in the order of their starts, each as
//! start, end and destination.

use super::text::{pad, width, wrap};
use ccsched_model::schedule::{RecordRef, ScheduleFile};
use std::collections::BTreeMap;

/// When a transfer starts and ends, by the delays of channels in bytes.
pub(super) fn interval(t: &RecordRef<'_>, delays: &[u64]) -> [u64; 2] {
    let [start, end] = held(t, None, delays);
    [start.min(t.at.unwrap_or(0)), end]
}

/// From when until when a transfer holds a channel of its path, after the delays of those before it; without a
/// channel, what is behind all of them.
pub(super) fn held(t: &RecordRef<'_>, channel: Option<u32>, delays: &[u64]) -> [u64; 2] {
    let before = t.channels.iter().take_while(|&&c| Some(c) != channel);
    let delay = |&c: &u32| delays.get(c as usize).copied().unwrap_or(0);
    let start = before.map(delay).fold(t.at.unwrap_or(0), u64::saturating_add);
    [start, start.saturating_add(t.message.bytes.unwrap_or(0))]
}

/// The links, the busiest first: bytes, the part of the time that they are busy, and a line over time in which
/// `#` is full, a digit tenths, and `.` idle.
pub(super) fn links(file: &ScheduleFile, columns: usize) -> String {
    let channels = &file.network.channels;
    let span = file.span().unwrap_or(0).max(1);
    let delays = file.network.delays_in_bytes();
    let mut by_link: BTreeMap<usize, Vec<[u64; 2]>> = BTreeMap::new();
    for t in file.steps.iter().flatten() {
        for &channel in t.channels.iter().filter(|&&c| (c as usize) < channels.len()) {
            let c = channel as usize;
            let link = channels[c].excludes.map_or(c, |other| c.min(other));
            by_link.entry(link).or_default().push(held(&t, Some(channel), &delays));
        }
    }
    let name = |c: usize| {
        let arrow = if channels[c].excludes.is_some() { "--" } else { "->" };
        format!("{} {arrow} {}", channels[c].from, channels[c].to)
    };
    let bytes = |held: &[[u64; 2]]| held.iter().map(|[start, end]| end - start).sum::<u64>();
    let room = |c: usize| span as f64 * f64::from(channels[c].capacity.max(1));
    let mut rows: Vec<(f64, usize, Vec<[u64; 2]>)> =
        by_link.into_iter().map(|(c, held)| (bytes(&held) as f64 / room(c), c, held)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let first = rows.iter().map(|(_, c, _)| width(&name(*c))).max().unwrap_or(4).max(4);
    let bins = columns.saturating_sub(first + 36).clamp(10, 200);
    let mut out =
        format!("{}  capacity         bytes    use  0 to {span} bytes\n", pad("link", first));
    for (part, c, held) in rows {
        let mut fill = vec![0.0; bins];
        let wide = span as f64 / bins as f64;
        for [start, end] in &held {
            for (bin, fill) in fill.iter_mut().enumerate() {
                let [left, right] = [bin as f64 * wide, (bin + 1) as f64 * wide];
                *fill += ((*end as f64).min(right) - (*start as f64).max(left)).max(0.0);
            }
        }
        let full = wide * f64::from(channels[c].capacity.max(1));
        let character = |&fill: &f64| match (fill / full * 10.0 + 1e-6) as u32 {
            0 if fill < 1e-9 => '.',
            0 => '1',
            tenths @ 1..=9 => char::from_digit(tenths, 10).unwrap_or('9'),
            10 => '#',
            // More than the capacity: the schedule is not valid.
            _ => '!',
        };
        let line: String = fill.iter().map(character).collect();
        let (name, capacity) = (pad(&name(c), first), channels[c].capacity);
        out += &format!(
            "{name}  {capacity:>8}  {:>12}  {:>3.0} %  {line}\n",
            bytes(&held),
            100.0 * part
        );
    }
    out
}

/// The rows, in lines of at most `columns` columns if possible.
pub(super) fn print(file: &ScheduleFile, columns: usize) -> String {
    let (sources, delays) = (super::sources(file), file.network.delays_in_bytes());
    let first = sources.iter().map(|name| width(name)).max().unwrap_or(0);
    let mut out = String::new();
    for source in sources {
        let all = file.steps.iter().flatten().filter(|t| t.message.source == source);
        let mut own: Vec<([u64; 2], RecordRef<'_>)> =
            all.map(|t| (interval(&t, &delays), t)).collect();
        own.sort_by_key(|(interval, _)| *interval);
        let entry = |([start, end], t): &([u64; 2], RecordRef<'_>)| {
            format!("{start}-{end}:{}", t.message.destination.unwrap_or("?"))
        };
        let entries: Vec<String> = own.iter().map(entry).collect();
        out += &format!("{}  {}\n", pad(source, first), wrap(&entries, first + 2, columns));
    }
    out
}
