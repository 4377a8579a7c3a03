//! What a break leaves of an island that is in the middle of an iteration: a copy of it from a
//! little before.
//!
//! A single iteration of a large problem may take seconds. Whoever is to end at once does not wait
//! for that: the thread of the island is left alone, and the search goes on another time from the
//! copy.

use crate::comm::CommError;
use crate::engines::Walker;
use crate::islands::protocol::{FromIsland, FromMaster};
use crate::islands::state::{IslandState, Leg};
use crate::rng::Rng;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An island at some time.
pub struct Copy {
    pub(super) walker: Box<dyn Walker>,
    pub(super) rng: Rng,
    pub(super) leg: Leg,
}

/// Holds the last copy of an island, and whether the island is broken off.
#[derive(Default)]
pub struct Snapshot {
    kept: Mutex<Option<(Copy, FromMaster)>>,
    is_broken: AtomicBool,
}

impl Snapshot {
    /// Keeps a copy, and what the island had to do next, instead of the one before.
    pub fn put(&self, copy: Copy, next: FromMaster) {
        *self.lock() = Some((copy, next));
    }

    /// What the island of the copy has to do next, which stands where the last word was said.
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

    /// Says a word, and keeps the copy that the island then is: nobody sees one without the other.
    pub fn say(&self, copy: Option<Copy>, say: impl FnOnce()) {
        let mut kept = self.lock();
        if !self.is_broken() {
            if let Some(copy) = copy {
                *kept = Some((copy, FromMaster::Wait));
            }
            say();
        }
    }

    /// Breaks the island off, unless it has said its word, which is returned then.
    pub fn break_off<T>(&self, word: impl FnOnce() -> Option<T>) -> Option<T> {
        let _kept = self.lock();
        let word = word();
        self.is_broken.store(word.is_none(), Ordering::Relaxed);
        word
    }

    /// The state of the copy, and what to do next; nothing if there is none.
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
