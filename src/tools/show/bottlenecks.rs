//! The bottlenecks of a liquid schedule (liquid-schedules, figure 7): for each channel, the step
//! from which on it is full in every remaining step. Every time frame uses all bottlenecks so far.

use super::text::wrap;
use ccsched_model::schedule::ScheduleFile;

/// A line for every step with new bottlenecks; empty if the schedule is not liquid or its routes
/// are not fixed.
pub(super) fn print(file: &ScheduleFile, width: usize) -> String {
    if file.model.routing != "static" || file.model.switching != "wormhole" {
        return String::new();
    }
    let channels = file.network.channels.len();
    let mut transfers = vec![vec![0; channels]; file.steps.len()];
    for (step, transfers) in file.steps.iter().zip(&mut transfers) {
        for c in step.flat_map(|t| t.channels).map(|&c| c as usize).filter(|&c| c < channels) {
            transfers[c] += 1;
        }
    }
    // The step after the last one in which the channel has spare capacity.
    let since = |c: usize| {
        let is_idle = |step: &Vec<u32>| step[c] < file.network.channels[c].capacity;
        transfers.iter().rposition(is_idle).map_or(0, |idle| idle + 1)
    };
    let since: Vec<usize> = (0..channels).map(since).collect();
    if !since.contains(&0) {
        return String::new();
    }
    let mut out = String::from("\nstep  new bottlenecks (busy from this step to the end)\n");
    for step in 0..file.steps.len() {
        let new = file.network.channels.iter().zip(&since).filter(|(_, s)| **s == step);
        let names: Vec<String> = new.map(|(c, _)| format!("{}-{}", c.from, c.to)).collect();
        if !names.is_empty() {
            out += &format!("{:>4}  {}\n", step + 1, wrap(&names, 6, width));
        }
    }
    out
}
