//! Rule "bounds": every certified lower bound is recomputed, without search, from the vertex or the
//! cut that its certificate names, and no bound exceeds the number of steps. The arguments are
//! those of umda-diameter-degree-networks, table 2, for any network and any set of senders.

use super::alone::alone;
use super::arguments::{Fault, cut, distance, eccentricity, growth, journeys, pipeline, ports};
use super::congestion::congestion;
use super::leaving::leaving;
use super::plan::Plan;
use super::spread::{entries, spread};
use super::violation::{Report, Rule, Violation};
use super::{bytes, delays, sums, timing};
use ccsched_model::schedule::file::{BoundRecord, ScheduleFile};

/// The bounds that hold where switches copy and add up. They count a message once at a terminal that receives it, and
/// once at a cut that it crosses; the others count each of its copies.
const COPIED: [&str; 3] = ["ports", "cut", "late"];

/// Checks all bounds of the file.
pub(super) fn check(plan: Plan<'_>, file: &ScheduleFile, report: &mut Report) {
    let plan = plan.into_broadcast();
    let (of_bytes, of_steps): (Vec<_>, Vec<_>) =
        file.bounds.iter().partition(|b| b.bytes.is_some());
    let claims = of_steps.into_iter().map(|b| (b, u64::from(b.steps)));
    check_claims((&plan, file), claims, (plan.steps as u64, "steps"), report);
    if of_bytes.is_empty() || report.full() {
        return;
    }
    let span = timing::span(&plan);
    let claims = of_bytes.into_iter().map(|b| (b, b.bytes.unwrap_or(0)));
    match plan.into_bytes() {
        Some(plan) => check_claims((&plan, file), claims, (span, "bytes"), report),
        None => {
            let why = "a bound in bytes needs `lengths` of the messages";
            report.add(Violation::new(Rule::Bounds, why));
        }
    }
}

