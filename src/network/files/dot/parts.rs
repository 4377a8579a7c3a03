//! The parts of a statement: names, keywords, signs, lists of attributes. The next token is known
//! before it is taken.

use super::tokens::{Token, Tokens};
use crate::files::lines::short;
use crate::files::mistake::{Wrong, wrong};
use std::borrow::Cow;

/// Attributes by name, with their places.
pub type Attributes<'t> = Vec<(Cow<'t, str>, Cow<'t, str>, usize)>;

/// A text that is read part by part.
pub struct Parts<'t> {
    tokens: Tokens<'t>,
    /// The token that is next.
    pub peek: Option<(usize, Token<'t>)>,
    /// The length of the text.
    end: usize,
}

impl<'t> Parts<'t> {
    /// Starts at the first token.
    pub fn new(text: &'t str) -> Result<Self, Wrong> {
        let mut parts = Parts { tokens: Tokens::new(text), peek: None, end: text.len() };
        parts.step()?;
        Ok(parts)
    }

    /// The place of the next token.
    pub fn at(&self) -> usize {
        self.peek.as_ref().map_or(self.end, |(at, _)| *at)
    }

    /// Lists of attributes in brackets.
    pub fn attributes(&mut self) -> Result<Attributes<'t>, Wrong> {
        let mut all = Vec::new();
        while self.take("[")? {
            while !self.take("]")? {
                let (at, name) = self.id("an attribute")?;
                let value = if self.take("=")? { self.value()? } else { "true".into() };
                all.push((name, value, at));
                let _ = self.take(";")? || self.take(",")?;
            }
        }
        Ok(all)
    }

    /// The value of an attribute. HTML stands for no text.
    pub fn value(&mut self) -> Result<Cow<'t, str>, Wrong> {
        if matches!(self.peek, Some((_, Token::Html))) {
            self.step()?;
            return Ok(Cow::Borrowed(""));
        }
        Ok(self.id("a value")?.1)
    }

    /// A name or value; texts in quotes may be joined by `+`.
    pub fn id(&mut self, what: &str) -> Result<(usize, Cow<'t, str>), Wrong> {
        let Some((at, Token::Id(text, quoted))) = self.peek.clone() else {
            return self.expected(what);
        };
        self.step()?;
        let mut text = text;
        while quoted && self.take("+")? {
            match self.peek.clone() {
                Some((_, Token::Id(more, true))) => text.to_mut().push_str(&more),
                _ => return self.expected("a text in quotes"),
            }
            self.step()?;
        }
        Ok((at, text))
    }

    /// Takes a word if it is next and not in quotes.
    pub fn keyword(&mut self, word: &str) -> Result<bool, Wrong> {
        let is =
            matches!(&self.peek, Some((_, Token::Id(id, false))) if id.eq_ignore_ascii_case(word));
        if is {
            self.step()?;
        }
        Ok(is)
    }

    /// Takes a sign if it is next.
    pub fn take(&mut self, sign: &str) -> Result<bool, Wrong> {
        let is = matches!(&self.peek, Some((_, Token::Sign(next))) if *next == sign);
        if is {
            self.step()?;
        }
        Ok(is)
    }

    /// Takes a sign that must be next.
    pub fn need(&mut self, sign: &str) -> Result<(), Wrong> {
        if self.take(sign)? { Ok(()) } else { self.expected(&format!("'{sign}'")) }
    }

    /// Goes to the next token.
    pub fn step(&mut self) -> Result<(), Wrong> {
        self.peek = self.tokens.next()?;
        Ok(())
    }

    /// The mistake that something else is next.
    pub fn expected<T>(&self, what: &str) -> Result<T, Wrong> {
        match &self.peek {
            None => wrong(self.end, format!("the file ends; expected is {what}")),
            Some((at, Token::Id(text, _))) => {
                wrong(*at, format!("'{}': expected is {what}", short(text)))
            }
            Some((at, Token::Html)) => {
                wrong(*at, format!("a text of HTML, which is a label only: expected is {what}"))
            }
            Some((at, Token::Sign(sign))) => wrong(*at, format!("'{sign}': expected is {what}")),
        }
    }
}
