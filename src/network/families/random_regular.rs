//! Random regular graphs, the networks of Jellyfish (Singla, Hong, Popa, Godfrey, "Jellyfish:
//! networking data centers randomly", section 3): ends of links are paired at random; then loops
//! and double links exchange an end with other links until the graph is simple and connected. The
//! same seed gives the same graph on every machine.

use super::params::{at_least, counts, fits, product};
use super::plan::Plan;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;

/// `random-regular:N,D,SEED`.
pub fn random_regular(text: &str) -> Result<Plan, String> {
    let [n, d, seed] = counts(text, ["N", "D", "SEED"])?;
    at_least(n, 2, "N")?;
    if d >= n {
        return Err(format!("the degree D = {d} must be less than N = {n}"));
    }
    if d == 1 && n > 2 {
        return Err(format!("{n} vertices of degree 1 are not connected; D must be at least 2"));
    }
    fits(product(&[n, d]))?;
    if n * d % 2 == 1 {
        return Err(format!("N or D must be even: {n} x {d} ends cannot be paired"));
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (n, d) = (n as usize, d as usize);
    let links = if 2 * d < n {
        let mut links = simple(n, d, &mut rng);
        connect(n, &mut links, &mut rng);
        links
    } else {
        // A dense graph is the complement of a sparse one; it is connected.
        complement(n, &simple(n, n - 1 - d, &mut rng))
    };
    let mut plan = Plan::numbered(format!("{n},{d},{seed}"), n as u64);
    links.iter().for_each(|&(a, b)| plan.link(a as u64, b as u64));
    Ok(plan)
}

/// Exchanges tried, for every end, before a new pairing is drawn.
const TRIES: usize = 20;

type Link = (usize, usize);

fn ordered(a: usize, b: usize) -> Link {
    (a.min(b), a.max(b))
}

/// A simple graph of degree `d`, at most about half the number of vertices.
fn simple(n: usize, d: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<Link> {
    let mut ends: Vec<usize> = (0..n * d).map(|end| end / d).collect();
    loop {
        ends.shuffle(rng);
        if let Some(links) = repaired(&ends, rng) {
            return links;
        }
    }
}

/// The links between consecutive ends, made simple; none if the exchanges do not succeed, which
/// happens on a handful of vertices.
fn repaired(ends: &[usize], rng: &mut Xoshiro256PlusPlus) -> Option<Vec<Link>> {
    let mut links: Vec<Link> = Vec::with_capacity(ends.len() / 2);
    let mut there = HashSet::new();
    let mut bad: Vec<Link> = Vec::new();
    for pair in ends.chunks_exact(2) {
        let link = ordered(pair[0], pair[1]);
        let fits = link.0 != link.1 && there.insert(link);
        if fits { links.push(link) } else { bad.push(link) }
    }
    let mut tries = TRIES * ends.len();
    while let Some(&(a, b)) = bad.last() {
        tries = tries.checked_sub(1).filter(|_| !links.is_empty())?;
        // Links a-c and b-d replace the bad link a-b and a random link c-d.
        let i = rng.random_range(0..links.len());
        let (mut c, mut d) = links[i];
        if rng.random::<bool>() {
            std::mem::swap(&mut c, &mut d);
        }
        let new = [ordered(a, c), ordered(b, d)];
        let is_simple = |l: &Link| l.0 != l.1 && !there.contains(l);
        if new.iter().all(is_simple) && new[0] != new[1] {
            there.remove(&ordered(c, d));
            there.extend(new);
            links[i] = new[0];
            links.push(new[1]);
            bad.pop();
        }
    }
    Some(links)
}

/// Exchanges ends of links of different components until the graph is connected.
fn connect(n: usize, links: &mut [Link], rng: &mut Xoshiro256PlusPlus) {
    loop {
        let piece = pieces(n, links);
        let split = |l: &Link| piece[l.0] != piece[0];
        let (far, near): (Vec<usize>, Vec<usize>) =
            (0..links.len()).partition(|&i| split(&links[i]));
        if far.is_empty() {
            return;
        }
        let (i, j) = (near[rng.random_range(0..near.len())], far[rng.random_range(0..far.len())]);
        let ((a, b), (c, d)) = (links[i], links[j]);
        // No link joins two components yet, so the new links do not exist.
        (links[i], links[j]) = (ordered(a, c), ordered(b, d));
    }
}

/// A number for every vertex, equal within a component.
fn pieces(n: usize, links: &[Link]) -> Vec<usize> {
    let mut root: Vec<usize> = (0..n).collect();
    fn find(root: &mut [usize], mut v: usize) -> usize {
        while root[v] != v {
            root[v] = root[root[v]];
            v = root[v];
        }
        v
    }
    for &(a, b) in links {
        let (a, b) = (find(&mut root, a), find(&mut root, b));
        root[a] = b;
    }
    (0..n).map(|v| find(&mut root, v)).collect()
}

fn complement(n: usize, links: &[Link]) -> Vec<Link> {
    let there: HashSet<&Link> = links.iter().collect();
    let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    all.filter(|link| !there.contains(link)).collect()
}
