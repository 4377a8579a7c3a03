//! A recent snapshot of an island, so that an interrupt need not wait for the iteration to end.
//!
//! A single iteration of a large problem may take seconds. After an interrupt the thread of the
//! island is abandoned, and a later run resumes the search from the snapshot.

use crate::comm::CommError;
use crate::engines::Walker;
use crate::islands::protocol::{FromIsland, FromMaster};
use crate::islands::protocol::{IslandState, Leg};
use crate::rng::Rng;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A copy of an island at some time.
pub struct Copy {
    pub(super) walker: Box<dyn Walker>,
    pub(super) rng: Rng,
    pub(super) leg: Leg,
}

/// The last copy of an island, and whether the island is broken off.
#[derive(Default)]
pub struct Snapshot {
    kept: Mutex<Option<(Copy, FromMaster)>>,
    is_broken: AtomicBool,
}

impl Snapshot {
    /// Replaces the copy, and the next message to the island with it.
    pub fn put(&self, copy: Copy, next: FromMaster) {
        *self.lock() = Some((copy, next));
    }

    /// Sets the next message to the island; the copy is from the time of its last answer.
    pub fn order(&self, next: &FromMaster) {
        if let Some((_, kept)) = self.lock().as_mut() {
            *kept = next.clone();
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
    /// neither.
    pub fn say(&self, copy: Option<Copy>, say: impl FnOnce()) {
        let mut kept = self.lock();
        if !self.is_broken() {
            if let Some(copy) = copy {
                *kept = Some((copy, FromMaster::Wait));
            }
            say();
        }
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
        let state = |(Copy { walker, rng, leg }, next)| {
            Ok(Box::new((IslandState { rng, walker: walker.save()?, leg }, next)))
        };
        let kept = self.lock().take();
        kept.map(state).transpose().map(FromIsland::State)
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Copy, FromMaster)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
