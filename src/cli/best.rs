//! The file of the best schedule so far. A file is replaced with every better schedule; a pipe or a
//! device gets the last schedule alone. A better schedule of the same problem that is already in
//! the file, from an earlier run, stays there.

use super::dash;
use ccsched_base::Result;
use ccsched_base::atomic;
use ccsched_model::schedule::ScheduleFile;
use ccsched_verify::verify;
use std::io;
use std::io::Write;
use std::path::Path;

/// The time in bytes where it is to be the least, steps, channel-steps, longest path: the order of schedules
/// of a problem.
type Rank = (u64, usize, usize, usize);

/// The file of the best schedule.
#[derive(Debug)]
pub struct BestFile<'a> {
    path: &'a Path,
    is_stream: bool,
    before: Before,
    /// The start-up time of a step in bytes, if the time is to be the least.
    startup: Option<u64>,
}

/// What the file held before the first schedule of this run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Before {
    Unknown,
    Nothing,
    /// A valid schedule of the same problem.
    Schedule(Rank),
}

impl<'a> BestFile<'a> {
    /// The file at a path; with `force`, whatever it holds is replaced.
    pub fn new(path: &'a Path, force: bool) -> Self {
        let is_stream = dash::is_stream(path);
        let before = if force || is_stream { Before::Nothing } else { Before::Unknown };
        BestFile { path, is_stream, before, startup: None }
    }

    /// The same where the time is to be the least; a step has this start-up time in bytes.
    pub fn for_time(self, startup: u64) -> Self {
        BestFile { startup: Some(startup), ..self }
    }

    fn rank(&self, schedule: &ScheduleFile) -> Rank {
        let lengths = || schedule.steps.iter().flatten().map(|t| t.channels.len());
        let steps = schedule.steps.len();
        let time = self.startup.map_or(0, |startup| {
            let span = schedule.span().unwrap_or(0).saturating_add(schedule.delays_of_steps());
            span.saturating_add(startup.saturating_mul(steps as u64))
        });
        (time, steps, lengths().sum(), lengths().max().unwrap_or(0))
    }

    /// The rank of a valid schedule of the same problem in the file.
    fn present(&self, new: &ScheduleFile) -> Option<Rank> {
        if !self.path.is_file() || new.is_apart_from(self.path) {
            return None;
        }
        let old = ScheduleFile::read(self.path).ok()?;
        let is_same = old.network.is_like(&new.network) && old.model == new.model;
        (is_same && verify(&old).is_empty()).then(|| self.rank(&old))
    }

    /// Whether the last schedule alone is written.
    pub fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// Writes a schedule, unless the file holds a better one. The schedule takes its place only if
    /// `is_valid` then returns true; else the file stays as it was.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(
        &mut self,
        schedule: &ScheduleFile,
        is_valid: &mut dyn FnMut() -> bool,
    ) -> Result<()> {
        if self.before == Before::Unknown {
            let present = self.present(schedule);
            self.before = present.map_or(Before::Nothing, Before::Schedule);
        }
        if let Before::Schedule(present) = self.before
            && present < self.rank(schedule)
        {
            return Ok(());
        }
        let fill = |out: &mut dyn Write| schedule.write_for(self.path, out);
        if self.is_stream {
            return if is_valid() { dash::write_with(self.path, fill) } else { Ok(()) };
        }
        let mut is_wrong = false;
        let written = atomic::replace(self.path, fill, |_| {
            is_wrong = !is_valid();
            if is_wrong { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
        });
        if !is_wrong {
            written?;
            self.before = Before::Nothing;
        }
        Ok(())
    }

    /// The steps of the better schedule that has stayed in the file.
    pub fn kept(&self) -> Option<usize> {
        match self.before {
            Before::Schedule((_, steps, ..)) => Some(steps),
            Before::Unknown | Before::Nothing => None,
        }
    }
}
