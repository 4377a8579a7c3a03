//! Costs and thresholds, beside figures that are worked out by hand.

use ccsched::deploy::algorithms::ALGORITHMS;
use ccsched::deploy::cost::{Cost, Roads};
use ccsched::deploy::{Asked, Deployment, Speeds};
use ccsched::export::{Settings, Subject};
use ccsched::islands::Limits;
use ccsched::network::tables::UNLIMITED;
use ccsched::network::{LinkKind, Network, NetworkBuilder};
use ccsched::problem::{Collective, Ports, Request, Routing};
use ccsched::schedule::TimeModel;
use ccsched::verify::verify;
use ccsched::{Options, export};

/// Hosts on leaves, whose links to one spine have this capacity; one leaf is a star.
fn leaves(leaves: u32, hosts: u32, uplink: u32) -> Network {
    let mut net = NetworkBuilder::new("leaves");
    let spine = net.switch("spine");
    for leaf in 0..leaves {
        let switch = net.switch(format!("leaf{leaf}"));
        net.wide_link(switch, spine, LinkKind::FullDuplex, uplink);
        for host in 0..hosts {
            let v = net.terminal(format!("n{}", leaf * hosts + host));
            net.link(v, switch, LinkKind::FullDuplex);
        }
    }
    net.build().unwrap()
}

fn cost(network: &Network, request: &Request, collective: Collective, name: &str) -> Cost {
    let roads = Roads::of(request, network, &[], UNLIMITED).unwrap();
    let is_it =
        |a: &&ccsched::deploy::algorithms::Algorithm| a.collective == collective && a.name == name;
    let algorithm = ALGORITHMS.iter().find(is_it).unwrap();
    roads.cost(&(algorithm.steps)(roads.ranks()).unwrap(), 1.0)
}

#[test]
fn costs_on_a_star_are_those_of_the_ports() {
    let (star, request) = (leaves(1, 4, 1), Request::new(Collective::Aas));
    for (collective, name, starts, hops, blocks) in [
        (Collective::Aas, "linear", 3, 2, 3.0),
        (Collective::Aas, "pairwise", 3, 6, 3.0),
        (Collective::Aas, "pairwise-xor", 3, 6, 3.0),
        (Collective::Aas, "bruck", 2, 4, 4.0),
        (Collective::Aab, "linear", 3, 2, 3.0),
        (Collective::Aab, "ring", 3, 6, 3.0),
        (Collective::Aab, "bruck", 2, 4, 3.0),
        (Collective::Aab, "recursive-doubling", 2, 4, 3.0),
        // Three whole vectors of four parts into one port, then out of it.
        (Collective::AllReduce, "linear", 6, 4, 24.0),
        (Collective::AllReduce, "ring", 6, 12, 6.0),
        (Collective::AllReduce, "recursive-doubling", 2, 4, 8.0),
        (Collective::AllReduce, "rabenseifner", 4, 8, 6.0),
        (Collective::ReduceScatter, "linear", 6, 4, 15.0),
        (Collective::ReduceScatter, "recursive-halving", 2, 4, 3.0),
    ] {
        let right = Cost { starts, paths_us: f64::from(hops), blocks };
        assert_eq!(cost(&star, &request, collective, name), right, "{collective} {name}");
    }
}

#[test]
fn sends_of_a_step_share_links_and_ports() {
    let request = Request::new(Collective::Aas);
    // Two leaves of two hosts: four blocks cross each way.
    for (name, blocks) in [("linear", 4.0), ("pairwise", 4.0), ("pairwise-xor", 5.0)] {
        let of = cost(&leaves(2, 2, 1), &request, Collective::Aas, name);
        assert_eq!(of.blocks, blocks, "{name}");
    }
    // Capacity 2 carries two blocks in the time of one, and one no faster.
    for (name, blocks) in [("linear", 3.0), ("pairwise", 3.0), ("pairwise-xor", 3.0)] {
        let of = cost(&leaves(2, 2, 2), &request, Collective::Aas, name);
        assert_eq!(of.blocks, blocks, "{name}");
    }
    // Two leaves of four with a link of capacity 2: shifts by 3, 4 and 5 cross it three, four and three
    // times.
    let of = |name| cost(&leaves(2, 4, 2), &request, Collective::Aas, name).blocks;
    assert_eq!((of("linear"), of("pairwise"), of("pairwise-xor")), (8.0, 9.0, 11.0));
    // Rows of processes in another order: every step of the ring crosses.
    let order = ["n0", "n4", "n1", "n5", "n2", "n6", "n3", "n7"].map(String::from).to_vec();
    let mixed = Request { processes: Some(order), ..request.clone() };
    let of = |request| cost(&leaves(2, 4, 2), request, Collective::Aab, "ring").blocks;
    assert_eq!((of(&request), of(&mixed)), (7.0, 14.0));
    // A limit on ports counts as a link.
    let mesh = ccsched::network::spec::parse("ring:4").unwrap();
    let of = |ports| {
        let request = Request { ports: Ports(ports), ..request.clone() };
        cost(&mesh, &request, Collective::Aas, "linear")
    };
    assert_eq!((of(Some(1)).blocks, of(Some(1)).starts, of(None).starts), (3.0, 3, 2));
}

