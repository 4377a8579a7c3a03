//! What readers did not use or had to guess is told, once a kind, with its line.

use super::notices;
use ccsched::network::files::Reading;

#[test]
fn edges_from_a_vertex_to_itself_are_told_once() {
    let told = notices("a b\nb b\nc b\nc c\na a\n", &Reading::default());
    assert_eq!(told, ["net:2: an edge from a vertex to itself is left out (and 2 more)"]);
}
