//! Runs of engines with given settings, for which no paper prints a figure: islands with and without
//! exchange, and islands against the serial engine.

use super::Settings;
use super::row::Row;
use super::setup::Setup;
use super::steps::spent;
use crate::compare::runs::{Comparison, order};
use crate::compare::statistics::median;
use crate::compare::{Budget, Configuration, Instance};
use ccsched_base::Result;
use ccsched_base::counted::counted;
use ccsched_engines::{Engine, hgsa, umda};
use ccsched_model::problem::{Collective, Request, Switching};
use ccsched_model::schedule::TimeModel;
use ccsched_network::spec;
use ccsched_run::islands::{Job, Prepared, Search, SearchError};

impl Setup {
    /// The problem, and the engine.
    fn pose(&self) -> Result<(Prepared, Engine)> {
        let collective: Collective = self.collective.parse()?;
        let switching = self.switching.as_deref().map(str::parse::<Switching>).transpose()?;
        let request = Request {
            switching: switching.unwrap_or(Switching::Wormhole),
            ..Request::new(collective)
        };
        let engine = match self.engine.as_str() {
            "umda" => Engine::of(&umda::ROW),
            _ => Engine::from(hgsa::Params {
                neighbourhood: hgsa::Neighbourhood::Paper,
                exchange: self.exchange.unwrap_or(true),
                round: self.round,
                ..hgsa::Params::default()
            }),
        };
        let problem = request.pose(spec::parse(&self.topology)?, vec![])?;
        let job = Job::of(&problem, engine, Search::default());
        Ok((Prepared::new(job, self.islands)?, engine))
    }

    /// Makes the runs; none if interrupted.
    ///
    /// # Errors
    /// An island fails, or a schedule is not valid.
    pub fn make(&self, settings: &Settings<'_>) -> Result<Option<Row>, SearchError> {
        let (prepared, engine) = self.pose()?;
        let name = self.row.clone();
        let configuration = Configuration::of(name.clone(), engine, self.islands);
        let comparison = Comparison {
            instances: &[Instance { name, prepared, steps: Some(self.steps), time: None }],
            configurations: &[configuration],
            budget: Budget::CpuSeconds(settings.cpu_limit),
            times: &[TimeModel::default()],
            keeps_history: false,
            interrupted: settings.interrupted,
        };
        // Times of one island and of several are only alike if nothing else runs.
        let tasks = order(1, 1, settings.seed, settings.runs.into());
        let records = comparison.execute(&tasks, 1, &|_| {})?;
        if records.len() < tasks.len() {
            return Ok(None);
        }
        let reached: Vec<_> = records.iter().filter(|record| record.success).collect();
        let iterations: Vec<f64> = reached.iter().map(|r| r.iterations as f64).collect();
        let median =
            median(&iterations).map(|n| format!("; median of {n}", n = counted(n, "iteration")));
        let mut row = Row {
            engine: Some(engine.name().into()),
            why: format!("{}{}", counted(self.steps, "step"), median.unwrap_or_default()),
            ..Row::default()
        };
        row.add_runs(records.len(), &spent(&records));
        Ok(Some(row))
    }
}
