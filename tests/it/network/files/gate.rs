//! What a list is before it is taken for links: counts, names of columns, neighbours, tags, kinds of files
//! that are not read; and what its third words are.

use super::{mistakes, notices, sizes, text, width};
use ccsched::network::Network;
use ccsched::network::files::{Reading, of};

fn net(file: &str) -> Network {
    text(file, &Reading::default()).unwrap_or_else(|e| panic!("{e}\n{file}"))
}

/// Checks that a notice about a text has this part.
fn told(file: &str, part: &str) {
    let said = notices(file, &Reading::default());
    assert!(said.iter().any(|said| said.contains(part)), "{said:?} does not say '{part}'\n{file}");
}

#[test]
fn a_first_line_of_counts_is_no_link() {
    // Eight vertices from 0 on, or from 1 on, or words.
    let wheel = "0 1\n0 2\n0 3\n0 4\n1 2\n2 3\n3 4\n4 1\n";
    assert_eq!(sizes(&net(&format!("5 8\n{wheel}"))), (5, 5, 16));
    told(&format!("5 8\n{wheel}"), "net:1: the first line, '5 8', is taken as the numbers");
    assert_eq!(sizes(&net("4 4\na b 2\nb c 1\nc d 2\nd a 1\n")), (4, 4, 8));
    assert_eq!(sizes(&net("5\n0 1\n1 2\n2 3\n3 4\n")), (5, 5, 8));
    assert_eq!(sizes(&net("5 5 7\n2 1\n3 2\n4 3\n5 4\n5 1\n3 1\n4 1\n")), (5, 5, 14));
    // A tree from 1 on: '6 5' could be its link, but breaks the order.
    assert_eq!(sizes(&net("6 5\n1 2\n1 3\n2 4\n2 5\n3 6\n")), (6, 6, 10));
    // Counted with a vertex that has no link, and links in both directions.
    told("7 4\na b\nb c\nc d\nd a\n", "3 vertices have no link");
    assert_eq!(sizes(&net("3 2\n0 1\n1 0\n1 2\n2 1\n")), (3, 3, 4));
    for (list, links) in [
        // Real links whose numbers are as large.
        ("0 1\n1 2\n", 2),
        ("4 5\n1 2\n2 3\n3 4\n", 4),
        ("2 1\n1 3\n", 2),
        ("10 11\n0 1\n1 2\n2 3\n3 10\n", 5),
    ] {
        assert_eq!(sizes(&net(list)).2, 2 * links, "{list}");
    }
    mistakes(&[
        (1, "may be a link, or the numbers", "6 5\n5 4\n4 3\n3 2\n2 1\n1 6\n"),
        (1, "but 5 vertices and 4 links follow", "5 8\n0 1\n1 2\n2 3\n3 4\n"),
        (1, "but 3 vertices and 2 links follow", "3 7\na b\nb c\n"),
        (1, "a number alone", "9\na b\nb c\n"),
    ]);
}

#[test]
fn a_first_line_of_names_is_no_link() {
    for file in [
        "machine,switch\nm1,sw\nm2,sw\nm3,sw\n",
        "server switch\nm1 switch\nm2 switch\nm3 switch\n",
        "server,switch\nm1,switch\nm2,switch\nm3,switch\n",
        "from to\nm1 sw\nm2 sw\nm3 sw\n",
        "start,target\nm1,sw\nm2,sw\nm3,sw\n",
        "Aende Bende\nm1 sw9\nm2 sw9\nm3 sw9\n",
    ] {
        assert_eq!(sizes(&net(file)), (4, 4, 6), "{file}");
    }
    told("server switch\nm1 switch\nm2 switch\n", "is taken as names of columns");
    // Vertices that are called so.
    for (file, links) in [
        ("host switch\nswitch router\nrouter host\n", 3),
        ("node1 node2\nnode2 node3\n", 2),
        ("node1,node2\nnode2,node3\n", 2),
        ("u,v\nv,w\nw,u\n", 3),
        ("n1 s1\nn2 s1\n", 2),
        ("hub a\nhub b\n", 2),
        ("a b\nc d\nd e\n", 3),
        ("host switch\n", 1),
        ("host1,leaf,10G\nhost2,leaf,10G\n", 2),
        ("host1,host2,1,fibre\nhost2,host3,1,fibre\n", 2),
        ("left right\nright middle\n", 2),
    ] {
        assert_eq!(sizes(&net(file)).2, 2 * links, "{file}");
    }
    // Names over third words say what these are.
    let wide = net("from to capacity\na b 2\nb c 1\n");
    assert_eq!((sizes(&wide).2, width(&wide, "a", "b")), (4, 2));
    assert_eq!(width(&net("from to latency\na b 2\nb c 1\n"), "a", "b"), 1);
    assert_eq!(width(&net("from to speed\na b 200\nb c 100\n"), "a", "b"), 2);
    mistakes(&[(1, "no vertices", "from,to\n"), (1, "no vertices", "from to\n")]);
}

