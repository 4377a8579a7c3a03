//! How long a schedule takes on a machine with given start-up and channel times.

use super::{Plan, Transfer};

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
    /// Length of every message.
    pub message_bytes: u64,
}

impl Default for TimeModel {
    fn default() -> Self {
        TimeModel { startup_us: 1.0, hop_us: 0.0, byte_ns: 0.5, message_bytes: 1024 }
    }
}

impl Plan {
    /// Modelled time of the whole schedule in microseconds; see [`TimeModel`].
    pub fn time_us(&self, model: &TimeModel) -> f64 {
        let step = |transfers: &Vec<Transfer>| {
            let longest = transfers.iter().map(|t| t.channels.len()).max().unwrap_or(0);
            model.startup_us
                + model.hop_us * longest as f64
                + model.byte_ns * 1e-3 * model.message_bytes as f64
        };
        self.steps.iter().map(step).sum()
    }
}
