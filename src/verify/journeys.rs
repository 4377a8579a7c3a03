//! A quick check of scatters with store-and-forward switching: every message takes a shortest journey to its
//! destination, and moves once a step. It only tells whether that is so; what is wrong, the rules tell,
//! which group the transfers of each message, and take three times as long.
//!
//! The schedule is read once, step by step, with the place of every message. A transfer must start where its
//! message is at the beginning of the step. At the end every message must be at its destination, and there must be as many
//! transfers as the distances of all messages together. A message changes its place at least as often as its
//! distance, each time by a transfer of its own. So no message goes farther, moves twice in a step or after its
//! delivery: each of these takes more transfers.

use super::graph::FAR;
use super::groups::By;
use super::plan::Plan;
use crate::cores;
use std::ops::Range;

/// In place of a vertex, where no message is asked for.
const NOWHERE: u32 = u32::MAX;
/// More places do not fit into memory.
const MOST: usize = 1 << 28;

/// Whether every message asked for takes a shortest journey, and no other message moves. It may be false of longer
/// journeys that the routing allows, of fixed routes and of several messages of a pair.
pub(super) fn are_shortest(plan: &Plan<'_>) -> bool {
    let demand = &plan.demand;
    let is_meant =
        !demand.wormhole && !demand.broadcast && demand.fixed.is_none() && demand.pairs.is_none();
    if !is_meant || demand.senders.len().saturating_mul(plan.graph.len()) > MOST {
        return false;
    }
    let parts = cores::parts(demand.senders.len(), |place| place + 1);
    let moved = cores::each(parts, |places| Places::new(plan, places).follow(plan));
    moved.into_iter().sum::<Option<usize>>() == Some(plan.all().len())
}

/// The places of the messages of some senders.
struct Places<'p> {
    senders: &'p [usize],
    /// By vertex, where the messages of this sender begin; none if it is not among them.
    first: Vec<Option<usize>>,
    /// By sender and destination, where the message is.
    at: Vec<u32>,
}

impl<'p> Places<'p> {
    /// All messages at their sources.
    fn new(plan: &'p Plan<'_>, places: Range<usize>) -> Self {
        let senders = &plan.demand.senders[places];
        let mut first = vec![None; plan.graph.len()];
        let mut at = Vec::with_capacity(senders.len() * plan.graph.len());
        for &sender in senders {
            first[sender] = Some(at.len());
            let place = |v| if plan.demand.asks(sender, v) { sender as u32 } else { NOWHERE };
            at.extend((0..plan.graph.len()).map(place));
        }
        Places { senders, first, at }
    }

    /// Moves the messages; the number of their transfers, if each takes a shortest journey.
    fn follow(mut self, plan: &Plan<'_>) -> Option<usize> {
        let (mut moved, mut moves) = (0, Vec::new());
        for step in plan.by_step() {
            moves.clear();
            for id in step {
                let Some(first) = self.first[plan.key(By::Source, id)] else { continue };
                let m = plan.at(id);
                if m.copy != 1 {
                    return None;
                }
                moves.push((first + m.destination?, m.from as u32, m.to as u32));
            }
            // In a loop of its own, as millions of messages are not in the cache: many are fetched at a time.
            if !moves.iter().fold(true, |is_there, &(m, from, _)| is_there & (self.at[m] == from)) {
                return None;
            }
            moves.iter().for_each(|&(message, _, to)| self.at[message] = to);
            moved += moves.len();
        }
        (self.distances(plan)? == moved).then_some(moved)
    }

    /// The distances of all messages together, if they are at their destinations.
    fn distances(&self, plan: &Plan<'_>) -> Option<usize> {
        let mut sum = 0;
        for (&sender, at) in self.senders.iter().zip(self.at.chunks(plan.graph.len())) {
            let distance = plan.graph.distances_from(sender);
            for (v, &at) in at.iter().enumerate().filter(|&(_, &at)| at != NOWHERE) {
                if at as usize != v || distance[v] == FAR {
                    return None;
                }
                sum += distance[v] as usize;
            }
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::construct;
    use crate::network::spec;
    use crate::problem::{Collective, Request, Routing, Switching};
    use crate::schedule::ScheduleFile;
    use crate::schedule::Steps;
    use crate::schedule::file::Provenance;
    use crate::verify::verify;
    use crate::verify::violation::Report;
    use std::sync::Arc;

    fn schedule(collective: Collective, routing: Routing) -> ScheduleFile {
        let switching = Switching::StoreAndForward;
        let request = Request { switching, routing, ..Request::new(collective) };
        let problem = Arc::new(request.pose(spec::parse("torus:3x4").unwrap(), vec![]).unwrap());
        let (plan, _) = construct::plan(&problem, 1).unwrap();
        plan.record(&problem, &[], Provenance::default())
    }

    fn is_quick(file: &ScheduleFile) -> bool {
        are_shortest(&Plan::build(file, &mut Report::default()).unwrap())
    }

    #[test]
    fn a_schedule_passes_and_each_flaw_is_left_to_the_rules() {
        for collective in [Collective::Aas, Collective::Oas] {
            let right = schedule(collective, Routing::Minimal);
            assert!(is_quick(&right) && verify(&right).is_empty());
            let records = right.steps.records();
            let transfers: Vec<(usize, usize)> = (0..records.len())
                .flat_map(|step| (0..records[step].len()).map(move |i| (step, i)))
                .collect();
            for &(step, i) in transfers.iter().step_by(7) {
                let changed = |change: &dyn Fn(&mut Vec<Vec<_>>)| {
                    let mut records = records.clone();
                    change(&mut records);
                    ScheduleFile { steps: Steps::of(&records), ..right.clone() }
                };
                let lacks = changed(&|steps| drop(steps[step].remove(i)));
                let twice = changed(&|steps| steps.push(vec![records[step][i].clone()]));
                let at_once = changed(&|steps| steps[step].push(records[step][i].clone()));
                for wrong in [lacks, twice, at_once] {
                    assert!(!is_quick(&wrong) && !verify(&wrong).is_empty());
                }
            }
        }
    }

    #[test]
    fn a_message_may_not_move_twice_in_a_step() {
        let right = schedule(Collective::Aas, Routing::Minimal);
        // All in one step: conflicts apart, every message of two hops moves twice.
        let records = vec![right.steps.records().concat()];
        let wrong = ScheduleFile { steps: Steps::of(&records), ..right };
        assert!(!is_quick(&wrong));
    }

    #[test]
    fn longer_journeys_are_judged_by_the_rules() {
        let mut file = schedule(Collective::Aas, Routing::Slack(2));
        assert!(verify(&file).is_empty());
        // A message goes back and forth at the end.
        let mut records = file.steps.records();
        let last = records.last().unwrap()[0].clone();
        let c = last.channels[0];
        let back = file.network.channels.iter().position(|other| {
            let here = &file.network.channels[c as usize];
            other.from == here.to && other.to == here.from
        });
        let mut there = last.clone();
        (there.from, there.to) = (last.to.clone(), last.from.clone());
        there.channels = vec![back.unwrap() as u32];
        records.extend([vec![there], vec![last]]);
        file.steps = Steps::of(&records);
        assert!(!is_quick(&file));
    }
}
