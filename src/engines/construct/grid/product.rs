//! All-to-all scatter of a mesh, torus or cylinder of any dimension, from the messages of its lines
//! and rings in classes (classes.rs).
//!
//! A message goes along the first dimension, then the second, and so on. Choose one class of each
//! dimension: A moves x to x' in phase a, B moves y to y' in phase b, C moves z to z' in phase c.
//! With M the largest number of phases of the classes, step s carries the messages with a + b + c =
//! s modulo M. On the line along x at (y, z) they all have the phase s - b - c, as y and z determine
//! b and c. On the line along y at (x', z) they have s - a - c, as x' determines a; and so on. Moves
//! of one phase use no channel twice, so a choice of classes takes M steps. If A has several phases
//! for one x', at least a gap of M_B and M_C apart, one of them at most leaves a phase s - a - c
//! below M_B: so one dimension may have such classes.
//!
//! The longest side determines the bound. Where its classes sum up to the bound of the line and all
//! others need no more phases than the least of them, the schedule is as short as possible: meshes
//! whose longest side is a multiple of 4, tori whose longest is a multiple of 8, and all grids with
//! one side much longer than the others. Choices of classes that stay in complementary dimensions
//! share steps, which is what meshes of two sides 4k + 3 need. Where the longest side stays, messages
//! may also take the first steps in which the shorter sides are idle: with two sides, there are
//! enough of them.

use super::classes::{Class, Divisions, divisions};
use super::draft::Draft;
use super::moves::{combine, least};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::Grid;
use rand::RngExt;

/// A schedule is offered if its length is at most this part above the bound: searches do better.
const TOLERANCE: usize = 32;
/// The same with more messages than [`MANY_DELIVERIES`], for which searches take long. Not on tori, where
/// translated fit is fast.
const LARGE_TOLERANCE: usize = 4;
const MANY_DELIVERIES: usize = 1_000_000;
/// More messages than these take too long to fit in last.
const MOST_LATE: usize = 300_000;

/// The ways to divide the messages of each side into classes.
pub fn of_sides(grid: &Grid, rng: &mut Rng) -> Divisions {
    let dice = &mut |limit| rng.random_range(0..limit);
    grid.sides.iter().map(|&side| divisions(side, dice)).collect()
}

/// The schedule, if it is as short as the bound.
pub fn plan(problem: &Problem, grid: &Grid, options: &Divisions) -> Option<Plan> {
    let least = least(&grid.sides);
    // Messages that are fitted in last may take more steps.
    within(problem, grid, least, options).filter(|plan| plan.len() <= least)
}

/// The schedule, if it is near the bound.
pub fn near(problem: &Problem, grid: &Grid, options: &Divisions) -> Option<Plan> {
    let least = least(&grid.sides);
    let is_slow =
        problem.demands().len() > MANY_DELIVERIES && grid.sides.iter().any(|side| !side.is_ring);
    let part = if is_slow { LARGE_TOLERANCE } else { TOLERANCE };
    within(problem, grid, least + least / part, options)
}

/// The schedule, if it has at most `most` steps.
fn within(problem: &Problem, grid: &Grid, most: usize, options: &Divisions) -> Option<Plan> {
    let least = least(&grid.sides);
    let plan = write(problem, grid, best(options, false)?, most);
    let is_at_bound = plan.as_ref().is_some_and(|plan| plan.len() <= least);
    let late = problem.demands().len() / grid.sides[0].length;
    if is_at_bound || late > MOST_LATE {
        return plan;
    }
    let other = write(problem, grid, best(options, true)?, least);
    let is_no_longer = |plan: &Plan| other.as_ref().is_none_or(|other| plan.len() <= other.len());
    plan.filter(is_no_longer).or(other)
}

