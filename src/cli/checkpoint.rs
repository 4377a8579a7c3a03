//! Checkpoints on the command line: when to write one, and which one to resume from.

use super::{dash, numbers};
use anyhow::anyhow;
use ccsched_base::counted::counted;
use ccsched_model::problem::Collective;
use ccsched_run::islands::{Job, Keeper, Prepared, State, checkpoint};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The options.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Checkpoints")]
pub struct CheckpointArgs {
    /// Keep the state of the search in FILE, and the state before it in FILE.previous
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Time between checkpoints: 30s, 10m, 2h; one is also written when the search ends
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = numbers::duration)]
    pub checkpoint_every: Duration,
    /// Resume from the state in FILE; the result is that of an uninterrupted search
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// In a Slurm job, end the search this long before the job ends
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = numbers::duration)]
    pub wall_margin: Duration,
}

impl CheckpointArgs {
    /// Checks before the search that the checkpoint to resume from exists.
    ///
    /// # Errors
    /// A missing file.
    pub fn check(&self, collectives: &[Collective]) -> anyhow::Result<()> {
        let Some(path) = &self.resume else { return Ok(()) };
        // With several collectives, searches that had not started have no checkpoint.
        let paths: Vec<PathBuf> =
            collectives.iter().map(|&c| of_collective(path, c, collectives)).collect();
        if paths.iter().any(|path| path.exists()) {
            return Ok(());
        }
        let previous = checkpoint::previous(&paths[0]);
        let hint = match previous.exists() {
            true => format!("; the previous checkpoint exists: --resume {}", previous.display()),
            false => String::new(),
        };
        Err(anyhow!("--resume: there is no file {}{hint}", paths[0].display()))
    }

    /// The keeper of the states of one search.
    ///
    /// # Errors
    /// An unusable checkpoint to resume from.
    pub fn keeper<'a>(
        &self,
        prepared: &'a Prepared,
        collectives: &[Collective],
        islands: usize,
    ) -> anyhow::Result<FileKeeper<'a>> {
        let job = prepared.job();
        let of = |path: &PathBuf| of_collective(path, job.request.collective, collectives);
        let resume = self.resume.as_ref().map(of).filter(|path| path.exists());
        let from = resume.map(|path| read(&path, prepared, islands)).transpose()?;
        let path = self.checkpoint.as_ref().map(of);
        let (every, last) = (self.checkpoint_every, Instant::now());
        Ok(FileKeeper { path, every, last, job, from, failure: None })
    }
}

/// The file of one collective: with several, the collective is added to the name.
pub fn of_collective(path: &Path, collective: Collective, all: &[Collective]) -> PathBuf {
    // A folder or a pipe in place of a file is reported later.
    if all.len() == 1 || path.is_dir() || dash::is_stream(path) {
        return path.to_path_buf();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // A compressed file has two extensions.
    let (name, packed) = name.strip_suffix(".zst").map_or((&*name, ""), |name| (name, ".zst"));
    let (stem, extension) = match name.rfind('.').filter(|&dot| dot > 0) {
        Some(dot) => name.split_at(dot),
        None => (name, ""),
    };
    path.with_file_name(format!("{stem}-{collective}{extension}{packed}"))
}

fn read(path: &Path, prepared: &Prepared, islands: usize) -> anyhow::Result<State> {
    let read = |path: &Path| checkpoint::read_for(path, prepared.job(), prepared.problem());
    let state = read(path).map_err(|why| {
        let previous = checkpoint::previous(path);
        let other = match read(&previous) {
            Ok(state) => format!(
                "the previous one, after {}, is valid: --resume {}",
                counted(state.iterations(), "iteration"),
                previous.display()
            ),
            Err(_) if !previous.exists() => {
                format!("there is no previous one, {}", previous.display())
            }
            Err(why) => format!("the previous one, {}, is unusable too: {why}", previous.display()),
        };
        anyhow!("--resume {}: {why}; {other}", path.display())
    })?;
    let best = match state.best() {
        Some(best) => {
            let unit = if prepared.job().search.form.is_some() { "byte" } else { "step" };
            format!(", best {best}", best = counted(best, unit))
        }
        None => ", best none yet".into(),
    };
    log::info!(
        "resuming from {} after {}{best}",
        path.display(),
        counted(state.iterations(), "iteration")
    );
    if state.islands() != islands && !state.is_over() {
        log::warn!(
            "{} was written by {}, and now there are {islands}: the search \
             continues differently than with the original number",
            path.display(),
            counted(state.islands(), "island")
        );
    }
    Ok(state)
}

/// Keeps the states of one search in a file.
pub struct FileKeeper<'a> {
    path: Option<PathBuf>,
    every: Duration,
    last: Instant,
    job: &'a Job,
    from: Option<State>,
    /// Why the last state could not be written.
    failure: Option<String>,
}

impl FileKeeper<'_> {
    /// Iterations done before the search resumes, as traces count them.
    pub fn iterations(&self) -> Option<u64> {
        self.from.as_ref().map(State::iterations_done)
    }

    /// Why the last state could not be written.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The checkpoint file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl Keeper for FileKeeper<'_> {
    fn resuming(&self) -> Option<&State> {
        self.from.as_ref()
    }

    fn resumes(&mut self) -> Option<State> {
        self.from.take()
    }

    fn wants_state(&mut self, ends: bool) -> bool {
        self.path.is_some() && (ends || self.last.elapsed() >= self.every)
    }

    fn keep(&mut self, state: State) -> Result<(), String> {
        let Some(path) = &self.path else { return Ok(()) };
        let written = checkpoint::write(path, self.job, &state);
        self.last = Instant::now();
        self.failure = written.err().map(|why| why.to_string());
        match &self.failure {
            None => {
                let iterations = state.iterations();
                log::debug!("checkpoint in {} after {iterations} iterations", path.display());
            }
            // The search is worth more than its state; there may be space again next time.
            Some(why) => log::error!(
                "--checkpoint: {why}; the one before is left as it is, the search goes on, and the \
                 next attempt is in {} s or at the end",
                self.every.as_secs()
            ),
        }
        Ok(())
    }
}
