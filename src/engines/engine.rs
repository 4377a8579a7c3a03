//! The engines by name, with their parameters and what each can schedule.

use super::policy::{self, Reopening};
use super::{Method, PathsFound, Walker, auto, construct, hgsa, journeys, own, umda};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Problem, Switching};
use ccsched_model::schedule::Plan;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// An engine and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Engine {
    /// Constructors, then the searches that beat the papers' moves, then refutation.
    Auto(auto::Params),
    /// Hybrid of parallel simulated annealing and genetic operators; calls no constructor.
    Hgsa(hgsa::Params),
    /// Serial univariate marginal distribution algorithm; wormhole switching only.
    Umda(umda::Params),
    /// Exact search for liquid schedules; one route per pair, wormhole switching.
    Liquid,
    /// Greedy colouring of the conflict graph; one route per pair, wormhole switching.
    Dsatur,
    /// Phases that ignore the topology; one route per pair, wormhole switching.
    RoundRobin,
    /// An engine of another crate, which has registered it.
    Own(own::Params),
}

/// A schedule that a run begins with.
#[derive(Clone)]
pub struct Opened {
    /// The schedule.
    pub plan: Arc<Plan>,
    /// How it was found.
    pub method: Method,
    /// Constructors that take longer, and may need fewer steps.
    slower: &'static [construct::Row],
}

impl Opened {
    fn of((plan, method, slower): construct::Made) -> Self {
        Opened { plan: Arc::new(plan), method, slower }
    }
}

impl Default for Engine {
    fn default() -> Self {
        Engine::Auto(auto::Params::default())
    }
}

impl Engine {
    /// Whether its search runs on islands, with checkpoints and a trace. The other engines work on
    /// the conflict graph of the whole traffic.
    pub fn has_islands(&self) -> bool {
        !matches!(self, Engine::Liquid | Engine::Dsatur | Engine::RoundRobin)
    }

    /// Whether it is serial: runs on one island, or on none.
    pub fn is_serial(&self) -> bool {
        !matches!(self, Engine::Auto(_) | Engine::Hgsa(_) | Engine::Own(_))
    }

    /// The parameters that affect a schedule found by `method`.
    pub fn parameters_of(&self, method: &Method) -> Vec<(&'static str, Value)> {
        match method {
            Method::GuidedEjection { .. }
            | Method::Annealing
            | Method::MarginalDistribution
            | Method::Own(_) => self.parameters(),
            Method::Together(method)
            | Method::Routers(method)
            | Method::Processes(method)
            | Method::Mended(method)
            | Method::Finished(_, method)
            | Method::Justified(method) => self.parameters_of(method),
            Method::Then(_, then) => self.parameters_of(then),
            // Constructors and these searches read no parameter.
            Method::StepPacking
            | Method::RelayScheduling
            | Method::PlannedRoutes
            | Method::EjectionChains
            | Method::Meeting
            | Method::HostHops
            | Method::Flooding
            | Method::FloodAndRepair
            | Method::Construction(_)
            | Method::LiquidSearch
            | Method::Colouring
            | Method::Phases
            | Method::Given => Vec::new(),
        }
    }

    /// Checks that the engine supports this switching and this number of islands or ranks.
    ///
    /// # Errors
    /// The unsupported option, and which engine supports it.
    pub fn check(&self, switching: Switching, islands: usize) -> Result<()> {
        let (name, is_stored) = (self.name(), switching.stores());
        if islands == 0 {
            return Err(Error::field("islands", "0 islands cannot search; 1 or more can"));
        }
        if self.is_serial() && islands > 1 {
            return Err(Error::field(
                "engine",
                format!(
                    "{name} is serial, and cannot use {islands} islands or ranks; take one, or \
                     another engine, for example auto"
                ),
            ));
        }
        if self.is_serial() && is_stored {
            return Err(Error::field(
                "engine",
                format!(
                    "{name} schedules wormhole networks only; store-and-forward switching needs \
                     another engine, for example auto or hgsa"
                ),
            ));
        }
        Ok(())
    }

    /// Whether it begins with a schedule at once: `auto`, on a large problem, and where messages join.
    pub fn opens(&self, problem: &Problem) -> bool {
        let is_constructed = problem.is_plain() || problem.groups().is_some();
        let is_large = policy::is_large(problem) && is_constructed;
        matches!(self, Engine::Auto(_)) && (is_large || problem.collective().joins())
    }

