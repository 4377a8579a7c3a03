//! The gate before a list is believed. A file of rows of words may be many things: a list of links, one
//! with counts or names of columns in its first line, neighbours of vertices, lines with a tag before
//! each pair. What is certain is read as it is meant, with a notice; what may be one or the other is
//! refused with both.

mod counts;
mod graph;
mod rows;

use super::Source;
use super::lines::short;
use super::list::{List, Row};
use super::mistake::{Wrong, wrong};
use super::{columns, rates, widths};
use counts::{Counts, counts};
pub use graph::graph;
use rows::{alike, neighbours, tags};

/// What the first row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    Link,
    /// The numbers of vertices and links.
    Counts,
    /// The names of the columns.
    Names,
}

/// What the first row is, which takes the name of the third words from it.
fn first(list: &mut List, source: &Source) -> Result<First, Wrong> {
    if !list.counts.is_empty() {
        return alone(list, source).map(|()| First::Link);
    }
    let [first, rest @ ..] = &list.rows[..] else { return Ok(First::Link) };
    if rest.is_empty() {
        let is_names = columns::is_certain(first.ends.map(|word| list.word(word)));
        return Ok(if is_names { First::Names } else { First::Link });
    }
    let degrees = degrees(list, rest);
    let known: Vec<u32> =
        (0..list.words().len() as u32).filter(|&w| degrees[w as usize] > 0).collect();
    let told = match counts(list, first) {
        Some((vertices, links)) => {
            Counts { list, first, rest, degrees: &degrees, known: &known, vertices, links }
                .verdict(source)?
        }
        None => names(list, first, rest, &degrees, &known, source),
    };
    if told == First::Names {
        let third = first.third().map(|third| list.word(third).to_string());
        if let Some(name) = third {
            let at = first.at as usize;
            list.key = widths::key(&name);
            if list.key.is_none() {
                list.drop_thirds(at, &name, source);
            }
        }
    }
    Ok(told)
}

/// Checks numbers that stand alone before all links: those of vertices and of links.
fn alone(list: &List, source: &Source) -> Result<(), Wrong> {
    let (rows, there) = (list.rows.len() as u64, {
        degrees(list, &list.rows).iter().filter(|&&degree| degree > 0).count() as u64
    });
    for (word, at) in &list.counts {
        if word.parse::<u64>().ok().is_none_or(|number| number != rows && number != there) {
            let why = format!(
                "'{}' is a number alone, but {there} vertices and {rows} links follow; a line is two vertices",
                short(word)
            );
            return wrong(*at, why);
        }
        source.notices.add("counts", *at, || {
            format!("'{word}', alone in its line, is taken as the number of vertices or links")
        });
    }
    Ok(())
}

/// The rows that each word is an end of.
fn degrees(list: &List, rows: &[Row]) -> Vec<u32> {
    let mut all = vec![0; list.words().len()];
    rows.iter().flat_map(|row| row.ends).for_each(|end| all[end as usize] += 1);
    all
}

/// Whether the first row has names of columns.
fn names(
    list: &List,
    first: &Row,
    rest: &[Row],
    degrees: &[u32],
    known: &[u32],
    source: &Source,
) -> First {
    let [a, b] = first.ends;
    let seen = |word: u32| degrees[word as usize] > 0;
    let heading = |word: u32| columns::is_heading(list.word(word));
    // `node1` is no name of a column where vertices are called so.
    let is_like = |word: u32| {
        let form = form(list.word(word));
        form.contains('#')
            && known.iter().any(|&other| other != word && self::form(list.word(other)) == form)
    };
    let both = heading(a) && heading(b) && !is_like(a) && !is_like(b);
    let third = first.third().map(|third| list.word(third));
    // A word over numbers names a column.
    let number = |word: &str| word.parse::<f64>().is_ok() || rates::bits(word).is_some();
    let mut thirds =
        rest.iter().filter_map(|row| row.third()).map(|third| list.word(third)).peekable();
    let over = third.is_some_and(|third| {
        !number(third)
            && thirds.peek().is_some()
            && thirds.all(number)
            && widths::key(third).is_some()
    });
    let is_certain = columns::is_certain([list.word(a), list.word(b)]);
    let headings = || known.iter().filter(|&&word| heading(word)).count();
    // A word that is seen in the other column is a vertex; a letter is one, too.
    let is_column = || {
        rest.iter().all(|row| row.ends[0] != b && row.ends[1] != a)
            && [a, b].iter().all(|&word| list.word(word).chars().count() > 1)
    };
    let is_name = match (seen(a), seen(b)) {
        (false, false) => both || over || (rest.len() > 1 && is_odd(list, [a, b], known)),
        (true, true) => over && both,
        // One vertex may be called as its column is.
        _ => over || (both && is_column() && (is_certain || headings() == 1)),
    };
    let at = first.at as usize;
    let words = || format!("{} {}", list.word(a), list.word(b));
    if is_name && !is_certain {
        source.notices.add("names", at, || {
            format!(
                "the first line, '{}', is taken as names of columns; if it is a link, put it last",
                words()
            )
        });
    } else if both && !is_name {
        source.notices.add("names", at, || {
            format!(
                "the first line, '{}', is taken as a link; if it names columns, leave it out",
                words()
            )
        });
    }
    if is_name { First::Names } else { First::Link }
}

/// Whether two words are unlike all names of the rest: letters, and no name has their form.
fn is_odd(list: &List, words: [u32; 2], known: &[u32]) -> bool {
    let forms = words.map(|word| form(list.word(word)));
    let letters = words.iter().all(|&word| {
        let word = list.word(word);
        word.chars().count() > 1 && word.chars().all(|c| c.is_alphabetic() || "_- ".contains(c))
    });
    letters && known.iter().all(|&word| !forms.contains(&form(list.word(word)))) && {
        // Names of places are letters, too: then nothing is known.
        known.iter().all(|&word| list.word(word).contains(|c: char| c.is_ascii_digit()))
    }
}

/// A name with one sign for each number in it.
fn form(name: &str) -> String {
    let mut form = String::new();
    for c in name.chars() {
        match c.is_ascii_digit() {
            true if form.ends_with('#') => (),
            true => form.push('#'),
            false => form.push(c),
        }
    }
    form
}
