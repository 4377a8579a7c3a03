//! The choice of the next transfer within a time frame (liquid-schedules, section 3.2). Links whose
//! remaining load equals the steps left are bottlenecks: a team must use all of them. The
//! bottleneck with the fewest candidates comes first; afterwards the frame is filled until it is
//! full.

use super::partial::PartialSchedule;
use ccsched_base::bits;
use ccsched_base::rng::Rng;
use rand::RngExt;

/// The next action of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Include this transfer, and exclude it on backtracking.
    Either(u32),
    /// Include this transfer, and never exclude it: some frame must have it, and frames have no
    /// order.
    Surely(u32),
    /// The frame is a full team.
    Done,
    /// No full team has these transfers included and excluded.
    Dead,
}

/// Chooses the next action. Without noise it takes the transfer with the best score.
pub fn choose(partial: &PartialSchedule<'_>, noise: f64, rng: &mut Rng) -> Choice {
    if partial.left == 0 {
        return Choice::Dead;
    }
    let conflicts = partial.conflicts;
    let mut scarcest: Option<(u32, &[u64])> = None;
    for &link in &partial.bottlenecks {
        if partial.is_used(link) {
            continue;
        }
        let users = &conflicts.users()[&link][..];
        let ways = bits::common(users, &partial.open);
        if ways == 0 {
            return Choice::Dead;
        }
        if scarcest.is_none_or(|(least, _)| ways < least) {
            scarcest = Some((ways, users));
        }
    }
    let best = match scarcest {
        Some((_, users)) => best(partial, bits::both(users, &partial.open), noise, rng),
        None => best(partial, bits::all(&partial.open), noise, rng),
    };
    match best {
        Some(i) if partial.frame().is_empty() => Choice::Surely(i),
        Some(i) => Choice::Either(i),
        None if bits::is_empty(&partial.unmet) => Choice::Done,
        None => Choice::Dead,
    }
}

/// The candidate whose links are nearest to being bottlenecks.
fn best(
    partial: &PartialSchedule<'_>,
    candidates: impl Iterator<Item = u32>,
    noise: f64,
    rng: &mut Rng,
) -> Option<u32> {
    let mut best: Option<(f64, u32)> = None;
    for i in candidates {
        let urgency: f64 = partial.conflicts.links(i).iter().map(|&r| partial.urgency(r)).sum();
        let score = urgency * (1.0 + noise * rng.random::<f64>());
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, i));
        }
    }
    best.map(|(_, i)| i)
}
