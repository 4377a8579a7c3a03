//! The key `format` of a schedule file, before anything else of it is read.

use super::file::FORMAT;
use super::mistake::{Mistake, explain};
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use std::io::Read;

/// Checks the format; reads no further than to its key, which is the first that this program
/// writes.
pub(super) fn check_format(text: impl Read) -> Result<(), Mistake> {
    let mut found = None;
    let read = serde_json::Deserializer::from_reader(text).deserialize_map(Format(&mut found));
    match (found, read) {
        (Some(Value::String(s)), _) if s == FORMAT => Ok(()),
        (Some(other), read) => {
            let why = format!("this program reads {FORMAT}, the file says {other}");
            Err(Mistake::At(read.err().map_or(1, |e| e.line()), why))
        }
        (None, Err(e)) if e.classify() != Category::Data => Err(explain(e)),
        (None, _) => {
            let why = format!("not a schedule file: it has no key \"format\": \"{FORMAT}\"");
            Err(Mistake::At(1, why))
        }
    }
}

/// Reads an object up to its key `format`.
struct Format<'f>(&'f mut Option<Value>);

impl<'de> Visitor<'de> for Format<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "format" {
                *self.0 = Some(map.next_value()?);
                // The error has the line of the value.
                return Err(A::Error::custom("the rest is not read"));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
