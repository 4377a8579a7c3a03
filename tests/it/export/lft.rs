//! Forwarding tables of an InfiniBand fabric: our reader reads the same routes back, every address is
//! reached from every switch, and routes that no tables hold are named. `make test-fabric` loads
//! tables into OpenSM.

use super::exported;
use ccsched::Error;
use ccsched::export::{self, Output, Settings, Subject};
use ccsched::network::Network;
use ccsched::network::files::{Reading, read_as};
use ccsched::network::processes::PerNode;
use ccsched::problem::{Collective, Request, Routing, Switching};
use ccsched::schedule::ScheduleFile;
use ccsched::{Options, solve};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file of `topologies/`.
fn example(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/topologies")).join(name)
}

fn fabric() -> PathBuf {
    example("leaf-spine.ibnetdiscover")
}

fn network(how: &Reading) -> Network {
    read_as(&fabric(), how).unwrap()
}

/// Cables are links of their own.
fn apart() -> Reading {
    Reading { separate_cables: true, ..Reading::default() }
}

fn schedule(network: Network, request: &Request) -> ScheduleFile {
    let problem = request.pose(network, vec![]).unwrap();
    solve(&problem, &Options::default()).unwrap().schedule().expect("a schedule was found")
}

/// The all-to-all by a routing.
fn alltoall(network: Network, routing: &str) -> ScheduleFile {
    let routing: Routing = routing.parse().unwrap();
    schedule(network, &Request { routing, ..Request::new(Collective::Aas) })
}

fn with_fabric(fabric: PathBuf) -> Settings {
    Settings { fabric: Some(fabric), ..Settings::default() }
}

fn tables(schedule: &ScheduleFile) -> String {
    match exported(schedule, "lft", &with_fabric(fabric())) {
        Output::File(text) => text,
        _ => panic!("tables are one file"),
    }
}

/// The error of an export.
fn refused(schedule: &ScheduleFile, settings: &Settings) -> String {
    let subject = Subject::of(schedule).unwrap();
    let written = export::write(export::find("lft").unwrap(), &subject, settings);
    written.expect_err("it is exported").to_string()
}

/// The network with the routes of tables.
fn read_back(text: &str, how: &Reading) -> Result<Network, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables");
    std::fs::write(&path, text).unwrap();
    read_as(&fabric(), &Reading { routes: Some(path), ..how.clone() })
}

#[test]
fn tables_that_were_read_are_written_as_they_were() {
    let routed =
        network(&Reading { routes: Some(example("leaf-spine.lfts")), ..Reading::default() });
    let text = tables(&alltoall(routed.clone(), "static"));
    assert_eq!(read_back(&text, &Reading::default()).unwrap(), routed);
}

#[test]
fn routes_by_destination_are_read_back_equal() {
    // These have one port each; which of several a pair takes, tables do not say.
    let how = Reading { terminals: Some("n[1-4]".parse().unwrap()), ..apart() };
    let schedule = alltoall(network(&how), "destination");
    let how = Reading { separate_cables: false, ..how };
    let net = read_back(&tables(&schedule), &how).unwrap();
    let routes = schedule.model.routes.as_ref().unwrap();
    assert_eq!(routes.len(), 12);
    for route in routes {
        let [from, to] = [route.from, route.to].map(|name| net.find(name).unwrap());
        assert_eq!(net.routes().get(from, to), Some(route.channels), "{from} to {to}");
    }
}

/// By switch and address, the port; the numbers of the rows are checked.
fn rows(text: &str) -> BTreeMap<(u64, u32), u32> {
    let (mut rows, mut switch, mut count) = (BTreeMap::new(), 0, 0);
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once(" guid 0x") {
            switch = u64::from_str_radix(&rest[..16], 16).unwrap();
            count = 0;
        } else if let Some(dumped) = line.strip_suffix(" lids dumped") {
            assert_eq!(dumped.parse(), Ok(count), "{text}");
        } else {
            let (lid, rest) = line.strip_prefix("0x").unwrap().split_at(4);
            let lid = u32::from_str_radix(lid, 16).unwrap();
            let twice = rows.insert((switch, lid), rest[1..4].parse().unwrap());
            assert!(twice.is_none() && rest[4..].starts_with(" # "), "{line}");
            count += 1;
        }
    }
    rows
}

