//! Slurm's topology.conf and topology.yaml.

use super::{example, mistakes, notices, sizes, text, width};
use ccsched::network::files::{Reading, read};
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, hosts};

#[test]
fn trees_blocks_rings_and_tori_are_read() {
    let net = read(&example("cluster.conf")).unwrap();
    assert_eq!(sizes(&net), (8, 11, 20));
    assert_eq!((width(&net, "n01", "leaf1"), width(&net, "leaf2", "spine")), (1, 1));
    let net = read(&example("blocks.conf")).unwrap();
    assert_eq!((sizes(&net), width(&net, "rack1", "blocks")), ((8, 11, 20), 1));
    let ring = text("RingName=r Nodes=n[01-05]\n", &Reading::default()).unwrap();
    assert_eq!((sizes(&ring), width(&ring, "n05", "n01")), ((5, 5, 10), 1));
    let pair = text("RingName=r Nodes=a,b\n", &Reading::default()).unwrap();
    assert_eq!(sizes(&pair).2, 2);
    // x runs fastest: t01 is at 0,0,0, t02 at 1,0,0, t05 at 0,1,0.
    let torus = read(&example("cluster.yaml")).unwrap();
    let same = spec::parse("torus:4x2x2").unwrap();
    assert_eq!(sizes(&torus), sizes(&same));
    for (a, b) in [("t01", "t02"), ("t04", "t01"), ("t01", "t05"), ("t01", "t09")] {
        assert_eq!(width(&torus, a, b), 1, "{a} {b}");
    }
    assert_eq!(width(&torus, "t01", "t03"), 0);
}

#[test]
fn a_leaf_below_several_spines_is_no_mistake() {
    let net = text(
        "SwitchName=l1 Nodes=a[1-4]\nSwitchName=l2 Nodes=b[1-4]\nSwitchName=s1 Switches=l[1-2]\n\
         SwitchName=s2 Switches=l[1-2]\n",
        &Reading { uplinks: Some("full".parse().unwrap()), ..Reading::default() },
    )
    .unwrap();
    assert_eq!((sizes(&net), width(&net, "l1", "s2")), ((8, 12, 2 * (8 + 4)), 2));
}

#[test]
fn ten_thousand_nodes_are_read() {
    let mut file = String::new();
    for leaf in 0..250 {
        file += &format!("SwitchName=l{leaf} Nodes=n[{}-{}]\n", leaf * 40, leaf * 40 + 39);
    }
    file += "SwitchName=top Switches=l[0-249]\n";
    let net = text(&file, &Reading::default()).unwrap();
    assert_eq!(sizes(&net), (10_000, 10_251, 2 * 10_250));
}

#[test]
fn mistakes_in_topology_conf_have_lines() {
    mistakes(&[
        (
            3,
            "no tree: each of a, b, a is below the one before",
            "SwitchName=n Nodes=x\nSwitchName=a Switches=b,n\nSwitchName=b Switches=a\n",
        ),
        (1, "each of a, a is", "SwitchName=a Switches=a\n"),
        (1, "Include more.conf: other files", "Include more.conf\nSwitchName=a Nodes=x\n"),
        (2, "Include more.conf: other files", "SwitchName=a Nodes=x\n include more.conf # y\n"),
        (1, "Level=high: a level", "SwitchName=a Level=high Nodes=x\n"),
        (1, "'level' is no key", "BlockName=a Level=1 Nodes=x\n"),
        (2, "'a' has already been defined", "SwitchName=a Nodes=x\nSwitchName=a Nodes=y\n"),
        (1, "both child switches and nodes", "SwitchName=a Nodes=x Switches=b\n"),
        (1, "neither child switches nor nodes", "SwitchName=a\n"),
        (1, "switch 'b' is below 'a', but has no line", "SwitchName=a Switches=b\n"),
        (2, "twice below 's'", "SwitchName=a Nodes=x\nSwitchName=s Switches=a,a\n"),
        (2, "a node here and a switch", "SwitchName=a Nodes=x\nSwitchName=b Nodes=a\n"),
        (1, "more than 1000000 hosts", "SwitchName=a Nodes=n[0-9][0-9][0-9][0-9][0-9][0-9][0-9]\n"),
        (1, "63 letters", &format!("SwitchName={} Nodes=x\n", "s".repeat(64))),
        (2, "'x' has already been defined", "BlockName=a Nodes=x\nBlockName=b Nodes=x\n"),
    ]);
}

#[test]
fn mistakes_in_topology_yaml_have_lines() {
    mistakes(&[
        (3, "a flat topology", "- topology: a\n  cluster_default: true\n  flat: true\n"),
        (1, "exactly one of tree, block", "- topology: a\n"),
        (
            7,
            "6 nodes for 2 x 2 x 2 places",
            "- topology: a\n  torus3d:\n    toruses:\n    - name: t\n      dims: {x: 2, y: 2, z: 2}\n\
             \n      nodes: n[1-6]\n",
        ),
        (
            5,
            "a whole number from 1",
            "- topology: a\n  torus3d:\n    toruses:\n    - name: t\n      dims: {x: 0, y: 2, z: 2}\n      \
             nodes: n[1-6]\n",
        ),
        (
            4,
            "unknown key 'colour'",
            "- topology: a\n  tree:\n    switches:\n    - {switch: s, colour: red}\n",
        ),
        (3, "alias", "- topology: a\n  tree: &x\n    switches: *x\n"),
    ]);
}

