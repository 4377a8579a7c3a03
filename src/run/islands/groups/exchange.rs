//! One exchange group: from a decision to the messages for its islands, and from their answers to
//! the answer of the group.

use super::partners::partners;
use super::summary::{Migrant, better};
use super::{Answer, Decision, GroupState, INSIDE, Summary, Terms};
use crate::islands::protocol::{FromIsland, FromMaster, Report};
use crate::islands::{IslandStats, Search};
use ccsched_base::codec::CommError;
use ccsched_base::rng::{Rng, rng_of};
use ccsched_engines::{Genome, Part, Sharing};
use std::ops::Range;
use std::sync::Arc;

/// The cost of an island that has panicked, above that of any other.
const OF_FAILED: u64 = 1 << 40;

/// A group of islands that exchange with each other.
pub struct Group {
    islands: Range<usize>,
    search: Search,
    rng: Rng,
    /// The reports of the last leg.
    reports: Vec<Report>,
    /// Islands that have panicked.
    failed: usize,
    /// Reports of the current leg that were sent before an interrupt.
    early: Vec<Option<Report>>,
    /// The partners of each island unless the leg ends with an exchange between groups, and the
    /// generator after that.
    drawn: Option<(Vec<Vec<usize>>, Rng)>,
    save: Save,
}

/// Whether the islands are asked for their states.
#[derive(PartialEq)]
enum Save {
    No,
    /// At an exchange: the messages that follow.
    At(Vec<FromMaster>),
    /// Within a leg: each island says how it goes on.
    Within,
}

impl Group {
    /// The group of these islands.
    pub fn new(islands: Range<usize>, search: Search) -> Self {
        let rng = rng_of(search.seed, islands.start, INSIDE);
        let (reports, early) = (vec![], vec![]);
        Group { islands, search, rng, reports, failed: 0, early, drawn: None, save: Save::No }
    }

    /// The next message to each island by a decision for this group alone.
    ///
    /// # Errors
    /// A decision out of turn.
    pub fn orders(&mut self, decision: Decision) -> Result<Vec<FromMaster>, CommError> {
        let out_of_turn = || CommError::OutOfTurn(0);
        let islands = self.islands.len();
        let to_all = |order: FromMaster| vec![order; islands];
        Ok(match decision {
            Decision::Seek(steps) => match self.partners(true) {
                Some(partners) => {
                    let order = |partner| FromMaster::Seek(steps, partner);
                    partners.into_iter().map(order).collect()
                }
                None => {
                    let parts = parts(&self.reports, true).unwrap_or(vec![None; islands]);
                    parts.into_iter().map(|parts| FromMaster::Seek(steps, parts)).collect()
                }
            },
            Decision::CrossOver => {
                let partners = self.partners(false).ok_or_else(out_of_turn)?;
                partners.into_iter().map(FromMaster::CrossOver).collect()
            }
            Decision::Migrate(mut genomes) => {
                let genome = genomes.pop().ok_or_else(out_of_turn)?;
                match parts(&self.reports, false) {
                    Some(parts) => parts.into_iter().map(FromMaster::CrossOver).collect(),
                    None => to_all(FromMaster::CrossOver(genome)),
                }
            }
            Decision::Load(steps, mut states) => {
                self.load(states.pop().ok_or_else(out_of_turn)?, steps)
            }
            Decision::Save(next) => {
                let orders = to_all(FromMaster::Save);
                let next = next.map(|next| self.orders(*next)).transpose()?;
                self.save = next.map_or(Save::Within, Save::At);
                orders
            }
            Decision::Proceed => match std::mem::replace(&mut self.save, Save::No) {
                Save::At(orders) => orders,
                Save::No | Save::Within => return Err(out_of_turn()),
            },
            Decision::Break => to_all(FromMaster::Break),
            Decision::End => to_all(FromMaster::End),
        })
    }

