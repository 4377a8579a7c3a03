//! Circuits of a ring in classes of q phases: in a phase, one circuit runs forward and one backward,
//! and all circuits of a class have different vertices. Which circuits share a class a search finds
//! out. If the number of circuits is no multiple of q, some classes have one phase more.

use super::Dice;
use super::colouring;
use super::factors::Move;

/// Moves along a ring that use each channel at most once.
pub type Circuit = Vec<Move>;

/// Circuits that share a class, with their directions; and their phase, if they have any.
type Item = (Vec<(usize, Circuit)>, Option<usize>);

/// A class: its moves with their phases.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// By direction.
    pub circuits: [Vec<(Move, usize)>; 2],
    /// What uses no phase.
    pub rest: Vec<Move>,
    pub phases: usize,
}

/// The classes of circuits that run forward and as many that run backward; `rest` are moves that
/// have a class but no phase. None if the search fails.
pub fn parts(
    length: usize,
    mut circuits: [Vec<Circuit>; 2],
    rest: Vec<Circuit>,
    phases: usize,
    dice: &mut Dice<'_>,
) -> Option<Vec<Part>> {
    let count = circuits[0].len() / phases;
    // The shortest come last: they share a class with more than others.
    circuits.iter_mut().for_each(|all| all.sort_by_key(|c| std::cmp::Reverse(c.len())));
    let mut items: Vec<Item> = Vec::new();
    let [forward, backward] = &mut circuits;
    for first in forward.split_off(count * phases) {
        let is_apart = |c: &Circuit| c.iter().all(|m| first.iter().all(|f| f.from != m.from));
        let second = backward.remove(backward.iter().rposition(is_apart)?);
        items.push((vec![(0, first), (1, second)], Some(phases)));
    }
    for (direction, all) in circuits.into_iter().enumerate() {
        let item = |(i, c): (usize, Circuit)| (vec![(direction, c)], Some(i / count));
        items.extend(all.into_iter().enumerate().map(item));
    }
    items.extend(rest.into_iter().map(|c| (vec![(0, c)], None)));
    // Resources: vertices, then the directions of every phase.
    let uses = |(circuits, phase): &Item| {
        let vertices = circuits.iter().flat_map(|(_, c)| c.iter().map(|m| m.from));
        let direction = phase.map(|phase| length + 2 * phase + circuits[0].0);
        vertices.chain(direction).collect()
    };
    let uses: Vec<Vec<usize>> = items.iter().map(uses).collect();
    let colours = colouring::colours(&uses, count, dice)?;
    let mut parts = vec![Part::default(); count];
    for ((circuits, phase), colour) in items.into_iter().zip(colours) {
        let part = &mut parts[colour];
        for (direction, circuit) in circuits {
            match phase {
                None => part.rest.extend(circuit),
                Some(phase) => {
                    part.phases = part.phases.max(phase + 1);
                    part.circuits[direction].extend(circuit.into_iter().map(|m| (m, phase)));
                }
            }
        }
    }
    Some(parts)
}

/// Every vertex to itself.
pub fn stays(length: usize) -> impl Iterator<Item = Circuit> {
    (0..length).map(|v| vec![Move::stay(v)])
}
