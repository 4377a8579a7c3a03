//! What readers did not use or had to guess is told, once a kind, with its line.

use super::{mistakes, notices, sizes, text};
use ccsched::network::files::{Loaded, Reading, read_as, read_noticing};

/// Checks that a text is read with these notices.
fn told(file: &str, expected: &[&str]) {
    assert_eq!(notices(file, &Reading::default()), expected, "{file}");
}

/// A ring, every link in both directions but for lost ones.
fn ring(n: usize, lost: &[usize]) -> String {
    let forth = (0..n).map(|i| format!("v{i} v{}\n", (i + 1) % n));
    let back = (0..n).filter(|i| !lost.contains(i));
    forth.chain(back.map(|i| format!("v{} v{i}\n", (i + 1) % n))).collect()
}

#[test]
fn edges_from_a_vertex_to_itself_are_told_once() {
    told(
        "a b\nb b\nc b\nc c\na a\n",
        &["net:2: an edge from a vertex to itself is left out (and 2 more)"],
    );
}

#[test]
fn a_link_that_has_lost_its_way_back_is_two_way_and_told() {
    let how = Reading::default();
    let net = text(&ring(6, &[5]), &how).unwrap();
    assert_eq!(sizes(&net), (6, 6, 12));
    assert!((0..6).all(|v| net.outgoing(v).len() == 2 && net.incoming(v).len() == 2));
    told(&ring(6, &[]), &[]);
    told(
        &ring(6, &[5]),
        &[
            "net:6: v5-v0 is listed in one direction only, the other 5 in both: all are read as two-way \
           links, as if lines were lost; `one_way` reads them as listed",
        ],
    );
    let csv = format!("from,to\n{}", ring(6, &[5]).replace(' ', ","));
    assert_eq!(sizes(&text(&csv, &how).unwrap()), (6, 6, 12));
    let one_way = Reading { one_way: true, ..Reading::default() };
    assert_eq!(sizes(&text(&ring(6, &[5]), &one_way).unwrap()).2, 11);
    assert_eq!(notices(&ring(6, &[5]), &one_way), [""; 0]);
}

#[test]
fn a_file_of_which_some_links_stand_once_and_others_twice_is_refused() {
    let mixed = "a b\nb c\nc a\nb a\n";
    let csv = "from;to;type\na;b;Directed\nb;c;Directed\nb;a;Directed\n";
    let graphml = "<graphml><graph edgedefault='directed'><node id='a'/><node id='b'/><node id='c'/>\n\
                   <edge source='a' target='b'/><edge source='b' target='a'/>\n\
                   <edge source='c' target='b'/></graph></graphml>";
    mistakes(&[
        (2, "b-c, c-a are listed in one direction only, the other 1 in both", mixed),
        (3, "b-c is listed in one direction only", csv),
        (3, "`one_way`) or a two-way link of its own (`two_way`)", graphml),
        (1, "v0-v1, v1-v2, v2-v3 and 1 more are", &ring(6, &[0, 1, 2, 3])),
    ]);
    let two_way = Reading { two_way: true, ..Reading::default() };
    assert_eq!(sizes(&text(mixed, &two_way).unwrap()), (3, 3, 8));
    // In DOT the author means it.
    let digraph = "digraph { a -> b; b -> a; b -> c }";
    assert_eq!(sizes(&text(digraph, &Reading::default()).unwrap()).2, 3);
    let most = ring(6, &[5]).trim().replace(' ', " -> ");
    told(
        &format!("digraph {{ {most} }}"),
        &[
            "net:6: v5-v0 is listed in one direction only, the other 5 in both: all edges are one-way \
           channels, as the file says",
        ],
    );
}

#[test]
fn directed_edges_that_are_read_as_two_way_are_told() {
    let node = "<node id='a'/><node id='b'/>";
    let edge = "<edge source='a' target='b'/>";
    let back = "<edge source='b' target='a'/>";
    let file = |inside: &str| {
        format!("<graphml><graph edgedefault='directed'>{node}\n{inside}</graph></graphml>")
    };
    let line = "net:2: edgedefault=\"directed\", but links are listed once: they are read as two-way; \
                `one_way` reads channels";
    told(&file(edge), &[line]);
    told(&file(&format!("{edge}{back}")), &[]);
    told(&file("<edge source='a' target='b' directed='false'/>"), &[]);
    told(
        "Source,Target,Type\na,b,Directed\nb,c,Directed\n",
        &[
            "net:2: Type=Directed, but links are listed once: they are read as two-way; `one_way` reads \
           channels",
        ],
    );
    told("Source,Target,Type\na,b,Undirected\n", &[]);
}

