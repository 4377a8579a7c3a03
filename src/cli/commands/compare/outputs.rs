//! Output of a comparison: tables or lines of JSON, a CSV file, pictures.

use super::{Args, repeated};
use crate::commands::batch;
use crate::own_files::{Inputs, check_distinct};
use crate::stdout;
use crate::{dash, terminal};
use anyhow::{Context, anyhow};
use ccsched_base::atomic::check_writable;
use ccsched_lab::compare::{Study, csv, json_line, plots, slug, summaries, text};
use std::io::Write;
use std::path::Path;

impl Args {
    /// Checks before the first run that outputs can be written and pictures have distinct names.
    ///
    /// # Errors
    /// Files that cannot be written, instances whose pictures have the same name.
    pub(super) fn check_outputs<'a>(&'a self, instances: &[String]) -> anyhow::Result<()> {
        let slugs: Vec<String> = instances.iter().map(|name| slug(name)).collect();
        if let Some(twice) = repeated(&slugs) {
            return Err(anyhow!("the instance {twice} is given twice"));
        }
        let kinds = slugs
            .iter()
            .flat_map(|slug| ["time", "cost", "steps", "islands"].map(|of| format!("{slug}-{of}")));
        let inputs = Inputs::problem(&self.problem).with("--from", self.from.as_deref());
        // Each part of an instance that ends before a slash may be the file of its network.
        let starts = |text: &'a String| {
            text.match_indices('/').map(|(end, _)| Path::new(&text[..end])).collect::<Vec<_>>()
        };
        let networks = self.instance.iter().flat_map(starts);
        let inputs = networks.fold(inputs, |all, path| all.with("--instance", Some(path)));
        batch::check(&inputs, self.csv.as_deref(), self.svg.as_deref(), kinds)?;
        let Some(path) = &self.history else { return Ok(()) };
        check_writable(path).context("--history")?;
        inputs.refuse("--history", path)?;
        let tables = [("--csv", self.csv.as_deref()), ("--history", Some(path.as_path()))];
        check_distinct(tables.into_iter().filter_map(|(option, path)| Some((option, path?))))
    }
}

/// Prints the tables or JSON lines; `how` describes how the runs were made.
pub(super) fn print(args: &Args, study: &Study, how: &str) -> anyhow::Result<()> {
    let summaries = summaries(study);
    if args.json {
        let mut out = stdout::stdout();
        for (summary, row) in summaries.iter().flat_map(|s| s.rows.iter().map(move |r| (s, r))) {
            writeln!(out, "{}", json_line(summary, row))?;
        }
    } else if summaries.is_empty() {
        writeln!(stdout::text(), "no run has finished")?;
    } else {
        writeln!(stdout::text(), "{}\n{how}", text(&summaries, terminal::columns()))?;
    }
    Ok(())
}

/// Writes the requested files; nothing if no run has finished.
pub(super) fn save(args: &Args, study: &Study) -> anyhow::Result<()> {
    if study.records.is_empty() {
        return Ok(());
    }
    if let Some(path) = &args.csv {
        dash::write(path, &csv::csv(study)?).context("--csv")?;
    }
    if let Some(path) = &args.history {
        dash::write(path, &csv::history(study)?).context("--history")?;
    }
    let Some(prefix) = &args.svg else { return Ok(()) };
    let summaries = summaries(study);
    for (i, name) in study.instances.iter().enumerate() {
        if study.records.iter().all(|r| r.instance != i) {
            continue;
        }
        let slug = slug(name);
        let time = plots::time_to_target(study, i);
        batch::save_picture(prefix, &format!("{slug}-time"), time)?;
        match plots::conflicts(study, i).transpose() {
            Some(cost) => batch::save_picture(prefix, &format!("{slug}-cost"), cost)?,
            None => match plots::steps(study, i).transpose() {
                Some(steps) => batch::save_picture(prefix, &format!("{slug}-steps"), steps)?,
                None => log::warn!("{name}: no picture of conflicts: they were not recorded"),
            },
        }
        let summary = summaries.iter().find(|summary| summary.instance == *name);
        let gain = summary.map(plots::speedups).and_then(Result::transpose);
        if let Some(gain) = gain {
            batch::save_picture(prefix, &format!("{slug}-islands"), gain)?;
        }
    }
    Ok(())
}
