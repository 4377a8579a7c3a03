//! The folder of a deployment. Its `deploy.json` lists the files that this program wrote there; these
//! are replaced by the next deployment, and no others.

use super::Content;
use crate::export::DEPLOYED as INDEX;
use ccsched_base::atomic::Batch;
use ccsched_base::{Error, Result, atomic};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The format of `deploy.json`, and its version.
pub(super) const FORMAT: &str = "ccsched-deploy/1";

/// The algorithms of Open MPI that are best by length: predicted, then those that `tune` measures.
pub(super) const RULES: &str = "openmpi.rules";

/// A folder that is new, empty, or that of an earlier deployment.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The files of the earlier deployment.
    own: BTreeSet<String>,
    /// The folders that were made for it, the outermost first; those that are still empty at the end go.
    made: Vec<PathBuf>,
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.made.iter().rev().for_each(|folder| _ = std::fs::remove_dir(folder));
    }
}

impl Folder {
    /// Looks at a folder, and makes it if it is missing.
    ///
    /// # Errors
    /// It holds other files, or cannot be written to.
    pub fn open(path: &Path) -> Result<Self> {
        if path.is_file() {
            return Err(Error::problem(format!("{} is a file, and no folder", path.display())));
        }
        let made = atomic::made(path)?;
        let mut folder = Folder { path: path.into(), own: BTreeSet::new(), made };
        atomic::check_writable(&path.join(INDEX))?;
        let own = own(path)?;
        if own.is_none() {
            let entries = std::fs::read_dir(path).map_err(|e| Error::io(path, e))?;
            if let Some(entry) = entries.flatten().next() {
                let name = entry.file_name();
                let why = format!(
                    "{} holds {}, and no {INDEX} of an earlier deployment; name a new or empty folder",
                    path.display(),
                    name.display()
                );
                return Err(Error::problem(why));
            }
        }
        folder.own = own.unwrap_or_default();
        Ok(folder)
    }

    /// Writes the files with their list, all of them or none, and removes those of the earlier deployment
    /// that are none of them. `about` is what else the list says.
    ///
    /// # Errors
    /// A file of this name that the earlier deployment did not write; a file that cannot be written.
    pub(super) fn write(self, about: &Value, files: &[(String, Content<'_>)]) -> Result<()> {
        let (path, own) = (&self.path, &self.own);
        for (name, _) in files {
            let file = path.join(name);
            // `tune` writes the rules of the folder, too.
            let is_own = own.contains(name) || name == RULES;
            if !is_own && file.symlink_metadata().is_ok() {
                let why = format!(
                    "{} is there, and is not of an earlier deployment; move it, or name another folder",
                    file.display()
                );
                return Err(Error::problem(why));
            }
        }
        let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let list = |names: &BTreeSet<&str>| {
            let mut text = about.clone();
            text["files"] = json!(names);
            format!("{text:#}\n")
        };
        let index = path.join(INDEX);
        let mut batch = Batch::default();
        // A deployment that is killed amid its files knows them.
        let all = list(&names.iter().copied().chain(own.iter().map(String::as_str)).collect());
        batch.add(&index, |out| out.write_all(all.as_bytes()))?;
        for (name, content) in files {
            let file = path.join(name);
            match content {
                Content::Text(text) => batch.add_bytes(&file, text.as_bytes())?,
                Content::Schedule(schedule) => {
                    batch.add(&file, |out| schedule.write_for(&file, out))?;
                }
            }
        }
        batch.commit()?;
        for old in own.iter().filter(|old| !names.contains(old.as_str())) {
            let file = path.join(old);
            match std::fs::remove_file(&file) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::unwritten(&file, e));
                }
                _ => {}
            }
        }
        atomic::write(&index, list(&names))
    }
}

/// The files of the deployment in a folder, if there is one.
fn own(folder: &Path) -> Result<Option<BTreeSet<String>>> {
    let path = folder.join(INDEX);
    let text = match std::fs::read_to_string(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|e| Error::io(&path, e))?,
    };
    let list: Value = serde_json::from_str(&text).unwrap_or_default();
    let files = list["files"].as_array().filter(|_| list["format"] == FORMAT);
    let Some(files) = files else {
        let why = format!("{} is no list of {FORMAT}; name another folder", path.display());
        return Err(Error::problem(why));
    };
    // A name that leads elsewhere is none of ours.
    let is_inside =
        |name: &&str| Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let names = files.iter().filter_map(Value::as_str).filter(is_inside);
    Ok(Some(names.map(String::from).collect()))
}
