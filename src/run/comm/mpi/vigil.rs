//! The vigil of a rank: a thread that ends the job when a stopped rank (SIGSTOP) would hold it
//! forever. The masters of a search give up ranks that do not answer; but MPI starts and ends only
//! when all ranks are there, and no rank replaces rank 0. So after the end of the run, by its time
//! limit or an interrupt, the vigil checks the ranks of its own host, children of one launcher. A
//! rank that is only slow is not given up.

use super::LOST;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Time after the end of the run within which a stopped rank may go on.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(200);

/// Variables in which launchers tell a process its rank.
const RANKS: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];

/// What the ranks do.
static PHASE: AtomicU8 = AtomicU8::new(STARTING);
/// They start MPI.
const STARTING: u8 = 0;
/// They work: rank 0 leads the others.
const WORKING: u8 = 1;
/// They end MPI.
const ENDING: u8 = 2;

/// Begins the vigil, before MPI starts. The run ends after the time limit, if there is one, and with the flag.
pub fn begin(program: &'static str, limit: Option<Duration>, interrupted: &'static AtomicBool) {
    let begin = Instant::now();
    let is_over = move || {
        limit.is_some_and(|limit| begin.elapsed() >= limit)
            || interrupted.load(Ordering::Relaxed)
            || PHASE.load(Ordering::Relaxed) == ENDING
    };
    let watch = move || {
        let mut over_since: Option<Instant> = None;
        loop {
            thread::sleep(LOOK);
            if is_over() && over_since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
                look(program, PHASE.load(Ordering::Relaxed));
            }
        }
    };
    // Without a thread there is no vigil.
    let _ = thread::Builder::new().spawn(watch);
}

/// MPI has started on all ranks.
pub(super) fn works() {
    PHASE.store(WORKING, Ordering::Relaxed);
}

/// This rank waits for all others, to end MPI.
pub(super) fn ends() {
    PHASE.store(ENDING, Ordering::Relaxed);
}

/// Ends the job if it waits for a stopped rank.
fn look(program: &str, phase: u8) {
    let all = ranks_here();
    let Some(own) = all.iter().find(|rank| rank.process == std::process::id()) else { return };
    let stopped: Vec<&Rank> = all.iter().filter(|rank| rank.is_stopped).collect();
    let holds = |rank: &&Rank| phase != WORKING || rank.number == 0;
    if !stopped.iter().any(holds) {
        return;
    }
    // One of those that run speaks for all.
    if all.iter().filter(|rank| !rank.is_stopped).all(|rank| own.number <= rank.number) {
        let names: Vec<String> = stopped.iter().map(|rank| rank.number.to_string()).collect();
        let doing = ["MPI cannot start", "the search has no master", "MPI cannot end"];
        eprintln!(
            "{program}: rank {} is stopped, so {}; {} s after the end of the search the job ends without",
            names.join(", "),
            doing[usize::from(phase)],
            PATIENCE.as_secs()
        );
        thread::sleep(super::TO_FORWARD);
    } else {
        // The launcher ends the job, and what it has not forwarded yet, with the first rank that ends.
        thread::sleep(super::TO_FORWARD * 5);
    }
    // Not through MPI, in which the main thread may wait; the launcher ends the other ranks.
    signal_hook::low_level::exit(LOST)
}

/// A rank on this host.
struct Rank {
    process: u32,
    number: usize,
    is_stopped: bool,
}

/// The ranks that the same launcher has started on this host, this one among them.
fn ranks_here() -> Vec<Rank> {
    let parent = std::os::unix::process::parent_id();
    let Ok(list) = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")) else {
        return vec![];
    };
    list.split_whitespace().filter_map(|process| rank(process.parse().ok()?)).collect()
}

fn rank(process: u32) -> Option<Rank> {
    let folder = Path::new("/proc").join(process.to_string());
    let words = fs::read(folder.join("environ")).ok()?;
    let number = |name: &&str| {
        let value = |word: &[u8]| {
            word.strip_prefix(name.as_bytes())?.strip_prefix(b"=").map(<[u8]>::to_vec)
        };
        let value = words.split(|&byte| byte == 0).find_map(value)?;
        String::from_utf8(value).ok()?.parse().ok()
    };
    let number = RANKS.iter().find_map(number)?;
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name of the program may hold anything.
    let state = stat.rsplit_once(')')?.1.trim_start().chars().next()?;
    Some(Rank { process, number, is_stopped: state == 'T' })
}