#[test]
fn third_words_are_told_or_refused() {
    told("a b 20\nb c 30\n", "the third word of a line is taken as the capacity of a link");
    told("a,b,20\nb,c,30\n", "the third word of a line is taken as the capacity of a link");
    told("a,b,20\nb,c,30\n", "have the common divisor 10");
    assert_eq!(notices("a b 1\nb c 1\n", &Reading::default()), [""; 0]);
    assert_eq!(notices("from,to,capacity\na,b,2\nb,c,1\n", &Reading::default()), [""; 0]);
    mistakes(&[
        (1, "all third words are vertices", "a b c\nb c d\nc d a\nd a b\n"),
        (1, "may be a list of neighbours", "1 2 5\n2 3 1\n3 4 2\n4 5 3\n5 1 4\n"),
        (1, "every line begins with 'e'", "e 1 2\ne 2 3\ne 3 1\n"),
        (1, "every line begins with 'edge'", "edge a b\nedge b c\n"),
        (1, "every line begins with 'link'", "link a\nlink b\n"),
        (1, "looks like settings", "nodes 8\nspeed 200\n"),
    ]);
    // Weights that are numbers of vertices, too.
    let ring = net("1 2 1\n2 3 1\n3 4 1\n4 1 1\n");
    assert_eq!((sizes(&ring).2, width(&ring, "1", "2")), (8, 1));
}

#[test]
fn speeds_have_units_in_every_format() {
    for file in [
        "a m 400G\nb m 100G\n",
        "from,to,capacity\na,m,400G\nb,m,100G\n",
        "from,to,Speed (Gbps)\na,m,400\nb,m,100\n",
        "from;to;bw\na;m;400000\nb;m;100000\n",
        "a m {'bandwidth': '400G'}\nb m {'bandwidth': '100G'}\n",
        "graph { a -- m [speed=\"400 Gbit/s\"]; b -- m [speed=\"100Gbps\"] }",
        "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"b\" ] node [ id 3 label \"m\" ]\n\
         edge [ source 1 target 3 bandwidth 400 ] edge [ source 2 target 3 bandwidth 100 ] ]",
        "<graphml><key id='s' for='edge' attr.name='speed'/><graph edgedefault='undirected'><node id='a'/>\
         <node id='b'/><node id='m'/><edge source='a' target='m'><data key='s'>400GbE</data></edge>\
         <edge source='b' target='m'><data key='s'>100GbE</data></edge></graph></graphml>",
        "<gexf><graph><attributes class='edge'><attribute id='0' title='speed' type='string'/></attributes>\
         <nodes><node id='a'/><node id='b'/><node id='m'/></nodes><edges><edge source='a' target='m'>\
         <attvalues><attvalue for='0' value='400G'/></attvalues></edge><edge source='b' target='m'>\
         <attvalues><attvalue for='0' value='100G'/></attvalues></edge></edges></graph></gexf>",
        "{\"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"m\"}], \"links\": [\n\
         {\"source\": \"a\", \"target\": \"m\", \"bw\": \"400G\"}, {\"source\": \"b\", \"target\": \"m\", \"bw\": \"100G\"}]}",
    ] {
        let net = net(file);
        assert_eq!((width(&net, "a", "m"), width(&net, "m", "b")), (4, 1), "{file}");
        told(file, "speeds are divided by their greatest common divisor");
    }
    assert_eq!(net("a m 400G\nb m 100G\n").rate().unwrap().to_string(), "100Gbps, 12.5 GB/s");
    told("a,m,400G\nb,m,\n", "a link without a speed counts as the slowest");
    mistakes(&[
        (2, "others a number without", "a m 400G\nb m 100\n"),
        (2, "no speed", "from,to,speed\na,m,fast\n"),
        (3, "others a capacity", "graph { a -- m [speed=4];\n\n b -- m [capacity=2] }"),
    ]);
}

#[test]
fn weights_count_alike_in_all_formats() {
    for file in [
        "a b 3\nb c 1\n",
        "from,to,weight\na,b,3\nb,c,1\n",
        "a b {'weight': 3}\nb c {'weight': 1}\n",
        "graph { a -- b [weight=3]; b -- c }",
        "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"b\" ] node [ id 3 label \"c\" ]\n\
         edge [ source 1 target 2 weight 3.0 ] edge [ source 2 target 3 ] ]",
        "<graphml><key id='w' for='edge' attr.name='weight'/><graph edgedefault='undirected'><node id='a'/>\
         <node id='b'/><node id='c'/><edge source='a' target='b'><data key='w'>3</data></edge>\
         <edge source='b' target='c'/></graph></graphml>",
        "<gexf><graph><nodes><node id='a'/><node id='b'/><node id='c'/></nodes><edges>\
         <edge source='a' target='b' weight='3'/><edge source='b' target='c'/></edges></graph></gexf>",
        "{\"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"c\"}], \"edges\": [\n\
         {\"source\": \"a\", \"target\": \"b\", \"weight\": 3}, {\"source\": \"b\", \"target\": \"c\"}]}",
    ] {
        assert_eq!(width(&net(file), "a", "b"), 3, "{file}");
        told(file, "is taken as the capacity of a link, messages a step");
        let equal = Reading { equal_links: true, ..Reading::default() };
        assert_eq!(width(&text(file, &equal).unwrap(), "a", "b"), 1, "{file}");
    }
    let matrix = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 3\n3 2 1\n";
    assert_eq!(width(&net(matrix), "1", "2"), 3);
    told(matrix, "is taken as the capacity of a link, messages a step");
}

