//! The report of the study: the figures of the paper beside ours, and a line of CSV per class.

use super::{ALLOCATIONS, Row};
use serde::Serialize;
use std::fmt;

/// The sums over all classes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Classes of allocations, the empty one included.
    pub classes: usize,
    /// Classes scheduled.
    pub scheduled: usize,
    /// Scheduled classes for which the auto engine found a liquid schedule.
    pub liquid: usize,
    /// Seconds of the auto engine for all of them.
    pub auto_seconds: f64,
    /// Classes for which the exact engine found a liquid schedule, and for which it proved that
    /// none exists.
    pub exact: [usize; 2],
    /// Its seconds for these: sum, median, longest.
    pub exact_seconds: [f64; 3],
    /// Share of all classes that it decided in less than 0.1 s, per cent.
    pub exact_fast: f64,
    /// Share of the classes for which DSATUR loses nothing, below 10 %, 10 to 20 %, more; per cent.
    pub dsatur_loss: [f64; 4],
    /// Steps of round robin over steps of a liquid schedule: mean and largest.
    pub round_robin: [f64; 2],
    /// Share of the classes for which round robin takes at least 1.5 times as long, per cent.
    pub round_robin_slow: f64,
}

/// The paper's figures (annex, figure 11).
const PAPER_LOSS: [f64; 3] = [74.0, 18.0, 8.0];

impl Row {
    /// The share of the liquid throughput that DSATUR's schedule loses.
    pub fn dsatur_loss(&self) -> f64 {
        1.0 - f64::from(self.duration) / f64::from(self.dsatur_steps.max(1))
    }

    fn is_liquid(&self) -> bool {
        self.auto_steps == Some(self.duration)
    }

    fn slowdown(&self) -> f64 {
        f64::from(self.round_robin_steps) / f64::from(self.duration.max(1))
    }
}

impl Summary {
    /// Summarises rows.
    pub fn new(classes: usize, rows: &[Row]) -> Self {
        let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
        let share = |is: &dyn Fn(&Row) -> bool| 100.0 * count(is) as f64 / rows.len().max(1) as f64;
        let known = |row: &&Row| row.exact_liquid.is_some();
        let mut exact: Vec<f64> = rows.iter().filter(known).map(|r| r.exact_seconds).collect();
        exact.sort_by(f64::total_cmp);
        let slowdowns = || rows.iter().map(Row::slowdown);
        let loss = |row: &Row| row.dsatur_loss();
        Summary {
            classes,
            scheduled: rows.len(),
            liquid: count(&Row::is_liquid),
            auto_seconds: rows.iter().map(|row| row.auto_seconds).sum(),
            exact: [true, false].map(|found| count(&|row| row.exact_liquid == Some(found))),
            exact_seconds: [
                exact.iter().sum(),
                exact.get(exact.len() / 2).copied().unwrap_or(0.0),
                exact.last().copied().unwrap_or(0.0),
            ],
            exact_fast: share(&|row| row.exact_liquid.is_some() && row.exact_seconds < 0.1),
            dsatur_loss: [
                share(&|row| loss(row) <= 0.0),
                share(&|row| loss(row) > 0.0 && loss(row) < 0.1),
                share(&|row| (0.1..=0.2).contains(&loss(row))),
                share(&|row| loss(row) > 0.2),
            ],
            round_robin: [
                slowdowns().sum::<f64>() / rows.len().max(1) as f64,
                slowdowns().fold(0.0, f64::max),
            ],
            round_robin_slow: share(&|row| row.slowdown() >= 1.5),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [total, median, longest] = self.exact_seconds;
        let [found, none] = self.exact;
        let open = self.scheduled - found - none;
        let [zero, low, high, more] = self.dsatur_loss;
        let [paper_zero, paper_low, paper_high] = PAPER_LOSS;
        let [mean, largest] = self.round_robin;
        let Summary { classes, scheduled, liquid, .. } = self;
        writeln!(f, "Swiss-T1: {ALLOCATIONS} allocations, {classes} classes of nodes and liquid")?;
        writeln!(f, "throughput (paper: 363), the empty one included; {scheduled} scheduled, all")?;
        writeln!(f, "schedules verified")?;
        writeln!(f, "  auto         liquid {liquid} of {scheduled}, {:.3} s", self.auto_seconds)?;
        write!(f, "  exact        liquid {found}, none exists {none}, not known {open}; ")?;
        writeln!(f, "{total:.3} s for those known,")?;
        write!(f, "               median {median:.4} s, longest {longest:.3} s, ")?;
        writeln!(f, "{:.1} % below 0.1 s (paper: 97 %)", self.exact_fast)?;
        write!(f, "  DSATUR       no loss {zero:.1} %, below 10 % {low:.1} %, ")?;
        writeln!(f, "10 to 20 % {high:.1} %, more {more:.1} %")?;
        write!(f, "               (paper: {paper_zero} %, {paper_low} %, ")?;
        writeln!(f, "{paper_high} %)")?;
        write!(f, "  round robin  {mean:.2} times the steps of a liquid schedule on the mean, ")?;
        writeln!(f, "{largest:.2} at most;")?;
        write!(f, "               at least 1.5 times for {:.1} %", self.round_robin_slow)
    }
}

/// A line for every class.
///
/// # Errors
/// The library's.
pub fn csv(rows: &[Row]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(String::from_utf8(writer.into_inner()?)?)
}
