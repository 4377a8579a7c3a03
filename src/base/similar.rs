//! What is meant by a name with a typo: the known name that is most like it.

/// Names that are less alike are not suggested.
const LIKE: f64 = 0.8;

/// The known name that is most like `name`, if any is like it; capitals and `_` for `-` are no difference.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |name: &str| name.to_lowercase().replace('_', "-");
    let given = plain(name);
    let likeness = |other: &str| strsim::jaro_winkler(&given, &plain(other));
    let likeness = known.into_iter().map(|other| (likeness(other), other));
    let best = likeness.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(like, _)| *like > LIKE).map(|(_, other)| other)
}

/// The end of an error about an unknown name: `; did you mean 'x'?`, or nothing.
pub fn hint<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(name, known).map_or(String::new(), |other| format!("; did you mean '{other}'?"))
}

/// The same where other programs have other words: each with the name that means it here.
pub fn hint_of<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    words: &[(&'k str, &'k str)],
) -> String {
    let word = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(name));
    match word {
        Some((_, meant)) => format!("; did you mean '{meant}'?"),
        None => hint(name, known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_near() {
        assert_eq!(hint("neighbors", ["name", "neighbours"]), "; did you mean 'neighbours'?");
        assert_eq!(nearest("plant", ["rate", "switches"]), None);
        assert_eq!(nearest("x", []), None);
        assert_eq!(nearest("Up_Down", ["updown", "up-down"]), Some("up-down"));
        assert_eq!(hint_of("FTREE", ["dmodk"], &[("ftree", "dmodk")]), "; did you mean 'dmodk'?");
    }
}
