//! The time that a schedule takes on a machine with given start-up and channel times. A channel of
//! capacity c carries c messages in a step at once, each as fast as a channel of capacity 1 carries
//! one; so a step does not get shorter by wide channels, but a schedule has fewer of them. Where channels have
//! delays of their own, the longest path of a step is that of the largest sum of delays, and tr is the delay of
//! the other channels.

use super::file::Ports;
use super::{Plan, ScheduleFile, Step};
use crate::problem::{DEFAULT_BYTES, MessageId};
use ccsched_network::{ChannelId, Delay, Network, Rate};
use serde::Serialize;
use std::collections::HashMap;

/// What a step costs: t0 + tr x longest path + t1 x message length (umda-diameter-degree-networks,
/// section 5, equation 4, with the routing delay of section 2 of hgsa-store-and-forward).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeModel {
    /// t0, microseconds a step.
    pub startup_us: f64,
    /// tr, microseconds a channel without a delay of its own.
    pub hop_us: f64,
    /// t1, nanoseconds a byte on a channel of capacity 1.
    pub byte_ns: f64,
    /// Length of messages without a length of their own.
    pub message_bytes: u64,
    /// Energy of a bit on a channel in picojoules, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bit_pj: Option<f64>,
}

impl Default for TimeModel {
    fn default() -> Self {
        TimeModel {
            startup_us: 1.0,
            hop_us: 0.0,
            byte_ns: 0.5,
            message_bytes: DEFAULT_BYTES,
            bit_pj: None,
        }
    }
}

impl TimeModel {
    /// The default, with the transfer time of a machine whose rate is known.
    pub fn at(rate: Option<&Rate>) -> Self {
        let default = TimeModel::default();
        TimeModel { byte_ns: rate.map_or(default.byte_ns, Rate::byte_ns), ..default }
    }

    /// The model of messages in equal pieces, with the length of a piece.
    pub fn of_pieces(self, pieces: u32) -> TimeModel {
        TimeModel { message_bytes: self.message_bytes.div_ceil(u64::from(pieces.max(1))), ..self }
    }

    /// Microseconds of a step with a longest path of these channels and a longest message of these
    /// bytes, by default that of messages without a length.
    pub fn step_us(&self, longest_path: usize, bytes: Option<u64>) -> f64 {
        self.step_along_us(self.hop_us * longest_path as f64, bytes)
    }

    /// The same with the microseconds that a head takes along the longest path.
    pub fn step_along_us(&self, path_us: f64, bytes: Option<u64>) -> f64 {
        let bytes = bytes.unwrap_or(self.message_bytes) as f64;
        self.startup_us + path_us + self.byte_ns * 1e-3 * bytes
    }

    /// Microseconds that the head of a message takes along channels with these delays, in nanoseconds.
    pub fn path_us(&self, delays_ns: impl Iterator<Item = Option<u64>>) -> f64 {
        let (mut unsaid, mut ns) = (0u64, 0u64);
        for delay in delays_ns {
            match delay {
                Some(delay) => ns += delay,
                None => unsaid += 1,
            }
        }
        self.hop_us * unsaid as f64 + ns as f64 * 1e-3
    }

    /// The microseconds that every step takes at least beside its start-up and its bytes: those of the quickest
    /// channel.
    pub fn least_hop_us(&self, network: &Network) -> f64 {
        let us = |delay: Option<Delay>| delay.map_or(self.hop_us, Delay::us);
        let least = network.channels().iter().map(|c| us(c.delay)).reduce(f64::min);
        least.unwrap_or(0.0)
    }
}

impl Plan {
    /// Modelled time of the whole schedule on its network in microseconds; see [`TimeModel`]. `lengths` gives
    /// the length of every message if they differ.
    pub fn time_us(&self, net: &Network, model: &TimeModel, lengths: Option<&[u64]>) -> f64 {
        self.steps_us(net, model, lengths).iter().sum()
    }

    /// The time of each step.
    pub(super) fn steps_us(
        &self,
        net: &Network,
        model: &TimeModel,
        lengths: Option<&[u64]>,
    ) -> Vec<f64> {
        let has_delays = net.has_delays();
        let along = |channels: &[ChannelId]| {
            model.path_us(channels.iter().map(|&c| net.channel(c).delay.map(Delay::ns)))
        };
        let longest_us = |transfers: &Step| match has_delays {
            true => transfers.into_iter().map(|t| along(t.channels)).fold(0.0, f64::max),
            false => model.hop_us * transfers.longest_path() as f64,
        };
        let own = |message: MessageId| lengths?.get(message as usize).copied();
        let bytes = |&message: &MessageId| own(message).unwrap_or(model.message_bytes);
        let step = |transfers: &Step| {
            let longest = match lengths {
                Some(_) => transfers.messages().iter().map(bytes).max().unwrap_or(0),
                None if transfers.is_empty() => 0,
                None => model.message_bytes,
            };
            model.step_along_us(longest_us(transfers), Some(longest))
        };
        self.steps().map(step).collect()
    }
}

