//! Readers of the parts of a transfer that go straight to their place: names to their numbers,
//! channels to the array of all paths.

use super::names::{NameId, Names};
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// Refuses the second value of a key.
pub(super) fn once<T, E: Error>(key: &'static str, value: &Option<T>) -> Result<(), E> {
    if value.is_some() { Err(E::duplicate_field(key)) } else { Ok(()) }
}

/// Refuses a key without a value.
pub(super) fn needed<T, E: Error>(key: &'static str, value: Option<T>) -> Result<T, E> {
    value.ok_or_else(|| E::missing_field(key))
}

/// Reads a name, which may be the same as the one of this number.
pub(super) struct Name<'s>(pub &'s mut Names, pub Option<NameId>);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = NameId;

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<NameId, D::Error> {
        text.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = NameId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<NameId, E> {
        Ok(self.0.number_near(name, self.1))
    }
}

/// Reads a name or null.
pub(super) struct NameOrNull<'s>(pub &'s mut Names);

impl<'de> DeserializeSeed<'de> for NameOrNull<'_> {
    type Value = Option<NameId>;

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<Self::Value, D::Error> {
        text.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for NameOrNull<'_> {
    type Value = Option<NameId>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("option")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, text: D) -> Result<Self::Value, D::Error> {
        Name(self.0, None).deserialize(text).map(Some)
    }
}

/// Adds the channels of a path.
pub(super) struct Path<'s>(pub &'s mut Vec<u32>);

impl<'de> DeserializeSeed<'de> for Path<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<(), D::Error> {
        text.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Path<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(channel) = list.next_element()? {
            self.0.push(channel);
        }
        Ok(())
    }
}
