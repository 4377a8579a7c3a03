//! Total exchanges on networks whose translations map each vertex to any other: one message, or the hops of
//! one vertex, stand for those of all.

pub mod commuting;
pub mod translated_fit;

use ccsched_model::symmetry::automorphisms::Permutation;
use ccsched_network::VertexId;

// Vertices as elements of a commutative group: on a network with translations, v + d is where the translation that
// takes the first vertex to d takes v.

/// The sums of vertices.
struct Sums {
    /// By vertex d: where the translation to it takes every vertex.
    elements: Vec<Permutation>,
    /// By vertex: minus it.
    minus: Vec<VertexId>,
}

impl Sums {
    /// Those of a group of translations.
    fn of(mut translations: Vec<Permutation>) -> Self {
        translations.sort_unstable_by_key(|g| g[0]);
        let mut minus = vec![0; translations.len()];
        for (d, element) in (0..).zip(&translations) {
            let v = element.iter().position(|&image| image == 0);
            minus[d as usize] = v.map_or(d, |v| v as VertexId);
        }
        Sums { elements: translations, minus }
    }

    /// By vertex v, v + d.
    fn row(&self, d: VertexId) -> &[VertexId] {
        &self.elements[d as usize]
    }

    /// The sum of two vertices.
    fn sum(&self, v: VertexId, d: VertexId) -> VertexId {
        self.elements[d as usize][v as usize]
    }

    /// The vertex d for which v + d is `to`.
    fn difference(&self, to: VertexId, v: VertexId) -> VertexId {
        self.sum(to, self.minus[v as usize])
    }

    /// A subgroup of at most `most` vertices, 0 first. It grows by the vertex that makes it
    /// largest, the first of several.
    fn subgroup(&self, most: usize) -> Vec<VertexId> {
        let mut part = vec![0];
        loop {
            let mut is_in = vec![false; self.elements.len()];
            part.iter().for_each(|&v| is_in[v as usize] = true);
            // How many cosets of the subgroup the multiples of a vertex are in.
            let cosets = |d: VertexId| {
                let multiples = std::iter::successors(Some(d), |&v| Some(self.sum(v, d)));
                1 + multiples.take(most).position(|v| is_in[v as usize]).unwrap_or(most)
            };
            let vertices = (0..self.elements.len() as VertexId).filter(|&d| !is_in[d as usize]);
            let grown = vertices.map(|d| (cosets(d), d)).filter(|(n, _)| n * part.len() <= most);
            let Some((n, d)) = grown.max_by_key(|&(n, d)| (n, std::cmp::Reverse(d))) else {
                return part;
            };
            let before = part.clone();
            let mut multiple = 0;
            for _ in 1..n {
                multiple = self.sum(multiple, d);
                part.extend(before.iter().map(|&v| self.sum(v, multiple)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::symmetry::translations::translations;
    use ccsched_network::spec;

    fn sums(topology: &str) -> Sums {
        let network = spec::parse(topology).unwrap();
        Sums::of(translations(&network, &mut rng_of(1, 0, 0)).unwrap())
    }

    #[test]
    fn differences_undo_sums() {
        let sums = sums("torus:4x3");
        for (v, d) in (0..12).flat_map(|v| (0..12).map(move |d| (v, d))) {
            assert_eq!(sums.difference(sums.sum(v, d), v), d);
            assert_eq!(sums.sum(v, d), sums.sum(d, v));
            assert_eq!(sums.row(d)[v as usize], sums.sum(v, d));
        }
    }

    #[test]
    fn subgroups_are_closed_and_as_large_as_allowed() {
        for (topology, most, size) in
            [("ring:12", 5, 4), ("ring:12", 12, 12), ("torus:4x4", 10, 8), ("ring:7", 6, 1)]
        {
            let sums = sums(topology);
            let mut part = sums.subgroup(most);
            assert_eq!((part.len(), part[0]), (size, 0), "{topology} {most}");
            part.sort_unstable();
            for (&a, &b) in part.iter().flat_map(|a| part.iter().map(move |b| (a, b))) {
                assert!(part.binary_search(&sums.sum(a, b)).is_ok(), "{topology} {most}");
            }
        }
    }
}
