//! All-to-all scatter of cubic meshes with sides of 4k - 1 vertices, k > 1, from the circuits of their
//! lines (factors.rs).
//!
//! A line has 2k - 1 factors of k blocks with two circuits each, and one in which all vertices stay.
//! As in boxes.rs, the messages of circuits of blocks X, Y, Z use all lines along x at Y and Z, all
//! along y at X and Z, and all along z at X and Y; these pairs of blocks are 3 k^2 resources.
//!
//! - *Three circuits.* For any choice of three factors, the products of blocks with the same X + Y + Z
//!   modulo k use each resource once. With two circuits in each dimension they take 8k steps.
//! - *Two circuits.* The dimension that stays may do so in blocks of any factor. So factors are chosen
//!   for x and y, their sum modulo 2k - 1 is that for z, and this choice has the products with X and Y
//!   sending, those with X and Z, and those with Y and Z: every two factors meet once. Each product
//!   is an edge between the two resources that it uses, each resource has 8k edges, and colours are
//!   steps. For even k there are 8k of them. For odd k the resources are odd in number, so a colour
//!   leaves one; with 8k + 1 colours each resource is left once, and then has a single circuit.
//! - *One circuit.* All lines of all dimensions carry one in each step. For odd k, 2k - 1 of the 2k
//!   circuits of a factor went with two circuits, one for every factor of the next dimension.
//!
//! Every line carries one circuit in each step, so the number of steps is the number of circuits of
//! a line, which is the bound. A search finds the colours, for one choice of factors.

use super::factors::{Block, Move, factors};
use super::moves::Writer;
use super::{Dice, factors};
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use ccsched_network::grid::Grid;
use rand::RngExt;

/// What the vertices of a block do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Stay,
    /// They send along one of the two circuits of the block.
    Send(usize),
    /// They send along the circuit of their factor that is due.
    SendDue,
}

/// The two circuits of a block, and its vertices as they stay.
type Moves = [Vec<Move>; 3];

/// By dimension, a block and what it does.
type Product = [(usize, Act); 3];

/// The schedule, if the search finds colours.
pub fn plan(problem: &Problem, grid: &Grid, rng: &mut Rng) -> Option<Plan> {
    let side = grid.sides[0];
    let sending: Vec<Vec<Moves>> = factors(side)?.into_iter().filter_map(sending).collect();
    let (factors, blocks) = (sending.len(), sending[0].len());
    let mut writer = Writer::new(problem, grid);
    let of_three = of_three(blocks);
    let of_two = of_two(blocks, &mut |limit| rng.random_range(0..limit))?;
    for x in 0..factors {
        for y in 0..factors {
            for z in 0..factors {
                write(&mut writer, &sending, [x, y, z], &of_three)?;
            }
            write(&mut writer, &sending, [x, y, (x + y) % factors], &of_two)?;
        }
        let first = if blocks % 2 == 0 { 0 } else { factors };
        write_single(&mut writer, &sending[x], first)?;
    }
    writer.finish()
}

/// The moves of a factor; none of the factor in which all vertices stay.
fn sending(factor: Vec<Block>) -> Option<Vec<Moves>> {
    let moves = |block| match block {
        Block::Pair([first, second]) => {
            let stay = first.iter().map(|m| Move::stay(m.from)).collect();
            Some([first, second, stay])
        }
        Block::Single(..) => None,
    };
    factor.into_iter().map(moves).collect()
}

/// The products of each step in which three dimensions send.
fn of_three(blocks: usize) -> Vec<Vec<Product>> {
    let step = |step: usize| {
        let (sum, circuits) = (step / 8, step % 8);
        let pairs = (0..blocks).flat_map(|x| (0..blocks).map(move |y| (x, y)));
        let product = |(x, y)| {
            let z = (2 * blocks + sum - x - y) % blocks;
            [(x, 0), (y, 1), (z, 2)].map(|(block, bit)| (block, Act::Send(circuits >> bit & 1)))
        };
        pairs.map(product).collect()
    };
    (0..8 * blocks).map(step).collect()
}

/// The products of each step in which two dimensions send, and, if the number of blocks is odd, one.
fn of_two(blocks: usize, dice: &mut Dice<'_>) -> Option<Vec<Vec<Product>>> {
    let cells = (0..blocks.pow(3)).map(|i| [i % blocks, i / blocks % blocks, i / blocks / blocks]);
    let mut products: Vec<Product> = Vec::new();
    for cell in cells {
        for still in 0..3 {
            for circuits in 0..4 {
                // A bit for each of the two other dimensions.
                let bit = |i: usize| i - usize::from(i > still);
                let act =
                    |i| if i == still { Act::Stay } else { Act::Send(circuits >> bit(i) & 1) };
                products.push([0, 1, 2].map(|i| (cell[i], act(i))));
            }
            // One for all blocks of the dimension that sends alone.
            if blocks % 2 == 1 && cell[still] == 0 {
                let act = |i| if i == still { Act::SendDue } else { Act::Stay };
                products.push([0, 1, 2].map(|i| (cell[i], act(i))));
            }
        }
    }
    let uses = |product: &Product| -> Vec<usize> {
        let line = |i: usize| {
            let [u, v] = [(i + 1) % 3, (i + 2) % 3].map(|j| product[j].0);
            (i * blocks + u) * blocks + v
        };
        (0..3).filter(|&i| product[i].1 != Act::Stay).map(line).collect()
    };
    let steps = 8 * blocks + blocks % 2;
    let items: Vec<Vec<usize>> = products.iter().map(uses).collect();
    let mut by_step = vec![Vec::new(); steps];
    for (product, step) in products.into_iter().zip(factors::colours(&items, steps, dice)?) {
        by_step[step].push(product);
    }
    Some(by_step)
}

/// Writes steps of products of three of the factors.
fn write(
    writer: &mut Writer<'_, '_>,
    all: &[Vec<Moves>],
    factors: [usize; 3],
    steps: &[Vec<Product>],
) -> Option<()> {
    for (step, chosen) in
        (0..).zip(steps).flat_map(|(i, products)| products.iter().map(move |p| (i, p)))
    {
        let moves = [0, 1, 2].map(|i| {
            let ((block, act), factor) = (chosen[i], &all[factors[i]]);
            match act {
                Act::Stay => &factor[block][2],
                Act::Send(of_two) => &factor[block][of_two],
                Act::SendDue => circuit(factor, factors[(i + 1) % 3]),
            }
        });
        writer.product(step, &moves.map(Vec::as_slice))?;
    }
    writer.skip(steps.len());
    Some(())
}

/// Writes steps in which every dimension sends alone along the circuits of a factor, from the given one on.
fn write_single(writer: &mut Writer<'_, '_>, factor: &[Moves], first: usize) -> Option<()> {
    let all: Vec<Move> = factor.iter().flat_map(|block| &block[2]).copied().collect();
    for number in first..2 * factor.len() {
        for dimension in 0..3 {
            let mut moves = [&all[..]; 3];
            moves[dimension] = circuit(factor, number);
            writer.product(0, &moves)?;
        }
        writer.skip(1);
    }
    Some(())
}

/// A circuit of a factor by its number.
fn circuit(factor: &[Moves], number: usize) -> &Vec<Move> {
    &factor[number / 2][number % 2]
}
