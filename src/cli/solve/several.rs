//! `solve` on several networks: one after the other, each as if it were alone.

use super::Args;
use crate::{dash, named};
use std::path::PathBuf;

impl Args {
    /// The arguments for each of the networks. With several, `--output` is a folder that gets a file for each.
    ///
    /// # Errors
    /// Wrong networks; the same network twice; files of which each network needs its own.
    pub(super) fn each(&self) -> anyhow::Result<Vec<Args>> {
        let names = &self.problem.topology;
        let problems = self.problem.each();
        let mut each: Vec<Args> =
            problems.map(|problem| Args { problem, ..self.clone() }).collect();
        if names.len() < 2 {
            return Ok(each);
        }
        let of_one = [
            ("--from", self.from.is_some()),
            ("--resume", self.keep.resume.is_some()),
            ("--checkpoint", self.keep.checkpoint.is_some()),
            ("--trace", self.trace.is_some()),
            ("--rank-file", self.rank_file.is_some()),
            ("--proof", self.proof.is_some()),
            ("--export", self.export.is_some()),
        ];
        if let Some((flag, _)) = of_one.iter().find(|(_, is_given)| *is_given) {
            anyhow::bail!(
                "{flag}: it is for one network, and {} are given; run solve for each",
                names.len()
            );
        }
        for args in &mut each {
            // Wrong input is reported before any search.
            named::read_ahead(args.problem.name(), &args.problem.reading)?;
            let Some(folder) = &self.output else { continue };
            if dash::is_stream(folder) || !folder.is_dir() {
                anyhow::bail!(
                    "--output: {} is no folder; with several networks it is one, and gets a file \
                     for each",
                    folder.display()
                );
            }
            args.output = Some(folder.join(file_name(args.problem.name())));
        }
        let files: Vec<&PathBuf> = each.iter().filter_map(|args| args.output.as_ref()).collect();
        if let Some((_, twice)) = files.iter().enumerate().find(|(i, f)| files[..*i].contains(f)) {
            anyhow::bail!(
                "--topology: two networks would be saved in {}; name each once",
                twice.display()
            );
        }
        Ok(each)
    }
}

/// The file of a network: `mesh-4x4.json`.
fn file_name(network: &str) -> String {
    let stem = std::path::Path::new(network).file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_alphanumeric() || "._".contains(c) { c } else { '-' };
    format!("{}.json", stem.chars().map(plain).collect::<String>())
}
