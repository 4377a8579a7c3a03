//! Weights of messages: urgent ones go first, then rare ones.

use super::flood::{Flood, Stage};
use super::settings::Settings;
use ccsched_base::rng::Rng;
use ccsched_network::VertexId;
use rand::RngExt;

/// Added to the keys of messages that are not urgent, so that urgent ones sort before them.
const URGENT: u32 = 1 << 30;
/// The key of one spare step, above all weights.
const STEP: u32 = 1 << 20;

impl Flood {
    /// Lists the messages that a vertex could take, with their weights.
    pub(super) fn weigh(&mut self, stage: &Stage<'_>, v: VertexId, rng: &mut Rng) {
        self.keys.clear();
        let Settings { holders, near, noise, spare, .. } = stage.settings;
        let left = stage.board.steps() - 1 - stage.step;
        let count = self.active.len();
        for word in 0..self.words {
            let mut bits = self.open[v as usize * self.words + word];
            while bits != 0 {
                let j = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let next_door = self.near[v as usize * count + j];
                let blur = (u64::from(rng.random::<u32>()) * u64::from(noise)) >> 32;
                let weight = holders * self.holders[j] + near * next_door + blur as u32;
                // What a vertex only passes on waits for what it must receive.
                let is_relayed = stage.board.is_for_some() && !stage.board.wants(self.active[j], v);
                let mut key = URGENT + weight + u32::from(is_relayed) * STEP;
                if let Some(spare) = spare
                    && let Some(height) = stage.heights.get(self.active[j], v)
                    && left >= height
                    && left - height <= spare
                {
                    key = (left - height) * STEP + weight.min(STEP - 1);
                }
                self.keys.push(u64::from(key) << 32 | j as u64);
            }
        }
    }
}
