//! A fault book: a folder of schedules, one for every set of faults, and `book.json`, which says which
//! file is for which faults. A system that has the book need only look the faults up.

use super::results::{Swept, difference};
use crate::atomic::check_writable;
use crate::engines::Method;
use crate::experiments::fault_sweep::{Class, FaultSet, Symmetry, carry_over};
use crate::islands::{Inspector, Job, provenance};
use crate::network::Network;
use crate::network::faults::Fault;
use crate::problem::Collective;
use crate::schedule::Plan;
use crate::{atomic, bounds};
use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What the file is.
const FORMAT: &str = "ccsched-fault-book/1";

#[derive(Serialize, Deserialize)]
struct Contents {
    format: String,
    /// What was swept: one book is about one network and one way to send.
    swept: Swept,
    entries: Vec<Entry>,
}

/// One schedule.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    collective: String,
    fault: String,
    faults: Vec<Fault>,
    steps: usize,
    /// The file beside the book.
    schedule: String,
    /// The equal set of faults whose schedule was carried over.
    like: Option<String>,
}

/// A book that is being written.
pub struct Book {
    folder: PathBuf,
    swept: Swept,
    entries: Vec<Entry>,
}

impl Book {
    /// The book in a folder, a new one if there is none.
    ///
    /// # Errors
    /// A folder that cannot be made or written to, a book that cannot be read or is about something else.
    pub fn open(folder: &Path, swept: &Swept) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).map_err(|e| crate::Error::io(folder, e))?;
        let path = folder.join("book.json");
        check_writable(&path)?;
        let mut entries = Vec::new();
        if path.exists() {
            let text = std::fs::read_to_string(&path).map_err(|e| crate::Error::io(&path, e))?;
            let wrong = |why: String| anyhow!("{}: this is no fault book: {why}", path.display());
            let contents: Contents =
                serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
            if contents.format != FORMAT {
                return Err(wrong(format!("its format is {}, not {FORMAT}", contents.format)));
            }
            if let Some(what) = difference(&contents.swept, swept) {
                anyhow::bail!("{}: this is the book of another sweep: {what}", path.display());
            }
            entries = contents.entries;
        }
        Ok(Book { folder: folder.to_path_buf(), swept: swept.clone(), entries })
    }

    /// Whether it has a schedule.
    pub fn has(&self, collective: Collective, fault: &str, faults: &[Fault]) -> bool {
        let collective = collective.to_string();
        let is_meant =
            |e: &&Entry| e.collective == collective && e.fault == fault && e.faults == faults;
        let mut meant = self.entries.iter().filter(is_meant);
        meant.any(|e| self.folder.join(&e.schedule).exists())
    }

    /// Adds the schedule of a class's first set of faults, and what it becomes for the others; said with
    /// it is whether a search has shown that none is shorter.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn add(
        &mut self,
        symmetry: &Symmetry<'_>,
        (whole, faults, sets, labels): (&Network, &[Fault], &[FaultSet], &[String]),
        class: &Class,
        job: &Job,
        (plan, method, by_search): (&Plan, &Method, bool),
    ) -> Result<(), String> {
        let first = class.members[0].0;
        let solved = job.pose().map_err(|e| e.to_string())?;
        for (set, way) in &class.members {
            let network = sets[*set].rest(whole).map_err(|e| e.to_string())?;
            let faults = [faults, &sets[*set].records(whole)].concat();
            let problem = job.request.pose(network, faults).map_err(|e| e.to_string())?;
            let from = (&sets[first], plan, &*solved);
            let carried = carry_over(symmetry, whole, from, way, (&sets[*set], &problem));
            let broken = |why: String| {
                format!(
                    "internal error, please report it: the schedule for {} does not fit {}: {why}",
                    labels[first], labels[*set]
                )
            };
            let carried = carried.ok_or_else(|| broken("something is missing".into()))?;
            let provenance = provenance(&job.engine, method, &job.search, 1);
            let least = by_search.then_some(carried.steps.len() as u32);
            let bounds = bounds::with_search(least, &bounds::all(&problem));
            let inspector = Inspector { problem: &problem, bounds: &bounds };
            let file = inspector.file(&carried, provenance).map_err(broken)?;
            let collective = problem.collective.to_string();
            let name = format!("{collective}-{}.json", slug(&labels[*set]));
            file.write(self.folder.join(&name)).map_err(|e| e.to_string())?;
            self.entries.retain(|e| e.collective != collective || e.fault != labels[*set]);
            self.entries.push(Entry {
                collective,
                fault: labels[*set].clone(),
                faults: problem.faults.clone(),
                steps: carried.steps.len(),
                schedule: name,
                like: (*set != first).then(|| labels[first].clone()),
            });
        }
        self.write().map_err(|e| e.to_string())
    }

    fn write(&mut self) -> anyhow::Result<()> {
        self.entries.sort_by(|a, b| (&a.collective, &a.fault).cmp(&(&b.collective, &b.fault)));
        let contents = Contents {
            format: FORMAT.into(),
            swept: self.swept.clone(),
            entries: self.entries.clone(),
        };
        let text = serde_json::to_string_pretty(&contents)? + "\n";
        Ok(atomic::write(&self.folder.join("book.json"), text)?)
    }
}

/// A label as a part of a file's name, no two the same: what may not stand there is told by its bytes, as
/// in an address, and so is what stands for blanks.
fn slug(label: &str) -> String {
    let mut slug = String::new();
    for byte in label.bytes() {
        match byte {
            b' ' => slug.push('_'),
            b'.' | b'-' | b'+' => slug.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => slug.push(byte.into()),
            _ => slug += &format!("%{byte:02X}"),
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn no_two_labels_have_one_file() {
        assert_eq!(slug("link 01-10 + node s1.2"), "link_01-10_+_node_s1.2");
        let labels =
            ["node \u{e4}", "node \u{f6}", "node a b", "node a_b", "node a%5Fb", "node a/b"];
        let mut slugs = labels.map(slug).to_vec();
        assert_eq!(slugs[0], "node_%C3%A4");
        slugs.sort();
        slugs.dedup();
        assert_eq!(slugs.len(), labels.len());
    }
}
