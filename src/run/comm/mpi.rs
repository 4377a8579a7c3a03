//! Islands as MPI ranks. Together with the start of `ccsched-mpi` the only place that knows MPI.
//!
//! No call blocks inside the MPI library, where a waiting rank would spin and take a core from a
//! working one: a waiting rank polls for messages and sleeps in between.

mod player;
mod sending;
mod vigil;

pub use vigil::begin as begin_vigil;

use super::{CommError, Communicator};
use mpi::Threading;
use mpi::datatype::Equivalence;
use mpi::environment::Universe;
use mpi::topology::{Communicator as _, SimpleCommunicator};
use mpi::traits::Source;
use sending::Sending;
use std::time::{Duration, Instant};

/// Exit status of a job that one rank's failure has ended.
pub const FAILED: i32 = 70;

/// Exit status of a job that ends without ranks that do not answer.
pub const LOST: i32 = 5;

/// Time for the launcher to forward a line.
const TO_FORWARD: Duration = Duration::from_millis(100);

const TAG: i32 = 1;

/// The ranks of an MPI job.
pub struct Ranks {
    world: SimpleCommunicator,
    /// Polls of this rank since its last message.
    patience: Patience,
    /// Messages that have not left yet.
    sending: Vec<Sending>,
}

/// Starts MPI; the environment must outlive its ranks. None if MPI was started before.
pub fn start() -> Option<(Universe, Ranks)> {
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
    vigil::works();
    let world = universe.world();
    Some((universe, Ranks { world, patience: Patience::default(), sending: vec![] }))
}

/// Prints one line of rank `rank` and ends all ranks of the job: a rank that ended alone would
/// leave the others waiting forever.
pub fn fail(program: &str, rank: usize, why: &str) -> ! {
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    eprintln!("{program}: rank {rank} failed, so the job ends: {why}");
    // The launcher prints a banner of its own; without a pause it may do so before it forwards the
    // line.
    std::thread::sleep(TO_FORWARD);
    SimpleCommunicator::world().abort(FAILED)
}

/// Ends the job without the ranks that do not answer: MPI would wait for them. Everything is saved
/// and printed.
pub fn leave(program: &str, lost: usize) -> ! {
    let ranks = if lost == 1 { "rank" } else { "ranks" };
    eprintln!("{program}: {lost} {ranks} did not answer; the job ends without");
    std::thread::sleep(TO_FORWARD);
    SimpleCommunicator::world().abort(LOST)
}

/// From now on a panic of this rank ends all ranks of the job.
pub fn end_the_job_on_panic(program: &'static str, rank: usize) {
    std::panic::set_hook(Box::new(move |info| {
        fail(program, rank, &format!("internal error, please report it: {info}"));
    }));
}

/// Name and version of the MPI library this program was built for.
pub fn library() -> String {
    let version = mpi::environment::library_version().unwrap_or_default();
    version.split([',', '\n']).next().unwrap_or_default().trim().to_string()
}

impl Ranks {
    /// Waits until all messages have left, before MPI ends.
    pub fn finish(&mut self) {
        vigil::ends();
        let mut patience = Patience::default();
        while self.is_sending() {
            patience.wait();
        }
    }

    /// Whether a message has not left yet. MPI moves messages on while it is asked.
    fn is_sending(&mut self) -> bool {
        self.sending.retain_mut(|message| !message.is_done());
        !self.sending.is_empty()
    }

    /// A message that has already arrived from any rank, with the number of that rank.
    fn look(&self) -> Option<(usize, Vec<u8>)> {
        let (message, status) = self.world.any_process().immediate_matched_probe_with_tag(TAG)?;
        let mut bytes = vec![0u8; status.count(u8::equivalent_datatype()) as usize];
        message.matched_receive_into(&mut bytes[..]);
        Some((status.source_rank() as usize, bytes))
    }
}

impl Communicator for Ranks {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn send(&mut self, messages: Vec<(usize, Vec<u8>)>) -> Result<(), CommError> {
        let too_long = |(_, bytes): &&(usize, Vec<u8>)| i32::try_from(bytes.len()).is_err();
        if let Some((_, bytes)) = messages.iter().find(too_long) {
            return Err(CommError::TooLong(bytes.len()));
        }
        for (rank, bytes) in messages {
            let process = self.world.process_at_rank(rank as i32);
            self.sending.push(Sending::begin(&process, bytes));
        }
        self.is_sending();
        Ok(())
    }

    fn receive(&mut self, within: Duration) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        let begin = Instant::now();
        loop {
            self.is_sending();
            let received = self.look();
            if received.is_some() {
                self.patience = Patience::default();
                return Ok(received);
            }
            if begin.elapsed() >= within {
                return Ok(None);
            }
            self.patience.wait();
        }
    }
}

/// Polling without occupying a core: a few polls at once, then longer and longer sleeps.
struct Patience {
    looks: u32,
    longest: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience::up_to(Duration::from_millis(1))
    }
}

impl Patience {
    const LOOKS_AT_ONCE: u32 = 20;
    const SHORTEST: Duration = Duration::from_micros(10);

    /// No sleep is longer than this.
    fn up_to(longest: Duration) -> Self {
        Patience { looks: 0, longest }
    }

    fn wait(&mut self) {
        self.looks += 1;
        match self.looks.checked_sub(Self::LOOKS_AT_ONCE) {
            None => std::thread::yield_now(),
            // Doubled every eight looks.
            Some(n) => {
                let sleep = Self::SHORTEST.saturating_mul(1 << (n / 8).min(10));
                std::thread::sleep(sleep.min(self.longest));
            }
        }
    }
}
