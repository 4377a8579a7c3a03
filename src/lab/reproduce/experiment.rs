//! The experiments: which table or figure of which paper, and where its rows come from.

use std::fmt;
use std::str::FromStr;

/// A paper, by its short name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paper {
    /// hgsa-store-and-forward.
    Hgsa,
    /// umda-diameter-degree-networks.
    DiameterDegree,
    /// umda-fault-tolerance.
    FaultTolerance,
    /// umda-multistage-networks.
    Multistage,
    /// liquid-schedules.
    Liquid,
}

impl Paper {
    /// All papers.
    pub const ALL: [Paper; 5] = [
        Paper::Hgsa,
        Paper::DiameterDegree,
        Paper::FaultTolerance,
        Paper::Multistage,
        Paper::Liquid,
    ];

    /// The short name.
    pub fn name(self) -> &'static str {
        match self {
            Paper::Hgsa => "hgsa",
            Paper::DiameterDegree => "diameter-degree",
            Paper::FaultTolerance => "fault-tolerance",
            Paper::Multistage => "multistage",
            Paper::Liquid => "liquid",
        }
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Paper {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = Paper::ALL.map(Paper::name).join(", ");
        let found = Paper::ALL.into_iter().find(|paper| paper.name() == text);
        found.ok_or_else(|| format!("there is no paper '{text}'; the papers are {names}"))
    }
}

/// Where the rows of an experiment come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The cells of its table.
    Cells,
    /// The success rates of the engine of the paper on the cells of these tables.
    Rates(&'static [&'static str]),
    /// Its mean times on the cells of these tables.
    Times(&'static [&'static str]),
    /// Its figures.
    Figures,
    /// A printed schedule.
    Schedule,
    /// Its figures, held against measurements that are given; there are no rows without them.
    Measured,
    /// Runs with given settings; they are made with `--full`, or if they are asked for by name.
    Runs,
}

/// An experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experiment {
    /// Its name: the paper, and the table or figure.
    pub id: &'static str,
    /// The paper.
    pub paper: Paper,
    /// What the table or figure shows.
    pub about: &'static str,
    /// Where its rows come from.
    pub content: Content,
}

macro_rules! experiments {
    ($($id:literal $paper:ident $content:expr => $about:literal;)*) => {
        &[$(Experiment { id: $id, paper: Paper::$paper, about: $about, content: $content }),*]
    };
}

use Content::{Cells, Figures, Measured, Rates, Runs, Schedule, Times};

