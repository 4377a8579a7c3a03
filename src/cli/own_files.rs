//! A command does not write over its own inputs. The check compares what the paths lead to: links,
//! other spellings and other names of one file are the same file.

use super::named::ReadingArgs;
use super::problem_args::ProblemArgs;
use crate::problem::Permutation;
use std::path::Path;

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
        Self::network(&problem.topology, &problem.reading)
            .with("--pairs", problem.pairs.as_deref())
            .with("--group", problem.group.as_deref())
            .with("--permutation", permutation)
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
