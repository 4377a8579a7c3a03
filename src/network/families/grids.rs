//! Meshes and tori of any dimension, and hypercubes. The last coordinate varies fastest; links
//! point to the next coordinate. A dimension of size 2 of a torus has one link, not two.

use super::params::{at_least, counts, fits, product, sizes};
use super::plan::Plan;

/// `mesh:AxBx..`.
pub fn mesh(text: &str) -> Result<Plan, String> {
    grid(text, false)
}

/// `torus:AxBx..`.
pub fn torus(text: &str) -> Result<Plan, String> {
    grid(text, true)
}

/// `hypercube:D`.
pub fn hypercube(text: &str) -> Result<Plan, String> {
    let [d] = counts(text, ["D"])?;
    let n = 1u64.checked_shl(d as u32).filter(|_| d < 64);
    fits(n.and_then(|n| n.checked_mul(d)))?;
    let mut plan = Plan::numbered(d, 1 << d);
    for v in 0..1u64 << d {
        (0..d).filter(|b| v >> b & 1 == 0).for_each(|b| plan.link(v, v | 1 << b));
    }
    Ok(plan)
}

fn grid(text: &str, wrap: bool) -> Result<Plan, String> {
    let sizes = sizes(text)?;
    let n = product(&sizes);
    at_least(n.unwrap_or(u64::MAX), 2, "the product of the sizes")?;
    let long = sizes.iter().filter(|&&s| s > 1).count() as u64;
    fits(n.and_then(|n| n.checked_mul(2 * long)))?;
    let dotted = sizes.iter().any(|&s| s > 10);
    let shape: Vec<String> = sizes.iter().map(u64::to_string).collect();
    let mut plan = Plan::new(shape.join("x"));
    let n = n.unwrap_or(0);
    for v in 0..n {
        let words: Vec<String> = coordinates(v, &sizes).iter().map(u64::to_string).collect();
        plan.vertex(words.join(if dotted { "." } else { "" }), true);
    }
    for v in 0..n {
        let mut stride = n;
        for (&c, &size) in coordinates(v, &sizes).iter().zip(&sizes) {
            stride /= size;
            if c + 1 < size {
                plan.link(v, v + stride);
            } else if wrap && size > 2 {
                plan.link(v, v - c * stride);
            }
        }
    }
    Ok(plan)
}

/// The coordinates of vertex `v`.
fn coordinates(mut v: u64, sizes: &[u64]) -> Vec<u64> {
    let mut words: Vec<u64> = Vec::with_capacity(sizes.len());
    for size in sizes.iter().rev() {
        words.push(v % size);
        v /= size;
    }
    words.reverse();
    words
}