/// All experiments, in the order of the papers.
#[rustfmt::skip]
pub const EXPERIMENTS: &[Experiment] = experiments! {
    "hgsa-t2" Hgsa Cells => "table 2: steps of one-to-all broadcasts on hypercubes and AMP networks, store-and-forward";
    "hgsa-t3" Hgsa Rates(&["hgsa-t2"]) => "table 3: success rates of the same";
    "hgsa-aab" Hgsa Cells => "section 4: all-to-all broadcasts on hypercubes of 8 and 16";
    "hgsa-t1" Hgsa Figures => "table 1: a routing table without deadlock";
    "hgsa-f2" Hgsa Figures => "figure 2: a change of one route that makes deadlock possible";
    "hgsa-islands" Hgsa Runs => "the moves of the paper on 1 to 32 islands, with and without exchange, and with other rounds";
    "card-compare" Hgsa Runs => "the islands of this paper against the serial UMDA, one island among the rows";
    "dd-t1" DiameterDegree Figures => "table 1: Moore bounds, Kautz digraphs, Moore graphs (the largest known graphs are quoted there, and not computed here)";
    "dd-t2" DiameterDegree Cells => "table 2: lower bounds for Petersen, Kautz 12 and Heawood";
    "dd-t3" DiameterDegree Schedule => "table 3: the printed AAS schedule of Kautz 12";
    "dd-t4" DiameterDegree Schedule => "table 4: the printed AAB schedule of Kautz 12";
    "dd-t5" DiameterDegree Cells => "table 5: Kautz 12 with one faulty link (also table 3 of the fault paper)";
    "dd-t5b" DiameterDegree Figures => "section 5: Kautz 12 with two faulty links, its fault diameter";
    "dd-t6" DiameterDegree Cells => "table 6: steps and bounds of ten networks";
    "dd-t7" DiameterDegree Times(&["dd-t6"]) => "table 7: mean times of successful runs";
    "dd-t8" DiameterDegree Figures => "table 8: bisection, sum of distances, bounds (5) and (6) (2 delta is taken from print)";
    "eq4" DiameterDegree Figures => "equation 4, and equation 1 of the multistage paper: times of schedules";
    "ft-t2" FaultTolerance Cells => "table 2: Kautz 12 and the 4x4 mesh without faults";
    "ft-t4" FaultTolerance Cells => "table 4: the 4x4 mesh with one faulty link";
    "ft-t5" FaultTolerance Cells => "table 5: the 4x4 mesh with one faulty node";
    "min-t1" Multistage Cells => "table 1: steps and bounds of unidirectional multistage networks";
    "min-t2" Multistage Schedule => "table 2: the printed AAB schedule of the Omega network of 8";
    "min-t3" Multistage Cells => "table 3: steps of binary, fat and full binary trees";
    "min-t4" Multistage Schedule => "table 4: the printed AAS schedule of the fat tree of 8";
    "min-t5" Multistage Rates(&["min-t1", "min-t3"]) => "table 5: success rates of ten runs";
    "min-t6" Multistage Times(&["min-t1", "min-t3"]) => "table 6: mean times of successful runs";
    "liq-f1" Liquid Figures => "figure 1: the exchange of 25 transfers";
    "liq-f2" Liquid Figures => "figure 2: round robin on it";
    "liq-f3" Liquid Figures => "figure 3: an optimal schedule of it";
    "liq-f5" Liquid Figures => "figure 5: the allocations of the Swiss-T1 and their classes";
    "liq-f6" Liquid Figures => "figure 6: round robin against the liquid throughput on the Swiss-T1, by counted steps";
    "liq-f7" Liquid Figures => "figure 7: a liquid schedule of figure 1 by the exact search";
    "liq-f9" Liquid Measured => "figure 9: measured throughput of liquid schedules, from a file of replays (--replay)";
    "liq-f10" Liquid Figures => "figure 10 and annex: conflict graphs";
    "liq-f11" Liquid Figures => "figure 11: the loss of DSATUR on the Swiss-T1";
    "liq-none" Liquid Figures => "section 3.1: a proof that no liquid schedule exists";
};

/// The experiment of this name.
pub fn find(id: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.id == id)
}

#[cfg(test)]
mod tests {
    use super::super::{PRINTED_SCHEDULES, Printed};
    use super::*;

    #[test]
    fn every_experiment_has_rows_and_every_row_an_experiment() {
        let printed = Printed::all().unwrap();
        for Experiment { id, content, .. } in EXPERIMENTS {
            let rows = match content {
                Cells => printed.cells_of(id).count(),
                Rates(of) | Times(of) => of.iter().map(|id| printed.cells_of(id).count()).sum(),
                Figures | Measured => printed.figures_of(id).count(),
                Runs => printed.setups.iter().filter(|setup| setup.id == *id).count(),
                Schedule => PRINTED_SCHEDULES.iter().filter(|s| s.id == *id).count(),
            };
            assert!(rows > 0, "{id} has no rows");
        }
        let ids = printed.cells.iter().map(|c| &c.id).chain(printed.figures.iter().map(|f| &f.id));
        let ids = ids.chain(printed.setups.iter().map(|s| &s.id));
        ids.for_each(|id| assert!(find(id).is_some(), "{id} is no experiment"));
    }
}