#[test]
fn directions_of_different_capacity_take_the_smaller_one() {
    let file = "a,b,4\nb,c,2\nb,a,3\nc,b,2\n";
    told(
        &file.replace("a,b,4", "from,to,capacity\na,b,4"),
        &["net:2: a-b has capacity 4, b-a has 3: the smaller one is taken"],
    );
    let net = text(file, &Reading::default()).unwrap();
    assert_eq!((super::width(&net, "a", "b"), super::width(&net, "c", "b")), (3, 2));
}

#[test]
fn what_nothing_is_made_of_is_told() {
    told(
        "from,to,latency,Weight,cable\na,b,3,2,x\n",
        &[
            "net:2: the delay '3' has no unit and is left out: write 5us, or name it latency_us",
            "net:2: 'weight' is taken as the capacity of a link, messages a step; if it is a length or a cost, \
             `equal_links` ignores it",
            "net:1: attributes of links that are left out: cable",
        ],
    );
    told("a,b,1,2\n", &["net:1: attributes of links that are left out: the 4th field of a line"]);
    told(
        "graph { a [shape=box, city=Bern]; a -- b [weight=3, label=\"10G\", color=red] }",
        &[
            "net:1: 'weight' is taken as the capacity of a link, messages a step; if it is a length or a cost, \
             `equal_links` ignores it",
            "net:1: attributes of edges that are left out: label",
            "net:1: attributes of nodes that are left out: city",
        ],
    );
    told(
        "graph [ node [ id 1 ] node [ id 2 Country \"CH\" ]\nedge [ source 1 target 2 value 3 ] ]",
        &[
            "net:2: attributes of edges that are left out: value",
            "net:1: attributes of nodes that are left out: Country",
        ],
    );
    told(
        "<graphml><key id='s' for='edge' attr.name='LinkSpeed'/>\n<graph edgedefault='undirected'>\
         <node id='a'/><node id='b'/>\n<edge source='a' target='b'><data key='s'>10</data></edge></graph></graphml>",
        &["net:3: attributes of edges that are left out: linkspeed"],
    );
    told(
        "router 0 node 0 router 1 3\nrouter 1 node 1 router 0 3\n",
        &[
            "net:1: latencies are left out: they count cycles, whose time the file does not say (and 1 more)",
        ],
    );
    told(
        "3 2 011\n7 2 3\n7 1 3 3 4\n7 2 4\n",
        &[
            "net:1: sizes and weights of vertices are left out",
            "net:1: weights of edges are taken as capacities, messages a step; `equal_links` ignores them",
        ],
    );
}

#[test]
fn numbers_beside_words_and_parts_apart_are_told() {
    told(
        "n1 8\nn2 8\nn3 8\n",
        &[
            "net:1: '8' is a vertex with 3 links beside such as 'n1'; if it is a number of slots, this is a \
           file of hosts for mpirun, and it has no links",
        ],
    );
    told("0 1\n1 2\n", &[]);
    told(
        "a b\nb c\nd e\n",
        &[
            "net:1: nothing joins the 2 parts of this network; outside the largest, of 3 vertices, are 2 \
           terminals and 0 switches: d, e",
        ],
    );
}

#[test]
fn bytes_that_are_no_utf_8_are_latin_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    std::fs::write(&path, b"from,to\nM\xfcn,mid\nM\xf6n,mid\n").unwrap();
    let Loaded { network: net, notices, format } =
        read_noticing(&path, &Reading::default()).unwrap();
    assert_eq!(format, Some("CSV"));
    assert_eq!(net.names(&[0, 1, 2]), "Mün, mid, Mön");
    assert_eq!((notices.len(), notices[0].line), (1, 2));
    assert!(notices[0].text.contains("Latin-1"), "{}", notices[0]);
    assert_eq!(read_as(&path, &Reading::default()).unwrap(), net);
}

#[test]
fn groups_of_an_editor_are_no_vertices() {
    let file = "<graphml xmlns:y='y'><key for='node' id='d' yfiles.type='nodegraphics'/>\n\
        <graph edgedefault='undirected'><node id='g' yfiles.foldertype='group'><data key='d'>\
        <y:NodeLabel>row A<y:LabelModel/></y:NodeLabel></data>\n<graph edgedefault='undirected'>\
        <node id='g::1'><data key='d'><y:ShapeNode><y:NodeLabel>box1<y:LabelModel><y:Smart/></y:LabelModel>\
        </y:NodeLabel><y:NodeLabel>second</y:NodeLabel></y:ShapeNode></data></node><node id='g::2'/>\
        </graph></node>\n<edge source='g::1' target='g::2'/></graph></graphml>";
    let net = text(file, &Reading::default()).unwrap();
    assert_eq!(net.names(&[0, 1]), "box1, g::2");
    told(file, &["net:2: 'row A' is a group of nodes and no vertex"]);
    let bad = file.replace("target='g::2'", "target='g'");
    mistakes(&[(4, "an edge to 'g', a group", &bad)]);
}

