//! How many steps a collective takes after faults: samples of broken links, with the same numbers of
//! faults on several networks.

use super::compare::statistics::{median, quantile};
use super::fold::{Numbers, table};
use super::pictures::{CAPTION, Drawn, FRAME, LABEL, SIZE, chart, colour, curve, names, picture};
use crate::network::{ChannelId, Network, faults};
use crate::problem::Request;
use crate::rng::{Rng, rng_of};
use crate::{Options, Result, solve};
use plotters::prelude::*;
use rand::RngExt;

/// The steps after a number of faults.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The network.
    pub network: String,
    /// Broken links.
    pub faults: usize,
    /// Samples of that many links, and those after which some message has no path.
    pub samples: usize,
    /// Samples after which some message has no path.
    pub cut: usize,
    /// Steps of each sample that has a schedule, ascending.
    pub steps: Vec<f64>,
}

impl Row {
    /// Least, lower quartile, median, upper quartile, most.
    pub fn summary(&self) -> Option<[f64; 5]> {
        let at = |share| quantile(&self.steps, share);
        Some([at(0.0)?, at(0.25)?, median(&self.steps)?, at(0.75)?, at(1.0)?])
    }
}

/// The row of a number of faults. Sample i of a seed breaks the same links in every run.
///
/// # Errors
/// The request does not fit the healthy network.
pub fn row(
    network: &Network,
    request: &Request,
    (faults, samples): (usize, usize),
    options: &Options,
) -> Result<Row> {
    request.pose(network.clone(), vec![])?;
    let mut row = Row { network: network.name().into(), faults, samples, cut: 0, steps: vec![] };
    let distinct = if faults == 0 { 1 } else { samples };
    for sample in 0..distinct {
        let mut rng = rng_of(options.seed, sample, faults);
        let gone = broken(network, faults, &mut rng);
        let records = gone.iter().map(|&c| faults::record(network, c, &gone)).collect();
        let posed = faults::apply(network, &gone, &[]);
        let Ok(problem) = posed.and_then(|rest| request.pose(rest, records)) else {
            row.cut += 1;
            continue;
        };
        let solution = solve(&problem, options);
        let solution = solution.map_err(|why| crate::Error::problem(why.to_string()))?;
        row.steps.extend(solution.steps().map(|steps| steps as f64));
    }
    row.samples = distinct;
    row.steps.sort_by(f64::total_cmp);
    Ok(row)
}

/// The channels of a number of random links.
fn broken(network: &Network, faults: usize, rng: &mut Rng) -> Vec<ChannelId> {
    let mut links: Vec<Vec<ChannelId>> = (0..network.channels().len() as ChannelId)
        .filter(|&c| network.channel(c).reverse.is_none_or(|r| c < r))
        .map(|c| std::iter::once(c).chain(network.channel(c).reverse).collect())
        .collect();
    let mut gone = Vec::new();
    for _ in 0..faults.min(links.len()) {
        gone.extend(links.swap_remove(rng.random_range(0..links.len())));
    }
    gone
}

/// The rows as a table.
pub fn text(rows: &[Row], columns: Option<usize>) -> String {
    let head = [
        "network",
        "broken links",
        "samples",
        "cut off",
        "least",
        "25 %",
        "median",
        "75 %",
        "most",
    ];
    let line = |row: &Row| {
        let summary = row.summary();
        let mut line = vec![row.network.clone(), row.faults.to_string()];
        line.extend([row.samples.to_string(), row.cut.to_string()]);
        line.extend((0..5).map(|i| summary.map_or("-".into(), |s| s[i].to_string())));
        line
    };
    let lines: Vec<Vec<String>> = rows.iter().map(line).collect();
    table(&head.map(String::from), &lines, Numbers::Right, columns)
}

/// A line for each sample that has a schedule.
pub fn csv(rows: &[Row]) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["network", "faults", "samples", "cut_off", "steps"])?;
    for row in rows {
        for steps in &row.steps {
            let [faults, samples, cut] = [row.faults, row.samples, row.cut].map(|n| n.to_string());
            out.write_record([&row.network, &faults, &samples, &cut, &steps.to_string()])?;
        }
    }
    Ok(String::from_utf8_lossy(&out.into_inner().unwrap_or_default()).into_owned())
}

/// The median over the broken links, with the quartiles as a band.
///
/// # Errors
/// The drawing library's.
pub fn plot(rows: &[Row], caption: &str) -> Drawn<String> {
    let points: Vec<(&Row, [f64; 5])> =
        rows.iter().filter_map(|row| Some((row, row.summary()?))).collect();
    let last = points.iter().map(|(row, _)| row.faults).max().unwrap_or(1).max(1) as f64;
    let most = points.iter().map(|(_, s)| s[3]).fold(1.0, f64::max);
    picture(SIZE, |area| {
        let mut chart = chart(area)
            .caption(caption, CAPTION)
            .build_cartesian_2d(0.0..last * 1.02, 0.0..most * 1.35)?;
        chart
            .configure_mesh()
            .x_desc("broken links")
            .y_desc("steps")
            .x_labels(last as usize + 1)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .light_line_style(WHITE)
            .label_style(LABEL)
            .axis_desc_style(LABEL)
            .draw()?;
        let mut networks: Vec<&str> = Vec::new();
        points.iter().for_each(|(row, _)| {
            if !networks.contains(&row.network.as_str()) {
                networks.push(&row.network);
            }
        });
        for (c, name) in networks.iter().enumerate() {
            let own = || points.iter().filter(|(row, _)| row.network == *name);
            let x = |row: &Row| row.faults as f64;
            let upper = own().map(|(row, s)| (x(row), s[3]));
            let lower = own().rev().map(|(row, s)| (x(row), s[1]));
            let band: Vec<(f64, f64)> = upper.chain(lower).collect();
            chart.draw_series([Polygon::new(band, colour(c).mix(0.2).filled())])?;
            let line = own().map(|(row, s)| (x(row), s[2]));
            curve(&mut chart, name, colour(c).stroke_width(2), line)?;
        }
        names(&mut chart, SeriesLabelPosition::UpperLeft, FRAME)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;
    use crate::problem::Collective;

    #[test]
    fn a_ring_that_is_cut_twice_is_told() {
        let options = Options { islands: Some(1), ..Options::default() };
        let request = Request::new(Collective::Aas);
        let ring = spec::parse("ring:5").unwrap();
        let rows: Vec<Row> =
            (0..=2).map(|f| row(&ring, &request, (f, 3), &options).unwrap()).collect();
        assert_eq!((rows[0].samples, rows[0].cut, rows[0].steps.len()), (1, 0, 1));
        // A path of five: two times three messages cross the middle link each way.
        assert_eq!(rows[1].summary().unwrap()[2], 6.0);
        assert_eq!((rows[2].cut, rows[2].summary()), (3, None));
        assert!(text(&rows, None).contains("| ring:5  |            2 |"));
        assert!(plot(&rows, "ring").unwrap().contains("broken links"));
    }
}
