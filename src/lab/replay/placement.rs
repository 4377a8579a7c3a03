//! Which rank plays which terminal.

use ccsched_base::{Error, Result};
use std::collections::HashMap;

/// How ranks are assigned to terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Placement {
    /// By the names of hosts if they are those of the terminals, else by rank
    #[default]
    Auto,
    /// The terminal of the same name as the rank's host
    Host,
    /// Rank i plays terminal i, in the order of the network
    Rank,
}

/// By terminal, the rank that plays it.
///
/// # Errors
/// Another number of ranks than of terminals; hosts that are not the terminals.
pub fn place(terminals: &[String], hosts: &[String], placement: Placement) -> Result<Vec<usize>> {
    let (needed, ranks) = (terminals.len(), hosts.len());
    if needed != ranks {
        return Err(Error::problem(format!(
            "{needed} terminals take part in the schedule, but the job has {ranks} ranks: start it \
             with mpirun -n {needed}"
        )));
    }
    let by_rank = || (0..ranks).collect();
    match placement {
        Placement::Rank => Ok(by_rank()),
        Placement::Host => by_host(terminals, hosts),
        Placement::Auto => Ok(by_host(terminals, hosts).unwrap_or_else(|_| by_rank())),
    }
}

fn by_host(terminals: &[String], hosts: &[String]) -> Result<Vec<usize>> {
    let wrong = |why: String| Error::field("place", format!("{why}; 'rank' goes by ranks alone"));
    let number_of: HashMap<&str, usize> = terminals.iter().map(String::as_str).zip(0..).collect();
    let mut rank_of = vec![None; terminals.len()];
    for (rank, host) in hosts.iter().enumerate() {
        let short = host.split('.').next().unwrap_or_default();
        let number = number_of.get(host.as_str()).or_else(|| number_of.get(short));
        let &number = number.ok_or_else(|| {
            wrong(format!("rank {rank} is on the host '{host}', which is no terminal"))
        })?;
        if let Some(other) = rank_of[number].replace(rank) {
            return Err(wrong(format!("ranks {other} and {rank} are both on the host '{host}'")));
        }
    }
    // As many hosts as terminals, no two of them equal: each terminal has a rank.
    Ok(rank_of.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(String::from).collect()
    }

    #[test]
    fn hosts_find_their_terminals() {
        let terminals = names("a b c");
        let placed =
            |hosts: &str, by| place(&terminals, &names(hosts), by).map_err(|e| e.to_string());
        assert_eq!(placed("c a.cluster.org b", Placement::Auto), Ok(vec![1, 2, 0]));
        assert_eq!(placed("c a b", Placement::Rank), Ok(vec![0, 1, 2]));
        assert_eq!(placed("c a x", Placement::Auto), Ok(vec![0, 1, 2]));
        assert!(
            placed("c a x", Placement::Host).unwrap_err().contains("rank 2 is on the host 'x'")
        );
        assert!(placed("c a a", Placement::Host).unwrap_err().contains("ranks 1 and 2 are both"));
        let few = placed("a b", Placement::Auto).unwrap_err();
        assert!(few.contains("3 terminals") && few.contains("mpirun -n 3"), "{few}");
    }
}
