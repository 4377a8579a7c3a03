//! The options of the modelled time: start-up, routing and transfer times, length of messages; and of
//! the energy.

use super::{numbers, sizes};
use ccsched_model::schedule::TimeModel;
use ccsched_network::Rate;

/// What a step costs: t0 + tr x longest path + t1 x longest message.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Modelled time")]
pub struct StepArgs {
    /// The modelled time of a step, t0 + tr x longest path + t1 x longest message, with commas between: t0=US
    /// (start-up, 1), tr=US (each channel of the longest path, 0), t1=NS (a byte of the longest message; that
    /// of the network's speeds, else 0.5) or rate=100Gbit/s|12.5GB/s (the same as a throughput of a link of
    /// capacity 1); hop-energy=PJ (a bit on a channel, where energy is told)
    // Its words are options below, which the parser of words puts in its place.
    #[arg(long, value_name = "WORD=VALUE,..")]
    pub cost: Option<String>,
    /// Start-up time of a step in microseconds [default: 1]
    #[arg(long, value_name = "US", value_parser = numbers::not_negative)]
    pub t0: Option<f64>,
    /// Routing delay in microseconds for every channel of the longest path of a step [default: 0]
    #[arg(long, value_name = "US", value_parser = numbers::not_negative)]
    pub tr: Option<f64>,
    /// Transfer time in nanoseconds for every byte of the longest message of a step, on a link of
    /// capacity 1 [default: that of the network's speeds if they are known, else 0.5]
    #[arg(long, value_name = "NS", value_parser = numbers::not_negative)]
    pub t1: Option<f64>,
    /// The same as a throughput of a link of capacity 1: MB/s (10^6 bytes), or with a unit, 100Gbit/s,
    /// 12.5GB/s
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, conflicts_with = "t1")]
    pub link_rate: Option<f64>,
}

impl StepArgs {
    /// The model of a network of this rate, with the default where an option is not given.
    pub fn model(&self, rate: Option<&Rate>) -> TimeModel {
        let default = TimeModel::at(rate);
        TimeModel {
            startup_us: self.t0.unwrap_or(default.startup_us),
            hop_us: self.tr.unwrap_or(default.hop_us),
            byte_ns: self.byte_ns().unwrap_or(default.byte_ns),
            ..default
        }
    }

    /// The transfer time, if it is given.
    pub fn byte_ns(&self) -> Option<f64> {
        self.t1.or(self.link_rate.map(|rate| 1e3 / rate))
    }

    /// Whether any of the options is given.
    pub fn is_given(&self) -> bool {
        self.t0.or(self.tr).or(self.byte_ns()).is_some()
    }
}

/// What a schedule costs.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Modelled time")]
pub struct TimeArgs {
    /// Steps.
    #[command(flatten)]
    pub step: StepArgs,
    /// Length of messages, where the traffic gives none: 1000, 64K, 1M; K is 1024 [default: 1024]
    #[arg(long, value_name = "N", value_parser = sizes::size)]
    pub bytes: Option<u64>,
    /// Energy of a bit on a channel in picojoules; with it the energy of the schedule is told
    #[arg(long, value_name = "PJ", value_parser = numbers::not_negative)]
    pub e_hop: Option<f64>,
}

impl TimeArgs {
    /// The model of a network of this rate, with the default where an option is not given.
    pub fn model(&self, rate: Option<&Rate>) -> TimeModel {
        let default = self.step.model(rate);
        TimeModel {
            message_bytes: self.bytes.unwrap_or(default.message_bytes),
            bit_pj: self.e_hop,
            ..default
        }
    }

    /// Whether any of the options is given.
    pub fn is_given(&self) -> bool {
        self.step.is_given() || self.bytes.is_some() || self.e_hop.is_some()
    }
}

/// What is told beside the time if one of the options is given.
pub fn arrival(mean_us: f64, energy_nj: Option<f64>) -> String {
    let energy = energy_nj.map_or(String::new(), |energy| format!("; {energy:.3} nJ"));
    format!("messages have arrived after {mean_us:.3} us on average{energy}")
}
