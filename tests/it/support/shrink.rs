//! Random problems that fail are reduced before they are printed: vertices, links, messages and
//! rules are removed while the check still fails. The result is printed as a network file and the
//! command line that poses it.

use ccsched::network::files::toml::write::to_toml;
use ccsched::network::{LinkKind, NetworkBuilder, VertexId};
use ccsched::problem::{Ports, Problem, Request, Routing};
use std::cell::Cell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread;

/// Returns what a check of a problem returns. If the check panics, this panics with the smallest
/// problem for which it still does. `about` says where the problem is from, `options` how the check
/// solves it.
pub fn shrinking<T>(
    about: &str,
    options: &str,
    problem: &Arc<Problem>,
    check: impl Fn(&Arc<Problem>) -> T,
) -> T {
    let why = match quietly(|| check(problem)) {
        Ok(said) => return said,
        Err(why) => why,
    };
    let fails = |problem: &Arc<Problem>| quietly(|| check(problem)).err();
    let (problem, why) = smallest(problem.clone(), why, &fails);
    panic!("{about}: {why}\n\n{}", reproduction(&problem, options));
}

/// Reduces a problem greedily while `fails` gives a reason; returns the last one and its reason.
pub fn smallest(
    problem: Arc<Problem>,
    why: String,
    fails: &dyn Fn(&Arc<Problem>) -> Option<String>,
) -> (Arc<Problem>, String) {
    let smaller = |problem: &Arc<Problem>| {
        let posed = Draft::of(problem).smaller().into_iter().filter_map(Draft::pose);
        posed.filter(|next| size(next) < size(problem)).collect()
    };
    reduced(problem, why, &smaller, fails)
}

/// Takes the first of the `smaller` ones that fails too, as long as there is one.
pub fn reduced<T>(
    mut whole: T,
    mut why: String,
    smaller: &dyn Fn(&T) -> Vec<T>,
    fails: &dyn Fn(&T) -> Option<String>,
) -> (T, String) {
    while let Some(next) =
        smaller(&whole).into_iter().find_map(|next| fails(&next).map(|why| (next, why)))
    {
        (whole, why) = next;
    }
    (whole, why)
}

/// A measure that every reduction lowers.
fn size(problem: &Problem) -> usize {
    let Request { source, ports, routing, .. } = problem.request();
    let rules = usize::from(source.is_some())
        + usize::from(*ports != Ports(None))
        + usize::from(*routing != Routing::Minimal);
    let draft = Draft::of(problem);
    let capacity: usize = draft.links.iter().map(|link| link.capacity as usize).sum();
    draft.vertices.len() + draft.links.len() + capacity + problem.demands().len() + rules
}

/// The network file of a problem and the command line that poses it.
pub fn reproduction(problem: &Problem, options: &str) -> String {
    let Request { collective, source, senders, receivers, processes, pairs, .. } =
        problem.request();
    let Request { switching, ports, relays, routing, pieces, .. } = problem.request();
    let mut text = match to_toml(problem.network()) {
        Ok(toml) => format!("tiny.toml:\n{toml}"),
        Err(why) => format!("{why}: {:?}", Draft::of(problem).links),
    };
    let mut line = format!(
        "ccsched solve -t tiny.toml -c {collective} --switching {switching} --ports {ports} \
         --relays {relays} --routing {routing} --pieces {pieces}"
    );
    if let Some(source) = source {
        let _ = write!(line, " --source {source}");
    }
    for (option, list) in [("senders", senders), ("receivers", receivers), ("host-list", processes)]
    {
        if let Some(list) = list {
            let _ = write!(line, " --{option} {}", list.join(","));
        }
    }
    if let Some(pairs) = pairs {
        text += "\npairs.csv:\n";
        for pair in pairs {
            for _ in 0..pair.count {
                let _ = writeln!(text, "{},{}", pair.source, pair.destination);
            }
        }
        line = line.replace(&format!(" -c {collective}"), "") + " --pairs pairs.csv";
    }
    format!("{text}\n{line} {options}\n")
}

#[derive(Clone, Copy, Debug)]
struct Link {
    ends: [VertexId; 2],
    kind: LinkKind,
    capacity: u32,
}

/// A problem as data, from which parts can be removed.
#[derive(Clone)]
struct Draft {
    /// Names, and whether each is a terminal.
    vertices: Vec<(String, bool)>,
    links: Vec<Link>,
    request: Request,
}

