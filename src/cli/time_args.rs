//! The options of the modelled time: start-up, routing and transfer times, length of messages.

use super::numbers;
use crate::schedule::TimeModel;

/// What a step costs: t0 + tr x longest path + t1 x longest message.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Modelled time")]
pub struct TimeArgs {
    /// Start-up time of a step in microseconds [default: 1]
    #[arg(long, value_name = "US", value_parser = numbers::not_negative)]
    pub t0: Option<f64>,
    /// Routing delay in microseconds for every channel of the longest path of a step [default: 0]
    #[arg(long, value_name = "US", value_parser = numbers::not_negative)]
    pub tr: Option<f64>,
    /// Transfer time in nanoseconds for every byte of the longest message of a step [default: 0.5]
    #[arg(long, value_name = "NS", value_parser = numbers::not_negative)]
    pub t1: Option<f64>,
    /// Length of messages in bytes, where the traffic gives none [default: 1024]
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>)]
    pub bytes: Option<u64>,
}

impl TimeArgs {
    /// The model, with the default where an option is not given.
    pub fn model(&self) -> TimeModel {
        let default = TimeModel::default();
        TimeModel {
            startup_us: self.t0.unwrap_or(default.startup_us),
            hop_us: self.tr.unwrap_or(default.hop_us),
            byte_ns: self.t1.unwrap_or(default.byte_ns),
            message_bytes: self.bytes.unwrap_or(default.message_bytes),
        }
    }

    /// Whether any of the options is given.
    pub fn is_given(&self) -> bool {
        self.t0.or(self.tr).or(self.t1).is_some() || self.bytes.is_some()
    }
}
