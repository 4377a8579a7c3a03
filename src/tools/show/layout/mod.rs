//! Where vertices stand: coordinates of the network's file first, then the layout of the family
//! whose name the network has, then one that the structure suggests. The name of a network is any
//! text, so a family's layout declines where the names of the vertices are not those of the family.
//!
//! Layouts have units of their own; [`place`] scales them to one distance between neighbours.

mod circle;
mod given;
mod graph;
mod grid;
mod hubs;
mod levels;
mod stages;
mod stress;
mod tree;

use super::drawing::{Drawing, Vertex};
use super::point::{Point, at};
use std::collections::HashMap;

/// The usual distance between neighbouring vertices of a picture.
pub(super) const SPACING: f64 = 64.0;
/// The distances to all other vertices are compared for at most this number of vertices.
const SAMPLES: usize = 400;

/// Where the vertices stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub at: Vec<Point>,
    /// Where the channels into a vertex end, if not at its own place: terminals of a one-way
    /// multistage network send on the left and receive on the right. Empty if no vertex has one.
    pub receives_at: Vec<Option<Point>>,
}

impl Layout {
    fn plain(at: Vec<Point>) -> Self {
        Layout { at, receives_at: Vec::new() }
    }
}

/// The layout of a family, or none if the vertices are not those of the family.
type ByName = fn(&Drawing, &str) -> Option<Layout>;

/// Layouts by the name of a family; the text after the colon is theirs to read.
const FAMILIES: &[(&str, ByName)] = &[
    ("ring", circle::numbered),
    ("chordal-ring", circle::numbered),
    ("octagon", circle::numbered),
    ("moebius-ladder", circle::numbered),
    ("heawood", circle::numbered),
    ("levi", circle::numbered),
    ("complete", circle::numbered),
    ("hoffman-singleton", circle::numbered),
    ("petersen", circle::petersen),
    ("kautz", circle::words),
    ("debruijn", circle::words),
    ("complete-bipartite", stages::bipartite),
    ("mesh", grid::mesh),
    ("torus", grid::torus),
    ("tpu", grid::torus),
    ("dgx1", circle::numbered),
    ("mi250", circle::numbered),
    ("z52", circle::numbered),
    ("hypercube", grid::hypercube),
    ("omega", stages::one_way),
    ("butterfly", stages::one_way),
    ("clos", stages::one_way),
    ("fat-tree", stages::folded),
    ("dragonfly", hubs::dragonfly),
];

/// Layouts by structure, the most special first. The last one takes every network.
const BY_STRUCTURE: &[fn(&Drawing) -> Option<Layout>] =
    &[tree::tree, levels::levels, hubs::hubs, circle::dense, stress::stress];

/// Places all vertices.
pub(super) fn place(drawing: &Drawing) -> Layout {
    if let Some(intact) = &drawing.intact {
        return left_in_place(drawing, &intact.vertices, &place(intact));
    }
    let found = given::given(drawing).or_else(|| by_name(drawing));
    let found = found.or_else(|| BY_STRUCTURE.iter().find_map(|layout| layout(drawing)));
    let mut layout = found.unwrap_or_default();
    layout.at.resize(drawing.vertices.len(), Point::default());
    scale(&mut layout);
    layout
}

/// The vertices of a damaged network where they stand in the intact one, all of which it has.
fn left_in_place(drawing: &Drawing, intact: &[Vertex], whole: &Layout) -> Layout {
    let ids: HashMap<&str, usize> = intact.iter().map(|v| v.name.as_str()).zip(0..).collect();
    let places = || drawing.vertices.iter().filter_map(|v| ids.get(v.name.as_str()));
    Layout {
        at: places().map(|&v| whole.at[v]).collect(),
        receives_at: places().filter_map(|&v| whole.receives_at.get(v).copied()).collect(),
    }
}

fn by_name(drawing: &Drawing) -> Option<Layout> {
    let name = drawing.name.as_str();
    let (family, params) = name.split_once(':').unwrap_or((name, ""));
    let family = family.split(',').next().unwrap_or(family);
    let (_, layout) = FAMILIES.iter().find(|(name, _)| *name == family)?;
    layout(drawing, params)
}

