//! The time that a schedule takes on a machine with given start-up and channel times.

use super::{Plan, Step, TransferRef};
use crate::problem::DEFAULT_BYTES;

/// What a step costs: t0 + tr x longest path + t1 x message length (umda-diameter-degree-networks,
/// section 5, equation 4, with the routing delay of section 2 of hgsa-store-and-forward).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeModel {
    /// t0, microseconds a step.
    pub startup_us: f64,
    /// tr, microseconds a channel.
    pub hop_us: f64,
    /// t1, nanoseconds a byte.
    pub byte_ns: f64,
    /// Length of messages without a length of their own.
    pub message_bytes: u64,
}

impl Default for TimeModel {
    fn default() -> Self {
        TimeModel { startup_us: 1.0, hop_us: 0.0, byte_ns: 0.5, message_bytes: DEFAULT_BYTES }
    }
}

impl TimeModel {
    /// Microseconds of a step with a longest path of so many channels and a longest message of so many
    /// bytes, by default that of messages without a length.
    pub fn step_us(&self, longest_path: usize, bytes: Option<u64>) -> f64 {
        let bytes = bytes.unwrap_or(self.message_bytes) as f64;
        self.startup_us + self.hop_us * longest_path as f64 + self.byte_ns * 1e-3 * bytes
    }
}

impl Plan {
    /// Modelled time of the whole schedule in microseconds; see [`TimeModel`]. `lengths` gives the
    /// length of every message if they differ.
    pub fn time_us(&self, model: &TimeModel, lengths: Option<&[u64]>) -> f64 {
        let own = |t: TransferRef<'_>| lengths?.get(t.message as usize).copied();
        let bytes = |t: TransferRef<'_>| own(t).unwrap_or(model.message_bytes);
        let step = |transfers: &Step| {
            let longest = transfers.iter().map(|t| t.channels.len()).max().unwrap_or(0);
            model.step_us(longest, Some(transfers.iter().map(bytes).max().unwrap_or(0)))
        };
        self.steps().map(step).sum()
    }
}
