//! The row of HGSA: its parameters by name, and as numbers.

use super::{Neighbourhood, Params, Restart, Shortening};
use crate::Engine;
use crate::row::{EngineRow, MOST_COUNTED, OPEN, Parameter, Range, Runs, Values, values};

/// The engine.
pub static ROW: EngineRow = EngineRow {
    name: "hgsa",
    help: "Hybrid of parallel simulated annealing and genetic operators",
    parameters: &PARAMETERS,
    defaults: values([0.0, 1.0, OPEN, OPEN, OPEN, 1.0, OPEN, 0.0, 0.0, 0.5, 0.01, 16.0, 1.0, OPEN]),
    contradicts: |values| Params::from(values).check().err(),
    runs: Runs::Islands(|problem, values, seed| super::walker(problem, values.into(), seed)),
    ..EngineRow::BASE
};

const PARAMETERS: [Parameter; 14] = [
    Parameter {
        then: temperatures,
        ..Parameter::new(
            "neighbourhood",
            "The moves of the islands. focused: a transfer in conflict takes its cheapest other path \
               and step, and in scatters ejects the transfers there. paper: a random transfer takes a \
               random path or step, as in the paper",
            Range::Word(&Neighbourhood::NAMES),
        )
    },
    Parameter::new(
        "exchange",
        "Whether islands adopt parts of each other's solutions",
        Range::Flag,
    ),
    Parameter::new(
        "hot",
        "Temperature at the beginning of a round of cooling, in conflicts or, in scatters with \
               ejection, transfers without a place",
        Range::Positive,
    )
    .open("0.4; scatters 0.2; wormhole all-gathers 0.8; paper 0.8"),
    Parameter::new("cold", "Temperature at the end of a round", Range::Positive)
        .open("0.15; scatters 0.1; wormhole all-gathers 0.3; paper 0.12"),
    Parameter::new(
        "round",
        "Iterations of the first round; each round is longer than the last, 1.5 times or, in \
               focused wormhole broadcasts, 1.2 times",
        Range::Count(MOST_COUNTED),
    )
    .open("100; wormhole broadcasts 20; paper 500"),
    Parameter::new(
        "ladder",
        "Whether the islands share the temperatures from hot to cold out, each with a rung of \
               its own; if not, all cool in lock step",
        Range::Flag,
    ),
    Parameter::new(
        "restart",
        "What a round after the first begins with: the solution that the last one ended with, \
               or a new one",
        Range::Word(&Restart::NAMES),
    )
    .open("fresh in wormhole broadcasts, else kept"),
    Parameter::new(
        "shortening",
        "When a path of a store-and-forward broadcast is cut short at a vertex that another \
               path reaches earlier: at all times, after initialisation and each selection as in the \
               paper, or never",
        Range::Word(&Shortening::NAMES),
    ),
    Parameter::new(
        "swaps",
        "Share of the moves that swap the places of two transfers, as UMDA does",
        Range::Share,
    ),
    Parameter::new(
        "child-mutation",
        "Probability that the better child of a crossover is mutated; parents always are",
        Range::Share,
    ),
    Parameter::new(
        "mutated-share",
        "Share of the transfers that a mutation after a crossover changes; at least one",
        Range::Share,
    ),
    Parameter::new(
        "longest",
        "Most transfers in the last step of a conflict-free schedule that the paper's second \
               heuristic tries to end earlier",
        Range::Count(u32::MAX as u64),
    ),
    Parameter::new(
        "radius",
        "Longest distance of a transfer in a wormhole all-to-all broadcast; raised where it \
               would leave a terminal unreachable",
        Range::Count(u32::MAX as u64),
    ),
    Parameter {
        applies: |v| v[0] == Neighbourhood::Focused as u8 as f64,
        ..Parameter::new(
            "eject",
            "Whether a focused move of a scatter, gather or traffic ejects the transfers in its \
               way, which then wait and occupy nothing; if not, they stay, and conflicts count",
            Range::Flag,
        )
        .open("true, with swaps false")
    },
];

/// The temperatures of the moves.
fn temperatures(values: &mut Values) {
    let params = Params::from(&*values);
    *values = params.with_moves(params.neighbourhood).into();
}

impl From<&Values> for Params {
    fn from(values: &Values) -> Self {
        let [moves, exchange, hot, cold, round, ladder, restart, shortening, rest @ ..] = *values;
        let [swaps, child_mutation, mutated_share, longest, radius, eject, ..] = rest;
        let given = |value: f64| (value != OPEN).then_some(value);
        Params {
            neighbourhood: Neighbourhood::ALL[moves as usize],
            hot: given(hot),
            cold: given(cold),
            eject: given(eject).map(|is| is != 0.0),
            round: given(round).map(|n| n as u64),
            ladder: ladder != 0.0,
            restart: given(restart).map(|place| Restart::ALL[place as usize]),
            shortening: Shortening::ALL[shortening as usize],
            swap_share: swaps,
            exchange: exchange != 0.0,
            child_mutation,
            mutated_share,
            stride: 1,
            most_longest: longest as usize,
            radius: radius as u32,
        }
    }
}

impl From<Params> for Values {
    fn from(p: Params) -> Self {
        let flag = |is: bool| f64::from(u8::from(is));
        values([
            p.neighbourhood as u8 as f64,
            flag(p.exchange),
            p.hot.unwrap_or(OPEN),
            p.cold.unwrap_or(OPEN),
            p.round.map_or(OPEN, |n| n as f64),
            flag(p.ladder),
            p.restart.map_or(OPEN, |restart| restart as u8 as f64),
            p.shortening as u8 as f64,
            p.swap_share,
            p.child_mutation,
            p.mutated_share,
            p.most_longest as f64,
            p.radius.into(),
            p.eject.map_or(OPEN, flag),
        ])
    }
}

impl From<Params> for Engine {
    fn from(params: Params) -> Self {
        Engine::with(&ROW, params.into())
    }
}