/// Checks what bounds claim in a unit, of which the schedule has a number.
fn check_claims<'b>(
    (plan, file): (&Plan<'_>, &ScheduleFile),
    claims: impl Iterator<Item = (&'b BoundRecord, u64)>,
    (number, unit): (u64, &str),
    report: &mut Report,
) {
    for (b, claim) in claims {
        let wrong = |rule, why: String| Violation::new(rule, format!("bound '{}': {why}", b.name));
        if claim > number {
            let why = format!("it claims {claim} {unit}, the schedule has {number}");
            report.add(wrong(Rule::Bounds, why));
        }
        if b.certified {
            let gain = if b.bytes.is_some() { delays::gain(plan, b) } else { 0 };
            match of_model(plan, file, b).map(|value| value.saturating_add(gain)) {
                Ok(value) if claim > value => {
                    let why = format!("it claims {claim} {unit}, its argument gives {value}");
                    report.add(wrong(Rule::Bounds, why));
                }
                Ok(_) => {}
                Err(Fault::Certificate(why)) => report.add(wrong(Rule::Bounds, why)),
                Err(Fault::Endless(why)) => report.add(wrong(Rule::Structure, why)),
            }
        }
        if report.full() {
            return;
        }
    }
}

/// What the bound's argument gives: of groups for all of them together, or for the one that its
/// certificate names.
fn of_model(plan: &Plan<'_>, file: &ScheduleFile, b: &BoundRecord) -> Result<u64, Fault> {
    let wrong = |why: &str| Fault::Certificate(why.into());
    match (b.certificate.group, &plan.demand.groups) {
        (None, None) => argument(plan, b),
        (Some(_), None) => Err(wrong("a `group` is for groups side by side")),
        (None, Some(_)) => match (b.name.as_str(), plan.demand.gathers) {
            ("volume" | "ports" | "cut", true) => argument(plan, b),
            ("ports" | "eccentricity" | "distance" | "cut", false) => argument(plan, b),
            (_, true) => Err(wrong("of sums of groups together volume, ports and cut are bounds")),
            (_, false) => {
                Err(wrong("of groups together ports, eccentricity, distance and cut are bounds"))
            }
        },
        (Some(group), Some(_)) => {
            let file = alone(file, group).ok_or_else(|| wrong("there is no such `group`"))?;
            let alone = Plan::build(&file, &mut Report::default());
            let alone = alone.ok_or_else(|| wrong("its `group` is no problem of its own"))?;
            argument(&alone.into_broadcast(), b)
        }
    }
}

/// What the argument of a bound gives for one collective, or for all groups together.
fn argument(plan: &Plan<'_>, b: &BoundRecord) -> Result<u64, Fault> {
    let find = |name: &str| {
        let unknown = || Fault::Certificate(format!("'{name}' is no vertex of the network"));
        plan.graph.find(name).ok_or_else(unknown)
    };
    let missing = |what| move || Fault::Certificate(format!("its certificate lacks `{what}`"));
    let vertex = || find(b.certificate.vertex.as_deref().ok_or_else(missing("vertex"))?);
    let side = || {
        let mut inside = vec![false; plan.graph.len()];
        for name in b.certificate.side.as_deref().ok_or_else(missing("side"))? {
            inside[find(name)?] = true;
        }
        Ok(inside)
    };
    let is_all_reduce = plan.demand.gathers || plan.demand.adds;
    match b.name.as_str() {
        name if plan.demand.multicast && !COPIED.contains(&name) => {
            let why = format!(
                "'{name}' is no bound where switches copy messages and add up sums: {}",
                COPIED.join(", ")
            );
            Err(Fault::Certificate(why))
        }
        "volume" if is_all_reduce => sums::volume(plan),
        "ports" if plan.demand.gathers && plan.demand.groups.is_some() => {
            sums::ports(plan, vertex()?)
        }
        "late" if is_all_reduce => sums::late(plan, vertex()?),
        "cut" if is_all_reduce => sums::cut(plan, &side()?),
        "partition" if is_all_reduce => {
            let sets = b.certificate.sets.as_deref().ok_or_else(missing("sets"))?;
            let find = |set: &Vec<String>| set.iter().map(|name| find(name)).collect();
            sums::partition(plan, &sets.iter().map(find).collect::<Result<Vec<_>, _>>()?)
        }
        name if plan.demand.gathers => {
            let why =
                format!("'{name}' is no bound of an all-reduce: volume, late, cut, partition");
            Err(Fault::Certificate(why))
        }
        name if plan.demand.joins && !matches!(name, "growth" | "eccentricity" | "spread") => {
            let of_sums = if plan.demand.adds { ", volume, late, cut, partition" } else { "" };
            let why = format!(
                "'{name}' is no bound where messages join: growth, eccentricity, spread{of_sums}"
            );
            Err(Fault::Certificate(why))
        }
        "ports" => ports(plan, vertex()?),
        "growth" => growth(plan, vertex()?),
        "eccentricity" => eccentricity(plan, vertex()?),
        "journeys" => journeys(plan, vertex()?),
        "pipeline" => pipeline(plan),
        "distance" => distance(plan),
        "cut" => cut(plan, &side()?),
        "spread" => {
            let regions = b.certificate.regions.as_deref().ok_or_else(missing("regions"))?;
            let source = match plan.demand.joins {
                true => Some(vertex()?),
                false => b.certificate.vertex.as_deref().map(find).transpose()?,
            };
            spread(plan, source, regions)
        }
        "entries" => entries(plan, &side()?),
        "leaving" => leaving(plan, vertex()?),
        "congestion" => congestion(plan, &b.certificate),
        "longest" if b.bytes.is_some() => Ok(bytes::longest(plan)),
        "lengths" if b.bytes.is_some() => bytes::lengths(plan, &b.certificate),
        _ => Err(Fault::Certificate(
            "no certified bound of this name is known: ports, growth, eccentricity, journeys, \
             pipeline, distance, cut, spread, entries, leaving, congestion; in bytes also longest, lengths"
                .into(),
        )),
    }
}
