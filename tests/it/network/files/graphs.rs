//! Files of graphs with a grammar: GraphML, DOT, GML.

use super::{example, mistakes, notices, sizes, text, width};
use ccsched::network::Network;
use ccsched::network::files::{Reading, read};

/// The network of a text without settings.
fn net(file: &str) -> Network {
    text(file, &Reading::default()).unwrap_or_else(|e| panic!("{e}\n{file}"))
}

/// A GraphML file with these tags in its graph.
fn graphml(default: &str, inside: &str) -> String {
    format!(
        "<graphml><graph edgedefault=\"{default}\"><node id=\"a\"/><node id=\"b\"/>{inside}</graph></graphml>"
    )
}

#[test]
fn graphml_is_two_way_unless_all_edges_are_there_twice() {
    let towns = read(&example("towns.graphml")).unwrap();
    assert_eq!(sizes(&towns), (4, 4, 10));
    assert_eq!((width(&towns, "n2", "West"), width(&towns, "West", "n2")), (2, 2));
    assert_eq!(towns.find("East & Sons"), towns.find("n0"));
    assert_eq!(towns.coordinates(towns.find("n0").unwrap()), Some((3.5, 1.0)));
    let once = "<edge source=\"a\" target=\"b\"/>";
    let twice = "<edge source=\"a\" target=\"b\"/><edge source=\"b\" target=\"a\"/>";
    let one_way = Reading { one_way: true, ..Reading::default() };
    for (default, edges, channels, directed) in [
        ("directed", once, 2, 1),
        ("undirected", once, 2, 2),
        ("directed", twice, 2, 2),
        ("undirected", twice, 4, 4),
    ] {
        let file = graphml(default, edges);
        assert_eq!(sizes(&net(&file)).2, channels, "{file}");
        assert_eq!(sizes(&text(&file, &one_way).unwrap()).2, directed, "{file}");
    }
}

#[test]
fn graphml_of_an_editor_has_its_labels_and_places() {
    let file = "<?xml version='1.0'?><!DOCTYPE graphml SYSTEM 'x.dtd'><graphml xmlns:y='y'><!-- <node> -->\
        <key for='node' id='d0' yfiles.type='nodegraphics'/><graph edgedefault='directed'>\
        <node id='n0'><data key='d0'><y:ShapeNode><y:Geometry x='1.5' y='2'/><y:NodeLabel> Z&#252;rich \
        </y:NodeLabel></y:ShapeNode></data></node><node id='n1'><data key='d0'><y:NodeLabel>\
        <![CDATA[A & B]]></y:NodeLabel></data></node><edge source='n0' target='n1'><data key='d0'>\
        <y:EdgeLabel>n1</y:EdgeLabel></data></edge></graph></graphml>";
    let net = net(file);
    assert_eq!(net.names(&[0, 1]), "Zürich, A & B");
    assert_eq!(net.coordinates(0), Some((1.5, 2.0)));
}

#[test]
fn mistakes_in_graphml_have_lines() {
    let laughs = "<?xml version=\"1.0\"?>\n<!DOCTYPE graphml [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>\n\
                  <graphml><graph edgedefault=\"directed\"><node id=\"&b;\"/></graph></graphml>";
    mistakes(&[
        (2, "entities of its own", laughs),
        (1, "entity &b;", &graphml("directed", "<data key='x'>&b;</data>")),
        (
            2,
            "an edge to 'c', which is no node",
            &graphml("directed", "\n<edge source='a' target='c'/>"),
        ),
        (2, "a second node 'a'", &graphml("directed", "\n<node id='a'/>")),
        (2, "<node> needs a id", &graphml("directed", "\n<node/>")),
        (2, "hyperedge", &graphml("directed", "\n<hyperedge/>")),
        (
            2,
            "\"true\" or \"false\"",
            &graphml("directed", "\n<edge source='a' target='b' directed='1'/>"),
        ),
        (2, "", &graphml("directed", "\n<edge source='a' target='b'></node>")),
        (1, "is not closed", "<graphml><graph edgedefault='directed'><node id='a'/>"),
        (1, "no vertices", "<graphml/>"),
        (
            2,
            "no capacity",
            &graphml(
                "directed",
                "<key id='c' for='edge' attr.name='capacity'/>\n<edge source='a' target='b'><data \
                 key='c'>fast</data></edge>",
            ),
        ),
        (1, "tags inside each other", &format!("<graphml>{}", "<a>".repeat(300))),
    ]);
}

