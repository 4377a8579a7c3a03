//! The report of a comparison: for each instance a Markdown table with the rank tests below it; at
//! the end the method of measurement.

use super::statistics::magnitude;
use super::summary::COPIES;
use super::{Against, Budget, Median, Parallel, Row, Summary};
use crate::rows::{self, known};
use ccsched_base::counted::counted;
use ccsched_tools::fold::Numbers;
use ccsched_tools::show::wrap;
use indexmap::IndexSet;
use indicatif::HumanCount;

/// The whole report, its tables folded to `columns`; empty without summaries.
pub fn text(summaries: &[Summary], columns: Option<usize>) -> String {
    let mut parts: Vec<String> = summaries.iter().map(|s| section(s, columns)).collect();
    let has_gains = summaries.iter().flat_map(|s| &s.rows).any(|row| row.parallel.is_some());
    let more = if has_gains { OF_ISLANDS } else { "" };
    parts.extend(summaries.first().map(|summary| method(summary) + more));
    let text = parts.join("\n\n");
    columns.map_or(text.clone(), |columns| wrapped(&text, columns))
}

fn section(summary: &Summary, columns: Option<usize>) -> String {
    let mut lines = vec![summary.instance.clone(), String::new(), table(summary, columns)];
    let times: Vec<String> = summary.rows.iter().filter_map(modelled).collect();
    if !times.is_empty() {
        lines.extend([String::new(), format!("Modelled time: {}.", times.join("; "))]);
    }
    lines.extend(parallel(summary, columns).into_iter().flat_map(|part| [String::new(), part]));
    let tests = tests(summary);
    if !tests.is_empty() {
        lines.push(String::new());
        lines.extend(tests);
    }
    lines.join("\n")
}

fn table(summary: &Summary, columns: Option<usize>) -> String {
    let copies = COPIES.map(|n| n.to_string()).join(", ");
    let head = format!(
        "configuration|reached|rate|seconds|CPU seconds|evaluations|conflicts left|\
         speed-up of {copies} copies"
    );
    rows::table(&head, summary.rows.iter().map(cells), Numbers::Left, columns)
}

fn cells(row: &Row) -> [String; 8] {
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    let rate = row.successes as f64 / row.runs as f64;
    let speedups: Vec<String> = row.speedups.iter().map(|(_, s)| format!("{s:.1}")).collect();
    [
        row.configuration.clone(),
        format!("{} of {}", row.successes, row.runs),
        format!("{} % [{}, {}]", percent(rate), percent(row.rate.0), percent(row.rate.1)),
        median(row.seconds, &seconds),
        known(row.cpu_seconds.map(|m| median(m, &seconds))),
        median(row.evaluations, &count),
        known(row.conflicts_left),
        if speedups.is_empty() { "-".into() } else { speedups.join(", ") },
    ]
}

/// For each configuration with several numbers of islands: what they gain.
fn parallel(summary: &Summary, columns: Option<usize>) -> Vec<String> {
    let gains = summary.rows.iter().map(|row| (row, row.parallel.as_ref()));
    let all: Vec<_> = gains.filter_map(|(row, gain)| Some((row, gain?))).collect();
    let families: IndexSet<&str> = all.iter().map(|(_, gain)| gain.family.as_str()).collect();
    let table = |family: &str| {
        let mut rows: Vec<_> = all.iter().filter(|(_, gain)| gain.family == family).collect();
        rows.sort_by_key(|(_, gain)| gain.islands);
        let head = format!(
            "{family}|reached|CPU seconds of the busiest rank|speed-up|efficiency|\
             moves of the busiest island|speed-up"
        );
        let rows = rows.iter().map(|(row, gain)| of_islands(row, gain));
        rows::table(&head, rows, Numbers::Left, columns)
    };
    families.into_iter().map(table).collect()
}

fn of_islands(row: &Row, gain: &Parallel) -> [String; 7] {
    let times = |m: Option<Median>| match m {
        Some(m) if gain.islands != gain.least => median(m, &times),
        Some(_) => "1".into(),
        None => "-".into(),
    };
    [
        counted(gain.islands, "island"),
        format!("{} of {}", row.successes, row.runs),
        median(gain.cpu_seconds, &seconds),
        times(gain.speedup),
        known(gain.efficiency().map(|share| format!("{:.0} %", 100.0 * share))),
        median(gain.moves, &count),
        times(gain.speedup_in_moves),
    ]
}

/// The modelled time of the schedules of a configuration that reached the target, and their energy.
fn modelled(row: &Row) -> Option<String> {
    let energy = row.energy_nj.map_or(String::new(), |energy| format!(", {energy:.3} nJ"));
    row.time_us.map(|time| format!("{} {time:.3} us{energy}", row.configuration))
}

/// Of more configurations, only the best one is compared with each.
const MOST_IN_PAIRS: usize = 6;

