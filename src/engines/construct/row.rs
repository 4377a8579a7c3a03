//! A row of the table of constructors: what it is called, for which problems it is, what it promises.

use super::grid::classes::Divisions;
use crate::Method;
use crate::policy::is_large;
use crate::reduce::factor;
use ccsched_base::rng::Rng;
use ccsched_model::problem::{
    Content, Direction, Ports, Problem, Roots, Routing, Shape, Switching,
};
use ccsched_model::schedule::Plan;
use ccsched_network::grid::{Grid, Side};
use std::cell::OnceCell;
use std::sync::Arc;

/// A constructor.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The collective it constructs, and the method.
    pub name: &'static str,
    /// The problems that it is tried on.
    pub(super) domain: Domain,
    /// How long its schedules are.
    pub guarantee: Guarantee,
    /// The schedule of a problem of the domain, or none where a search or a condition fails.
    pub(super) of: Build,
    /// Rows that take longer, and may need fewer steps.
    pub(super) slower: &'static [Row],
}

/// How a row makes the schedule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Build {
    /// A function of the problem.
    Problem(fn(&Arc<Problem>, &mut Rng) -> Option<Plan>),
    /// A function of a grid, if it has such sides, the longest first.
    Grid(fn(&[Side]) -> bool, fn(&Problem, &Grid, &mut Rng) -> Option<Plan>),
    /// The same of a grid and the classes of its sides.
    Classes(
        fn(&[Side]) -> bool,
        fn(&Grid, &mut Rng) -> Divisions,
        fn(&Problem, &Grid, &Divisions) -> Option<Plan>,
    ),
}

/// How long the schedules of a row are. Rows are tried in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guarantee {
    /// As long as a bound.
    AtBound,
    /// At most this many percent longer than a bound, by construction or in all measurements.
    Within(u32),
    /// No proof; about this many percent longer where it was measured. Such rows come last, after
    /// the schedules of neighbouring problems.
    About(u32),
    /// No proof, and for few problems, which are told quickly: it is tried beside whatever else has a
    /// schedule above a bound, and the shorter one is taken.
    Compared,
}

/// The collectives that a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A broadcast of one message.
    OneMessage,
    /// Broadcasts of several messages.
    Messages,
    /// A broadcast of every sender.
    AllGather,
    /// Separate messages of one root.
    OneRoot,
    /// Separate messages of every member for every other one.
    Exchange,
    /// Any separate messages.
    Personal,
    /// Collectives side by side, each among members of its own.
    Groups,
}

/// The ports that a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PortsAsked {
    Any,
    /// Terminals use all their channels at once.
    All,
    /// Terminals send and receive one message a step.
    One,
}

/// The routes that a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoutesAsked {
    Any,
    /// No route is fixed.
    Free,
    /// No route is fixed, but for the routes of a dragonfly (local, global, local).
    FreeOrLgl,
}

/// The links that a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    Any,
    /// No two channels exclude each other.
    FullDuplex,
    /// The same, and every channel carries one transfer a step.
    FullDuplexOfOne,
}

/// How large the problems are that a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Any,
    /// From this number of vertices on: a search finishes smaller ones at once.
    Vertices(usize),
    /// Large, as `auto` sees it.
    Large,
}

/// The problems that a row is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain {
    pub asked: Asked,
    /// Either switching if none is given.
    pub switching: Option<Switching>,
    pub ports: PortsAsked,
    pub routes: RoutesAsked,
    pub links: Links,
    /// Whether some link or port carries one transfer a step only: steps of others are merged.
    pub is_narrow: bool,
    /// Whether all vertices take part.
    pub is_direct: bool,
    pub size: Size,
}

impl Domain {
    /// All problems of these collectives.
    pub const fn of(asked: Asked) -> Self {
        Domain {
            asked,
            switching: None,
            ports: PortsAsked::Any,
            routes: RoutesAsked::Any,
            links: Links::Any,
            is_narrow: false,
            is_direct: false,
            size: Size::Any,
        }
    }

