//! A dictionary as Python prints it, `{'weight': 3, 'name': "it's"}`: the attributes of an edge in the
//! lists of NetworkX.

/// The row before its dictionary, and the dictionary.
pub fn split(row: &str) -> Option<(&str, &str)> {
    let at = row.find('{').filter(|_| row.ends_with('}'))?;
    Some((row[..at].trim_end(), &row[at..]))
}

/// The pairs of a dictionary, keys and texts without their quotes; none if it is none.
pub fn pairs(dictionary: &str) -> Option<Vec<(&str, &str)>> {
    let mut rest = dictionary.strip_prefix('{')?.strip_suffix('}')?.trim();
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let (key, after) = part(rest, ':')?;
        let (value, after) = part(after?, ',')?;
        pairs.push((unquoted(key), unquoted(value)));
        rest = after.unwrap_or("").trim();
    }
    Some(pairs)
}

/// The text up to a sign that is outside of quotes and brackets, and what follows the sign.
fn part(text: &str, sign: char) -> Option<(&str, Option<&str>)> {
    let (mut quote, mut escaped, mut depth) = (None, false, 0usize);
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(end), _) if c == end => quote = None,
            (Some(_), _) => (),
            (None, '\'' | '"') => quote = Some(c),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth = depth.checked_sub(1)?,
            (None, _) if c == sign && depth == 0 => {
                return Some((text[..i].trim(), Some(&text[i + 1..])));
            }
            _ => (),
        }
    }
    (quote.is_none() && depth == 0).then(|| (text.trim(), None))
}

/// A text without its quotes.
fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('\'').or_else(|| inside('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_split_outside_of_quotes_and_brackets() {
        assert_eq!(pairs("{}"), Some(vec![]));
        let all = pairs(r#"{'weight': 3.0, 'a, b': "it's: {", 'c': [1, {2: 3}], 4: None}"#);
        let expected =
            [("weight", "3.0"), ("a, b", "it's: {"), ("c", "[1, {2: 3}]"), ("4", "None")];
        assert_eq!(all.as_deref(), Some(&expected[..]));
        for text in ["{'a'}", "{'a: 1}", "{'a': [1}", "'a': 1", "{'a': 1]}"] {
            assert_eq!(pairs(text), None, "{text}");
        }
        assert_eq!(split("a b {'w': 1}"), Some(("a b", "{'w': 1}")));
        assert_eq!(split("a b 3"), None);
    }
}
