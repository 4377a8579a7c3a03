//! A list of links before anything is believed of it: rows of two words, perhaps a third one, with
//! their places. `gate` says what the rows are, `Plain` makes vertices of their words.

use super::Source;
use super::lines::short;
use super::looks;
use super::mistake::Wrong;
use super::plain::Way;
use super::widths::Key;
use crate::Delay;
use std::borrow::Cow;
use std::collections::HashMap;

/// No third word.
const NONE: u32 = u32::MAX;

/// A row; words are numbers of the list.
pub struct Row {
    pub ends: [u32; 2],
    third: u32,
    pub delay: Option<Delay>,
    /// Parallel links.
    pub count: u32,
    /// The place of the row; a text has at most 4 GiB.
    pub at: u32,
}

impl Row {
    /// The third word.
    pub fn third(&self) -> Option<u32> {
        (self.third != NONE).then_some(self.third)
    }
}

/// The rows of a list.
#[derive(Default)]
pub struct List<'t> {
    words: Vec<Cow<'t, str>>,
    numbers: HashMap<Cow<'t, str>, u32>,
    pub rows: Vec<Row>,
    /// What the third words are, if something names them.
    pub key: Option<Key>,
    /// How links are meant.
    pub way: Way,
    /// Numbers alone in their lines, before all links.
    pub counts: Vec<(&'t str, usize)>,
}

impl<'t> List<'t> {
    /// Adds a row.
    pub fn row(
        &mut self,
        ends: [Cow<'t, str>; 2],
        third: Option<Cow<'t, str>>,
        (count, delay): (u32, Option<Delay>),
        at: usize,
    ) -> Result<(), Wrong> {
        for name in &ends {
            looks::name(name).map_err(|why| Wrong { at, why })?;
        }
        let ends = ends.map(|word| self.number(word));
        let third = third.map_or(NONE, |word| self.number(word));
        self.rows.push(Row {
            ends,
            third,
            delay,
            count,
            at: u32::try_from(at).unwrap_or(u32::MAX),
        });
        Ok(())
    }

    fn number(&mut self, word: Cow<'t, str>) -> u32 {
        if let Some(&number) = self.numbers.get(&word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.numbers.insert(word.clone(), number);
        self.words.push(word);
        number
    }

    /// A word by its number.
    pub fn word(&self, number: u32) -> &str {
        &self.words[number as usize]
    }

    /// All words, by number.
    pub fn words(&self) -> &[Cow<'t, str>] {
        &self.words
    }

    /// Leaves the third words out: the first line names them, as something that is no capacity.
    pub fn drop_thirds(&mut self, at: usize, name: &str, source: &Source) {
        self.rows.iter_mut().for_each(|row| row.third = NONE);
        source
            .notices
            .add("third", at, || format!("attributes of links that are left out: {}", short(name)));
    }
}
