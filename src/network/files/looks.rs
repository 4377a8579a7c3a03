//! What a file looks like that no format has: the message about a file of the wrong kind.

use super::ibnetdiscover::tables;
use super::lines::{full, short};

/// Beginnings of files that are no text.
const MAGIC: [(&[u8], &str); 6] = [
    (b"\x1f\x8b", "this is compressed by gzip; unpack it first (gunzip)"),
    (b"\x28\xb5\x2f\xfd", "this is compressed by zstd; unpack it first (unzstd)"),
    (b"BZh", "this is compressed by bzip2; unpack it first (bunzip2)"),
    (b"\xfd7zXZ\0", "this is compressed by xz; unpack it first (unxz)"),
    (b"PK\x03\x04", "this is a ZIP archive; unpack it first (unzip)"),
    (b"\x7fELF", "this is a program"),
];

/// What a file is that is no text.
pub fn binary(bytes: &[u8]) -> Option<&'static str> {
    let known = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic));
    let head = &bytes[..bytes.len().min(8192)];
    known.map(|(_, what)| *what).or_else(|| head.contains(&0).then_some("this is no text"))
}

/// What a text looks like.
pub fn like(text: &str) -> String {
    let first = full(text, &['#', '%']).next().or_else(|| full(text, &[]).next());
    let Some(first) = first else { return "the file is empty".into() };
    let head: String = text.chars().take(4000).collect();
    let has = |part: &str| head.contains(part);
    let what = match first.chars().next() {
        Some('{' | '[') if has("\"ccsched-schedule/") => {
            "this is a schedule of ccsched; 'ccsched verify' and 'ccsched show' read it"
        }
        Some('{') => "this looks like JSON",
        Some('<') if has("<algo") => "this looks like a program of MSCCL",
        Some('<') if has("<platform") => "this looks like a platform of SimGrid",
        Some('<') if has("<html") || has("<!DOCTYPE html") => "this looks like a web page",
        Some('<') => "this looks like XML, but it is no GraphML",
        _ if tables::recognises(text) => {
            "these are forwarding tables; give them as routes beside the file of the fabric"
        }
        _ if has("num_ranks ") => "this looks like a program of LogGOPSim",
        _ => return format!("'{}' begins no file of a known format", short(first)),
    };
    what.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_wrong_kind_are_called_by_their_name() {
        for (text, part) in [
            ("", "empty"),
            ("\n # \n", "'#' begins"),
            ("{\"format\": \"ccsched-schedule/1\"}", "ccsched verify"),
            ("{}", "JSON"),
            ("<algo name=\"x\">", "MSCCL"),
            ("<?xml version='1.0'?><svg/>", "no GraphML"),
            ("<html>", "web page"),
            ("Unicast lids [0-6] of switch Lid 2 guid 0x02 ('left'):", "forwarding tables"),
            ("num_ranks 2\n", "LogGOPSim"),
            ("some words of no use", "'some words of no use' begins"),
        ] {
            assert!(like(text).contains(part), "{text}: {}", like(text));
        }
        assert!(binary(b"\x1f\x8b\x08").is_some_and(|what| what.contains("gunzip")));
        assert!(binary(b"a\0b").is_some() && binary(b"graph").is_none());
    }
}
