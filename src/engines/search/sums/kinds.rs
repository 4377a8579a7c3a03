//! What the parts of all-reduces, or the sums of groups side by side, ask for: who contributes, who gets the
//! sum, and where it may be meanwhile. Parts of one kind differ by nothing else.

use ccsched_model::problem::{MessageId, Problem};
use ccsched_network::VertexId;
use std::collections::HashMap;

/// A kind of parts.
pub struct Kind {
    /// By direction of its tree (forward in time, backward) and vertex, whether it must be reached.
    wants: [Vec<bool>; 2],
    /// By vertex, whether a sum may be there.
    may: Vec<bool>,
    /// By direction, the vertices that must be reached.
    wanted: [usize; 2],
    /// Where the sum is complete first, if that is certain: the one that contributes, or the one that gets it.
    pub middle: Option<VertexId>,
}

impl Kind {
    fn of([receivers, contributors]: [Vec<bool>; 2], may: Vec<bool>) -> Self {
        let wants = [receivers, contributors];
        let wanted = [0, 1].map(|way: usize| wants[way].iter().filter(|&&is| is).count());
        let alone = wants.iter().find(|wants| wants.iter().filter(|&&is| is).count() == 1);
        let middle = alone.and_then(|wants| wants.iter().position(|&is| is));
        Kind { wants, may, wanted, middle: middle.map(|v| v as VertexId) }
    }

    /// Whether a vertex must be reached forward in time (`way` 0), or backward (1).
    #[inline]
    pub fn wants(&self, way: usize, v: VertexId) -> bool {
        self.wants[way][v as usize]
    }

    /// Whether a sum may be at a vertex.
    #[inline]
    pub fn may(&self, v: VertexId) -> bool {
        self.may[v as usize]
    }

    /// By direction, the vertices that must be reached.
    pub fn wanted(&self, way: usize) -> usize {
        self.wanted[way]
    }
}

/// The kinds of all parts.
pub struct Kinds {
    all: Vec<Kind>,
    /// By part, its kind; empty if there is one kind.
    of_part: Vec<u32>,
}

impl Kinds {
    /// Those of a problem.
    pub fn of(problem: &Problem) -> Self {
        let n = problem.network().vertices().len();
        let parts = problem.messages() / 2;
        let Some(groups) = problem.groups() else {
            let mut wanted = vec![false; n];
            problem.receivers().iter().for_each(|&v| wanted[v as usize] = true);
            let all = vec![Kind::of([wanted.clone(), wanted], vec![true; n])];
            return Kinds { all, of_part: Vec::new() };
        };
        // By part, its root, and those that get it and those that contribute.
        let mut ends = vec![[Vec::new(), Vec::new()]; parts];
        for d in problem.demands() {
            let (part, reduces) = (d.message as usize % parts, (d.message as usize) < parts);
            ends[part][usize::from(reduces)].push(d.destination);
        }
        let (mut all, mut known) = (Vec::new(), HashMap::new());
        let mut kind_of = |part: usize| {
            let root = problem.message(part as MessageId).origin;
            let group = groups.of_message(part as MessageId / problem.pieces());
            let is_symmetric = ends[part].iter().all(|ends| !ends.is_empty());
            *known.entry((group, (!is_symmetric).then_some(root))).or_insert_with(|| {
                let mark = |ends: &Vec<VertexId>| {
                    let mut marks = vec![false; n];
                    ends.iter().chain([&root]).for_each(|&v| marks[v as usize] = true);
                    marks
                };
                let may = |v| problem.may_hold(part as MessageId, v);
                let may = (0..n as VertexId).map(may).collect();
                all.push(Kind::of([mark(&ends[part][0]), mark(&ends[part][1])], may));
                all.len() as u32 - 1
            })
        };
        let of_part = (0..parts).map(&mut kind_of).collect();
        Kinds { all, of_part }
    }

    /// All kinds.
    pub fn all(&self) -> &[Kind] {
        &self.all
    }

    /// The number of the kind of a part.
    pub fn number(&self, part: u32) -> usize {
        self.of_part.get(part as usize).map_or(0, |&kind| kind as usize)
    }
}