#[test]
fn every_address_is_reached_from_every_switch() {
    // Port by port what is behind it: a switch, or an address.
    let (leaf1, leaf2, spine1, spine2) = (0x1100, 0x1200, 0x2100, 0x2200);
    let cables: BTreeMap<(u64, u32), u64> = [
        ((leaf1, 5), spine1),
        ((leaf1, 6), spine1),
        ((leaf1, 7), spine2),
        ((leaf2, 5), spine1),
        ((leaf2, 6), spine1),
        ((leaf2, 7), spine2),
        ((spine1, 1), leaf1),
        ((spine1, 2), leaf1),
        ((spine1, 3), leaf2),
        ((spine1, 4), leaf2),
        ((spine2, 1), leaf1),
        ((spine2, 2), leaf2),
    ]
    .into();
    // The last one is that of an aggregation node, which is no host.
    let ends: BTreeMap<(u64, u32), u32> = [
        ((leaf1, 1), 11),
        ((leaf1, 2), 12),
        ((leaf1, 3), 15),
        ((leaf2, 1), 13),
        ((leaf2, 2), 14),
        ((leaf2, 3), 16),
        ((leaf1, 0), 1),
        ((leaf2, 0), 2),
        ((spine1, 0), 3),
        ((spine2, 0), 4),
        ((spine1, 8), 20),
    ]
    .into();
    // The scatter needs few of the entries.
    let one = Request { routing: "updown".parse().unwrap(), ..Request::new(Collective::Oas) };
    for schedule in [schedule(network(&apart()), &one), alltoall(network(&apart()), "destination")]
    {
        let rows = rows(&tables(&schedule));
        let lids: BTreeSet<u32> = ends.values().copied().collect();
        assert_eq!(rows.len(), 4 * lids.len());
        for &(switch, lid) in rows.keys() {
            let (mut at, mut hops) = (switch, 0);
            let end = loop {
                let port = (at, rows[&(at, lid)]);
                match cables.get(&port) {
                    Some(&next) => at = next,
                    None => break ends.get(&port),
                }
                hops += 1;
                assert!(hops < 4, "a loop from {switch:x} to lid {lid}");
            };
            assert_eq!(end, Some(&lid), "from {switch:x}");
        }
    }
}

#[test]
fn processes_of_a_host_share_its_address() {
    let per_node = Some(PerNode { processes: 2, width: 1 });
    let routes = Some(example("leaf-spine.lfts"));
    let routed = alltoall(network(&Reading { routes, per_node, ..Reading::default() }), "static");
    let hosts = Reading { routes: Some(example("leaf-spine.lfts")), ..Reading::default() };
    assert_eq!(rows(&tables(&routed)), rows(&tables(&alltoall(network(&hosts), "static"))));
}

#[test]
fn all_addresses_of_a_port_have_entries() {
    let text = std::fs::read_to_string(fabric()).unwrap();
    // n4 has the addresses 24 to 27.
    let many = text.replace("# lid 14 lmc 0", "# lid 24 lmc 2");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leaf-spine.ibnetdiscover");
    std::fs::write(&path, many).unwrap();
    let schedule = alltoall(read_as(&path, &apart()).unwrap(), "destination");
    let Output::File(text) = exported(&schedule, "lft", &with_fabric(path)) else { panic!() };
    let rows = rows(&text);
    for switch in [0x1100, 0x1200, 0x2100, 0x2200] {
        let ports: BTreeSet<u32> = (24..28).map(|lid| rows[&(switch, lid)]).collect();
        assert_eq!(ports.len(), 1, "{text}");
    }
    assert_eq!(rows[&(0x1200, 27)], 2);
}

#[test]
fn what_no_tables_hold_is_named() {
    let routed = alltoall(network(&apart()), "destination");
    let here = with_fabric(fabric());
    for (schedule, settings, parts) in [
        (&routed, &Settings::default(), &["fabric: ", "ibnetdiscover"][..]),
        (
            &alltoall(network(&Reading::default()), "destination"),
            &here,
            &["lft: 2 cables", "'leaf 1'", "the schedule has 1 link there", "separate cables"],
        ),
        (
            &alltoall(network(&apart()), "minimal"),
            &here,
            &["lft: no table holds the routes from", "to 'n", "one leaves through port"],
        ),
        (
            &schedule(
                network(&apart()),
                &Request { switching: Switching::StoreAndForward, ..Request::new(Collective::Oas) },
            ),
            &here,
            &["lft: switches of InfiniBand do not store messages"],
        ),
        (
            &super::solved("ring:4", Collective::Aas, Switching::Wormhole),
            &here,
            &["lft: the fabric has no cable from '0' to '1'"],
        ),
        (&routed, &with_fabric(example("petersen.toml")), &["petersen.toml:1: ", "toml"]),
        (&routed, &with_fabric(example("leaf-spine.lfts")), &["leaf-spine.lfts:1: ", "fabric"]),
        (&routed, &with_fabric(example("nothing")), &["nothing: "]),
    ] {
        let why = refused(schedule, settings);
        assert!(parts.iter().all(|part| why.contains(part)), "{why}: {parts:?}");
    }
}

#[test]
fn addresses_that_are_wrong_are_named() {
    let routed = alltoall(network(&apart()), "destination");
    let text = std::fs::read_to_string(fabric()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (from, to, part) in [
        ("# lid 14 lmc 0", "# lid 0 lmc 0", "'n4 HCA-1' has no lid"),
        ("# lid 14 lmc 0", "# lid 13 lmc 0", "both have lid 13"),
        ("# lid 13 lmc 0", "# lid 13 lmc 1", "both have lid 14"),
        ("# lid 14 lmc 0", "# lid 70000 lmc 0", "has lid 70000; the largest is 49151"),
        ("port 0 lid 3 lmc 0", "port 0 lid 11 lmc 0", "both have lid 11"),
    ] {
        assert!(text.contains(from));
        let path = folder.path().join("leaf-spine.ibnetdiscover");
        std::fs::write(&path, text.replace(from, to)).unwrap();
        let why = refused(&routed, &with_fabric(path));
        assert!(why.starts_with("lft: ") && why.contains(part), "{why}");
    }
}