#[test]
fn what_scontrol_shows_is_read_as_the_file_itself() {
    let net = |file: &str| text(file, &Reading::default()).unwrap();
    // An upper line repeats all nodes below.
    let shown = net("SwitchName=top Level=2 LinkSpeed=1 Nodes=n[1-6] Switches=mid,c\n\
                     SwitchName=mid Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=a,b\n\
                     SwitchName=a Level=0 LinkSpeed=1 Nodes=n[1-2] Switches=(null)\n\
                     SwitchName=b Level=0 LinkSpeed=1 Nodes=n[3-4]\n\
                     SwitchName=c Level=0 LinkSpeed=1 Nodes=n[5-6]\n");
    assert_eq!(sizes(&shown), (6, 11, 2 * (6 + 4)));
    for (node, switch, cables) in [("n1", "a", 1), ("n1", "mid", 0), ("n1", "top", 0)] {
        assert_eq!(width(&shown, node, switch), cables, "{node} {switch}");
    }
    // A leaf whose nodes are all gone.
    let empty = net("SwitchName=top Level=1 LinkSpeed=1 Nodes=n1 Switches=a,b\n\
                     SwitchName=a Level=0 LinkSpeed=1 Nodes=n1\n\
                     SwitchName=b Level=0 LinkSpeed=1 Nodes=(null)\n");
    assert_eq!(sizes(&empty), (1, 4, 6));
    let blocks = net("BlockName=p BlockIndex=0 Nodes=n[1-2] BlockSize=2\n\
                      BlockName=q BlockIndex=1 Nodes=n[3-4] BlockSize=2\n\
                      AggregatedBlock=p,q BlockIndex=2 Nodes=n[1-4] BlockSize=4\n");
    assert_eq!((sizes(&blocks), width(&blocks, "n3", "q")), ((4, 7, 12), 1));
}

#[test]
fn clusters_of_one_file_are_scheduled_one_by_one() {
    let file = "SwitchName=a Nodes=x[1-4]\nSwitchName=b Nodes=y[1-2]\nSwitchName=c Nodes=z\n";
    let net = text(file, &Reading::default()).unwrap();
    let request = |hosts: &str| {
        let hosts = Some(hosts::terminals(&net, hosts).unwrap());
        let named = |hosts: &Option<Vec<u32>>| {
            hosts.as_ref().map(|all| all.iter().map(|&v| net.vertex_name(v).to_string()).collect())
        };
        let (senders, receivers) = (named(&hosts), named(&hosts));
        Request { senders, receivers, ..Request::new(Collective::Aas) }
    };
    let some = request("x[1-4]").pose(net.clone(), vec![]).unwrap();
    assert_eq!(some.demands().len(), 12);
    let said = notices(file, &Reading::default());
    let part = "net:2: nothing joins the switches a, b, c; nodes below different ones";
    assert!(said.iter().any(|said| said.contains(part)), "{said:?}");
    let all = request("x[1-4],y1").pose(net.clone(), vec![]).unwrap_err().to_string();
    assert!(all.contains("nothing joins") && all.contains("'y1' cannot be reached"), "{all}");
}

#[test]
fn blocks_without_nodes_are_left_out() {
    let blocks = "- topology: racks\n  cluster_default: yes\n  block:\n    blocks:\n      - {block: a, nodes: 'n[1-2]'}\n";
    for empty in ["nodes: \"\"", "nodes: ''", "nodes: null", "nodes: ~", "nodes:"] {
        let file = format!(
            "{blocks}      - block: spare\n        {empty}\n      - {{block: b, nodes: n9}}\n"
        );
        let net = text(&file, &Reading::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((sizes(&net), width(&net, "b", "blocks")), ((3, 6, 10), 1), "{empty}");
        let said = notices(&file, &Reading::default());
        assert_eq!(said, ["net:6: the block 'spare' has no nodes and is left out"], "{empty}");
    }
    let missing = format!("{blocks}      - block: spare\n");
    assert_eq!(sizes(&text(&missing, &Reading::default()).unwrap()), (2, 3, 4));
    // In quotes it is a name.
    let named = format!("{blocks}      - {{block: 'null', nodes: 5}}\n");
    let net = text(&named, &Reading::default()).unwrap();
    assert_eq!(width(&net, "5", "null"), 1);
    let conf = "BlockName=a Nodes=n[1-2]\nBlockName=spare Nodes=\"\"\nBlockName=rest\n";
    assert_eq!(sizes(&text(conf, &Reading::default()).unwrap()), (2, 3, 4));
    mistakes(&[
        (1, "no block has nodes", "BlockName=a\nBlockName=b Nodes=\n"),
        (1, "the ring has no nodes", "RingName=r\n"),
        (
            4,
            "no block has nodes",
            "- topology: t\n  block:\n    blocks:\n    - {block: a, nodes: ~}\n",
        ),
    ]);
}
