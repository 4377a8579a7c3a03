//! The row of HGSA, and the parameters of an island: what the paper leaves open, and how far to depart from
//! it.

use super::Cooling;
use crate::Engine;
use crate::row::{EngineRow, OPEN, Parameter, Range, Runs, Values, values};
use ccsched_model::problem::Problem;

/// The temperatures between which random moves cool.
const PAPER: (f64, f64) = (0.8, 0.12);

/// The moves of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbourhood {
    /// A transfer in conflict takes its cheapest other path and step.
    Focused,
    /// A random transfer takes a random path or step, as in the paper.
    Paper,
}

impl Neighbourhood {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 2] = [Self::Focused, Self::Paper];
    /// Their names, as users write them.
    pub(super) const NAMES: [&str; 2] = ["focused", "paper"];
}

/// What a round of cooling begins with, after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The solution of the round before.
    Kept,
    /// A new start solution.
    Fresh,
}

impl Restart {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 2] = [Self::Kept, Self::Fresh];
    /// Their names, as users write them.
    pub(super) const NAMES: [&str; 2] = ["kept", "fresh"];
}

/// Where a store-and-forward broadcast applies the first heuristic (hgsa-store-and-forward, section
/// 3.3): a path is cut short at a vertex that has the message earlier by another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortening {
    /// Everywhere and at all times: only the first arrival at each vertex counts.
    Always,
    /// After initialisation and after each selection, as in the paper; in between every gene
    /// occupies all hops of its path.
    Paper,
    /// Never: every gene occupies all hops of its path.
    Off,
}

impl Shortening {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 3] = [Self::Always, Self::Paper, Self::Off];
    /// Their names, as users write them.
    pub(super) const NAMES: [&str; 3] = ["always", "paper", "off"];
}

/// The parameters of an island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The moves.
    pub neighbourhood: Neighbourhood,
    /// Temperature at the beginning of a round, in conflicts or transfers that wait; if `None`, as
    /// [`Params::cooling`] says.
    pub hot: Option<f64>,
    /// Temperature at the end of a round; if `None`, as [`Params::cooling`] says.
    pub cold: Option<f64>,
    /// Whether a focused move in a scatter ejects the transfers in its way, which then wait for
    /// another place; if not, they stay, in conflict. If `None`, unless some moves are swaps, which
    /// do not eject.
    pub eject: Option<bool>,
    /// Iterations of the first round; if `None`, as [`Params::cooling`] says.
    pub round: Option<u64>,
    /// Whether islands share the range of temperatures out ([`Cooling::rung`]); if not, each cools
    /// through the whole range.
    pub ladder: bool,
    /// What a round begins with; if `None`, a new solution in a wormhole broadcast
    /// ([`Params::restart`]).
    pub restart: Option<Restart>,
    /// The first heuristic, of store-and-forward broadcasts.
    pub shortening: Shortening,
    /// Share of the moves that swap the places of two transfers.
    pub swap_share: f64,
    /// Whether islands adopt parts of each other's solutions.
    pub exchange: bool,
    /// Probability that the better child of a crossover is mutated. Parents always are.
    pub child_mutation: f64,
    /// Share of the genes that a mutation changes; at least one gene.
    pub mutated_share: f64,
    /// Iterations in which an island makes as many moves as there are genes; 1, unless it anneals
    /// beside another search.
    pub stride: u64,
    /// The second heuristic applies if at most this number of transfers end last.
    pub most_longest: usize,
    /// Largest distance from sender to receiver in a wormhole all-to-all broadcast
    /// (umda-diameter-degree-networks, section 4.4). Raised where it would cut off a terminal.
    pub radius: u32,
}

impl Params {
    /// The default parameters with these moves.
    pub fn new(neighbourhood: Neighbourhood) -> Self {
        let (hot, cold) = match neighbourhood {
            Neighbourhood::Focused => (None, None),
            Neighbourhood::Paper => (Some(PAPER.0), Some(PAPER.1)),
        };
        Params { neighbourhood, hot, cold, ..Params::from(&ROW.defaults) }
    }

    /// The start of the rounds for a problem. The trees of a wormhole broadcast are right early, or
    /// in a dead end that no temperature leaves; other solutions improve in each round.
    pub fn restart(&self, problem: &Problem) -> Restart {
        self.restart.unwrap_or(if is_forest(problem) { Restart::Fresh } else { Restart::Kept })
    }

    /// Whether transfers of this problem eject others.
    pub fn ejects(&self, problem: &Problem) -> bool {
        self.neighbourhood == Neighbourhood::Focused
            && problem.collective().content().is_personal()
            && self.eject.unwrap_or(self.swap_share == 0.0)
    }

