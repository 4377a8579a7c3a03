//! Checkpoint files: the state of a search, with its job.
//!
//! A line of text names the format and the release that wrote the file. Then follow the length of
//! the body, its CRC-32, and the body: the job and the state in bincode. A file is replaced
//! atomically, and the one before is kept beside it as `FILE.previous`.

use super::{Form, Job, State};
use ccsched_base::codec;
use ccsched_base::counted::counted;
use ccsched_base::{Error, atomic};
use ccsched_model::problem::Problem;
use std::path::{Path, PathBuf};

/// The first word of every checkpoint; the number changes with the meaning of the bytes.
const FORMAT: &str = "ccsched-checkpoint/12";
/// The release: other releases write other states.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Bytes of the length and the CRC-32.
const HEAD: usize = 8 + 4;

/// Why a search cannot resume from a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(std::io::Error),
    /// The file is not a checkpoint.
    #[error("not a checkpoint: the file does not begin with '{FORMAT}'")]
    Other,
    /// Another release wrote it, whose searches run differently.
    #[error(
        "it was written by ccsched {0}, and this is {VERSION}; \
         only the release that began a search can resume it"
    )]
    Version(String),
    /// Its length is wrong.
    #[error("it is damaged: it has {has} of {should} bytes")]
    Short {
        /// Bytes in the file.
        has: usize,
        /// Bytes expected.
        should: u64,
    },
    /// Its checksum is wrong.
    #[error("it is damaged: its checksum is {has:08x} and should be {should:08x}")]
    Checksum {
        /// Checksum of the bytes in the file.
        has: u32,
        /// Checksum recorded in the file.
        should: u32,
    },
    /// Its body cannot be decoded.
    #[error("it is damaged: {0}")]
    Garbled(#[from] ccsched_base::codec::CommError),
    /// Its numbers cannot be those of a search.
    #[error("it is damaged, though its checksum is right: {0}")]
    Unsound(String),
    /// It belongs to another search.
    #[error("it belongs to another search: {0}")]
    Foreign(String),
}

/// Writes a checkpoint, and keeps the one before as `FILE.previous`.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, job: &Job, state: &State) -> ccsched_base::Result<()> {
    let bytes = to_bytes(job, state).map_err(|e| Error::problem(e.to_string()))?;
    // A full disk is found out before the previous checkpoint is given up.
    atomic::replace(path, |out| out.write_all(&bytes), |_| keep_previous(path))
}

/// Reads the checkpoint of a job.
///
/// # Errors
/// A file that is damaged, or belongs to another release or another job.
pub fn read(path: &Path, job: &Job) -> Result<State, Refusal> {
    from_bytes(&std::fs::read(path).map_err(Refusal::Unreadable)?, job)
}

/// Reads the checkpoint of a job, and checks that its state can be that of a search on the problem
/// that the job poses.
///
/// # Errors
/// As [`read`], and a state that cannot be.
pub fn read_for(path: &Path, job: &Job, problem: &Problem) -> Result<State, Refusal> {
    let state = read(path, job)?;
    state.check(problem).map_err(Refusal::Unsound)?;
    Ok(state)
}

/// The path of the checkpoint before the last.
pub fn previous(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".previous");
    name.into()
}

/// The bytes of a checkpoint file.
///
/// # Errors
/// None for states that the program makes.
pub fn to_bytes(job: &Job, state: &State) -> Result<Vec<u8>, ccsched_base::codec::CommError> {
    Ok(with_head(&codec::encode(&(job, state))?))
}

