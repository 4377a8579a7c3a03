//! Memory: what a problem needs at the least, what the machine has, what this process has used. A
//! problem that cannot fit is refused before its bounds and its search, not ended by the system in
//! the middle of them.

use crate::network::metrics::{UNREACHABLE, distances_from};
use crate::problem::{Content, Problem};
use crate::{Error, Result};
use std::fs;

/// Bytes of a delivery: its demand, its transfer in a plan and in a file, and the check of both.
const PER_DELIVERY: u64 = 60;
/// Bytes of a channel on the path of a transfer, in the same places.
const PER_CHANNEL: u64 = 11;
/// Sources whose distances are measured.
const SAMPLES: usize = 16;

/// The bytes that one schedule of a problem needs with its file and its check; the search needs more.
/// Measured on all-to-all scatters of hypercubes and tori (docs/reliability.md).
pub fn least(problem: &Problem) -> u64 {
    let deliveries = problem.demands.len() as u64;
    let hops = match problem.collective.content() {
        // A message is forwarded; each delivery adds about one channel.
        Content::Common => 1.0,
        Content::Personal => mean_distance(problem),
    };
    let of_paths = (deliveries as f64 * hops * PER_CHANNEL as f64) as u64;
    deliveries.saturating_mul(PER_DELIVERY).saturating_add(of_paths)
}

/// The mean distance of deliveries, from some of the sources.
fn mean_distance(problem: &Problem) -> f64 {
    let every = (problem.senders.len() / SAMPLES).max(1);
    let (mut sum, mut count) = (0_u64, 0_u64);
    for &source in problem.senders.iter().step_by(every) {
        let distance = distances_from(&problem.network, source);
        let to = problem.receivers.iter().map(|&v| distance[v as usize]);
        for distance in to.filter(|&d| d != UNREACHABLE && d > 0) {
            (sum, count) = (sum + u64::from(distance), count + 1);
        }
    }
    sum as f64 / count.max(1) as f64
}

/// Refuses a problem that needs more than `limit`, or more than the machine has free.
///
/// # Errors
/// It needs more.
pub fn check(problem: &Problem, limit: Option<u64>) -> Result<()> {
    let least = least(problem);
    let (most, whose) = match (limit, available()) {
        (Some(limit), _) => (limit, "allowed"),
        (None, Some(free)) => (free, "free on this machine"),
        (None, None) => return Ok(()),
    };
    if least <= most {
        return Ok(());
    }
    Err(Error::field(
        "memory",
        format!(
            "{} of {} has {} deliveries, and one schedule of them takes about {}; {} are {whose}: choose \
             fewer senders or receivers, or a smaller network",
            problem.collective,
            problem.network.name(),
            problem.demands.len(),
            text(least),
            text(most)
        ),
    ))
}

/// The memory that is free, as far as the system tells: of the machine, and of a group of processes
/// with a limit of its own.
pub fn available() -> Option<u64> {
    let of_machine = kilobytes("/proc/meminfo", "MemAvailable:");
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let most = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
    let of_group = most.map(|most| most.saturating_sub(used));
    of_machine.into_iter().chain(of_group).min()
}

/// The most memory that this process has used so far, where the system tells it.
pub fn peak() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

/// A line `Name:  123 kB` of a file of the system, in bytes.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

/// Bytes in a few columns: `1.8 GB`.
pub fn text(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b => format!("{:.0} MB", b / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;
    use crate::problem::{Collective, Request};

    fn problem(topology: &str) -> Problem {
        Request::new(Collective::Aas).pose(spec::parse(topology).unwrap(), vec![]).unwrap()
    }

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        let large = problem("hypercube:8");
        // 65,280 deliveries over 4 channels in the mean.
        let least = least(&large);
        assert!((6_000_000..8_000_000).contains(&least), "{least}");
        check(&large, Some(10_000_000)).unwrap();
        let why = check(&large, Some(5_000_000)).unwrap_err().to_string();
        assert!(why.contains("about 7 MB") && why.contains("5 MB are allowed"), "{why}");
    }

    #[test]
    fn this_process_has_used_something() {
        if fs::metadata("/proc/self/status").is_ok() {
            assert!(peak().unwrap() > 1_000_000);
            assert!(available().unwrap() > 0);
        }
    }
}
