//! A class of messages of a line or a ring: moves in phases, which use no channel twice in a phase
//! (classes.rs).

use super::factors::Move;

/// By side of a grid, the ways to divide its messages into classes.
pub type Divisions = Vec<Vec<Vec<Class>>>;

/// A class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Every move with its phase.
    pub moves: Vec<(Move, usize)>,
    pub phases: usize,
    /// The distance of the phases of a vertex, taken cyclically; none if every vertex has but one.
    pub gap: Option<usize>,
}

impl Class {
    /// Whether all stay where they are.
    pub fn is_still(&self) -> bool {
        self.moves.iter().all(|(m, _)| m.hops == 0)
    }
}
