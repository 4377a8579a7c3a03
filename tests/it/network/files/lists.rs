//! Files of rows: edge lists, CSV, METIS, anynet.

use super::{example, mistakes, notices, sizes, text, width};
use ccsched::network::Network;
use ccsched::network::files::{Reading, read};

fn net(file: &str) -> Network {
    text(file, &Reading::default()).unwrap_or_else(|e| panic!("{e}\n{file}"))
}

#[test]
fn edge_lists_of_all_kinds_are_read() {
    assert_eq!(sizes(&read(&example("wheel.edges")).unwrap()), (6, 6, 20));
    let pods = read(&example("pods.hsg")).unwrap();
    assert_eq!((sizes(&pods), width(&pods, "4", "5")), ((4, 6, 12), 2));
    assert_eq!(width(&net("0,0 1,0\n1,0 1,1\n"), "1,0", "1,1"), 1);
    assert_eq!(width(&net("# x\nn1\tn2\t40\n"), "n2", "n1"), 40);
    // Every edge in both directions: one link.
    assert_eq!(sizes(&net("0 1\n1 2\n1 0\n2 1\n")).2, 4);
    // An edge to itself carries nothing.
    assert_eq!(sizes(&net("0 1\n1 1\n")).2, 2);
    mistakes(&[
        (3, "a line is two vertices", "0 1\n1 2\n3\n"),
        (2, "printable characters", "a b\na \u{1}\n"),
        (2, "a line is two vertices", "0 1\n1 2 3 4\n2 3"),
        (2, "no capacity", "0 1 1\n1 2 x\n"),
        (2, "no capacity", "0 1 1\n1 2 1001\n"),
        (3, "vertices 0 to 5", "4 2 4\n0 4\n1 6\n2 5\n3 5\n4 5\n"),
    ]);
}

#[test]
fn csv_has_columns_in_any_order() {
    let links = read(&example("links.csv")).unwrap();
    assert_eq!(sizes(&links), (6, 6, 12));
    assert_eq!(
        (width(&links, "a", "switch"), width(&links, "switch", "the other, new one")),
        (2, 2)
    );
    for file in [
        "a,b,3\n",
        "a;b;3\n",
        "a\tb\t3\nb\tc\t1\n",
        "Capacity,To,latency,From\n3,b,9,a\n",
        "source,target,width\na,b,3\n",
        "# x\n\n\"a\",\"b\",3\n",
    ] {
        assert_eq!(width(&net(file), "a", "b"), 3, "{file}");
    }
    mistakes(&[
        (2, "two vertices: from,to", "a,b\nc\n"),
        (3, "no capacity", "from,to,capacity\na,b,1\na,c,wide\n"),
        (4, "no whole number from 1", "from,to,count\n# x\na,b,1\na,c,0\n"),
        (1, "not both", "from,capacity,x\na,b,1\n"),
        (1, "a second column", "from,to,to\na,b,c\n"),
        (1, "no vertices", "from,to\n"),
    ]);
    let many: String = (0..1100).map(|i| format!("a,b{i},1,1000\n")).collect();
    let (line, why) = super::mistake(&format!("from,to,capacity,count\n{many}"));
    assert!(line == 502 && why.contains("500499 links by counts"), "{line}: {why}");
}

#[test]
fn metis_has_every_edge_twice() {
    let prism = read(&example("prism.graph")).unwrap();
    assert_eq!(sizes(&prism), (6, 6, 18));
    // A ring could be a list of edges, but has as many lines as its first line says.
    let ring = net("4 4\n2 4\n1 3\n2 4\n3 1\n");
    assert_eq!((sizes(&ring), width(&ring, "4", "1")), ((4, 4, 8), 1));
    let weighted = net("3 2 011 2\n7 7 2 5\n7 7 1 5 3 6\n7 7 2 6\n");
    assert_eq!((width(&weighted, "1", "2"), width(&weighted, "3", "2")), (5, 6));
    // A vertex without neighbours has an empty line.
    assert_eq!(sizes(&net("% x\n4 3\n2 3\n1 3\n1 2\n\n")), (4, 4, 6));
    mistakes(&[
        (2, "in the line of one of them only", "3 2\n2 3\n1\n\n"),
        (2, "in the lines of both, once", "3 2\n2 3 3\n1\n\n"),
        (2, "no vertex from 1 to 3", "3 2\n2 9\n1 3\n2\n"),
        (1, "5 edges, but the lines have 6", "4 5\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n"),
        (2, "its own neighbour", "3 2\n1 2\n1 3\n2\n"),
        (3, "with one weight", "3 2 1\n2 5\n1 6 3 1\n2 1\n"),
    ]);
}

