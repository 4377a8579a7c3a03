//! Networks of switches in levels, such as leaf-spine and fat trees of files: terminals at the
//! bottom, in a block below their switches, then the switches with terminals, then those one link
//! further away, and so on. Switches are ordered by the mean of their neighbours, so that links
//! cross less.

use super::super::drawing::Drawing;
use super::super::point::{Point, at};
use super::Layout;
use super::graph::{FAR, distances};
use std::collections::BTreeMap;

/// Sweeps up and down that order the switches.
const SWEEPS: usize = 12;

/// Terminals that are joined to the same switches.
struct Block {
    switches: Vec<usize>,
    terminals: Vec<usize>,
    columns: usize,
    /// The x of its middle.
    x: f64,
}

/// The layout, if some switches have terminals and some do not, and terminals are joined to switches
/// alone.
pub(super) fn levels(drawing: &Drawing) -> Option<Layout> {
    let n = drawing.vertices.len();
    let neighbours = drawing.neighbours();
    let is_switch = |v: usize| !drawing.vertices[v].terminal;
    let outside = |v: usize| !is_switch(v) && neighbours[v].iter().any(|&w| !is_switch(w));
    if (0..n).any(outside) {
        return None;
    }
    let is_leaf = |v: usize| is_switch(v) && neighbours[v].iter().any(|&w| !is_switch(w));
    let level = distances(&neighbours, (0..n).filter(|&v| is_leaf(v)), is_switch);
    let top = (0..n).filter(|&v| is_switch(v) && level[v] != FAR).map(|v| level[v]).max()?;
    if top == 0 {
        return None;
    }
    let mut blocks = blocks(drawing, &neighbours);
    let mut x = vec![0.0; n];
    order(&mut blocks, &neighbours, &level, &mut x, top, &is_switch);
    let width = blocks.iter().map(|b| b.x + b.columns as f64 / 2.0).fold(1.0, f64::max);
    let rise = (width / (f64::from(top) * 4.0 + 2.0)).clamp(2.0, 9.0);
    let y = |v: usize| -f64::from(level[v].min(top + 1)) * rise;
    let mut places: Vec<Point> = (0..n).map(|v| at(x[v], y(v))).collect();
    for block in &blocks {
        let left = block.x - (block.columns as f64 - 1.0) / 2.0;
        for (i, &t) in block.terminals.iter().enumerate() {
            let (row, column) = (i / block.columns, i % block.columns);
            // Rows are staggered, so that links reach the lower ones between the upper ones.
            let stagger = if row % 2 == 1 { 0.5 } else { 0.0 };
            places[t] = at(left + column as f64 + stagger, rise * 0.7 + row as f64 * 1.1);
        }
    }
    Some(Layout::plain(places))
}

/// The blocks in the order of their first switches.
fn blocks(drawing: &Drawing, neighbours: &[Vec<usize>]) -> Vec<Block> {
    let mut by_switches: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
    for v in (0..neighbours.len()).filter(|&v| drawing.vertices[v].terminal) {
        by_switches.entry(&neighbours[v]).or_default().push(v);
    }
    let many = by_switches.values().map(Vec::len).sum::<usize>() > 40;
    let block = |(switches, terminals): (&&[usize], &Vec<usize>)| {
        let count = terminals.len();
        let square = libm::ceil(libm::sqrt(count as f64 * 1.4)) as usize;
        let columns = if many { square.max(1) } else { count };
        Block { switches: switches.to_vec(), terminals: terminals.clone(), columns, x: 0.0 }
    };
    by_switches.iter().map(block).collect()
}

/// Orders blocks and switches, and sets their x.
fn order(
    blocks: &mut [Block],
    neighbours: &[Vec<usize>],
    level: &[u32],
    x: &mut [f64],
    top: u32,
    is_switch: &impl Fn(usize) -> bool,
) {
    let rows: Vec<Vec<usize>> = (0..=top)
        .map(|l| (0..x.len()).filter(|&v| is_switch(v) && level[v] == l).collect())
        .collect();
    for sweep in 0..=SWEEPS {
        // Blocks side by side, in the order of the switches above them.
        if sweep > 0 {
            let wish = |b: &Block| mean(b.switches.iter().map(|&s| above(s, neighbours, level, x)));
            blocks.sort_by(|a, b| wish(a).total_cmp(&wish(b)));
        }
        let mut left = 0.0;
        for block in blocks.iter_mut() {
            block.x = left + block.columns as f64 / 2.0;
            left += block.columns as f64 + 0.9;
        }
        // A leaf switch stands above its blocks.
        let mut own = vec![(0.0, 0.0); x.len()];
        for block in blocks.iter() {
            for &s in &block.switches {
                own[s] = (own[s].0 + block.x, own[s].1 + 1.0);
            }
        }
        rows[0].iter().for_each(|&s| x[s] = own[s].0 / f64::max(own[s].1, 1.0));
        apart(&rows[0], x, 1.6, None);
        for row in &rows[1..] {
            for &s in row {
                let below = neighbours[s].iter().filter(|&&w| is_switch(w) && level[w] < level[s]);
                x[s] = mean(below.map(|&w| x[w]));
            }
            apart(row, x, 1.6, Some(left));
        }
    }
}

/// The preferred place of a switch: between those above it, if there are some.
fn above(s: usize, neighbours: &[Vec<usize>], level: &[u32], x: &[f64]) -> f64 {
    let higher = neighbours[s].iter().filter(|&&w| level[w] != FAR && level[w] > level[s]);
    let found: Vec<f64> = higher.map(|&w| x[w]).collect();
    if found.is_empty() { x[s] } else { 0.8 * mean(found) + 0.2 * x[s] }
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Moves the switches of a row apart, in the order of their x; with a width evenly over it.
fn apart(row: &[usize], x: &mut [f64], least: f64, width: Option<f64>) {
    let mut order = row.to_vec();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]).then(a.cmp(&b)));
    if let Some(width) = width.filter(|width| width / order.len().max(1) as f64 >= least) {
        for (i, &s) in order.iter().enumerate() {
            x[s] = (i as f64 + 0.5) * width / order.len() as f64;
        }
        return;
    }
    let before = mean(order.iter().map(|&s| x[s]));
    for pair in 1..order.len() {
        x[order[pair]] = x[order[pair]].max(x[order[pair - 1]] + least);
    }
    // The row as a whole stays where it was.
    let shift = before - mean(order.iter().map(|&s| x[s]));
    order.iter().for_each(|&s| x[s] += shift);
}
