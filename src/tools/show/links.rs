//! The use of every link by a schedule: a row a link, the fullest first, with a line over the steps
//! in which `#` is full, a digit tenths, and `.` idle.

use super::text::{pad, width};
use super::unit;
use super::usage::{Link, Usage};
use ccsched_base::counted::counted;
use ccsched_model::schedule::ScheduleFile;

/// The least width of the line over the steps.
const LEAST: usize = 10;

/// The table, for these steps from 0. Long names have lines of their own.
pub fn links(file: &ScheduleFile, steps: &[usize], columns: usize) -> String {
    if file.is_timed() {
        return super::timed::links(file, columns);
    }
    let usage = Usage::of(file, steps);
    let names: Vec<String> = usage.links.iter().map(|link| name(file, link)).collect();
    let widest = names.iter().map(|n| width(n)).chain([4]).max().unwrap_or(4);
    let is_apart = widest > columns / 2;
    let first = if is_apart { 4 } else { widest };
    let load: Vec<u64> = (0..names.len()).map(|link| usage.load(link)).collect();
    let room = |link: usize| steps.len() as u64 * u64::from(usage.links[link].capacity);
    let part = |link: usize| load[link] as f64 / room(link).max(1) as f64;
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| part(b).total_cmp(&part(a)));
    let head = format!("{}  capacity      load    use  idle  ", pad("link", first));
    let cells = columns.saturating_sub(width(&head)).max(LEAST);
    let bins = cells.min(steps.len().max(1));
    let mut out = format!("{head}{}\n", over(unit(file), steps, bins));
    for link in order {
        let uses = usage.of_link(link);
        let label = if is_apart { "" } else { &names[link] };
        if is_apart {
            out += &format!("{}\n", names[link]);
        }
        let line = format!(
            "{}  {:>8}  {:>8}  {:>3.0} %  {:>4}  {}",
            pad(label, first),
            usage.links[link].capacity,
            load[link],
            100.0 * part(link),
            steps.len() - uses.len(),
            fill(uses, steps.len(), bins, usage.links[link].capacity),
        );
        out += line.trim_end();
        out.push('\n');
    }
    out + &total(&usage, &load, steps.len())
}

/// The name of a channel, or of a half-duplex link.
fn name(file: &ScheduleFile, link: &Link) -> String {
    let c = &file.network.channels[link.channel];
    let arrow = if link.half_duplex { "--" } else { "->" };
    format!("{} {arrow} {}", c.from, c.to)
}

/// The head of the line over the steps.
fn over(unit: &str, steps: &[usize], bins: usize) -> String {
    let Some((first, last)) = steps.first().zip(steps.last()) else {
        return format!("no {unit}");
    };
    let each = match steps.len().div_ceil(bins) {
        1 => String::new(),
        _ => format!(", {:.1} a character", steps.len() as f64 / bins as f64),
    };
    if first == last {
        format!("{unit} {}", first + 1)
    } else {
        format!("{unit}s {} to {}{each}", first + 1, last + 1)
    }
}

/// A character for every bin of steps.
fn fill(uses: &[(u32, u32)], steps: usize, bins: usize, capacity: u32) -> String {
    let mut sums = vec![0u64; bins];
    let bin = |place: usize| place * bins / steps.max(1);
    uses.iter().for_each(|&(place, count)| sums[bin(place as usize)] += u64::from(count));
    let mut sizes = vec![0u64; bins];
    (0..steps).for_each(|place| sizes[bin(place)] += u64::from(capacity));
    let character = |(&sum, &size): (&u64, &u64)| match sum * 10 / size.max(1) {
        0 if sum == 0 => '.',
        0 => '1',
        tenths @ 1..=9 => char::from_digit(tenths as u32, 10).unwrap_or('9'),
        10 => '#',
        // More than the capacity: the schedule is not valid.
        _ => '!',
    };
    sums.iter().zip(&sizes).map(character).collect()
}

/// The last line.
fn total(usage: &Usage, load: &[u64], steps: usize) -> String {
    let all: u64 = load.iter().sum();
    let capacity: u64 = usage.links.iter().map(|l| u64::from(l.capacity)).sum();
    let room = capacity * steps as u64;
    let unused = load.iter().filter(|&&l| l == 0).count();
    format!(
        "\n{all} of {room} are used ({:.1} %); {unused} of {} links carry nothing\n",
        100.0 * all as f64 / room.max(1) as f64,
        load.len(),
        room = counted(room, "channel-step")
    )
}
