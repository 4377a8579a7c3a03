//! Several files that are written together: all drafts are complete before the first one takes its
//! place, so that a full disk leaves what was there before.

use super::{Draft, draft, fill_file, put};
use crate::{Error, Result};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Files that are not in their places yet. Folders that were made for them go with it if they are empty.
#[derive(Default)]
pub struct Batch {
    drafts: Vec<(PathBuf, Draft)>,
    folders: Vec<PathBuf>,
}

impl Batch {
    /// Writes the draft of a file, which takes its place after those before; missing folders are made.
    ///
    /// # Errors
    /// As [`super::write_with`].
    pub fn add(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        if let Some(folder) = path.parent() {
            self.folders.extend(made(folder)?);
        }
        let (draft, file) = draft(path)?;
        fill_file(&file, fill).map_err(|e| Error::unwritten(path, e))?;
        self.drafts.push((path.to_path_buf(), draft));
        Ok(())
    }

    /// As [`Batch::add`], of these bytes; a script, which begins with `#!`, can be executed by those who can read it.
    ///
    /// # Errors
    /// As [`Batch::add`].
    pub fn add_bytes(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.add(path, |out| out.write_all(bytes))?;
        #[cfg(unix)]
        if let Some((_, draft)) = self.drafts.last().filter(|_| bytes.starts_with(b"#!")) {
            use std::os::unix::fs::PermissionsExt;
            let may = |e| Error::unwritten(path, e);
            let mode = fs::metadata(&draft.path).map_err(may)?.permissions().mode();
            let mode = fs::Permissions::from_mode(mode | (mode & 0o444) >> 2);
            fs::set_permissions(&draft.path, mode).map_err(may)?;
        }
        Ok(())
    }

    /// Puts all files in their places.
    ///
    /// # Errors
    /// A file that cannot be replaced.
    pub fn commit(mut self) -> Result<()> {
        for (path, draft) in self.drafts.drain(..) {
            put(draft, |_| Ok(())).map_err(|e| Error::unwritten(&path, e))?;
        }
        Ok(())
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.drafts.clear();
        // One that is not empty stays.
        self.folders.iter().rev().for_each(|folder| _ = fs::remove_dir(folder));
    }
}

/// Makes a folder; those that were missing, the outermost first.
///
/// # Errors
/// They cannot be made.
pub fn made(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let mut missing: Vec<PathBuf> =
        folder.ancestors().take_while(is_missing).map(Path::to_path_buf).collect();
    missing.reverse();
    fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    Ok(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_come_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let write = |text: &'static str| move |out: &mut dyn Write| out.write_all(text.as_bytes());
        fs::write(at("a"), "old").unwrap();
        let mut batch = Batch::default();
        batch.add(&at("a"), write("new")).unwrap();
        batch.add(&at("b/c/d"), write("new")).unwrap();
        let full = |_: &mut dyn Write| Err(io::ErrorKind::StorageFull.into());
        assert!(matches!(batch.add(&at("e"), full), Err(Error::Unwritten { .. })));
        assert_eq!(fs::read(at("a")).unwrap(), b"old");
        drop(batch);
        assert_eq!(names(), ["a"]);
        let mut batch = Batch::default();
        batch.add(&at("a"), write("new")).unwrap();
        batch.add(&at("b/c/d"), write("deep")).unwrap();
        batch.commit().unwrap();
        assert_eq!(names(), ["a", "b"]);
        assert_eq!(fs::read(at("a")).unwrap(), b"new");
        assert_eq!(fs::read(at("b/c/d")).unwrap(), b"deep");
    }
}
