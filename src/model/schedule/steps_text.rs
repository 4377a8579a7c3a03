//! The key `steps` of a schedule file: from its text to flat arrays and back, one transfer after the
//! other. Mistakes have the words and the place that records of strings would give them.

use super::file::Phase;
use super::names::{NameId, Names};
use super::seeds::{Name, NameOrNull, Path, needed, once};
use super::transfers::{Entry, Records, Steps};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.iter())
    }
}

impl Serialize for Records<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.clone())
    }
}

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        let mut steps = Steps::default();
        text.deserialize_seq(AllSteps(&mut steps))?;
        Ok(steps)
    }
}

/// Reads all steps.
struct AllSteps<'s>(&'s mut Steps);

impl<'de> Visitor<'de> for AllSteps<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(OneStep(self.0))?.is_some() {}
        Ok(())
    }
}

/// Reads the transfers of a step.
struct OneStep<'s>(&'s mut Steps);

impl<'de> DeserializeSeed<'de> for OneStep<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<(), D::Error> {
        text.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for OneStep<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Transfer(self.0))?.is_some() {}
        self.0.end_step();
        Ok(())
    }
}

/// Reads a transfer.
struct Transfer<'s>(&'s mut Steps);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum TransferKey {
    Message,
    Phase,
    At,
    From,
    To,
    Channels,
}

impl<'de> DeserializeSeed<'de> for Transfer<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<(), D::Error> {
        text.deserialize_struct(
            "TransferRecord",
            &["message", "phase", "at", "from", "to", "channels"],
            self,
        )
    }
}

impl<'de> Visitor<'de> for Transfer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct TransferRecord")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let steps = self.0;
        let (mut message, mut from, mut to, mut path) = (None::<Message>, None, None, None);
        let (mut phase, mut at) = (None::<Option<Phase>>, None::<Option<u64>>);
        while let Some(key) = map.next_key()? {
            match key {
                TransferKey::Message => {
                    once("message", &message)?;
                    message = Some(map.next_value_seed(OneMessage(&mut steps.names))?);
                }
                TransferKey::Phase => {
                    once("phase", &phase)?;
                    phase = Some(map.next_value()?);
                }
                TransferKey::At => {
                    once("at", &at)?;
                    at = Some(map.next_value()?);
                }
                TransferKey::From => {
                    once("from", &from)?;
                    let guess = message.as_ref().map(|m| m.source);
                    from = Some(map.next_value_seed(Name(&mut steps.names, guess))?);
                }
                TransferKey::To => {
                    once("to", &to)?;
                    let guess = message.as_ref().and_then(|m| m.destination);
                    to = Some(map.next_value_seed(Name(&mut steps.names, guess))?);
                }
                TransferKey::Channels => {
                    once("channels", &path)?;
                    path = Some(map.next_value_seed(Path(steps.paths.open()))?);
                }
            }
        }
        let Message { is_sum, source, destination, copy, bytes, piece } =
            needed("message", message)?;
        if std::mem::replace(&mut steps.are_sums, is_sum) != is_sum && !steps.messages.is_empty() {
            let why = "some messages have a `source` and others a `root`; all have the same";
            return Err(A::Error::custom(why));
        }
        let (from, to) = (needed("from", from)?, needed("to", to)?);
        needed("channels", path)?;
        let (phase, at) = (phase.flatten(), at.flatten());
        steps.end_transfer(Entry { source, destination, copy, bytes, piece, phase, at, from, to });
        Ok(())
    }
}

/// A message with numbers for names.
struct Message {
    is_sum: bool,
    source: NameId,
    destination: Option<NameId>,
    copy: Option<u32>,
    bytes: Option<u64>,
    piece: Option<u32>,
}

/// Reads a message.
struct OneMessage<'s>(&'s mut Names);

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum MessageKey {
    Source,
    Root,
    Destination,
    Copy,
    Bytes,
    Piece,
}

impl<'de> DeserializeSeed<'de> for OneMessage<'_> {
    type Value = Message;

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<Message, D::Error> {
        let keys = &["source", "root", "destination", "copy", "bytes", "piece"];
        text.deserialize_struct("MessageRecord", keys, self)
    }
}

impl<'de> Visitor<'de> for OneMessage<'_> {
    type Value = Message;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct MessageRecord")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Message, A::Error> {
        let names = self.0;
        let (mut source, mut root, mut destination) = (None, None, None);
        let (mut copy, mut bytes, mut piece) = (None, None, None);
        while let Some(key) = map.next_key()? {
            match key {
                MessageKey::Source => {
                    once("source", &source)?;
                    source = Some(map.next_value_seed(Name(names, None))?);
                }
                MessageKey::Root => {
                    once("root", &root)?;
                    root = Some(map.next_value_seed(Name(names, None))?);
                }
                MessageKey::Destination => {
                    once("destination", &destination)?;
                    destination = Some(map.next_value_seed(NameOrNull(names))?);
                }
                MessageKey::Copy => {
                    once("copy", &copy)?;
                    copy = Some(map.next_value::<Option<u32>>()?);
                }
                MessageKey::Bytes => {
                    once("bytes", &bytes)?;
                    bytes = Some(map.next_value::<Option<u64>>()?);
                }
                MessageKey::Piece => {
                    once("piece", &piece)?;
                    piece = Some(map.next_value::<Option<u32>>()?);
                }
            }
        }
        if source.is_some() && root.is_some() {
            return Err(A::Error::custom("a message has a `source` or a `root`, not both"));
        }
        let is_sum = root.is_some();
        let source = needed("source", source.or(root))?;
        let (destination, copy) = (destination.flatten(), copy.flatten());
        let (bytes, piece) = (bytes.flatten(), piece.flatten());
        Ok(Message { is_sum, source, destination, copy, bytes, piece })
    }
}
