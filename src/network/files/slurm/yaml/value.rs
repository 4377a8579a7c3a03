//! A YAML file as values with their lines.

use crate::files::lines::short;
use crate::files::mistake::{Wrong, wrong};
use ccsched_base::similar;
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::borrow::Cow;

/// Values inside each other.
const DEEPEST: usize = 32;
/// Keys of one map.
const MOST_KEYS: usize = 1000;

/// A value and its line.
#[derive(Debug)]
pub struct Value<'t> {
    pub at: usize,
    what: What<'t>,
}

/// What a value is.
#[derive(Debug)]
enum What<'t> {
    /// Nothing, `null` or `~`, all without quotes.
    Null,
    Text(Cow<'t, str>),
    List(Vec<Value<'t>>),
    /// Keys with their values.
    Map(Vec<(Cow<'t, str>, Value<'t>)>),
}

/// A list or map that is not complete, with a key that has no value yet.
struct Open<'t> {
    value: Value<'t>,
    key: Option<Cow<'t, str>>,
}

/// The first document of a text.
pub fn parse(text: &str) -> Result<Value<'_>, Wrong> {
    let mut open: Vec<Open> = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) =
            event.map_err(|e| Wrong { at: e.marker().line(), why: e.info().into() })?;
        let at = span.start.line();
        let done = match event {
            Event::Scalar(text, style, ..) => {
                let is_null = style == ScalarStyle::Plain
                    && ["", "~", "null", "Null", "NULL"].contains(&&*text);
                let is_key = matches!(
                    open.last(),
                    Some(Open { value: Value { what: What::Map(_), .. }, key: None })
                );
                let what = if is_null && !is_key { What::Null } else { What::Text(text) };
                Value { at, what }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                let is_list = matches!(event, Event::SequenceStart(..));
                let what = if is_list { What::List(Vec::new()) } else { What::Map(Vec::new()) };
                open.push(Open { value: Value { at, what }, key: None });
                if open.len() > DEEPEST {
                    return wrong(at, format!("more than {DEEPEST} values inside each other"));
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(open) => open.value,
                None => continue,
            },
            Event::Alias(_) => return wrong(at, "an alias (*name); write the value itself"),
            _ => continue,
        };
        let Some(Open { value, key }) = open.last_mut() else { return Ok(done) };
        match &mut value.what {
            What::List(list) => list.push(done),
            What::Map(map) => match (key.take(), done) {
                (Some(name), done) => map.push((name, done)),
                (None, Value { at, what: What::Text(name) }) => {
                    if map.len() == MOST_KEYS {
                        return wrong(at, format!("more than {MOST_KEYS} keys in one place"));
                    }
                    if map.iter().any(|(known, _)| *known == name) {
                        return wrong(at, format!("the key '{}' is given twice", short(&name)));
                    }
                    *key = Some(name);
                }
                (None, Value { at, .. }) => return wrong(at, "a key is a word"),
            },
            What::Text(_) | What::Null => (),
        }
    }
    wrong(1, "the file is empty")
}

impl<'t> Value<'t> {
    /// Whether it has keys.
    pub fn is_map(&self) -> bool {
        matches!(self.what, What::Map(_))
    }

    /// Whether it is a word for yes, of YAML or of Slurm.
    pub fn is_yes(&self) -> bool {
        let is = |text: &str| {
            ["true", "t", "yes", "y", "on"].iter().any(|w| text.eq_ignore_ascii_case(w))
        };
        matches!(&self.what, What::Text(text) if is(text))
    }

    /// The value of a key, if there is one.
    pub fn get(&self, key: &str) -> Option<&Value<'t>> {
        let What::Map(map) = &self.what else { return None };
        let value = map.iter().find(|(known, _)| known == key).map(|(_, value)| value);
        value.filter(|value| !matches!(value.what, What::Null))
    }

    /// The value of a key.
    pub fn need(&self, key: &str) -> Result<&Value<'t>, Wrong> {
        let none = || wrong(self.at, format!("the key '{key}' is missing"));
        self.get(key).map_or_else(none, Ok)
    }

    /// Refuses other keys.
    pub fn known(&self, keys: &[&str]) -> Result<(), Wrong> {
        let What::Map(map) = &self.what else {
            return wrong(self.at, format!("expected are the keys {}", keys.join(", ")));
        };
        match map.iter().find(|(key, _)| !keys.contains(&&**key)) {
            None => Ok(()),
            Some((key, value)) => {
                let (key, meant) = (short(key), similar::hint(key, keys.iter().copied()));
                let why = format!("unknown key '{key}'; known: {}{meant}", keys.join(", "));
                wrong(value.at, why)
            }
        }
    }

    /// The values of a list.
    pub fn list(&self, what: &str) -> Result<&[Value<'t>], Wrong> {
        match &self.what {
            What::List(list) => Ok(list),
            _ => wrong(self.at, format!("{what} is a list: each entry begins with '-'")),
        }
    }

    /// The text of a key; it is empty if there is no value.
    pub fn text_of(&self, key: &str) -> Result<(usize, &str), Wrong> {
        self.get(key).map_or(Ok((self.at, "")), |value| Ok((value.at, value.text(key)?)))
    }

    /// The text of a plain value.
    pub fn text(&self, what: &str) -> Result<&str, Wrong> {
        match &self.what {
            What::Text(text) => Ok(text),
            // A hostlist without quotes looks like a list to YAML if it begins with a bracket.
            _ => wrong(self.at, format!("{what} is one text; a text with brackets needs quotes")),
        }
    }
}
