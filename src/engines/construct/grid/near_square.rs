//! All-to-all scatter of a mesh of n = 4k + 2 by 4k + 1 vertices, k at least 3: circuits of its rows
//! (factors.rs), near factors of its columns.
//!
//! A factor of the rows has k pairs of points, and one point alone. It yields two classes: *short*
//! has one circuit of every pair, and the vertices of the single point stay; *long* has the other
//! circuits of the pairs, and the circuit of the single point. A class of the columns has k blocks of
//! two points, the first with the centre; the *mirror* has 2k points and the centre. Circuit i meets
//! block j in a step of its own among those with i and with j.
//!
//! - *Short class, k blocks*: k steps, i + j modulo k.
//! - *Long class, k blocks*: k + 1 steps, i + j modulo k + 1.
//! - *Short class, mirror*: shares steps with k choices of the long class and a class of the columns,
//!   k + 2 steps for each. In k of these the two points of a block take its place, once for every
//!   block, and meet one circuit each; in the two others the single point stays, and meets two
//!   points. Where the first block gives way, the centre is free for a circuit of the short class.
//! - *Long class, mirror*: the same with k + 1 choices; the single point has a circuit here.
//!
//! The point u meets circuit g(u) + c beside choice c, modulo the number of circuits. With g(2i) = i
//! and g(2i + 1) = i + 1 no circuit is met by more than two points beside a choice, and the points of
//! a block meet different ones, unless they are 2i + 1 and 2i + 2. Such a pair is in one matching at
//! most, so there are k matchings without, and enough classes. The steps beside a choice are found by
//! a search, which is the same for all factors: a block and its points are in all k + 2 steps, and a
//! circuit in as many at most.
//!
//! Each row has a circuit in all (2k + 1)^2 (4k + 1) steps, and every circuit crosses the middle of
//! its row, so the number of steps is the bound.

use super::factors::{Block, Move, NearFactors, factors};
use super::moves::Writer;
use super::{Dice, factors};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::Grid;
use rand::RngExt;

/// A class of the rows by circuits. In a short class, the vertices that stay are the last.
type Class = Vec<Vec<Move>>;

/// The schedule, if the searches succeed.
pub fn plan(problem: &Problem, grid: &Grid, rng: &mut Rng) -> Option<Plan> {
    let &[rows, columns] = &grid.sides[..] else { return None };
    let dice = &mut |limit| rng.random_range(0..limit);
    let near = NearFactors::new(columns, dice)?;
    let k = columns.length / 4;
    let beside = beside_mirror(&near, dice)?;
    let mut writer = Writer::new(problem, grid);
    for factor in factors(rows)? {
        let [short, long] = halves(&factor);
        for class in near.classes() {
            alone(&mut writer, &near, &short, class, k)?;
            match beside.iter().find(|beside| beside.class == class) {
                None => alone(&mut writer, &near, &long, class, k + 1)?,
                Some(beside) => {
                    let other = if beside.circuits == k { &short } else { &long };
                    shared(&mut writer, &near, [&long, other], beside)?;
                }
            }
        }
    }
    writer.finish()
}

/// The short and the long class of a factor.
fn halves(factor: &[Block]) -> [Class; 2] {
    let (mut short, mut long) = (Class::new(), Class::new());
    let mut single = None;
    for block in factor {
        match block {
            Block::Pair([first, second]) => {
                short.push(first.clone());
                long.push(second.clone());
            }
            Block::Single(stay, back) => single = Some((stay, back)),
        }
    }
    if let Some((stay, Some(back))) = single {
        short.push(stay.clone());
        long.push(back.to_vec());
    }
    [short, long]
}

/// A choice of the long class that shares its steps with a class and the mirror.
struct Beside {
    /// The class of the columns: its matching, and whether it is near or far.
    class: (usize, usize),
    /// The circuits of the class of rows that meets the mirror: k of the short, k + 1 of the long.
    circuits: usize,
    /// The number of the choice, below the number of circuits.
    choice: usize,
    /// By block, then circuit.
    steps: Vec<usize>,
    /// Of the points in place of a block, by block; then of what stays.
    points: Vec<usize>,
}

impl Beside {
    /// The circuit that a point of the mirror meets.
    fn circuit(&self, point: usize) -> usize {
        (point.div_ceil(2) + self.choice) % self.circuits
    }

    /// Finds the steps; none if the search fails.
    fn search(mut self, near: &NearFactors, dice: &mut Dice<'_>) -> Option<Self> {
        let k = near.len() / 2;
        // Resources: blocks, then circuits.
        let mut uses = Vec::new();
        uses.extend((0..k).flat_map(|block| (0..=k).map(move |i| vec![block, k + i])));
        for (block, points) in near.points(self.class.0).iter().enumerate() {
            let [u, v] = points.map(|point| k + self.circuit(point));
            uses.push(vec![block, u, v]);
        }
        if self.circuits == k {
            uses.extend([vec![2 * k], vec![2 * k]]);
        }
        self.steps = factors::colours(&uses, k + 2, dice)?;
        self.points = self.steps.split_off(k * (k + 1));
        Some(self)
    }
}

/// The choices that share steps with the mirror: k with the short class, k + 1 with the long one.
fn beside_mirror(near: &NearFactors, dice: &mut Dice<'_>) -> Option<Vec<Beside>> {
    let k = near.len() / 2;
    let mut free: Vec<(usize, usize)> = near.classes().collect();
    let mut found = Vec::with_capacity(2 * k + 1);
    for (circuits, choice) in [k, k + 1].into_iter().flat_map(|m| (0..m).map(move |c| (m, c))) {
        let beside = |class| Beside { class, circuits, choice, steps: vec![], points: vec![] };
        let fits = |&class: &(usize, usize)| {
            let met = |point: usize| beside(class).circuit(point);
            near.points(class.0).iter().all(|&[u, v]| met(u) != met(v))
        };
        let class = free.remove(free.iter().position(fits)?);
        found.push(beside(class).search(near, dice)?);
    }
    Some(found)
}

/// Writes a choice with `steps` steps of its own.
fn alone(
    writer: &mut Writer<'_, '_>,
    near: &NearFactors,
    rows: &Class,
    (t, class): (usize, usize),
    steps: usize,
) -> Option<()> {
    for block in 0..near.len() / 2 {
        let y = near.moves(t, class, block);
        for (i, x) in rows.iter().enumerate() {
            writer.product((i + block) % steps, &[x, &y])?;
        }
    }
    writer.skip(steps);
    Some(())
}

/// Writes a choice of the long class, and a part of what a class and the mirror have.
fn shared(
    writer: &mut Writer<'_, '_>,
    near: &NearFactors,
    [long, other]: [&Class; 2],
    beside: &Beside,
) -> Option<()> {
    let (k, (t, class)) = (near.len() / 2, beside.class);
    for block in 0..k {
        let y = near.moves(t, class, block);
        for (i, x) in long.iter().enumerate() {
            writer.product(beside.steps[block * (k + 1) + i], &[x, &y])?;
        }
        for point in near.points(t)[block] {
            let x = &other[beside.circuit(point)];
            writer.product(beside.points[block], &[x, &near.mirror(point)])?;
        }
    }
    writer.product(beside.points[0], &[&other[beside.choice], &[near.centre()]])?;
    for (point, &step) in (2 * beside.choice..).zip(&beside.points[k..]) {
        writer.product(step, &[&other[k], &near.mirror(point)])?;
    }
    writer.skip(k + 2);
    Some(())
}
