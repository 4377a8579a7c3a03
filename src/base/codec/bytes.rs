//! What serde reads from bytes of bincode. The numbers are decoded by bincode; the lengths that the bytes
//! claim are checked here, because bincode limits them only by a constant of a type: a limit for each
//! length of message would compile every message type once more.

use bincode::config::standard;
use bincode::error::DecodeError;
use serde::Deserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};

/// The bytes that are not decoded yet.
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

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
