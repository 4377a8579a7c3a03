//! The output files of a solve: one of each kind per collective, all distinct.

use super::Args;
use crate::checkpoint::of_collective;
use crate::dash::{is_stdout, is_stream};
use crate::own_files::{Inputs, check_distinct};
use anyhow::Context;
use ccsched_base::atomic::check_writable;
use ccsched_bounds::refute::PROOF_FILES;
use ccsched_run::islands::checkpoint::previous;
use std::path::{Path, PathBuf};

impl Args {
    /// Checks before the search that all files can be written and none is written twice.
    ///
    /// # Errors
    /// A missing folder, two options that name the same file.
    pub(super) fn check_files(&self) -> anyhow::Result<()> {
        let collectives = &self.problem.collective.0;
        self.keep.check(collectives)?;
        if self.output.as_deref().is_some_and(is_stdout) && (self.json || collectives.len() > 1) {
            anyhow::bail!(
                "--output -: the standard output takes one schedule and nothing else; omit --json, \
                 choose one collective, or name a file"
            );
        }
        let own = Inputs::problem(&self.problem);
        let all = own.clone().with("--resume", self.keep.resume.as_deref());
        let mut written: Vec<(&str, PathBuf)> = Vec::new();
        let export = self.export.as_ref().map(|export| export.path.clone());
        let kinds = [
            ("--output", &self.output),
            ("--export", &export),
            ("--trace", &self.trace),
            ("--checkpoint", &self.keep.checkpoint),
            ("--rank-file", &self.rank_file),
        ];
        for (option, path) in kinds {
            let of = |path: &PathBuf| match option {
                // Ranks are the same for all collectives.
                "--rank-file" => vec![path.clone()],
                _ => collectives.iter().map(|&c| of_collective(path, c, collectives)).collect(),
            };
            let paths: Vec<PathBuf> = path.as_ref().map(of).unwrap_or_default();
            for path in paths {
                if option == "--output" && is_stdout(&path) {
                    continue;
                }
                if option == "--export" && is_stdout(&path) {
                    anyhow::bail!(
                        "--export: name a file; ccsched export writes to the standard output"
                    );
                }
                check_writable(&path).context(option)?;
                self.check_stream(option, &path)?;
                // A search may go on in the checkpoint that it resumes from.
                let inputs = if option == "--checkpoint" { &own } else { &all };
                inputs.refuse(option, &path)?;
                // A better schedule may replace the one that the search begins with.
                if option != "--output" {
                    Inputs::default().with("--from", self.from.as_deref()).refuse(option, &path)?;
                }
                if option == "--checkpoint" {
                    // The checkpoint before the last goes there, also while FILE is resumed from.
                    let before = previous(&path);
                    all.refuse("--checkpoint (FILE.previous)", &before)?;
                    written.push((option, before));
                }
                written.push((option, path));
            }
        }
        if let Some(folder) = &self.proof {
            all.refuse_in("--proof", folder, &PROOF_FILES)?;
        }
        check_distinct(written.iter().map(|(option, path)| (*option, path.as_path())))
    }
}

impl Args {
    /// Refuses a pipe or a device where a file is needed.
    fn check_stream(&self, option: &str, path: &Path) -> anyhow::Result<()> {
        if !is_stream(path) {
            return Ok(());
        }
        let path = path.display();
        if option == "--checkpoint" {
            anyhow::bail!(
                "--checkpoint: {path} is no file but a pipe or a device; a checkpoint is replaced \
                 again and again: name a file"
            );
        }
        if self.problem.collective.0.len() > 1 && option != "--rank-file" {
            anyhow::bail!(
                "{option}: {path} is a pipe or a device, and takes the output of one collective; \
                 choose one, or name a file"
            );
        }
        Ok(())
    }
}
