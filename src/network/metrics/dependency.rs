//! The dependencies of channels: a channel depends on the next one of each route over it. If they
//! have no cycle, wormhole switching with these routes has no deadlock, whatever is sent (Dally and
//! Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", 1987).

use crate::network::ChannelId;
use std::collections::HashSet;

/// A cycle of channels, each of which some route takes directly after the one before; none if there
/// is no cycle.
pub fn dependency_cycle<'r>(
    channels: usize,
    routes: impl IntoIterator<Item = &'r [ChannelId]>,
) -> Option<Vec<ChannelId>> {
    let pairs: HashSet<(ChannelId, ChannelId)> = routes
        .into_iter()
        .flat_map(|route| route.windows(2).map(|pair| (pair[0], pair[1])))
        .collect();
    let mut pairs: Vec<(ChannelId, ChannelId)> = pairs.into_iter().collect();
    pairs.sort_unstable();
    let mut before = vec![Vec::new(); channels];
    let mut after = vec![0usize; channels];
    for &(c, next) in &pairs {
        before[next as usize].push(c);
        after[c as usize] += 1;
    }
    // Channels without a next one are removed until each of the rest has one.
    let mut free: Vec<ChannelId> =
        (0..channels as ChannelId).filter(|&c| after[c as usize] == 0).collect();
    while let Some(c) = free.pop() {
        for &earlier in &before[c as usize] {
            after[earlier as usize] -= 1;
            if after[earlier as usize] == 0 {
                free.push(earlier);
            }
        }
    }
    let is_left = |c: ChannelId| after[c as usize] > 0;
    let next = |c: ChannelId| {
        let first = pairs.partition_point(|&(from, _)| from < c);
        let of_channel = pairs[first..].iter().take_while(|(from, _)| *from == c);
        of_channel.map(|&(_, to)| to).find(|&to| is_left(to))
    };
    let mut walk = vec![(0..channels as ChannelId).find(|&c| is_left(c))?];
    let mut place = vec![None; channels];
    loop {
        let c = walk[walk.len() - 1];
        if let Some(first) = place[c as usize].replace(walk.len() - 1) {
            walk.pop();
            return Some(walk.split_off(first));
        }
        walk.push(next(c)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_routes() {
        let cycle = |routes: &[&[ChannelId]]| dependency_cycle(6, routes.iter().copied());
        assert_eq!(cycle(&[]), None);
        assert_eq!(cycle(&[&[0, 1, 2], &[3, 1, 4]]), None);
        assert_eq!(cycle(&[&[5, 0, 1], &[1, 2], &[2, 0, 4], &[3]]), Some(vec![0, 1, 2]));
    }
}