fn asked(network: Network, collectives: &[Collective], against: &[&str]) -> Asked {
    let model = TimeModel { startup_us: 10.0, byte_ns: 1.0, ..TimeModel::default() };
    let limits = Limits { iterations: 200, ..Limits::default() };
    Asked {
        request: Request::new(Collective::Aas),
        collectives: collectives.to_vec(),
        network,
        faults: vec![],
        fabric: None,
        sizes: (10..=24).map(|power| 1 << power).collect(),
        model,
        speeds: Speeds::Known,
        each: 1,
        groups: Vec::new(),
        hosts: None,
        most_pieces: 2,
        against: against.iter().map(|name| name.to_string()).collect(),
        least_bytes: None,
        options: Options { islands: Some(1), limits, ..Options::default() },
        command: "ccsched deploy".into(),
    }
}

/// On a star of four: our 3 t0 + 3 m t1 are those of `linear`; Bruck takes 2 t0 + 4 m t1, which is more
/// from m = t0 / t1 on, where it is equal.
#[test]
fn thresholds_are_where_the_lines_cross() {
    for (against, least) in [
        (&["bruck"][..], Some(10_001)),
        (&["linear"], None),
        (&[], None),
        // Above 32 KiB MPICH exchanges in pairs, in as many steps as the schedule has.
        (&["mpich"], None),
    ] {
        let asked = asked(leaves(1, 4, 1), &[Collective::Aas], against);
        let deployment = Deployment::of(&asked, &mut |_| ()).unwrap();
        let part = &deployment.parts[0];
        assert_eq!(part.least_bytes, least, "{against:?}");
        assert_eq!(deployment.is_faster(), least.is_some());
        assert!((part.us(1000) - (30.0 + 3.0)).abs() < 1e-9);
    }
    // Two leaves of four, 2:1: eight steps, eleven for exchanges in pairs above 32 KiB.
    let asked = asked(leaves(2, 4, 2), &[Collective::Aas], &["mpich"]);
    let deployment = Deployment::of(&asked, &mut |_| ()).unwrap();
    let part = &deployment.parts[0];
    assert_eq!((part.schedule(1 << 20).steps, part.least_bytes), (8, Some((32 << 10) + 1)));
    // A threshold that is given holds whatever is predicted.
    let asked = Asked { least_bytes: Some(5000), against: vec![], ..asked };
    let deployment = Deployment::of(&asked, &mut |_| ()).unwrap();
    assert_eq!(deployment.parts[0].least_bytes, Some(5000));
    assert_eq!(deployment.parts[0].used().len(), 1);
}

/// Short calls take the whole vector in one message, in fewer steps.
#[test]
fn short_all_reduces_are_of_one_part() {
    let network = ccsched::network::spec::parse("hypercube:3").unwrap();
    let asked = Asked { least_bytes: Some(1024), ..asked(network, &[Collective::AllReduce], &[]) };
    let deployment = Deployment::of(&asked, &mut |_| ()).unwrap();
    let part = &deployment.parts[0];
    let used = part.used();
    let ((least, first), (_, last)) = (used[0], used[used.len() - 1]);
    assert_eq!((least, first.parts, last.parts), (1024, 8, 1));
    assert_eq!(verify(&first.file), []);
    assert!(first.steps < last.steps);
    assert!((part.us(1024) - f64::from(first.steps) * (10.0 + 1.024)).abs() < 1e-9);
    // From here on parts of an eighth are faster.
    let turn = used[1].0;
    assert!(part.us(turn) < f64::from(first.steps) * (10.0 + turn as f64 * 1e-3), "{turn}");
    assert!(deployment.is_faster());
}

/// Broadcasts and reductions on tables of routes take the routes of the tables, and no link carries more
/// than it can.
#[test]
fn broadcasts_go_along_the_routes() {
    let collectives = [Collective::Aab, Collective::ReduceScatter, Collective::AllReduce];
    let cases = [
        ("mesh:3x3", "updown"),
        ("mesh:3x3", "destination"),
        ("mesh:3x3", "xy"),
        // Here sums meet: a vertex hands its part over and then gets the whole.
        ("ring:8", "balanced"),
        ("ring:6", "updown"),
        ("hypercube:3", "destination"),
    ];
    let cases =
        cases.map(|(network, routing)| (ccsched::network::spec::parse(network).unwrap(), routing));
    // Links of capacity 2 hold two sums in a step, but not between the same two ends.
    for (network, routing) in cases.into_iter().chain([(leaves(2, 4, 2), "dmodk")]) {
        let mut asked = asked(network, &collectives, &[]);
        asked.request.routing = routing.parse::<Routing>().unwrap();
        let deployment = Deployment::of(&asked, &mut |_| ()).unwrap();
        for part in &deployment.parts {
            let has_whole = part.points.iter().any(|point| point.parts > 1);
            assert_eq!(has_whole, part.collective == Collective::AllReduce, "{routing}");
            for point in &part.points {
                assert_eq!(verify(&point.file), [], "{routing} {}", part.collective);
                let subject = Subject::of(&point.file).unwrap();
                let transfers = (0..subject.steps()).flat_map(|step| subject.step(step));
                for t in transfers {
                    assert_eq!(t.channels, deployment.roads.route(t.from, t.to));
                }
                let format = export::find("mpi-c").unwrap();
                export::write(format, &subject, &Settings::default()).unwrap();
            }
        }
    }
}
