//! Numbers with their nouns: 1 step, 2 steps.

use std::fmt::Display;

/// A number with its noun, which is given as for one: `1 step`, `0 steps`, `2 vertices`.
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let many = match noun {
        _ if number == "1" => noun.to_string(),
        _ if noun.ends_with("vertex") => noun.replace("vertex", "vertices"),
        _ => match noun.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
            _ if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => {
                format!("{noun}es")
            }
            _ => format!("{noun}s"),
        },
    };
    format!("{number} {many}")
}

/// The form of a word beside a number: `is` or `are`, `step` or `steps`.
pub fn form<'w>(number: impl Display, one: &'w str, many: &'w str) -> &'w str {
    if number.to_string() == "1" { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "step")), ["0 steps", "1 step", "2 steps"]);
        for (one, many) in [
            ("vertex", "vertices"),
            ("channel-step", "channel-steps"),
            ("switch", "switches"),
            ("process", "processes"),
            ("way", "ways"),
            ("copy", "copies"),
        ] {
            let right = [format!("1 {one}"), format!("7 {many}")];
            assert_eq!([counted(1u64, one), counted(7u64, one)], right);
        }
    }
}
