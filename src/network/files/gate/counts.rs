//! Whether the first row of a list is the numbers of vertices and links.

use super::First;
use crate::files::Source;
use crate::files::list::{List, Row};
use crate::files::mistake::{Wrong, wrong};
use std::collections::HashSet;

/// Rows after the first, from which on their order tells that the first one is no link.
const ORDERED: usize = 4;

/// The counts that a row may have: vertices and links, or twice the vertices and the links, as the size
/// of a matrix is written.
pub fn counts(list: &List, row: &Row) -> Option<(u64, u64)> {
    let number = |word: u32| list.word(word).parse::<u64>().ok();
    let (a, b) = (number(row.ends[0])?, number(row.ends[1])?);
    match row.third().and_then(number) {
        Some(c) if a == b && a > 0 => Some((a, c)),
        _ => (a > 0).then_some((a, b)),
    }
}

/// A first row of two numbers.
pub struct Counts<'g, 't> {
    pub list: &'g List<'t>,
    pub first: &'g Row,
    pub rest: &'g [Row],
    pub degrees: &'g [u32],
    /// The ends of the rest.
    pub known: &'g [u32],
    pub vertices: u64,
    pub links: u64,
}

impl Counts<'_, '_> {
    /// What the row is.
    pub fn verdict(&self, source: &Source) -> Result<First, Wrong> {
        let (n, rows, there) = (self.vertices, self.rest.len() as u64, self.known.len() as u64);
        let at = self.first.at as usize;
        let shown = |words: [u32; 2]| words.map(|word| self.list.word(word)).join(" ");
        let first = shown(self.first.ends);
        // Every link in both directions is counted once by some.
        let follows = self.links == rows || (n == there && self.links.checked_mul(2) == Some(rows));
        let unseen = self.first.ends.iter().all(|&word| self.degrees[word as usize] == 0);
        let seen = self.first.ends.iter().all(|&word| self.degrees[word as usize] > 0);
        if seen && !follows {
            return Ok(First::Link);
        }
        let as_link = self.as_link();
        let as_counts = follows && (self.in_range() || (n == there && unseen));
        let both = format!(
            "the first line, '{first}', may be a link, or the numbers of vertices and of the links that \
             follow: leave it out if it is numbers; put it last if it is a link"
        );
        match (as_counts, as_link) {
            (true, true) if n == there && !self.breaks_order() => wrong(at, both),
            (true, true) if n > there => {
                source.notices.add("counts", at, || {
                    format!(
                        "the first line, '{first}', is taken as a link; if it is the numbers of \
                         vertices and links, leave it out"
                    )
                });
                Ok(First::Link)
            }
            (true, _) => {
                let apart = match n - there {
                    0 => String::new(),
                    more => format!("; {more} vertices have no link and are left out"),
                };
                source.notices.add("counts", at, || {
                    format!(
                        "the first line, '{first}', is taken as the numbers of vertices and links, and as \
                         no link{apart}"
                    )
                });
                Ok(First::Counts)
            }
            (false, false) if self.looks_counted() || (unseen && (follows || n == there)) => {
                let why = format!(
                    "the first line, '{first}', looks like the numbers of vertices and links, but {there} \
                     vertices and {rows} links follow: mend it or leave it out; put it last if it is a \
                     link"
                );
                wrong(at, why)
            }
            _ => Ok(First::Link),
        }
    }

    /// The number that a word is.
    fn number(&self, word: u32) -> Option<u64> {
        self.list.word(word).parse().ok()
    }

    /// Whether the vertices of the rest are at most as many as said, and are words, or numbers from 0
    /// or from 1 on.
    fn in_range(&self) -> bool {
        let n = self.vertices;
        let numbers: Vec<u64> = self.known.iter().filter_map(|&word| self.number(word)).collect();
        let fits = numbers.is_empty()
            || (numbers.len() == self.known.len()
                && numbers.iter().all(|&number| number <= n)
                && !(numbers.contains(&0) && numbers.contains(&n)));
        fits && self.known.len() as u64 <= n
    }

    /// Whether the first row would be a link like the others: both ends occur elsewhere, or all ends are
    /// numbers without a gap. The others have as many words, and the link is not among them.
    fn as_link(&self) -> bool {
        let [a, b] = self.first.ends;
        let words = |row: &Row| row.third().is_some();
        let alike = self.rest.iter().any(|row| words(row) == words(self.first));
        let same = |row: &Row| row.ends == [a, b] || row.ends == [b, a];
        if a == b || !alike || self.rest.iter().any(same) {
            return false;
        }
        let seen = |word: u32| self.degrees[word as usize] > 0;
        (seen(a) && seen(b)) || self.has_no_gap()
    }

    /// Whether all ends, with those of the first row, are numbers from 0 or 1 on without a gap.
    fn has_no_gap(&self) -> bool {
        let all = self.known.iter().chain(&self.first.ends);
        let numbers: Option<HashSet<u64>> = all.map(|&word| self.number(word)).collect();
        numbers.is_some_and(|numbers| {
            let (least, most) = (numbers.iter().min(), numbers.iter().max());
            matches!((least, most), (Some(0 | 1), Some(most)) if most - least.unwrap_or(&0) + 1 == numbers.len() as u64)
        })
    }

    /// Whether the rest is in order and the first row is not.
    fn breaks_order(&self) -> bool {
        let pair = |row: &Row| row.ends.map(|word| self.number(word));
        self.rest.len() >= ORDERED
            && self.rest.windows(2).all(|two| pair(&two[0]) <= pair(&two[1]))
            && pair(self.first) > pair(&self.rest[0])
    }

    /// Whether the row has the number of vertices, which are numbers without a gap or words, and a
    /// second number that is none of them.
    fn looks_counted(&self) -> bool {
        let [_, b] = self.first.ends;
        let there = self.known.len() as u64;
        let numbers = self.known.iter().filter(|&&word| self.number(word).is_some()).count();
        let seen = |word: u32| self.degrees[word as usize] > 0;
        match numbers {
            0 => !seen(self.first.ends[0]) && !seen(b),
            _ => self.vertices == there && self.in_range() && !seen(b) && there > 2,
        }
    }
}
