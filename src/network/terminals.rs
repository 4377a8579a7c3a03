//! The choice of the terminals by their names. Files of graphs do not distinguish terminals from
//! switches, and often only a part of a large network takes part.

use super::{Network, NetworkBuilder, VertexId, hostlist};
use ccsched_base::{Error, Result, limits};

/// Names, in Slurm's notation, with `*` for any text and `?` for any character; `!` before a name
/// excludes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    text: String,
    globs: Vec<String>,
    /// Globs of the names that are excluded.
    excluded: Vec<String>,
}

impl std::str::FromStr for Pattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |why: String| Error::field("terminals", why);
        let mut left = limits::HOSTS;
        let globs = hostlist::expand(text, &mut left).map_err(|(_, why)| wrong(why))?;
        match globs.is_empty() {
            true => Err(wrong("the pattern is empty; for example n[1-8] or h*".into())),
            false => {
                let names = globs.iter().skip_while(|glob| !glob.starts_with('!'));
                if let Some(plain) = names.clone().find(|glob| !glob.starts_with('!')) {
                    let first = names.clone().next().map_or("", |glob| &glob[1..]);
                    return Err(wrong(format!(
                        "'{text}': ! stands for one name; all but both is !{first},!{plain}, and of \
                         '{plain}' without '{first}' it is {plain},!{first}"
                    )));
                }
                let (excluded, mut globs): (Vec<_>, Vec<_>) =
                    globs.into_iter().partition(|glob| glob.starts_with('!'));
                let excluded = excluded.iter().map(|glob| glob[1..].to_string()).collect();
                if globs.is_empty() {
                    globs.push("*".into());
                }
                Ok(Pattern { text: text.to_string(), globs, excluded })
            }
        }
    }
}

impl Pattern {
    /// Whether one of the names of a vertex is among the pattern's, and none is excluded.
    pub fn matches<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> bool {
        let any = |globs: &[String], name: &str| globs.iter().any(|glob| glob_matches(glob, name));
        let mut is_named = false;
        for name in names {
            if any(&self.excluded, name) {
                return false;
            }
            is_named |= any(&self.globs, name);
        }
        is_named
    }
}

/// Whether a glob with `*` and `?` covers the whole name. After a mismatch, the last `*` takes one
/// character more; this is linear in the name for every star.
fn glob_matches(glob: &str, name: &str) -> bool {
    let (mut g, mut n) = (glob.chars(), name.chars());
    let mut again = None;
    loop {
        match (g.next(), n.clone().next()) {
            (Some('*'), _) => again = Some((g.clone(), n.clone())),
            (None, None) => return true,
            (Some(wanted), Some(is)) if wanted == '?' || wanted == is => {
                n.next();
            }
            _ => {
                let Some((after, rest)) = &mut again else { return false };
                if rest.next().is_none() {
                    return false;
                }
                (g, n) = (after.clone(), rest.clone());
            }
        }
    }
}

/// The network whose terminals are the vertices that the pattern names, by name or alias. Static
/// routes between others are left out.
///
/// # Errors
/// The pattern names no vertex.
pub fn choose(net: &Network, pattern: &Pattern) -> Result<Network> {
    let mut names: Vec<Vec<&str>> = net.vertices().iter().map(|v| vec![&*v.name]).collect();
    net.aliases().for_each(|(alias, v)| names[v as usize].push(alias));
    let chosen: Vec<bool> = names.into_iter().map(|names| pattern.matches(names)).collect();
    if !chosen.contains(&true) {
        let known: Vec<VertexId> = (0..net.vertices().len() as VertexId).collect();
        let names = net.some_names(&known);
        let why = format!("'{}' is the name of no vertex; there are {names}", pattern.text);
        return Err(Error::field("terminals", why));
    }
    let mut changed = with_terminals(net, |v| chosen[v as usize]);
    for (from, to, route) in net.routes().iter() {
        if chosen[from as usize] && chosen[to as usize] {
            changed.route(from, to, route);
        }
    }
    changed.build()
}

/// A builder that has all of a network but its static routes, with other terminals.
pub(super) fn with_terminals(
    net: &Network,
    is_terminal: impl Fn(VertexId) -> bool,
) -> NetworkBuilder {
    let mut changed = NetworkBuilder::new(net.name());
    changed.rate(net.rate().cloned());
    for (id, vertex) in (0..).zip(net.vertices()) {
        changed.vertex(vertex.name.clone(), is_terminal(id));
        if let Some((x, y)) = net.coordinates(id) {
            changed.place(id, x, y);
        }
    }
    for (id, channel) in (0..).zip(net.channels()) {
        // The channels of a link were added together.
        if channel.reverse.is_none_or(|reverse| id < reverse) {
            changed.wide_link(channel.from, channel.to, channel.kind(), channel.capacity);
            changed.delay(net.delays_of(id));
        }
    }
    net.aliases().for_each(|(alias, v)| changed.alias(alias, v));
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    #[test]
    fn globs_cover_whole_names() {
        for (glob, name, is) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("*b", "abc", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("?", "", false),
            ("a*b*c", "axxbyybzc", true),
            ("a*b*d", "axxbyybzc", false),
            ("ä?", "äö", true),
        ] {
            assert_eq!(glob_matches(glob, name), is, "{glob} {name}");
        }
        // Not exponential in the stars.
        assert!(!glob_matches(&"*a".repeat(40), &"a".repeat(39)));
    }

    #[test]
    fn the_others_become_switches_and_lose_their_routes() {
        let net = spec::parse("swiss-t1").unwrap();
        let pattern: Pattern = "t[0-3],r?".parse().unwrap();
        let part = choose(&net, &pattern).unwrap();
        assert!(part.terminals().all(|v| pattern.matches([part.vertex_name(v)])));
        assert_eq!(part.channels(), net.channels());
        assert!(part.routes().iter().count() > 0);
        assert!(part.routes().iter().count() < net.routes().iter().count());
        let all = choose(&net, &"*".parse().unwrap()).unwrap();
        assert_eq!(all.terminals().count(), net.vertices().len());
        let others = choose(&net, &"!t[0-3],!r*".parse().unwrap()).unwrap();
        assert!(others.terminals().all(|v| !pattern.matches([others.vertex_name(v)])));
        let tx = choose(&net, &"t*,!t5".parse().unwrap()).unwrap();
        assert_eq!(
            tx.terminals().count() + 1,
            choose(&net, &"t*".parse().unwrap()).unwrap().terminals().count()
        );
        let why = choose(&net, &"x*".parse().unwrap()).unwrap_err().to_string();
        assert!(why.contains("'x*'") && why.contains("t0"), "{why}");
        let why = "t1,!t5,t6".parse::<Pattern>().unwrap_err().to_string();
        assert!(why.contains("!t5,!t6"), "{why}");
        assert!("n[1-".parse::<Pattern>().is_err() && "".parse::<Pattern>().is_err());
    }
}
