//! GraphML. The files of the Topology Zoo call their edges directed, but each is a cable and listed
//! once; so directed edges are two-way links, unless an option makes them one-way or the file lists
//! every edge in both directions. Names are the labels that differ, else ids.
//!
//! The file is read as a stream of tags. Entities of its own are not expanded, so a short file
//! stays short.

mod file;

use super::Source;
use super::mistake::{Wrong, wrong};
use crate::Network;
use ccsched_base::Result;
use ccsched_base::limits::DEPTH;
use file::File;
pub use file::attributes;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, Event};

/// Whether a text has the tag of GraphML near its beginning.
pub fn recognises(text: &str) -> bool {
    let start = text.trim_start();
    let head = start.char_indices().nth(8000).map_or(start, |(end, _)| &start[..end]);
    start.starts_with('<') && (head.contains("<graphml") || head.contains(":graphml"))
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let mut reader = Reader::from_str(source.text);
    let mut file = File::default();
    let mut open: Vec<String> = Vec::new();
    loop {
        let at = reader.buffer_position() as usize;
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(e) => return wrong(reader.error_position() as usize, e.to_string()),
        };
        match event {
            Event::Start(tag) => {
                file.start(&tag, at)?;
                open.push(tag.local_name().as_ref().to_string());
                if open.len() > DEPTH {
                    return wrong(at, format!("more than {DEPTH} tags inside each other"));
                }
            }
            Event::Empty(tag) => {
                file.start(&tag, at)?;
                file.end(tag.local_name().as_ref(), at, &source.notices)?;
            }
            Event::End(tag) => {
                open.pop();
                file.end(tag.local_name().as_ref(), at, &source.notices)?;
            }
            Event::Text(text) => file.text.push_str(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(text) => file.text.push_str(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::GeneralRef(name) => file.text.push_str(&entity(&name, at)?),
            Event::DocType(text) if text.contains("<!ENTITY") => {
                return wrong(at, "the file declares entities of its own, which are not expanded");
            }
            Event::Eof => break,
            _ => (),
        }
    }
    if let Some(tag) = open.last() {
        return wrong(source.text.len(), format!("the tag <{tag}> is not closed"));
    }
    file.finish(source)
}

/// The character of an entity.
fn entity(name: &BytesRef, at: usize) -> Result<String, Wrong> {
    if let Ok(Some(c)) = name.resolve_char_ref() {
        return Ok(c.to_string());
    }
    let name: &str = name;
    match quick_xml::escape::resolve_predefined_entity(name) {
        Some(text) => Ok(text.to_string()),
        None => wrong(
            at,
            format!("the entity &{};, which XML does not have", super::lines::short(name)),
        ),
    }
}
