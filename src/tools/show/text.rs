//! Text of limited width.

/// Width of a text in columns of a terminal, near enough for the names of vertices.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text, filled up with spaces on the right.
pub(super) fn pad(text: &str, to: usize) -> String {
    // The width of `format!` is limited to 65535; the length of names in a file is not.
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// Words in lines of at most `columns` columns; every line after the first starts with `indent`
/// spaces. The first line is assumed to have that many columns already.
pub fn wrap(words: &[impl AsRef<str>], indent: usize, columns: usize) -> String {
    let (mut out, mut at) = (String::new(), indent);
    for (i, word) in words.iter().map(AsRef::as_ref).enumerate() {
        if i > 0 && at + 1 + width(word) > columns {
            out.push('\n');
            out += &" ".repeat(indent);
            at = indent;
        } else if i > 0 {
            out.push(' ');
            at += 1;
        }
        out += word;
        at += width(word);
    }
    out
}
