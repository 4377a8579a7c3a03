//! Links at a part of their speed: a card that has lost a lane, a cable that trains at half its rate. Widths
//! are whole numbers, so all others become wider, and what width 1 stands for becomes less.

use super::graph::{Channel, Network};
use super::rate::Rate;
use super::unbroken::Past;
use super::{ChannelId, faults};
use ccsched_base::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most by which widths grow.
const MOST: u64 = 1000;

/// Links that are slow, each with its part of the speed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slow(Vec<(ChannelId, (u64, u64))>);

impl Slow {
    /// Reads `A-B=1/2`, or `A:B=0.5` for the one direction; a vertex stands for all of its links.
    ///
    /// # Errors
    /// Unknown links, parts that are not above 0 and below 1.
    pub fn parse(net: &Network, text: &str) -> Result<Self> {
        let wrong = |why: String| Error::field("slow", format!("{text}: {why}"));
        let Some((link, part)) = text.rsplit_once('=') else {
            return Err(wrong("write LINK=1/2".into()));
        };
        let part = fraction(part).ok_or_else(|| {
            wrong(format!("'{part}' is no part above 0 and below 1, such as 1/2, 0.5 or 50%"))
        })?;
        let channels = faults::parse_links(net, link).map_err(|why| wrong(why.to_string()))?;
        Ok(Slow(channels.into_iter().map(|c| (c, part)).collect()))
    }

    /// Those of both; of a link in both the slower part.
    pub fn and(self, other: Self) -> Self {
        let mut all: BTreeMap<ChannelId, (u64, u64)> = BTreeMap::new();
        for (channel, (a, b)) in self.0.into_iter().chain(other.0) {
            let its = all.entry(channel).or_insert((a, b));
            if a * its.1 < its.0 * b {
                *its = (a, b);
            }
        }
        Slow(all.into_iter().collect())
    }

    /// The network with these links, and by how much its widths have grown. `unknown` are the bytes that width
    /// 1 carries in a second where the network does not say it.
    ///
    /// # Errors
    /// Widths would grow too much.
    pub fn applied(&self, net: &Network, unknown: f64) -> Result<(Network, u32)> {
        let width = |c: ChannelId| u64::from(net.channel(c).capacity);
        let is_whole =
            |by: &u64| self.0.iter().all(|&(c, (a, b))| (width(c) * by * a).is_multiple_of(b));
        let by = (1..=MOST).find(is_whole).ok_or_else(|| {
            let why = format!(
                "these parts need widths more than {MOST} times as large; name rounder ones"
            );
            Error::field("slow", why)
        })?;
        let slow: BTreeMap<ChannelId, (u64, u64)> = self.0.iter().copied().collect();
        let part = |id| slow.get(&id).copied().unwrap_or((1, 1));
        let name = format!("{} with slow links", net.name).into();
        Ok((Network { name, ..net.with_widths(by as u32, part, unknown)? }, by as u32))
    }
}

/// A part: `1/2`, `0.5`, `50%`.
fn fraction(text: &str) -> Option<(u64, u64)> {
    let (a, b) = match (text.split_once('/'), text.strip_suffix('%')) {
        (Some((a, b)), _) => (a.trim().parse().ok()?, b.trim().parse().ok()?),
        (None, percent) => {
            let share: f64 = percent.unwrap_or(text).trim().parse().ok()?;
            let share = if percent.is_some() { share / 100.0 } else { share };
            ((share * 10_000.0).round() as u64, 10_000)
        }
    };
    let divisor = (1..=b).rev().find(|d| a % d == 0 && b % d == 0)?;
    (a > 0 && a < b && b <= 10_000).then_some((a / divisor, b / divisor))
}

impl Network {
    /// The network whose channels are wider by this factor; each unit of width carries less, of `unknown` bytes a
    /// second where the network has no rate.
    ///
    /// # Errors
    /// Widths beyond those of a network.
    pub fn widened(&self, by: u32, unknown: f64) -> Result<Network> {
        self.with_widths(by, |_| (1, 1), unknown)
    }

    /// The same, where each channel has a part of its width then.
    fn with_widths(
        &self,
        by: u32,
        part: impl Fn(ChannelId) -> (u64, u64),
        unknown: f64,
    ) -> Result<Network> {
        let large = || Error::field("slow", "widths would be too large; name rounder parts");
        let wide = |(id, c): (ChannelId, &Channel)| {
            let (a, b) = part(id);
            let capacity = u64::from(c.capacity.checked_mul(by)?) * a / b;
            Some(Channel { capacity: capacity as u32, ..*c })
        };
        let channels: Option<Vec<Channel>> = (0..).zip(self.channels.iter()).map(wide).collect();
        let channels = channels.ok_or_else(large)?;
        let capacity = Network::sums(self.vertices.len(), &channels).map_err(|_| large())?;
        let (name, whole) = match self.rate.as_deref() {
            Some(rate) => (&*rate.name, rate.bytes_per_second),
            None => ("", unknown),
        };
        let rate = (by > 1).then(|| Rate {
            name: format!("1/{by} {name}").trim().into(),
            bytes_per_second: whole / f64::from(by),
        });
        let rate = rate.map(Arc::new).or(self.rate.clone());
        let (channels, past) = (Arc::new(channels), Past::default());
        Ok(Network { channels, capacity, rate, past, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    #[test]
    fn slow_links_keep_their_share() {
        let net = spec::parse("ring:4").unwrap();
        let slow = Slow::parse(&net, "0-1=2/3").unwrap();
        let (slow, by) = slow.applied(&net, 2e9).unwrap();
        assert_eq!(by, 3);
        let mut widths: Vec<u32> = slow.channels().iter().map(|c| c.capacity).collect();
        widths.sort_unstable();
        assert_eq!(widths, [2, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(slow.capacity_out(0), 5);
        assert_eq!(slow.rate().unwrap().bytes_per_second, 2e9 / 3.0);
        let one = Slow::parse(&net, "2=50%").unwrap().and(Slow::parse(&net, "2:3=1/4").unwrap());
        let (one, by) = one.applied(&net, 2e9).unwrap();
        assert_eq!((by, one.capacity_out(2), one.capacity_into(2)), (4, 3, 4));
        for (text, part) in [
            ("0-1", "LINK=1/2"),
            ("0-1=2", "no part"),
            ("0-2=1/2", "no channel"),
            ("0-1=0/3", "no part"),
            ("9=1/2", "9"),
        ] {
            let why = Slow::parse(&net, text).unwrap_err().to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
