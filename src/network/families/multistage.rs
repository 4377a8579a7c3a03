//! Unidirectional multistage networks (umda-multistage-networks, section 2). A terminal has one
//! channel into the first stage and one out of the last.
//!
//! The networks of 2x2 switches have N lines between two stages. The butterfly is the flow graph of
//! a fast Fourier transform, least significant bit first: stage `s` puts lines that differ in bit
//! `s` into one switch, numbered by the line without the bit. So every channel is on the paths of N
//! - 1 pairs of terminals, as the steps of the paper's table 1 require.

use super::params::{counts, fits, power_of_two, product};
use super::plan::Plan;

/// `omega:N`: a perfect shuffle before every stage.
pub fn omega(text: &str) -> Result<Plan, String> {
    let shuffle = |line: u64, n: u64| ((line << 1) | (line / (n / 2))) & (n - 1);
    staged(text, |_, line, n| shuffle(line, n) / 2, |_, line, _| line / 2)
}

/// `butterfly:N`.
pub fn butterfly(text: &str) -> Result<Plan, String> {
    let without = |bit: u32, line: u64| (line >> (bit + 1) << bit) | (line & ((1 << bit) - 1));
    staged(text, |s, line, _| without(s, line), |s, line, _| without(s, line))
}

/// `clos:N,M,R`.
pub fn clos(text: &str) -> Result<Plan, String> {
    let [n, m, r] = counts(text, ["N", "M", "R"])?;
    fits(product(&[2, r, n + m]))?;
    let mut plan = Plan::numbered(format!("{n},{m},{r}"), n * r);
    plan.one_way = true;
    let [first, middle, last] = [(0, r), (1, m), (2, r)].map(|(s, count)| plan.switches(s, count));
    for t in 0..n * r {
        plan.link(t, first + t / n);
        plan.link(last + t / n, t);
    }
    for i in 0..r {
        for j in 0..m {
            plan.link(first + i, middle + j);
            plan.link(middle + j, last + i);
        }
    }
    Ok(plan)
}

/// Stages of N/2 switches: `into(s, line, N)` is the switch of stage `s` that a line enters,
/// `out(s, line, N)` the one it leaves.
fn staged(
    text: &str,
    into: impl Fn(u32, u64, u64) -> u64,
    out: impl Fn(u32, u64, u64) -> u64,
) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    let stages = power_of_two(n, "N")?;
    fits(product(&[n, stages as u64 + 1]))?;
    let mut plan = Plan::numbered(n, n);
    plan.one_way = true;
    let first: Vec<u64> = (0..stages).map(|s| plan.switches(s, n / 2)).collect();
    for line in 0..n {
        plan.link(line, first[0] + into(0, line, n));
        for s in 1..stages {
            let from = first[s as usize - 1] + out(s - 1, line, n);
            plan.link(from, first[s as usize] + into(s, line, n));
        }
        plan.link(first[stages as usize - 1] + out(stages - 1, line, n), line);
    }
    Ok(plan)
}
