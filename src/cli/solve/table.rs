//! The schedule above the summary, if it is short or requested.

use crate::terminal;
use ccsched_base::counted::counted;
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::Network;
use ccsched_run::islands::Solution;
use ccsched_tools::show;
use std::collections::HashSet;

/// Larger tables are printed only with --table.
const MOST_SENDERS: usize = 30;

/// The schedule; a hint at --table if it is too long. None if there is no schedule.
pub fn text(solution: &Solution, asked: bool) -> Option<String> {
    let senders = senders(solution.problem.network(), solution.plan.as_deref()?);
    if !asked && senders > MOST_SENDERS {
        return Some(format!(
            "{senders}; --table prints the schedule\n",
            senders = counted(senders, "sender")
        ));
    }
    Some(format!("{}\n", show::fitted(&solution.schedule()?, terminal::width())))
}

/// The number of vertices at which transfers start. All cores look for them, as there may be many millions.
fn senders(network: &Network, plan: &Plan) -> usize {
    let channels = network.channels().len();
    let first = |_, steps: &[Step]| {
        let mut is_first = vec![false; channels];
        steps
            .iter()
            .flatten()
            .filter_map(|t| t.channels.first())
            .for_each(|&c| is_first[c as usize] = true);
        is_first
    };
    let first = plan.each_part(first);
    let starts = (0..channels).filter(|&c| first.iter().any(|is_first| is_first[c]));
    starts.map(|c| network.channels()[c].from).collect::<HashSet<_>>().len()
}