    /// The genomes that the islands receive, if partners are drawn. A new search `begins` or not.
    fn partners(&mut self, begins: bool) -> Option<Vec<Option<Genome>>> {
        let (partners, rng) = self.drawn.take()?;
        self.rng = rng;
        let shown = |of: Vec<usize>| of.into_iter().map(|of| self.reports[of].genome.clone());
        let Some(parts) = parts(&self.reports, begins) else {
            return Some(partners.into_iter().map(|of| Genome::of_several(shown(of))).collect());
        };
        let given = |(mut parts, partners): (Option<Genome>, Vec<usize>)| {
            let beside = |genome| match genome {
                Genome::Both(both) => {
                    let parts = parts.take().unwrap_or_default();
                    Some(Genome::Both(Box::new((parts, both.1))))
                }
                _ => None,
            };
            let both = Genome::of_several(shown(partners).filter_map(beside));
            both.or(parts)
        };
        Some(parts.into_iter().zip(partners).map(given).collect())
    }

    fn load(&mut self, state: GroupState, goal: u64) -> Vec<FromMaster> {
        (self.rng, self.early) = (state.rng, state.reports);
        let load = |(island, then)| FromMaster::Load(Box::new(island), Box::new(then));
        let mut orders: Vec<_> = state.islands.into_iter().zip(state.orders).map(load).collect();
        // Islands beyond those of the state start like those of a new search.
        orders.resize(self.islands.len(), FromMaster::Seek(goal, None));
        orders
    }

    /// The answer of the group, after the answers of all its islands. `counts` asks for statistics.
    ///
    /// # Errors
    /// An answer out of turn.
    pub fn answer(
        &mut self,
        words: Vec<FromIsland>,
        terms: &Terms,
        counts: bool,
    ) -> Result<Answer, CommError> {
        if self.save != Save::No {
            return self.saved(words).map(Answer::Saved);
        }
        let mut early = std::mem::take(&mut self.early).into_iter();
        self.reports.clear();
        self.failed = 0;
        for (island, word) in self.islands.clone().zip(words) {
            self.reports.push(match (early.next().flatten(), word) {
                (Some(report), _) | (None, FromIsland::Report(report)) => report,
                (None, FromIsland::Lost) => Report { broken_off: true, ..Report::default() },
                // It has no schedule, and shows nothing.
                (None, FromIsland::Failed) => {
                    self.failed += 1;
                    Report { cost: OF_FAILED, ..Report::default() }
                }
                _ => return Err(CommError::OutOfTurn(island)),
            });
        }
        Ok(Answer::Summary(Box::new(self.summary(terms, counts))))
    }

    fn summary(&mut self, terms: &Terms, counts: bool) -> Summary {
        let Group { islands, reports, search, failed, .. } = self;
        let first = reports.iter().find(|r| r.cost < OF_FAILED).unwrap_or(&reports[0]);
        let plans = reports.iter().filter_map(|r| r.plan.clone());
        let is_news = |plan: &ccsched_model::schedule::Plan| {
            search.wants(plan) && terms.best.is_none_or(|best| plan.rank() < best)
        };
        let plan = plans.filter(|(plan, _)| is_news(plan)).map(Some).fold(None, better);
        let costs: Vec<u64> = reports.iter().map(|r| r.cost).collect();
        let is_broken = reports.iter().any(|r| r.broken_off);
        self.drawn = None;
        let mut migrants = vec![];
        let best = (0..costs.len()).min_by_key(|&i| costs[i]).filter(|_| !is_broken);
        match best {
            Some(best) if terms.is_between => {
                // A part is of use to its own group alone.
                let genome = match &reports[best].genome {
                    Genome::Part(_) => Genome::Nothing,
                    shown => shown.clone(),
                };
                migrants.push(Migrant { island: islands.start + best, cost: costs[best], genome });
            }
            Some(_) => {
                let mut rng = self.rng.clone();
                let of = |island| partners(search.migration, &costs, island, &mut rng);
                self.drawn = Some(((0..costs.len()).map(of).collect(), rng));
            }
            None => {}
        }
        let passed = reports.iter().filter(|r| r.cost < OF_FAILED).map(|r| r.passed).max();
        let partners = self.drawn.as_ref().map_or(&[][..], |(partners, _)| partners);
        Summary {
            cost: costs.iter().copied().min().unwrap_or(0),
            plan,
            patience: first.patience,
            temperature: first.temperature,
            failed: *failed,
            iterations: reports.iter().map(|r| r.iterations).max().unwrap_or(0),
            passed: passed.unwrap_or(search.exchange_every),
            evaluations: reports.iter().map(|r| r.evaluations).sum(),
            is_broken,
            migrants,
            stats: if counts { stats(reports, partners) } else { vec![] },
        }
    }

