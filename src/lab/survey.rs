//! Networks side by side: what they are made of, and in how many steps they do a collective.

use crate::pictures::{Axis, Drawn, chart, colour, curve, picture, whole};
use crate::rows::{csv_below, known, table};
use ccsched_base::Result;
use ccsched_model::problem::Request;
use ccsched_model::schedule::TimeModel;
use ccsched_model::schedule::cells::cell;
use ccsched_network::Network;
use ccsched_network::metrics::{self, Bisection};
use ccsched_run::islands::StopReason;
use ccsched_run::{Options, solve};
use ccsched_tools::fold::Numbers;
use indexmap::IndexSet;
use plotters::prelude::*;

/// Networks of more vertices have no bisection in the table: it would take long.
const MOST_HALVED: usize = 256;

/// A network and a collective.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct NetworkRow {
    /// The network.
    pub network: String,
    /// The collective.
    pub collective: String,
    /// Vertices that send and receive.
    pub terminals: usize,
    /// Links; a two-way link counts once.
    pub links: usize,
    /// The most links of a vertex.
    pub degree: usize,
    /// The longest distance of two terminals.
    pub diameter: Option<u32>,
    /// Channels between the halves, in both directions.
    pub bisection: Option<u32>,
    /// Steps of the schedule, if one was found.
    pub steps: Option<usize>,
    /// No schedule has fewer.
    pub bound: u32,
    /// The modelled time in microseconds.
    pub time_us: Option<f64>,
    /// Whether no other network of the collective has at most as many links and steps, and fewer of
    /// one of them.
    #[serde(rename = "pareto")]
    pub is_pareto: bool,
}

impl NetworkRow {
    /// Links times steps.
    pub fn cost(&self) -> Option<usize> {
        Some(self.links * self.steps?)
    }
}

/// The row of a request on a network; none if interrupted.
///
/// # Errors
/// The request does not fit the network.
pub fn row(
    network: &Network,
    request: &Request,
    options: &Options,
    model: &TimeModel,
) -> Result<Option<NetworkRow>> {
    let problem = request.pose(network.clone(), vec![])?;
    let solution =
        solve(&problem, options).map_err(|why| ccsched_base::Error::problem(why.to_string()))?;
    if solution.reason == StopReason::Interrupted {
        return Ok(None);
    }
    let vertices = network.vertices().len();
    let two_way = network.channels().iter().filter(|c| c.reverse.is_some()).count();
    let spread = metrics::spread(network);
    let halved =
        (vertices <= MOST_HALVED).then(|| metrics::bisection(network, metrics::NODE_LIMIT));
    Ok(Some(NetworkRow {
        network: network.name().into(),
        collective: request.collective.to_string(),
        terminals: network.terminals().count(),
        links: network.channels().len() - two_way / 2,
        degree: (0..vertices as u32).map(|v| network.outgoing(v).len()).max().unwrap_or(0),
        diameter: (spread.pairs > 0).then_some(spread.diameter),
        bisection: halved.map(|halved| match halved {
            Bisection::Exact(channels) | Bisection::AtMost(channels) => channels,
        }),
        steps: solution.steps(),
        bound: solution.bounds.first().map_or(0, |bound| bound.steps),
        time_us: solution
            .plan
            .as_ref()
            .map(|plan| plan.time_us(problem.network(), model, problem.lengths())),
        is_pareto: false,
    }))
}

/// Marks the rows that no other row of their collective beats.
pub fn mark_pareto(rows: &mut [NetworkRow]) {
    let key = |row: &NetworkRow| Some((row.links, row.steps?));
    let is_beaten = |row: &NetworkRow, by: &NetworkRow| {
        let (Some(own), Some(other)) = (key(row), key(by)) else { return row.steps.is_none() };
        by.collective == row.collective && other.0 <= own.0 && other.1 <= own.1 && other != own
    };
    let marks: Vec<bool> =
        rows.iter().map(|row| !rows.iter().any(|by| is_beaten(row, by))).collect();
    rows.iter_mut().zip(marks).for_each(|(row, mark)| row.is_pareto = mark && row.steps.is_some());
}

