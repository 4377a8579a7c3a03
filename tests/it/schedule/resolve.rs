//! A schedule file resolves to the problem and the plan it was made of; errors name their place.

use crate::support::tiny;
use ccsched::network::{faults, spec};
use ccsched::problem::{Collective, Content, Pair, Problem, Request, Routing, Switching};
use ccsched::rng::rng_of;
use ccsched::routing::PathTable;
use ccsched::schedule::file::{Provenance, TransferRecord};
use ccsched::schedule::{Plan, ScheduleFile, Steps, resolve};
use ccsched::verify::verify;

/// One delivery after the other, each over its first path.
fn one_by_one(problem: &Problem) -> Plan {
    let mut plan = Plan::new(0);
    for d in problem.demands() {
        let path = match problem.fixed_route(d.source, d.destination) {
            Some(route) => route.to_vec(),
            None => {
                let found = PathTable::find(problem.network(), &[(d.source, d.destination)], 0, 1);
                found.channels(found.of_pair(0).start).to_vec()
            }
        };
        let legs: Vec<Vec<u32>> = match problem.switching() {
            Switching::Wormhole | Switching::Hosts => vec![path],
            Switching::StoreAndForward => path.iter().map(|&c| vec![c]).collect(),
        };
        for channels in legs {
            plan.push(plan.len(), d.message, channels);
        }
    }
    plan
}

fn file_of(problem: &Problem) -> ScheduleFile {
    one_by_one(problem).record(problem, &[], Provenance::default())
}

/// Resolves the file of a problem and records it again.
fn comes_back(problem: &Problem) {
    let file = file_of(problem);
    let (again, plan) = resolve(&file).unwrap_or_else(|e| panic!("{e}: {}", file.to_json()));
    assert_eq!(plan, one_by_one(problem));
    assert_eq!(again.demands(), problem.demands());
    assert_eq!(again.lengths(), problem.lengths());
    assert_eq!(plan.record(&again, &[], Provenance::default()), file);
    if problem.collective().content() == Content::Personal {
        assert_eq!(verify(&file), vec![], "{}", file.to_json());
    }
}

#[test]
fn recording_and_resolving_are_inverse() {
    let mut rng = rng_of(71, 0, 0);
    for collective in Collective::all() {
        for _ in 0..100 {
            comes_back(&tiny::problem(&mut rng, collective));
        }
    }
}

#[test]
fn fixed_routes_lengths_and_faults_are_resolved() {
    let aas = Request::new(Collective::Aas);
    let fixed = |routing| Request { routing, ..aas.clone() };
    let posed = |topology: &str, request: &Request| {
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
    };
    comes_back(&posed("two-switch:3,2", &fixed(Routing::Static)));
    comes_back(&posed("dragonfly:2,1,1", &fixed(Routing::Lgl)));
    comes_back(&posed("mesh:3x3,half", &fixed(Routing::Slack(64))));
    comes_back(&posed("ring:5,half,width=3", &aas));

    let pair = |source: &str, destination: &str, bytes, count| Pair {
        source: source.into(),
        destination: destination.into(),
        bytes,
        count,
    };
    let pairs =
        vec![pair("2", "0", Some(7), 2), pair("0", "1", None, 1), pair("2", "0", Some(9), 1)];
    let traffic = Request { pairs: Some(pairs), ..Request::new(Collective::Traffic) };
    let problem = posed("ring:4", &traffic);
    assert_eq!(problem.lengths(), Some(&[1024, 7, 7, 9][..]));
    comes_back(&problem);

    let whole = spec::parse("torus:3x3").unwrap();
    let broken = faults::parse_link(&whole, "00-01").unwrap();
    let rest = faults::apply(&whole, &broken, &[whole.find("22").unwrap()]).unwrap();
    let records = vec![
        faults::Fault::Link("00".into(), "01".into()),
        faults::Fault::Link("01".into(), "00".into()),
        faults::Fault::Vertex("22".into()),
    ];
    comes_back(&aas.pose(rest, records).unwrap());
}

#[test]
fn full_duplex_links_are_resolved_as_links() {
    let request = Request::new(Collective::Aas);
    for topology in ["torus:3x3", "mesh:2x3,half", "kautz:2,2", "omega:4"] {
        let network = spec::parse(topology).unwrap();
        let is_one_way = network.channels().iter().all(|c| c.reverse.is_none());
        let problem = request.pose(network.clone(), vec![]).unwrap();
        let (again, _) = resolve(&file_of(&problem)).unwrap();
        if !is_one_way {
            assert_eq!(again.network().channels(), network.channels(), "{topology}");
        }
    }
}

/// Changes the first transfer of a step.
fn first_of(file: &mut ScheduleFile, step: usize, change: fn(&mut TransferRecord)) {
    let mut steps = file.steps.records();
    change(&mut steps[step][0]);
    file.steps = Steps::of(&steps);
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let request = Request { source: Some("1".into()), ..Request::new(Collective::Oas) };
    let good = file_of(&request.pose(spec::parse("ring:4,half").unwrap(), vec![]).unwrap());
    let said = |change: &dyn Fn(&mut ScheduleFile)| {
        let mut file = good.clone();
        change(&mut file);
        resolve(&file).map(|_| ()).expect_err("it is broken").to_string()
    };
    type Change = fn(&mut ScheduleFile);
    let cases: [(Change, &str); 20] = [
        (|f| f.format = "x".into(), "format: it is 'x'"),
        (|f| f.network.channels[2].from = "z".into(), "network.channels[2]: 'z' is no vertex"),
        (
            |f| f.network.channels[2].excludes = Some(99),
            "network.channels[2]: it excludes channel 99",
        ),
        (|f| f.network.channels[3].excludes = None, "network.channels[2]: it excludes channel 3"),
        (|f| f.network.channels[2].capacity = 3, "network.channels[2]: it excludes channel 3"),
        (
            |f| f.network.channels.iter_mut().for_each(|c| c.capacity = 0),
            "has capacity 0; capacities are whole numbers",
        ),
        (|f| f.network.vertices[2].name = "1".into(), "'2' is no vertex of the network"),
        (|f| f.model.collective = "sum".into(), "model.collective: unknown collective"),
        (|f| f.model.switching = "x".into(), "model.switching: unknown switching"),
        (|f| f.model.routing = "slack:65".into(), "model.routing: unknown routing"),
        (
            |f| f.model.ports = ccsched::schedule::file::Ports::Count(0),
            "model: ports: with 0 ports",
        ),
        (|f| f.model.source = None, "model.source: oas has one root"),
        (|f| f.model.source = Some("z".into()), "model: source: "),
        (|f| f.model.senders = vec!["2".into()], "model.senders: by the rest of the model"),
        (|f| f.model.receivers = vec!["z".into()], "model: receivers: "),
        (|f| first_of(f, 2, |t| t.channels = vec![]), "steps[2][0]: it has no channels"),
        (|f| first_of(f, 2, |t| t.channels = vec![8]), "steps[2][0]: there is no channel 8"),
        (|f| first_of(f, 2, |t| t.to = "1".into()), "steps[2][0]: it is from "),
        (
            |f| first_of(f, 1, |t| t.message.copy = Some(2)),
            "steps[1][0]: oas asks for no such message",
        ),
        (
            |f| first_of(f, 0, |t| t.message.source = "0".into()),
            "steps[0][0]: oas asks for no such message",
        ),
    ];
    for (change, why) in cases {
        let text = said(&change);
        assert!(text.contains(why), "'{text}' does not say '{why}'");
    }
}
