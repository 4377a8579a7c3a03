//! Slim flies: the graphs of McKay, Miller and Siran of diameter 2 (Besta and Hoefler, "Slim Fly: a
//! cost effective low-diameter network topology", section II). With Q = 4W + D, D one of -1, 0, 1,
//! there are 2 Q^2 routers of degree (3Q - D)/2. For Q = 5 it is the Hoffman-Singleton graph.
//!
//! Routers are (0, x, y) and (1, m, c) over the field of Q elements, numbered in this order. Two
//! routers of a row are joined if their last coordinates differ by an element of X (first half) or
//! X' (second half); (0, x, y) and (1, m, c) are joined if y = mx + c.

use super::params::{at_least, count, fits, product};
use super::plan::Plan;
use ccsched_base::field::Field;

/// `slim-fly:Q`, whose routers are terminals, or `slim-fly:Q,P`, whose routers are switches `sw0`,
/// `sw1`... with P terminals each.
pub fn slim_fly(text: &str) -> Result<Plan, String> {
    let (q, hosts) = match text.split_once(',') {
        Some((q, hosts)) => (count(q, "Q")?, Some(count(hosts, "P")?)),
        None => (count(text, "Q")?, None),
    };
    at_least(q, 3, "Q")?;
    fits(product(&[q, q, 3 * q + 1 + 4 * hosts.unwrap_or(0)]))?;
    let wrong = || format!("Q must be a prime power, such as 4, 5, 7, 8, 9 or 11, not {q}");
    let field = Field::new(q as usize).ok_or_else(wrong)?;
    let (near, far) = differences(&field, q as usize);
    let routers = 2 * q * q;
    let (mut plan, first) = match hosts {
        None => (Plan::numbered(q, routers), 0),
        Some(hosts) => {
            let mut plan = Plan::numbered(format!("{q},{hosts}"), routers * hosts);
            (0..routers).for_each(|r| plan.vertex(format!("sw{r}"), false));
            (0..routers * hosts).for_each(|t| plan.link(t, routers * hosts + t / hosts));
            (plan, routers * hosts)
        }
    };
    let q = q as usize;
    let router =
        |half: usize, row: usize, place: usize| first + ((half * q + row) * q + place) as u64;
    for row in 0..q {
        for place in 0..q {
            for (half, differences) in [&near, &far].into_iter().enumerate() {
                for other in differences.iter().map(|&d| field.add(place, d)) {
                    if place < other {
                        plan.link(router(half, row, place), router(half, row, other));
                    }
                }
            }
            for m in 0..q {
                let c = field.sub(place, field.mul(m, row));
                plan.link(router(0, row, place), router(1, m, c));
            }
        }
    }
    Ok(plan)
}

/// The sets X and X': half of the elements each, closed under change of sign. X has the even powers
/// of a primitive element and X' the odd ones; from half way on they swap where -1 is an odd power.
fn differences(field: &Field, q: usize) -> (Vec<usize>, Vec<usize>) {
    let powers = |exponents: Vec<usize>| exponents.into_iter().map(|e| field.power(e)).collect();
    if q % 4 == 3 {
        let middle = q / 2;
        let from = |first: usize| (first..middle + first).step_by(2);
        let near = from(0).chain(from(0).map(|e| e + middle)).collect();
        return (powers(near), powers(from(1).chain(from(1).map(|e| e + middle)).collect()));
    }
    let from = |first: usize| (first..q - 1 + first % 2).step_by(2).collect();
    (powers(from(0)), powers(from(1)))
}
