//! A schedule in numbers, for programs: steps, transfers, the use of every link.

use super::usage::Usage;
use ccsched_model::schedule::ScheduleFile;
use serde::Serialize;

/// The line of `show --json`. Its keys are a public interface.
#[derive(Debug, Serialize)]
pub struct Numbers<'f> {
    topology: &'f str,
    collective: String,
    steps: usize,
    /// Of messages with lengths, the bytes that pass one channel meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Whether transfers have starts; then there is one step.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timed: bool,
    transfers: usize,
    /// Channels that all transfers take together.
    channel_steps: usize,
    longest_path: usize,
    /// By step, the transfers in it.
    transfers_of_step: Vec<usize>,
    links: Vec<LinkNumbers<'f>>,
}

/// The use of a link.
#[derive(Debug, Serialize)]
struct LinkNumbers<'f> {
    from: &'f str,
    to: &'f str,
    /// Whether both directions share the link.
    half_duplex: bool,
    capacity: u32,
    /// The transfers over it, and the steps without one.
    load: u64,
    idle_steps: usize,
}

impl<'f> Numbers<'f> {
    /// Those of a schedule file.
    pub fn of(file: &'f ScheduleFile) -> Self {
        let all: Vec<usize> = (0..file.steps.len()).collect();
        let usage = Usage::of(file, &all);
        let transfers_of_step: Vec<usize> =
            all.iter().map(|&step| file.steps.places(step).len()).collect();
        let lengths = || file.steps.iter().flatten().map(|transfer| transfer.channels.len());
        let links = usage.links.iter().enumerate().map(|(id, link)| {
            let channel = &file.network.channels[link.channel];
            LinkNumbers {
                from: &channel.from,
                to: &channel.to,
                half_duplex: link.half_duplex,
                capacity: link.capacity,
                load: usage.load(id),
                idle_steps: all.len() - usage.of_link(id).len(),
            }
        });
        Numbers {
            topology: &file.network.name,
            collective: file.model.collective.to_string(),
            steps: all.len(),
            bytes: file.span(),
            timed: file.is_timed(),
            transfers: transfers_of_step.iter().sum(),
            channel_steps: match file.is_multicast() {
                true => file.channel_steps(),
                false => lengths().sum(),
            },
            longest_path: lengths().max().unwrap_or(0),
            links: links.collect(),
            transfers_of_step,
        }
    }
}
