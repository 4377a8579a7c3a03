//! Settings of the flood, and how islands rotate through them.

/// The weights of messages, and the size of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Weight of a holder anywhere in the network.
    pub holders: u32,
    /// Weight of a holder one hop away.
    pub near: u32,
    /// Random noise added to each weight: less than this.
    pub noise: u32,
    /// A message with at most this number of spare steps goes first.
    pub spare: Option<u32>,
    /// Whether vertices that are no receivers take messages, to relay them.
    pub relays: Rank,
    /// Whether transfers may pass through terminals.
    pub long: Rank,
    /// Where hops share resources: the number of turns of 256 in which a vertex waits, because
    /// another vertex may use the resources better.
    pub idle: u32,
    /// Where hops share resources: the most messages that a vertex takes in a turn.
    pub turn: usize,
    /// Where hops share resources: whether chains close the holes of a step.
    pub chains: bool,
    /// The most messages that a repair rips out besides the failing ones.
    pub others: usize,
}

/// The rank of relays or long hops in the choices of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// Not used.
    No,
    /// In the room that the others leave.
    After,
    /// Equal to the others.
    Equal,
}

/// The best settings in the trials.
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

/// The settings of consecutive attempts, in turn.
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
    /// The settings of an attempt of an island, by number.
    pub fn of(island: usize, attempt: usize) -> Self {
        PORTFOLIO[(island + attempt) % PORTFOLIO.len()]
    }
}
