//! Schedules that expect faults: of several schedules of a scatter with as many steps, the one whose
//! worst repair after one broken link needs the fewest steps, and then changes the fewest messages.
//!
//! The first is given; the others come from the best so far. Its worst link is relieved: messages keep
//! the places that a repair without this link gives them, but for a random share of those that used it.
//! Or what takes the worst link, and some other messages, are taken out and ejected into the schedule
//! anew. Each is judged by a repair after every single link, and given up as soon as one of them is
//! worse than all of the best. The search ends at the least that loads of links and cuts allow.

use super::{is_repaired, record};
use crate::Options;
use crate::islands::StopCondition;
use ccsched_base::rng::rng_of;
use ccsched_base::{Error, Result, cores};
use ccsched_bounds as bounds;
use ccsched_bounds::sides;
use ccsched_engines::search::scatter::{CHAIN, Repair};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::{Plan, resolve_survivors};
use ccsched_network::metrics::Distances;
use ccsched_network::{ChannelId, faults};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::Serialize;
use std::collections::HashSet;
use std::sync::Arc;

/// Schedules that are tried.
const TRIES: usize = 16;
/// The share of tries that begin with nothing, as one of this number.
const FRESH: usize = 4;
/// The share of the messages beside those over the worst link that are taken out.
const SHARE: f64 = 0.1;
/// Rounds of a repair that is judged.
const ROUNDS: usize = 2;
/// Passes over the moved messages of a repair that is judged.
const PASSES: usize = 2;
/// Repairs that are judged together, whatever the number of cores.
const TOGETHER: usize = 8;

/// The worst over repairs after one broken link: the first is compared first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Score {
    /// Steps of the repaired schedule.
    pub steps: u32,
    /// Messages that change.
    pub changed: usize,
}

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spare {
    /// The steps that a repair may take without being worse.
    pub steps: u32,
    /// Links whose loss leaves each message a path.
    pub links: usize,
    /// Other links.
    pub cut: usize,
    /// The schedules that were judged, the given one among them.
    pub tried: usize,
    /// The score of the given schedule.
    pub before: Score,
    /// That of the best.
    pub after: Score,
    /// No schedule has a better one.
    pub least: Score,
}

/// A problem without one of its links.
struct Broken {
    channels: Vec<ChannelId>,
    problem: Arc<Problem>,
    bound: u32,
}

/// Whether the schedules of a problem can be judged by their repairs.
///
/// # Errors
/// They cannot; why.
pub fn check(problem: &Problem) -> Result<()> {
    match is_repaired(problem) {
        true => Ok(()),
        false => {
            let why = "it is for scatters with wormhole or store-and-forward switching, whose \
                       messages are repaired one by one";
            Err(Error::field("spare", why))
        }
    }
}

/// The best schedule of those that are tried, with at most `more` steps more than the given one, and what
/// was tried; none if the condition stops it before the given one is judged.
pub fn spare(
    problem: &Arc<Problem>,
    plan: &Plan,
    more: u32,
    options: &Options,
    stop: StopCondition<'_>,
) -> Option<(Plan, Spare)> {
    let steps = plan.len() as u32 + more;
    let (broken, cut) = broken(problem);
    let judge = Judge { problem, broken: &broken, steps, options, stop };
    let mut order: Vec<usize> = (0..broken.len()).collect();
    let mut scores = judge.scores(plan, &order, None)?;
    let worst = |scores: &[Score]| scores.iter().copied().max().unwrap_or_default();
    let before = worst(&scores);
    let least = least(problem, &broken, (steps, cut));
    let (mut best, mut tried) = (plan.clone(), 1);
    while tried <= TRIES && worst(&scores) > least && stop.cuts().is_none() {
        order.sort_by_key(|&link| std::cmp::Reverse(scores[link]));
        let other = match tried.is_multiple_of(2) {
            true => judge.other(&best, order[0], tried),
            false => judge.relieved(&best, order[0], tried),
        };
        tried += 1;
        let Some(other) = other else { continue };
        if let Some(found) = judge.scores(&other, &order, Some(worst(&scores)))
            && worst(&found) < worst(&scores)
        {
            (best, scores) = (other, found);
        }
    }
    let (links, after) = (broken.len(), worst(&scores));
    Some((best, Spare { steps, links, cut, tried, before, after, least }))
}