impl Draft {
    fn of(problem: &Problem) -> Self {
        let network = problem.network();
        let links = (0..).zip(network.channels()).filter_map(|(id, c)| {
            let kind = match c.reverse {
                Some(reverse) if reverse < id => return None,
                Some(_) if c.exclusive => LinkKind::HalfDuplex,
                Some(_) => LinkKind::FullDuplex,
                None => LinkKind::OneWay,
            };
            Some(Link { ends: [c.from, c.to], kind, capacity: c.capacity })
        });
        let vertices =
            network.vertices().iter().map(|v| (v.name.to_string(), v.terminal)).collect();
        Draft { vertices, links: links.collect(), request: problem.request().clone() }
    }

    /// The problem, if it can be posed.
    fn pose(self) -> Option<Arc<Problem>> {
        let mut builder = NetworkBuilder::new("tiny");
        for (name, is_terminal) in self.vertices {
            builder.vertex(name, is_terminal);
        }
        for Link { ends: [a, b], kind, capacity } in self.links {
            builder.wide_link(a, b, kind, capacity);
        }
        self.request.pose(builder.build().ok()?, vec![]).ok().map(Arc::new)
    }

    /// The drafts with one part removed; the largest reductions come first.
    fn smaller(&self) -> Vec<Draft> {
        let vertices = (0..self.vertices.len()).map(|v| self.without_vertex(v));
        let links = (0..self.links.len()).map(|link| {
            let mut draft = self.clone();
            draft.links.remove(link);
            draft
        });
        let joined = self.links.iter().flat_map(|&Link { ends: [a, b], .. }| [(a, b), (b, a)]);
        let joined = joined.map(|(kept, gone)| self.joined(kept, gone));
        let narrow = (0..self.links.len()).map(|link| {
            let mut draft = self.clone();
            draft.links[link].capacity = 1;
            draft
        });
        vertices.chain(joined).chain(links).chain(narrow).chain(self.requests()).collect()
    }

    /// The draft with two vertices merged.
    fn joined(&self, kept: VertexId, gone: VertexId) -> Draft {
        let mut draft = self.clone();
        for end in draft.links.iter_mut().flat_map(|link| &mut link.ends) {
            if *end == gone {
                *end = kept;
            }
        }
        draft.links.retain(|link| link.ends[0] != link.ends[1]);
        draft.without_vertex(gone as usize)
    }

    fn without_vertex(&self, gone: usize) -> Draft {
        let mut draft = self.clone();
        let (name, _) = draft.vertices.remove(gone);
        let gone = gone as VertexId;
        let moved = |v: VertexId| v - VertexId::from(v > gone);
        draft.links.retain(|link| !link.ends.contains(&gone));
        for link in &mut draft.links {
            link.ends = link.ends.map(moved);
        }
        let request = &mut draft.request;
        request.source.take_if(|source| *source == name);
        for list in [&mut request.senders, &mut request.receivers, &mut request.processes]
            .into_iter()
            .flatten()
        {
            list.retain(|of| *of != name);
        }
        if let Some(pairs) = &mut request.pairs {
            pairs.retain(|pair| pair.source != name && pair.destination != name);
        }
        draft
    }

    /// Drafts with fewer messages or simpler rules.
    fn requests(&self) -> impl Iterator<Item = Draft> {
        let mut requests = Vec::new();
        let request = &self.request;
        let terminals = || self.vertices.iter().filter(|v| v.1).map(|v| v.0.clone());
        for gone in terminals() {
            let rest = |list: &Option<Vec<String>>| {
                let all = list.clone().unwrap_or_else(|| terminals().collect());
                Some(all.into_iter().filter(|v| *v != gone).collect())
            };
            requests.push(Request { senders: rest(&request.senders), ..request.clone() });
            requests.push(Request { receivers: rest(&request.receivers), ..request.clone() });
        }
        for i in 0..request.pairs.as_ref().map_or(0, Vec::len) {
            let mut fewer = request.clone();
            let pairs = fewer.pairs.as_mut().expect("counted above");
            if pairs[i].count > 1 {
                pairs[i].count -= 1;
            } else {
                pairs.remove(i);
            }
            requests.push(fewer);
        }
        requests.push(Request { ports: Ports(None), ..request.clone() });
        requests.push(Request { routing: Routing::Minimal, ..request.clone() });
        requests.push(Request { source: None, ..request.clone() });
        requests.into_iter().map(|request| Draft { request, ..self.clone() })
    }
}

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// How many checks run, and the last panic of a thread without a name, such as one of an island.
static QUIET: Mutex<(usize, Option<String>)> = Mutex::new((0, None));

/// The state that quiet checks share; one of them may have panicked.
fn quiet() -> MutexGuard<'static, (usize, Option<String>)> {
    QUIET.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result of a check, or the message of its panic, which is not printed, nor is one of its
