//! Schedules in the formats of other programs: names of formats, what they refuse, where they go.

use super::dash;
use super::own_files::Inputs;
use ccsched_base::Error;
use ccsched_base::atomic::Batch;
use ccsched_tools::export::{self, Output};
use std::path::Path;

/// The name of a format that exists.
pub fn format(name: &str) -> Result<&'static str, String> {
    export::find(name).map(|format| format.name).map_err(|error| match error {
        Error::Field { why, .. } => why,
        other => other.to_string(),
    })
}

/// What a format cannot express, with the option of another subcommand that would help.
pub fn refused(error: Error) -> anyhow::Error {
    match error {
        Error::Field { field: "switching", why } => {
            anyhow::anyhow!("{why}: solve with --switching hosts")
        }
        other => other.into(),
    }
}

/// Writes a file, or a folder, to a path that is none of the inputs.
///
/// # Errors
/// A path that is an input, or cannot be written.
pub fn save(output: Output, path: &Path, inputs: &Inputs<'_>) -> anyhow::Result<()> {
    match output {
        Output::File(text) => dash::write(path, text)?,
        Output::Folder(files) => {
            let files = files.into_iter().map(|(name, text)| (name, text.into_bytes()));
            folder(path, files.collect(), inputs)?;
        }
        Output::Binary(files) => folder(path, files, inputs)?,
    }
    Ok(())
}

/// Writes the files of a folder, which is made if it is missing.
fn folder(path: &Path, files: Vec<(String, Vec<u8>)>, inputs: &Inputs<'_>) -> anyhow::Result<()> {
    // Half of what is there would be of another deployment.
    anyhow::ensure!(
        !path.join(export::DEPLOYED).exists(),
        "--output: {} is the folder of a deployment, which `ccsched deploy` writes anew as a whole; \
         name another folder",
        path.display()
    );
    let mut names = files.iter().map(|(name, _)| path.join(name));
    names.try_for_each(|path| inputs.refuse("--output", &path))?;
    anyhow::ensure!(
        !dash::is_stdout(path),
        "this format has several files; name a folder for them, not -"
    );
    let mut batch = Batch::default();
    for (name, bytes) in files {
        batch.add_bytes(&path.join(name), &bytes)?;
    }
    Ok(batch.commit()?)
}
