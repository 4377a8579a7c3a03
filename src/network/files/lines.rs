//! The lines and words of a text, as slices of it. A slice knows its place in the text
//! (`mistake::place`), so readers keep no offsets.

pub(super) use ccsched_base::table::short;

/// The lines, without their ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// The lines that hold something: not blank, no comment that starts with one of `marks`. They are
/// trimmed.
pub(super) fn full<'t>(text: &'t str, marks: &'static [char]) -> impl Iterator<Item = &'t str> {
    lines(text).map(str::trim).filter(move |line| !line.is_empty() && !line.starts_with(marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lose_their_ends_and_comments_are_left_out() {
        assert_eq!(lines("a\r\nb\n").collect::<Vec<_>>(), ["a", "b", ""]);
        assert_eq!(full("# x\n\n  a b \r\n%\n", &['#', '%']).collect::<Vec<_>>(), ["a b"]);
    }
}
