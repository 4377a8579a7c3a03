//! The delay of a channel: how long the head of a message takes along it, as a cable of some length has it. It
//! is the routing delay, tr, of that channel alone; channels without one have the tr of the cost model.

use super::graph::{Channel, Network};
use super::{ChannelId, Rate, faults};
use ccsched_base::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Bytes a second on a channel of capacity 1 where a network does not say them: 0.5 ns a byte.
pub const UNKNOWN_RATE: f64 = 2e9;

/// Nanoseconds of a second.
const SECOND: u128 = 1_000_000_000;

/// The units of delays, each in nanoseconds; those that end as others do come first.
const UNITS: [(&str, f64); 5] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

/// A delay in whole nanoseconds, up to some four seconds.
// One more than the nanoseconds, so that a channel without a delay takes no place of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Delay(NonZeroU32);

impl Delay {
    /// The most nanoseconds.
    pub const MOST: u64 = u32::MAX as u64 - 1;

    /// A delay of some nanoseconds; none beyond [`Delay::MOST`].
    pub fn of_ns(ns: u64) -> Option<Delay> {
        let ns = u32::try_from(ns).ok()?;
        Some(Delay(NonZeroU32::new(ns.checked_add(1)?)?))
    }

    /// Its nanoseconds.
    pub fn ns(self) -> u64 {
        u64::from(self.0.get() - 1)
    }

    /// Its microseconds.
    pub fn us(self) -> f64 {
        self.ns() as f64 * 1e-3
    }

    /// The bytes that a channel of this rate carries meanwhile, rounded up.
    pub fn in_bytes(self, bytes_per_second: f64) -> u64 {
        let bytes = u128::from(self.ns()).saturating_mul(bytes_per_second.round() as u128);
        u64::try_from(bytes.div_ceil(SECOND)).unwrap_or(u64::MAX)
    }

    /// Reads `5us`, `200ns`, `1.5ms`, `0.1s`. A number alone has the unit of the caller; without one it is none.
    /// Rounded to whole nanoseconds.
    pub fn parse(text: &str, unit: Option<&str>) -> Option<Delay> {
        let text = text.trim();
        let known = |(name, ns): &(&'static str, f64)| {
            let number = text.strip_suffix(name)?;
            (!number.ends_with(char::is_alphabetic)).then_some((number, *ns))
        };
        let of_caller = || {
            let unit = UNITS.iter().find(|(name, _)| Some(*name) == unit)?;
            Some((text, unit.1))
        };
        let (number, ns) = UNITS.iter().find_map(known).or_else(of_caller)?;
        let ns = number.trim().parse::<f64>().ok().filter(|n| *n >= 0.0)? * ns;
        if ns > Delay::MOST as f64 { None } else { Delay::of_ns(ns.round() as u64) }
    }

    /// What a text must be to be read.
    pub fn hint() -> String {
        "a delay is like 5us, 200ns or 1.5ms, from 0 to 4s".into()
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ns() {
            ns @ 0..1000 => write!(f, "{ns}ns"),
            ns @ 1000..1_000_000 => write!(f, "{}us", ns as f64 / 1e3),
            ns => write!(f, "{}ms", ns as f64 / 1e6),
        }
    }
}

/// Channels with the delays that an option gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delays(BTreeMap<ChannelId, Delay>);

impl FromIterator<(ChannelId, Delay)> for Delays {
    fn from_iter<I: IntoIterator<Item = (ChannelId, Delay)>>(all: I) -> Self {
        Delays(all.into_iter().collect())
    }
}

impl Delays {
    /// Reads `A-B=5us`, or `A:B=200ns` for the one direction; a vertex stands for all of its links. A number
    /// alone is in microseconds, as those of the cost model.
    ///
    /// # Errors
    /// Unknown links, what is no delay.
    pub fn parse(net: &Network, text: &str) -> Result<Self> {
        let wrong = |why: String| Error::field("delay", format!("{text}: {why}"));
        let Some((link, delay)) = text.rsplit_once('=') else {
            return Err(wrong("write LINK=5us".into()));
        };
        let Some(delay) = Delay::parse(delay, Some("us")) else {
            return Err(wrong(format!("'{delay}' is no delay; {}", Delay::hint())));
        };
        let channels = match net.find(link) {
            Some(v) => net.outgoing(v).iter().chain(net.incoming(v)).copied().collect(),
            None => faults::parse_link(net, link).map_err(|why| wrong(why.to_string()))?,
        };
        Ok(Delays(channels.into_iter().map(|c| (c, delay)).collect()))
    }

    /// Those of both; of a link in both the later one.
    pub fn and(mut self, later: Self) -> Self {
        self.0.extend(later.0);
        self
    }

