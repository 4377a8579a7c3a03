//! What a user says about how a file is understood.

use super::{example, sizes, text};
use ccsched::network::files::{Reading, Uplinks, read, read_as};
use ccsched::network::spec;
use std::path::PathBuf;

#[test]
fn terminals_are_chosen_by_name_or_alias() {
    let how =
        |pattern: &str| Reading { terminals: Some(pattern.parse().unwrap()), ..Reading::default() };
    let cluster = example("cluster.conf");
    assert_eq!(sizes(&read(&cluster).unwrap()).0, 8);
    let some = read_as(&cluster, &how("n0[1-2],log*")).unwrap();
    let names: Vec<&str> = some.terminals().map(|v| some.vertex_name(v)).collect();
    assert_eq!(names, ["n01", "n02", "login"]);
    let fabric = example("leaf-spine.ibnetdiscover");
    let some = read_as(&fabric, &how("H-000000000000a[1-2]00")).unwrap();
    let names: Vec<&str> = some.terminals().map(|v| some.vertex_name(v)).collect();
    assert_eq!(names, ["n1", "n2"]);
    let none = read_as(&cluster, &how("x*")).unwrap_err().to_string();
    assert!(none.contains("terminals: ") && none.contains("n01"), "{none}");
    let part = spec::load_as("torus:4x4", &how("0?")).unwrap();
    assert_eq!(part.terminals().count(), 4);
}

#[test]
fn one_way_equal_links_and_uplinks_change_the_links() {
    let one_way = Reading { one_way: true, ..Reading::default() };
    let equal = Reading { equal_links: true, ..Reading::default() };
    let up = |uplinks| Reading { uplinks: Some(uplinks), ..Reading::default() };
    let edges = "a b\nb c 3\nc a\n";
    assert_eq!(sizes(&text(edges, &Reading::default()).unwrap()).2, 6);
    assert_eq!(sizes(&text(edges, &one_way).unwrap()).2, 3);
    let sum = |how: &Reading| {
        text(edges, how).unwrap().channels().iter().map(|c| c.capacity).sum::<u32>()
    };
    assert_eq!((sum(&Reading::default()), sum(&equal)), (10, 6));
    let widest = |how: &Reading| {
        let net = read_as(&example("cluster.conf"), how).unwrap();
        net.channels().iter().map(|c| c.capacity).max()
    };
    let widths = [Uplinks::Cables(3), Uplinks::Full].map(|uplinks| widest(&up(uplinks)));
    assert_eq!((widest(&Reading::default()), widths), (Some(1), [Some(3), Some(4)]));
    assert!(
        "0".parse::<Uplinks>().is_err()
            && "full".parse::<Uplinks>().is_ok_and(|up| up == Uplinks::Full)
    );
}

#[test]
fn settings_without_use_are_refused() {
    let one_way = Reading { one_way: true, ..Reading::default() };
    let said = read_as(&example("rack.dot"), &one_way).unwrap_err().to_string();
    assert!(
        said.starts_with("one_way: ")
            && said.contains("GraphML, GML, GEXF, Matrix Market, CSV, edge list"),
        "{said}"
    );
    let said = spec::load_as("ring:4", &one_way).unwrap_err().to_string();
    assert!(said.contains("'ring:4' is none"), "{said}");
    let routes = Reading { routes: Some(PathBuf::from("x")), ..Reading::default() };
    let said = read_as(&example("wheel.edges"), &routes).unwrap_err().to_string();
    assert!(said.contains("routes") && said.contains("ibnetdiscover"), "{said}");
}
