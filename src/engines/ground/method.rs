//! The method that found a schedule, as the summary and the schedule file name it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The method by which a schedule was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// A constructor, by its name.
    Construction(String),
    /// Simulated annealing of genes.
    Annealing,
    /// Guided ejection of a partial schedule.
    GuidedEjection {
        /// Order of the group of automorphisms that preserve the schedule; 1 for no symmetry.
        group: u32,
    },
    /// Packing of steps one after the other.
    StepPacking,
    /// Relay scheduling along planned routes.
    RelayScheduling,
    /// Guided ejection along planned routes of any length.
    PlannedRoutes,
    /// Ejection chains on a broadcast tree.
    EjectionChains,
    /// Flood and repair.
    FloodAndRepair,
    /// Univariate marginal distributions.
    MarginalDistribution,
    /// The exact search for liquid schedules.
    LiquidSearch,
    /// DSATUR colouring of the conflict graph.
    Colouring,
    /// Round-robin phases.
    Phases,
    /// Another method, with the hosts of every switch as one.
    Together(Box<Method>),
    /// Another method, with every router in place of its host.
    Routers(Box<Method>),
    /// Another method, with one process for all of its host.
    Processes(Box<Method>),
    /// Another method for the network before its faults, and a new place for each transfer over them.
    Mended(Box<Method>),
    /// A constructor, by its name, and the method that found the rest of the schedule.
    Finished(String, Box<Method>),
    /// Another method, and justification of its schedule.
    Justified(Box<Method>),
    /// The methods of a reduce-scatter and of the all-gather after it.
    Then(Box<Method>, Box<Method>),
    /// Parts of an all-reduce that meet in the middle.
    Meeting,
    /// Hops between hosts, in random orders that learn which messages are late.
    HostHops,
    /// Trees over switches that copy and add up, in orders that learn which messages are late.
    Trees,
    /// Floods in random orders whose messages join.
    Flooding,
    /// Lists of transfers with starts, justified and changed by ejection.
    TimedLists,
    /// First fit in steps by falling lengths, and profiles of the lengths of steps.
    FitByLength,
    /// No method of this run: it began with the schedule.
    Given,
    /// A method of an engine of another crate, by its name.
    Own(String),
}

impl Method {
    /// Whether a constructor found the schedule, or the run began with it: without a search.
    pub fn is_construction(&self) -> bool {
        match self {
            Method::Construction(_) | Method::Given => true,
            Method::Justified(method)
            | Method::Routers(method)
            | Method::Processes(method)
            | Method::Mended(method) => method.is_construction(),
            Method::Then(first, then) => first.is_construction() && then.is_construction(),
            _ => false,
        }
    }
}

impl Method {
    /// Whether the parameters of its engine affect it: those of constructors and of some searches do not.
    pub fn reads_parameters(&self) -> bool {
        match self {
            Method::GuidedEjection { .. }
            | Method::Annealing
            | Method::MarginalDistribution
            | Method::Own(_) => true,
            Method::Together(method)
            | Method::Routers(method)
            | Method::Processes(method)
            | Method::Mended(method)
            | Method::Finished(_, method)
            | Method::Justified(method)
            | Method::Then(_, method) => method.reads_parameters(),
            _ => false,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Method::Construction(name) | Method::Own(name) => f.write_str(name),
            Method::Annealing => f.write_str("annealing"),
            Method::GuidedEjection { group: 1 } => f.write_str("guided ejection"),
            Method::GuidedEjection { group } => {
                write!(f, "guided ejection, group of order {group}")
            }
            Method::StepPacking => f.write_str("step packing"),
            Method::RelayScheduling => f.write_str("relay scheduling"),
            Method::PlannedRoutes => f.write_str("guided ejection along planned routes"),
            Method::EjectionChains => f.write_str("ejection chains"),
            Method::FloodAndRepair => f.write_str("flood and repair"),
            Method::MarginalDistribution => f.write_str("univariate marginal distribution"),
            Method::LiquidSearch => f.write_str("exact liquid search"),
            Method::Colouring => f.write_str("greedy colouring (DSATUR)"),
            Method::Phases => f.write_str("round-robin phases"),
            Method::Given => f.write_str("the schedule given"),
            Method::Then(first, then) if first == then => {
                write!(f, "reduce-scatter, then all-gather: {then}")
            }
            Method::Then(first, then) => write!(f, "reduce-scatter: {first}; all-gather: {then}"),
            Method::Meeting => f.write_str("parts that meet in the middle"),
            Method::HostHops => f.write_str("hops between hosts"),
            Method::Trees => f.write_str("trees over switches"),
            Method::Flooding => f.write_str("flooding"),
            Method::TimedLists => f.write_str("timed lists"),
            Method::FitByLength => f.write_str("first fit by length"),
            Method::Finished(name, method) => write!(f, "{name}, finished by {method}"),
            Method::Justified(method) => write!(f, "{method}, justified"),
            Method::Routers(method) => write!(f, "{method}, routers for hosts"),
            Method::Processes(method) => write!(f, "{method}, processes of a host in turns"),
            Method::Mended(method) => write!(f, "{method}, mended around faults"),
            Method::Together(method) => write!(f, "{method}, hosts of a switch as one"),
        }
    }
}
