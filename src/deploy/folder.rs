//! The folder of a deployment. Its `deploy.json` lists the files that this program wrote there; these
//! are replaced by the next deployment, and no others.

use super::Content;
use crate::{Error, Result, atomic};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The format of `deploy.json`, and its version.
pub(super) const FORMAT: &str = "ccsched-deploy/1";
/// The name of the list.
const INDEX: &str = "deploy.json";

/// A folder that is new, empty, or that of an earlier deployment.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The files of the earlier deployment.
    own: BTreeSet<String>,
}

impl Folder {
    /// Looks at a folder, and makes it if it is missing.
    ///
    /// # Errors
    /// It holds other files, or cannot be written to.
    pub fn open(path: &Path) -> Result<Self> {
        std::fs::create_dir_all(path).map_err(|e| Error::io(path, e))?;
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
        Ok(Folder { path: path.into(), own: own.unwrap_or_default() })
    }

    /// Writes the list, then the files, and removes those of the earlier deployment that are none of
    /// them. `about` is what else the list says.
    ///
    /// # Errors
    /// A file of this name that the earlier deployment did not write; a file that cannot be written.
    pub(super) fn write(self, about: &Value, files: &[(String, Content<'_>)]) -> Result<()> {
        let Folder { path, own } = self;
        for (name, _) in files {
            let file = path.join(name);
            if !own.contains(name) && file.symlink_metadata().is_ok() {
                let why = format!(
                    "{} is there, and is not of an earlier deployment; move it, or name another folder",
                    file.display()
                );
                return Err(Error::problem(why));
            }
        }
        let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let list = |names: &BTreeSet<&str>| -> Result<()> {
            let mut text = about.clone();
            text["files"] = json!(names);
            atomic::write(&path.join(INDEX), format!("{text:#}\n"))
        };
        // A deployment that is interrupted knows its files.
        list(&names.iter().copied().chain(own.iter().map(String::as_str)).collect())?;
        for (name, content) in files {
            let file = path.join(name);
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
            }
            match content {
                Content::Text(text) => atomic::write(&file, text)?,
                Content::Schedule(schedule) => schedule.write(&file)?,
            }
        }
        for old in own.iter().filter(|old| !names.contains(old.as_str())) {
            let file = path.join(old);
            match std::fs::remove_file(&file) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::unwritten(&file, e));
                }
                _ => {}
            }
        }
        list(&names)
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
