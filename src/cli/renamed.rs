//! Subcommands by older names, which are rewritten before the parser reads them. They go after the next
//! release.

use std::ffi::OsString;

/// An older name and what it is now; options that have another name there.
struct Renamed {
    old: &'static [&'static str],
    new: &'static [&'static str],
    options: &'static [(&'static str, &'static str)],
}

const fn renamed(old: &'static [&'static str], new: &'static [&'static str]) -> Renamed {
    Renamed { old, new, options: &[] }
}

const RENAMED: [Renamed; 8] = [
    renamed(&["resilience"], &["faults", "sample"]),
    renamed(&["sweep"], &["faults", "sweep"]),
    renamed(&["book", "lookup"], &["faults", "lookup"]),
    renamed(&["topologies", "compare"], &["topology"]),
    renamed(&["study"], &["reproduce"]),
    renamed(&["diff"], &["verify", "--diff"]),
    renamed(&["import-schedule"], &["import"]),
    Renamed {
        old: &["trace"],
        new: &["show"],
        options: &[("-o", "--svg"), ("--output", "--svg"), ("--output=", "--svg=")],
    },
];

/// The line with the newer name, and what is said of it; none if its name is no older one.
pub fn renewed(line: &[OsString]) -> Option<(Vec<OsString>, String)> {
    // Colours may be chosen before the subcommand.
    let is_colour = |i: usize, word: &str| line.get(i).is_some_and(|given| given == word);
    let begin = if is_colour(1, "--color") { 3 } else { 1 };
    let is = |row: &&Renamed| {
        let words = line.get(begin..begin + row.old.len());
        words.is_some_and(|words| words.iter().zip(row.old).all(|(given, word)| given == word))
    };
    let row = RENAMED.iter().find(is)?;
    let mut out = line[..begin].to_vec();
    out.extend(row.new.iter().map(OsString::from));
    for word in &line[begin + row.old.len()..] {
        let option = word.to_str().and_then(|word| {
            row.options.iter().find_map(|(old, new)| match old.strip_suffix('=') {
                Some(_) => word.strip_prefix(old).map(|value| format!("{new}{value}")),
                None => (word == *old).then(|| (*new).to_string()),
            })
        });
        out.push(option.map_or_else(|| word.clone(), OsString::from));
    }
    let said = format!("{} is now written {}", row.old.join(" "), row.new.join(" "));
    Some((out, said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_names_are_rewritten() {
        let new = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let words = renewed(&words).map(|(words, _)| words);
            words.map(|words| {
                words.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
            })
        };
        for (old, wanted) in [
            ("x diff a b", Some("x verify --diff a b")),
            ("x --color never book lookup b", Some("x --color never faults lookup b")),
            ("x trace t.csv -o p.svg", Some("x show t.csv --svg p.svg")),
            ("x trace t.csv --output=p.svg", Some("x show t.csv --svg=p.svg")),
            ("x book", None),
            ("x solve diff", None),
        ] {
            assert_eq!(new(old).as_deref(), wanted, "{old}");
        }
    }
}