/// The bytes of a file with this body: the release, the length and the checksum before it.
pub fn with_head(body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{FORMAT} {VERSION}\n").into_bytes();
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(crc32fast::hash(body).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// The state in the bytes of a checkpoint, which must belong to the job.
///
/// # Errors
/// As [`read`].
pub fn from_bytes(bytes: &[u8], job: &Job) -> Result<State, Refusal> {
    let line = bytes.iter().take(80).position(|&b| b == b'\n').ok_or(Refusal::Other)?;
    let text = std::str::from_utf8(&bytes[..line]).map_err(|_| Refusal::Other)?;
    match text.split_once(' ') {
        Some((FORMAT, VERSION)) => {}
        Some((format, version)) if format.starts_with("ccsched-checkpoint/") => {
            let older = if format == FORMAT { "" } else { ", in another format" };
            return Err(Refusal::Version(format!("{version}{older}")));
        }
        _ => return Err(Refusal::Other),
    }
    let rest = &bytes[line + 1..];
    let Some((head, body)) = rest.split_at_checked(HEAD) else {
        return Err(Refusal::Short { has: rest.len(), should: HEAD as u64 });
    };
    let length = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
    let should = u32::from_le_bytes(head[8..].try_into().expect("four bytes"));
    if body.len() as u64 != length {
        return Err(Refusal::Short { has: body.len(), should: length });
    }
    let has = crc32fast::hash(body);
    if has != should {
        return Err(Refusal::Checksum { has, should });
    }
    let (kept, state): (Job, State) = codec::decode(body)?;
    match difference(&kept, job) {
        Some(what) => Err(Refusal::Foreign(what)),
        None => Ok(state),
    }
}

/// The first difference between two jobs, in words.
fn difference(kept: &Job, job: &Job) -> Option<String> {
    let said = |what: &str, kept: &dyn std::fmt::Debug, job: &dyn std::fmt::Debug| {
        Some(format!("its {what} is {kept:?}, here it is {job:?}"))
    };
    let (a, b) = (&kept.request, &job.request);
    if kept.network.name() != job.network.name() {
        return said("network", &kept.network.name(), &job.network.name());
    }
    if kept.faults != job.faults {
        return said("list of faults", &kept.faults, &job.faults);
    }
    if a.collective != b.collective {
        return said("collective", &a.collective.to_string(), &b.collective.to_string());
    }
    if kept.search.seed != job.search.seed {
        return said("seed", &kept.search.seed, &job.search.seed);
    }
    if kept.search.goal != job.search.goal {
        return said("number of steps asked for", &kept.search.goal, &job.search.goal);
    }
    if kept.search.form != job.search.form {
        let [kept, here] = [kept, job].map(|job| objective(job.search.form));
        return Some(format!("it is of a search for {kept}, not for {here}"));
    }
    if kept.search.exchange_every != job.search.exchange_every {
        return said(
            "number of iterations between exchanges",
            &kept.search.exchange_every,
            &job.search.exchange_every,
        );
    }
    if kept.search.exchange_group != job.search.exchange_group {
        return said(
            "number of islands in a group",
            &kept.search.exchange_group,
            &job.search.exchange_group,
        );
    }
    if kept.search.migration != job.search.migration {
        return said("exchange", &kept.search.migration, &job.search.migration);
    }
    if kept.engine != job.engine {
        return said("engine", &kept.engine, &job.engine);
    }
    // All other parts are compared as bytes.
    let same = |what: &str, kept: Option<Vec<u8>>, job: Option<Vec<u8>>| {
        (kept.is_none() || kept != job).then(|| format!("it has another {what}"))
    };
    same(
        "network of the same name",
        codec::encode(&kept.network).ok(),
        codec::encode(&job.network).ok(),
    )
    .or_else(|| same("problem on this network", codec::encode(a).ok(), codec::encode(b).ok()))
}

/// What a search is for.
fn objective(form: Option<Form>) -> String {
    match form {
        None => "the fewest steps".into(),
        Some(Form::Timed) => "the least time of transfers with starts".into(),
        Some(Form::Steps { startup }) => {
            let startup = counted(startup, "byte");
            format!("the least time of steps, which start as long as {startup} take")
        }
    }
}

/// Makes `FILE.previous` the present FILE; at least one of the two exists at any time.
fn keep_previous(path: &Path) -> std::io::Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    // Link the file itself, not a symbolic link to it, which will lead to the next one. Not all
    // file systems have hard links.
    let file = std::fs::canonicalize(path)?;
    let draft = atomic::free_draft(file.parent().unwrap_or(Path::new(".")));
    std::fs::hard_link(&file, &draft).or_else(|_| std::fs::copy(&file, &draft).map(drop))?;
    std::fs::rename(&draft, previous(path))?;
    // If both already were the same file, the renaming did nothing.
    if draft.exists() { std::fs::remove_file(&draft) } else { Ok(()) }
}
