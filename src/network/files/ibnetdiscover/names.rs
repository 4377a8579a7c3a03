//! Names of vertices: the description where it tells a node apart from all others, else the
//! description and the node's number.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The preferred name of a vertex, and the same with its distinguishing number.
pub struct Wish<'t> {
    pub name: Cow<'t, str>,
    pub long: String,
}

impl<'t> Wish<'t> {
    /// The wish of a node.
    pub fn of(name: &'t str, id: &str) -> Self {
        Wish { name: name.into(), long: format!("{name} {id}").trim().into() }
    }
}

/// A name for every wish, all different.
pub fn names(wishes: &[Wish]) -> Vec<String> {
    let mut times: HashMap<&str, u32> = HashMap::new();
    wishes.iter().for_each(|wish| *times.entry(&wish.name).or_default() += 1);
    // Names that one vertex alone prefers come first.
    let alone = |wish: &Wish| !wish.name.is_empty() && times[&*wish.name] == 1;
    let mut used: HashSet<String> =
        wishes.iter().filter(|wish| alone(wish)).map(|wish| wish.name.to_string()).collect();
    let mut name = |wish: &Wish| {
        if alone(wish) {
            return wish.name.to_string();
        }
        let long = &wish.long;
        let more = (2..).map(|number| format!("{long} #{number}"));
        let mut free =
            std::iter::once(long.clone()).chain(more).filter(|name| !used.contains(name));
        let name = free.next().unwrap_or_default();
        used.insert(name.clone());
        name
    };
    wishes.iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_several_want_get_the_number() {
        let wishes = [("a", "1"), ("b", "2"), ("b", "3"), ("", "4"), ("b 2", "5"), ("", "4")];
        let wishes = wishes.map(|(name, id)| Wish::of(name, id));
        assert_eq!(names(&wishes), ["a", "b 2 #2", "b 3", "4", "b 2", "4 #2"]);
    }
}
