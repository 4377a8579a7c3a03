//! The parameters of the model: switching, ports, relays, routing (hgsa-store-and-forward, section 2;
//! umda-diameter-degree-networks, section 3). Each parses from users' text and prints as in
//! schedule files.

use ccsched_base::{Error, similar};
use ccsched_network::tables::Table;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a message travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Switching {
    /// A transfer holds its whole path for the step.
    Wormhole,
    /// A message advances one channel a step.
    StoreAndForward,
    /// A message stops at every terminal on its path, and at no switch: a transfer holds the path
    /// from one terminal to the next for the step.
    Hosts,
}

impl Switching {
    /// Whether a transfer holds its whole path for a step.
    pub fn holds_paths(self) -> bool {
        match self {
            Switching::Wormhole | Switching::Hosts => true,
            Switching::StoreAndForward => false,
        }
    }

    /// Whether a message stops at every vertex of its path, switches too.
    pub fn stores(self) -> bool {
        match self {
            Switching::Wormhole | Switching::Hosts => false,
            Switching::StoreAndForward => true,
        }
    }

    /// Whether terminals store messages on their way, which is what relays do.
    pub fn relays(self) -> bool {
        match self {
            Switching::Wormhole => false,
            Switching::StoreAndForward | Switching::Hosts => true,
        }
    }
}

impl fmt::Display for Switching {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Switching::Wormhole => "wormhole",
            Switching::StoreAndForward => "store-and-forward",
            Switching::Hosts => "hosts",
        })
    }
}

impl FromStr for Switching {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        const WORDS: [(&str, &str); 4] = [
            ("cut-through", "wormhole"),
            ("saf", "store-and-forward"),
            ("snf", "store-and-forward"),
            ("packet", "store-and-forward"),
        ];
        match text.to_ascii_lowercase().replace('_', "-").as_str() {
            "wormhole" | "wh" => Ok(Switching::Wormhole),
            "store-and-forward" | "sf" => Ok(Switching::StoreAndForward),
            "hosts" => Ok(Switching::Hosts),
            _ => {
                let known = ["wormhole", "store-and-forward", "hosts"];
                let meant = similar::hint_of(text, known, &WORDS);
                Err(Error::problem(format!(
                    "unknown switching '{text}'; known: wormhole (wh), store-and-forward (sf), \
                     hosts{meant}"
                )))
            }
        }
    }
}

/// How many messages a terminal sends, and receives, in one step; `None` means as many as its
/// channels carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ports(pub Option<u32>);

impl Ports {
    /// How many transfers can start, or end, in one step at a terminal whose channels carry
    /// `carried`.
    pub fn limit(self, carried: usize) -> usize {
        self.0.map_or(carried, |k| carried.min(k as usize))
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            Some(k) => write!(f, "{k}"),
            None => f.write_str("all"),
        }
    }
}

impl FromStr for Ports {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.parse::<u32>() {
            _ if text == "all" => Ok(Ports(None)),
            Ok(k) if k > 0 => Ok(Ports(Some(k))),
            _ => Err(Error::problem(format!(
                "ports '{text}' is neither 'all' nor a number of at least 1"
            ))),
        }
    }
}

/// Whether terminals that take no part store messages and forward them (store-and-forward switching).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Relays {
    /// Nothing passes them.
    #[default]
    None,
    /// All of them do.
    All,
}

impl fmt::Display for Relays {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Relays::None => "none",
            Relays::All => "all",
        })
    }
}

impl FromStr for Relays {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "none" => Ok(Relays::None),
            "all" => Ok(Relays::All),
            _ => Err(Error::problem(format!("relays '{text}' are neither none nor all"))),
        }
    }
}

/// What copies the messages of a broadcast, and adds up the contributions to a sum, on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Multicast {
    /// Nothing: each transfer is a copy of its own that a terminal sends.
    #[default]
    None,
    /// Switches: a transfer is a tree, which holds each of its channels once. With wormhole switching the
    /// routers of terminals on the way do so as well.
    Switch,
}

