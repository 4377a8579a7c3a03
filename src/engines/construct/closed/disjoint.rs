//! Link-disjoint shortest paths for many pairs at once; a link may be shared in proportion to its
//! capacity over the least. First a few simple rules choose the paths, then a search rips up paths
//! in conflict and reroutes them at negotiated prices (the PathFinder of McMurchie and Ebeling,
//! which routes the nets of gate arrays). Where routes are fixed there is nothing to choose.
//!
//! The rules read the number of the source, or of the destination, as digits: where k channels lead
//! on, the next digit in base k selects one. In a fat tree the bits of the source then give the
//! path up; in a Clos network every terminal of a switch gets its own middle switch.

use crate::construct::router::Router;
use ccsched_base::cores;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{Problem, ResourceId, Ways};
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Step;
use ccsched_network::{ChannelId, VertexId};
use rand::RngExt;

/// Paths rerouted per pair before a search gives up.
const EFFORT: usize = 40;
/// Price of a link in use, relative to that of one past conflict.
const IN_USE: u64 = 8;

/// Channels that are looked at for a path, about.
const VISITS: usize = 50;

/// The number that a rule gives to a pair.
type Rule = fn(usize, usize) -> usize;

const RULES: [Rule; 3] = [|from, _| from, |_, to| to, |_, _| 0];

/// A step by a rule.
#[derive(Debug)]
pub struct ByRule {
    pub rule: usize,
    /// None if its paths are in conflict, or some has no end; or where routes are fixed.
    pub step: Option<Step>,
}

/// Finds the paths of a step.
pub struct Disjoint<'a> {
    problem: &'a Problem,
    members: &'a [VertexId],
    /// Paths that searches may still reroute, each weighed by the pairs of its step.
    looks: usize,
    /// The distances to every member.
    distances: DistanceTable,
    outgoing: Ways,
    /// By link, the number of paths it takes, the paths over it, and its past conflicts.
    shares: Vec<u64>,
    uses: Vec<u64>,
    fights: Vec<u64>,
    router: Router,
    /// The rule that worked last.
    rule: usize,
}

impl<'a> Disjoint<'a> {
    /// For pairs of these terminals; a pair gives their indices in the list.
    pub fn new(problem: &'a Problem, members: &'a [VertexId]) -> Self {
        let network = problem.network();
        Disjoint {
            problem,
            members,
            looks: usize::MAX,
            distances: DistanceTable::to(network, members.iter().copied()),
            outgoing: Ways::outgoing(network, problem.resources()),
            shares: problem.resources().capacities()[..problem.resources().links()]
                .iter()
                .map(|&capacity| capacity.into())
                .collect(),
            uses: vec![0; problem.resources().links()],
            fights: vec![0; problem.resources().links()],
            router: Router::default(),
            rule: 0,
        }
    }

    /// The same, with an end to what all searches together look at.
    pub fn within(self, looks: usize) -> Self {
        Disjoint { looks, ..self }
    }

    /// Several steps of a total exchange by the rule that worked last. Paths to one destination, which read
    /// the same distances, are found together. All cores work on them.
    pub fn by_rule(&self, steps: &[Vec<(usize, usize)>]) -> Vec<ByRule> {
        let pairs = cores::ends(steps.iter().map(Vec::len));
        let parts = cores::parts(steps.len(), |step| pairs[step] * VISITS);
        let found = cores::each(parts, |part| self.some_by_rule(&steps[part]));
        found.into_iter().flatten().map(|step| ByRule { rule: self.rule, step }).collect()
    }

