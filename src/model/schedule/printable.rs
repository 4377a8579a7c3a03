//! Text from a file as it may be printed. A terminal executes control characters, and a mark of
//! direction can make a line read as another: both are shown as escapes.

use super::ScheduleFile;
use std::borrow::Cow;

/// The text with control characters and marks of direction as escapes; a line break is one of them.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The same for text of several lines, whose line breaks and tabulators stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, stays: fn(char) -> bool) -> Cow<'_, str> {
    let is_wrong = |c: char| is_unprintable(c) && !stays(c);
    if !text.contains(is_wrong) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| match is_wrong(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Control characters, the separators of lines and paragraphs, marks that change the direction of
/// text, and what shows nothing (Unicode: Default_Ignorable_Code_Point, and the empty Braille cell).
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}')
        || matches!(c, '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}')
        || matches!(c, '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}')
        || matches!(c, '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A word of a file inside a sentence of ours: in quotes unless it has only letters, digits and the
/// marks of specs and names, so that it cannot continue the sentence.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain =
        |c: char| (c.is_alphanumeric() && !is_unprintable(c)) || ":;,.=+-_/#@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("\"{}\"", printable(word).replace('"', "\\\""))),
    }
}

impl ScheduleFile {
    /// The first name that cannot be printed as it is.
    pub fn unprintable(&self) -> Option<&str> {
        let vertices = self.network.vertices.iter().map(|v| v.name.as_str());
        let model = [&self.network.name, &self.model.collective, &self.model.switching];
        let steps = self.steps.names.list().iter().map(|name| &**name);
        let mut all = model.into_iter().map(String::as_str).chain(vertices).chain(steps);
        all.find(|name| name.contains(is_unprintable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_executes_is_escaped() {
        assert_eq!(
            printable("a \u{1b}[2J\nb\u{202e}c \u{e4}"),
            "a \\u{1b}[2J\\nb\\u{202e}c \u{e4}"
        );
        assert_eq!(printable_lines("a\nb\r\tc"), "a\nb\\r\tc");
        assert!(matches!(printable("kautz:3,2"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_word_cannot_continue_the_sentence() {
        assert_eq!(quoted("kautz:3,2"), "kautz:3,2");
        assert_eq!(quoted("x), optimal"), "\"x), optimal\"");
        assert_eq!(quoted("x\", \n"), "\"x\\\", \\n\"");
        assert_eq!(quoted(""), "\"\"");
        // The Hangul filler is a letter that shows nothing.
        assert_eq!(quoted("a\u{3164}"), "\"a\\u{3164}\"");
    }
}
