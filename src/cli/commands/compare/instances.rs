//! The instances of a comparison: one by the options of `solve`, or several, one word each.

use super::Args;
use crate::numbers;
use crate::problem_args::{Collectives, ProblemArgs};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_engines::Engine;
use ccsched_lab::compare::{Instance, LeastTime};
use ccsched_run::islands::{Gap, Job, Prepared, Search, least_cost};

impl Args {
    /// All instances.
    ///
    /// # Errors
    /// Problems that cannot be posed, and targets that a bound rules out.
    pub(super) fn instances(&self) -> Result<Vec<Instance>> {
        if self.instance.is_empty() {
            let all = &self.problem.collective.0;
            let several = all.len() * self.problem.topology.len() > 1;
            if let (Some(steps), true) = (self.steps, several) {
                return Err(Error::problem(format!(
                    "--steps {steps}: -c all and several -t have targets of \
                     their own; use --instance for each"
                )));
            }
            let networks: Vec<ProblemArgs> = self.problem.each().collect();
            let of = |network: &ProblemArgs, one| {
                let problem = ProblemArgs { collective: Collectives::one(one), ..network.clone() };
                self.instance(&problem, self.steps)
            };
            let instances = networks.iter().flat_map(|at| all.iter().map(move |&one| (at, one)));
            return instances.map(|(network, one)| of(network, one)).collect();
        }
        self.instance.iter().map(|text| self.parse_instance(text)).collect()
    }

    /// Parsed from the end: steps (optional), collective; the rest is the topology, as a file name
    /// may contain slashes.
    fn parse_instance(&self, text: &str) -> Result<Instance> {
        let wrong = |why: &str| Error::problem(format!("--instance {text}: {why}"));
        let (rest, steps) = match text.rsplit_once('/') {
            Some((rest, steps)) if steps.parse::<Collectives>().is_err() => (rest, Some(steps)),
            _ => (text, None),
        };
        let Some((topology, collective)) = rest.rsplit_once('/') else {
            return Err(wrong("not TOPOLOGY/COLLECTIVE[/STEPS], for example heawood/aas/10"));
        };
        let read =
            |text: &str| numbers::count(text).map_err(|e| wrong(&format!("steps '{text}': {e}")));
        let steps = steps.map(read).transpose()?;
        let collective: Collectives =
            collective.parse().map_err(|e: Error| wrong(&e.to_string()))?;
        let problem = ProblemArgs {
            topology: vec![topology.to_string()],
            collective,
            ..self.problem.clone()
        };
        self.instance(&problem, steps).map_err(|e| wrong(&e.to_string()))
    }

    /// Poses one problem, and sets its target.
    fn instance(&self, args: &ProblemArgs, steps: Option<u32>) -> Result<Instance> {
        if !self.objective.asks_for_time()? {
            return instance(args, steps, self.gap);
        }
        if let Some(steps) = steps {
            let why = format!("{steps}: the least time has no steps to reach; --gap sets a target");
            return Err(Error::field("steps", why));
        }
        let (name, job) = posed(args, None)?;
        let problem = job.pose()?;
        let form = self.objective.form(&problem, &self.time.model(problem.network().rate()))?;
        let least = |gap: Gap| least_cost(&problem, form).map(|least| gap.bytes(least));
        let bytes = self.gap.map(least).transpose()?;
        let name = bytes.map_or(name.clone(), |bytes| {
            format!("{name} {bytes}", bytes = counted(bytes, "byte"))
        });
        let time = Some(LeastTime { form, bytes, gap: self.gap.unwrap_or_default() });
        let prepared = Prepared::without_bounds(job, problem, 1)?;
        Ok(Instance { name, prepared, steps: None, time })
    }
}

/// The name of a problem, and its job; each run has an engine and a seed of its own.
fn posed(args: &ProblemArgs, goal: Option<u32>) -> Result<(String, Job)> {
    let [collective] = args.collective.0[..] else {
        return Err(Error::problem(
            "-c all: the collectives have targets of their own; use --instance for each",
        ));
    };
    let (network, faults) = args.network()?;
    let request = args.request(collective, &network)?;
    let name = format!("{} {}", network.name(), request.collective.to_string().to_uppercase());
    let engine = Engine::default();
    let search = Search { seed: 0, exchange_every: 1, goal, ..Search::default() };
    Ok((name, Job { network, faults, request, engine, search, table: None }))
}

/// Poses one problem and checks its target against the bounds. Without steps, a gap above the largest
/// bound makes the target.
fn instance(args: &ProblemArgs, steps: Option<u32>, gap: Option<Gap>) -> Result<Instance> {
    let (name, job) = posed(args, steps)?;
    let prepared = Prepared::new(job, 1)?;
    let bound = prepared.bounds().first().map_or(1, |bound| bound.steps);
    let steps = steps.or(gap.map(|gap| gap.steps(bound)));
    let name = steps.map_or(name.clone(), |steps| format!("{name} {steps}"));
    Ok(Instance { name, prepared, steps, time: None })
}
