//! Schedules of few steps with several rounds each, with store-and-forward switching: in a step of r
//! rounds a channel carries r times its capacity, and what arrives is sent on in later steps.
//!
//! Guided ejection on a partial schedule: a waiting message takes the cheapest way, or tree, through
//! channels and steps; a full channel costs the least weight of a message there. Messages in its way
//! wait instead, and its own weight rises. Broadcasts to all vertices are matched first (matched.rs).

mod matched;
mod ways;

use super::joined;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Joining, MessageId, Problem};
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use rand::RngExt;
use ways::Ways;

/// Attempts to match broadcasts.
const MOST_MATCHED: usize = 100;
/// Placements between two looks at the time.
const LOOKED: usize = 256;

/// A step, and the channel that a message takes in it.
type Use = (u32, u32);

/// The messages that are on the way, and their uses of channels.
struct Board<'p> {
    problem: &'p Problem,
    /// By step, the rounds.
    rounds: &'p [u32],
    links: usize,
    /// By step, then link: the messages that take it.
    users: Vec<Vec<MessageId>>,
    /// By message.
    uses: Vec<Vec<Use>>,
    weights: Vec<u32>,
}

/// Whether a problem can be searched: no ports and no fixed routes restrict a vertex that stores.
pub fn applies(problem: &Problem) -> bool {
    problem.switching().stores()
        && !problem.resources().have_ports()
        && !problem.has_fixed_routes()
        && !problem.collective().is_all_reduce()
        && problem.collective().joining() != Joining::Signal
        && problem.groups().is_none()
}

/// A schedule with these rounds in its steps, one entry of the plan a round; none if none is found with
/// `effort` placements a message, or before it is over.
pub fn search(
    problem: &Problem,
    rounds: &[u32],
    effort: usize,
    is_over: &dyn Fn() -> bool,
    rng: &mut Rng,
) -> Option<Plan> {
    if problem.collective().joins() {
        return joined::in_rounds(problem, rounds, effort, is_over, rng);
    }
    if matched::applies(problem) {
        let matched = matched::search(problem, rounds, effort.min(MOST_MATCHED), is_over, rng);
        if matched.is_some() {
            return matched;
        }
    }
    let messages = problem.messages();
    let links = problem.resources().links();
    let mut board = Board {
        problem,
        rounds,
        links,
        users: vec![Vec::new(); links * rounds.len()],
        uses: vec![Vec::new(); messages],
        weights: vec![1; messages],
    };
    let mut ways = Ways::of(problem, rounds.len());
    let mut waiting: Vec<MessageId> = (0..messages as MessageId).collect();
    for placed in 0..effort.saturating_mul(messages) {
        if waiting.is_empty() || placed % LOOKED == 0 && is_over() {
            break;
        }
        let message = waiting.swap_remove(rng.random_range(0..waiting.len()));
        let price = |step: usize, c: u32| board.price(step, c);
        // Without a way in this number of steps there is none at all.
        if !ways.find(problem, message, price, rng) {
            return None;
        }
        board.place(message, ways.uses(), &mut waiting);
    }
    waiting.is_empty().then(|| board.plan())
}

impl Board<'_> {
    fn cell(&self, step: usize, c: u32) -> usize {
        step * self.links + self.problem.resources().of_channel(c) as usize
    }

    /// Transfers that a link carries in a step.
    fn capacity(&self, step: usize, c: u32) -> usize {
        let resources = self.problem.resources();
        (resources.capacity(resources.of_channel(c)) * self.rounds[step]) as usize
    }

    /// What a transfer costs: nothing where there is room, else the least weight of those in its way.
    fn price(&self, step: usize, c: u32) -> u32 {
        let users = &self.users[self.cell(step, c)];
        if users.len() < self.capacity(step, c) {
            return 0;
        }
        users.iter().map(|&m| self.weights[m as usize]).min().unwrap_or(0)
    }

    /// Places a message; those in its way wait.
    fn place(&mut self, message: MessageId, uses: &[Use], waiting: &mut Vec<MessageId>) {
        let before = waiting.len();
        for &(step, c) in uses {
            let cell = self.cell(step as usize, c);
            self.users[cell].push(message);
            while self.users[cell].len() > self.capacity(step as usize, c) {
                let others = self.users[cell].iter().copied().filter(|&m| m != message);
                let Some(gone) = others.min_by_key(|&m| self.weights[m as usize]) else { break };
                self.lift(gone);
                waiting.push(gone);
            }
        }
        self.uses[message as usize] = uses.to_vec();
        self.weights[message as usize] += u32::from(waiting.len() > before);
    }

    /// Removes a message.
    fn lift(&mut self, message: MessageId) {
        for (step, c) in std::mem::take(&mut self.uses[message as usize]) {
            let cell = self.cell(step as usize, c);
            if let Some(place) = self.users[cell].iter().position(|&m| m == message) {
                self.users[cell].swap_remove(place);
            }
        }
    }

    /// The schedule, a round after the other.
    fn plan(&self) -> Plan {
        let mut begin = Vec::with_capacity(self.rounds.len());
        let mut all = 0;
        for &rounds in self.rounds {
            begin.push(all);
            all += rounds;
        }
        let mut plan = Plan::new(all);
        let mut used = vec![0; self.users.len()];
        for (message, uses) in (0..).zip(&self.uses) {
            for &(step, c) in uses {
                let cell = self.cell(step as usize, c);
                let width = self.capacity(step as usize, c) as u32 / self.rounds[step as usize];
                let round = begin[step as usize] + used[cell] / width;
                used[cell] += 1;
                plan.push(round as usize, message, [c]);
            }
        }
        plan.tidy();
        plan
    }
}

/// The receivers of every message, and its source.
fn ends(problem: &Problem) -> Vec<(VertexId, Vec<VertexId>)> {
    let of_message = problem.demands().chunk_by(|a, b| a.message == b.message);
    of_message.map(|d| (d[0].source, d.iter().map(|d| d.destination).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request, Switching};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;

    #[test]
    fn rounds_make_valid_steps() {
        let all = [
            ("ring:8", Collective::Aab, 1, &[1, 1, 1, 1][..], true),
            ("ring:8", Collective::Aab, 2, &[2, 2, 2, 1], true),
            // Four pieces of each neighbour do not fit one round.
            ("ring:8", Collective::Aab, 2, &[1, 2, 2, 1], false),
            ("hypercube:3", Collective::Aas, 1, &[1, 2, 1], true),
            ("petersen", Collective::Aab, 1, &[1, 2], true),
            ("petersen", Collective::Aab, 1, &[3], false),
            ("ring:6", Collective::ReduceScatter, 2, &[2, 2, 2], true),
        ];
        for (topology, collective, pieces, rounds, is_found) in all {
            let switching = Switching::StoreAndForward;
            let request = Request { switching, pieces, ..Request::new(collective) };
            let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
            assert!(applies(&problem));
            let found = search(&problem, rounds, 200, &|| false, &mut rng_of(1, 0, 0));
            let what = format!("{collective} of {topology} in {rounds:?}");
            assert_eq!(found.is_some(), is_found, "{what}");
            let Some(plan) = found else { continue };
            let mut file = plan.record(&problem, &[], Provenance::default()).in_rounds();
            assert!(file.steps_of_rounds() <= rounds.len(), "{what}: {:?}", file.model.rounds);
            assert_eq!(verify(&file), [], "{what}");
            // One step of all rounds cannot pass anything on.
            file.model.rounds = Some(vec![file.steps.len() as u32]);
            assert!(!verify(&file).is_empty(), "{what}");
        }
    }
}