    fn some_by_rule(&self, steps: &[Vec<(usize, usize)>]) -> Vec<Option<Step>> {
        if self.problem.has_fixed_routes() {
            return vec![None; steps.len()];
        }
        let numbered = |(step, pairs): (usize, &Vec<(usize, usize)>)| {
            pairs.iter().map(move |&(from, to)| (to, from, step)).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = steps.iter().enumerate().flat_map(numbered).collect();
        all.sort_unstable();
        let mut found = vec![Some(Step::default()); steps.len()];
        let mut path = Vec::new();
        for (to, from, step) in all {
            let number = RULES[self.rule](from, to);
            let arrives = self.digits(self.members[from], to, number, &mut path);
            found[step] = found[step].take().filter(|_| arrives);
            if let Some(step) = &mut found[step] {
                step.push(self.problem.exchanged(from, to), &path);
            }
        }
        let mut uses = vec![0; self.shares.len()];
        let mut is_apart =
            |step: &Step| self.are_apart(step.iter().flat_map(|t| t.channels), &mut uses);
        found.into_iter().map(|step| step.filter(&mut is_apart)).collect()
    }

    /// A path for every pair, within the share of every link; one rule has been tried.
    pub fn paths(
        &mut self,
        pairs: &[(usize, usize)],
        tried: usize,
        rng: &mut Rng,
    ) -> Option<Vec<Vec<ChannelId>>> {
        if pairs.iter().any(|&pair| self.are_apart_at_all(pair)) {
            return None;
        }
        if self.problem.has_fixed_routes() {
            let problem = self.problem;
            let fixed = |&(from, to): &(usize, usize)| {
                let route = problem.fixed_route(self.members[from], self.members[to])?;
                Some(route.to_vec())
            };
            let paths: Vec<_> = pairs.iter().map(fixed).collect::<Option<_>>()?;
            return self.are_all_apart(&paths).then_some(paths);
        }
        for rule in (0..RULES.len()).filter(|&rule| rule != tried) {
            let path = |&(from, to): &(usize, usize)| {
                let mut path = Vec::new();
                self.digits(self.members[from], to, RULES[rule](from, to), &mut path);
                path
            };
            let paths: Vec<_> = pairs.iter().map(path).collect();
            if self.are_all_apart(&paths) {
                self.rule = rule;
                return Some(paths);
            }
        }
        let mut paths = vec![Vec::new(); pairs.len()];
        self.search(pairs, &mut paths, rng).then_some(paths)
    }

    /// A path for as many pairs as find one together, each in the place of its pair.
    pub fn most_paths(
        &mut self,
        pairs: &[(usize, usize)],
        rng: &mut Rng,
    ) -> Vec<Option<Vec<ChannelId>>> {
        let is_free = !self.problem.has_fixed_routes();
        let rules = if is_free { RULES.len() } else { 1 };
        let (mut best, mut most) = (vec![None; pairs.len()], 0);
        let mut is_better = |kept: Vec<Option<Vec<ChannelId>>>| {
            let count = kept.iter().flatten().count();
            if count > most {
                (best, most) = (kept, count);
            }
            most == pairs.len()
        };
        for rule in 0..rules {
            let paths = pairs.iter().map(|&pair| self.given(pair, rule)).collect();
            if is_better(self.kept(paths)) {
                return best;
            }
        }
        // What takes more channels than there are is not sought for long.
        let may_fit = is_free && !pairs.iter().any(|&pair| self.are_apart_at_all(pair));
        if may_fit && self.looks >= pairs.len() && self.steps_of(pairs) == 1 {
            let mut paths = vec![Vec::new(); pairs.len()];
            self.search(pairs, &mut paths, rng);
            is_better(self.kept(paths.into_iter().map(Some).collect()));
        }
        if !is_free {
            return best;
        }
        let priced = self.filled(pairs, vec![None; pairs.len()], rng);
        let best = self.filled(pairs, best, rng);
        let count = |paths: &[Option<Vec<ChannelId>>]| paths.iter().flatten().count();
        if count(&priced) > count(&best) { priced } else { best }
    }

    /// These paths, and those of the other pairs that have one beside them.
    fn filled(
        &mut self,
        pairs: &[(usize, usize)],
        mut paths: Vec<Option<Vec<ChannelId>>>,
        rng: &mut Rng,
    ) -> Vec<Option<Vec<ChannelId>>> {
        self.uses.fill(0);
        self.fights.fill(0);
        for &c in paths.iter().flatten().flatten() {
            let link = self.link(c);
            self.uses[link] += 1;
        }
        for (path, &pair) in paths.iter_mut().zip(pairs) {
            if path.is_some() || self.are_apart_at_all(pair) {
                continue;
            }
            let mut other = Vec::new();
            self.route(pair, &mut other, rng);
            if !other.iter().any(|&c| self.is_fought_over(self.link(c))) {
                *path = Some(other);
                continue;
            }
            for c in other {
                let link = self.link(c);
                self.uses[link] -= 1;
            }
        }
        paths
    }

    /// Whether the source does not reach the destination.
    fn are_apart_at_all(&self, (from, to): (usize, usize)) -> bool {
        self.distances.row(self.members[to])[self.members[from] as usize] == u16::MAX
    }

    /// Steps in which the channels suffice for paths of the pairs, at least 1.
    pub fn steps_of(&self, pairs: &[(usize, usize)]) -> usize {
        let free: u64 = self.shares.iter().sum();
        self.channels(pairs).div_ceil((free as usize).max(1)).max(1)
    }

    /// The fixed route of a pair, or its path by a rule.
    fn given(&self, (from, to): (usize, usize), rule: usize) -> Option<Vec<ChannelId>> {
        let source = self.members[from];
        if self.problem.has_fixed_routes() {
            return self.problem.fixed_route(source, self.members[to]).map(<[ChannelId]>::to_vec);
        }
        let mut path = Vec::new();
        self.digits(source, to, RULES[rule](from, to), &mut path).then_some(path)
    }

    /// The paths that are not in conflict with earlier ones.
    fn kept(&mut self, paths: Vec<Option<Vec<ChannelId>>>) -> Vec<Option<Vec<ChannelId>>> {
        let mut uses = std::mem::take(&mut self.uses);
        uses.fill(0);
        let mut kept = |path: &Vec<ChannelId>| {
            let is_free = |&c: &ChannelId| uses[self.link(c)] < self.shares[self.link(c)];
            let are_free = path.iter().all(is_free);
            path.iter().filter(|_| are_free).for_each(|&c| uses[self.link(c)] += 1);
            are_free
        };
        let paths = paths.into_iter().map(|path| path.filter(&mut kept)).collect();
        self.uses = uses;
        paths
    }

    /// Channels of the shortest paths of some pairs.
    pub fn channels(&self, pairs: &[(usize, usize)]) -> usize {
        let distance = |&(from, to): &(usize, usize)| {
            usize::from(self.distances.row(self.members[to])[self.members[from] as usize])
        };
        pairs.iter().map(distance).sum()
    }

    /// Whether paths are within the share of every link.
    fn are_all_apart(&mut self, paths: &[Vec<ChannelId>]) -> bool {
        let mut uses = std::mem::take(&mut self.uses);
        let are_apart = self.are_apart(paths.iter().flatten(), &mut uses);
        self.uses = uses;
        are_apart
    }

    /// Whether no link has more of these channels than its share; counts them, up to the first that is too many.
    fn are_apart<'c>(
        &self,
        mut channels: impl Iterator<Item = &'c ChannelId>,
        uses: &mut [u64],
    ) -> bool {
        uses.fill(0);
        channels.all(|&c| {
            let link = self.link(c);
            uses[link] += 1;
            uses[link] <= self.shares[link]
        })
    }

