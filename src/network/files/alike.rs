//! Names that look equal on a screen and differ: by signs that cannot be seen, by letters of another
//! script, by two ways to write one letter with its accent.

use super::Notices;
use crate::{Network, VertexId};
use std::collections::HashMap;

/// Letters of Cyrillic and Greek and signs of typesetters, and what they look like.
const LOOKS: [(&str, &str); 4] = [
    ("АВЕКМНОРСТУХЅІЈаеорсухѕіј", "ABEKMHOPCTYXSIJaeopcyxsij"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo"),
    ("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}", "------"),
    ("\u{2018}\u{2019}\u{201c}\u{201d}\u{2044}", "''\"\"/"),
];

/// Marks that are written after a letter, the letters, and each with its mark as one sign.
const ACCENTS: [(char, &str, &str); 8] = [
    ('\u{300}', "AEIOUaeiou", "ÀÈÌÒÙàèìòù"),
    ('\u{301}', "AEIOUYaeiouyCcLlNnRrSsZz", "ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹź"),
    ('\u{302}', "AEIOUaeiouCcGgHhJjSsWwYy", "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷ"),
    ('\u{303}', "ANOanoIiUu", "ÃÑÕãñõĨĩŨũ"),
    ('\u{308}', "AEIOUaeiouyY", "ÄËÏÖÜäëïöüÿŸ"),
    ('\u{30a}', "AaUu", "ÅåŮů"),
    ('\u{30c}', "CcDdEeNnRrSsTtZz", "ČčĎďĚěŇňŘřŠšŤťŽž"),
    ('\u{327}', "CcSsTt", "ÇçŞşŢţ"),
];

/// Whether a sign is not seen: joiners, marks of direction, the mark of byte order, soft hyphens.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}')
}

/// What a name looks like.
fn look(name: &str) -> String {
    let mut look = String::with_capacity(name.len());
    let within = |from: &str, to: &str, c: char| {
        from.chars().position(|known| known == c).and_then(|i| to.chars().nth(i))
    };
    for c in name.chars().filter(|&c| !is_unseen(c)) {
        let accent = ACCENTS
            .iter()
            .find_map(|(mark, plain, marked)| Some((within(marked, plain, c)?, *mark)));
        match (accent, c) {
            (Some((letter, mark)), _) => look.extend([letter, mark]),
            (None, '\u{ff01}'..='\u{ff5e}') => {
                look.extend(char::from_u32(u32::from(c) - 0xff01 + 0x21));
            }
            (None, c) if c.is_whitespace() => look.push(' '),
            (None, c) => {
                look.push(LOOKS.iter().find_map(|(from, to)| within(from, to, c)).unwrap_or(c));
            }
        }
    }
    look
}

/// Two names that look equal, by their places in the list.
pub fn pair<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<(usize, usize)> {
    // Names of plain letters look equal to others only.
    if names.clone().all(str::is_ascii) {
        return None;
    }
    let mut looks: HashMap<String, usize> = HashMap::new();
    names.enumerate().find_map(|(i, name)| {
        let first = *looks.entry(look(name)).or_insert(i);
        (first != i).then_some((first, i))
    })
}

/// Warns of vertices that look equal. Lists refuse them (`gate`): there a name is all that makes a vertex.
pub fn tell(network: &Network, notices: &Notices) {
    let names = (0..network.vertices().len() as VertexId).map(|v| network.vertex_name(v));
    if let Some((a, b)) = pair(names.clone()) {
        let [a, b] = [a, b].map(|v| network.vertex_name(v as VertexId));
        let [a, b] = if b.is_ascii() { [b, a] } else { [a, b] };
        notices.add("alike", 0, || {
            format!("'{b}' looks like '{a}' and is another vertex: {}", difference(a, b))
        });
    }
}

/// What tells two names apart: the first sign outside of plain letters that one has and the other has
/// not.
pub fn difference(a: &str, b: &str) -> String {
    let odd = |one: &str, other: &str| {
        one.chars().find(|&c| !c.is_ascii() && !other.contains(c)).map(u32::from)
    };
    match odd(a, b).or_else(|| odd(b, a)) {
        Some(code) => format!("one has the sign U+{code:04X}"),
        None => "their signs are in another order".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_equal_are_found() {
        for (a, b) in [
            ("box1", "box1\u{200b}"),
            ("box1", "\u{feff}box1"),
            ("Mün", "Mu\u{308}n"),
            ("leaf", "le\u{430}f"),
            ("a 1", "a\u{a0}1"),
            ("n-1", "n\u{2011}1"),
            ("n1", "ｎ１"),
        ] {
            assert_eq!(pair([a, "other", b].into_iter()), Some((0, 2)), "{a} {b}");
            assert!(difference(a, b).contains("U+"), "{a} {b}");
        }
        assert_eq!(pair(["n1", "N1", "nl", "nI", "Mun", "Mün", "ле"].into_iter()), None);
        for (mark, plain, marked) in ACCENTS {
            assert_eq!(plain.chars().count(), marked.chars().count(), "{mark}");
        }
        for (from, to) in LOOKS {
            assert_eq!(from.chars().count(), to.chars().count(), "{from}");
        }
    }
}
