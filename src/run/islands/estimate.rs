//! What a problem needs, told before its bounds and its search: a problem that cannot fit into memory
//! is refused, not ended by the system in the middle of them.

use super::memory::{available, most, text};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_engines::{construct, policy};
use ccsched_model::problem::{Collective, Content, Problem, Request, Switching};
use ccsched_network::metrics::{UNREACHABLE, distances_from};
use ccsched_network::{Network, VertexId};

/// What a delivery takes in a transfer of its own: that in a plan and in a file, the demand, and the check.
const OF_DELIVERY: Cost = Cost { bytes: 60.0, microseconds: 1.7 };
/// What a channel on the path of a transfer takes in the same places; its time is small beside that.
const OF_CHANNEL: Cost = Cost { bytes: 11.0, microseconds: 0.0 };
/// What a hop takes where a message is forwarded in transfers of one channel.
const OF_HOP: Cost = Cost { bytes: 28.0, microseconds: 0.15 };
/// A limit below it has no unit, probably by mistake.
const MEGABYTE: u64 = 1_000_000;
/// Sources whose distances are measured.
const SAMPLES: usize = 16;

/// Bytes, and microseconds from the beginning to a first schedule that is verified and written.
#[derive(Clone, Copy)]
struct Cost {
    bytes: f64,
    microseconds: f64,
}

impl Cost {
    fn times(self, number: f64) -> Cost {
        Cost { bytes: self.bytes * number, microseconds: self.microseconds * number }
    }

    fn plus(self, other: Cost) -> Cost {
        Cost {
            bytes: self.bytes + other.bytes,
            microseconds: self.microseconds + other.microseconds,
        }
    }
}

/// What one schedule of a problem takes. Measured on all-to-all scatters of networks of 1,000 to 2,000
/// terminals (docs/results.md, docs/reliability.md).
fn cost(problem: &Problem) -> Cost {
    let shares_paths = || has_long_routes(problem) || construct::shares_paths(problem);
    let distance = || mean_distance(problem.network(), problem.senders(), problem.receivers());
    let of = (problem.collective().content(), problem.switching());
    cost_of(of, shares_paths, distance).times(problem.demands().len() as f64)
}

/// The same of a delivery, where paths share the memory of their channels or not.
fn cost_of(
    of: (Content, Switching),
    shares_paths: impl Fn() -> bool,
    mean_distance: impl Fn() -> f64,
) -> Cost {
    match of {
        // A message is forwarded; each delivery adds about one channel.
        (Content::Common, _) => OF_DELIVERY.plus(OF_CHANNEL),
        (Content::Personal, Switching::Wormhole | Switching::Hosts) if shares_paths() => {
            OF_DELIVERY
        }
        (Content::Personal, Switching::Wormhole | Switching::Hosts) => {
            OF_DELIVERY.plus(OF_CHANNEL.times(mean_distance()))
        }
        (Content::Personal, Switching::StoreAndForward) => OF_HOP.times(mean_distance()),
    }
}

/// Whether a schedule shares the channels of a table of routes.
fn has_long_routes(problem: &Problem) -> bool {
    problem.routes().is_some_and(|routes| routes.paths().are_long())
}

/// The bytes that one schedule of a problem needs with its file and its check; the search needs more.
pub fn least(problem: &Problem) -> u64 {
    cost(problem).bytes as u64
}

/// The mean distance of deliveries, from some of the sources.
fn mean_distance(network: &Network, senders: &[VertexId], receivers: &[VertexId]) -> f64 {
    let every = (senders.len() / SAMPLES).max(1);
    let (mut sum, mut count) = (0_u64, 0_u64);
    for &source in senders.iter().step_by(every) {
        let distance = distances_from(network, source);
        let to = receivers.iter().map(|&v| distance[v as usize]);
        for distance in to.filter(|&d| d != UNREACHABLE && d > 0) {
            (sum, count) = (sum + u64::from(distance), count + 1);
        }
    }
    sum as f64 / count.max(1) as f64
}

/// Refuses a request that needs more than `limit`, or more than the machine has free, by the numbers of
/// its senders and receivers: to pose the problem takes long too. What a problem needs beyond that,
/// [`check`] says.
///
/// # Errors
/// It needs more.
pub fn check_request(request: &Request, network: &Network, limit: Option<u64>) -> Result<()> {
    let deliveries = request.deliveries(network);
    if deliveries < policy::FORECAST {
        return Ok(());
    }
    let all: Vec<VertexId> = network.terminals().collect();
    let named = [&request.senders, &request.receivers, &request.processes];
    let distance = || match named.iter().all(|names| names.is_none()) && request.pairs.is_none() {
        true => mean_distance(network, &all, &all),
        false => 1.0,
    };
    let cost = cost_of((request.collective.content(), request.switching), || true, distance);
    refuse((request.collective, network, deliveries), cost.times(deliveries as f64), limit)
}

