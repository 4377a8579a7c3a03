//! Messages between islands: serde types in bincode. The only place that knows how.

mod bytes;
pub mod raw;

use bincode::error::DecodeError;
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A member of the group has ended, or a message is invalid.
#[derive(Debug, thiserror::Error)]
pub enum CommError {
    /// The other member has ended.
    #[error("island {0} ended unexpectedly")]
    Lost(usize),
    /// Members that did not answer.
    #[error("{0} ranks do not answer any more")]
    Silent(usize),
    /// A message of the wrong kind.
    #[error("protocol error: unexpected message from island {0}")]
    OutOfTurn(usize),
    /// Bytes that cannot be decoded.
    #[error("a message between islands cannot be decoded: {0}")]
    Garbled(#[from] bincode::error::DecodeError),
    /// A message that cannot be encoded.
    #[error("a message between islands cannot be encoded: {0}")]
    Unsendable(#[from] bincode::error::EncodeError),
    /// A saved state of another search.
    #[error("the saved state does not fit the search: different number of {0}")]
    Unfit(&'static str),
    /// A saved state that no search has: the field, and what it must be.
    #[error("the saved state cannot be that of a search: {0}")]
    Unsound(&'static str),
    /// A message too long for one send.
    #[error("a message of {0} bytes between islands is too long; the limit is 2 GiB")]
    TooLong(usize),
}

/// A message as bytes.
///
/// # Errors
/// None for types without exotic serde attributes.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, CommError> {
    Ok(bincode::serde::encode_to_vec(message, bincode::config::standard())?)
}

/// A message from bytes. A length that the bytes claim is refused if fewer bytes follow.
///
/// # Errors
/// Bytes that are no such message, or hold more than one.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CommError> {
    let mut left = Bytes(bytes);
    let message = T::deserialize(&mut left)?;
    if !left.0.is_empty() {
        return Err(DecodeError::Other("bytes are left over").into());
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_whatever_its_length() {
        for length in [0, 1, 63, 64, 1000, 100_000, 3_000_000] {
            let lists = vec![vec![u64::MAX; 3]; length / 30];
            let sent = (vec![0_u8; length], "x".repeat(length), lists, vec![1_u64; length]);
            let bytes = encode(&sent).unwrap();
            assert_eq!(decode::<(Vec<u8>, String, Vec<Vec<u64>>, Vec<u64>)>(&bytes).unwrap(), sent);
        }
    }

    #[test]
    fn a_forged_length_is_refused() {
        // 253 announces a number of eight bytes: the length of a text, then of a list.
        let exabytes = [253, 0, 0, 0, 0, 0, 0, 0, 16, 1];
        assert!(decode::<String>(&exabytes).is_err());
        assert!(decode::<Vec<u64>>(&exabytes).is_err());
        assert!(decode::<Box<[u8]>>(&exabytes).is_err());
        assert!(decode::<u8>(&[1, 2]).unwrap_err().to_string().contains("left over"));
    }
}
