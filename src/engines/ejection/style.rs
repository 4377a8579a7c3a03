//! What makes a transfer dear to eject; islands rotate through the styles.

use serde::{Deserialize, Serialize};

/// A way to price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Style {
    /// Who has often had to eject others is dear: quarrels are settled in the end. Best nearly
    /// everywhere.
    Weights,
    /// Everybody costs the same, but for the one placed last, which is dear. Best where every port
    /// is busy all the time, as in fat trees; there transfers have no free places to wander to.
    Cells,
}

/// The styles of an island in turn; islands begin at different ones.
const STYLES: [Style; 4] = [Style::Weights, Style::Weights, Style::Weights, Style::Cells];
/// Iterations before the next style.
const ITERATIONS: u64 = 2000;
/// Where in the turn the second island begins, the third, and so on.
const OFFSETS: [u64; 4] = [0, 3, 1, 2];

impl Style {
    /// The iteration from which an island counts.
    pub fn first_iteration(island: usize) -> u64 {
        OFFSETS[island % OFFSETS.len()] * ITERATIONS
    }

    /// The style of an iteration.
    pub fn of(iteration: u64) -> Style {
        STYLES[(iteration / ITERATIONS) as usize % STYLES.len()]
    }
}
