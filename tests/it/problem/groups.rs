//! Groups side by side: rows and quadrants of a torus, two jobs on one fat tree; what is refused; files
//! that are damaged.

use ccsched::engines::Engine;
use ccsched::network::spec;
use ccsched::problem::{Collective, Group, Problem, Relays, Request, Roots, Switching};
use ccsched::schedule::file::BoundRecord;
use ccsched::schedule::{ScheduleFile, resolve};
use ccsched::verify::{Rule, verify};
use ccsched::{Options, solve};
use std::collections::BTreeSet;

fn group(collective: Collective, members: impl IntoIterator<Item = String>) -> Group {
    let members: Vec<String> = members.into_iter().collect();
    let rooted = collective.roots() == Roots::One;
    Group { collective, root: rooted.then(|| members[0].clone()), members, bytes: None }
}

fn posed(topology: &str, switching: Switching, groups: Vec<Group>) -> ccsched::Result<Problem> {
    let together = Group::beside(&groups).unwrap_or(Collective::Groups);
    let request = Request { switching, groups: Some(groups), ..Request::new(together) };
    request.pose(spec::parse(topology).unwrap(), vec![])
}

fn solved(problem: &Problem) -> ScheduleFile {
    let limits = ccsched::islands::Limits { iterations: 60, ..Default::default() };
    let options = Options { islands: Some(1), limits, ..Options::default() };
    let file = solve(problem, &options).unwrap().schedule().expect("a schedule is found");
    assert_eq!(verify(&file), []);
    let (again, plan) = resolve(&file).unwrap();
    let recorded = plan.record(&again, &[], file.provenance.clone());
    assert_eq!((&recorded.steps, &recorded.model), (&file.steps, &file.model));
    file
}

/// The names of a rectangle of a torus.
fn block(rows: std::ops::Range<u32>, columns: std::ops::Range<u32>) -> Vec<String> {
    rows.flat_map(|r| columns.clone().map(move |c| format!("{r}{c}"))).collect()
}

fn rows(collective: Collective) -> Vec<Group> {
    (0..8).map(|r| group(collective, block(r..r + 1, 0..8))).collect()
}

fn quadrants(collective: Collective) -> Vec<Group> {
    let corners = [(0, 0), (0, 4), (4, 0), (4, 4)];
    corners.map(|(r, c)| group(collective, block(r..r + 4, c..c + 4))).to_vec()
}

#[test]
fn rows_and_quadrants_of_a_torus_are_at_the_bound() {
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        for (groups, steps) in [(rows(Collective::Aab), 4), (quadrants(Collective::Aab), 8)] {
            let file = solved(&posed("torus:8x8", switching, groups).unwrap());
            assert_eq!((file.steps.len(), file.bounds[0].steps), (steps, steps as u32));
            // A group alone proves it: others do not help.
            let is_of_one = |b: &&BoundRecord| b.steps == steps as u32;
            let mut best = file.bounds.iter().filter(is_of_one);
            assert!(best.any(|b| b.certificate.group.is_some()));
        }
    }
}

/// With relays, the terminals of other groups store messages too: a group that needs them has a
/// schedule, and the bound of quadrants falls, because their corners have all four of their links.
#[test]
fn relays_help_groups() {
    let posed = |topology: &str, groups| {
        let request = Request {
            switching: Switching::StoreAndForward,
            relays: Relays::All,
            groups: Some(groups),
            ..Request::new(Collective::Groups)
        };
        request.pose(spec::parse(topology).unwrap(), vec![]).unwrap()
    };
    let opposite = |a: u32| group(Collective::Aab, [a, a + 3].map(|v| v.to_string()));
    let file = solved(&posed("ring:6", vec![opposite(0), opposite(1)]));
    assert_eq!(file.steps.len(), 3);
    let quadrants = posed("torus:8x8", quadrants(Collective::Aab));
    assert_eq!(ccsched::bounds::all(&quadrants)[0].steps, 6);
}

#[test]
fn two_jobs_share_a_fat_tree() {
    let names = |all: std::ops::Range<u32>| all.map(|v| v.to_string());
    let jobs = || vec![group(Collective::Aab, names(0..6)), group(Collective::Aas, names(6..16))];
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        let file = solved(&posed("fat-tree:16", switching, jobs()).unwrap());
        assert!(file.steps.len() >= 9 && file.bounds[0].steps >= 9);
    }
}