    /// The network with these delays.
    pub fn applied(&self, net: &Network) -> Network {
        let channel = |(id, c): (ChannelId, &Channel)| Channel {
            delay: self.0.get(&id).copied().or(c.delay),
            ..*c
        };
        let channels = (0..).zip(net.channels.iter()).map(channel).collect();
        Network { channels: Arc::new(channels), ..net.clone() }
    }
}

impl Network {
    /// Whether some channel has a delay of its own.
    pub fn has_delays(&self) -> bool {
        self.channels.iter().any(|c| c.delay.is_some())
    }

    /// The delays of the two channels of a link, of which this is one; of a one-way link the second is none.
    pub fn delays_of(&self, c: ChannelId) -> [Option<Delay>; 2] {
        let channel = self.channel(c);
        [channel.delay, channel.reverse.and_then(|reverse| self.channel(reverse).delay)]
    }

    /// By channel its delay in bytes of capacity 1, of which timed schedules count; empty if no channel has one.
    pub fn delays_in_bytes(&self) -> Vec<u64> {
        if !self.has_delays() {
            return Vec::new();
        }
        let rate = self.rate().map_or(UNKNOWN_RATE, |rate| rate.bytes_per_second);
        self.channels.iter().map(|c| c.delay.map_or(0, |delay| delay.in_bytes(rate))).collect()
    }

    /// The network whose channels have no delays of their own.
    pub fn without_delays(&self) -> Network {
        if !self.has_delays() {
            return self.clone();
        }
        let channel = |c: &Channel| Channel { delay: None, ..*c };
        Network { channels: Arc::new(self.channels.iter().map(channel).collect()), ..self.clone() }
    }

    /// The network whose channels of capacity 1 carry this number of bytes a second.
    pub fn with_rate(&self, bytes_per_second: f64) -> Network {
        let rate = Rate { name: "".into(), bytes_per_second };
        Network { rate: Some(Arc::new(rate)), ..self.clone() }
    }

    /// The network whose channels without a delay have this one.
    pub fn with_delays(&self, delay: Delay) -> Network {
        let channel = |c: &Channel| Channel { delay: c.delay.or(Some(delay)), ..*c };
        let channels = Arc::new(self.channels.iter().map(channel).collect());
        Network { channels, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    #[test]
    fn delays_have_units() {
        let ns = |text: &str, unit| Delay::parse(text, unit).map(Delay::ns);
        for (text, number) in [
            ("5us", 5000),
            ("5 µs", 5000),
            ("200ns", 200),
            ("1.5ms", 1_500_000),
            ("0.1s", 100_000_000),
        ] {
            assert_eq!(ns(text, None), Some(number), "{text}");
        }
        assert_eq!((ns("3", Some("us")), ns("3", None)), (Some(3000), None));
        assert_eq!((ns("0", Some("ns")), ns("3ms", Some("ns"))), (Some(0), Some(3_000_000)));
        for text in ["", "us", "-1us", "NaNus", "5s", "5 cables", "1e99ms", "5kus"] {
            assert_eq!(ns(text, Some("us")), None, "{text}");
        }
        let told = [0, 999, 1500, 2_000_000].map(|ns| Delay::of_ns(ns).unwrap().to_string());
        assert_eq!(told, ["0ns", "999ns", "1.5us", "2ms"]);
        assert_eq!(Delay::of_ns(Delay::MOST + 1), None);
        assert_eq!(size_of::<Option<Delay>>(), 4);
    }

    #[test]
    fn delays_belong_to_links_directions_and_vertices() {
        let net = spec::parse("ring:4").unwrap();
        let of = |text: &str| Delays::parse(&net, text).unwrap();
        let all = of("2=1us").and(of("0-1=5us")).and(of("2:3=300ns")).applied(&net);
        let ns = |from: u32, to: u32| {
            let leads = |c: &&ChannelId| all.channel(**c).to == to;
            let c = *all.outgoing(from).iter().find(leads).unwrap();
            all.channel(c).delay.map(Delay::ns)
        };
        assert_eq!(
            [ns(0, 1), ns(1, 0), ns(2, 3), ns(3, 2)].map(|ns| ns.unwrap()),
            [5000, 5000, 300, 1000]
        );
        assert_eq!((ns(1, 2), ns(0, 3), net.has_delays()), (Some(1000), None, false));
        assert_eq!(
            all.with_delays(Delay::of_ns(7).unwrap()).delays_of(0).map(|d| d.is_some()),
            [true; 2]
        );
        for (text, part) in
            [("0-1", "LINK=5us"), ("0-1=far", "5us"), ("0-2=1us", "no link"), ("9=1us", "9")]
        {
            let why = Delays::parse(&net, text).unwrap_err().to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
