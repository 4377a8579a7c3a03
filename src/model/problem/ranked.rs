//! Collectives over the order of the ranks, posed as groups side by side: of a scan, the sum at each rank is a
//! reduction among the ranks up to it. Sums share no parts: the sum of some ranks is not part of that of more.

use super::{Collective, Group, Request};
use ccsched_base::limits::DELIVERIES;
use ccsched_base::{Error, Result};
use ccsched_network::Network;

impl Request {
    /// The groups of a collective over the order of the ranks.
    ///
    /// # Errors
    /// Senders or receivers that are not all of them; too many ranks.
    pub(super) fn ranked(&self, network: &Network) -> Result<Request> {
        let all = || network.terminals().map(|v| network.vertex_name(v).to_string()).collect();
        let ranks: Vec<String> = self.processes.clone().unwrap_or_else(all);
        for (field, list) in [("senders", &self.senders), ("receivers", &self.receivers)] {
            let is_all = |list: &Vec<String>| {
                list.len() == ranks.len() && list.iter().all(|name| ranks.contains(name))
            };
            if !list.as_ref().is_none_or(is_all) {
                let why = format!(
                    "{}: every rank contributes, and gets the sum up to it; name the ranks in their \
                     order as those that take part",
                    self.collective
                );
                return Err(Error::field(field, why));
            }
        }
        if self.groups.is_some() || self.pairs.is_some() {
            let why = format!("{} is over all ranks: name no groups and no pairs", self.collective);
            return Err(Error::field("group", why));
        }
        if ranks.len().saturating_mul(ranks.len()) / 2 > DELIVERIES {
            let why = format!("{}: more than {DELIVERIES} contributions", self.collective);
            return Err(Error::problem(why));
        }
        let up_to = |last: usize| Group {
            collective: Collective::Reduce,
            members: ranks[..=last].to_vec(),
            root: Some(ranks[last].clone()),
            bytes: None,
        };
        Ok(Request {
            collective: Collective::ReduceGroups,
            senders: None,
            receivers: None,
            groups: Some((1..ranks.len()).map(up_to).collect()),
            processes: Some(ranks),
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{Collective, Request};
    use ccsched_network::spec;

    #[test]
    fn every_rank_gets_the_sum_up_to_it() {
        let posed = |request: Request| request.pose(spec::parse("ring:5").unwrap(), vec![]);
        let problem = posed(Request::new(Collective::Scan)).unwrap();
        assert_eq!(problem.collective(), Collective::ReduceGroups);
        // Backwards in time, from each rank to those before it.
        let ends: Vec<_> = problem.demands().iter().map(|d| (d.source, d.destination)).collect();
        let before = |v: u32| (0..v).map(move |u| (v, u));
        assert_eq!(ends, (1..5).flat_map(before).collect::<Vec<_>>());
        assert_eq!(problem.message(0).name(problem.network()), "1");
        // The ranks in another order.
        let ranks = ["3", "0", "4"].map(String::from).to_vec();
        let scan = Request { processes: Some(ranks), ..Request::new(Collective::Scan) };
        let problem = posed(scan.clone()).unwrap();
        let ends: Vec<_> = problem.demands().iter().map(|d| (d.source, d.destination)).collect();
        assert_eq!(ends, [(0, 3), (4, 0), (4, 3)]);
        let senders = Some(vec!["3".to_string()]);
        let why = posed(Request { senders, ..scan }).unwrap_err().to_string();
        assert!(why.contains("every rank contributes"), "{why}");
    }
}
