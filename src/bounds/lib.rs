//! Cheap lower bounds on the number of steps, each with a certificate that can be checked without
//! search.
//!
//! umda-multistage-networks, section 3, and umda-diameter-degree-networks, section 3, give the
//! arguments for regular networks; here they use the actual degrees, distances and cuts.

pub mod bytes;
mod congestion;
mod cut;
pub mod delays;
mod distance;
pub mod eccentricity;
mod entries;
mod groups;
mod growth;
mod holders;
mod journeys;
mod layers;
mod leaving;
mod lengths;
mod limit;
mod load;
mod many;
mod partition;
mod pipeline;
pub mod placement;
mod ports;
pub mod refute;
mod region;
mod spread;
mod sums;

pub use ccsched_model::bound::{Bound, ByteBound, Evidence, Region};
pub use congestion::meaning::{Meaning, meaning};
pub use cut::{Side, sides};
pub use distance::least_channels;
pub use growth::growth;
pub use limit::{Limit, limit};
pub use many::{Many, many};
pub use partition::boxes;

use ccsched_base::cores;
use ccsched_model::problem::{Joining, Problem};
use lengths::Lengths;

/// The bounds, preceded by that of a search if it has ruled out all schedules of fewer than `least`
/// steps.
pub fn with_search(least: Option<u32>, bounds: &[Bound]) -> Vec<Bound> {
    least.map(Bound::by_search).into_iter().chain(bounds.iter().cloned()).collect()
}

/// The weights of links and ports, by resource of the problem, that express the arguments of the
/// bounds.
pub(crate) fn weights(problem: &Problem) -> Vec<Vec<u64>> {
    congestion::hints(problem, &all(problem))
}

/// All bounds that apply, the largest first; of equal ones the simplest argument first.
pub fn all(problem: &Problem) -> Vec<Bound> {
    with_congestion(problem, quick(problem), &|| false)
}

/// An argument, which gives a bound where it applies.
type Argument = fn(&Problem, &Lengths) -> Option<Bound>;

/// What the bounds of a problem are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    /// All messages, each of which takes a place of its own on its path.
    Messages,
    /// One message, since others may join it.
    OneMessage,
    /// The same, and the pieces of an all-reduce of one part.
    OneSum,
    /// The parts of an all-reduce.
    Sums,
    /// All messages, which switches copy.
    Copied,
    /// The parts of an all-reduce, which switches add up and copy.
    CopiedSums,
}

impl About {
    fn of(problem: &Problem) -> Self {
        let collective = problem.collective();
        match (collective.is_all_reduce(), collective.joining()) {
            (true, _) if problem.is_multicast() => About::CopiedSums,
            (false, _) if problem.is_multicast() => About::Copied,
            (true, _) => About::Sums,
            (false, Joining::Sum) => About::OneSum,
            (false, Joining::Signal) => About::OneMessage,
            (false, Joining::Apart) => About::Messages,
        }
    }

    fn arguments(self) -> Vec<Argument> {
        match self {
            About::Messages => vec![
                |problem, _| ports::bound(problem),
                |problem, _| growth::bound(problem),
                eccentricity::bound,
                journeys::bound,
                pipeline::bound,
                distance::bound,
                cut::bound,
                |problem, _| spread::bound(problem),
                |problem, _| entries::bound(problem),
                |problem, _| leaving::bound(problem),
            ],
            About::OneMessage => {
                vec![|problem, _| growth::bound(problem), eccentricity::bound, |problem, _| {
                    spread::bound(problem)
                }]
            }
            About::OneSum => [About::OneMessage.arguments(), About::Sums.arguments()].concat(),
            // A message enters each receiver, and crosses a cut, at least once. The others count every copy.
            About::Copied => vec![|problem, _| ports::bound(problem), cut::bound],
            About::CopiedSums => {
                vec![|problem, _| sums::late(problem), |problem, _| sums::cut(problem)]
            }
            About::Sums => vec![
                |problem, _| sums::volume(problem),
                |problem, _| sums::late(problem),
                |problem, _| sums::cut(problem),
                |problem, _| partition::bound(problem),
            ],
        }
    }
}

/// The bounds without that of congestion, which takes long on large networks. All cores work on them.
pub fn quick(problem: &Problem) -> Vec<Bound> {
    let about = About::of(problem);
    if let Some(groups) = problem.groups() {
        let reads_lengths = about != About::Sums;
        let lengths = &if reads_lengths { Lengths::of(problem) } else { Lengths::default() };
        let whole = match about {
            About::Sums => sums::of_groups(problem),
            _ => vec![
                ports::bound(problem),
                eccentricity::bound(problem, lengths),
                distance::bound(problem, lengths),
                cut::bound(problem, lengths),
            ],
        };
        let mut bounds: Vec<Bound> = whole.into_iter().flatten().filter(|b| b.steps > 0).collect();
        bounds.extend(groups::alone(problem, groups));
        sort(&mut bounds);
        return bounds;
    }
    let is_common = problem.collective().content().is_common();
    let is_of_sums = matches!(about, About::Sums | About::CopiedSums);
    let reads_lengths = !is_of_sums && (!is_common || problem.switching().stores());
    let lengths = &if reads_lengths { Lengths::of(problem) } else { Lengths::default() };
    let found = cores::each(about.arguments(), |bound| bound(problem, lengths));
    let mut bounds: Vec<Bound> = found.into_iter().flatten().filter(|b| b.steps > 0).collect();
    sort(&mut bounds);
    bounds
}

/// The bound of ports and degree alone, which takes no time.
pub fn of_ports(problem: &Problem) -> Vec<Bound> {
    ports::bound(problem).into_iter().collect()
}

/// The other bounds with that of congestion, which starts from them, and keeps the argument of the
/// largest if it finds no better one. It ends early when `is_over` returns true.
pub fn with_congestion(
    problem: &Problem,
    mut bounds: Vec<Bound>,
    is_over: &dyn Fn() -> bool,
) -> Vec<Bound> {
    if About::of(problem) == About::Messages {
        bounds.extend(congestion::bound(problem, &bounds, is_over));
        sort(&mut bounds);
    }
    bounds
}

fn sort(bounds: &mut [Bound]) {
    bounds.sort_by_key(|b| std::cmp::Reverse(b.steps));
}
