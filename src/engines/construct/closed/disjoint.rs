//! Link-disjoint shortest paths for many pairs at once; a link may be shared in proportion to its
//! capacity over the least. First a few simple rules choose the paths, then a search rips up paths
//! in conflict and reroutes them at negotiated prices (the PathFinder of McMurchie and Ebeling,
//! which routes the nets of gate arrays). Where routes are fixed there is nothing to choose.
//!
//! The rules read the number of the source, or of the destination, as digits: where k channels lead
//! on, the next digit in base k selects one. In a fat tree the bits of the source then give the
//! path up; in a Clos network every terminal of a switch gets its own middle switch.

use crate::cores;
use crate::engines::construct::router::Router;
use crate::network::{ChannelId, VertexId};
use crate::problem::{Problem, ResourceId, Ways};
use crate::rng::Rng;
use crate::routing::DistanceTable;
use crate::schedule::Step;
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

    /// Several steps by the rule that worked last. Paths to one destination, which read
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
        let is_apart = |&(from, to): &(usize, usize)| {
            self.distances.row(self.members[to])[self.members[from] as usize] == u16::MAX
        };
        if pairs.iter().any(is_apart) {
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
        self.by_search(pairs, rng)
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

    fn by_search(
        &mut self,
        pairs: &[(usize, usize)],
        rng: &mut Rng,
    ) -> Option<Vec<Vec<ChannelId>>> {
        self.uses.fill(0);
        self.fights.fill(0);
        let mut paths = vec![Vec::new(); pairs.len()];
        for (pair, path) in pairs.iter().zip(&mut paths) {
            self.route(*pair, path, rng);
        }
        for _ in 0..EFFORT * pairs.len() {
            let fighting: Vec<usize> = (0..paths.len())
                .filter(|&i| paths[i].iter().any(|&c| self.is_fought_over(self.link(c))))
                .collect();
            if fighting.is_empty() {
                return Some(paths);
            }
            let i = fighting[rng.random_range(0..fighting.len())];
            for &c in &paths[i] {
                let link = self.link(c);
                self.fights[link] += u64::from(self.is_fought_over(link));
                self.uses[link] -= 1;
            }
            self.route(pairs[i], &mut paths[i], rng);
        }
        None
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