#[test]
fn groups_that_cannot_stand_side_by_side_are_refused() {
    let why = |switching, groups| posed("torus:4x4", switching, groups).unwrap_err().to_string();
    let stored = Switching::StoreAndForward;
    let names = |all: &[&str]| all.iter().map(|n| n.to_string()).collect::<Vec<String>>();
    let apart = group(Collective::Aab, names(&["00", "22"]));
    assert!(why(stored, vec![apart.clone()]).contains("cannot be reached"));
    posed("torus:4x4", Switching::Wormhole, vec![apart]).unwrap();
    let twice = group(Collective::Aab, names(&["00", "01", "00"]));
    assert!(why(stored, vec![twice]).contains("'00' is listed twice"));
    let lonely = group(Collective::Oab, names(&["00"]));
    assert!(why(stored, vec![lonely]).contains("one member"));
    let barrier = group(Collective::Barrier, names(&["00", "01"]));
    assert!(why(stored, vec![barrier]).contains("does not stand beside"));
    let sums = group(Collective::Reduce, names(&["00", "01"]));
    let personal = group(Collective::Aas, names(&["02", "03"]));
    assert!(why(stored, vec![sums, personal]).contains("do not stand beside sums"));
    let stray = Group { root: Some("33".into()), ..group(Collective::Oas, names(&["00", "01"])) };
    assert!(why(stored, vec![stray]).contains("no member"));
    assert!(why(stored, vec![]).contains("at least one"));
    let problem = posed("torus:4x4", stored, vec![group(Collective::Aab, names(&["00", "01"]))]);
    let problem = std::sync::Arc::new(problem.unwrap());
    assert!(Engine::of(&ccsched::engines::hgsa::ROW).searcher(&problem).is_err());
}

/// Groups with sizes of their own: those without take the length of the time model. `verify` reads them.
#[test]
fn groups_have_sizes() {
    let quadrants = [
        (Collective::Aab, (0, 0), Some(4000)),
        (Collective::Aas, (0, 2), Some(30)),
        (Collective::Oas, (2, 0), None),
    ];
    let groups = quadrants.map(|(collective, (r, c), bytes)| Group {
        bytes,
        ..group(collective, block(r..r + 2, c..c + 2))
    });
    let problem = posed("torus:4x4", Switching::Wormhole, groups.to_vec()).unwrap();
    let file = solved(&problem);
    let sizes = |file: &ScheduleFile| {
        file.steps.iter().flatten().map(|t| t.message.bytes.unwrap()).collect::<BTreeSet<_>>()
    };
    assert_eq!(sizes(&file), BTreeSet::from([30, 1024, 4000]));
    let longest = |step: usize| {
        file.steps.places(step).map(|t| file.steps.entry(t).bytes.unwrap()).max().unwrap()
    };
    assert_eq!(file.span(), Some((0..file.steps.len()).map(longest).sum()));
    // The same in pieces.
    let request = Request { pieces: 3, ..problem.request().clone() };
    let cut = solved(&request.pose(spec::parse("torus:4x4").unwrap(), vec![]).unwrap());
    assert_eq!(sizes(&cut), BTreeSet::from([10, 342, 1334]));
    let rules = |change: &dyn Fn(&mut ScheduleFile)| {
        let mut file = file.clone();
        change(&mut file);
        verify(&file).into_iter().map(|v| v.rule).collect::<BTreeSet<Rule>>()
    };
    let other = rules(&|file| file.model.groups.as_mut().unwrap()[1].bytes = Some(31));
    assert_eq!(other, BTreeSet::from([Rule::Structure]));
    let some = rules(&|file| file.model.groups.as_mut().unwrap()[1].bytes = None);
    assert_eq!(some, BTreeSet::from([Rule::Structure]));
    let none =
        rules(&|file| file.model.groups.as_mut().unwrap().iter_mut().for_each(|g| g.bytes = None));
    assert_eq!(none, BTreeSet::from([Rule::Structure]));
}

