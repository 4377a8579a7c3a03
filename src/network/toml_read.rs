//! stub
use super::Network;
use crate::Result;
use std::path::Path;
/// stub
pub fn read(_path: &Path) -> Result<Network> {
    todo!()
}
