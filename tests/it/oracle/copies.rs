//! Copies and sums in switches: random tiny problems against exact solutions, bound <= exact <= found;
//! and what `verify` refuses. The exact search is breadth-first over the sets of informed vertices of all
//! messages; a step is any set of trees without conflict.

use super::model::{Model, Taken, has_room};
use super::spreading::{Known, State, deliverable, ends, maximal, trace};
use super::{Exact, Undecided, found, plan};
use crate::support::checked::complaints;
use crate::support::share::share;
use crate::support::shrink::shrinking;
use crate::support::tiny;
use ccsched::Options;
use ccsched::network::spec;
use ccsched::problem::{Collective, Multicast, Problem, Request, Switching};
use ccsched::rng::rng_of;
use ccsched::verify::verify;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

const MOST_STEPS: usize = 12;
const NODES: u64 = 60_000;
const NODES_OF_SUMS: u64 = 20_000;
/// Problems of each collective in each switching.
const PROBLEMS: usize = 60;
const OPTIONS: &str = "--islands 1 --iterations 2000";

/// What the paths of one tree have in common: its message, its start, and with hosts switching its first
/// channel.
type Key = (usize, usize, Option<usize>);

/// The channels of the trees of a step, by bits.
type Trees = BTreeMap<Key, u64>;

/// A delivery of a step: its bit, its message, and the paths over which it can come.
struct Delivery {
    bit: State,
    message: usize,
    paths: Vec<(usize, Vec<usize>)>,
}

struct Step<'a> {
    model: &'a Model,
    deliveries: &'a [Delivery],
    seen: HashSet<(usize, Taken, State, Trees)>,
    nodes: &'a mut u64,
}

impl Step<'_> {
    /// The trees with one more path, and what it takes beside them; none if no tree has it.
    fn with(&self, trees: &Trees, message: usize, path: &[usize]) -> Option<(Trees, Taken)> {
        let ends = &self.model.ends;
        let (from, to) = (ends[path[0]].0, ends[path[path.len() - 1]].1);
        let key = (message, from, self.model.hosts.then_some(path[0]));
        let before = trees.get(&key).copied().unwrap_or(0);
        let all = path.iter().fold(before, |all, c| all | 1 << c);
        let members = (0..ends.len()).filter(|c| all >> c & 1 == 1);
        let mut entered = HashSet::from([from]);
        if !members.into_iter().all(|c| entered.insert(ends[c].1)) {
            return None;
        }
        let new: Vec<usize> = path.iter().copied().filter(|c| before >> c & 1 == 0).collect();
        let taken = self.model.taken(&new, (before == 0).then_some(from), Some(to));
        let mut trees = trees.clone();
        trees.insert(key, all);
        Some((trees, taken))
    }

    fn choose(
        &mut self,
        i: usize,
        (taken, trees): (Taken, &Trees),
        state: State,
        moved: &mut Vec<(usize, Vec<usize>)>,
        reached: &mut impl FnMut(State, &[(usize, Vec<usize>)]),
    ) -> Result<(), Undecided> {
        if !self.seen.insert((i, taken, state, trees.clone())) {
            return Ok(());
        }
        *self.nodes = self.nodes.checked_sub(1).ok_or(Undecided)?;
        let all = self.deliveries;
        let fits = |step: &Self, d: &Delivery, path: &[usize]| {
            step.with(trees, d.message, path).filter(|(_, more)| has_room(taken, *more))
        };
        let Some(delivery) = all.get(i) else {
            // If another delivery fits, the search also visits that larger step.
            let more = |d: &Delivery| {
                state & d.bit == 0 && d.paths.iter().any(|(_, p)| fits(self, d, p).is_some())
            };
            if !all.iter().any(more) {
                reached(state, moved);
            }
            return Ok(());
        };
        for (_, path) in &delivery.paths {
            let Some((with, more)) = fits(self, delivery, path) else { continue };
            moved.push((delivery.message, path.clone()));
            self.choose(i + 1, (taken + more, &with), state | delivery.bit, moved, reached)?;
            moved.pop();
        }
        self.choose(i + 1, (taken, trees), state, moved, reached)
    }
}

/// The shortest schedule.
fn solve(problem: &Problem) -> Result<Exact, Undecided> {
    let model = &Model::new(problem, true);
    let (start, goal) = ends(model)?;
    let (paths, mut nodes) = (model.transfers(), NODES);
    let mut depths = vec![vec![Known { state: start, before: 0, moved: vec![] }]];
    for _ in 0..MOST_STEPS {
        let mut next = HashMap::new();
        for (before, known) in depths[depths.len() - 1].iter().enumerate() {
            let deliveries: Vec<Delivery> = deliverable(model, &paths, known.state, known.state)
                .map(|(message, v, paths)| Delivery {
                    bit: 1 << (message * model.vertices + v),
                    message,
                    paths: paths.map(|(from, _, path)| (*from, path.clone())).collect(),
                })
                .filter(|delivery| !delivery.paths.is_empty())
                .collect();
            let seen = HashSet::new();
            let mut step = Step { model, deliveries: &deliveries, seen, nodes: &mut nodes };
            let begin = (model.nothing(), &Trees::new());
            step.choose(0, begin, known.state, &mut vec![], &mut |state, moved| {
                next.entry(state).or_insert_with(|| (before, moved.to_vec()));
            })?;
        }
        let best = maximal(next)?;
        let arrived = best.iter().position(|known| known.state & goal == goal);
        depths.push(best);
        if let Some(last) = arrived {
            let source = |m: usize| model.spreads[m].source;
            let moved = trace(&depths, last).into_iter();
            let transfers = moved.map(|(step, m, path)| (step, source(m), None, path)).collect();
            return Ok(Exact { steps: depths.len() - 1, transfers });
        }
    }
    Err(Undecided)
}

