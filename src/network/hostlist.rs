//! Lists of hosts in Slurm's notation: `n[01-03,7],login` is n01, n02, n03, n7, login. Several
//! brackets multiply: `r[0-1]n[0-3]` is eight names. A range with a leading zero keeps its width. A
//! name in quotes stands for itself.
//!
//! A short text can name more hosts than a memory holds, so the caller has a number of names that
//! are left, and a list that needs more is refused before it is expanded.

use ccsched_base::limits::{BRACKETS, HOSTS};
use std::fmt::Write;

/// A longer name counts as several.
const LONG: usize = 64;

/// The names of one list, in order; their number is taken from `left`. A mistake is an offset in
/// the text and what is wrong.
///
/// # Errors
/// Brackets that do not match, empty names, ranges that go down, more names than are `left`.
pub fn expand(text: &str, left: &mut usize) -> Result<Vec<String>, (usize, String)> {
    let mut names = Vec::new();
    let mut at = 0;
    if text.trim().is_empty() {
        return Ok(names);
    }
    for item in items(text)? {
        let parts = parts(item).map_err(|why| (at, format!("'{}': {why}", cut(item))))?;
        let number = parts.iter().try_fold(1usize, |n, part| n.checked_mul(part.len()));
        // No name is longer than its item.
        let counted = number.and_then(|number| number.checked_mul(1 + item.len() / LONG));
        match counted.and_then(|counted| left.checked_sub(counted)) {
            Some(rest) => *left = rest,
            None => {
                let why = format!(
                    "'{}': the lists name more than {HOSTS} hosts, the most that are read",
                    cut(item)
                );
                return Err((at, why));
            }
        }
        names.reserve(number.unwrap_or(0));
        multiply(&parts, &mut String::new(), &mut names);
        at += item.len() + 1;
    }
    Ok(names)
}

/// The items between the commas outside brackets and quotes.
///
/// # Errors
/// Brackets and quotes that do not match, with their offset.
pub fn items(text: &str) -> Result<Vec<&str>, (usize, String)> {
    let (mut items, mut start, mut open, mut quote) = (Vec::new(), 0, None, None);
    for (at, c) in text.char_indices() {
        match c {
            '"' if quote.is_some() => quote = None,
            '"' if text[start..at].trim().is_empty() => quote = Some(at),
            _ if quote.is_some() => (),
            '[' if open.is_some() => return Err((at, "a '[' inside brackets".into())),
            '[' => open = Some(at),
            ']' if open.is_none() => return Err((at, "a ']' without its '['".into())),
            ']' => open = None,
            ',' if open.is_none() => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            _ => (),
        }
    }
    if let Some(at) = open {
        return Err((at, "a '[' without its ']'".into()));
    }
    if let Some(at) = quote {
        return Err((at, "a quote that does not end".into()));
    }
    items.push(&text[start..]);
    Ok(items)
}

/// An item without its quotes, in which a comma and brackets mean themselves.
pub fn unquoted(item: &str) -> &str {
    let item = item.trim();
    item.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(item)
}

/// A part of an item: a text, or the ranges of a bracket.
enum Part<'t> {
    Text(&'t str),
    Ranges(Vec<Range>),
}

/// The numbers of a range, with the width of their digits.
struct Range {
    first: u64,
    last: u64,
    width: usize,
}

impl Part<'_> {
    /// The number of texts that it stands for; too many are `usize::MAX`.
    fn len(&self) -> usize {
        match self {
            Part::Text(_) => 1,
            Part::Ranges(ranges) => ranges.iter().fold(0usize, |n, range| {
                let more = usize::try_from(range.last - range.first).unwrap_or(usize::MAX);
                n.saturating_add(more).saturating_add(1)
            }),
        }
    }
}

