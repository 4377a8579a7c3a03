//! Characters by their names, `&uuml;`: those of XML, and those that HTML has for Latin-1, which the
//! files of GML are written in.

use quick_xml::escape::{resolve_predefined_entity, unescape_with};
use std::borrow::Cow;

/// The names of the characters from 160 to 255, in order.
const LATIN_1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg \
plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute \
Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve \
Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc \
atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute \
ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// The characters from 160 to 255.
const CHARACTERS: &str = "\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß\
àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";

/// A text with characters in place of their names; a text with an unknown name stays as it is.
pub fn decoded(text: &str) -> Cow<'_, str> {
    unescape_with(text, resolve).unwrap_or(Cow::Borrowed(text))
}

fn resolve(name: &str) -> Option<&'static str> {
    if let Some(known) = resolve_predefined_entity(name) {
        return Some(known);
    }
    let place = LATIN_1.split_whitespace().position(|known| known == name)?;
    let (start, c) = CHARACTERS.char_indices().nth(place)?;
    Some(&CHARACTERS[start..start + c.len_utf8()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_characters() {
        assert_eq!(LATIN_1.split_whitespace().count(), 96);
        assert!(CHARACTERS.chars().map(u32::from).eq(160..=255));
        assert_eq!(decoded("M&uuml;nchen &amp; &#72;of"), "München & Hof");
        assert_eq!(decoded("AT&T &nobody;"), "AT&T &nobody;");
        assert_eq!(decoded("&yuml;&nbsp;"), "ÿ\u{a0}");
    }
}
