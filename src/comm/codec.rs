//! Messages between islands: serde types in bincode. The only place that knows how.

use super::CommError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as bytes.
///
/// # Errors
/// None for types without exotic serde attributes.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, CommError> {
    Ok(bincode::serde::encode_to_vec(message, bincode::config::standard())?)
}

/// A message from bytes.
///
/// # Errors
/// Bytes that are no such message.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CommError> {
    Ok(bincode::serde::decode_from_slice(bytes, bincode::config::standard())?.0)
}
