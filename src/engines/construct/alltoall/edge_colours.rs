//! Edge colouring of bipartite graphs: as many colours as the largest degree suffice (König). Edges
//! are coloured one by one; where no colour is free at both ends, the two colours free at either
//! end are exchanged along the path of edges that have them in turn, which cannot come back.

/// No edge.
const NONE: usize = usize::MAX;

/// The colours of edges, each from a left to a right vertex, below the largest degree.
pub fn colours(edges: &[[usize; 2]]) -> Vec<usize> {
    let sizes = [0, 1].map(|side| edges.iter().map(|e| e[side] + 1).max().unwrap_or(0));
    let most = degree(edges);
    // By side, vertex and colour, the edge.
    let mut at = sizes.map(|size| vec![NONE; size * most]);
    let mut colours = vec![0; edges.len()];
    for (edge, ends) in edges.iter().enumerate() {
        let mut free = [0; 2];
        for side in [0, 1] {
            let row = &at[side][ends[side] * most..][..most];
            // Less than `most` edges of the vertex are coloured, so there is one.
            free[side] = row.iter().position(|&e| e == NONE).unwrap_or(0);
        }
        let [wanted, other] = free;
        // From the right end, edges of the colour wanted and of the other colour in turn.
        let mut path = Vec::new();
        let (mut side, mut vertex, mut colour) = (1, ends[1], wanted);
        while at[side][vertex * most + colour] != NONE {
            let next = at[side][vertex * most + colour];
            path.push(next);
            (side, colour) = (1 - side, if colour == wanted { other } else { wanted });
            vertex = edges[next][side];
        }
        for &e in &path {
            (0..2).for_each(|side| at[side][edges[e][side] * most + colours[e]] = NONE);
        }
        for &e in &path {
            colours[e] = if colours[e] == wanted { other } else { wanted };
            (0..2).for_each(|side| at[side][edges[e][side] * most + colours[e]] = e);
        }
        colours[edge] = wanted;
        (0..2).for_each(|side| at[side][ends[side] * most + wanted] = edge);
    }
    colours
}

/// The largest degree.
pub fn degree(edges: &[[usize; 2]]) -> usize {
    let largest = |side: usize| {
        let mut degrees = vec![0; edges.iter().map(|e| e[side] + 1).max().unwrap_or(0)];
        edges.iter().for_each(|e| degrees[e[side]] += 1);
        degrees.into_iter().max().unwrap_or(0)
    };
    largest(0).max(largest(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use std::collections::HashSet;

    #[test]
    fn no_two_edges_of_a_vertex_have_one_colour() {
        let mut rng = crate::rng::rng_of(1, 0, 0);
        for size in 1..30 {
            let mut vertex = || rng.random_range(0..size);
            let edges: Vec<[usize; 2]> = (0..size * 4).map(|_| [vertex(), vertex()]).collect();
            let colours = colours(&edges);
            let mut seen = HashSet::new();
            for (edge, colour) in edges.iter().zip(colours) {
                assert!(colour < degree(&edges));
                (0..2).for_each(|side| assert!(seen.insert((side, edge[side], colour))));
            }
        }
    }
}
