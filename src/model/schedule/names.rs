//! Names by number: a name that stands in a million transfers is kept once.

use std::collections::HashMap;

/// Number of a name, in the order in which the names were first met.
pub type NameId = u32;

/// Names, each once.
#[derive(Clone, Default)]
pub(super) struct Names {
    list: Vec<Box<str>>,
    numbers: HashMap<Box<str>, NameId>,
}

impl Names {
    /// The number of a name; a name not met before gets the next one.
    pub fn number(&mut self, name: &str) -> NameId {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = NameId::try_from(self.list.len()).expect("fewer than 2^32 names");
        self.list.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// The number of a name that is likely to be the same as `guess`, which saves a search.
    pub fn number_near(&mut self, name: &str, guess: Option<NameId>) -> NameId {
        match guess.filter(|&guess| *self.list[guess as usize] == *name) {
            Some(same) => same,
            None => self.number(name),
        }
    }

    /// The names by number.
    pub fn list(&self) -> &[Box<str>] {
        &self.list
    }
}
