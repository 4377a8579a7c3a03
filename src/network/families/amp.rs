//! A-Minimum-Path networks (hgsa-store-and-forward, section 5): degree at most 4 and the least mean
//! distance found for the number of vertices. The paper's drawings are lost; a search of our own
//! found these networks, those of more than 53 vertices among the cyclic lifts of small graphs. Vertex 0
//! is a vertex of least eccentricity.

use super::params::counts;
use super::plan::Plan;

/// A line of `N: NEIGHBOURS; ..` for each network.
const NETWORKS: &str = include_str!("amp.txt");

/// `amp:N`.
pub fn amp(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    let networks = || NETWORKS.lines().filter_map(|line| line.split_once(':'));
    let Some((_, rows)) = networks().find(|(size, _)| size.parse() == Ok(n)) else {
        let sizes: Vec<&str> = networks().map(|(size, _)| size).collect();
        return Err(format!("N must be one of {}, not {n}", sizes.join(", ")));
    };
    let mut plan = Plan::numbered(n, n);
    for (v, row) in rows.split(';').enumerate() {
        // The rows are part of the program; a test checks their degrees and distances.
        row.split_whitespace().flat_map(str::parse).for_each(|w| plan.link(v as u64, w));
    }
    Ok(plan)
}
