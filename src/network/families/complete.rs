//! Complete graphs and complete bipartite graphs (the utility graph is `complete-bipartite:3,3`).

use super::params::{at_least, counts, fits, product};
use super::plan::Plan;

/// `complete:N`.
pub fn complete(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    at_least(n, 2, "N")?;
    fits(product(&[n, n - 1]))?;
    let mut plan = Plan::numbered(n, n);
    for a in 0..n {
        (a + 1..n).for_each(|b| plan.link(a, b));
    }
    Ok(plan)
}

/// `complete-bipartite:A,B`.
pub fn bipartite(text: &str) -> Result<Plan, String> {
    let [a, b] = counts(text, ["A", "B"])?;
    fits(product(&[2, a, b]))?;
    let mut plan = Plan::numbered(format!("{a},{b}"), a + b);
    for from in 0..a {
        (a..a + b).for_each(|to| plan.link(from, to));
    }
    Ok(plan)
}
