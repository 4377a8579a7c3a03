//! A-Minimum-Path networks (hgsa-store-and-forward, section 5): degree at most 4 and the least mean
//! distance found for the number of vertices. The paper's drawings are lost; a search of our own
//! found these networks, and vertex 0 is a vertex of least eccentricity.

use super::params::counts;
use super::plan::Plan;

/// `amp:N`.
pub fn amp(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    let Some((_, rows)) = NETWORKS.iter().find(|(size, _)| *size == n) else {
        let sizes: Vec<String> = NETWORKS.iter().map(|(size, _)| size.to_string()).collect();
        return Err(format!("N must be one of {}, not {n}", sizes.join(", ")));
    };
    let mut plan = Plan::numbered(n, n);
    for (v, row) in rows.split(';').enumerate() {
        // The rows are part of the program; a test checks their degrees and distances.
        row.split_whitespace().flat_map(str::parse).for_each(|w| plan.link(v as u64, w));
    }
    Ok(plan)
}

/// By number of vertices: for every vertex in turn, its neighbours with higher numbers.
#[rustfmt::skip]
const NETWORKS: [(u64, &str); 5] = [
    (8, "\
        1 2 3 4; 5 6 7; 4 5 7; 4 5 6; 7; 6; 7"),
    (23, "\
        1 2 3 4; 5 6 7; 8 9 10; 11 12 13; 14 15 16; 13 17 18; 9 19 20; 16 21 22; 14 17 19; 11 21; \
        13 15 20; 16 18; 17 20 22; 14; 22; 19 21; 20; 21; 19 22"),
    (32, "\
        1 2 3 4; 5 6 7; 8 9 10; 11 12 13; 14 15 16; 17 18 19; 9 20 21; 10 14 22; 23 24 25; 11 26; \
        19 27; 15 28; 20 24 27; 21 23 29; 18 20; 19 30; 23 26 31; 21 24 30; 23 28; 29; 25; 31; 26 \
        28 29; ; 26; 29 30; ; 30 31; 31"),
    (42, "\
        1 2 3 4; 5 6 7; 8 9 10; 11 12 13; 14 15 16; 17 18 19; 20 21 22; 23 24 25; 17 26 27; 28 29 \
        30; 14 22 31; 18 32 33; 34 35 36; 37 38 39; 39 40; 23 26 35; 27 28 41; 36 38; 21 28; 20 32 \
        40; 29 35; 26 39; 33 41; 31 37; 30 38 40; 27 33 34; 30; 32; 31; 34 37; 33; 36; 37; ; 39; \
        41; 40; ; 41"),
    (53, "\
        1 2 3 4; 5 6 7; 8 9 10; 11 12 13; 14 15 16; 17 18 19; 20 21 22; 23 24 25; 26 27 28; 29 30 \
        31; 32 33 34; 35 36 37; 38 39 40; 41 42 43; 44 45 46; 47 48 49; 50 51 52; 28 41 51; 30 38 \
        48; 33 37 45; 39 42 49; 34 35 52; 29 43 50; 31 35 44; 27 42 47; 32 40 46; 32 43 48; 30 52; \
        44 49; 38 47; 50; 39 45; 51; 36 42; 41 46; 48; 44 50; 40 52; 46; 51; 49; 47; ; 45"),
];
