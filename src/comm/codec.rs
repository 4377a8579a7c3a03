//! Messages between islands: serde types in bincode. The only place that knows how.

use super::CommError;
use bincode::error::DecodeError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as bytes.
///
/// # Errors
/// None for types without exotic serde attributes.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, CommError> {
    Ok(bincode::serde::encode_to_vec(message, bincode::config::standard())?)
}

/// A message from bytes. Lengths that the bytes claim are believed only as far as the bytes could
/// hold them.
///
/// # Errors
/// Bytes that are no such message, or hold more than one.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CommError> {
    let (message, read) = limited(bytes)?;
    if read != bytes.len() {
        return Err(DecodeError::Other("bytes are left over").into());
    }
    Ok(message)
}

/// Decodes with the least of some limits that no message of this length exceeds: a limit is a type of
/// the decoder's.
fn limited<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), DecodeError> {
    /// A byte may stand for a number that counts as 16, or for the end of one of four vectors.
    const PER_BYTE: usize = 64;
    macro_rules! within {
        ($($limit:literal)*) => {
            match bytes.len().saturating_mul(PER_BYTE) {
                $(claimed if claimed <= 1 << $limit => {
                    let config = bincode::config::standard().with_limit::<{ 1 << $limit }>();
                    bincode::serde::decode_from_slice(bytes, config)
                })*
                _ => bincode::serde::decode_from_slice(bytes, bincode::config::standard()),
            }
        };
    }
    within!(12 16 20 24 28 32 36 40)
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
