//! How many steps a collective takes after faults: samples of broken links, with the same numbers of
//! faults on several networks.

use super::compare::statistics::{median, quantile};
use super::pictures::{Axis, Drawn, SIZE, band, chart, colour, curve, picture, whole};
use crate::fault_sweep::links;
use crate::rows::{csv_below, known, table};
use ccsched_base::Result;
use ccsched_base::rng::{Rng, rng_of};
use ccsched_model::problem::Request;
use ccsched_model::schedule::cells::cell;
use ccsched_network::{ChannelId, Network, faults as breaking};
use ccsched_run::Options;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError};
use ccsched_run::solve_until;
use ccsched_tools::fold::Numbers;
use indexmap::IndexSet;
use plotters::prelude::*;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};

/// The steps after a number of faults.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FaultsRow {
    /// The network.
    pub network: String,
    /// Broken links.
    pub faults: usize,
    /// Samples of that many links, and those after which some message has no path.
    pub samples: usize,
    /// Samples after which some message has no path.
    #[serde(rename = "cut_off")]
    pub cut: usize,
    /// Steps of each sample that has a schedule, ascending.
    pub steps: Vec<f64>,
}

impl FaultsRow {
    /// Least, lower quartile, median, upper quartile, most.
    pub fn summary(&self) -> Option<[f64; 5]> {
        let at = |share| quantile(&self.steps, share);
        Some([at(0.0)?, at(0.25)?, median(&self.steps)?, at(0.75)?, at(1.0)?])
    }
}

/// Networks, and the samples of broken links that are made of each.
pub struct Samples {
    /// The networks.
    pub networks: Vec<Network>,
    /// What is scheduled on them.
    pub request: Request,
    /// Numbers of broken links, ascending.
    pub faults: Vec<usize>,
    /// Samples of each number; of no broken link one.
    pub samples: usize,
    /// How each is solved.
    pub options: Options,
}

/// A sample: its network, its place in the numbers of faults, and its own number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample(usize, usize, usize);

/// What becomes of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum After {
    /// Some message has no path.
    Cut,
    /// The steps that are left, if a schedule was found.
    Steps(Option<usize>),
}