#[test]
fn dot_is_read_as_graphviz_reads_it() {
    let rack = read(&example("rack.dot")).unwrap();
    assert_eq!((rack.name(), sizes(&rack)), ("rack", (4, 6, 10)));
    assert_eq!((width(&rack, "left", "right"), width(&rack, "host a", "left")), (2, 1));
    assert_eq!(rack.coordinates(rack.find("a").unwrap()), Some((0.0, 2.0)));
    for (file, vertices, channels) in [
        ("graph { a -- b -- c; b -- {d e} }", 5, 8),
        ("digraph g { a -> b }", 2, 1),
        ("digraph g { a -> b -> a }", 2, 2),
        ("digraph g { a -> b [dir=both] }", 2, 2),
        ("graph { a -- b; b -- a }", 2, 4),
        ("strict graph { a -- b; b -- a }", 2, 2),
        ("graph { subgraph s { a b } -- subgraph { c } }", 3, 4),
        ("graph { a:n -- b:s:e /* x -- y */ // z\n# y\n -- \"c d\" }", 3, 4),
        ("graph { \"a\\\nb\" -- \"a\" + \"b\"; x = y }", 1, 0),
        ("graph { a -- b [label=\"10\", len=-1.5]; -3.5 }", 3, 2),
        ("GRAPH \"my net\" { edge [capacity=3] a -- ä }", 2, 2),
    ] {
        let net = net(file);
        assert_eq!((net.vertices().len(), net.channels().len()), (vertices, channels), "{file}");
    }
    assert_eq!(
        width(&net("graph { edge [capacity=3]; a -- b [capacity=2]; b -- c }"), "b", "c"),
        3
    );
}

#[test]
fn labels_that_are_drawings_are_no_names_in_dot() {
    for file in [
        "graph { a [label=<<b>box<br/>1 &gt; 2</b>>]; a -- b }",
        "graph { label=<<i>x</i>> a [label=<x <!-- > --> y>, terminal=true] a -- b }",
        "graph { a [shape=record, label=\"<p0> x|{<p1> y|z}\"]; a:p0:n -- b:s }",
        "graph { node [shape=Mrecord]; a [label=\"x|y\"]; a -- b }",
        "graph { a [label=\"x|y\"]; a [shape=record]; a:p -- b }",
    ] {
        let net = net(file);
        assert_eq!((net.names(&[0, 1]).as_str(), net.channels().len()), ("a, b", 2), "{file}");
    }
    let boxed = net("graph { node [shape=record]; a [shape=box, label=\"x|y\"]; a -- b }");
    assert_eq!(boxed.names(&[0, 1]), "x|y, b");
}

#[test]
fn mistakes_in_dot_have_lines() {
    mistakes(&[
        (2, "'->' in a graph", "graph {\n a -> b }"),
        (2, "'--' in a digraph", "digraph {\n a -- b }"),
        (2, "the file ends", "graph {\n a -- b"),
        (2, "expected is a node", "graph { a --\n ; }"),
        (2, "HTML label has no end", "graph {\n a [label=<<b>x</b>] }"),
        (1, "a text of HTML, which is a label", "graph { <b> -- c }"),
        (2, "no end", "graph { a --\n \"b }"),
        (2, "no end */", "graph { a\n /* }"),
        (2, "no capacity", "graph { a -- b\n [capacity=0] }"),
        (1, "no vertices", "graph { }"),
        (2, "one graph is read", "graph { a }\ngraph { b }"),
        (1, "subgraphs inside", &format!("graph {{ {}", "{".repeat(300))),
        (1, "every vertex is a switch", "graph { node [terminal=false]; a -- b }"),
        (1, "true or false", "graph { a [terminal=maybe] }"),
    ]);
    let list: String = (0..2000).map(|i| format!("n{i} ")).collect();
    let (_, why) =
        super::mistake(&format!("graph {{ {{{list}}} -- {{{}}} }}", list.replace('n', "m")));
    assert!(why.contains("by counts or joined lists, at most 500000"), "{why}");
}

#[test]
fn gml_is_read_with_names_and_places() {
    let square = read(&example("square.gml")).unwrap();
    assert_eq!(sizes(&square), (4, 4, 10));
    assert_eq!(width(&square, "south & more", "north"), 2);
    assert_eq!(square.coordinates(0), Some((0.0, 1.0)));
    let file = "Creator \"x\"\nVersion 1\ngraph [ directed 1 x [ node [ id 7 ] ] node [ id 1 ] node [ id 2 \
                label \"b\" ] edge [ source 1 target 2 z [ a [ b 1 ] ] ] ]";
    assert_eq!(sizes(&net(file)), (2, 2, 1));
}

#[test]
fn mistakes_in_gml_have_lines() {
    let nodes = "graph [\nnode [ id 1 ]\n";
    let with = |rest: &str| format!("{nodes}{rest}");
    mistakes(&[
        (3, "a second node '1'", &with("node [ id 1 ] ]")),
        (3, "no node of the file", &with("edge [ source 1 target 9 ] ]")),
        (3, "a source and a target", &with("edge [ source 1 ] ]")),
        (3, "a node needs an id", &with("node [ label \"x\" ] ]")),
        (1, "'graph [' has no end", nodes),
        (3, "a ']' without", &with("] ]")),
        (3, "a name and its value", &with("7 8 ]")),
        (3, "no end", &with("x \"y ]")),
        (3, "1 or 0", &with("node [ id 2 terminal 5 ] ]")),
    ]);
}