/// Refuses a problem that needs more than `limit`, or more than the machine has free.
///
/// # Errors
/// It needs more.
pub fn check(problem: &Problem, limit: Option<u64>) -> Result<()> {
    let what = (problem.collective(), problem.network(), problem.demands().len());
    refuse(what, cost(problem), limit)
}

fn refuse(
    (collective, network, deliveries): (Collective, &Network, usize),
    cost: Cost,
    limit: Option<u64>,
) -> Result<()> {
    let least = cost.bytes as u64;
    let (most, whose) = match (limit, available()) {
        (Some(limit), _) => (limit, "allowed"),
        (None, Some(free)) => (free, "free"),
        (None, None) => return Ok(()),
    };
    if least <= most {
        return Ok(());
    }
    // A limit without a unit is one of bytes.
    let allowed = match most {
        0..MEGABYTE => format!("{most} bytes are {whose}, without K, M, G or T behind the number"),
        _ => format!("{} are {whose}", text(most)),
    };
    Err(Error::field(
        "memory",
        format!(
            "{collective} of {} has {deliveries}, and one schedule of them takes about {} and \
             {}; {allowed}: choose fewer senders or receivers, or a smaller network",
            network.name(),
            text(least),
            duration(cost),
            deliveries = counted(deliveries, "delivery")
        ),
    ))
}

/// What a schedule of a large problem takes, in words; none for others.
pub fn forecast(problem: &Problem) -> Option<String> {
    let deliveries = problem.demands().len();
    (deliveries >= policy::FORECAST).then(|| {
        let cost = cost(problem);
        let (memory, time) = (text(cost.bytes as u64), duration(cost));
        format!(
            "{deliveries}: a first schedule takes about {time} and {memory}",
            deliveries = counted(deliveries, "delivery")
        )
    })
}

/// The time of a first schedule: on two cores of the year 2025, to a factor of two or three.
fn duration(cost: Cost) -> String {
    match cost.microseconds / 1e6 {
        s if s >= 120.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} s", s.max(1.0)),
    }
}

/// The most memory that the search of a problem may use, for this process as a whole: the `limit`, or
/// what the machine has free now. None for a small problem without a limit, or where the system does
/// not tell.
pub fn ceiling(problem: &Problem, limit: Option<u64>) -> Option<u64> {
    limit.or_else(|| match least(problem) {
        0..policy::SMALL_SCHEDULE => None,
        _ => most(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;

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
        assert!(why.contains("about 7 MB and 1 s; 5 MB are allowed"), "{why}");
    }

    #[test]
    fn requests_are_refused_before_they_are_posed() {
        let network = spec::parse("fat-tree:2048").unwrap();
        for collective in [Collective::Aas, Collective::Aab, Collective::AllReduce] {
            let request = Request::new(collective);
            let why = check_request(&request, &network, Some(50_000_000)).unwrap_err().to_string();
            assert!(why.contains("4192256 deliveries"), "{why}");
            check_request(&request, &network, Some(1 << 40)).unwrap();
        }
        check_request(&Request::new(Collective::Oas), &network, Some(0)).unwrap();
    }

    #[test]
    fn large_problems_are_told_with_their_time() {
        assert_eq!(forecast(&problem("hypercube:8")), None);
        let problem = problem("kautz:11,3");
        let told = forecast(&problem).unwrap();
        assert!(told.starts_with("2106852 deliveries: a first schedule takes about 4 s"), "{told}");
        let stored = |problem: Problem| problem.with_switching(Switching::StoreAndForward);
        let ring = self::problem("ring:50");
        // Wormhole paths on a ring share the memory of their channels.
        assert!(least(&stored(ring.clone())) > 3 * least(&ring));
        let forwarded = stored(problem);
        let told = forecast(&forwarded).unwrap();
        assert!(told.contains("about 1 s"), "{told}");
    }

    #[test]
    fn only_large_problems_have_a_ceiling_without_a_limit() {
        assert_eq!(ceiling(&problem("petersen"), None), None);
        assert_eq!(ceiling(&problem("petersen"), Some(7)), Some(7));
        let large = problem("hypercube:10");
        assert_eq!(ceiling(&large, Some(7)), Some(7));
        if let Some(free) = available() {
            let ceiling = ceiling(&large, None).unwrap();
            assert!(ceiling > free / 2, "{ceiling} of {free}");
        }
    }
}
