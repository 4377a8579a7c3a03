//! Clauses of store-and-forward scatters: a message makes the hops of one walk in ascending steps,
//! and may wait at any vertex.

use super::Users;
use super::walks::Walks;
use crate::refute::clauses::Clauses;
use crate::refute::meaning::{Group, Meaning};
use ccsched_model::problem::Problem;

/// Adds all clauses about the messages of a schedule of `steps` steps. Returns the uses of every
/// resource.
pub fn tell(problem: &Problem, steps: usize, all: &[Walks], clauses: &mut Clauses<'_>) -> Users {
    let mut users = super::no_users(problem, steps);
    for (demand, walks) in all.iter().enumerate() {
        if clauses.are_given_up() {
            break;
        }
        tell_journey(problem, demand, walks, &mut users, clauses);
    }
    users
}

/// Adds all clauses about one message.
fn tell_journey(
    problem: &Problem,
    demand: usize,
    walks: &Walks,
    users: &mut Users,
    clauses: &mut Clauses<'_>,
) {
    let steps = users.len();
    let (made, left) = (walks.hops_before(), walks.hops_after());
    let slots = walks.places(problem);
    // By slot, whether the message has been there.
    let mut been = vec![clauses.no(); walks.slots];
    been[0] = clauses.yes();
    // By slot, all hops out of it.
    let mut out_of = vec![Vec::new(); walks.slots];
    for (step, users) in users.iter_mut().enumerate() {
        let mut into = vec![Vec::new(); walks.slots];
        for hop in &walks.hops {
            let in_time = left[hop.to].is_some_and(|left| left as usize + step < steps);
            let Some(made) = made[hop.from].filter(|&made| in_time && made as usize <= step) else {
                continue;
            };
            let goes = Meaning::Goes { demand, made, channel: hop.channel, step };
            let goes = clauses.variable(goes);
            clauses.implies(goes, &[been[hop.from]]);
            for &resource in &hop.takes {
                users[resource as usize].push(goes);
            }
            into[hop.to].push(goes);
            out_of[hop.from].push(goes);
        }
        for (slot, mut ways) in into.into_iter().enumerate().filter(|(_, ways)| !ways.is_empty()) {
            let before = been[slot];
            been[slot] = clauses.variable(Meaning::Been { demand, slot: slots[slot], step });
            clauses.at_most(1, &ways, Group::Into(demand, slots[slot], step));
            ways.iter().for_each(|&way| clauses.implies(way, &[been[slot]]));
            ways.iter().for_each(|&way| clauses.implies(way, &[!before]));
            ways.push(before);
            clauses.implies(been[slot], &ways);
        }
    }
    let last = walks.slots - 1;
    clauses.any(&[been[last]]);
    // The message goes on from every slot that it reaches, and after any number of hops it is in
    // one slot only.
    let mut places = vec![Vec::new(); walks.slots];
    for (slot, out) in out_of.iter().enumerate().take(last) {
        clauses.implies(been[slot], out);
        if let Some(made) = made[slot] {
            places[made as usize].push(been[slot]);
        }
    }
    for (made, places) in (0..).zip(&places) {
        clauses.at_most(1, places, Group::Places(demand, made));
    }
}
