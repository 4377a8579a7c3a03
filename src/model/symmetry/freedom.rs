//! What the elements of a group may fix.

use super::automorphisms::Permutation;
use super::chain::Chain;
use ccsched_network::{Network, VertexId};

/// The terminals that an element other than the identity may fix.
#[derive(Clone, Copy)]
pub struct Freedom<'n> {
    pub network: &'n Network,
    pub rest: Rest,
}

/// See [`Freedom`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    Nothing,
    One,
    /// Terminals on one shortest path.
    Chain,
}

impl Freedom<'_> {
    /// Whether an element other than the identity may be in a group.
    pub fn admits(self, element: &Permutation) -> bool {
        let rests = |&v: &VertexId| element[v as usize] == v;
        let mut resting = self.network.terminals().filter(rests);
        match self.rest {
            Rest::Nothing => resting.next().is_none(),
            Rest::One => resting.nth(1).is_none(),
            Rest::Chain => Chain::is_of(self.network, resting.collect()),
        }
    }

    /// The powers of an automorphism that generate groups of this freedom.
    pub fn powers(self, g: &Permutation) -> Vec<Permutation> {
        let terminals = self.network.terminals().count();
        let mut powers = vec![g.clone()];
        loop {
            let last = powers.last().expect("it has one");
            let next: Permutation = last.iter().map(|&v| g[v as usize]).collect();
            let is_identity = (0..).zip(last).all(|(v, &image)| v == image);
            if is_identity || powers.len() > 4 * terminals {
                break;
            }
            powers.push(next);
        }
        let order = powers.len();
        let is_free = |step: usize| {
            let generated = (1..).map(|k| k * step % order).take_while(|&k| k != 0);
            generated.map(|k| &powers[k - 1]).all(|power| self.admits(power))
        };
        let divisors = (1..order).filter(|step| order % step == 0);
        divisors.filter(|&step| is_free(step)).map(|step| powers[step - 1].clone()).collect()
    }
}
