//! The attributes of Graphviz that are for pictures. Labels of edges and weights are none of these:
//! people write speeds into them.

/// Beginnings of names that only pictures have.
const BEGINNINGS: [&str; 16] = [
    "arrow", "color", "edge", "fill", "font", "head", "image", "label", "layer", "node", "pen",
    "same", "shape", "show", "tail", "x",
];

/// Names that are for pictures, beside those.
const NAMES: [&str; 35] = [
    "URL",
    "area",
    "class",
    "comment",
    "constraint",
    "decorate",
    "dir",
    "distortion",
    "fixedsize",
    "gradientangle",
    "group",
    "height",
    "href",
    "id",
    "lhead",
    "lp",
    "ltail",
    "margin",
    "minlen",
    "nojustify",
    "ordering",
    "orientation",
    "peripheries",
    "pin",
    "pos",
    "radius",
    "rank",
    "regular",
    "root",
    "sides",
    "skew",
    "style",
    "target",
    "tooltip",
    "width",
];

/// Whether an attribute is for pictures only.
pub fn is(name: &str) -> bool {
    (name != "label" && BEGINNINGS.iter().any(|start| name.starts_with(start)))
        || NAMES.contains(&name)
}