/// threads.
pub fn quietly<T>(check: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if IS_QUIET.get() {
                return;
            }
            let mut quiet = quiet();
            if quiet.0 > 0 && thread::current().name().is_none() {
                quiet.1 = Some(info.to_string());
            } else {
                drop(quiet);
                before(info);
            }
        }));
    });
    let was_quiet = IS_QUIET.replace(true);
    quiet().0 += 1;
    let said = catch_unwind(AssertUnwindSafe(check));
    IS_QUIET.set(was_quiet);
    let mut quiet = quiet();
    quiet.0 -= 1;
    let of_thread = quiet.1.take().map_or(String::new(), |told| format!("\n{told}"));
    said.map_err(|panic| match panic.downcast::<String>() {
        Ok(message) => *message + &of_thread,
        Err(other) => {
            let text = other.downcast_ref::<&str>().map_or("a panic", |text| text);
            format!("{text}{of_thread}")
        }
    })
}

mod tests {
    use super::*;
    use crate::support::tiny;
    use ccsched::network::files::toml::read;
    use ccsched::problem::Collective;
    use ccsched::rng::rng_of;
    use std::path::Path;

    /// 40 random problems of a collective for which `fails` is true, reduced.
    fn reduced(collective: Collective, fails: impl Fn(&Problem) -> bool) -> Vec<Arc<Problem>> {
        let mut rng = rng_of(71, 0, 0);
        let why = |problem: &Arc<Problem>| fails(problem).then(|| "so it is".to_string());
        let drawn = std::iter::repeat_with(|| tiny::problem(&mut rng, collective));
        let failing = drawn.take(2000).filter(|problem| fails(problem)).take(40);
        failing.map(|problem| smallest(problem, String::new(), &why).0).collect()
    }

    #[test]
    fn irrelevant_parts_are_removed() {
        let two = reduced(Collective::Aas, |problem| problem.demands().len() >= 2);
        assert_eq!(two.len(), 40);
        for problem in two {
            assert_eq!(problem.demands().len(), 2, "{}", reproduction(&problem, ""));
            assert!(problem.network().vertices().len() <= 3, "{}", reproduction(&problem, ""));
            assert_eq!(problem.routing(), Routing::Minimal);
            assert_eq!(problem.ports(), Ports(None));
        }
        let copies = reduced(Collective::Traffic, |problem| problem.demands().len() >= 3);
        for problem in copies {
            assert_eq!(problem.demands().len(), 3, "{}", reproduction(&problem, ""));
        }
    }

    #[test]
    fn parts_that_a_failure_needs_are_kept() {
        let needed = |problem: &Problem| {
            let switches = problem.network().vertices().iter().filter(|v| !v.terminal).count();
            switches == 1 && problem.ports() == Ports(Some(1))
        };
        for problem in reduced(Collective::Aab, needed) {
            assert!(needed(&problem));
            assert_eq!(problem.network().vertices().len(), 3, "{}", reproduction(&problem, ""));
        }
    }

    #[test]
    fn the_smallest_problem_can_be_posed_again() {
        for problem in reduced(Collective::Oas, |problem| !problem.demands().is_empty()) {
            let text = reproduction(&problem, "--islands 1");
            let file = text.strip_prefix("tiny.toml:\n").expect("links of one kind are left");
            let (file, line) = file.split_once("\nccsched ").expect("a command line follows");
            assert!(line.contains("-t tiny.toml -c oas ") && line.ends_with("--islands 1\n"));
            let network = read::parse(Path::new("tiny.toml"), file).unwrap();
            assert_eq!(network.vertices(), problem.network().vertices());
            let again = problem.request().pose(network, vec![]).unwrap();
            assert_eq!(again.demands().len(), 1);
        }
    }

    #[test]
    fn a_failure_names_the_smallest_problem_and_a_success_is_returned() {
        let problem = tiny::problem(&mut rng_of(72, 0, 0), Collective::Aas);
        let demands = shrinking("one", "", &problem, |problem| problem.demands().len());
        assert_eq!(demands, problem.demands().len());
        let failed = quietly(|| {
            shrinking("problem 5 of seed 7", "--seed 3", &problem, |problem| {
                assert!(problem.demands().is_empty(), "{} messages", problem.demands().len());
            });
        });
        let told = failed.unwrap_err();
        for part in ["problem 5 of seed 7: 1 messages", "ccsched solve -t tiny.toml", "--seed 3"] {
            assert!(told.contains(part), "{told}");
        }
    }
}
