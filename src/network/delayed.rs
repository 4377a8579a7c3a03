//! Networks whose channels have delays of their own: by an option, by the costs of a schedule in time.

use super::delay::{Delay, UNKNOWN_RATE};
use super::graph::{Channel, Network};
use super::{ChannelId, Rate, faults};
use ccsched_base::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

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
        let channels = faults::parse_links(net, link).map_err(|why| wrong(why.to_string()))?;
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

    /// By channel its delay in nanoseconds; those without one have that of all others, `tr`.
    pub fn delays_in_ns(&self, tr: u64) -> Vec<u64> {
        self.channels.iter().map(|c| c.delay.map_or(tr, Delay::ns)).collect()
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
        for (text, part) in [
            ("0-1", "LINK=5us"),
            ("0-1=far", "5us"),
            ("0-2=1us", "no channel leads from 0 to 2"),
            ("9=1us", "9"),
        ] {
            let why = Delays::parse(&net, text).unwrap_err().to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
