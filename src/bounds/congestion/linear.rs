//! The best weights, by linear programming. With one variable for the weight of every class of
//! resources and one for the potential of every walk (source, vertex, detour), a walk's potential is at
//! most that of the walk before it plus the weight of the hop between them; the sum of the potentials at
//! the destinations is to be largest, when one step carries the weight 1 for every unit of capacity.
//!
//! A walk with one predecessor needs no variable: its potential is that of the walk before it plus the
//! hop. On a fabric few walks are left, since every host hangs on one leaf.

use super::Proof;
use super::lightest::{Lightest, Source, end_ports};
use super::primal_dual::{Program, Sum};
use super::walks::Hop;
use std::collections::HashMap;

/// Larger programs take too long: constraints, and their terms.
const MOST_ROWS: usize = 3_000;
const MOST_TERMS: usize = 20_000;
/// Iterations of the solver; a few hundred prove all that can be proved on most networks.
const ITERATIONS: usize = 2_000;
/// The heaviest weight after rounding. The solution of a program of small whole numbers has small
/// denominators, so one of these is often enough.
const SCALES: std::ops::RangeInclusive<u64> = 1..=64;

/// Considers the best weights, rounded in at most `most` ways, if the program is small enough. It
/// ends early when `is_over` returns true.
pub fn solve(proof: &mut Proof<'_>, most: usize, is_over: &dyn Fn() -> bool) {
    let (of, classes) = proof.lightest.classes_of_resources();
    let Some(program) = program(proof.lightest, &of, classes) else { return };
    let mut best = Vec::new();
    program.approach(ITERATIONS, |variables| {
        best.clear();
        best.extend_from_slice(variables);
        is_over()
    });
    let weights: Vec<f64> = of.iter().map(|&class| best[class]).collect();
    // The finest are nearly exact; on a large network the others take long.
    for scale in super::FINE.into_iter().rev().chain(SCALES).take(most) {
        if is_over() {
            return;
        }
        proof.round_off(&weights, &[scale]);
    }
}

/// The program while it is made: variables are numbers, those of weights first.
struct Draft {
    /// By variable, its coefficient in the objective.
    objective: Vec<f64>,
    /// Sums that must not be positive.
    rows: Vec<Sum>,
    terms: usize,
}

impl Draft {
    /// Whether it has grown too large.
    fn is_large(&self) -> bool {
        self.rows.len() > MOST_ROWS || self.terms > MOST_TERMS
    }

    fn aim(&mut self, sum: &Sum, times: f64) {
        sum.iter().for_each(|&(variable, by)| self.objective[variable] += times * by);
    }
}

/// The program for classes of resources, or none if it is too large.
fn program(lightest: &Lightest<'_>, of: &[usize], classes: usize) -> Option<Program> {
    let mut draft = Draft { objective: vec![0.0; classes], rows: Vec::new(), terms: 0 };
    for source in &lightest.sources {
        add(lightest, source, of, &mut draft);
        if draft.is_large() {
            return None;
        }
    }
    let mut supply = vec![0.0; classes];
    for (&class, &capacity) in of.iter().zip(lightest.problem.resources().capacities()) {
        supply[class] += f64::from(capacity);
    }
    let all: f64 = supply.iter().sum();
    let supply: Sum = supply.into_iter().enumerate().collect();
    let rows = draft.rows.into_iter().map(|row| (row, 0.0)).chain([(supply, all)]).collect();
    Some(Program { objective: draft.objective, rows })
}