fn parts(item: &str) -> Result<Vec<Part<'_>>, String> {
    let mut rest = item.trim();
    if unquoted(rest) != rest && !unquoted(rest).is_empty() {
        return Ok(vec![Part::Text(unquoted(rest))]);
    }
    if rest.is_empty() {
        return Err("a name is missing between commas".into());
    }
    if rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("a name has no blanks".into());
    }
    let mut parts = Vec::new();
    while let Some((before, after)) = rest.split_once('[') {
        if parts.len() >= 2 * BRACKETS {
            return Err(format!("a name has at most {BRACKETS} brackets"));
        }
        let Some((inside, end)) = after.split_once(']') else {
            return Err("a '[' without its ']'".into());
        };
        parts.push(Part::Text(before));
        parts.push(Part::Ranges(inside.split(',').map(range).collect::<Result<_, _>>()?));
        rest = end;
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

/// A number, or two with a dash between them.
fn range(text: &str) -> Result<Range, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |digits: &str| {
        let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse::<u64>().ok().filter(|_| all && digits.len() <= 18)
    };
    match (number(first), number(last)) {
        (Some(a), Some(b)) if a <= b => {
            let width = if first.starts_with('0') { first.len() } else { 1 };
            Ok(Range { first: a, last: b, width })
        }
        (Some(_), Some(_)) => Err(format!("the range '{}' goes down", cut(text))),
        _ => Err(format!("'{}' is no number and no range, such as 1-8", cut(text))),
    }
}

/// Adds all combinations of the parts behind a beginning, the last part changing fastest. `left`
/// limits the names, so each gets the memory of its text alone.
fn multiply(parts: &[Part], start: &mut String, names: &mut Vec<String>) {
    let Some((part, rest)) = parts.split_first() else { return names.push(start.clone()) };
    let before = start.len();
    match part {
        Part::Text(text) => {
            start.push_str(text);
            multiply(rest, start, names);
            start.truncate(before);
        }
        Part::Ranges(ranges) => {
            for (number, width) in
                ranges.iter().flat_map(|r| (r.first..=r.last).map(|i| (i, r.width)))
            {
                // Writing to a text cannot fail.
                let _ = write!(start, "{number:0width$}");
                multiply(rest, start, names);
                start.truncate(before);
            }
        }
    }
}

/// A text that fits into a message.
fn cut(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, (usize, String)> {
        expand(text, &mut 100)
    }

    #[test]
    fn ranges_multiply_and_keep_their_zeros() {
        for (text, all) in [
            ("", ""),
            ("a", "a"),
            ("a,b-c", "a b-c"),
            ("n[01-03,7],x", "n01 n02 n03 n7 x"),
            ("n[9-11]", "n9 n10 n11"),
            ("n[098-101]", "n098 n099 n100 n101"),
            ("r[0-1]n[0-1]s", "r0n0s r0n1s r1n0s r1n1s"),
            ("[1-2]", "1 2"),
            ("\"a,[1\", b", "a,[1 b"),
        ] {
            assert_eq!(names(text).unwrap().join(" "), all, "{text}");
        }
    }

    #[test]
    fn mistakes_have_places_and_bombs_do_not_explode() {
        for (text, at, part) in [
            ("n[1-3", 1, "without its ']'"),
            ("n1-3]", 4, "without its '['"),
            ("n[[1]]", 2, "inside brackets"),
            ("a,,b", 2, "missing"),
            ("a,n[3-1]", 2, "goes down"),
            ("a,n[]", 2, "no number"),
            ("n[a-b]", 0, "no number"),
            ("n[1-2-3]", 0, "no number"),
            ("n[0-99999999999999999999]", 0, "no number"),
            ("a b", 0, "blanks"),
            ("a,\"b", 2, "does not end"),
            ("n[0-999999999999999999]", 0, "more than"),
            ("n[0-99],m", 8, "more than"),
            ("a[0-9]b[0-9]c[0-9]d[0-9]e[0-9]f[0-9]g[0-999999999999999999]", 0, "more than"),
        ] {
            let (place, why) = names(text).expect_err(text);
            assert!(place == at && why.contains(part), "{text}: {place}: {why}");
        }
        let long = format!("{}[1-50]", "n".repeat(LONG));
        assert!(names(&long).is_ok_and(|all| all.len() == 50));
        assert!(names(&long.replace("50", "51")).unwrap_err().1.contains("more than"));
        assert_eq!(names(&"[1]".repeat(BRACKETS)).unwrap(), ["1".repeat(BRACKETS)]);
        let (_, why) = names(&"[1]".repeat(BRACKETS + 1)).unwrap_err();
        assert!(why.contains("at most 16 brackets"), "{why}");
    }
}
