//! The spec nearest to one with a typo: `mesh:8x8` for `mesh8x8`, `kautz:3,2` for `kautz:32`. Every
//! suggestion is valid: its family accepts it.

use super::families::{self, Family, WIDTHS};

/// The nearest spec, by what tells whether a spec is valid; none if the text is similar to no family's
/// name.
pub fn nearest(text: &str, is_valid: impl Fn(&str) -> bool) -> Option<String> {
    let text = text.trim().to_lowercase();
    let is_option = |word: &str| word.contains('=') || word.chars().all(char::is_alphabetic);
    let (mut rest, mut options) = (text.as_str(), Vec::new());
    while let Some((before, word)) = rest.rsplit_once(',').filter(|(_, word)| is_option(word)) {
        rest = before;
        options.insert(0, word);
    }
    let (family, params) = split(rest)?;
    let spec = with_params(family, params).unwrap_or_else(|| family.example.to_string());
    let mut words = vec![spec.as_str()];
    words.extend(options.into_iter().filter_map(link_option));
    let all = words.join(",");
    // Not every option goes with every family.
    Some(if words.len() == 1 || is_valid(&all) { all } else { spec })
}

/// The nearest family, and the text that may contain its parameters.
fn split(text: &str) -> Option<(&'static Family, &str)> {
    // A name with digits, `swiss-t1`, is an exception to the rule that a name ends at a digit.
    let whole = families::FAMILIES.iter().filter(|f| text.starts_with(f.name));
    if let Some(family) = whole.max_by_key(|f| f.name.len()) {
        return Some((family, &text[family.name.len()..]));
    }
    let end = text.find(|c: char| c.is_ascii_digit() || c == ':' || c == ',' || c == '=');
    let (name, params) = text.split_at(end.unwrap_or(text.len()));
    let name = name.trim_end_matches(['-', '_', ' ', '(', '/']);
    families::nearest(name).map(|family| (family, params))
}

/// The spec with the numbers of the text, if it is valid.
fn with_params(family: &Family, text: &str) -> Option<String> {
    let name = family.name;
    if family.shape.is_empty() {
        return (family.plan)("").is_ok().then(|| name.to_string());
    }
    let numbers: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).collect();
    let separator = if family.shape.contains('x') { "x" } else { "," };
    // Two parameters written as one: `kautz:32`.
    let digits = numbers.concat();
    let digits: Vec<&str> = digits.split("").filter(|digit| !digit.is_empty()).collect();
    [numbers.join(separator), digits.join(separator)]
        .into_iter()
        .find(|params| !params.is_empty() && (family.plan)(params).is_ok())
        .map(|params| format!("{name}:{params}"))
}

/// The option of the links that is nearest to the text.
fn link_option(text: &str) -> Option<&str> {
    if let Some((name, _)) = text.split_once('=') {
        return WIDTHS.contains(&name).then_some(text);
    }
    let like = |option: &&str| strsim::jaro_winkler(text, option);
    let nearest = ["half", "simplex"].into_iter().max_by(|a, b| like(a).total_cmp(&like(b)));
    nearest.filter(|option| like(option) > 0.7)
}

#[cfg(test)]
mod tests {
    use crate::spec;

    fn nearest(text: &str) -> Option<String> {
        super::nearest(text, |spec| spec::parse(spec).is_ok())
    }

    #[test]
    fn typos_are_understood() {
        for (typo, meant) in [
            ("mesh8x8", "mesh:8x8"),
            ("torus:8,8", "torus:8x8"),
            ("torus-4*4*4", "torus:4x4x4"),
            ("hypercub:4", "hypercube:4"),
            ("HyperCube5", "hypercube:5"),
            ("kautz:32", "kautz:3,2"),
            ("kautz(3,2)", "kautz:3,2"),
            ("debruin:2,4", "debruijn:2,4"),
            ("fattree:16", "fat-tree:16"),
            ("fat_tree16", "fat-tree:16"),
            ("heawod", "heawood"),
            ("petersen:10", "petersen"),
            ("rign:8,hlaf", "ring:8,half"),
            ("dragonfly:4-2-2", "dragonfly:4,2,2"),
            ("mesh4x4,width=2", "mesh:4x4,width=2"),
            ("hypercub:4,hlaf,width=3", "hypercube:4,half,width=3"),
            ("omega:8,up=2", "omega:8"),
            // The numbers make no valid spec: the family's example.
            ("omega:15", "omega:16"),
            ("mesh", "mesh:4x4"),
        ] {
            assert_eq!(nearest(typo).as_deref(), Some(meant), "{typo}");
            assert!(spec::parse(meant).is_ok(), "{meant}");
        }
    }

    #[test]
    fn what_is_like_nothing_gets_no_suggestion() {
        for text in ["", "8x8", "quantum-foam:3", ",,,", "://"] {
            assert_eq!(nearest(text), None, "{text}");
        }
    }
}
