//! Settings of the flood, and how islands rotate through them.

/// How messages are weighed, and how boldly a schedule is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Price of a holder anywhere.
    pub holders: u32,
    /// Price of a holder next door.
    pub near: u32,
    /// Weights are blurred by up to so much.
    pub noise: u32,
    /// A message with at most so many steps to spare goes first.
    pub spare: Option<u32>,
    /// Whether terminals also pass on what they are not to receive.
    pub relays: bool,
    /// Whether transfers may pass terminals, and whether they are tried before everybody has had a
    /// direct one.
    pub long: Long,
    /// Where links are shared, how many messages a vertex takes before it is the others' turn.
    pub turn: usize,
    /// Whether, where links are shared, holes of a step are closed by chains.
    pub chains: bool,
    /// At most so many messages are ripped out besides those that fail.
    pub others: usize,
}

/// The use of long hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Long {
    /// None.
    No,
    /// For what is left after the direct hops.
    After,
    /// Together with the direct hops.
    Mixed,
}

/// The ones that were best in the trials.
const BASE: Settings = Settings {
    holders: 4,
    near: 16,
    noise: 8,
    spare: Some(1),
    relays: true,
    long: Long::After,
    turn: 1,
    chains: true,
    others: 12,
};

/// One after the other.
const PORTFOLIO: [Settings; 6] = [
    BASE,
    Settings { noise: 64, long: Long::Mixed, others: 6, ..BASE },
    Settings { noise: 24, spare: None, long: Long::No, turn: usize::MAX, chains: false, ..BASE },
    Settings { noise: 256, relays: false, others: 4, ..BASE },
    Settings { holders: 8, near: 8, spare: Some(0), long: Long::Mixed, ..BASE },
    Settings { holders: 1, near: 1, noise: 1024, spare: Some(2), others: 3, ..BASE },
];

impl Settings {
    /// Those of the so-manieth attempt of an island.
    pub fn of(island: usize, attempt: usize) -> Self {
        PORTFOLIO[(island + attempt) % PORTFOLIO.len()]
    }
}