/// Scales a layout so that vertices are [`SPACING`] from their nearest ones, and moves it to the
/// positive coordinates. A few vertices that are closer stay so.
fn scale(layout: &mut Layout) {
    let all: Vec<Point> =
        layout.at.iter().chain(layout.receives_at.iter().flatten()).copied().collect();
    let every = all.len().div_ceil(SAMPLES).max(1);
    let nearest = |(i, &p): (usize, &Point)| {
        let others = all.iter().enumerate().filter(|&(j, _)| j != i);
        others.map(|(_, &q)| p.distance(q)).min_by(f64::total_cmp)
    };
    let mut near: Vec<f64> = all.iter().enumerate().step_by(every).filter_map(nearest).collect();
    near.sort_by(f64::total_cmp);
    let quantile = |part: usize| near.get(near.len() * part / 100).copied().unwrap_or(1.0);
    let unit = quantile(5).max(0.4 * quantile(50));
    let factor = if unit > 1e-9 { SPACING / unit } else { SPACING };
    let low = |pick: fn(&Point) -> f64| all.iter().map(pick).min_by(f64::total_cmp).unwrap_or(0.0);
    let origin = at(low(|p| p.x), low(|p| p.y));
    let moved = |p: &mut Point| *p = (*p - origin) * factor;
    layout.at.iter_mut().for_each(moved);
    layout.receives_at.iter_mut().flatten().for_each(moved);
}

/// The whole numbers in the parameters of a family, without its options.
fn numbers(params: &str) -> Vec<usize> {
    params.split([',', 'x']).map_while(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::{families, spec};

    fn placed(text: &str) -> (Drawing, Layout) {
        let drawing = Drawing::of_network(&spec::parse(text).unwrap());
        let layout = place(&drawing);
        (drawing, layout)
    }

    /// The least distance between two vertices.
    fn nearest(layout: &Layout) -> f64 {
        let pairs = (0..layout.at.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| layout.at[i].distance(layout.at[j])).fold(f64::MAX, f64::min)
    }

    #[test]
    fn vertices_of_every_family_stand_apart() {
        let more =
            ["torus:3x3x3", "mesh:2x3x2x2", "hypercube:4", "hypercube:7", "mesh:1x5", "ring:2"];
        for spec in families::FAMILIES.iter().map(|f| f.example).chain(more) {
            let (drawing, layout) = placed(spec);
            assert_eq!(layout.at.len(), drawing.vertices.len(), "{spec}");
            assert!(layout.at.iter().all(|p| p.x >= 0.0 && p.y >= 0.0 && p.x < 1e6), "{spec}");
            assert!(nearest(&layout) > 20.0, "{spec}: {}", nearest(&layout));
            assert_eq!(layout, place(&drawing), "{spec}: the same every time");
        }
    }

    #[test]
    fn families_have_the_shape_of_their_name() {
        let (_, mesh) = placed("mesh:3x4");
        assert!(mesh.at[1].x > mesh.at[0].x && mesh.at[1].y == mesh.at[0].y);
        assert!(mesh.at[4].y > mesh.at[0].y && mesh.at[4].x == mesh.at[0].x);
        let (_, omega) = placed("omega:8");
        let sent = omega.at[0];
        let received = omega.receives_at[0].unwrap();
        assert!(sent.y == received.y && received.x > omega.at[8].x && sent.x < omega.at[8].x);
        let (_, tree) = placed("full-binary-tree:7");
        assert!(tree.at[0].y < tree.at[1].y && tree.at[1].y < tree.at[3].y);
        assert!((tree.at[0].x - tree.at[1].middle(tree.at[2]).x).abs() < 1e-6);
        let (_, ring) = placed("ring:8");
        let radius = |i: usize| ring.at[i].distance(ring.at[0].middle(ring.at[4]));
        assert!((radius(1) - radius(6)).abs() < 1e-6);
    }

    #[test]
    fn a_name_alone_makes_no_family() {
        let mut drawing = Drawing::of_network(&spec::parse("petersen").unwrap());
        let names = [
            "torus:99999999x99999999",
            "hypercube:63",
            "hypercube:",
            "ring:18446744073709551616",
            "omega:8",
            "dragonfly:0,0,0",
            "complete-bipartite:1,1",
            "mesh",
            "clos:x",
            "",
            ":",
        ];
        for name in names {
            drawing.name = name.into();
            let layout = place(&drawing);
            assert!(layout.at.len() == 10 && nearest(&layout) > 20.0, "{name}");
        }
        drawing.vertices.clear();
        drawing.channels.clear();
        assert!(place(&drawing).at.is_empty());
    }

    #[test]
    fn coordinates_of_the_file_come_first() {
        let mut drawing = Drawing::of_network(&spec::parse("ring:4").unwrap());
        for (v, x) in drawing.vertices.iter_mut().zip([0.0, 10.0, 20.0]) {
            v.given = Some(at(x, 0.0));
        }
        let layout = place(&drawing);
        let [a, b, c] = [0, 1, 2].map(|v| layout.at[v]);
        assert!(b.x > a.x && (c.x - b.x - (b.x - a.x)).abs() < 1e-6 && a.y == c.y);
        // The fourth has none, and stands near its neighbours.
        assert!(layout.at[3].x > layout.at[0].x && layout.at[3].x < layout.at[2].x);
    }
}
