//! DSATUR: the greedy colouring of the conflict graph (liquid-schedules, annex; Brélaz 1979). The
//! next transfer is the one whose neighbours have the most colours; ties go to the most uncoloured
//! neighbours. It gets the lowest free colour.

use super::conflict_graph::Conflicts;
use crate::bits;

/// A vertex of the graph that has no colour yet.
#[derive(Clone, Default)]
struct Waiting {
    /// Colours of its neighbours.
    met: Vec<bool>,
    saturation: usize,
    /// Neighbours without a colour.
    degree: u32,
    done: bool,
}

/// The transfers of every colour.
pub fn colour(conflicts: &Conflicts) -> Vec<Vec<u32>> {
    let n = conflicts.transfers();
    let degree = |i| conflicts.of(i).iter().map(|word| word.count_ones()).sum();
    let mut waiting: Vec<Waiting> =
        (0..n as u32).map(|i| Waiting { degree: degree(i), ..Waiting::default() }).collect();
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for _ in 0..n {
        let open = (0..).zip(&waiting).filter(|(_, w)| !w.done);
        // Ties go to the first transfer.
        let next = open.max_by_key(|&(i, w)| (w.saturation, w.degree, std::cmp::Reverse(i)));
        let Some((i, chosen)) = next else { break };
        let colour = chosen.met.iter().position(|met| !met).unwrap_or(chosen.met.len());
        waiting[i as usize].done = true;
        classes.resize(classes.len().max(colour + 1), Vec::new());
        classes[colour].push(i);
        for j in bits::all(conflicts.of(i)) {
            let neighbour = &mut waiting[j as usize];
            neighbour.degree -= 1;
            if neighbour.met.len() <= colour {
                neighbour.met.resize(colour + 1, false);
            }
            neighbour.saturation += usize::from(!neighbour.met[colour]);
            neighbour.met[colour] = true;
        }
    }
    classes
}
