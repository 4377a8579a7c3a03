//! A quick check of scatters with store-and-forward switching: every message takes a shortest
//! journey to its destination, or its fixed route, and moves once a step. It only decides whether
//! that is so. The rules explain what is wrong; they group the transfers of each message, which
//! takes three times as long.
//!
//! The schedule is read once, step by step, with the place of every message. A transfer must start where its
//! message is at the beginning of the step. At the end every message must be at its destination, and there must be as many
//! transfers as the distances of all messages together. A message changes its place at least as often as its
//! distance, each time by a transfer of its own. So no message goes farther, moves twice in a step or after its
//! delivery: each of these takes more transfers.
//!
//! The place on a fixed route is the channel that comes next, and a transfer must go over this one. A second transfer of
//! the step would go over it again.

use super::graph::FAR;
use super::plan::{By, Plan};
use super::traffic::Fixed;
use ccsched_base::cores;

/// In place of a vertex or a channel: where no message is asked for, and after the end of a route.
const NOWHERE: u32 = u32::MAX;
/// More places do not fit into memory.
const MOST: usize = 1 << 28;

/// Whether every message asked for takes a shortest journey, or its fixed route, and no other message moves. It may be false of
/// longer journeys that the routing allows, and of several messages of a pair, or pieces.
pub(super) fn are_direct(plan: &Plan<'_>) -> bool {
    let demand = &plan.demand;
    let is_alone = demand.pieces == 1 && demand.pairs.is_none() && demand.step_of.is_none();
    let is_meant = !demand.wormhole && !demand.broadcast && is_alone;
    if !is_meant || demand.senders.len().saturating_mul(plan.graph.len()) > MOST {
        return false;
    }
    // The work is in the transfers, of which senders have about equally many.
    let (senders, transfers) = (demand.senders.len(), plan.all().len());
    let parts = cores::parts(senders, |place| (place + 1) * transfers / senders);
    let moved = cores::each(parts, |places| {
        let senders = &demand.senders[places];
        match &demand.fixed {
            None => shortest(plan, senders),
            Some(fixed) => on_routes(plan, senders, fixed),
        }
    });
    moved.into_iter().sum::<Option<usize>>() == Some(transfers)
}

/// The number of transfers of the messages of some senders, if each takes a shortest journey.
fn shortest(plan: &Plan<'_>, senders: &[usize]) -> Option<usize> {
    let start = |from, to| if plan.demand.asks(from, to) { from as u32 } else { NOWHERE };
    let mut places = Places::new(plan, senders, |from, to| Some(start(from, to)))?;
    let moved = places.follow(plan, |at, moves| {
        // In a loop of its own, as millions of messages are not in the cache: many are fetched at a time.
        let is_right = moves.iter().fold(true, |is, m| is & (at[m.message] == m.from));
        moves.iter().for_each(|m| at[m.message] = m.to);
        is_right
    })?;
    let mut sum = 0;
    for (&sender, at) in senders.iter().zip(places.at.chunks(plan.graph.len())) {
        let distance = plan.graph.distances_from(sender);
        for (v, &at) in at.iter().enumerate().filter(|&(_, &at)| at != NOWHERE) {
            if at as usize != v || distance[v] == FAR {
                return None;
            }
            sum += distance[v] as usize;
        }
    }
    (sum == moved).then_some(moved)
}

/// The number of transfers of the messages of some senders, if each takes its route.
fn on_routes(plan: &Plan<'_>, senders: &[usize], fixed: &Fixed<'_>) -> Option<usize> {
    // The channels of all routes, one after the other, each with NOWHERE after its end. NOWHERE
    // also comes first, for messages without demand.
    let mut routes = vec![NOWHERE];
    let mut places = Places::new(plan, senders, |from, to| {
        if !plan.demand.asks(from, to) {
            return Some(0);
        }
        let first = u32::try_from(routes.len()).ok()?;
        fixed.add_route(&plan.graph, (from, to), &mut routes)?;
        routes.push(NOWHERE);
        Some(first)
    })?;
    let is_next = |at: &[u32], m: &Move| routes[at[m.message] as usize] == m.channel;
    let moved = places.follow(plan, |at, moves| {
        let is_right = moves.iter().fold(true, |is, m| is & is_next(at, m));
        let mut go_on = |m: &Move| {
            let is_first = is_next(at, m);
            at[m.message] += u32::from(is_first);
            is_first
        };
        is_right && moves.iter().all(&mut go_on)
    })?;
    places.at.iter().all(|&at| routes[at as usize] == NOWHERE).then_some(moved)
}

/// A transfer of one of some messages.
struct Move {
    message: usize,
    from: u32,
    to: u32,
    channel: u32,
}

/// The places of the messages of some senders.
struct Places {
    /// By vertex, the number of the first message of this sender; none if it is not among them.
    first: Vec<Option<usize>>,
    /// By sender and destination, where the message is.
    at: Vec<u32>,
}