impl ScheduleFile {
    /// The same of a schedule file, whose transfers say how long their messages are if lengths differ.
    /// Of the rounds of a step, which follow each other without a wait, the first alone takes the start-up time
    /// and that of the longest path of all of them.
    pub fn time_us(&self, model: &TimeModel) -> f64 {
        self.steps_us(model).iter().sum()
    }

    /// The most transfers that one port starts, or ends, one after the other: a timed schedule takes their
    /// start-up times beside its bytes.
    pub fn startups(&self) -> u64 {
        let mut carried: HashMap<(&str, usize), u64> = HashMap::new();
        for c in &self.network.channels {
            *carried.entry((&c.from, 0)).or_default() += u64::from(c.capacity);
            *carried.entry((&c.to, 1)).or_default() += u64::from(c.capacity);
        }
        let mut ends: HashMap<(&str, usize), u64> = HashMap::new();
        for t in self.steps.iter().flatten() {
            *ends.entry((t.from, 0)).or_default() += 1;
            *ends.entry((t.to, 1)).or_default() += 1;
        }
        let ports = |end| {
            let carried = carried.get(&end).copied().unwrap_or(1);
            let ports = if let Ports::Count(k) = self.model.ports { k.into() } else { carried };
            ports.min(carried).max(1)
        };
        ends.into_iter().map(|(end, number)| number.div_ceil(ports(end))).max().unwrap_or(0)
    }

    /// The time of each step; of a timed schedule, that of all.
    pub(super) fn steps_us(&self, model: &TimeModel) -> Vec<f64> {
        if self.is_timed() {
            let startups = model.startup_us * self.startups() as f64;
            return vec![startups + model.byte_ns * 1e-3 * self.span().unwrap_or(0) as f64];
        }
        let model = model.of_pieces(self.model.pieces.unwrap_or(1));
        let bytes = |t: usize| self.steps.entry(t).bytes.unwrap_or(model.message_bytes);
        let longest = |round| self.steps.places(round).map(bytes).max().unwrap_or(0);
        let along = |t: usize| self.path_us(&model, t);
        let in_step = TimeModel { startup_us: 0.0, ..model };
        let begins = self.beginnings();
        let mut paths_us = vec![0.0; begins.len()];
        let mut first = 0;
        for (round, &begins) in begins.iter().enumerate() {
            first = if begins { round } else { first };
            paths_us[first] = self.steps.places(round).map(along).fold(paths_us[first], f64::max);
        }
        let of_round = |round: usize| match begins[round] {
            true => model.step_along_us(paths_us[round], Some(longest(round))),
            false => in_step.step_along_us(0.0, Some(longest(round))),
        };
        (0..begins.len()).map(of_round).collect()
    }

    /// Microseconds that the head of a message takes along the path of a transfer.
    fn path_us(&self, model: &TimeModel, t: usize) -> f64 {
        let channels = &self.network.channels;
        let delay = |&c: &u32| channels.get(c as usize).and_then(|c| c.delay_ns);
        model.path_us(self.steps.path(t).iter().map(delay))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Collective, Pair, Request};
    use crate::schedule::file::Provenance;
    use ccsched_network::spec;

    #[test]
    fn a_plan_and_its_file_take_the_same_time() {
        let pair = |source: &str, destination: &str, bytes| Pair {
            source: source.into(),
            destination: destination.into(),
            bytes,
            count: 1,
        };
        let pairs = Some(vec![pair("0", "1", Some(4000)), pair("0", "2", None)]);
        let request = Request { pairs, ..Request::new(Collective::Traffic) };
        let problem = request.pose(spec::parse("ring:4").unwrap(), vec![]).unwrap();
        let [first, second] = [(0, 1), (1, 2)].map(|(from, to)| {
            let leads = |c: &u32| problem.network().channel(*c).to == to;
            problem.network().outgoing(from).iter().copied().find(leads).unwrap()
        });
        let mut plan = Plan::default();
        plan.push(0, 0, [first]);
        plan.push(1, 1, [first, second]);
        let model = TimeModel {
            startup_us: 2.0,
            hop_us: 0.5,
            byte_ns: 1.0,
            message_bytes: 1000,
            bit_pj: None,
        };
        let expected = (2.0 + 0.5 + 4.0) + (2.0 + 1.0 + 1.0);
        let lengths = problem.lengths();
        // A traffic with lengths gives every message one; the default is that of the traffic.
        let own = |bytes: u64| (bytes as f64 - 1000.0) * 1e-3;
        let expected = expected + lengths.map_or(0.0, |l| own(l[1]));
        assert!((plan.time_us(problem.network(), &model, lengths) - expected).abs() < 1e-9);
        let file = plan.record(&problem, &[], Provenance::default());
        assert!((file.time_us(&model) - expected).abs() < 1e-9);
        let default = TimeModel::default();
        assert!((default.step_us(9, None) - 1.512).abs() < 1e-9);
    }
}
