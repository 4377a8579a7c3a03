//! Reductions of a case that fails: each removes a vertex, a link, a message or a rule.

use super::case::{Among, Broken, Case, Sent};
use ccsched::network::VertexId;
use ccsched::problem::{Collective, Ports, Routing, Switching};

/// The cases with one part removed; the largest reductions come first.
pub fn smaller(case: &Case) -> Vec<Case> {
    let vertices = (0..case.vertices.len() as VertexId).map(|v| without_vertex(case, v));
    let joined = case.links.iter().flat_map(|link| [link.ends, [link.ends[1], link.ends[0]]]);
    let joined = joined.map(|[kept, gone]| joined_at(case, kept, gone));
    let links = (0..case.links.len()).map(|link| without_link(case, link));
    let narrow = (0..case.links.len()).filter(|&link| case.links[link].capacity > 1);
    let narrow = narrow.map(|link| changed(case, |case| case.links[link].capacity = 1));
    let all = vertices.chain(joined).chain(links).chain(narrow);
    all.chain(simpler_rules(case)).chain(fewer_messages(case)).collect()
}

fn changed(case: &Case, change: impl FnOnce(&mut Case)) -> Case {
    let mut case = case.clone();
    change(&mut case);
    case
}

fn without_link(case: &Case, gone: usize) -> Case {
    changed(case, |case| {
        case.links.remove(gone);
        case.routes.retain(|route| route.hops.iter().all(|&(link, _)| link != gone));
        let hops = case.routes.iter_mut().flat_map(|route| &mut route.hops);
        hops.for_each(|(link, _)| *link -= usize::from(*link > gone));
        case.broken
            .retain(|broken| !matches!(broken, Broken::Link(l) | Broken::Arc(l) if *l == gone));
        for broken in &mut case.broken {
            if let Broken::Link(link) | Broken::Arc(link) = broken {
                *link -= usize::from(*link > gone);
            }
        }
    })
}

/// The case without a vertex, its links, and what it sends and receives.
fn without_vertex(case: &Case, gone: VertexId) -> Case {
    let mut case = case.clone();
    while let Some(link) = case.links.iter().position(|link| link.ends.contains(&gone)) {
        case = without_link(&case, link);
    }
    case.vertices.remove(gone as usize);
    let lower = |v: &mut VertexId| *v -= VertexId::from(*v > gone);
    let keep = |list: &mut Vec<VertexId>| {
        list.retain(|&v| v != gone);
        list.iter_mut().for_each(lower);
    };
    case.links.iter_mut().flat_map(|link| &mut link.ends).for_each(lower);
    case.routes.retain(|route| route.from != gone && route.to != gone);
    case.routes.iter_mut().flat_map(|route| [&mut route.from, &mut route.to]).for_each(lower);
    case.broken.retain(|broken| !matches!(broken, Broken::Vertex(v) if *v == gone));
    for broken in &mut case.broken {
        if let Broken::Vertex(v) = broken {
            lower(v);
        }
    }
    match &mut case.sent {
        Sent::Collective(_, source) => {
            source.take_if(|v| *v == gone);
            source.iter_mut().for_each(lower);
        }
        Sent::Pairs(pairs) => {
            pairs.retain(|&(a, b, _)| a != gone && b != gone);
            pairs.iter_mut().flat_map(|(a, b, _)| [a, b]).for_each(lower);
        }
        Sent::Groups(groups) => {
            for group in &mut *groups {
                keep(&mut group.members);
                group.root.take_if(|v| *v == gone);
                group.root.iter_mut().for_each(lower);
            }
            groups.retain(|group| group.members.len() > 1);
        }
        Sent::Permutation(_) => {}
    }
    match &mut case.among {
        Among::All => {}
        Among::Ends(lists) => lists.iter_mut().flatten().for_each(keep),
        Among::Hosts(list) => keep(list),
    }
    case
}

/// The case with two vertices merged; routes over the first are left out.
fn joined_at(case: &Case, kept: VertexId, gone: VertexId) -> Case {
    let mut case = case.clone();
    while let Some(link) =
        case.links.iter().position(|link| link.ends.contains(&gone) && link.ends.contains(&kept))
    {
        case = without_link(&case, link);
    }
    case.routes.clear();
    for end in case.links.iter_mut().flat_map(|link| &mut link.ends) {
        if *end == gone {
            *end = kept;
        }
    }
    without_vertex(&case, gone)
}

fn simpler_rules(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    for i in 0..case.broken.len() {
        all.push(changed(case, |case| {
            case.broken.remove(i);
        }));
    }
    if !matches!(case.among, Among::All) {
        all.push(changed(case, |case| case.among = Among::All));
    }
    if case.ports != Ports(None) {
        all.push(changed(case, |case| case.ports = Ports(None)));
    }
    if case.switching != Switching::Wormhole {
        all.push(changed(case, |case| case.switching = Switching::Wormhole));
    }
    if case.routing.is_some_and(|routing| routing != Routing::Minimal) {
        all.push(changed(case, |case| case.routing = Some(Routing::Minimal)));
    }
    if !case.routes.is_empty() {
        all.push(changed(case, |case| case.routes.clear()));
    }
    all
}

fn fewer_messages(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    match &case.sent {
        Sent::Collective(_, Some(_)) => all.push(changed(case, |case| {
            if let Sent::Collective(_, source) = &mut case.sent {
                *source = None;
            }
        })),
        Sent::Collective(Collective::Aas, None) if matches!(case.among, Among::All) => {
            let terminals = case.terminals();
            let pairs = terminals.iter().flat_map(|&a| terminals.iter().map(move |&b| (a, b, 1)));
            let pairs = pairs.filter(|(a, b, _)| a != b).collect();
            all.push(changed(case, |case| case.sent = Sent::Pairs(pairs)));
        }
        Sent::Collective(..) => {}
        Sent::Pairs(pairs) => all.extend((0..pairs.len()).map(|i| {
            let mut fewer = pairs.clone();
            match fewer[i].2 {
                1 => drop(fewer.remove(i)),
                _ => fewer[i].2 -= 1,
            }
            changed(case, |case| case.sent = Sent::Pairs(fewer))
        })),
        Sent::Groups(groups) => all.extend((0..groups.len()).map(|i| {
            let mut fewer = groups.clone();
            fewer.remove(i);
            changed(case, |case| case.sent = Sent::Groups(fewer))
        })),
        Sent::Permutation(_) => {}
    }
    match &case.among {
        Among::All => {}
        Among::Ends(lists) => {
            for (side, list) in lists.iter().enumerate() {
                let terminals = case.terminals();
                let list = list.as_ref().unwrap_or(&terminals);
                all.extend((0..list.len()).map(|i| {
                    let mut fewer = list.clone();
                    fewer.remove(i);
                    changed(case, |case| {
                        if let Among::Ends(lists) = &mut case.among {
                            lists[side] = Some(fewer);
                        }
                    })
                }));
            }
        }
        Among::Hosts(list) => all.extend((0..list.len()).map(|i| {
            let mut fewer = list.clone();
            fewer.remove(i);
            changed(case, |case| case.among = Among::Hosts(fewer))
        })),
    }
    all
}
