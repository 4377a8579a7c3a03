//! Vertices by name, for readers that look up many of them.

use super::{Network, VertexId};
use std::collections::HashMap;

/// Vertices by name.
#[derive(Debug)]
pub struct Lookup<'n>(HashMap<&'n str, VertexId>);

impl<'n> Lookup<'n> {
    /// The vertices of these names, in their order.
    pub fn of(names: impl Iterator<Item = &'n str>) -> Self {
        Lookup(names.zip(0..).collect())
    }

    /// The vertex of this name.
    pub fn find(&self, name: &str) -> Option<VertexId> {
        self.0.get(name).copied()
    }
}

impl Network {
    /// All vertices by name and alias; names come first.
    pub fn lookup(&self) -> Lookup<'_> {
        let names = self.vertices().iter().map(|v| &*v.name).zip(0..);
        Lookup(self.aliases().chain(names).collect())
    }
}
