//! Rings, with and without chords (umda-diameter-degree-networks, table 6: Octagon and 16-gon).
//! Vertices are numbered around the ring; links point from `i` to `i + 1` and `i + w`.

use super::params::{at_least, counts, fits, none};
use super::plan::Plan;

/// `ring:N`.
pub fn ring(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    at_least(n, 2, "N")?;
    fits(Some(2 * n))?;
    Ok(circle(n, n))
}

/// `chordal-ring:N,W`.
pub fn chordal(text: &str) -> Result<Plan, String> {
    let [n, w] = counts(text, ["N", "W"])?;
    at_least(n, 4, "N")?;
    if w < 2 || w > n - 2 {
        return Err(format!("the chord width W = {w} is not between 2 and N - 2 = {}", n - 2));
    }
    chords(format!("{n},{w}"), n, w)
}

/// `octagon`.
pub fn octagon(text: &str) -> Result<Plan, String> {
    none(text)?;
    chords(String::new(), 8, 4)
}

/// `moebius-ladder:N`.
pub fn moebius(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    at_least(n, 4, "N")?;
    if n % 2 == 1 {
        return Err(format!("N must be even, such as {}, not {n}", n + 1));
    }
    chords(n.to_string(), n, n / 2)
}

/// A ring with a chord from every vertex `i` to `i + w`; no chord is doubled.
fn chords(params: String, n: u64, w: u64) -> Result<Plan, String> {
    fits(Some(4 * n))?;
    let mut plan = circle(params, n);
    let halves = if 2 * w == n { w } else { n };
    (0..halves).for_each(|i| plan.link(i, (i + w) % n));
    Ok(plan)
}

/// A ring without chords; two vertices have one link.
pub fn circle(params: impl ToString, n: u64) -> Plan {
    let mut plan = Plan::numbered(params, n);
    let links = if n == 2 { 1 } else { n };
    (0..links).for_each(|i| plan.link(i, (i + 1) % n));
    plan
}
