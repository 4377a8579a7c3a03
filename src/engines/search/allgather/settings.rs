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
    /// Whether vertices also take what they are not to receive, to pass it on.
    pub relays: Rank,
    /// Whether transfers may pass terminals.
    pub long: Rank,
    /// Where links are shared, in how many of 256 turns a vertex waits: what it leaves alone may be
    /// of more use to another.
    pub idle: u32,
    /// Where links are shared, how many messages a vertex takes before it is the others' turn.
    pub turn: usize,
    /// Whether, where links are shared, holes of a step are closed by chains.
    pub chains: bool,
    /// At most so many messages are ripped out besides those that fail.
    pub others: usize,
}

/// How what is not always of use takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// Not at all.
    No,
    /// In what the others leave.
    After,
    /// Like everything else.
    Equal,
}

/// The ones that were best in the trials.
const BASE: Settings = Settings {
    holders: 4,
    near: 16,
    noise: 8,
    spare: Some(1),
    relays: Rank::After,
    long: Rank::After,
    idle: 0,
    turn: 1,
    chains: true,
    others: 12,
};

/// One after the other.
const PORTFOLIO: [Settings; 8] = [
    BASE,
    Settings { noise: 64, relays: Rank::Equal, long: Rank::Equal, others: 6, ..BASE },
    Settings { noise: 24, spare: None, long: Rank::No, turn: usize::MAX, chains: false, ..BASE },
    Settings { noise: 256, relays: Rank::No, others: 4, ..BASE },
    Settings { relays: Rank::Equal, idle: 32, chains: false, others: 6, ..BASE },
    Settings { holders: 8, near: 8, spare: Some(0), long: Rank::Equal, ..BASE },
    Settings { noise: 256, relays: Rank::Equal, idle: 128, chains: false, others: 3, ..BASE },
    Settings { holders: 1, near: 1, noise: 1024, spare: Some(2), others: 3, ..BASE },
];

impl Settings {
    /// Those of the so-manieth attempt of an island.
    pub fn of(island: usize, attempt: usize) -> Self {
        PORTFOLIO[(island + attempt) % PORTFOLIO.len()]
    }
}