#[test]
fn lists_of_cables_have_ports() {
    let cables = net("Device A,Port A,Device B,Port B\nleaf,1,n1,1\nleaf,2,n2,1\nleaf,3,n2,2\n");
    assert_eq!((sizes(&cables), width(&cables, "leaf", "n2")), ((3, 3, 6), 2));
    // Both ends of some cables tell of them.
    let lldp = "hostname,interface,neighbor,neighbor_interface\nleaf,1,n1,eth0\nn1,eth0,leaf,1\nleaf,2,n2,eth0\n";
    assert_eq!(sizes(&net(lldp)), (3, 3, 4));
    let netbox = "Label,Device A,Termination A,Device B,Termination B,Status,Type,Length,Speed\n\
                  x,leaf,e1,n1,e1,connected,cat6,5,25000000\ny,leaf,e2,n2,e1,connected,cat6,7,50000000\n";
    let net = net(netbox);
    assert_eq!(
        (sizes(&net), width(&net, "leaf", "n2"), width(&net, "leaf", "n1")),
        ((3, 3, 4), 2, 1)
    );
    told(netbox, "left out: Label, Status");
}

#[test]
fn spellings_of_editors_and_spreadsheets_are_read() {
    assert_eq!(sizes(&net("; x\n// y\n% z\na b\nb c // d\n")), (3, 3, 4));
    assert_eq!(sizes(&net("sep=;\na;b\nb;c\n")), (3, 3, 4));
    let gml = "graph [ node [ id 1 label \"M&uuml;nster &amp; S&oslash;n\" ] node [ id 2 ] edge [ source 1 target 2 ] ]";
    assert!(net(gml).find("Münster & Søn").is_some());
    // Names that look equal: lists refuse them, other formats say so.
    mistakes(&[
        (2, "'b\u{43e}x' looks like 'box'", "box a\na b\u{43e}x\n"),
        (1, "U+200B", "box,bo\u{200b}x\n"),
        (1, "has a comment in it", "a\tb # c\n"),
    ]);
    told("graph { box -- \"bo\u{200b}x\" }", "looks like 'box' and is another vertex");
}

#[test]
fn matrices_are_read() {
    let banner = "%%MatrixMarket matrix coordinate pattern";
    let ring = format!("{banner} symmetric\n% x\n4 4 4\n2 1\n3 2\n4 3\n4 1\n");
    assert_eq!((of(&ring).unwrap().name, sizes(&net(&ring))), ("Matrix Market", (4, 4, 8)));
    assert_eq!(sizes(&net(&format!("{banner} general\n3 3 4\n1 2\n2 1\n2 3\n3 2\n"))), (3, 3, 4));
    mistakes(&[
        (
            1,
            "pattern, integer or real, not 'complex'",
            "%%MatrixMarket matrix coordinate complex general\n",
        ),
        (2, "2 rows and 3 columns", &format!("{banner} general\n2 3 1\n1 2\n")),
        (3, "two numbers from 1 to 3", &format!("{banner} symmetric\n3 3 2\n1 4\n")),
        (5, "2 entries, but its size says 3", &format!("{banner} symmetric\n3 3 3\n1 2\n2 3\n")),
        (2, "rows columns entries", &format!("{banner} symmetric\n3 3\n")),
    ]);
}

#[test]
fn files_of_other_kinds_are_refused_by_their_names() {
    for (file, part) in [
        ("import tools\n", "a program in Python"),
        ("?SNDlib native format; type: network; version: 1.0\nNODES (\n a ( 1 1 )\n)\n", "SNDlib"),
        ("Nodes 16\nTiers 2\nPodsize 8\n\nTier 0\nRadix_Up 4\n", "htsim"),
        ("<system version='1'>\n<cpu><pci busid='0000:01:00.0'/></cpu></system>\n", "NCCL"),
        ("p edge 3 2\ne 1 2\ne 2 3\n", "DIMACS"),
        ("1 one\n2 two\n#\n1 2\n", "TGF"),
        ("0 1 1\n1 0 1\n1 1 0\n", "a matrix of a graph"),
        ("*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n", "Pajek"),
    ] {
        let why = text(file, &Reading::default()).unwrap_err().to_string();
        assert!(why.contains(part), "{why}\n{file}");
    }
}
