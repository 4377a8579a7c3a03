//! A message on its way. A message of more than a few kilobytes to a stopped rank is never
//! received, and a blocking send would wait forever. So MPI owns the bytes until they have left,
//! and no rank waits.

// The only file with code that the compiler does not check: MPI reads the bytes while no borrow that
// the compiler could follow exists.
#![allow(unsafe_code)]

use super::TAG;
use mpi::request::{Request, StaticScope};
use mpi::topology::Process;
use mpi::traits::Destination;

/// A message that MPI is sending.
pub struct Sending {
    /// None once it has been sent.
    request: Option<Request<'static, [u8], StaticScope>>,
    /// From [`Box::into_raw`]; freed when the request is done, leaked if it never is.
    bytes: *mut [u8],
}

impl Sending {
    /// Begins to send a message.
    pub fn begin(to: &Process<'_>, bytes: Vec<u8>) -> Self {
        let bytes = Box::into_raw(bytes.into_boxed_slice());
        // SAFETY: the box is freed in `is_done` only, after MPI has released it, and is not changed
        // before.
        let shared: &'static [u8] = unsafe { &*bytes };
        let request = to.immediate_send_with_tag(StaticScope, shared, TAG);
        Sending { request: Some(request), bytes }
    }

    /// Whether the message has been sent; then its bytes are free.
    pub fn is_done(&mut self) -> bool {
        let Some(request) = self.request.take() else { return true };
        match request.test() {
            Ok(_) => {
                // SAFETY: it came from a box, MPI has completed the request, which held the only
                // reference, and the request is gone, so this happens once.
                drop(unsafe { Box::from_raw(self.bytes) });
                true
            }
            Err(request) => {
                self.request = Some(request);
                false
            }
        }
    }
}
