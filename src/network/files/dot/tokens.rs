//! The words and signs of DOT.

use crate::files::lines::short;
use crate::files::mistake::{Wrong, wrong};
use std::borrow::Cow;

/// A word or sign.
#[derive(Clone, Debug, PartialEq)]
pub enum Token<'t> {
    /// A name or value, and whether it stood in quotes: then it is no keyword.
    Id(Cow<'t, str>, bool),
    /// A text of HTML between angle brackets. It is a label and no name.
    Html,
    /// One of `{ } [ ] ; , : = + -- ->`.
    Sign(&'static str),
}

/// The signs, longer ones first.
const SIGNS: [&str; 11] = ["--", "->", "{", "}", "[", "]", ";", ",", ":", "=", "+"];

/// A text that is read token by token.
pub struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub fn new(text: &'t str) -> Self {
        Tokens { text, at: 0 }
    }

    /// The next token with its place; none at the end.
    pub fn next(&mut self) -> Result<Option<(usize, Token<'t>)>, Wrong> {
        self.blanks()?;
        let (at, rest) = (self.at, &self.text[self.at..]);
        let Some(first) = rest.chars().next() else { return Ok(None) };
        if let Some(&sign) = SIGNS.iter().find(|&&sign| rest.starts_with(sign)) {
            self.at += sign.len();
            return Ok(Some((at, Token::Sign(sign))));
        }
        if first == '"' {
            return self.quoted().map(|text| Some((at, Token::Id(text, true))));
        }
        if first == '<' {
            self.html()?;
            return Ok(Some((at, Token::Html)));
        }
        let belongs = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || !c.is_ascii();
        let body = rest.strip_prefix('-').unwrap_or(rest);
        let end = body.find(|c| !belongs(c)).unwrap_or(body.len());
        if end == 0 {
            let word = rest.split_whitespace().next().unwrap_or(rest);
            return wrong(
                at,
                format!("'{}' is no name; names with signs need quotes", short(word)),
            );
        }
        let end = end + rest.len() - body.len();
        self.at += end;
        Ok(Some((at, Token::Id(Cow::Borrowed(&rest[..end]), false))))
    }

    /// Skips blanks and comments: `// ..`, `/* .. */`, and lines that start with `#`.
    fn blanks(&mut self) -> Result<(), Wrong> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let line_starts = || {
                let line = self.text[..self.at].rsplit('\n').next();
                line.is_none_or(|line| line.trim().is_empty())
            };
            if trimmed.starts_with("//") || (trimmed.starts_with('#') && line_starts()) {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                match trimmed.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => return wrong(self.at, "the comment /* has no end */"),
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Skips a text of HTML. Its angle brackets are nested, but for those in comments.
    fn html(&mut self) -> Result<(), Wrong> {
        let (start, mut depth) = (self.at, 0usize);
        while let Some(next) = self.text[self.at..].find(['<', '>']) {
            self.at += next;
            let rest = &self.text[self.at..];
            if depth > 0 && rest.starts_with("<!--") {
                self.at += rest.find("-->").map_or(rest.len(), |end| end + 3);
                continue;
            }
            self.at += 1;
            depth = if rest.starts_with('<') { depth + 1 } else { depth - 1 };
            if depth == 0 {
                return Ok(());
            }
        }
        wrong(start, "an HTML label has no end; its angle brackets are nested")
    }

    /// A text in quotes. `\"` is a quote, a backslash at the end of a line joins it to the next.
    fn quoted(&mut self) -> Result<Cow<'t, str>, Wrong> {
        let (start, mut escaped) = (self.at + 1, false);
        for (i, c) in self.text[start..].char_indices() {
            match c {
                '"' if !escaped => {
                    let inside = &self.text[start..start + i];
                    self.at = start + i + 1;
                    if !inside.contains('\\') {
                        return Ok(Cow::Borrowed(inside));
                    }
                    let joined = inside.replace("\\\r\n", "").replace("\\\n", "");
                    return Ok(Cow::Owned(joined.replace("\\\"", "\"")));
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        wrong(self.at, "a text in quotes has no end")
    }
}