impl Places {
    /// All messages where they start.
    fn new(
        plan: &Plan<'_>,
        senders: &[usize],
        mut start: impl FnMut(usize, usize) -> Option<u32>,
    ) -> Option<Self> {
        let mut first = vec![None; plan.graph.len()];
        let mut at = Vec::with_capacity(senders.len() * plan.graph.len());
        for &sender in senders {
            first[sender] = Some(at.len());
            for v in 0..plan.graph.len() {
                at.push(start(sender, v)?);
            }
        }
        Some(Places { first, at })
    }

    /// The number of transfers of the messages, if all steps are right, each of which changes where messages are.
    fn follow(
        &mut self,
        plan: &Plan<'_>,
        mut step: impl FnMut(&mut [u32], &[Move]) -> bool,
    ) -> Option<usize> {
        let (mut moved, mut moves) = (0, Vec::new());
        for transfers in plan.by_step() {
            moves.clear();
            for id in transfers {
                let Some(first) = self.first[plan.key(By::Source, id)] else { continue };
                let m = plan.at(id);
                let &[channel] = m.channels else { return None };
                if m.copy != 1 {
                    return None;
                }
                let (from, to) = (m.from as u32, m.to as u32);
                moves.push(Move { message: first + m.destination?, from, to, channel });
            }
            if !step(&mut self.at, &moves) {
                return None;
            }
            moved += moves.len();
        }
        Some(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify;
    use crate::violation::Report;
    use ccsched_model::schedule::Steps;
    use ccsched_model::schedule::file::{MessageRecord, ScheduleFile, TransferRecord};

    /// An all-to-all on the line a, b, c. A transfer is given by its message and its channel.
    fn file(steps: &[Vec<TransferRecord>], routing: &str) -> ScheduleFile {
        let routes = match routing {
            "static" => {
                let route = |[from, to, channels]: [&str; 3]| {
                    format!(r#"{{"from": "{from}", "to": "{to}", "channels": [{channels}]}}"#)
                };
                let all = [
                    ["a", "b", "0"],
                    ["b", "a", "1"],
                    ["b", "c", "2"],
                    ["c", "b", "3"],
                    ["a", "c", "0, 2"],
                    ["c", "a", "3, 1"],
                ];
                format!("[{}]", all.map(route).join(", "))
            }
            _ => "null".to_string(),
        };
        let head = format!(
            r#"{{"format": "ccsched-schedule/1",
            "network": {{"name": "line",
              "vertices": [{{"name": "a", "terminal": true}}, {{"name": "b", "terminal": true}},
                           {{"name": "c", "terminal": true}}],
              "channels": [{{"from": "a", "to": "b"}}, {{"from": "b", "to": "a"}},
                           {{"from": "b", "to": "c"}}, {{"from": "c", "to": "b"}}]}},
            "model": {{"collective": "aas", "source": null, "senders": ["a", "b", "c"],
              "receivers": ["a", "b", "c"], "switching": "store-and-forward", "ports": "all",
              "routing": "{routing}", "pairs": null, "routes": {routes}}},
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
        let message = MessageRecord {
            is_sum: false,
            source,
            destination,
            copy: None,
            bytes: None,
            piece: None,
        };
        TransferRecord { message, phase: None, at: None, from, to, channels: vec![channel as u32] }
    }

    /// The steps of a schedule: each transfer is source and destination of its message and of its channel.
    fn steps(text: &[&str]) -> Vec<Vec<TransferRecord>> {
        text.iter().map(|step| step.split(", ").map(transfer).collect()).collect()
    }

    fn right() -> Vec<Vec<TransferRecord>> {
        steps(&["ac ab, ca cb, ba ba, bc bc", "ac bc, ca ba, ab ab, cb cb"])
    }

    fn is_quick(file: &ScheduleFile) -> bool {
        are_direct(&Plan::build(file, &mut Report::default()).unwrap())
    }

    #[test]
    fn a_schedule_passes_and_each_flaw_is_left_to_the_rules() {
        let right = right();
        let places = || (0..2).flat_map(|step| (0..4).map(move |i| (step, i)));
        for (routing, (step, i)) in ["minimal", "static"]
            .into_iter()
            .flat_map(|routing| places().map(move |p| (routing, p)))
        {
            let whole = file(&right, routing);
            assert!(is_quick(&whole) && verify(&whole).is_empty());
            let changed = |change: &dyn Fn(&mut Vec<Vec<_>>)| {
                let mut steps = right.clone();
                change(&mut steps);
                file(&steps, routing)
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
        for routing in ["minimal", "static"] {
            assert!(!is_quick(&file(&[right().concat()], routing)));
        }
    }

    #[test]
    fn longer_journeys_are_judged_by_the_rules() {
        let mut longer = right();
        longer.extend(steps(&["ab ba", "ab ab"]));
        for routing in ["minimal", "slack:2", "static"] {
            assert!(!is_quick(&file(&longer, routing)));
        }
        // From b to c by way of a.
        let round =
            steps(&["ac ab, ca cb, bc ba, ba ba", "ac bc, ca ba, bc ab, cb cb", "bc bc, ab ab"]);
        assert!(!is_quick(&file(&round, "slack:2")));
    }
}