/// `verify` refuses damaged schedules of groups, each by the rule that it breaks.
#[test]
fn damaged_schedules_are_refused() {
    let groups =
        vec![group(Collective::Aab, block(0..1, 0..4)), group(Collective::Oas, block(0..2, 0..2))];
    let file = solved(&posed("torus:4x4", Switching::Wormhole, groups).unwrap());
    let broken = |change: &dyn Fn(&mut ScheduleFile)| {
        let mut file = file.clone();
        change(&mut file);
        verify(&file).into_iter().map(|v| v.rule).collect::<Vec<Rule>>()
    };
    let lacks = broken(&|file| {
        let mut steps = file.steps.records();
        let last = steps.iter().rposition(|step| !step.is_empty()).unwrap();
        steps[last].pop();
        file.steps = ccsched::schedule::Steps::of(&steps);
    });
    assert!(lacks.contains(&Rule::Completeness), "{lacks:?}");
    // A smaller group: what goes to the vertex that left is not for it.
    let smaller = broken(&|file| {
        file.model.groups.as_mut().unwrap()[0].members.pop();
        file.model.senders.retain(|name| name != "03");
        file.model.receivers.retain(|name| name != "03");
    });
    assert!(!smaller.is_empty());
    let unknown = broken(&|file| file.model.groups.as_mut().unwrap()[0].members[0] = "99".into());
    assert_eq!(unknown, [Rule::Structure]);
    let none = broken(&|file| file.model.groups = None);
    assert_eq!(none, [Rule::Structure]);
    let claims = broken(&|file| {
        file.bounds.iter_mut().filter(|b| b.certified).for_each(|b| b.steps += 1);
        let more = file.steps.records().into_iter().chain([vec![], vec![], vec![]]);
        file.steps = ccsched::schedule::Steps::of(&more.collect::<Vec<_>>());
    });
    assert!(claims.contains(&Rule::Bounds), "{claims:?}");
    let of_another = broken(&|file| {
        file.bounds.iter_mut().for_each(|b| b.certificate.group = Some(2));
    });
    assert!(of_another.contains(&Rule::Bounds), "{of_another:?}");
}

/// Sums side by side take the steps of one group alone: reduce-scatters and all-reduces of rings of eight, and of
/// rows and columns together.
#[test]
fn sums_of_rows_are_at_the_bound() {
    let columns = |collective| {
        let column = |c: u32| (0..4).map(move |r| format!("{r}{c}"));
        (0..4).map(move |c| group(collective, column(c)))
    };
    let small = |collective| (0..4).map(move |r| group(collective, block(r..r + 1, 0..4)));
    let all = Collective::AllReduce;
    for switching in [Switching::Wormhole, Switching::StoreAndForward] {
        let file = solved(&posed("torus:8x8", switching, rows(Collective::ReduceScatter)).unwrap());
        assert_eq!((file.steps.len(), file.bounds[0].steps), (4, 4));
        let both: Vec<Group> = small(all).chain(columns(all)).collect();
        for groups in [small(all).collect(), both] {
            let problem = posed("torus:4x4", switching, groups).unwrap();
            assert_eq!(ccsched::bounds::all(&problem)[0].steps, 3);
            assert!(solved(&problem).steps.len() <= 4);
        }
    }
}

/// `verify` refuses damaged schedules of sums, each by the rule that it breaks.
#[test]
fn damaged_sums_are_refused() {
    for collective in [Collective::ReduceScatter, Collective::AllReduce] {
        let groups = vec![
            group(collective, block(0..1, 0..4)),
            group(Collective::Reduce, block(1..2, 0..3)),
            group(Collective::Reduce, block(1..2, 0..4)),
        ];
        let file = solved(&posed("torus:4x4", Switching::StoreAndForward, groups).unwrap());
        let broken = |change: &dyn Fn(&mut ScheduleFile)| {
            let mut file = file.clone();
            change(&mut file);
            verify(&file).into_iter().map(|v| v.rule).collect::<BTreeSet<Rule>>()
        };
        // No transfer is superfluous.
        for step in 0..file.steps.len() {
            for place in 0..file.steps.records()[step].len() {
                let lacks = broken(&|file| {
                    let mut steps = file.steps.records();
                    steps[step].remove(place);
                    file.steps = ccsched::schedule::Steps::of(&steps);
                });
                assert!(!lacks.is_empty(), "{collective}: {step}, {place}");
            }
        }
        let strange = broken(&|file| {
            let mut steps = file.steps.records();
            let last = steps.last_mut().unwrap();
            last[0].message.copy = Some(9);
            file.steps = ccsched::schedule::Steps::of(&steps);
        });
        assert!(strange.contains(&Rule::Completeness), "{strange:?}");
        // The sum of a smaller group lacks nothing, but what leaves the other vertex is not for it.
        let smaller = broken(&|file| {
            file.model.groups.as_mut().unwrap()[0].members.pop();
            file.model.senders.retain(|name| name != "03");
            file.model.receivers.retain(|name| name != "03");
        });
        assert!(!smaller.is_empty());
        let claims = broken(&|file| {
            file.bounds.iter_mut().filter(|b| b.certified).for_each(|b| b.steps += 1);
            let more = file.steps.records().into_iter().chain([vec![], vec![], vec![]]);
            file.steps = ccsched::schedule::Steps::of(&more.collect::<Vec<_>>());
        });
        assert!(claims.contains(&Rule::Bounds), "{claims:?}");
        let other = broken(&|file| file.model.collective = "groups".into());
        assert_eq!(other, BTreeSet::from([Rule::Structure]));
    }
}
