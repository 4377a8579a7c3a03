//! InfiniBand fabrics and their forwarding tables.

use super::{example, example_text, mistakes, notices, sizes, text, width};
use ccsched::Error;
use ccsched::network::files::{Reading, read, read_as};
use ccsched::network::{Network, faults};

/// The example with its tables.
fn routed() -> Network {
    let how = Reading { routes: Some(example("leaf-spine.lfts")), ..Reading::default() };
    read_as(&example("leaf-spine.ibnetdiscover"), &how).unwrap()
}

#[test]
fn hosts_are_grouped_and_named_and_capacities_follow_speeds() {
    let net = read(&example("leaf-spine.ibnetdiscover")).unwrap();
    let names: Vec<&str> = net.terminals().map(|v| net.vertex_name(v)).collect();
    assert_eq!(names, ["n1", "n2", "n3", "n4", "n5"]);
    // n5 has two adapters; the aggregation node is no host, and its cable is gone.
    assert_eq!(sizes(&net), (5, 11, 2 * (4 + 2 + 2 + 4)));
    assert_eq!((width(&net, "n5", "n5 mlx5_0"), width(&net, "n5 mlx5_0", "leaf 1")), (1, 1));
    assert_eq!(width(&net, "leaf 1", "spine S-0000000000002100"), 2);
    assert_eq!(width(&net, "leaf 1", "spine S-0000000000002200"), 2);
    for (alias, name) in [
        ("H-000000000000a100", "n1"),
        ("0x000000000000a100", "n1"),
        ("0x000000000000a101", "n1"),
        ("n1 HCA-1", "n1"),
        ("H-000000000000a600", "n5"),
        ("0x000000000000a601", "n5 mlx5_1"),
        ("S-0000000000001100", "leaf 1"),
    ] {
        assert_eq!(net.find(alias), net.find(name), "{alias}");
        assert!(net.find(name).is_some(), "{name}");
    }
    // Two switches are called so.
    assert_eq!(net.find("spine"), None);
    let rest = faults::apply(&net, &[], &[net.find("n1").unwrap()]).unwrap();
    assert_eq!(
        (rest.find("0x000000000000a100"), rest.find("0x000000000000a200")),
        (None, rest.find("n2"))
    );
}

#[test]
fn hosts_without_names_stay_apart() {
    let alike = example_text("leaf-spine.ibnetdiscover").replace("\"n1 HCA-1\"", "\"n2 HCA-1\"");
    let net = text(&alike, &Reading::default()).unwrap();
    for name in ["n2 HCA-1 H-000000000000a100", "n2 HCA-1 H-000000000000a200", "n3"] {
        assert!(net.find(name).is_some_and(|v| net.is_terminal(v)), "{name}");
    }
}

#[test]
fn notes_of_the_printer_do_not_matter() {
    let plain = example_text("leaf-spine.ibnetdiscover");
    let grouped = plain
        .replace("vendid=0x1", "# Spine Nodesvendid=0x1")
        .replacen("\nSwitch", "\nChassis 1 (guid 0x1)\nHostname: x\nSwitch", 1)
        .replace("[5]\t", "[5][ext 12]\t")
        .replace("(a101) ", "(0x000000000000a101) ")
        .replace("enhanced port 0", "base port 0");
    let [plain, grouped] = [plain, grouped].map(|file| text(&file, &Reading::default()).unwrap());
    assert_eq!(plain, grouped);
}

#[test]
fn mistakes_in_a_fabric_have_lines() {
    let a = "Switch 8 \"S-01\" # \"a\"\n";
    let b = "Switch 8 \"S-02\" # \"b\"\n";
    let h = "Ca 1 \"H-01\" # \"h\"\n[1](2) \"S-01\"[1] # lid 1 lmc 0 \"a\" lid 2 4xEDR\n";
    let hp = "[1] \"H-01\"[1](2) # \"h\" lid 1 4xEDR\n";
    let with = |parts: &[&str]| parts.concat();
    assert_eq!(sizes(&text(&with(&[a, hp, h]), &Reading::default()).unwrap()), (1, 2, 2));
    mistakes(&[
        (2, "has no record: the file is not complete", &with(&[a, hp])),
        (2, "that port is not listed at 'S-02'", &with(&[a, "[1] \"S-02\"[3]\n", b])),
        (
            3,
            "line 5 says that it leads to port 1 of 'S-01'",
            &with(&[a, "[1] \"S-02\"[2]\n", "[2] \"S-02\"[2]\n", b, "[2] \"S-01\"[1]\n"]),
        ),
        (2, "leads to port 1 of 'S-01'", &with(&[a, "[1] \"S-01\"[1]\n", h])),
        (4, "a second record of 'S-01'; the first is in line 1", &with(&[a, b, "\n", a])),
        (3, "port 1 of 'S-01' is listed twice", &with(&[a, hp, hp])),
        (2, "has ports 1 to 8", &with(&[a, "[9] \"S-02\"[1]\n", b])),
        (2, "begins like: [3]", &with(&[a, "[1] S-02\n"])),
        (2, "neither a switch", &with(&[a, "what is this\n"])),
        (1, "a port before the first switch", &with(&[hp, a])),
        (2, "no hosts", a),
        (1, "at most 255", "Switch 256 \"S-01\"\n"),
    ]);
}

