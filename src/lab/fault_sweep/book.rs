//! A fault book: a folder with a schedule for every fault set, and `book.json`, which maps faults to
//! schedule files. A system that has the book reacts to faults by a look-up.

use super::cells::{Cell, FaultSweep};
use super::orbits::carry_over;
use super::results::{Results, Row, Subject};
use super::sets::FaultSet;
use crate::journal::difference;
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result, atomic, input};
use ccsched_bounds as bounds;
use ccsched_engines::Method;
use ccsched_model::problem::{Collective, Problem, Request};
use ccsched_model::schedule::{Plan, ScheduleFile};
use ccsched_network::VertexId;
use ccsched_network::faults::Fault;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{Inspector, RankGroup, SearchError, Solved, Task, provenance};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The format of `book.json`, and its version.
const FORMAT: &str = "ccsched-fault-book/1";

/// What `book.json` holds.
#[derive(Serialize, Deserialize)]
struct Contents {
    format: String,
    /// A book has one network and one way to send.
    #[serde(rename = "swept")]
    subject: Subject,
    entries: Vec<Entry>,
}

/// One schedule.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    collective: String,
    /// The label of the fault set.
    fault: String,
    /// All faults, those before the sweep included.
    faults: Vec<Fault>,
    steps: usize,
    /// The name of the schedule file, which is in the same folder.
    schedule: String,
    /// The label of the equal fault set that the schedule was carried over from.
    like: Option<String>,
}

/// A book to which schedules are added.
pub struct Book {
    folder: PathBuf,
    contents: Contents,
}

impl Book {
    /// The book in a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// A folder that cannot be created or written to, a book that cannot be read or has another
    /// subject.
    pub fn open(folder: &Path, subject: &Subject) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        let path = folder.join("book.json");
        atomic::check_writable(&path)?;
        let new = || Contents { format: FORMAT.into(), subject: subject.clone(), entries: vec![] };
        let contents = if path.exists() { read(&path, subject)? } else { new() };
        Ok(Book { folder: folder.to_path_buf(), contents })
    }

    /// Whether the book and its folder hold the schedule for a fault set.
    pub fn has(&self, collective: Collective, fault: &str, faults: &[Fault]) -> bool {
        let collective = collective.to_string();
        let is_meant =
            |e: &&Entry| e.collective == collective && e.fault == fault && e.faults == faults;
        let mut meant = self.contents.entries.iter().filter(is_meant);
        meant.any(|e| self.folder.join(&e.schedule).exists())
    }

    /// Adds the schedule of a cell, and carries it over to the other fault sets of the cell. `by_search`
    /// says that a refutation has proved the schedule optimal.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn add(
        &mut self,
        sweep: &FaultSweep,
        cell: &Cell<'_>,
        (plan, method): &(Arc<Plan>, Method),
        by_search: bool,
    ) -> Result<()> {
        let solved = cell.task.job.pose()?;
        let first = cell.class[0].0;
        for (set, automorphism) in &cell.class {
            let label = sweep.label(*set);
            let from = (&sweep.sets[first], &**plan, &*solved);
            let file = carried(sweep, cell, from, (*set, automorphism), (method, by_search));
            let file = file?.map_err(|why| {
                Error::problem(format!(
                    "internal error, please report it: the schedule for {} does not fit {label}: {why}",
                    sweep.label(first),
                ))
            })?;
            let collective = cell.collective.to_string();
            let name = self.file_name(&collective, &label);
            file.write(self.folder.join(&name))?;
            self.contents.entries.retain(|e| e.collective != collective || e.fault != label);
            self.contents.entries.push(Entry {
                collective,
                fault: label,
                faults: sweep.faults_with(&sweep.sets[*set]),
                steps: file.steps.len(),
                schedule: name,
                like: (*set != first).then(|| sweep.label(first)),
            });
        }
        self.write()
    }

    /// The file of a schedule. Long labels are cut, and those that are then alike are numbered.
    fn file_name(&self, collective: &str, label: &str) -> String {
        let mut start = format!("{collective}-{}", slug(label));
        if start.len() > LONGEST {
            start.truncate(LONGEST);
            start += &format!("..{:08x}", crc32fast::hash(label.as_bytes()));
        }
        let names = |number: u32| match number {
            1 => format!("{start}.json"),
            _ => format!("{start}-{number}.json"),
        };
        let is_free = |name: &String| {
            let others = self.contents.entries.iter();
            let mut others = others.filter(|e| e.collective != collective || e.fault != label);
            others.all(|e| e.schedule != *name)
        };
        (1..).map(names).find(is_free).expect("there are more numbers than entries")
    }

    fn write(&mut self) -> Result<()> {
        self.contents
            .entries
            .sort_by(|a, b| (&a.collective, &a.fault).cmp(&(&b.collective, &b.fault)));
        let path = self.folder.join("book.json");
        let text =
            serde_json::to_string_pretty(&self.contents).map_err(|e| Error::io(&path, e.into()))?;
        atomic::write(&path, text + "\n")
    }
}

