//! What is said of a row: how a result compares with print, and why.

use super::printed::Figure;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a result compares with the printed figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The printed figure.
    Equal,
    /// Better than the printed figure.
    Better,
    /// A proof contradicts the printed figure.
    Contradicted,
    /// Worse than the printed figure, and nothing is proved against it.
    Worse,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Equal => "equal",
            Verdict::Better => "better",
            Verdict::Contradicted => "contradicted",
            Verdict::Worse => "worse",
        })
    }
}

/// What is known of the steps of one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Steps of the best schedule, if one was found. It has been verified.
    pub steps: Option<u32>,
    /// The largest lower bound.
    pub bound: u32,
    /// Its name.
    pub proof: String,
    /// Whether the verifier has checked it; a refutation by search cannot be.
    pub is_certified: bool,
}

impl Known {
    /// The bound with its name, as a proof.
    pub fn proof(&self) -> String {
        let checked = if self.is_certified { ", verified" } else { ", by search" };
        format!("{} bound{checked}", self.proof)
    }

    /// Compares with a printed number of steps.
    pub fn against(&self, printed: u32) -> Verdict {
        match self.steps {
            _ if self.bound > printed => Verdict::Contradicted,
            Some(steps) if steps == printed => Verdict::Equal,
            Some(steps) if steps < printed => Verdict::Better,
            _ => Verdict::Worse,
        }
    }

    /// Compares with a printed lower bound: a larger one is better, and a schedule of fewer steps
    /// contradicts it.
    pub fn against_bound(&self, printed: u32) -> Verdict {
        match self.steps {
            Some(steps) if steps < printed => Verdict::Contradicted,
            _ if self.bound > printed => Verdict::Better,
            _ if self.bound == printed => Verdict::Equal,
            _ => Verdict::Worse,
        }
    }
}

/// The verdict on a row of several problems: the gravest.
pub fn gravest(verdicts: impl IntoIterator<Item = Verdict>) -> Option<Verdict> {
    let weight = |verdict: &Verdict| match verdict {
        Verdict::Equal => 0,
        Verdict::Better => 1,
        Verdict::Contradicted => 2,
        Verdict::Worse => 3,
    };
    verdicts.into_iter().max_by_key(weight)
}

/// The verdict on a computed number. Only a slip that the data names counts as contradicted:
/// otherwise a figure that was typed in wrongly would pass.
pub fn of_figure(figure: &Figure, computed: f64) -> Verdict {
    match figure.agrees(computed) {
        true => Verdict::Equal,
        false if figure.note.is_some() => Verdict::Contradicted,
        false => Verdict::Worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(steps: u32, bound: u32) -> Known {
        Known { steps: Some(steps), bound, proof: "ports".into(), is_certified: true }
    }

    #[test]
    fn steps_are_held_against_print() {
        let against = |steps, bound| known(steps, bound).against(7);
        assert_eq!(against(7, 7), Verdict::Equal);
        assert_eq!(against(6, 5), Verdict::Better);
        assert_eq!(against(8, 7), Verdict::Worse);
        assert_eq!(against(9, 8), Verdict::Contradicted);
        let none = Known { steps: None, ..known(0, 7) };
        assert_eq!(none.against(7), Verdict::Worse);
    }

    #[test]
    fn bounds_are_held_against_print() {
        let against = |steps, bound| known(steps, bound).against_bound(7);
        assert_eq!(against(9, 7), Verdict::Equal);
        assert_eq!(against(9, 8), Verdict::Better);
        assert_eq!(against(9, 6), Verdict::Worse);
        assert_eq!(against(6, 6), Verdict::Contradicted);
    }

    #[test]
    fn the_gravest_verdict_counts() {
        let all = [Verdict::Better, Verdict::Contradicted, Verdict::Equal];
        assert_eq!(gravest(all), Some(Verdict::Contradicted));
        assert_eq!(gravest([]), None);
    }
}
