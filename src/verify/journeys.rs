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
    // The work is in the transfers, of which senders have about equally many.
    let (senders, transfers) = (demand.senders.len(), plan.all().len());
    let parts = cores::parts(senders, |place| (place + 1) * transfers / senders);
    let moved = cores::each(parts, |places| Places::new(plan, places).follow(plan));
    moved.into_iter().sum::<Option<usize>>() == Some(transfers)
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
    use crate::schedule::Steps;
    use crate::schedule::file::{MessageRecord, ScheduleFile, TransferRecord};
    use crate::verify::verify;
    use crate::verify::violation::Report;

    /// An all-to-all on the line a, b, c. A transfer is given by its message and its channel.
    fn file(steps: &[Vec<TransferRecord>], routing: &str) -> ScheduleFile {
        let head = format!(
            r#"{{"format": "ccsched-schedule/1",
            "network": {{"name": "line",
              "vertices": [{{"name": "a", "terminal": true}}, {{"name": "b", "terminal": true}},
                           {{"name": "c", "terminal": true}}],
              "channels": [{{"from": "a", "to": "b"}}, {{"from": "b", "to": "a"}},
                           {{"from": "b", "to": "c"}}, {{"from": "c", "to": "b"}}]}},
            "model": {{"collective": "aas", "source": null, "senders": ["a", "b", "c"],
              "receivers": ["a", "b", "c"], "switching": "store-and-forward", "ports": "all",
              "routing": "{routing}", "pairs": null}},
            "steps": [], "faults": [], "bounds": [],
            "provenance": {{"program": "", "version": "", "engine": "", "seed": 1, "ranks": 1,
              "parameters": {{}}}}}}"#
        );
        let empty: ScheduleFile = serde_json::from_str(&head).unwrap();
        ScheduleFile { steps: Steps::of(steps), ..empty }
    }

    fn transfer(text: &str) -> TransferRecord {
        let [source, destination, from, to] = [0, 1, 3, 4].map(|i| text[i..=i].to_string());
        let channel = ["ab", "ba", "bc", "cb"].iter().position(|c| *c == &text[3..]).unwrap();
        let destination = Some(destination);
        let message = MessageRecord { source, destination, copy: None, bytes: None };
        TransferRecord { message, from, to, channels: vec![channel as u32] }
    }

    /// The steps of a schedule: each transfer is source and destination of its message and of its channel.
    fn steps(text: &[&str]) -> Vec<Vec<TransferRecord>> {
        text.iter().map(|step| step.split(", ").map(transfer).collect()).collect()
    }

    fn right() -> Vec<Vec<TransferRecord>> {
        steps(&["ac ab, ca cb, ba ba, bc bc", "ac bc, ca ba, ab ab, cb cb"])
    }

    fn is_quick(file: &ScheduleFile) -> bool {
        are_shortest(&Plan::build(file, &mut Report::default()).unwrap())
    }

    #[test]
    fn a_schedule_passes_and_each_flaw_is_left_to_the_rules() {
        let right = right();
        let whole = file(&right, "minimal");
        assert!(is_quick(&whole) && verify(&whole).is_empty());
        for (step, i) in (0..2).flat_map(|step| (0..4).map(move |i| (step, i))) {
            let changed = |change: &dyn Fn(&mut Vec<Vec<_>>)| {
                let mut steps = right.clone();
                change(&mut steps);
                file(&steps, "minimal")
            };
            let lacks = changed(&|steps| drop(steps[step].remove(i)));
            let again = changed(&|steps| steps.push(vec![right[step][i].clone()]));
            let twice = changed(&|steps| steps[step].push(right[step][i].clone()));
            for wrong in [lacks, again, twice] {
                assert!(!is_quick(&wrong) && !verify(&wrong).is_empty(), "{step} {i}");
            }
        }
    }

    #[test]
    fn a_message_moves_once_a_step() {
        // Conflicts apart, two messages move twice in the step.
        assert!(!is_quick(&file(&[right().concat()], "minimal")));
    }

    #[test]
    fn longer_journeys_are_judged_by_the_rules() {
        let mut longer = right();
        longer.extend(steps(&["ab ba", "ab ab"]));
        for routing in ["minimal", "slack:2"] {
            assert!(!is_quick(&file(&longer, routing)));
        }
        // From b to c by way of a.
        let round =
            steps(&["ac ab, ca cb, bc ba, ba ba", "ac bc, ca ba, bc ab, cb cb", "bc bc, ab ab"]);
        assert!(!is_quick(&file(&round, "slack:2")));
    }
}