/// What no schedule is below: messages of at least as many channels as their shortest paths load the
/// links, and those that cross a cut load its links. The most loaded of the links counts if the loss
/// of each takes as many steps.
fn least(problem: &Problem, broken: &[Broken], (steps, cut): (u32, usize)) -> Score {
    let network = problem.network();
    let base = |broken: &Broken| broken.bound.max(steps);
    let most = broken.iter().map(base).max().unwrap_or(steps);
    let mut is_worst = vec![false; network.channels().len()];
    for broken in broken.iter().filter(|&broken| base(broken) == most) {
        broken.channels.iter().for_each(|&c| is_worst[c as usize] = true);
    }
    let links = |channels: &mut dyn Iterator<Item = ChannelId>| {
        let first = |&c: &ChannelId| network.channel(c).reverse.is_none_or(|r| c < r);
        channels.filter(first).count()
    };
    let mut changed = 0;
    if cut == 0 && is_worst.iter().all(|&is_worst| is_worst) {
        let distances = Distances::new(network);
        let far =
            |d: &ccsched_model::problem::Demand| distances.get(d.source, d.destination) as usize;
        let all: usize = problem.demands().iter().map(far).sum();
        changed = all.div_ceil(links(&mut (0..is_worst.len() as ChannelId)).max(1));
    }
    for side in sides(network) {
        let crosses = &|a, b| side.has(a) != side.has(b);
        let of_cut = || {
            let channels = (0..).zip(network.channels());
            channels.filter(move |(_, c)| crosses(c.from, c.to)).map(|(c, _)| c)
        };
        if of_cut().all(|c: ChannelId| is_worst[c as usize]) {
            let over = problem.demands().iter().filter(|d| crosses(d.source, d.destination));
            changed = changed.max(over.count().div_ceil(links(&mut of_cut()).max(1)));
        }
    }
    Score { steps: most, changed }
}

/// The problems without one link, and the number of links without which a message has no path.
fn broken(problem: &Problem) -> (Vec<Broken>, usize) {
    let network = problem.network();
    let first = |&c: &ChannelId| network.channel(c).reverse.is_none_or(|r| c < r);
    let links: Vec<ChannelId> = (0..network.channels().len() as ChannelId).filter(first).collect();
    let count = links.len();
    let pose = |c: ChannelId| -> Option<Broken> {
        let channels: Vec<ChannelId> =
            std::iter::once(c).chain(network.channel(c).reverse).collect();
        let of = |&c: &ChannelId| faults::record(network, c, &channels);
        let records = faults::after(problem.faults(), channels.iter().map(of));
        let rest = faults::apply(network, &channels, &[]).ok()?;
        let problem = Arc::new(problem.request().pose(rest, records).ok()?);
        let bound = bounds::quick(&problem).first().map_or(1, |bound| bound.steps);
        Some(Broken { channels, problem, bound })
    };
    let broken: Vec<Broken> = cores::each(links, pose).into_iter().flatten().collect();
    let cut = count - broken.len();
    (broken, cut)
}

/// What judges schedules.
struct Judge<'j> {
    problem: &'j Arc<Problem>,
    broken: &'j [Broken],
    steps: u32,
    options: &'j Options,
    stop: StopCondition<'j>,
}