impl Multicast {
    /// Whether nothing copies and adds up on the way.
    pub fn is_none(&self) -> bool {
        *self == Multicast::None
    }
}

impl fmt::Display for Multicast {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Multicast::None => "none",
            Multicast::Switch => "switch",
        })
    }
}

impl FromStr for Multicast {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "none" => Ok(Multicast::None),
            "switch" | "switches" => Ok(Multicast::Switch),
            _ => Err(Error::problem(format!("multicast '{text}' is neither none nor switch"))),
        }
    }
}

/// Which paths a transfer may take. In store-and-forward networks the rule holds for the whole
/// journey of a scatter message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Routing {
    /// Shortest paths.
    Minimal,
    /// Paths up to this number of channels longer than shortest ones.
    Slack(u32),
    /// Paths of any length.
    Any,
    /// The network's static route of each pair.
    Static,
    /// The local-global-local route of each pair, on dragonflies.
    Lgl,
    /// The route of each pair in a table that is made for the network.
    Table(Table),
}

impl Routing {
    /// The largest slack of a problem: far more than any detour that saves a step.
    pub const MOST_SLACK: u32 = 64;

    /// How many channels longer than a shortest path a path may be. Fixed routes are not chosen by
    /// length; callers that need paths handle them separately.
    pub fn slack(self) -> u32 {
        match self {
            Routing::Minimal | Routing::Static | Routing::Lgl | Routing::Table(_) => 0,
            Routing::Slack(s) => s,
            Routing::Any => u32::MAX,
        }
    }

    /// The slack of the paths that searches list. With paths of any length these are the shortest ones;
    /// what lengthens them is the search for planned routes.
    pub fn listed_slack(self) -> u32 {
        if self == Routing::Any { 0 } else { self.slack() }
    }

    /// Whether every pair has one route.
    pub fn is_fixed(self) -> bool {
        matches!(self, Routing::Static | Routing::Lgl | Routing::Table(_))
    }
}

impl fmt::Display for Routing {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Routing::Minimal => f.write_str("minimal"),
            Routing::Slack(s) => write!(f, "slack:{s}"),
            Routing::Any => f.write_str("any"),
            Routing::Lgl => f.write_str("lgl"),
            Routing::Static => f.write_str("static"),
            Routing::Table(table) => table.fmt(f),
        }
    }
}

impl FromStr for Routing {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        const WORDS: [(&str, &str); 8] = [
            ("shortest", "minimal"),
            ("min", "minimal"),
            ("ftree", "dmodk"),
            ("dor", "dimension-order"),
            ("e-cube", "dimension-order"),
            ("ecube", "dimension-order"),
            ("adaptive", "any"),
            ("lft", "static"),
        ];
        let given = text.to_ascii_lowercase().replace('_', "-");
        let plain = [Routing::Minimal, Routing::Any, Routing::Lgl, Routing::Static];
        if let Some(routing) = plain.into_iter().find(|routing| routing.to_string() == given) {
            return Ok(routing);
        }
        if let Some(table) = Table::find(&given) {
            return Ok(Routing::Table(table));
        }
        match given.strip_prefix("slack:").map(str::parse::<u32>) {
            Some(Ok(s)) if s <= Routing::MOST_SLACK => Ok(Routing::Slack(s)),
            _ => {
                let tables: Vec<&str> = Table::all().flat_map(Table::names).collect();
                let known = ["minimal", "any", "static", "lgl"].into_iter();
                let meant = similar::hint_of(text, known.chain(tables.iter().copied()), &WORDS);
                Err(Error::problem(format!(
                    "unknown routing '{text}'; known: minimal, slack:S with S from 0 to 64, any (of \
                     any length), static (the network's own routes), lgl (local-global-local, on dragonflies), and \
                     tables that are made: {}{meant}",
                    tables.join(", ")
                )))
            }
        }
    }
}