/// A file of yEd with two nodes in a group.
fn of_yed(edge: &str) -> String {
    format!(
        "Creator \"yFiles\"\nVersion \"2.17\"\ngraph\n[ hierarchic 1\n directed 1\n\
         node [ id 7 label \"rack\" graphics [ x 1.0 y 2.0 ] LabelGraphics [ text \"rack\" ] isGroup 1 ]\n\
         node [ id 0 graphics [ x 3.0 y 4.0 ] LabelGraphics [ text \"left\" ] gid 7 ]\n\
         node [ id 1 label \"right\" LabelGraphics [ text \"other\" ] gid 7 ]\n{edge} ]\n"
    )
}

#[test]
fn gml_of_yed_has_groups_labels_and_two_way_links() {
    let file = of_yed("edge [ source 0 target 1 graphics [ fill \"#000000\" ] ]");
    let yed = net(&file);
    assert_eq!((yed.names(&[0, 1]).as_str(), sizes(&yed)), ("left, right", (2, 2, 2)));
    assert_eq!(yed.coordinates(0), Some((3.0, 4.0)));
    let one_way = Reading { one_way: true, ..Reading::default() };
    assert_eq!(sizes(&text(&file, &one_way).unwrap()).2, 1);
    // Another program means the word.
    assert_eq!(sizes(&net(&file.replace("yFiles", "igraph"))).2, 1);
    mistakes(&[(9, "to '7', which is a group", &of_yed("edge [ source 0 target 7 ]"))]);
}

#[test]
fn gexf_is_two_way_unless_asked() {
    let kite = read(&example("kite.gexf")).unwrap();
    assert_eq!(
        (kite.names(&[0, 1, 2, 3]).as_str(), sizes(&kite)),
        ("tail, left, right, 3", (4, 4, 8))
    );
    assert_eq!((width(&kite, "right", "3"), kite.find("2")), (2, Some(2)));
    let file = |default: &str, edges: &str| {
        format!(
            "<gexf><graph defaultedgetype=\"{default}\"><edges>{edges}</edges>\n<nodes><node id=\"a\"/>\
             <node id=\"b\"><attvalues/></node></nodes></graph></gexf>"
        )
    };
    let one_way = Reading { one_way: true, ..Reading::default() };
    let once = "<edge source=\"a\" target=\"b\"/>";
    for (default, edges, channels, directed) in [
        ("directed", once, 2, 1),
        ("undirected", once, 2, 2),
        ("directed", "<edge source=\"a\" target=\"b\" type=\"mutual\"/>", 2, 2),
    ] {
        let file = file(default, edges);
        assert_eq!(sizes(&net(&file)).2, channels, "{file}");
        assert_eq!(sizes(&text(&file, &one_way).unwrap()).2, directed, "{file}");
    }
    mistakes(&[
        (2, "an edge to 'c'", &file("directed", "\n<edge source='a' target='c'/>")),
        (2, "no capacity", &file("directed", "\n<edge source='a' target='b' weight='1.5'/>")),
        (2, "<edge> needs a target", &file("directed", "\n<edge source='a'/>")),
        (2, "type=\"x\"", &file("directed", "\n<edge source='a' target='b' type='x'/>")),
        (2, "a second node 'a'", "<gexf><graph><node id='a'/>\n<node id='a'/></graph></gexf>"),
        (1, "is not closed", "<gexf><graph><node id='a'/>"),
        (1, "no vertices", "<gexf/>"),
    ]);
}

#[test]
fn node_link_json_is_read_as_networkx_writes_it() {
    let bridge = read(&example("bridge.json")).unwrap();
    assert_eq!((sizes(&bridge), width(&bridge, "c", "middle")), ((3, 4, 6), 2));
    let file = |directed: bool, nodes: &str, edges: &str| {
        format!("{{\"directed\": {directed}, \"nodes\": [{nodes}],\n\"links\": [{edges}]}}")
    };
    let nodes = "{\"id\": 0, \"label\": \"x\"}, {\"id\": [1, 2]}";
    let edge = "{\"source\": 0, \"target\": [1, 2], \"key\": 0, \"colour\": \"red\"}";
    let two_way = file(false, nodes, edge);
    assert_eq!((net(&two_way).names(&[0, 1]).as_str(), sizes(&net(&two_way)).2), ("x, 1,2", 2));
    assert_eq!(sizes(&net(&file(true, nodes, edge))).2, 1);
    let said = notices(&two_way, &Reading::default());
    assert!(
        said.iter()
            .any(|said| said.starts_with("net:2: attributes of edges that are left out: colour")),
        "{said:?}"
    );
    mistakes(&[
        (2, "an edge to '7', which", &file(false, nodes, "{\"source\": 0, \"target\": 7}")),
        (2, "the ids of its source", &file(false, nodes, "{\"source\": 0}")),
        (2, "no capacity", &file(false, nodes, "{\"source\":0,\"target\":0,\"weight\":0.5}")),
        (2, "are objects", &file(false, nodes, "7")),
        (1, "a node needs an id", &file(false, "{\"id\": null}", "")),
        (1, "a second node '0'", &file(false, "{\"id\": 0}, {\"id\": \"0\"}", "")),
        (1, "true or false", &file(false, "{\"id\": 0, \"terminal\": 1}", "")),
        (2, "no node-link JSON: ", "{\"nodes\": [],\n\"links\": [}"),
        (1, "no vertices", &file(false, "", "")),
    ]);
}
