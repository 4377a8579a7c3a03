//! A command does not write over its own inputs, nor one output over another. The check compares what the paths lead to: links,
//! other spellings and other names of one file are the same file.

use super::named::ReadingArgs;
use super::problem_args::ProblemArgs;
use ccsched_model::problem::Permutation;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The options of a command that name files to read, each with its file.
#[derive(Clone, Debug, Default)]
pub struct Inputs<'a>(Vec<(&'static str, &'a Path)>);

impl<'a> Inputs<'a> {
    /// A network and how its file is understood.
    pub fn network(topology: &'a str, reading: &'a ReadingArgs) -> Self {
        Inputs::default()
            .with("--topology", Some(Path::new(topology)))
            .with("--routes", reading.routes.as_deref())
    }

    /// The files of a problem.
    pub fn problem(problem: &'a ProblemArgs) -> Self {
        let permutation = match &problem.permutation {
            Some(Permutation::File(path)) => Some(path.as_path()),
            _ => None,
        };
        let networks = problem.topology.iter();
        let files = networks.map(|name| ("--topology", Path::new(name))).collect();
        Inputs(files)
            .with("--routes", problem.reading.routes.as_deref())
            .with("--pairs", problem.pairs.as_deref())
            .with("--matrix", problem.matrix.as_deref())
            .with("--group", problem.group.as_deref())
            .with("--permutation", permutation)
            .with(
                "--host-list",
                problem.host_list.as_deref().map(Path::new).filter(|p| p.is_file()),
            )
    }

    /// Another input, if it is given.
    pub fn with(mut self, option: &'static str, path: Option<&'a Path>) -> Self {
        self.0.extend(path.map(|path| (option, path)));
        self
    }

    /// Refuses an output that is one of the inputs.
    ///
    /// # Errors
    /// It is one.
    pub fn refuse(&self, option: &str, output: &Path) -> anyhow::Result<()> {
        match self.0.iter().find(|(_, input)| is_same(input, output)) {
            None => Ok(()),
            Some((of, _)) => anyhow::bail!(
                "{option}: {} is the file that {of} reads, and would be overwritten; name another",
                output.display()
            ),
        }
    }
}

impl Inputs<'_> {
    /// Refuses a folder for files of these extensions that holds an input which one of them could
    /// replace.
    ///
    /// # Errors
    /// It holds one.
    pub fn refuse_in(&self, option: &str, folder: &Path, kinds: &[&str]) -> anyhow::Result<()> {
        let could_be = |input: &Path| {
            let name = input.file_name().unwrap_or_default();
            let kind = input.extension().unwrap_or_default();
            kinds.iter().any(|&k| kind == k) && is_same(input, &folder.join(name))
        };
        match self.0.iter().find(|(_, input)| could_be(input)) {
            None => Ok(()),
            Some((of, input)) => anyhow::bail!(
                "{option}: {} gets files of .{} and holds {} that {of} reads, which one of them could \
                 overwrite; name another folder",
                folder.display(),
                kinds.join(", ."),
                input.display()
            ),
        }
    }
}

/// Refuses two outputs that are the same file.
///
/// # Errors
/// There are two.
pub fn check_distinct<'a>(
    outputs: impl IntoIterator<Item = (&'static str, &'a Path)>,
) -> anyhow::Result<()> {
    let mut taken: BTreeMap<PathBuf, &str> = BTreeMap::new();
    for (option, path) in outputs {
        if let Some(other) = place(path).and_then(|place| taken.insert(place, option)) {
            anyhow::bail!(
                "{option}: {} is already the file of {other}; name another",
                path.display()
            );
        }
    }
    Ok(())
}

/// The canonical name of a file; none for devices and pipes, which may be shared.
fn place(path: &Path) -> Option<PathBuf> {
    match std::fs::canonicalize(path) {
        Ok(place) => std::fs::metadata(&place).is_ok_and(|m| m.is_file()).then_some(place),
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(folder.join(path.file_name()?))
        }
    }
}

/// Whether two paths lead to the same regular file.
fn is_same(a: &Path, b: &Path) -> bool {
    let (Ok(of_a), Ok(of_b)) = (std::fs::metadata(a), std::fs::metadata(b)) else { return false };
    of_a.is_file() && of_b.is_file() && identity(a, &of_a) == identity(b, &of_b)
}

#[cfg(unix)]
fn identity(_: &Path, file: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &std::fs::Metadata) -> Option<std::path::PathBuf> {
    std::fs::canonicalize(path).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_and_spellings_are_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "").unwrap();
        std::fs::write(at("b"), "").unwrap();
        std::fs::hard_link(at("a"), at("hard")).unwrap();
        std::os::unix::fs::symlink("a", at("soft")).unwrap();
        for name in ["a", "hard", "soft", "./a"] {
            assert!(is_same(&at("a"), &at(name)), "{name}");
        }
        for name in ["b", "missing", "."] {
            assert!(!is_same(&at("a"), &at(name)), "{name}");
        }
        let inputs = Inputs::default().with("--pairs", Some(Path::new("/missing")));
        let a = at("a");
        let inputs = inputs.with("--topology", Some(&a));
        let why = inputs.refuse("--output", &at("soft")).unwrap_err().to_string();
        assert!(why.contains("--output: ") && why.contains("that --topology reads"), "{why}");
        inputs.refuse("--output", &at("b")).unwrap();
    }
}