#[test]
fn rows_of_what_are_no_names_are_no_lists_of_links() {
    mistakes(&[
        (1, "ibnetdiscover without options", "Ca\t: 0x0002c903000a1 ports 2 \"n1\"\n"),
        (1, "file of hosts for mpirun", "n1 slots=8\nn2 slots=8\n"),
        (1, "key = value", "a b = c\n"),
        (2, "no name of a vertex", "a b\nb c=d\n"),
        (2, "no name of a vertex", "a,b\nb,x=y\n"),
        (1, "a list of names", "n1\nn2\n"),
    ]);
}

/// A fabric of a switch and two hosts, with these speeds at the ends of the first cable, and the second
/// one's.
fn fabric(speeds: [&str; 3]) -> String {
    let [a, b, c] = speeds;
    format!(
        "Switch\t8 \"S-01\"\t# \"mid\" base port 0 lid 2 lmc 0\n[1]\t\"H-0a\"[1](a1) \t# \"n1 mlx5_0\" lid 1 {a}\n\
         [2]\t\"H-0b\"[1](b1) \t# \"n2 mlx5_0\" lid 3 {c}\n\nCa\t1 \"H-0a\"\t# \"n1 mlx5_0\"\n\
         [1](a1) \t\"S-01\"[1]\t# lid 1 lmc 0 \"mid\" lid 2 {b}\n\nCa\t1 \"H-0b\"\t# \"n2 mlx5_0\"\n\
         [1](b1) \t\"S-01\"[2]\t# lid 3 lmc 0 \"mid\" lid 2 {c}\n"
    )
}

#[test]
fn speeds_that_differ_or_are_not_known_are_told() {
    let divided = "net:1: speeds are divided by their greatest common divisor: links have capacities up \
                   to 4, messages a step; `equal_links` has 1 for all";
    let cable = "net:2: the cable from port 1 of 'mid' to port 1 of 'n1 mlx5_0' has";
    told(&fabric(["4xQDR", "4xQDR", "4xQDR"]), &[]);
    told(&fabric(["4xQDR", "4xQDR", "1xQDR"]), &[divided]);
    let differ = format!("{cable} not the same speed at both ends: the slower one counts");
    told(&fabric(["4xQDR", "1xQDR", "4xQDR"]), &[&differ, divided]);
    let unknown = format!("{cable} no known speed: it counts as the slowest one of the fabric");
    told(&fabric(["???", "???", "4xQDR"]), &[&unknown]);
    let equal = Reading { equal_links: true, ..Reading::default() };
    assert_eq!(notices(&fabric(["4xQDR", "1xQDR", "???"]), &equal), [""; 0]);
}

#[test]
fn ports_of_hosts_that_are_described_alike_have_their_number_once() {
    let host = |id: &str, first: u32| {
        format!(
            "\nCa\t2 \"{id}\"\t# \"same name\"\n[1](1) \t\"S-01\"[{first}]\t# lid 1 lmc 0 \"mid\" lid 9 4xQDR\n\
             [2](2) \t\"S-01\"[{}]\t# lid 2 lmc 0 \"mid\" lid 9 4xQDR\n",
            first + 1
        )
    };
    let file = format!(
        "Switch\t8 \"S-01\"\t# \"mid\" base port 0 lid 9 lmc 0\n[1]\t\"H-0a\"[1](1) # \"same name\" lid 1 4xQDR\n\
         [2]\t\"H-0a\"[2](2) # \"same name\" lid 2 4xQDR\n[3]\t\"H-0b\"[1](1) # \"same name\" lid 1 4xQDR\n\
         [4]\t\"H-0b\"[2](2) # \"same name\" lid 2 4xQDR\n{}{}",
        host("H-0a", 1),
        host("H-0b", 3)
    );
    let net = text(&file, &Reading::default()).unwrap();
    for name in ["same name H-0a", "same name H-0a port 1", "same name H-0b port 2"] {
        assert!(net.find(name).is_some(), "{name}: {}", net.names(&[0, 1, 2, 3, 4, 5, 6]));
    }
}

#[test]
fn a_node_below_two_leaves_is_told() {
    told(
        "SwitchName=s1 Nodes=n[1-3]\nSwitchName=s2 Nodes=n[2-4]\nSwitchName=top Switches=s[1-2]\n",
        &[
            "net:2: 'n2' is below 's1' and below 's2', and has a link to each; usually two ranges overlap \
           (and 1 more)",
        ],
    );
}
