//! One island alone.

use super::{CommError, Communicator};

/// A group of one.
#[derive(Debug, Default)]
pub struct Solo;

impl Communicator for Solo {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn gather(&mut self, mine: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, CommError> {
        Ok(Some(vec![mine]))
    }

    fn scatter(&mut self, all: Option<Vec<Vec<u8>>>) -> Result<Vec<u8>, CommError> {
        all.and_then(|mut all| all.pop()).ok_or(CommError::Lost(0))
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        Ok(None)
    }

    fn send_to(&mut self, rank: usize, _: Vec<u8>) -> Result<(), CommError> {
        Err(CommError::Lost(rank))
    }
}