    /// The shortest path on which the digits of `number` select among the channels that lead on. Returns whether
    /// there is one.
    fn digits(
        &self,
        from: VertexId,
        to: usize,
        mut number: usize,
        path: &mut Vec<ChannelId>,
    ) -> bool {
        let to = self.members[to];
        let distance = self.distances.row(to);
        let mut at = from;
        path.clear();
        while at != to {
            let left = distance[at as usize] - 1;
            let ways = self.outgoing.of(at).iter();
            let choices = || ways.clone().filter(|way| distance[way.to as usize] == left);
            let count = choices().count();
            // Every vertex that reaches the destination has a nearer neighbour.
            let Some(way) = choices().nth(number % count.max(1)) else { return false };
            number /= count;
            path.push(way.channel);
            at = way.to;
        }
        true
    }

    /// Searches for the paths of all pairs. Returns whether none are in conflict.
    fn search(
        &mut self,
        pairs: &[(usize, usize)],
        paths: &mut [Vec<ChannelId>],
        rng: &mut Rng,
    ) -> bool {
        self.uses.fill(0);
        self.fights.fill(0);
        for (pair, path) in pairs.iter().zip(paths.iter_mut()) {
            self.route(*pair, path, rng);
        }
        for _ in 0..EFFORT * pairs.len() {
            let fighting: Vec<usize> = (0..paths.len())
                .filter(|&i| paths[i].iter().any(|&c| self.is_fought_over(self.link(c))))
                .collect();
            if fighting.is_empty() {
                return true;
            }
            if self.looks < pairs.len() {
                return false;
            }
            self.looks -= pairs.len();
            let i = fighting[rng.random_range(0..fighting.len())];
            for &c in &paths[i] {
                let link = self.link(c);
                self.fights[link] += u64::from(self.is_fought_over(link));
                self.uses[link] -= 1;
            }
            self.route(pairs[i], &mut paths[i], rng);
        }
        false
    }

    fn is_fought_over(&self, link: usize) -> bool {
        self.uses[link] > self.shares[link]
    }

    fn link(&self, c: ChannelId) -> usize {
        let link: ResourceId = self.problem.resources().of_channel(c);
        link as usize
    }

    fn route(&mut self, (from, to): (usize, usize), path: &mut Vec<ChannelId>, rng: &mut Rng) {
        let (network, resources) = (self.problem.network(), self.problem.resources());
        let price = |c: ChannelId| {
            let link = resources.of_channel(c) as usize;
            let excess = (self.uses[link] + 1).saturating_sub(self.shares[link]);
            excess * (IN_USE + self.fights[link])
        };
        let ends = (self.members[from], self.members[to]);
        let row = self.distances.row(ends.1);
        let distance = |v: VertexId| u32::from(row[v as usize]);
        self.router.cheapest(network, ends, distance, price, path, rng);
        for &c in path.iter() {
            self.uses[resources.of_channel(c) as usize] += 1;
        }
    }
}