#[test]
fn anynet_links_are_listed_once_or_twice() {
    let net = read(&example("three-routers.anynet")).unwrap();
    assert_eq!(sizes(&net), (6, 9, 2 * (6 + 3)));
    assert_eq!((width(&net, "router0", "router1"), width(&net, "node5", "router2")), (1, 1));
    mistakes(&[
        (2, "neither 'router' nor 'node'", "router 0 node 0\nrouter 1 host 1\n"),
        (2, "needs a number", "router 0 node 0\nrouter 1 node x\n"),
        (2, "linked to itself", "router 0 node 0\nrouter 1 router 1\n"),
        (2, "at router 1 and at router 0", "router 0 node 0\nrouter 1 node 0\n"),
        (3, "node 1 is missing", "router 0 node 0\nrouter 0 node 2\n"),
        (2, "linked to a router only", "router 0 node 0\nnode 1 node 2\n"),
        (1, "no nodes", "router 0 router 1\n"),
        (2, "node 1 has no router", "router 0 node 0\nnode 1\n"),
    ]);
}

#[test]
fn lists_of_networkx_have_dictionaries() {
    let file = "# a comment\na mid {}\nb mid {'weight': 3.0, 'colour': \"it's, red\"}\nc mid {}\n";
    let list = net(file);
    assert_eq!((sizes(&list), width(&list, "b", "mid")), ((4, 4, 6), 3));
    let said = notices(file, &Reading::default());
    assert!(said.iter().any(|said| said.starts_with("net:3: 'colour': of edges")), "{said:?}");
    assert_eq!(width(&net("a b {'x': 1, 'weight': 2}\n"), "a", "b"), 2);
    mistakes(&[
        (2, "attributes are like", "a b {}\na c {'x'}\n"),
        (2, "no capacity", "a b {}\na c {'weight': 0.5}\n"),
        (2, "a line is two vertices", "a b {}\na {}\n"),
    ]);
}

#[test]
fn networks_of_ns3_have_rates() {
    let pods = read(&example("pods.hpcc")).unwrap();
    assert_eq!((sizes(&pods), width(&pods, "4", "5"), width(&pods, "0", "4")), ((4, 6, 10), 2, 1));
    assert_eq!(pods.rate().unwrap().to_string(), "100Gbps, 12.5 GB/s");
    let equal = Reading { equal_links: true, ..Reading::default() };
    let narrow = text("3 1 2\n2\n0 2 400Gbps 1us 0\n1 2 10Gbps 1us 0\n", &equal).unwrap();
    assert_eq!(narrow.rate().unwrap().to_string(), "10Gbps, 1.25 GB/s");
    // SimAI: two servers of two GPUs, a switch in each, one switch between them.
    let links = "0 4 2400Gbps 0ms 0\n1 4 2400Gbps 0ms 0\n2 5 2400Gbps 0ms 0\n3 5 2400Gbps 0ms 0\n\
                 0 6 100Gbps 0ms 0\n1 6 100Gbps 0ms 0\n2 6 100Gbps 0ms 0\n3 6 100Gbps 0ms 0\n";
    let simai = format!("7 2 2 1 8 H100\n4 5 6\n{links}");
    let net = net(&simai);
    assert_eq!((sizes(&net), width(&net, "1", "4"), width(&net, "1", "6")), ((4, 7, 16), 24, 1));
    let said = notices(&simai, &Reading::default());
    assert!(said.iter().any(|said| said.contains("servers and GPUs, are left out")), "{said:?}");
    // No switches, and switches on two lines.
    assert_eq!(sizes(&self::net("2 0 1\n\n0 1 1Gbps 1ms 0\n")), (2, 2, 2));
    assert_eq!(sizes(&self::net("3 2 2\n1\n2\n0 1 1Gbps 1ms 0\n1 2 1Gbps 1ms 0\n")), (1, 3, 4));
    mistakes(&[
        (
            4,
            "3 links, but its first line says 4",
            "4 0 4\n0 1 1Gbps 1ms 0\n1 2 1Gbps 0 0\n2 3 1Gbps 0 0",
        ),
        (
            3,
            "'9': by the first line nodes are 0 to 2",
            "3 1 2\n2\n0 9 1Gbps 1ms 0\n1 2 1Gbps 1ms 0\n",
        ),
        (4, "'fast' is no rate", "3 1 2\n2\n0 2 1Gbps 1ms 0\n1 2 fast 1ms 0\n"),
        (
            4,
            "2 switches, but its first line says 3",
            "4 3 2\n2 3\n0 2 1Gbps 1ms 0\n1 3 1Gbps 1ms 0",
        ),
        (2, "switch 2 is named twice", "3 2 2\n2 2\n0 2 1Gbps 1ms 0\n1 2 1Gbps 1ms 0\n"),
        (1, "4000000 nodes, but only 1 link", "4000000 1 1\n2\n0 2 1Gbps 1ms 0\n"),
        (4, "a link is like", "3 1 2\n2\n0 2 1Gbps 1ms 0\n1 2\n"),
    ]);
}
