//! A recent snapshot of an island, so that an interrupt need not wait for the iteration to end.
//!
//! A single iteration of a large problem may take seconds. After an interrupt the thread of the
//! island is abandoned, and a later run resumes the search from the snapshot.

use crate::islands::protocol::{FromIsland, FromMaster};
use crate::islands::protocol::{IslandState, Leg};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_engines::Walker;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A copy of an island at some time.
pub struct Copy {
    pub(super) walker: Box<dyn Walker>,
    pub(super) rng: Rng,
    pub(super) leg: Leg,
}

/// What an island can go on from.
enum Kept {
    Copy(Copy),
    /// The state that it was told to load, while it has not got further.
    Loaded(Box<IslandState>),
}

/// The last copy of an island, and whether the island is broken off.
#[derive(Default)]
pub struct Snapshot {
    kept: Mutex<Option<(Kept, FromMaster)>>,
    is_broken: AtomicBool,
}

impl Snapshot {
    /// Replaces the copy, and the next message to the island with it.
    pub fn put(&self, copy: Copy, next: FromMaster) {
        *self.lock() = Some((Kept::Copy(copy), next));
    }

    /// Sets the next message to the island; the copy is from the time of its last answer. A state
    /// to load is itself the copy.
    pub fn order(&self, next: &FromMaster) {
        let mut kept = self.lock();
        match (next, kept.as_mut()) {
            (FromMaster::Load(state, then), _) => {
                *kept = Some((Kept::Loaded(state.clone()), (**then).clone()));
            }
            (_, Some((_, kept))) => *kept = next.clone(),
            (_, None) => {}
        }
    }

    /// Whether there is no copy yet.
    pub fn is_empty(&self) -> bool {
        self.lock().is_none()
    }

    /// Whether the island is broken off.
    pub fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    /// Sends an answer and stores the copy that belongs to it, under one lock: a break sees both or
    /// neither. After a break the answer alone is sent.
    pub fn say(&self, copy: Option<Copy>, say: impl FnOnce()) {
        let mut kept = self.lock();
        if let Some(copy) = copy.filter(|_| !self.is_broken()) {
            *kept = Some((Kept::Copy(copy), FromMaster::Wait));
        }
        say();
    }

    /// Breaks the island off, unless it has already answered; the answer is returned then.
    pub fn break_off<T>(&self, word: impl FnOnce() -> Option<T>) -> Option<T> {
        let _kept = self.lock();
        let word = word();
        self.is_broken.store(word.is_none(), Ordering::Relaxed);
        word
    }

    /// The state of the copy, and the next message to it; none if there is no copy.
    pub fn state(&self) -> Result<FromIsland, CommError> {
        let state = |(kept, next)| {
            let state = match kept {
                Kept::Copy(Copy { walker, rng, leg }) => {
                    IslandState { rng, walker: walker.save()?, leg }
                }
                Kept::Loaded(state) => *state,
            };
            Ok(Box::new((state, next)))
        };
        let kept = self.lock().take();
        kept.map(state).transpose().map(FromIsland::State)
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Kept, FromMaster)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
