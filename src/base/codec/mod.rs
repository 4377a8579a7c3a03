//! Messages between islands: serde types in bincode. The only place that knows how.

pub mod raw;

use bincode::config::standard;
use bincode::error::DecodeError;
use serde::de::{DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use serde::{Deserializer, Serialize, de};

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

// What serde reads from bytes of bincode. The numbers are decoded by bincode; the lengths that the bytes
// claim are checked here, because bincode limits them only by a constant of a type: a limit for each
// length of message would compile every message type once more.

/// The bytes that are not decoded yet.
struct Bytes<'b>(pub(super) &'b [u8]);

impl<'b> Bytes<'b> {
    /// The next number.
    fn number<N: bincode::Decode<()>>(&mut self) -> Result<N, DecodeError> {
        let (number, read) = bincode::decode_from_slice(self.0, standard())?;
        self.0 = &self.0[read..];
        Ok(number)
    }

    /// The next length: of a text, or of a list, whose entries take a byte or more each.
    fn length(&mut self) -> Result<usize, DecodeError> {
        let length = self.number()?;
        match length > self.0.len() {
            true => Err(DecodeError::UnexpectedEnd { additional: length - self.0.len() }),
            false => Ok(length),
        }
    }

    /// The next bytes with their length before them.
    fn bytes(&mut self) -> Result<&'b [u8], DecodeError> {
        let length = self.length()?;
        let (taken, left) = self.0.split_at(length);
        self.0 = left;
        Ok(taken)
    }

    fn text(&mut self) -> Result<&'b str, DecodeError> {
        std::str::from_utf8(self.bytes()?).map_err(|inner| DecodeError::Utf8 { inner })
    }
}

/// Methods that read one value and show it to a visitor.
macro_rules! read {
    ($($method:ident $visit:ident $read:ident)*) => {$(
        fn $method<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            visitor.$visit(self.$read()?)
        }
    )*};
}

/// Methods for what the format cannot tell.
macro_rules! refuse {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'b>>(self, _: V) -> Result<V::Value, DecodeError> {
            Err(DecodeError::Other("the format does not tell types and names"))
        }
    )*};
}

impl<'b> Deserializer<'b> for &mut Bytes<'b> {
    type Error = DecodeError;

    read! {
        deserialize_bool visit_bool number
        deserialize_i8 visit_i8 number
        deserialize_i16 visit_i16 number
        deserialize_i32 visit_i32 number
        deserialize_i64 visit_i64 number
        deserialize_i128 visit_i128 number
        deserialize_u8 visit_u8 number
        deserialize_u16 visit_u16 number
        deserialize_u32 visit_u32 number
        deserialize_u64 visit_u64 number
        deserialize_u128 visit_u128 number
        deserialize_f32 visit_f32 number
        deserialize_f64 visit_f64 number
        deserialize_char visit_char number
        deserialize_str visit_borrowed_str text
        deserialize_string visit_borrowed_str text
        deserialize_bytes visit_borrowed_bytes bytes
        deserialize_byte_buf visit_borrowed_bytes bytes
    }

    refuse! { deserialize_any deserialize_identifier deserialize_ignored_any }

    fn deserialize_option<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.number()? {
            0_u8 => visitor.visit_none(),
            1 => visitor.visit_some(self),
            _ => Err(DecodeError::Other("an option is 0 or 1")),
        }
    }

    fn deserialize_unit<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let left = self.length()?;
        visitor.visit_seq(Entries { bytes: self, left })
    }

    fn deserialize_tuple<V: Visitor<'b>>(
        self,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(Entries { bytes: self, left })
    }

    fn deserialize_tuple_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(Entries { bytes: self, left })
    }

    fn deserialize_map<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let left = self.length()?;
        visitor.visit_map(Entries { bytes: self, left })
    }

    fn deserialize_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(Entries { bytes: self, left: fields.len() })
    }

    fn deserialize_enum<V: Visitor<'b>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_enum(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The entries of a list, a tuple, a struct or a map.
struct Entries<'a, 'b> {
    bytes: &'a mut Bytes<'b>,
    left: usize,
}

impl<'b> Entries<'_, 'b> {
    fn next<S: DeserializeSeed<'b>>(&mut self, seed: S) -> Result<Option<S::Value>, DecodeError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(&mut *self.bytes).map(Some)
    }
}

impl<'b> de::SeqAccess<'b> for Entries<'_, 'b> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'b>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        self.next(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'b> de::MapAccess<'b> for Entries<'_, 'b> {
    type Error = DecodeError;

    fn next_key_seed<S: DeserializeSeed<'b>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        self.next(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'b>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        seed.deserialize(&mut *self.bytes)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'b> de::EnumAccess<'b> for &mut Bytes<'b> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'b>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), DecodeError> {
        let variant: u32 = self.number()?;
        let variant: de::value::U32Deserializer<DecodeError> = variant.into_deserializer();
        Ok((seed.deserialize(variant)?, self))
    }
}

impl<'b> de::VariantAccess<'b> for &mut Bytes<'b> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'b>>(
        self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'b>>(
        self,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(Entries { bytes: self, left })
    }

    fn struct_variant<V: Visitor<'b>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(Entries { bytes: self, left: fields.len() })
    }
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
