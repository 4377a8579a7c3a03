//! Lists of hosts in Slurm's notation: `n[01-03,7],login` is n01, n02, n03, n7, login. Several
//! brackets multiply: `r[0-1]n[0-3]` is eight names. A range with a leading zero keeps its width.
//!
//! A short text can name more hosts than a memory holds, so the caller has a number of names that
//! are left, and a list that needs more is refused before it is expanded.

/// The names that the lists of one input may have together.
pub const MOST_NAMES: usize = 1_000_000;

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
        match number.and_then(|number| left.checked_sub(number)) {
            Some(rest) => *left = rest,
            None => {
                let why = format!(
                    "'{}': the lists name more than {MOST_NAMES} hosts, the most that are read",
                    cut(item)
                );
                return Err((at, why));
            }
        }
        multiply(&parts, &mut names);
        at += item.len() + 1;
    }
    Ok(names)
}

/// The items between the commas outside brackets.
fn items(text: &str) -> Result<Vec<&str>, (usize, String)> {
    let (mut items, mut start, mut open) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        match c {
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
    items.push(&text[start..]);
    Ok(items)
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
    if rest.is_empty() {
        return Err("a name is missing between commas".into());
    }
    if rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("a name has no blanks".into());
    }
    let mut parts = Vec::new();
    while let Some((before, after)) = rest.split_once('[') {
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

/// All combinations of the parts, the last changing fastest.
fn multiply(parts: &[Part], names: &mut Vec<String>) {
    let mut all = vec![String::new()];
    for part in parts {
        match part {
            Part::Text(text) => all.iter_mut().for_each(|name| name.push_str(text)),
            Part::Ranges(ranges) => {
                let number = |r: &Range| {
                    let width = r.width;
                    (r.first..=r.last).map(move |i| format!("{i:0width$}"))
                };
                let numbers: Vec<String> = ranges.iter().flat_map(number).collect();
                let longer = |name: &String| {
                    numbers.iter().map(|n| format!("{name}{n}")).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
            }
        }
    }
    names.append(&mut all);
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
            ("n[0-999999999999999999]", 0, "more than"),
            ("n[0-99],m", 8, "more than"),
            ("a[0-9]b[0-9]c[0-9]d[0-9]e[0-9]f[0-9]g[0-999999999999999999]", 0, "more than"),
        ] {
            let (place, why) = names(text).expect_err(text);
            assert!(place == at && why.contains(part), "{text}: {place}: {why}");
        }
    }
}