    /// The temperatures at the beginning and at the end of a round for a problem. Focused moves
    /// freeze at lower temperatures than random ones, ejections at still lower ones; the trees of
    /// several messages freeze earlier than one, because a delivery hardly moves without others.
    fn temperatures(&self, problem: &Problem) -> (f64, f64) {
        let (hot, cold) = match self.neighbourhood {
            Neighbourhood::Focused if self.ejects(problem) => (0.2, 0.1),
            Neighbourhood::Focused if is_forest(problem) && problem.messages() > 1 => (0.8, 0.3),
            Neighbourhood::Focused => (0.4, 0.15),
            Neighbourhood::Paper => PAPER,
        };
        // The one that is given may be beyond the other one's default.
        match (self.hot, self.cold) {
            (Some(hot), None) => (hot, cold.min(hot)),
            (hot_given, Some(cold)) => (hot_given.unwrap_or(hot.max(cold)), cold),
            (None, None) => (hot, cold),
        }
    }

    /// The cooling for a problem. Where focused moves start anew, short rounds are best.
    pub fn cooling(&self, problem: &Problem) -> Cooling {
        let (hot, cold) = self.temperatures(problem);
        let (round, growth) = match (self.neighbourhood, self.restart(problem)) {
            (Neighbourhood::Focused, Restart::Fresh) => (20, 1.2),
            (Neighbourhood::Focused, Restart::Kept) => (100, 1.5),
            (Neighbourhood::Paper, _) => (500, 1.5),
        };
        Cooling { hot, cold, first_round: self.round.unwrap_or(round), growth }
    }

    /// The same with other moves, and their temperatures.
    pub(super) fn with_moves(self, neighbourhood: Neighbourhood) -> Self {
        let Params { hot, cold, .. } = Params::new(neighbourhood);
        Params { neighbourhood, hot, cold, ..self }
    }

    /// Checks that the parameters do not contradict each other.
    ///
    /// # Errors
    /// The name of the parameter that contradicts another, and why.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if let (Some(hot), Some(cold)) = (self.hot, self.cold)
            && cold > hot
        {
            let why = "is above the temperature at the beginning";
            return Err(("cold", format!("{cold} {why}, {hot}: cooling goes down")));
        }
        if self.eject == Some(true) && self.swap_share > 0.0 {
            let share = self.swap_share;
            let why = format!("{share} of the moves cannot be swaps with eject true; leave one");
            return Err(("swaps", why));
        }
        Ok(())
    }
}

impl Default for Params {
    fn default() -> Self {
        Params::new(Neighbourhood::Focused)
    }
}

/// Whether solutions are trees of transfers: those of a wormhole broadcast.
fn is_forest(problem: &Problem) -> bool {
    problem.collective().content().is_common() && problem.switching().holds_paths()
}

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
        ..Parameter::word(
            "neighbourhood",
            "The moves of the islands. focused: a transfer in conflict takes its cheapest other path \
               and step, and in scatters ejects the transfers there. paper: a random transfer takes a \
               random path or step, as in the paper", &Neighbourhood::NAMES)
    },
    Parameter::flag(
        "exchange",
        "Whether islands adopt parts of each other's solutions"),
    Parameter::positive(
        "hot",
        "Temperature at the beginning of a round of cooling, in conflicts or, in scatters with \
               ejection, transfers without a place")
    .open("0.4; scatters 0.2; wormhole all-gathers 0.8; paper 0.8"),
    Parameter::positive("cold", "Temperature at the end of a round")
        .open("0.15; scatters 0.1; wormhole all-gathers 0.3; paper 0.12"),
    Parameter::count(
        "round",
        "Iterations of the first round; each round is longer than the last, 1.5 times or, in \
               focused wormhole broadcasts, 1.2 times")
    .open("100; wormhole broadcasts 20; paper 500"),
    Parameter::flag(
        "ladder",
        "Whether the islands share the temperatures from hot to cold out, each with a rung of \
               its own; if not, all cool in lock step"),
    Parameter::word(
        "restart",
        "What a round after the first begins with: the solution that the last one ended with, \
               or a new one", &Restart::NAMES)
    .open("fresh in wormhole broadcasts, else kept"),
    Parameter::word(
        "shortening",
        "When a path of a store-and-forward broadcast is cut short at a vertex that another \
               path reaches earlier: at all times, after initialisation and each selection as in the \
               paper, or never", &Shortening::NAMES)
    .serving(|problem| is_common(problem) && problem.switching().stores()),
    Parameter::share(
        "swaps",
        "Share of the moves that swap the places of two transfers, as UMDA does"),
    Parameter::share(
        "child-mutation",
        "Probability that the better child of a crossover is mutated; parents always are"),
    Parameter::share(
        "mutated-share",
        "Share of the transfers that a mutation after a crossover changes; at least one"),
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
    )
    .serving(|problem| is_common(problem) && problem.switching().holds_paths()),
    Parameter {
        applies: |v| v[0] == Neighbourhood::Focused as u8 as f64,
        ..Parameter::flag(
            "eject",
            "Whether a focused move of a scatter, gather or traffic ejects the transfers in its \
               way, which then wait and occupy nothing; if not, they stay, and conflicts count")
        .open("true, with swaps false")
        .serving(|problem| !is_common(problem))
    },
];

fn is_common(problem: &Problem) -> bool {
    problem.collective().content().is_common()
}

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
