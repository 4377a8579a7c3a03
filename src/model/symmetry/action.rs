//! How a group permutes the steps: as a union of orbits, each equivalent to the cosets of a
//! subgroup. Most orbits are regular (their length is the order of the group); the remaining steps
//! form shorter orbits.

use super::Group;
use ccsched_base::rng::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The image of every step under every element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    steps: usize,
    /// By element, step.
    images: Vec<u32>,
}

impl Action {
    /// A random action of the group on `steps` steps.
    pub fn random(group: &Group, steps: u32, rng: &mut Rng) -> Self {
        let (order, steps) = (group.order(), steps as usize);
        let mut stabilisers: Vec<Vec<usize>> = Vec::new();
        let mut left = steps;
        // Sometimes shorter orbits replace one regular orbit.
        let spare = usize::from(rng.random_range(0..4) == 0);
        while left >= order && stabilisers.len() + spare < (steps / order).max(1) {
            stabilisers.push(vec![0]);
            left -= order;
        }
        let cyclic: Vec<Vec<usize>> = (1..order).map(|g| generated(group, g)).collect();
        while left > 0 {
            let fitting: Vec<&Vec<usize>> =
                cyclic.iter().filter(|h| order / h.len() <= left).collect();
            let longest = fitting.iter().map(|h| order / h.len()).max();
            // The longest orbit that fits, by a random one of its subgroups; else a fixed step.
            let of_length: Vec<_> =
                fitting.into_iter().filter(|h| Some(order / h.len()) == longest).collect();
            let stabiliser = match of_length.len() {
                0 => (0..order).collect(),
                n => of_length[rng.random_range(0..n)].clone(),
            };
            left -= order / stabiliser.len();
            stabilisers.push(stabiliser);
        }
        Self::on_cosets(group, steps, &stabilisers)
    }

    /// An action without shorter orbits on as many of the steps as that allows.
    pub fn regular(group: &Group, steps: u32) -> Self {
        let orbits = steps as usize / group.order();
        Self::on_cosets(group, orbits * group.order(), &vec![vec![0]; orbits])
    }

    /// The trivial action, for messages over several steps, which must keep the order of the steps.
    pub fn at_rest(group: &Group, steps: u32) -> Self {
        let images = (0..group.order()).flat_map(|_| 0..steps).collect();
        Action { steps: steps as usize, images }
    }

    fn on_cosets(group: &Group, steps: usize, stabilisers: &[Vec<usize>]) -> Self {
        let order = group.order();
        let mut images = vec![0; order * steps];
        let mut first = 0;
        for stabiliser in stabilisers {
            let mut cosets: BTreeMap<usize, u32> = BTreeMap::new();
            let coset = |g: usize| {
                stabiliser.iter().map(|&h| group.product(g, h)).min().expect("never empty")
            };
            let of: Vec<usize> = (0..order).map(coset).collect();
            for &name in &of {
                let next = first + cosets.len() as u32;
                cosets.entry(name).or_insert(next);
            }
            for g in 0..order {
                for (&name, &step) in &cosets {
                    images[g * steps + step as usize] = cosets[&of[group.product(g, name)]];
                }
            }
            first += cosets.len() as u32;
        }
        Action { steps, images }
    }

    /// Whether it maps `steps` steps to steps, for every element of the group.
    pub fn is_of(&self, group: &Group, steps: u32) -> bool {
        self.steps == steps as usize
            && self.images.len() == self.steps * group.order()
            && self.images.iter().all(|&image| image < steps)
    }

    /// Number of steps.
    pub fn steps(&self) -> u32 {
        self.steps as u32
    }

    /// The images of all steps under an element.
    pub fn images(&self, g: usize) -> &[u32] {
        &self.images[g * self.steps..][..self.steps]
    }

    /// The image of a step under an element.
    pub fn image(&self, g: usize, step: u32) -> u32 {
        self.images[g * self.steps + step as usize]
    }
}

/// The cyclic subgroup that an element generates.
fn generated(group: &Group, g: usize) -> Vec<usize> {
    let mut elements = vec![0];
    let mut power = g;
    while power != 0 {
        elements.push(power);
        power = group.product(g, power);
    }
    elements
}
