//! Shared by the commands that make many runs: output of CSV and pictures, both checked before the
//! first run, and a progress bar.

use crate::dash;
use crate::own_files::{Inputs, check_distinct};
use crate::progress::TICK;
use crate::signals::interrupted;
use crate::stdout::stdout;
use anyhow::{Context, anyhow};
use ccsched_base::Error;
use ccsched_base::atomic::check_writable;
use ccsched_lab::pictures::Drawn;
use ccsched_lab::rows::json_lines;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{SearchError, serve_tasks};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Checks before the first run that the CSV and the pictures of these kinds can be written, and are
/// none of the inputs.
pub fn check(
    inputs: &Inputs<'_>,
    csv: Option<&Path>,
    svg: Option<&Path>,
    kinds: impl IntoIterator<Item = impl AsRef<str>>,
) -> anyhow::Result<()> {
    if let Some(path) = csv {
        check_writable(path).context("--csv")?;
        inputs.refuse("--csv", path)?;
    }
    let Some(prefix) = svg else { return Ok(()) };
    let kinds: Vec<_> = kinds.into_iter().collect();
    anyhow::ensure!(
        kinds.len() == 1 || !is_picture(prefix),
        "--svg: {} pictures are drawn: name the PREFIX of their files, not one of them",
        kinds.len()
    );
    let mut written: Vec<_> = csv.map(|path| ("--csv", path.to_path_buf())).into_iter().collect();
    for kind in kinds {
        let path = picture_path(prefix, kind.as_ref());
        check_writable(&path).context("--svg")?;
        inputs.refuse("--svg", &path)?;
        written.push(("--svg", path));
    }
    check_distinct(written.iter().map(|(option, path)| (*option, path.as_path())))
}

/// Writes a picture: `PREFIX-<kind>.svg`, or the file of a name that ends in `.svg`.
pub fn save_picture(prefix: &Path, kind: &str, picture: Drawn<String>) -> anyhow::Result<()> {
    let svg = picture.map_err(|e| anyhow!("--svg: {e}"))?;
    dash::write(&picture_path(prefix, kind), &svg).context("--svg")
}

/// Whether a prefix is the name of a picture itself.
fn is_picture(prefix: &Path) -> bool {
    prefix.extension().is_some_and(|extension| extension == "svg")
}

fn picture_path(prefix: &Path, kind: &str) -> PathBuf {
    if is_picture(prefix) {
        return prefix.into();
    }
    let mut path = prefix.as_os_str().to_owned();
    path.push(format!("-{kind}.svg"));
    path.into()
}

/// A progress bar with `runs` units; `template` names the unit.
pub fn bar(runs: usize, template: &str, hidden: bool) -> ProgressBar {
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template(template).expect("a valid template");
    let bar = ProgressBar::with_draw_target(Some(runs as u64), target).with_style(style);
    if !bar.is_hidden() {
        // One run may take minutes.
        bar.enable_steady_tick(TICK);
    }
    bar
}

/// Does tasks as a rank other than 0, which has the work of the same arguments, until dismissed. There is no
/// work if they are wrong: rank 0 says what is wrong, and hands out nothing.
///
/// # Errors
/// The master is gone, or a task fails.
pub fn follow<C: Communicator, W: Sync, T: DeserializeOwned + Sync, S: Serialize + Send>(
    comm: &mut C,
    work: Option<W>,
    run: impl Fn(&W, &T, &AtomicBool) -> Result<Option<S>, SearchError> + Sync,
) -> Result<(), SearchError> {
    let solve = |task: &T, stops: &AtomicBool| match &work {
        Some(work) => run(work, task, stops),
        None => Err(Error::problem("rank 0 has other arguments").into()),
    };
    serve_tasks(comm, &solve, interrupted())
}

/// Prints rows as lines of JSON.
///
/// # Errors
/// The standard output cannot be written.
pub fn print_json(rows: impl IntoIterator<Item = impl Serialize>) -> anyhow::Result<()> {
    Ok(write!(stdout(), "{}", json_lines(rows)?)?)
}
