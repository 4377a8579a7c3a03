//! `--pieces auto`: the number of pieces whose lower bound takes the least modelled time.

use ccsched_base::Result;
use ccsched_bounds as bounds;
use ccsched_model::problem::Request;
use ccsched_model::schedule::TimeModel;
use ccsched_network::Network;
use ccsched_network::faults::Fault;

/// The most pieces.
const MOST: u32 = 64;
/// Deliveries of pieces above which the bounds take long.
const MOST_DELIVERIES: usize = 500_000;

/// The number of pieces for a request of whole messages.
///
/// # Errors
/// As [`Request::pose`].
pub fn choose(
    request: &Request,
    (network, faults): (&Network, &[Fault]),
    model: &TimeModel,
) -> Result<u32> {
    let pose = |pieces| {
        let request = Request { pieces, ..request.clone() };
        request.pose(network.clone(), faults.to_vec())
    };
    let whole = pose(1)?;
    let limit = bounds::limit(&whole);
    let (mut best, mut least_us) = (1, f64::INFINITY);
    for pieces in 1..=MOST {
        let deliveries = whole.demands().len() * pieces as usize;
        if pieces > 1 && deliveries > MOST_DELIVERIES {
            break;
        }
        let step_us = model.of_pieces(pieces).step_along_us(model.least_hop_us(network), None);
        let least = limit.as_ref().map_or(1, |limit| limit.steps_of(pieces));
        if least as f64 * step_us >= least_us {
            continue;
        }
        let bounds = bounds::quick(&pose(pieces)?);
        let steps = bounds.first().map_or(1, |bound| u64::from(bound.steps)).max(least);
        if steps as f64 * step_us < least_us {
            (best, least_us) = (pieces, steps as f64 * step_us);
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Switching};
    use ccsched_network::spec;

    #[test]
    fn long_messages_take_more_pieces() {
        let switching = Switching::StoreAndForward;
        let of = |topology: &str, collective, message_bytes| {
            let request = Request { switching, ..Request::new(collective) };
            let model = TimeModel { message_bytes, ..TimeModel::default() };
            choose(&request, (&spec::parse(topology).unwrap(), &[]), &model).unwrap()
        };
        assert_eq!(of("heawood", Collective::Aab, 1), 1);
        assert_eq!(of("heawood", Collective::Aab, 1 << 20), 3);
        assert_eq!(of("petersen", Collective::Aab, 1 << 30), 1);
        let pipelined = [1, 1 << 14, 1 << 18].map(|bytes| of("ring:8", Collective::Oab, bytes));
        assert!(pipelined.is_sorted() && pipelined[0] < pipelined[1], "{pipelined:?}");
        assert!(pipelined[1] < pipelined[2], "{pipelined:?}");
    }
}
