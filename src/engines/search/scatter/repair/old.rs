//! The places of an old schedule that messages may still have in a changed problem.

use crate::search::scatter::places::Crossing;
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::Plan;

/// By demand, the channels and steps of its place in an old schedule, of which only the transfers that
/// are still possible are left; none if the place breaks a rule of paths now. `longest` says how many
/// channels a path may have.
pub fn old_places(
    problem: &Problem,
    old: &Plan,
    longest: impl Fn(u32) -> u32,
) -> Vec<Vec<Crossing>> {
    let mut places: Vec<Vec<Crossing>> = vec![Vec::new(); problem.demands().len()];
    let mut demand = vec![None; problem.messages()];
    (0..).zip(problem.demands()).for_each(|(d, of)| demand[of.message as usize] = Some(d));
    for (step, transfers) in (0..).zip(old.steps()) {
        for t in transfers.iter() {
            if let Some(d) = demand[t.message as usize] {
                let place: &mut Vec<Crossing> = &mut places[d as usize];
                place.extend(t.channels.iter().map(|&c| (c, step)));
            }
        }
    }
    for (t, place) in (0..).zip(&mut places) {
        if !is_allowed(problem, longest(t), t, place) {
            place.clear();
        }
    }
    places
}

/// Whether a place still follows the rules of paths: it leads from the source to the destination, by
/// the fixed route if there is one, and is not too long.
fn is_allowed(problem: &Problem, longest: u32, t: u32, place: &[Crossing]) -> bool {
    let demand = &problem.demands()[t as usize];
    let network = problem.network();
    let (Some(first), Some(last)) = (place.first(), place.last()) else { return false };
    let leads = network.channel(first.0).from == demand.source
        && network.channel(last.0).to == demand.destination
        && place.windows(2).all(|w| network.channel(w[0].0).to == network.channel(w[1].0).from);
    let in_time = match problem.switching() {
        Switching::Wormhole | Switching::Hosts => place.windows(2).all(|w| w[0].1 == w[1].1),
        Switching::StoreAndForward => place.windows(2).all(|w| w[0].1 < w[1].1),
    };
    let on_route = match problem.fixed_route(demand.source, demand.destination) {
        Some(route) => route.iter().eq(place.iter().map(|(c, _)| c)),
        None => place.len() as u32 <= longest,
    };
    leads && in_time && on_route
}