impl Judge<'_> {
    /// The score of each link; none if one is worse than `most`, or the search is over.
    fn scores(&self, plan: &Plan, order: &[usize], most: Option<Score>) -> Option<Vec<Score>> {
        let file = record(self.problem, plan, &[], self.options);
        let mut scores = vec![Score::default(); self.broken.len()];
        for links in order.chunks(TOGETHER) {
            let of_link = |link: usize| {
                let broken = &self.broken[link];
                let old = resolve_survivors(&file, &broken.problem).ok()?;
                Some((link, self.score(broken, &old, link)))
            };
            for found in cores::each(links.to_vec(), of_link) {
                let (link, score) = found?;
                if most.is_some_and(|most| score > most) {
                    return None;
                }
                scores[link] = score;
            }
            if self.stop.cuts().is_some() {
                return None;
            }
        }
        Some(scores)
    }

    /// The repair of what is left of a schedule, in the fewest steps in which it is found.
    fn score(&self, broken: &Broken, old: &Plan, link: usize) -> Score {
        let mut search = Repair::new(broken.problem.clone(), old);
        let mut rng = rng_of(self.options.seed, link, 6);
        let least = search.homeless();
        let base = self.steps.max(broken.bound);
        let more = std::iter::successors(Some(1), |more| Some(2 * more));
        for more in std::iter::once(0).chain(more).take_while(|&more| more <= base) {
            let steps = base + more;
            let mut changed: Option<usize> = None;
            for _ in 0..ROUNDS {
                // A round on a large network takes long; what is cut short counts for nothing.
                if self.stop.cuts().is_some() {
                    return Score { steps: u32::MAX, changed: usize::MAX };
                }
                let Some(mut found) = search.round(steps, &mut rng) else { continue };
                if found.moved > least {
                    search.adopt(steps, &found);
                    (0..PASSES).for_each(|_| _ = search.send_home(CHAIN, &mut rng));
                    found = search.repaired();
                }
                changed = changed.into_iter().chain([found.moved]).min();
                if changed == Some(least) {
                    break;
                }
            }
            if let Some(changed) = changed {
                return Score { steps, changed };
            }
        }
        Score { steps: u32::MAX, changed: usize::MAX }
    }

    /// Another schedule: the best with its worst link relieved; none if messages are left without a place.
    fn relieved(&self, best: &Plan, worst: usize, number: usize) -> Option<Plan> {
        let mut rng = rng_of(self.options.seed, number, 7);
        let broken = &self.broken[worst];
        let file = record(self.problem, best, &[], self.options);
        let old = resolve_survivors(&file, &broken.problem).ok()?;
        let mut search = Repair::new(broken.problem.clone(), &old);
        let found = search.round(self.steps.max(broken.bound), &mut rng)?;
        let plan = search.plan(&found, self.steps.max(broken.bound));
        let file = plan.record(&broken.problem, &[], Default::default());
        // The places of all messages without the link.
        let without = resolve_survivors(&file, self.problem).ok()?;
        let is_over = |channels: &[ChannelId]| channels.iter().any(|c| broken.channels.contains(c));
        let over = best.transfers().filter(|t| is_over(t.channels)).map(|t| t.message);
        let share = rng.random_range(0.2..0.9);
        let back: HashSet<u32> = over.filter(|_| !rng.random_bool(share)).collect();
        let mut start = Plan::new(self.steps);
        let places = |plan: &Plan, is_of_best: bool, start: &mut Plan| {
            for (step, transfers) in (0..self.steps as usize).zip(plan.steps()) {
                let own = transfers.iter().filter(|t| back.contains(&t.message) == is_of_best);
                own.for_each(|t| start.push(step, t.message, t.channels.iter().copied()));
            }
        };
        places(&without, false, &mut start);
        places(best, true, &mut start);
        let mut search = Repair::new(self.problem.clone(), &start);
        let found = search.round(self.steps, &mut rng)?;
        let mut plan = search.plan(&found, self.steps);
        plan.tidy();
        Some(plan)
    }

    /// Another schedule, made from the best; none if messages are left without a place.
    fn other(&self, best: &Plan, worst: usize, number: usize) -> Option<Plan> {
        let mut rng = rng_of(self.options.seed, number, 7);
        let over = &self.broken[worst].channels;
        let is_over = |channels: &[ChannelId]| channels.iter().any(|c| over.contains(c));
        let mut out: HashSet<u32> =
            best.transfers().filter(|t| is_over(t.channels)).map(|t| t.message).collect();
        let mut others: Vec<u32> = best.transfers().map(|t| t.message).collect();
        others.sort_unstable();
        others.dedup();
        others.shuffle(&mut rng);
        let share =
            if number.is_multiple_of(FRESH) { 1.0 } else { SHARE * rng.random_range(0.1..2.0) };
        out.extend(&others[..(others.len() as f64 * share) as usize]);
        let mut left = Plan::new(best.len() as u32);
        for (step, transfers) in best.steps().enumerate() {
            for t in transfers.iter().filter(|t| !out.contains(&t.message)) {
                left.push(step, t.message, t.channels.iter().copied());
            }
        }
        let mut search = Repair::new(self.problem.clone(), &left);
        let found = search.round(self.steps, &mut rng)?;
        let mut plan = search.plan(&found, self.steps);
        plan.tidy();
        Some(plan)
    }
}