impl Samples {
    /// The rows of all networks and numbers of faults, the samples shared out over the ranks of a group:
    /// the others serve tasks with [`Samples::solve`]. An interrupt gives the rows of the samples so far,
    /// and true.
    ///
    /// # Errors
    /// The request does not fit a healthy network; a search fails, or a rank is gone.
    pub fn rows<C: Communicator>(
        &self,
        (group, interrupted): (&mut RankGroup<'_, C>, &AtomicBool),
        done: &dyn Fn(),
    ) -> Result<(Vec<FaultsRow>, bool), SearchError> {
        for network in &self.networks {
            self.request.pose(network.clone(), vec![])?;
        }
        let row = |network: &Network, &faults: &usize| {
            let network = network.name().into();
            FaultsRow { network, faults, samples: 0, cut: 0, steps: vec![] }
        };
        let of = |network| self.faults.iter().map(move |faults| row(network, faults));
        let mut rows: Vec<FaultsRow> = self.networks.iter().flat_map(of).collect();
        let tasks = self.tasks();
        let solve = |sample: &Sample, stops: &AtomicBool| self.solve(sample, stops);
        let is_interrupted = group.share((&tasks, &solve), interrupted, &mut |number, after| {
            let Sample(n, f, _) = tasks[number];
            let row = &mut rows[n * self.faults.len() + f];
            row.samples += 1;
            match after {
                After::Cut => row.cut += 1,
                After::Steps(steps) => row.steps.extend(steps.map(|steps| steps as f64)),
            }
            done();
            Ok(())
        })?;
        rows.iter_mut().for_each(|row| row.steps.sort_by(f64::total_cmp));
        Ok((rows, is_interrupted))
    }

    /// All samples; there is one without broken links.
    pub fn tasks(&self) -> Vec<Sample> {
        let of = |(f, &faults): (usize, &usize)| {
            (0..if faults == 0 { 1 } else { self.samples }).map(move |sample| (f, sample))
        };
        let of_network = || self.faults.iter().enumerate().flat_map(of);
        let networks = 0..self.networks.len();
        networks.flat_map(|n| of_network().map(move |(f, sample)| Sample(n, f, sample))).collect()
    }

    /// Breaks the links of a sample, the same in every run, and solves what is left; none if interrupted.
    ///
    /// # Errors
    /// The search fails.
    pub fn solve(
        &self,
        &Sample(n, f, sample): &Sample,
        stops: &AtomicBool,
    ) -> Result<Option<After>, SearchError> {
        let (network, faults) = (&self.networks[n], self.faults[f]);
        let mut rng = rng_of(self.options.seed, sample, faults);
        let gone = broken(network, faults, &mut rng);
        let records = gone.iter().map(|&c| breaking::record(network, c, &gone)).collect();
        let posed = breaking::apply(network, &gone, &[]);
        let Ok(problem) = posed.and_then(|rest| self.request.pose(rest, records)) else {
            return Ok(Some(After::Cut));
        };
        let solution = solve_until(&problem, &self.options, stops)?;
        let is_over = stops.load(Ordering::Relaxed);
        Ok((!is_over).then(|| After::Steps(solution.steps())))
    }
}

/// The channels of a number of random links.
fn broken(network: &Network, faults: usize, rng: &mut Rng) -> Vec<ChannelId> {
    let mut links = links(network);
    let mut gone = Vec::new();
    for _ in 0..faults.min(links.len()) {
        let link = links.swap_remove(rng.random_range(0..links.len()));
        gone.extend(std::iter::once(link).chain(network.channel(link).reverse));
    }
    gone
}

/// The rows as a table.
pub fn text(rows: &[FaultsRow], columns: Option<usize>) -> String {
    let head = "network|broken links|samples|cut off|least|25 %|median|75 %|most";
    let line = |row: &FaultsRow| {
        let [least, low, middle, high, most] =
            std::array::from_fn(|i| known(row.summary().map(|s| s[i])));
        let [faults, samples, cut] = [row.faults, row.samples, row.cut].map(|n| n.to_string());
        [row.network.clone(), faults, samples, cut, least, low, middle, high, most]
    };
    table(head, rows.iter().map(line), Numbers::Right, columns)
}

/// A line for each sample that has a schedule.
///
/// # Errors
/// As [`csv_below`].
pub fn csv(rows: &[FaultsRow]) -> Result<String> {
    let lines = rows.iter().flat_map(|row| {
        let of = move |steps: &f64| {
            (cell(&row.network), row.faults, row.samples, row.cut, steps.to_string())
        };
        row.steps.iter().map(of)
    });
    csv_below("network,faults,samples,cut_off,steps", lines)
}

/// The median over the broken links, with the quartiles as a band.
///
/// # Errors
/// The drawing library's.
pub fn plot(rows: &[FaultsRow], caption: &str) -> Drawn<String> {
    let points: Vec<(&FaultsRow, [f64; 5])> =
        rows.iter().filter_map(|row| Some((row, row.summary()?))).collect();
    let last = points.iter().map(|(row, _)| row.faults).max().unwrap_or(1).max(1) as f64;
    let most = points.iter().map(|(_, s)| s[3]).fold(1.0, f64::max);
    let networks: IndexSet<&str> = points.iter().map(|(row, _)| row.network.as_str()).collect();
    picture(SIZE, |sheet| {
        let x = Axis::new(0.0..last * 1.02, "broken links").labels(last as usize + 1);
        let y = Axis::new(0.0..most * 1.1, "steps").written(&whole);
        let mut chart = chart(&sheet.area, caption, x.written(&whole), y)?;
        for (c, name) in networks.iter().enumerate() {
            let own = points.iter().filter(|(row, _)| row.network == *name);
            let own = own.map(|(row, summary)| (row.faults as f64, summary));
            let quartiles = own.clone().map(|(x, s)| (x, [s[3], s[1]]));
            band(&mut chart, quartiles, colour(c).mix(0.2).filled())?;
            let line = own.map(|(x, s)| (x, s[2]));
            curve(sheet, &mut chart, name, colour(c).stroke_width(2), line)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::Collective;
    use ccsched_network::spec;
    use ccsched_run::comm::Solo;

    #[test]
    fn a_ring_that_is_cut_twice_is_told() {
        let options = Options { islands: Some(1), ..Options::default() };
        let request = Request::new(Collective::Aas);
        let ring = spec::parse("ring:5").unwrap();
        let (networks, faults) = (vec![ring], vec![0, 1, 2]);
        let samples = Samples { networks, request, faults, samples: 3, options };
        let never = AtomicBool::new(false);
        let rows = samples.rows((&mut RankGroup::new(&mut Solo), &never), &|| {}).unwrap().0;
        assert_eq!((rows[0].samples, rows[0].cut, rows[0].steps.len()), (1, 0, 1));
        // A path of five: two times three messages cross the middle link each way.
        assert_eq!(rows[1].summary().unwrap()[2], 6.0);
        assert_eq!((rows[2].cut, rows[2].summary()), (3, None));
        assert!(text(&rows, None).contains("| ring:5  |            2 |"));
        assert!(plot(&rows, "ring").unwrap().contains("broken links"));
    }
}
