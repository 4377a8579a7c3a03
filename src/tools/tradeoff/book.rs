//! A size book: a folder with the schedules of a trade-off, and `book.json`, which says which of them is
//! the fastest from which length of messages on.

use super::{Point, best};
use ccsched_base::atomic::Batch;
use ccsched_base::{Error, Result};
use ccsched_model::schedule::{ScheduleFile, TimeModel};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::path::{Path, PathBuf};

/// The format of `book.json`, and its version.
const FORMAT: &str = "ccsched-size-book/1";
/// The name of the index.
const INDEX: &str = "book.json";

/// The index of a folder of schedules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeBook {
    format: String,
    /// The network by name.
    pub network: String,
    /// The collective.
    pub collective: String,
    /// t0 and t1 of the model by which sizes are told apart.
    startup_us: f64,
    byte_ns: f64,
    /// The fastest schedules by length of messages, ascending.
    pub sizes: Vec<Entry>,
    #[serde(skip)]
    folder: PathBuf,
}

/// A schedule, and from which length of messages on it is the fastest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The least of the lengths that were compared.
    pub from_bytes: u64,
    /// Its file in the folder.
    pub file: String,
    /// Messages of the lengths that one of its messages holds, if it is more than one: the parts of a vector.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub parts: u32,
    /// Pieces of a message.
    pub pieces: u32,
    /// Steps.
    pub steps: u32,
    /// Rounds of all steps.
    pub rounds: u32,
}

fn one() -> u32 {
    1
}

fn is_one(parts: &u32) -> bool {
    *parts == 1
}

impl Entry {
    /// The least length of its own messages.
    pub fn least(&self) -> u64 {
        self.own(self.from_bytes)
    }

    /// The length of its own messages, from that of those that were compared.
    fn own(&self, bytes: u64) -> u64 {
        bytes.saturating_mul(self.parts.into())
    }
}

impl SizeBook {
    /// The book of some schedules for these lengths of messages, ascending.
    pub fn of<P: Borrow<Point>>(
        points: &[P],
        sizes: &[u64],
        model: &TimeModel,
        folder: &Path,
    ) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        for &message_bytes in sizes {
            let model = TimeModel { message_bytes, ..*model };
            let Some(place) = best(points, &model) else { continue };
            let point: &Point = points[place].borrow();
            let file = format!("{}.json", point.name());
            if entries.last().is_none_or(|last| last.file != file) {
                let &Point { parts, pieces, steps, rounds, .. } = point;
                let from_bytes = message_bytes;
                entries.push(Entry { from_bytes, file, parts, pieces, steps, rounds });
            }
        }
        let first = points.first().map(|point| &point.borrow().file);
        SizeBook {
            format: FORMAT.into(),
            network: first.map_or(String::new(), |file| file.network.name.clone()),
            collective: first.map_or(String::new(), |file| file.model.collective.clone()),
            startup_us: model.startup_us,
            byte_ns: model.byte_ns,
            sizes: entries,
            folder: folder.into(),
        }
    }

    /// Writes the schedules and the index, all of them or none.
    ///
    /// # Errors
    /// A folder or a file that cannot be written.
    pub fn write(&self, points: &[Point]) -> Result<()> {
        let mut batch = Batch::default();
        for point in points {
            let path = self.folder.join(format!("{}.json", point.name()));
            batch.add(&path, |out| point.file.write_for(&path, out))?;
        }
        let text = self.text()?;
        batch.add(&self.folder.join(INDEX), |out| out.write_all(text.as_bytes()))?;
        batch.commit()
    }

    /// The text of the index.
    ///
    /// # Errors
    /// A number that JSON does not have.
    pub fn text(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::problem(e.to_string()))?;
        Ok(text + "\n")
    }

    /// Reads the index of a folder.
    ///
    /// # Errors
    /// There is none, or it is no size book.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(INDEX);
        let text = std::fs::read_to_string(&path).map_err(|e| Error::io(&path, e))?;
        let wrong = |why: String| Error::problem(format!("{}: {why}", path.display()));
        let book: SizeBook =
            serde_json::from_str(&text).map_err(|e| wrong(format!("no size book: {e}")))?;
        if book.format != FORMAT {
            return Err(wrong(format!("the format is '{}', not {FORMAT}", book.format)));
        }
        let ascends = book.sizes.windows(2).all(|two| two[0].from_bytes < two[1].from_bytes);
        if book.sizes.is_empty() || !ascends || book.sizes.iter().any(|entry| entry.parts == 0) {
            let why = "`sizes` must be one or more, by ascending from_bytes, `parts` at least 1";
            return Err(wrong(why.into()));
        }
        Ok(SizeBook { folder: folder.into(), ..book })
    }

    /// The number of the schedule for messages of this length. Shorter ones than the first length have the
    /// first schedule.
    fn place(&self, bytes: u64) -> usize {
        self.sizes.partition_point(|entry| entry.from_bytes <= bytes).saturating_sub(1)
    }

    /// The file of the schedule for messages of this length.
    pub fn file(&self, bytes: u64) -> PathBuf {
        self.folder.join(&self.sizes[self.place(bytes)].file)
    }

    /// The lengths for which the schedule is that for this length, as its own messages have them: the least
    /// one, and the greatest, unless it is for all longer ones.
    pub fn range(&self, bytes: u64) -> (u64, Option<u64>) {
        let place = self.place(bytes);
        let entry = &self.sizes[place];
        let least = if place == 0 { 0 } else { entry.least() };
        let next = self.sizes.get(place + 1).map(|next| entry.own(next.from_bytes));
        (least, next.map(|next| next - 1))
    }

    /// The schedule for messages of this length.
    ///
    /// # Errors
    /// Its file cannot be read.
    pub fn schedule(&self, bytes: u64) -> Result<ScheduleFile> {
        ScheduleFile::read(self.file(bytes))
    }
}