/// The names along a route.
fn stops(net: &Network, from: &str, to: &str) -> Vec<String> {
    let [from, to] = [from, to].map(|name| net.find(name).unwrap());
    let route = net.routes().get(from, to).unwrap_or_else(|| panic!("no route"));
    route.iter().map(|&c| net.vertex_name(net.channel(c).to).to_string()).collect()
}

#[test]
fn tables_become_the_routes_of_all_pairs() {
    let net = routed();
    assert_eq!(net.routes().iter().count(), 5 * 4);
    // Cables stay apart: a route takes one of them.
    assert_eq!(net.channels().len(), 2 * (4 + 2 + 2 + 6));
    assert_eq!(stops(&net, "n1", "n2"), ["leaf 1", "n2"]);
    assert_eq!(stops(&net, "n1", "n4"), ["leaf 1", "spine S-0000000000002200", "leaf 2", "n4"]);
    // Hosts 0 and 4 take their port 0, hosts 3 and 4 would take port 1 if both had one.
    assert_eq!(stops(&net, "n1", "n5"), ["leaf 1", "n5 mlx5_0", "n5"]);
    let [n1, n3] = ["n1", "n3"].map(|name| net.find(name).unwrap());
    let route = net.routes().get(n1, n3).unwrap();
    let trunk = net.channel(route[1]);
    let parallel: Vec<u32> = net
        .outgoing(trunk.from)
        .iter()
        .copied()
        .filter(|&c| net.channel(c).to == trunk.to)
        .collect();
    // The table says port 6, the second of two cables.
    assert_eq!(parallel.iter().position(|&c| c == route[1]), Some(1));
}

#[test]
fn fewer_terminals_have_fewer_routes() {
    let how = Reading {
        routes: Some(example("leaf-spine.lfts")),
        terminals: Some("n[1-3]".parse().unwrap()),
        ..Reading::default()
    };
    let net = read_as(&example("leaf-spine.ibnetdiscover"), &how).unwrap();
    assert_eq!((net.terminals().count(), net.routes().iter().count()), (3, 6));
}

#[test]
fn tables_that_lose_messages_are_refused_by_name() {
    let good = example_text("leaf-spine.lfts");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables");
    let leaf1 = "0x000e 007 : (Channel Adapter portguid 0x000000000000a401: 'n4 HCA-1')\n";
    let at = good.find(leaf1).unwrap();
    let changed = |row: &str| [&good[..at], row, &good[at + leaf1.len()..]].concat();
    let without_spine2 = &good[..good.rfind("Unicast").unwrap()];
    let second = good.rfind("Unicast").unwrap();
    let looping = [&good[..second], &good[second..].replace("0x000e 002", "0x000e 001")].concat();
    for (bad, parts) in [
        (changed(""), &["from 'n1' to 'n4' (lid 14)", "'leaf 1'", "has no entry"][..]),
        (changed("0x000e 255\n"), &["drops it"]),
        (changed("0x000e UNREACHABLE\n"), &["drops it"]),
        (changed("0x000e 000\n"), &["delivers it to itself"]),
        (changed("0x000e 004\n"), &["port 4, which has no cable"]),
        (changed("0x000e 001\n"), &["from 'n1' to 'n4'", "ends at adapter 'n1 HCA-1'"]),
        (without_spine2.to_string(), &["switch 'spine' (S-0000000000002200) has no table"]),
        (looping, &["a loop", "'leaf 1'", "S-0000000000002200"]),
        ("a b\n".to_string(), &["'a b' begins no file", "dump_lfts"]),
    ] {
        std::fs::write(&path, &bad).unwrap();
        let how = Reading { routes: Some(path.clone()), ..Reading::default() };
        let said = read_as(&example("leaf-spine.ibnetdiscover"), &how).err();
        let said = said.unwrap_or_else(|| panic!("read: {parts:?}"));
        let Error::File { path: named, .. } = &said else { panic!("{said}") };
        assert_eq!(named, &path);
        let said = said.to_string();
        assert!(parts.iter().all(|part| said.contains(part)), "{said}: {parts:?}");
    }
}

#[test]
fn messages_of_the_program_among_the_lines_are_left_out() {
    let fabric = example_text("leaf-spine.ibnetdiscover");
    let noise = "ibwarn: [7] _do_madrpc: recv failed: Connection timed out\n";
    let more = "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1) bad status 110\n\nSwitch\t";
    let noisy = format!("{noise}{}", fabric.replacen("\nSwitch\t", &format!("\n{more}"), 1));
    let how = Reading::default();
    let net = text(&noisy, &how).unwrap();
    assert_eq!(net.vertices(), text(&fabric, &how).unwrap().vertices());
    let notices = notices(&noisy, &how);
    let is_meant = |said: &String| said.contains("recv failed") && said.ends_with("(and 1 more)");
    assert!(notices.iter().any(is_meant), "{notices:?}");
}