    /// Whether a problem is one of these.
    pub fn has(&self, problem: &Problem) -> bool {
        let (network, collective) = (problem.network(), problem.collective());
        let is_common = collective.content().is_common();
        let fits_collective = match self.asked {
            Asked::OneMessage => is_common && problem.messages() == 1,
            Asked::Messages => is_common && problem.messages() > 1,
            Asked::AllGather => is_common && collective.roots() == Roots::All,
            Asked::OneRoot => {
                let Shape { roots, content, direction, .. } = collective.shape();
                (roots, content, direction) == (Roots::One, Content::Personal, Direction::FromRoots)
            }
            Asked::Exchange => problem.is_exchange(),
            Asked::Personal => !is_common,
            Asked::Groups => collective.roots() == Roots::Listed && !collective.is_all_reduce(),
        };
        // Groups with messages for several members have rows of their own.
        let is_grouped = problem.groups().is_some();
        let is_free = !problem.has_fixed_routes();
        fits_collective
            && (!is_grouped || self.asked == Asked::Groups)
            && self.switching.is_none_or(|switching| switching == problem.switching())
            && match self.ports {
                PortsAsked::Any => true,
                PortsAsked::All => problem.ports() == Ports(None),
                PortsAsked::One => problem.ports() == Ports(Some(1)),
            }
            && match self.routes {
                RoutesAsked::Any => true,
                RoutesAsked::Free => is_free,
                RoutesAsked::FreeOrLgl => is_free || problem.routing() == Routing::Lgl,
            }
            && (!self.is_narrow || factor(problem) == 1)
            && (!self.is_direct || takes_all(problem))
            && match self.size {
                Size::Any => true,
                Size::Vertices(least) => network.vertices().len() >= least,
                Size::Large => is_large(problem),
            }
            && match self.links {
                Links::Any => true,
                Links::FullDuplex => network.channels().iter().all(|c| c.excludes().is_none()),
                Links::FullDuplexOfOne => {
                    network.uniform_capacity() == Some(1)
                        && network.channels().iter().all(|c| c.excludes().is_none())
                }
            }
    }
}

/// Whether all vertices send and receive.
fn takes_all(problem: &Problem) -> bool {
    let all = problem.network().vertices().len();
    problem.senders().len() == all && problem.receivers().len() == all
}

/// A problem, the grid that its network is, and the classes of its sides: found once for all rows.
pub(super) struct Posed<'p> {
    problem: &'p Arc<Problem>,
    grid: OnceCell<Option<Grid>>,
    classes: OnceCell<Divisions>,
}

impl<'p> Posed<'p> {
    pub fn new(problem: &'p Arc<Problem>) -> Self {
        Posed { problem, grid: OnceCell::new(), classes: OnceCell::new() }
    }

    fn grid(&self) -> Option<&Grid> {
        self.grid.get_or_init(|| Grid::find(self.problem.network())).as_ref()
    }
}

impl Row {
    /// The schedule of a problem, if the row has one.
    pub fn plan(&self, problem: &Arc<Problem>, rng: &Rng) -> Option<Plan> {
        self.plan_of(&Posed::new(problem), rng)
    }

    /// The schedule of a problem, if the row has one, and the method.
    pub(super) fn made(&self, posed: &Posed<'_>, rng: &Rng) -> Option<(Plan, Method)> {
        Some((self.plan_of(posed, rng)?, Method::Construction(self.name.into())))
    }

    /// The schedule. Every row begins with the same random numbers, whatever rows come before.
    pub(super) fn plan_of(&self, posed: &Posed<'_>, rng: &Rng) -> Option<Plan> {
        let (problem, rng) = (posed.problem, &mut rng.clone());
        if !self.domain.has(problem) {
            return None;
        }
        match self.of {
            Build::Problem(of) => of(problem, rng),
            Build::Grid(has_sides, of) => {
                let grid = posed.grid().filter(|grid| has_sides(&grid.sides))?;
                of(problem, grid, rng)
            }
            Build::Classes(has_sides, divide, of) => {
                let grid = posed.grid().filter(|grid| has_sides(&grid.sides))?;
                of(problem, grid, posed.classes.get_or_init(|| divide(grid, rng)))
            }
        }
    }
}
