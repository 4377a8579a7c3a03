//! Dragonflies (Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology",
//! section 3): complete groups of A routers, each router with P terminals and H links to other
//! groups. There are A*H + 1 groups, so that every two of them have exactly one link.
//!
//! Global links are consecutive: group g has A*H places for them, one for each other group in
//! order, and router r of the group has the places r*H to r*H + H-1.

use super::params::{counts, fits, product};
use super::plan::Plan;

/// `dragonfly:A,P,H`: terminals `0`.., router r of group g is the switch `sw<g*A + r>`.
pub fn dragonfly(text: &str) -> Result<Plan, String> {
    let [a, p, h] = counts(text, ["A", "P", "H"])?;
    let groups = a * h + 1;
    fits(product(&[groups, a, 2 * p + h + a - 1]))?;
    let routers = groups * a;
    let terminals = routers * p;
    let mut plan = Plan::numbered(format!("{a},{p},{h}"), terminals);
    (0..routers).for_each(|r| plan.vertex(format!("sw{r}"), false));
    (0..terminals).for_each(|t| plan.link(t, terminals + t / p));
    let router = |group: u64, r: u64| terminals + group * a + r;
    for g in 0..groups {
        for r in 0..a {
            (r + 1..a).for_each(|other| plan.link(router(g, r), router(g, other)));
        }
        for other in g + 1..groups {
            // Group g precedes the other group, which therefore has g at place g. The place of
            // the other group in g is one lower, because a group has no place for itself.
            plan.link(router(g, (other - 1) / h), router(other, g / h));
        }
    }
    Ok(plan)
}
