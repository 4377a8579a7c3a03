//! Bidirectional trees (umda-multistage-networks, sections 2 and 5). Levels count from 0 at the
//! parents of the leaves. Links point down. Links above those of the leaves may be wider: see
//! [`super::plan::Widths`]. With `grow=2` a binary tree is the fat tree of Leiserson: the width of
//! a link is the number of leaves below it.

use super::params::{at_least, counts, fits, power_of_two, product};
use super::plan::Plan;

/// `binary-tree:N`: the leaves are terminals, the inner vertices are switches.
pub fn binary(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    let levels = power_of_two(n, "N")?;
    fits(product(&[4, n]))?;
    let mut plan = Plan::numbered(n, n);
    let mut below = 0;
    for level in 0..levels {
        let count = n >> (level + 1);
        let first = plan.switches(level, count);
        (0..2 * count).for_each(|i| plan.link_above(level, first + i / 2, below + i));
        below = first;
    }
    Ok(plan)
}

/// `fat-tree:N`: a butterfly folded back on itself, that is, the 2-ary tree of Petrini and
/// Vanneschi. Every level has N/2 switches; switches of levels `l` and `l + 1` are joined where
/// their numbers agree except perhaps in bit `l`.
pub fn fat(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    let levels = power_of_two(n, "N")?;
    fits(product(&[2, n, levels as u64]))?;
    let mut plan = Plan::numbered(n, n);
    let mut below = plan.switches(0, n / 2);
    (0..n).for_each(|leaf| plan.link(below + leaf / 2, leaf));
    for level in 1..levels {
        let first = plan.switches(level, n / 2);
        for w in 0..n / 2 {
            plan.link_above(level, first + w, below + w);
            plan.link_above(level, first + w, below + (w ^ 1 << (level - 1)));
        }
        below = first;
    }
    Ok(plan)
}

/// `full-binary-tree:N`: every vertex is a terminal, in heap order.
pub fn full(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    at_least(n, 3, "N")?;
    if !(n + 1).is_power_of_two() {
        let above = (n + 1).next_power_of_two();
        return Err(format!("N must be 2^k - 1, like {} or {}, not {n}", above / 2 - 1, above - 1));
    }
    fits(Some(2 * (n - 1)))?;
    let mut plan = Plan::numbered(n, n);
    let height = |v: u64| (n + 1).ilog2() - 1 - (v + 1).ilog2();
    (1..n).for_each(|v| plan.link_above(height(v), (v - 1) / 2, v));
    Ok(plan)
}