/// The rows as a table; those of the Pareto set have a star.
pub fn text(rows: &[NetworkRow], columns: Option<usize>) -> String {
    let head = "network|collective|terminals|links|degree|diameter|bisection|steps|bound|us|\
                links x steps|Pareto";
    let line = |row: &NetworkRow| {
        [
            row.network.clone(),
            row.collective.clone(),
            row.terminals.to_string(),
            row.links.to_string(),
            row.degree.to_string(),
            known(row.diameter),
            known(row.bisection),
            known(row.steps),
            row.bound.to_string(),
            known(row.time_us.map(|us| format!("{us:.3}"))),
            known(row.cost()),
            if row.is_pareto { "*".into() } else { String::new() },
        ]
    };
    table(head, rows.iter().map(line), Numbers::Right, columns)
}

/// The same as CSV.
///
/// # Errors
/// As [`csv_below`].
pub fn csv(rows: &[NetworkRow]) -> Result<String> {
    let head = "network,collective,terminals,links,degree,diameter,bisection,steps,bound,\
                time_us,cost,pareto";
    let line = |r: &NetworkRow| {
        let made_of = (r.terminals, r.links, r.degree, r.diameter, r.bisection);
        let time = r.time_us.map(|us| us.to_string());
        let name = (cell(&r.network).into_owned(), r.collective.clone());
        (name, made_of, (r.steps, r.bound, time, r.cost(), r.is_pareto))
    };
    csv_below(head, rows.iter().map(line))
}

/// Pixels of the chart of a collective.
const SIZE: (u32, u32) = (480, 360);
/// Pixels from the middle of a mark to its edge.
const MARK: i32 = 6;
/// Pixels of a ring around it.
const RING: i32 = 4;

/// Steps over links: a chart for each collective, a mark for each network; filled marks are the Pareto
/// set, and a thin line joins them.
///
/// # Errors
/// The drawing library's.
pub fn plot(rows: &[NetworkRow], rules: &str) -> Drawn<String> {
    let networks: IndexSet<&str> = rows.iter().map(|row| row.network.as_str()).collect();
    let collectives: IndexSet<&str> = rows.iter().map(|row| row.collective.as_str()).collect();
    let wide = if collectives.len() > 1 { 2 } else { 1 };
    let high = collectives.len().div_ceil(wide).max(1);
    let size = (SIZE.0 * wide as u32, SIZE.1 * high as u32);
    let most_links = rows.iter().map(|row| row.links).max().unwrap_or(1) as f64;
    picture(size, |sheet| {
        let charts = sheet.area.split_evenly((high, wide));
        for (number, (area, collective)) in charts.iter().zip(&collectives).enumerate() {
            let of = |row: &&NetworkRow| row.collective == *collective;
            let points: Vec<(&NetworkRow, (f64, f64))> = (rows.iter().filter(of))
                .filter_map(|row| Some((row, (row.links as f64, row.steps? as f64))))
                .collect();
            let most = points.iter().map(|(_, at)| at.1).fold(1.0, f64::max);
            let label = |y: &f64| if y.fract() == 0.0 { whole(y) } else { String::new() };
            let x = Axis::new(0.0..most_links * 1.1, "links").labels(6).written(&whole);
            let y = Axis::new(0.0..most * 1.15, "steps").labels((most as usize + 2).min(10));
            let caption = format!("{collective}, {rules}");
            let mut chart = chart(area, &caption, x, y.written(&label))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::Collective;
    use ccsched_network::spec;

    #[test]
    fn a_network_with_fewer_links_and_steps_beats_others() {
        let options = Options { islands: Some(1), ..Options::default() };
        let request = Request::new(Collective::Aas);
        let mut rows: Vec<NetworkRow> = ["ring:8", "hypercube:3", "complete:8"]
            .map(|name| {
                let network = spec::parse(name).unwrap();
                row(&network, &request, &options, &TimeModel::at(None)).unwrap().unwrap()
            })
            .into();
        assert_eq!(rows.iter().map(|row| row.links).collect::<Vec<_>>(), [8, 12, 28]);
        let mut worse = rows[0].clone();
        worse.steps = worse.steps.map(|steps| steps + 1);
        rows.push(worse);
        mark_pareto(&mut rows);
        let marks: Vec<bool> = rows.iter().map(|row| row.is_pareto).collect();
        assert_eq!(marks, [true, true, true, false]);
        assert!(text(&rows, None).contains("| hypercube:3 |        aas |"));
        assert_eq!(csv(&rows).unwrap().lines().count(), 5);
        let picture = plot(&rows, "wormhole").unwrap();
        assert!(picture.contains("aas, wormhole") && picture.contains("hypercube:3"));
    }
}
