//! Dragonflies (Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology",
//! section 3): groups of A routers, all of a group joined, each with P terminals and H links to
//! other groups. There are A*H + 1 groups, so that every two of them have exactly one link.
//!
//! Global links are laid out consecutively: group g has A*H places for them, one for each of the
//! other groups in their order, and router r of the group has the places r*H to r*H + H-1.

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
            // Group g is before the other one, which so has it at place g; its own place for the
            // other one is one lower, as a group has none for itself.
            plan.link(router(g, (other - 1) / h), router(other, g / h));
        }
    }
    Ok(plan)
}
