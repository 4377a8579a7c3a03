//! Which channels carry transfers in which steps.

use ccsched_model::schedule::ScheduleFile;

/// A channel of which the file tells, or both channels of a half-duplex link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The first channel.
    pub channel: usize,
    pub half_duplex: bool,
    /// The transfers that it carries in one step.
    pub capacity: u32,
}

/// The uses of links, by link and then by step.
pub(super) struct Usage {
    pub links: Vec<Link>,
    /// By link, where its uses end in the next list.
    ends: Vec<usize>,
    /// Position among the chosen steps, and the transfers in it; ascending for a link.
    uses: Vec<(u32, u32)>,
}

impl Usage {
    /// The uses in these steps, from 0. Channels that the file does not have are left out. Memory
    /// grows with the paths, never with links times steps.
    pub fn of(file: &ScheduleFile, steps: &[usize]) -> Self {
        let channels = &file.network.channels;
        let mut links = Vec::new();
        let mut of_channel = vec![u32::MAX; channels.len()];
        for (id, c) in channels.iter().enumerate() {
            let partner = c.excludes.filter(|&other| other < id);
            of_channel[id] = match partner.filter(|&other| channels[other].excludes == Some(id)) {
                Some(other) => of_channel[other],
                None => {
                    let half_duplex = c.excludes.is_some();
                    links.push(Link { channel: id, half_duplex, capacity: c.capacity.max(1) });
                    links.len() as u32 - 1
                }
            };
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (place, &step) in (0u32..).zip(steps) {
            for (_, held) in file.held(step) {
                let known = |c: &&u32| (**c as usize) < channels.len();
                let path = held.iter().filter(known);
                pairs.extend(path.map(|&c| (of_channel[c as usize], place)));
            }
        }
        pairs.sort_unstable();
        let (mut ends, mut uses) = (Vec::with_capacity(links.len()), Vec::new());
        let mut left = pairs.as_slice();
        for link in 0..links.len() as u32 {
            let (own, rest) = left.split_at(left.partition_point(|p| p.0 == link));
            uses.extend(own.chunk_by(|a, b| a.1 == b.1).map(|same| (same[0].1, same.len() as u32)));
            ends.push(uses.len());
            left = rest;
        }
        Usage { links, ends, uses }
    }

    /// The steps in which a link carries transfers, and how many.
    pub fn of_link(&self, link: usize) -> &[(u32, u32)] {
        let start = link.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.uses[start..self.ends[link]]
    }

    /// The transfers of a link in all steps.
    pub fn load(&self, link: usize) -> u64 {
        self.of_link(link).iter().map(|&(_, count)| u64::from(count)).sum()
    }
}