    /// The state of the group; none if an island has none. Islands that are lost are left out.
    fn saved(&mut self, words: Vec<FromIsland>) -> Result<Option<Vec<GroupState>>, CommError> {
        let (mut islands, mut orders, mut reports) = (vec![], vec![], vec![]);
        let is_whole = |r: &Report| !r.broken_off && r.cost < OF_FAILED;
        let whole = |r: &Report| is_whole(r).then(|| r.clone());
        for ((place, island), word) in self.islands.clone().enumerate().zip(words) {
            let (state, told) = match word {
                FromIsland::State(Some(state)) => *state,
                FromIsland::State(None) => return Ok(None),
                FromIsland::Lost => continue,
                _ => return Err(CommError::OutOfTurn(island)),
            };
            islands.push(state);
            match &self.save {
                Save::At(next) => orders.push(next[place].clone()),
                Save::No | Save::Within => {
                    orders.push(told);
                    reports.push(self.reports.get(place).and_then(whole));
                }
            }
        }
        Ok(Some(vec![GroupState { rng: self.rng.clone(), islands, orders, reports }]))
    }
}

/// What the islands of a team receive, if there are some: the parts of all of them; or each island of
/// the worse half that of one of the better half, all that of the best one if a new search `begins`.
fn parts(reports: &[Report], begins: bool) -> Option<Vec<Option<Genome>>> {
    let part = |island: usize| reports[island].genome.part();
    let mut order: Vec<usize> = (0..reports.len()).filter(|&i| part(i).is_some()).collect();
    let all: Vec<Arc<Part>> = order.iter().filter_map(|&island| part(island).cloned()).collect();
    let mut given = vec![None; reports.len()];
    if all.first()?.sharing == Sharing::All {
        let all = Genome::Parts(Arc::new(all));
        order.iter().for_each(|&island| given[island] = Some(all.clone()));
        return Some(given);
    }
    order.sort_by_key(|&island| part(island).map(|part| part.cost));
    let worse = order.len() - order.len() / 2;
    for (rank, &island) in order.iter().enumerate() {
        let from = if begins { Some(order[0]) } else { rank.checked_sub(worse).map(|r| order[r]) };
        let from = from.and_then(part).cloned();
        given[island] = from.map(|part| Genome::Parts(Arc::new(vec![part])));
    }
    Some(given)
}

/// The statistics of the islands, if each crosses over with its partners.
fn stats(reports: &[Report], partners: &[Vec<usize>]) -> Vec<IslandStats> {
    let shows = |r: &Report| r.genome != Genome::Nothing;
    let stats = |(island, r): (usize, &Report)| IslandStats {
        cost: r.cost,
        mean_cost: r.mean_cost,
        temperature: r.temperature,
        evaluations: r.evaluations,
        tally: r.tally,
        sent: partners.iter().filter(|of| of.contains(&island) && shows(r)).count() as u64,
    };
    reports.iter().enumerate().map(stats).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_engines::Part;

    #[test]
    fn parts_are_handed_to_all_islands_that_show_one() {
        let window = || Genome::Part(Arc::new(Part::for_all(&7)));
        let report = |genome| FromIsland::Report(Report { cost: 1, genome, ..Report::default() });
        let given = |terms: Terms, decision: Decision| {
            let mut group = Group::new(0..3, Search::default());
            let words = vec![report(window()), report(Genome::Nothing), report(window())];
            let Answer::Summary(summary) = group.answer(words, &terms, false).unwrap() else {
                panic!("no summary")
            };
            // Other groups have no use for it.
            assert!(summary.migrants.iter().all(|migrant| migrant.genome == Genome::Nothing));
            group.orders(decision).unwrap()
        };
        let both =
            Genome::Parts(Arc::new([7, 7].map(|shown| Arc::new(Part::for_all(&shown))).to_vec()));
        let [inside, between] = [false, true].map(|is_between| Terms { best: None, is_between });
        let crossed = [Some(both.clone()), None, Some(both)].map(FromMaster::CrossOver);
        assert_eq!(given(inside, Decision::CrossOver), crossed);
        assert_eq!(given(between, Decision::Migrate(vec![None])), crossed);
    }
}
