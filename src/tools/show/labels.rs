//! Names that fit into a picture: the end of a long name usually tells vertices apart.

use std::collections::HashMap;

/// Names up to this length stay whole.
const SHORT: usize = 6;
/// The longest label.
const LONGEST: usize = 10;

/// A label for every name, shorter where names are long. Labels of different vertices may be equal.
pub(super) fn labels<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    if names.clone().all(|name| name.chars().count() <= SHORT) {
        return names.map(String::from).collect();
    }
    let mut times: HashMap<&str, usize> = HashMap::new();
    names.clone().for_each(|name| *times.entry(last_word(name)).or_default() += 1);
    let label = |name| {
        let word = last_word(name);
        let text = if times[word] == 1 { word } else { name };
        let length = text.chars().count();
        if length <= LONGEST {
            return text.to_string();
        }
        let tail: String = text.chars().skip(length - SHORT - 1).collect();
        format!("\u{2026}{tail}")
    };
    names.map(label).collect()
}

/// The part after the last blank.
fn last_word(name: &str) -> &str {
    name.trim_end().rsplit(char::is_whitespace).next().filter(|w| !w.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_ends() {
        let names =
            ["a", "Adapter of host H-003048c707b60000", "Voltaire # 4036-369C", "x y", "z y"];
        let right = ["a", "\u{2026}7b60000", "4036-369C", "x y", "z y"];
        assert_eq!(labels(names.into_iter()), right);
        assert_eq!(labels(["x y", "z y"].into_iter()), ["x y", "z y"]);
        assert_eq!(labels(["", "1234567 "].into_iter()), ["", "1234567"]);
    }
}