fn read(path: &Path, subject: &Subject) -> Result<Contents> {
    let text = input::text(path)?;
    let wrong = |why: String| Error::problem(format!("{}: {why}", path.display()));
    let contents: Contents =
        serde_json::from_str(&text).map_err(|e| wrong(format!("this is not a fault book: {e}")))?;
    if contents.format != FORMAT {
        let format = contents.format;
        return Err(wrong(format!(
            "this is not a fault book: its format is {format}, not {FORMAT}"
        )));
    }
    match difference(&contents.subject, subject) {
        Some(what) => Err(wrong(format!("this is the book of another sweep: {what}"))),
        None => Ok(contents),
    }
}

/// The file of a cell's schedule, carried over to one of the cell's sets; in the inner error why it does
/// not fit.
fn carried(
    sweep: &FaultSweep,
    cell: &Cell<'_>,
    from: (&FaultSet, &Plan, &Problem),
    (set, automorphism): (usize, &[VertexId]),
    (method, by_search): (&Method, bool),
) -> Result<Result<ScheduleFile, String>> {
    let (set, job) = (&sweep.sets[set], &cell.task.job);
    let rest = set.rest(&sweep.network)?;
    let problem = job.request.pose(rest, sweep.faults_with(set))?;
    let whole = &sweep.network;
    let Some(plan) = carry_over(&cell.symmetry, whole, from, automorphism, (set, &problem)) else {
        return Ok(Err("a transfer has no image".into()));
    };
    let least = by_search.then_some(plan.len() as u32);
    let bounds = bounds::with_search(least, &bounds::all(&problem));
    let inspector = Inspector { problem: &problem, bounds: &bounds };
    Ok(inspector.file(&plan, provenance(&job.engine, method, &job.search, 1)))
}

/// Bytes of a label in the name of a file; a file system takes some 255.
const LONGEST: usize = 160;

/// A label as a part of a file name. Different labels have different slugs: underscores stand for
/// blanks, and bytes that are not allowed, the underscore among them, are percent-encoded as in URLs.
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

// The run of a fault sweep: the open cells are shared out over a group, and what each of them results in is
// saved.

impl FaultSweep {
    /// The rows of the cells that are done, in the order of collectives and sets.
    pub fn rows<'r>(&self, results: &'r Results) -> Vec<&'r Row> {
        let labels: Vec<String> = (0..self.sets.len()).map(|set| self.label(set)).collect();
        let of = |request: &Request| {
            let collective = request.collective;
            labels.iter().filter_map(move |label| results.of(collective, label))
        };
        self.requests.iter().flat_map(of).collect()
    }

    /// The cells that are not done: a row is missing for one of their sets, or a schedule in the book.
    pub fn open_cells<'c, 'n>(
        &self,
        cells: &'c [Cell<'n>],
        results: &Results,
        book: Option<&Book>,
    ) -> Vec<&'c Cell<'n>> {
        let is_in = |book: &Book, collective: Collective, set: usize| {
            book.has(collective, &self.label(set), &self.faults_with(&self.sets[set]))
        };
        let is_done = |collective: Collective, set: usize| {
            results.of(collective, &self.label(set)).is_some_and(|row| {
                // The book holds schedules alone: it has no entry where none was found.
                row.steps.is_none() || book.is_none_or(|book| is_in(book, collective, set))
            })
        };
        let is_open =
            |cell: &&Cell<'n>| !cell.class.iter().all(|(set, _)| is_done(cell.collective, *set));
        cells.iter().filter(is_open).collect()
    }

    /// Distributes the open cells over the group, and saves each as soon as it is solved; returns
    /// whether an interrupt ended the sweep.
    ///
    /// # Errors
    /// When a search fails, a member of the group is gone, or a file cannot be written.
    pub fn run<C: Communicator>(
        &self,
        cells: &[Cell<'_>],
        (group, interrupted): (&mut RankGroup<'_, C>, &AtomicBool),
        (results, mut book): (&mut Results, Option<&mut Book>),
    ) -> Result<bool, SearchError> {
        let open = self.open_cells(cells, results, book.as_deref());
        let tasks: Vec<Task> = open.iter().map(|cell| cell.task.clone()).collect();
        log::info!("left to do: {} of {}", tasks.len(), counted(cells.len(), "task"));
        group.tasks(&tasks, interrupted, &mut |number, solved| {
            let saved = self.save(open[number], &solved, results, book.as_deref_mut());
            saved.map_err(|why| SearchError::Observer(why.to_string()))
        })
    }

    /// Saves a cell: its schedules first, so that a row in the results means that the book is complete.
    fn save(
        &self,
        cell: &Cell<'_>,
        solved: &Solved,
        results: &mut Results,
        book: Option<&mut Book>,
    ) -> Result<()> {
        let first = cell.class[0].0;
        log::debug!("{}, {}: {}", cell.collective, self.label(first), in_words(solved));
        if let (Some(book), Solved::Searched { plan: Some(found), by_search, .. }) = (book, solved)
        {
            book.add(self, cell, found, *by_search)?;
        }
        for (set, _) in &cell.class {
            let like = (*set != first).then(|| self.label(first));
            results.add(Row::new(cell.collective, &self.label(*set), like, solved))?;
        }
        Ok(())
    }
}

fn in_words(solved: &Solved) -> String {
    match solved {
        Solved::Impossible(why) => why.clone(),
        Solved::Searched { plan: Some((plan, _)), lower_bound, .. } => {
            format!("{}, lower bound {lower_bound}", counted(plan.len(), "step"))
        }
        Solved::Searched { plan: None, .. } => "no schedule found".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn different_labels_have_different_files() {
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