/// Exact and found steps; none if the problem is too large for the exact solver.
fn steps(problem: &Arc<Problem>) -> Option<[usize; 2]> {
    let exact = solve(problem).ok()?;
    let wrong = complaints(problem, &plan(problem, &exact));
    assert_eq!(wrong, "", "the oracle's schedule");
    Some([exact.steps, found(problem, problem, exact.steps, 2000)])
}

/// A random tiny problem in which switches copy.
fn drawn(
    rng: &mut ccsched::rng::Rng,
    collective: Collective,
    switching: Switching,
) -> Arc<Problem> {
    loop {
        let other = tiny::problem(rng, collective);
        let multicast = Multicast::Switch;
        let request = Request { switching, multicast, ..other.request().clone() };
        // With hosts switching some networks have no switch.
        if let Ok(posed) = request.pose(other.asked_network().into_owned(), vec![]) {
            return Arc::new(posed);
        }
    }
}

#[test]
fn bound_exact_found() {
    let collectives =
        [Collective::Oab, Collective::Aab, Collective::Reduce, Collective::ReduceScatter];
    for (seed, switching) in [(41, Switching::Wormhole), (42, Switching::Hosts)] {
        let mut rng = rng_of(seed, 0, 0);
        let (mut decided, mut equal, mut fewer) = (0, 0, 0);
        let count = share(PROBLEMS * collectives.len());
        for number in 0..count {
            let problem = drawn(&mut rng, collectives[number % collectives.len()], switching);
            let about = format!("problem {number} of seed {seed}");
            let Some([exact, found]) = shrinking(&about, OPTIONS, &problem, steps) else {
                continue;
            };
            decided += 1;
            equal += usize::from(found == exact);
            let plain = super::solve(&problem.without_multicast().unwrap(), true);
            let Ok(plain) = plain else { continue };
            assert!(exact <= plain.steps, "{about}: copies in switches take more steps");
            fewer += usize::from(exact < plain.steps);
        }
        println!("{switching}: {decided} of {count} decided, {equal} equal, {fewer} gain");
        assert!(decided * 10 >= count * 7, "{decided} of {count} decided");
        assert!(equal * 100 >= decided * 95, "{equal} of {decided}");
        assert!(fewer * 20 >= decided, "{fewer} of {decided} gain");
    }
}

/// All-reduces, whose exact search gives the steps alone.
#[test]
#[ignore = "it takes minutes"]
fn bound_exact_found_of_all_reduces() {
    let mut rng = rng_of(43, 0, 0);
    let (mut decided, mut equal, mut fewer) = (0, 0, 0);
    let count = share(PROBLEMS);
    for number in 0..count {
        let switching = [Switching::Wormhole, Switching::Hosts][number % 2];
        let problem = drawn(&mut rng, Collective::AllReduce, switching);
        let about = format!("all-reduce {number}");
        let steps = shrinking(&about, OPTIONS, &problem, |problem| {
            let model = Model::new(problem, true);
            let exact = super::copied_sums::solve(&model, MOST_STEPS, NODES_OF_SUMS).ok()?;
            Some([exact, found(problem, problem, exact, 60)])
        });
        let Some([exact, found]) = steps else { continue };
        decided += 1;
        equal += usize::from(found == exact);
        let Ok(plain) = super::solve(&problem.without_multicast().unwrap(), true) else { continue };
        assert!(exact <= plain.steps, "{about}: sums in switches take more steps");
        fewer += usize::from(exact < plain.steps);
    }
    println!("{decided} of {count} decided, {equal} equal, {fewer} gain");
    assert!(decided * 3 >= count, "{decided} of {count} decided");
    assert!(equal * 100 >= decided * 75, "{equal} of {decided}");
    assert!(fewer * 20 >= decided, "{fewer} of {decided} gain");
}

#[test]
fn a_tree_is_no_schedule_without_the_rule() {
    for (network, collective, switching) in [
        ("mesh:3x3", Collective::Oab, Switching::Wormhole),
        ("mesh:3x3", Collective::Reduce, Switching::Wormhole),
        ("dgx-a100:1", Collective::Aab, Switching::Hosts),
        ("dgx-a100:1", Collective::ReduceScatter, Switching::Hosts),
    ] {
        let request =
            Request { switching, multicast: Multicast::Switch, ..Request::new(collective) };
        let problem = request.pose(spec::parse(network).unwrap(), vec![]).unwrap();
        let options = Options { islands: Some(1), ..Options::default() };
        let mut file = ccsched::solve(&problem, &options).unwrap().schedule().unwrap();
        assert!(verify(&file).is_empty());
        file.model.multicast = None;
        file.bounds.clear();
        let wrong: Vec<String> = verify(&file).iter().map(ToString::to_string).collect();
        assert!(wrong.iter().any(|why| why.contains("two transfers use it")), "{wrong:?}");
    }
}