    /// The schedule that a run begins with, if the engine [`Engine::opens`] and can construct one. `least` steps are known
    /// to be needed.
    pub fn opening(&self, problem: &Arc<Problem>, least: u32, seed: u64) -> Option<Opened> {
        let made = || match problem.collective().joins() {
            true => construct::joined(problem, seed).map(|(plan, method)| (plan, method, &[][..])),
            false => construct::made(&construct::rows(), problem, least, seed),
        };
        self.opens(problem).then(made)?.map(Opened::of)
    }

    /// A shorter schedule than such a one, which takes longer to make; none if it is of `least` steps,
    /// or if neither another constructor nor justification gains anything.
    pub fn reopening(
        &self,
        problem: &Arc<Problem>,
        Opened { plan, method, slower }: &Opened,
        least: u32,
        seed: u64,
    ) -> Option<Opened> {
        let other = |reopening: &Reopening| match reopening {
            Reopening::Slower => {
                let made = construct::slower(problem, slower, seed)?;
                (made.0.len() < plan.len()).then(|| Opened::of(made))
            }
            Reopening::Justified => {
                let shorter = journeys::shorter(problem, plan)?;
                let method = Method::Justified(method.clone().into());
                Some(Opened::of((shorter, method, &[])))
            }
        };
        if problem.collective().joins() {
            return None;
        }
        policy::reopenings(plan.len(), method, least).iter().find_map(other)
    }

    /// Checks that the engine can schedule a problem on islands.
    ///
    /// # Errors
    /// What it cannot schedule, and which engine can.
    pub fn check_problem(&self, problem: &Problem) -> Result<()> {
        self.check(problem.switching(), 1)?;
        let (name, collective) = (self.name(), problem.collective());
        if !problem.is_plain() && !matches!(self, Engine::Auto(_)) {
            let is_of_auto =
                collective.is_all_reduce() || collective.joins() || problem.groups().is_some();
            let of_hosts = match is_of_auto {
                true => "",
                false => " with hosts switching here, where messages stop at some vertices only",
            };
            let why = format!("{name} does not schedule {collective}{of_hosts}; auto does");
            return Err(Error::field("engine", why));
        }
        let Engine::Own(params) = self else { return Ok(()) };
        let refused = |why| Err(Error::field("engine", format!("{name}: {why}")));
        params.refuses(problem).map_or(Ok(()), refused)
    }

    /// The searcher, which makes the walkers for a problem.
    ///
    /// # Errors
    /// The engine has no islands, or cannot schedule the problem.
    pub fn searcher(&self, problem: &Arc<Problem>) -> Result<Searcher> {
        self.check_problem(problem)?;
        let kind = match *self {
            Engine::Auto(params) => Kind::Auto(params),
            Engine::Hgsa(params) => Kind::Hgsa(params),
            Engine::Umda(params) => Kind::Umda(params),
            Engine::Own(params) => Kind::Own(params),
            Engine::Liquid | Engine::Dsatur | Engine::RoundRobin => {
                return Err(Error::field(
                    "engine",
                    format!("{} does not run on islands; auto, hgsa and umda do", self.name()),
                ));
            }
        };
        Ok(Searcher { kind, problem: problem.clone() })
    }
}

/// An engine that runs on islands, with a problem that it can schedule.
#[derive(Clone, Debug)]
pub struct Searcher {
    kind: Kind,
    problem: Arc<Problem>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Auto(auto::Params),
    Hgsa(hgsa::Params),
    Umda(umda::Params),
    Own(own::Params),
}

impl Searcher {
    /// The walker of an island, and the number of paths it chooses from, if it lists paths.
    pub fn walker(&self, seed: u64) -> (Box<dyn Walker>, Option<PathsFound>) {
        match self.kind {
            Kind::Auto(params) => auto::walker(&self.problem, params, seed),
            Kind::Hgsa(params) => hgsa::walker(&self.problem, params, seed),
            Kind::Umda(params) => umda::walker(&self.problem, params, seed),
            Kind::Own(params) => (params.walker(&self.problem, seed), None),
        }
    }
}
