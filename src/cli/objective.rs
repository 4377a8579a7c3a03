//! What is to be the least: the steps, or the time of messages of different lengths.

use ccsched_base::{Error, Result};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::TimeModel;
use ccsched_network::{Delay, Network};
use ccsched_run::islands::{Form, check_sized};

/// What a schedule is to have the least of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Objective {
    /// Steps, whatever the lengths of messages.
    Steps,
    /// Time.
    Time,
}

/// The objective, and the form of a schedule of the least time.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Search")]
pub struct ObjectiveArgs {
    /// What is to be the least: steps, or the time of messages of different lengths [default: steps; in
    /// solve time, where lengths differ]
    #[arg(long, value_name = "WHAT")]
    pub minimize: Option<Objective>,
    /// The least time without steps: each transfer has a start, and holds its path for the length of its
    /// message
    #[arg(long)]
    pub timed: bool,
}

impl ObjectiveArgs {
    /// Whether the least time is asked for.
    ///
    /// # Errors
    /// The fewest steps are asked for too.
    pub fn asks_for_time(&self) -> Result<bool> {
        if self.timed && self.minimize == Some(Objective::Steps) {
            return Err(Error::field("timed", "it is for the least time: omit --minimize"));
        }
        Ok(self.timed || self.minimize == Some(Objective::Time))
    }

    /// The network for a schedule of the least time, whose delays count in bytes: with the rate of the model, so that
    /// its file tells it, and with tr for the channels without a delay. None if there are no delays to count.
    ///
    /// # Errors
    /// Bytes that take no time; a tr that is no delay.
    pub fn with_costs(&self, network: &Network, model: &TimeModel) -> Result<Option<Network>> {
        if !(network.has_delays() || self.timed && model.hop_us > 0.0) {
            return Ok(None);
        }
        if model.byte_ns <= 0.0 {
            let why = "0: delays count in bytes of the schedule, so a byte must take time";
            return Err(Error::field("t1", why));
        }
        let tr = Delay::of_ns((model.hop_us * 1e3).round() as u64).filter(|_| model.hop_us < 4e6);
        let tr = tr
            .ok_or_else(|| Error::field("tr", format!("{} us: {}", model.hop_us, Delay::hint())))?;
        let network = if model.hop_us > 0.0 { network.with_delays(tr) } else { network.clone() };
        let rate = 1e9 / model.byte_ns;
        let is_known = network.rate().is_some_and(|known| known.bytes_per_second == rate);
        Ok(Some(if is_known { network } else { network.with_rate(rate) }))
    }

    /// The form of a schedule of the least time.
    ///
    /// # Errors
    /// A problem of which no such schedules are made.
    pub fn form(&self, problem: &Problem, model: &TimeModel) -> Result<Form> {
        check_sized(problem)?;
        let startup = model.startup_us * 1e3 / model.byte_ns;
        Ok(match self.timed {
            true => Form::Timed,
            false => Form::Steps { startup: startup.clamp(0.0, 1e15).round() as u64 },
        })
    }
}
