//! A schedule by ids, as engines make it.

use crate::network::ChannelId;
use crate::problem::MessageId;
use serde::{Deserialize, Serialize};

/// One message moves along channels within one step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Transfer {
    /// What is carried.
    pub message: MessageId,
    /// The path.
    pub channels: Vec<ChannelId>,
}

/// The transfers of every step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// By step, from 0.
    pub steps: Vec<Vec<Transfer>>,
}

impl Plan {
    /// A plan of `steps` empty steps.
    pub fn new(steps: u32) -> Self {
        Plan { steps: vec![Vec::new(); steps as usize] }
    }

    /// The schedule run backwards: steps and paths in opposite order. It is a schedule of the
    /// reversed network, where every message goes from its destination to its source.
    pub fn reversed(&self) -> Plan {
        let turned = |t: &Transfer| Transfer {
            message: t.message,
            channels: t.channels.iter().rev().copied().collect(),
        };
        let step = |step: &Vec<Transfer>| step.iter().map(turned).collect();
        Plan { steps: self.steps.iter().rev().map(step).collect() }
    }

    /// Channels used, summed over the steps.
    pub fn channel_steps(&self) -> usize {
        self.steps.iter().flatten().map(|t| t.channels.len()).sum()
    }

    /// Channels of the longest path.
    pub fn longest_path(&self) -> usize {
        self.steps.iter().flatten().map(|t| t.channels.len()).max().unwrap_or(0)
    }

    /// Smaller is better: fewer steps, then fewer channels used, then a shorter longest path
    /// (design: the goal).
    pub fn rank(&self) -> (usize, usize, usize) {
        (self.steps.len(), self.channel_steps(), self.longest_path())
    }

    /// Drops empty steps and sorts the transfers.
    pub fn tidy(&mut self) {
        self.steps.retain(|step| !step.is_empty());
        self.steps.iter_mut().for_each(|step| step.sort());
    }
}
