//! A group as if it were alone, for bounds that are about one of several groups.

use super::graph::FAR;
use super::plan::Plan;
use super::violation::Report;
use ccsched_model::schedule::Steps;
use ccsched_model::schedule::file::{
    ChannelRecord, GroupRecord, ModelRecord, Provenance, ScheduleFile,
};

/// The problem of one group as if it were alone, without a schedule and without the channels that are of
/// no use to it; none if there is no such group.
pub(super) fn alone(file: &ScheduleFile, group: usize) -> Option<ScheduleFile> {
    let GroupRecord { collective, members, source, .. } = file.model.groups.as_ref()?.get(group)?;
    let root = |is_it: bool| match (is_it, source) {
        (true, Some(root)) => vec![root.clone()],
        _ => members.clone(),
    };
    let model = ModelRecord {
        collective: collective.clone(),
        source: source.clone(),
        senders: root(matches!(collective.as_str(), "oab" | "oas")),
        receivers: root(matches!(collective.as_str(), "aog" | "reduce")),
        parts: (collective == "all-reduce").then_some(members.len() as u32),
        processes: Some(members.clone()),
        groups: None,
        rounds: None,
        ..file.model.clone()
    };
    let mut alone = ScheduleFile {
        format: file.format.clone(),
        network: file.network.clone(),
        model,
        steps: Steps::default(),
        faults: Vec::new(),
        bounds: Vec::new(),
        provenance: Provenance::default(),
    };
    let plan = Plan::build(&alone, &mut Report::default())?;
    let useful = useful(&plan);
    let mut left = 0;
    let new: Vec<Option<usize>> = useful
        .iter()
        .map(|&is_useful| {
            left += usize::from(is_useful);
            is_useful.then(|| left - 1)
        })
        .collect();
    let kept = alone.network.channels.into_iter().zip(&useful).filter(|(_, is_useful)| **is_useful);
    let renumbered = kept.map(|(channel, _)| {
        let excludes = channel.excludes.and_then(|other| new[other]);
        ChannelRecord { excludes, ..channel }
    });
    alone.network.channels = renumbered.collect();
    Some(alone)
}

/// By channel, whether it is open, and on a shortest path between processes where paths are held and
/// shortest.
fn useful(plan: &Plan<'_>) -> Vec<bool> {
    let (g, demand) = (&plan.graph, &plan.demand);
    if !demand.wormhole || demand.slack > 0 || demand.fixed.is_some() {
        return (0..g.ends.len()).map(|c| g.closed.get(c) != Some(&true)).collect();
    }
    let mut useful = vec![false; g.ends.len()];
    for source in (0..g.len()).filter(|&v| g.terminal[v]) {
        let distance = g.distances_from(source);
        let mut farthest: Vec<usize> = (0..g.len()).filter(|&v| distance[v] != FAR).collect();
        farthest.sort_unstable_by_key(|&v| std::cmp::Reverse(distance[v]));
        // Whether a vertex is a process, or on a shortest path to one.
        let mut leads = g.terminal.clone();
        for v in farthest {
            for &c in &g.outgoing[v] {
                let to = g.ends[c].1;
                if distance[to] == distance[v] + 1 && leads[to] {
                    useful[c] = true;
                    leads[v] = true;
                }
            }
        }
    }
    useful
}