/// The schedule of choices, if they take at most `most` steps.
fn write(problem: &Problem, grid: &Grid, choices: Choices<'_>, most: usize) -> Option<Plan> {
    let Choices { divisions, steps, starts, are_late } = choices;
    if steps > most {
        return None;
    }
    let mut draft = Draft::new(problem, steps);
    for (choice, start) in starts {
        let classes: Vec<&Class> = choice.iter().zip(&divisions).map(|(&i, d)| &d[i]).collect();
        let phases = classes.iter().map(|c| c.phases).max()?;
        let moves: Vec<_> = classes.iter().map(|c| &c.moves[..]).collect();
        combine(&mut draft, grid, &moves, |sum| start + sum % phases)?;
    }
    if are_late { draft.complete() } else { draft.finish() }
}

/// For each choice of a class in every dimension, its first step.
type Starts = Vec<(Vec<usize>, usize)>;

/// Choices of classes in all dimensions.
struct Choices<'o> {
    divisions: Vec<&'o [Class]>,
    steps: usize,
    starts: Starts,
    /// Whether messages that stay in the first dimension are left out.
    are_late: bool,
}

/// The divisions into classes that need the fewest steps, and when every choice starts.
fn best(options: &[Vec<Vec<Class>>], are_late: bool) -> Option<Choices<'_>> {
    let counts: Vec<usize> = options.iter().map(Vec::len).collect();
    let timed = choices(&counts).filter_map(|choice| {
        let divisions: Vec<&[Class]> =
            choice.iter().zip(options).map(|(&i, options)| &options[i][..]).collect();
        let (steps, starts) = starts(&divisions, are_late)?;
        Some(Choices { divisions, steps, starts, are_late })
    });
    timed.min_by_key(|choices| choices.steps)
}

/// The number of steps, and when every choice of classes starts; none if they do not fit together.
fn starts(divisions: &[&[Class]], are_late: bool) -> Option<(usize, Starts)> {
    let counts: Vec<usize> = divisions.iter().map(|classes| classes.len()).collect();
    let mut moving = Vec::new();
    for choice in choices(&counts) {
        let classes: Vec<&Class> = choice.iter().zip(divisions).map(|(&i, d)| &d[i]).collect();
        if !fit_together(&classes) {
            return None;
        }
        let phases = classes.iter().map(|c| c.phases).max()?;
        let still: u64 = (0..).zip(&classes).map(|(i, c)| u64::from(c.is_still()) << i).sum();
        let is_late = are_late && classes[0].is_still();
        if still + 1 < 1 << divisions.len() && !is_late {
            moving.push((phases, still, choice));
        }
    }
    // Long choices open steps for short ones that move where they stay.
    moving.sort_by_key(|(phases, still, _)| (still.count_ones(), std::cmp::Reverse(*phases)));
    let all = (1u64 << divisions.len()) - 1;
    // First step, the dimensions that are free in it and in those that follow, and their number.
    let mut open: Vec<(usize, u64, usize)> = Vec::new();
    let (mut steps, mut starts) = (0, Vec::with_capacity(moving.len()));
    for (phases, still, choice) in moving {
        let fits = |&&mut (_, free, length): &&mut (usize, u64, usize)| {
            all & !still & !free == 0 && phases <= length
        };
        let room = open.iter_mut().find(fits);
        if let Some((start, free, _)) = room {
            *free &= still;
            starts.push((choice, *start));
            continue;
        }
        if still > 0 {
            open.push((steps, still, phases));
        }
        starts.push((choice, steps));
        steps += phases;
    }
    Some((steps, starts))
}

/// Whether at most one class has several phases for a vertex, at the distance that the others need.
fn fit_together(classes: &[&Class]) -> bool {
    classes.iter().enumerate().all(|(i, class)| {
        let needs = |(j, other): (usize, &&Class)| {
            i != j && class.gap.is_some_and(|gap| other.gap.is_some() || other.phases > gap)
        };
        !classes.iter().enumerate().any(needs)
    })
}

/// All vectors of numbers below the counts.
fn choices(counts: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..counts.iter().product()).map(|mut number: usize| {
        let digit = |&count: &usize| {
            let digit = number % count;
            number /= count;
            digit
        };
        counts.iter().map(digit).collect()
    })
}
