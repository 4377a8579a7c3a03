//! Networks in stages, whose switches are named `s<stage>.<number>`: omega, butterfly and Clos
//! networks from left to right, with terminals on both sides; folded ones from the bottom to the
//! top.

use super::super::drawing::Drawing;
use super::super::point::{Point, at};
use super::circle::by_number;
use super::{Layout, numbers};

/// The place of a vertex: a terminal's number, or stage and number of a switch.
enum Place {
    Terminal(usize),
    Switch(usize, usize),
}

/// Stages from left to right; terminals send on the left and receive on the right.
pub(super) fn one_way(drawing: &Drawing, _: &str) -> Option<Layout> {
    let stages = Stages::of(drawing)?;
    // Stages are far enough apart for the slopes between them.
    let gap = (stages.height() / 5.0).clamp(1.6, 7.0);
    let column = |place: &Place| match *place {
        Place::Terminal(t) => at(0.0, t as f64),
        Place::Switch(stage, i) => at((stage + 1) as f64 * gap, stages.along(stage, i)),
    };
    let right = (stages.counts.len() + 1) as f64 * gap;
    let receives_at = |place: &Place| match *place {
        Place::Terminal(t) => Some(at(right, t as f64)),
        Place::Switch(..) => None,
    };
    Some(Layout {
        at: stages.places.iter().map(column).collect(),
        receives_at: stages.places.iter().map(receives_at).collect(),
    })
}

/// Stages from the bottom to the top, above the terminals.
pub(super) fn folded(drawing: &Drawing, _: &str) -> Option<Layout> {
    let stages = Stages::of(drawing)?;
    let gap = (stages.height() / 6.0).clamp(1.6, 7.0);
    let row = |place: &Place| match *place {
        Place::Terminal(t) => at(t as f64, 0.0),
        Place::Switch(stage, i) => at(stages.along(stage, i), (stage + 1) as f64 * -gap),
    };
    Some(Layout::plain(stages.places.iter().map(row).collect()))
}

/// `A,B`: the first A vertices on the left, the others on the right.
pub(super) fn bipartite(drawing: &Drawing, params: &str) -> Option<Layout> {
    let &[a, b] = numbers(params).as_slice() else { return None };
    let numbers = by_number(drawing).filter(|all| all.iter().all(|&v| v < a.saturating_add(b)))?;
    let rows = a.max(b) as f64;
    let place = |&v: &usize| {
        let (x, i, count) = if v < a { (0.0, v, a) } else { (1.0, v - a, b) };
        at(x * (rows / 2.0).max(1.6), (i as f64 + 0.5) * rows / count as f64)
    };
    Some(Layout::plain(numbers.iter().map(place).collect::<Vec<Point>>()))
}

struct Stages {
    places: Vec<Place>,
    terminals: usize,
    /// By stage, its switches.
    counts: Vec<usize>,
}

impl Stages {
    /// The stages, if every vertex has the name of a terminal or of a switch in them.
    fn of(drawing: &Drawing) -> Option<Self> {
        let most = 2 * drawing.vertices.len();
        let number = |word: &str| word.parse().ok().filter(|&i: &usize| i < most);
        let (mut terminals, mut counts) = (0, Vec::new());
        let mut places = Vec::with_capacity(drawing.vertices.len());
        for v in &drawing.vertices {
            places.push(match v.name.strip_prefix('s').and_then(|rest| rest.split_once('.')) {
                Some((stage, i)) => {
                    let (stage, i) = (number(stage).filter(|&s| s < 64)?, number(i)?);
                    if counts.len() <= stage {
                        counts.resize(stage + 1, 0);
                    }
                    counts[stage] = counts[stage].max(i + 1);
                    Place::Switch(stage, i)
                }
                None => {
                    let t = number(&v.name)?;
                    terminals = terminals.max(t + 1);
                    Place::Terminal(t)
                }
            });
        }
        (!counts.is_empty()).then_some(Stages { places, terminals, counts })
    }

    /// The extent of the longest stage.
    fn height(&self) -> f64 {
        self.terminals.max(self.counts.iter().copied().max().unwrap_or(0)) as f64
    }

    /// Where a switch stands in its stage; each stage is as long as the row of terminals.
    fn along(&self, stage: usize, i: usize) -> f64 {
        (i as f64 + 0.5) * self.height() / self.counts[stage] as f64 - 0.5
    }
}
