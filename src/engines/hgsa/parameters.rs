//! The table of the parameters of HGSA.

use super::{Neighbourhood, Params, Restart, Shortening};
use crate::parameter::{Field, Parameter};

/// The parameters that users may set.
pub(crate) const PARAMETERS: &[Parameter<Params>] = &[
    Parameter {
        name: "neighbourhood",
        help: "The moves of the islands. focused: a transfer in conflict takes its cheapest other path \
               and step, and in scatters ejects the transfers there. paper: a random transfer takes a \
               random path or step, as in the paper",
        default: "",
        field: Field::Word(
            &Neighbourhood::NAMES,
            |p| Some(p.neighbourhood as usize),
            |p, place| *p = p.with_moves(Neighbourhood::ALL[place]),
        ),
        applies: |_| true,
    },
    Parameter {
        name: "exchange",
        help: "Whether islands adopt parts of each other's solutions",
        default: "",
        field: Field::Flag(|p| Some(p.exchange), |p, is| p.exchange = is),
        applies: |_| true,
    },
    Parameter {
        name: "hot",
        help: "Temperature at the beginning of a round of cooling, in conflicts or, in scatters with \
               ejection, transfers without a place",
        default: "0.4; scatters 0.2; wormhole all-gathers 0.8; paper 0.8",
        field: Field::Positive(|p| p.hot, |p, hot| p.hot = Some(hot)),
        applies: |_| true,
    },
    Parameter {
        name: "cold",
        help: "Temperature at the end of a round",
        default: "0.15; scatters 0.1; wormhole all-gathers 0.3; paper 0.12",
        field: Field::Positive(|p| p.cold, |p, cold| p.cold = Some(cold)),
        applies: |_| true,
    },
    Parameter {
        name: "round",
        help: "Iterations of the first round; each round is longer than the last, 1.5 times or, in \
               focused wormhole broadcasts, 1.2 times",
        default: "100; wormhole broadcasts 20; paper 500",
        field: Field::Count(u64::MAX, |p| p.round, |p, round| p.round = Some(round)),
        applies: |_| true,
    },
    Parameter {
        name: "ladder",
        help: "Whether the islands share the temperatures from hot to cold out, each with a rung of \
               its own; if not, all cool in lock step",
        default: "",
        field: Field::Flag(|p| Some(p.ladder), |p, is| p.ladder = is),
        applies: |_| true,
    },
    Parameter {
        name: "restart",
        help: "What a round after the first begins with: the solution that the last one ended with, \
               or a new one",
        default: "fresh in wormhole broadcasts, else kept",
        field: Field::Word(
            &Restart::NAMES,
            |p| p.restart.map(|restart| restart as usize),
            |p, place| p.restart = Some(Restart::ALL[place]),
        ),
        applies: |_| true,
    },
    Parameter {
        name: "shortening",
        help: "When a path of a store-and-forward broadcast is cut short at a vertex that another \
               path reaches earlier: at all times, after initialisation and each selection as in the \
               paper, or never",
        default: "",
        field: Field::Word(
            &Shortening::NAMES,
            |p| Some(p.shortening as usize),
            |p, place| p.shortening = Shortening::ALL[place],
        ),
        applies: |_| true,
    },
    Parameter {
        name: "swaps",
        help: "Share of the moves that swap the places of two transfers, as UMDA does",
        default: "",
        field: Field::Share(|p| Some(p.swap_share), |p, share| p.swap_share = share),
        applies: |_| true,
    },
    Parameter {
        name: "child-mutation",
        help: "Probability that the better child of a crossover is mutated; parents always are",
        default: "",
        field: Field::Share(|p| Some(p.child_mutation), |p, share| p.child_mutation = share),
        applies: |_| true,
    },
    Parameter {
        name: "mutated-share",
        help: "Share of the transfers that a mutation after a crossover changes; at least one",
        default: "",
        field: Field::Share(|p| Some(p.mutated_share), |p, share| p.mutated_share = share),
        applies: |_| true,
    },
    Parameter {
        name: "longest",
        help: "Most transfers in the last step of a conflict-free schedule that the paper's second \
               heuristic tries to end earlier",
        default: "",
        field: Field::Count(
            u32::MAX as u64,
            |p| Some(p.most_longest as u64),
            |p, most| p.most_longest = most as usize,
        ),
        applies: |_| true,
    },
    Parameter {
        name: "radius",
        help: "Longest distance of a transfer in a wormhole all-to-all broadcast; raised where it \
               would leave a terminal unreachable",
        default: "",
        field: Field::Count(
            u32::MAX as u64,
            |p| Some(p.radius.into()),
            |p, radius| p.radius = radius as u32,
        ),
        applies: |_| true,
    },
    Parameter {
        name: "eject",
        help: "Whether a focused move of a scatter, gather or traffic ejects the transfers in its \
               way, which then wait and occupy nothing; if not, they stay, and conflicts count",
        default: "true, with swaps false",
        field: Field::Flag(|p| p.eject, |p, is| p.eject = Some(is)),
        applies: |p| p.neighbourhood == Neighbourhood::Focused,
    },
];