/// Adds the walks of one source.
fn add(lightest: &Lightest<'_>, source: &Source<'_>, of: &[usize], draft: &mut Draft) {
    let mut potential: HashMap<usize, Sum> = HashMap::new();
    potential.insert(source.walks.start as usize, Sum::new());
    let way = |potential: &HashMap<usize, Sum>, hop: &Hop| {
        let mut sum = potential[&(hop.before as usize)].clone();
        let (link, ports) = lightest.of_hop(hop.channel);
        let resources = std::iter::once(link).chain(ports.into_iter().flatten());
        sum.extend(resources.map(|r| (of[r as usize], 1.0)));
        merged(sum)
    };
    // Paths of any length lead also from later cells to earlier ones. A cell with one hop is next to an
    // earlier one.
    for (cell, _, hops) in source.walks.cells().filter(|_| source.walks.are_free()) {
        let known = match hops {
            [hop] => way(&potential, hop),
            _ => {
                draft.objective.push(0.0);
                vec![(draft.objective.len() - 1, 1.0)]
            }
        };
        potential.insert(cell as usize, known);
    }
    for (cell, _, hops) in source.walks.cells() {
        let known = potential.get(&(cell as usize)).map(|known| known[0].0);
        if known.is_some() && hops.len() == 1 {
            continue;
        }
        let mut ways: Vec<Sum> = hops.iter().map(|hop| way(&potential, hop)).collect();
        ways.sort_by(|a, b| a.partial_cmp(b).expect("coefficients are numbers"));
        ways.dedup();
        // There and back is no shorter path.
        ways.retain(|way| way.iter().all(|(variable, _)| Some(*variable) != known));
        if ways.len() > 1 || known.is_some() {
            let variable = known.unwrap_or_else(|| {
                draft.objective.push(0.0);
                draft.objective.len() - 1
            });
            for way in ways {
                let negated = way.into_iter().map(|(other, by)| (other, -by));
                let row: Sum = negated.chain([(variable, 1.0)]).collect();
                draft.terms += row.len();
                draft.rows.push(row);
            }
            potential.insert(cell as usize, vec![(variable, 1.0)]);
        } else if let Some(way) = ways.pop() {
            potential.insert(cell as usize, way);
        }
        if draft.is_large() {
            return;
        }
    }
    for d in source.demands {
        let alike = f64::from(source.alike) * lightest.problem.volume(d) as f64;
        let cells = lightest.cells_of(d.destination);
        let walks: Vec<&Sum> = cells.filter_map(|cell| potential.get(&cell)).collect();
        match walks[..] {
            [] => {}
            [walk] => draft.aim(walk, alike),
            _ => {
                let variable = draft.objective.len();
                draft.objective.push(alike);
                for walk in walks {
                    let negated = walk.iter().map(|&(other, by)| (other, -by));
                    draft.rows.push(negated.chain([(variable, 1.0)]).collect());
                    draft.terms += walk.len() + 1;
                }
            }
        }
        let ports: Sum = end_ports(lightest.problem, d).map(|port| (of[port], 1.0)).collect();
        draft.aim(&ports, alike);
    }
}

/// The same sum with every variable once.
fn merged(mut sum: Sum) -> Sum {
    sum.sort_unstable_by_key(|(variable, _)| *variable);
    sum.dedup_by(|next, last| {
        let same = next.0 == last.0;
        last.1 += if same { next.1 } else { 0.0 };
        same
    });
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::classes::Classes;
    use ccsched_model::problem::{Collective, Ports, Problem, Request, Routing, Switching};
    use ccsched_network::spec;

    /// What the program proves without the game, and what the game proves without the program.
    fn proved(problem: &Problem) -> (f64, f64) {
        let classes = Classes::of(problem);
        let lightest = Lightest::new(problem, classes.as_ref()).unwrap();
        let mut proof = Proof { lightest: &lightest, by_ratio: false, best: None };
        solve(&mut proof, usize::MAX, &|| false);
        let mut game = Proof { lightest: &lightest, by_ratio: false, best: None };
        super::super::play(problem, 4000, &mut game, &|| false);
        (proof.value(), game.value())
    }

    #[test]
    fn the_game_proves_no_more() {
        let names = ["binary-tree:8", "dragonfly:2,2,1", "petersen", "mesh:3x3", "ring:6,half"];
        for name in names {
            for (switching, ports, slack) in [
                (Switching::Wormhole, None, 0),
                (Switching::Wormhole, Some(1), 1),
                (Switching::StoreAndForward, Some(1), 0),
            ] {
                let routing = if slack == 0 { Routing::Minimal } else { Routing::Slack(slack) };
                let request = Request::new(Collective::Aas);
                let request = Request { switching, ports: Ports(ports), routing, ..request };
                let problem = request.pose(spec::parse(name).unwrap(), vec![]).unwrap();
                let (exact, game) = proved(&problem);
                assert!(exact >= game && exact > 0.0, "{name} {switching}: {exact}, {game}");
            }
        }
    }
}
