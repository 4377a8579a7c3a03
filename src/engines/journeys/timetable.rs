//! The steps in which channels are free, with store-and-forward switching.

use crate::ground::free_steps::FreeSteps;
use ccsched_model::problem::Problem;
use ccsched_network::ChannelId;

/// Channels at a port that are told when it is taken, at most.
const FEW: usize = 8;

/// The free steps of all links and ports, as rows of bits.
///
/// Where a vertex has few channels, each channel has one row, of the steps in which its link and
/// the ports at its ends are free together: a message at a port closes its step for all channels
/// there. Otherwise each link and each port has a row.
#[derive(Clone, Debug)]
pub struct Timetable {
    free: FreeSteps,
    /// By channel, the rows in which its steps are free together.
    open: Lists,
    /// By channel, the rows that close in a step in which a message crosses it.
    closed: Lists,
}

impl Timetable {
    /// All steps are free.
    pub fn new(problem: &Problem) -> Self {
        let resources = problem.resources();
        let channels = 0..problem.network().channels().len() as ChannelId;
        let of = |c: ChannelId| {
            let (link, ports) = resources.of_hop(problem.network(), problem.switching(), c);
            std::iter::once(link).chain(ports.into_iter().flatten())
        };
        let own = Lists::from(channels.clone().map(|c| of(c).collect()));
        let mut users = vec![Vec::new(); resources.capacities().len()];
        channels.clone().for_each(|c| of(c).for_each(|r| users[r as usize].push(c)));
        let is_simple = resources.capacities().iter().all(|&capacity| capacity == 1);
        if !resources.have_ports() || !is_simple || users.iter().any(|users| users.len() > FEW) {
            return Timetable { free: FreeSteps::new(resources), open: own.clone(), closed: own };
        }
        let beside = channels.clone().map(|c| {
            let mut all: Vec<u32> = of(c).flat_map(|r| users[r as usize].iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        });
        let free = FreeSteps::of_capacities(vec![1; channels.len()]);
        Timetable {
            free,
            open: Lists::from(channels.clone().map(|c| vec![c])),
            closed: Lists::from(beside),
        }
    }

    /// The first step, from `from` on, in which a channel and the ports at its ends are free.
    #[inline]
    pub fn next(&self, c: ChannelId, from: u32) -> u32 {
        match *self.open.of(c) {
            [row] => self.free.earliest([row], from),
            [link, port] => self.free.earliest([link, port], from),
            [link, send, receive] => self.free.earliest([link, send, receive], from),
            _ => unreachable!("a channel is a link between two ends"),
        }
    }

    /// The earliest journey along a path: its channels, each with its step.
    pub fn earliest<'a>(
        &'a self,
        path: &'a [ChannelId],
    ) -> impl Iterator<Item = (ChannelId, u32)> + 'a {
        let mut from = 0;
        path.iter().map(move |&c| {
            let step = self.next(c, from);
            from = step + 1;
            (c, step)
        })
    }

    /// A message crosses a channel in a step.
    #[inline]
    pub fn take(&mut self, c: ChannelId, step: u32) {
        self.closed.of(c).iter().for_each(|&row| self.free.take(row, step));
    }
}

/// Rows by channel, in flat arrays.
#[derive(Clone, Debug)]
struct Lists {
    rows: Vec<u32>,
    /// By channel, the first of its rows; then the end of the last.
    starts: Vec<u32>,
}

impl Lists {
    fn from(lists: impl Iterator<Item = Vec<u32>>) -> Self {
        let (mut rows, mut starts) = (Vec::new(), vec![0]);
        for list in lists {
            rows.extend(list);
            starts.push(rows.len() as u32);
        }
        Lists { rows, starts }
    }

    #[inline]
    fn of(&self, c: ChannelId) -> &[u32] {
        let [start, end] = [c, c + 1].map(|c| self.starts[c as usize] as usize);
        &self.rows[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Ports, Request, Switching};
    use ccsched_network::spec;
    use rand::RngExt;

    /// In a random order of hops, the next step is that of a plain search through all hops so far.
    #[test]
    fn a_step_is_free_if_no_hop_takes_a_link_or_a_port() {
        for (topology, ports) in [
            ("kautz:2,3", 1),
            ("mesh:4x4", 1),
            ("mesh:4x4", 2),
            ("complete:12", 1),
            ("ring:6,half", 1),
            ("torus:4x4,width=2", 1),
        ] {
            let (switching, ports) = (Switching::StoreAndForward, Ports(Some(ports)));
            let request = Request { switching, ports, ..Request::new(Collective::Aas) };
            let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
            let resources = problem.resources();
            let mut table = Timetable::new(&problem);
            let mut used = vec![vec![0; 400]; resources.capacities().len()];
            let rng = &mut rng_of(3, 0, 0);
            for _ in 0..300 {
                let c = rng.random_range(0..problem.network().channels().len() as u32);
                let from = rng.random_range(0..40);
                let (link, ports) = resources.of_hop(problem.network(), switching, c);
                let own: Vec<u32> =
                    [Some(link), ports[0], ports[1]].into_iter().flatten().collect();
                let is_free = |step: &u32| {
                    own.iter().all(|&r| used[r as usize][*step as usize] < resources.capacity(r))
                };
                let step = (from..).find(is_free).unwrap();
                assert_eq!(table.next(c, from), step, "{topology}");
                table.take(c, step);
                own.iter().for_each(|&r| used[r as usize][step as usize] += 1);
            }
        }
    }
}