/// A line for every pair of configurations, or for those of the best one.
fn tests(summary: &Summary) -> Vec<String> {
    let rows = summary.rows.iter().enumerate();
    let later = rows.flat_map(|(i, row)| row.against.iter().skip(i).map(move |a| (row, a)));
    if summary.rows.len() <= MOST_IN_PAIRS {
        return lines(summary, later);
    }
    // The one that is the faster in most pairs of runs with all others.
    let wins = |row: &Row| row.against.iter().map(|a| a.test.share).sum::<f64>();
    let Some(best) = summary.rows.iter().max_by(|a, b| wins(a).total_cmp(&wins(b))) else {
        return vec![];
    };
    let mut told = vec![format!("{} against each other configuration:", best.configuration)];
    told.extend(lines(summary, best.against.iter().map(|a| (best, a))));
    told
}

fn lines<'s>(
    summary: &'s Summary,
    pairs: impl Iterator<Item = (&'s Row, &'s Against)>,
) -> Vec<String> {
    let unit = summary.budget.unit();
    pairs
        .map(|(row, a)| {
            let p = if a.test.p < 0.0001 {
                "p < 0.0001".into()
            } else {
                format!("p = {:.4}", a.test.p)
            };
            let (share, mine, other) = (a.test.share, &row.configuration, &a.other);
            if share == 0.5 {
                return format!("neither {mine} nor {other} needs fewer {unit}, {p}");
            }
            // The faster one stands first.
            let (share, faster, slower) = match share < 0.5 {
                true => (1.0 - share, other, mine),
                false => (share, mine, other),
            };
            format!(
                "{faster} needs fewer {unit} than {slower} in {:.0} % of the pairs of runs, {p}, A12 = \
                 {share:.2} ({})",
                100.0 * share,
                magnitude(share)
            )
        })
        .collect()
}

/// How the gain of islands was measured, if it was.
const OF_ISLANDS: &str = "\n\
    Busiest rank: the one with the most CPU time in its two threads, that of its island and that of \
    messages, to the target; the opening of a run, for which all wait, included. Moves: ejection \
    moves, or evaluations of a search without. Speed-up: of medians, over the fewest islands, with \
    the percentile bootstrap of both; efficiency: the speed-up in CPU seconds over the ratio of the \
    numbers of islands.";

/// The method of measurement.
fn method(summary: &Summary) -> String {
    let cpu = match summary.budget {
        Budget::Longest(_) => "CPU seconds: not in summary lines.",
        _ => {
            "CPU seconds: measured by the operating system, of the run's thread or, with several \
             islands, of the whole process, in which nothing else runs."
        }
    };
    format!(
        "Budget: {}.\n\
         {cpu}\n\
         Medians are over all runs to the target; a failed run counts as never. 95 % intervals: \
         Wilson (rate), percentile bootstrap (medians).\n\
         Conflicts left: median over the failed runs.\n\
         Rank test: Mann-Whitney U in {}, two-sided, normal approximation (rough below 8 runs), ties corrected, failed \
         runs last; ties count half; p not corrected for several comparisons.\n\
         A12: effect size of Vargha and Delaney, the share of these pairs; from 0.56 small, from 0.64 \
         medium, from 0.71 large.\n\
         Speed-up: of independent copies of a configuration, mean over expected least of the run \
         times observed; failed runs as if ended by the budget, which as a rule makes it an underestimate.",
        summary.budget.describe(),
        summary.budget.unit(),
    )
}

/// Wraps sentences to `columns`; lines of tables stay unchanged.
fn wrapped(text: &str, columns: usize) -> String {
    let wrap = |line: &str| wrap(&line.split(' ').collect::<Vec<_>>(), 0, columns);
    let line = |line: &str| if line.starts_with('|') { line.to_string() } else { wrap(line) };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn median(m: Median, number: &dyn Fn(f64) -> String) -> String {
    format!("{} [{}, {}]", number(m.value), number(m.interval.0), number(m.interval.1))
}

/// Three significant digits, down to microseconds.
fn seconds(value: f64) -> String {
    if value.is_infinite() {
        return "never".into();
    }
    let digits = if value > 0.0 { 2 - value.log10().floor() as i32 } else { 0 };
    format!("{value:.*}", digits.clamp(0, 6) as usize)
}

/// A factor.
fn times(value: f64) -> String {
    if value.is_infinite() {
        return "any".into();
    }
    format!("{value:.*}", if value < 9.95 { 1 } else { 0 })
}

fn count(value: f64) -> String {
    if value.is_infinite() { "never".into() } else { HumanCount(value as u64).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let values = [0.0, 0.000_123_4, 0.012_34, 1.234, 12.34, 1234.5, f64::INFINITY];
        let texts = ["0", "0.000123", "0.0123", "1.23", "12.3", "1234", "never"];
        assert_eq!(values.map(seconds), texts);
    }
}
