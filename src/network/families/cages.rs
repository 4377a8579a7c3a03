//! Moore graphs and cages (umda-diameter-degree-networks, section 2): the most vertices for their
//! degree and diameter, or the fewest for their degree and girth.

use super::params::none;
use super::plan::Plan;
use super::rings::circle;

/// `petersen`: a pentagon 0-4 around a pentagram 5-9.
pub fn petersen(text: &str) -> Result<Plan, String> {
    none(text)?;
    let mut plan = Plan::numbered("", 10);
    for i in 0..5 {
        plan.link(i, (i + 1) % 5);
        plan.link(i, i + 5);
        plan.link(i + 5, (i + 2) % 5 + 5);
    }
    Ok(plan)
}

/// `heawood`, LCF [5,-5]^7.
pub fn heawood(text: &str) -> Result<Plan, String> {
    none(text)?;
    Ok(lcf(&[5, -5], 7))
}

/// `levi`, LCF [-13,-9,7,-7,9,13]^5.
pub fn levi(text: &str) -> Result<Plan, String> {
    none(text)?;
    Ok(lcf(&[-13, -9, 7, -7, 9, 13], 5))
}

/// `hoffman-singleton`: pentagons h (vertices 5h + j) and pentagrams i (25 + 5i + j), where vertex
/// j of pentagon h is joined to vertex hi + j of pentagram i (Robertson's construction).
pub fn hoffman_singleton(text: &str) -> Result<Plan, String> {
    none(text)?;
    let mut plan = Plan::numbered("", 50);
    for h in 0..5 {
        for j in 0..5 {
            plan.link(5 * h + j, 5 * h + (j + 1) % 5);
            plan.link(25 + 5 * h + j, 25 + 5 * h + (j + 2) % 5);
            (0..5).for_each(|i| plan.link(5 * h + j, 25 + 5 * i + (h * i + j) % 5));
        }
    }
    Ok(plan)
}

/// A Hamiltonian cycle and one chord per vertex, in the notation of Lederberg, Coxeter and Frucht.
fn lcf(chords: &[i64], times: usize) -> Plan {
    let n = (chords.len() * times) as i64;
    let mut plan = circle("", n as u64);
    for i in 0..n {
        let to = (i + chords[i as usize % chords.len()]).rem_euclid(n);
        if i < to {
            plan.link(i as u64, to as u64);
        }
    }
    plan
}
