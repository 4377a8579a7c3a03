//! The statements of DOT: nodes, edges between lists of nodes, subgraphs, attributes.

use super::drawing;
use super::parts::{Attributes, Parts};
use super::tokens::Token;
use crate::VertexId;
use crate::files::lines::short;
use crate::files::mistake::{Wrong, wrong};
use crate::files::plain::{Plain, Way};
use crate::files::{Source, delays, widths};
use ccsched_base::limits::DEPTH;
use std::borrow::Cow;
use std::collections::HashSet;

/// The statements of a text, and the graph that they make.
pub struct Statements<'t> {
    source: &'t Source<'t>,
    parts: Parts<'t>,
    directed: bool,
    strict: bool,
    name: Option<String>,
    graph: Plain<'t>,
    /// The attributes of all edges that follow.
    of_edges: Attributes<'t>,
    of_nodes: Attributes<'t>,
    /// The pairs of nodes that have an edge, if a second one is dropped.
    joined: HashSet<(VertexId, VertexId)>,
    /// The nodes that are drawn as records. Their labels are layouts: `{<a> one|<b> two}`.
    records: HashSet<VertexId>,
}

impl<'t> Statements<'t> {
    /// Reads up to the first brace.
    pub fn new(source: &'t Source<'t>) -> Result<Self, Wrong> {
        let mut all = Statements {
            source,
            parts: Parts::new(source.text)?,
            directed: false,
            strict: false,
            name: None,
            graph: Plain::default(),
            of_edges: Vec::new(),
            of_nodes: Vec::new(),
            joined: HashSet::new(),
            records: HashSet::new(),
        };
        all.strict = all.parts.keyword("strict")?;
        all.directed = all.parts.keyword("digraph")?;
        if !all.directed && !all.parts.keyword("graph")? {
            return all.parts.expected("'graph' or 'digraph'");
        }
        if let Some((_, Token::Id(name, _))) = &all.parts.peek {
            all.name = Some(name.to_string());
            all.parts.step()?;
        }
        all.parts.need("{")?;
        Ok(all)
    }

    /// Reads all statements.
    pub fn all(&mut self) -> Result<(), Wrong> {
        self.list(0)?;
        match self.parts.peek {
            None => Ok(()),
            Some(_) => self.parts.expected("the end of the file, for one graph is read"),
        }
    }

    /// The graph and its name.
    pub fn finish(mut self) -> (Plain<'t>, Option<String>) {
        self.records.iter().for_each(|&v| self.graph.label(v, Cow::Borrowed("")));
        (self.graph, self.name)
    }

    /// Statements up to the closing brace; the nodes that they name.
    fn list(&mut self, depth: usize) -> Result<Vec<VertexId>, Wrong> {
        if depth > DEPTH {
            return self.parts.expected(&format!("at most {DEPTH} subgraphs inside each other"));
        }
        let (of_edges, of_nodes) = (self.of_edges.clone(), self.of_nodes.clone());
        let mut nodes = Vec::new();
        while !self.parts.take("}")? {
            if self.parts.peek.is_none() {
                return self.parts.expected("'}'");
            }
            if !self.parts.take(";")? && !self.parts.take(",")? {
                self.statement(depth, &mut nodes)?;
            }
        }
        (self.of_edges, self.of_nodes) = (of_edges, of_nodes);
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }

    fn statement(&mut self, depth: usize, nodes: &mut Vec<VertexId>) -> Result<(), Wrong> {
        if self.parts.keyword("graph")? {
            self.parts.attributes()?;
            return Ok(());
        }
        if self.parts.keyword("edge")? {
            let all = self.parts.attributes()?;
            keep(&mut self.of_edges, all, |name| name == "dir" || delays::is_known(name));
            return Ok(());
        }
        if self.parts.keyword("node")? {
            let all = self.parts.attributes()?;
            keep(&mut self.of_nodes, all, |name| ["terminal", "shape"].contains(&name));
            return Ok(());
        }
        let (mut left, single) = self.operand(depth)?;
        if single && self.parts.take("=")? {
            self.parts.value()?;
            return Ok(());
        }
        let left_nodes = left.resolve(self);
        nodes.extend(&left_nodes);
        let mut lists = vec![left_nodes];
        let at = self.parts.at();
        while let Some((at, Token::Sign(sign @ ("--" | "->")))) = self.parts.peek {
            if (sign == "->") != self.directed {
                let (kind, right) = if self.directed { ("digraph", "->") } else { ("graph", "--") };
                return wrong(at, format!("'{sign}' in a {kind}; its edges are '{right}'"));
            }
            self.parts.step()?;
            let (mut next, _) = self.operand(depth)?;
            let next = next.resolve(self);
            nodes.extend(&next);
            lists.push(next);
        }
        let attributes = self.parts.attributes()?;
        match &lists[..] {
            [alone] if single => self.describe(alone, &attributes),
            [_] => Ok(()),
            _ => lists.windows(2).try_for_each(|two| self.join(&two[0], &two[1], &attributes, at)),
        }
    }

    /// A node or a subgraph, and whether it is a node.
    fn operand(&mut self, depth: usize) -> Result<(Operand<'t>, bool), Wrong> {
        let subgraph = self.parts.keyword("subgraph")?;
        if subgraph && matches!(self.parts.peek, Some((_, Token::Id(..)))) {
            self.parts.step()?;
        }
        if self.parts.take("{")? {
            return Ok((Operand::List(self.list(depth + 1)?), false));
        }
        if subgraph {
            return self.parts.expected("'{' of the subgraph");
        }
        let (at, name) = self.parts.id("a node")?;
        if name.is_empty() || name.contains(char::is_control) {
            return wrong(at, "a node needs a name of printable characters");
        }
        // A port of the drawing: `a:north:e`.
        while self.parts.take(":")? {
            self.parts.id("a port")?;
        }
        Ok((Operand::Node(name), true))
    }

    /// Joins all nodes of a list to all of the next one.
    fn join(
        &mut self,
        from: &[VertexId],
        to: &[VertexId],
        attributes: &Attributes<'t>,
        at: usize,
    ) -> Result<(), Wrong> {
        let all = || self.of_edges.iter().chain(attributes);
        // Of two values of one name the later one counts.
        let last = all().rev().map(|(name, value, at)| (&**name, &**value, *at));
        let delay = delays::of_attributes(last.clone(), self.source)?;
        let width = widths::of_attributes(last, self.source)?;
        self.graph.delay(delay);
        let unused = |name: &str| !drawing::is(name) && !delays::is_known(name);
        for (name, _, at) in attributes.iter().filter(|(name, ..)| unused(name)) {
            self.graph.unused("edges", *at, name);
        }
        let both = all().rfind(|(name, ..)| name == "dir");
        let both = both.is_some_and(|(_, value, _)| value == "both" || value == "none");
        let way = if self.directed && !both { Way::One } else { Way::Both };
        // `{..} -- {..}` joins all nodes of one list to all of the other.
        self.graph.will_have((from.len() as u64).saturating_mul(to.len() as u64), at)?;
        for &a in from {
            for &b in to {
                let key = if self.directed { (a, b) } else { (a.min(b), a.max(b)) };
                if !self.strict || self.joined.insert(key) {
                    self.graph.edge(a, b, way, width, 1);
                }
            }
        }
        Ok(())
    }

    /// Applies the attributes of a node.
    fn describe(&mut self, nodes: &[VertexId], attributes: &Attributes<'t>) -> Result<(), Wrong> {
        let &[v] = nodes else { return Ok(()) };
        for (name, value, at) in attributes {
            match &**name {
                "label" if value != "\\N" => self.graph.label(v, value.clone()),
                "pos" => {
                    let number = |text: &str| text.trim_end_matches('!').parse::<f64>().ok();
                    let place = value.split_once(',').map(|(x, y)| (number(x), number(y)));
                    if let Some((Some(x), Some(y))) = place {
                        self.graph.place(v, x, y);
                    }
                }
                "terminal" => self.graph.terminal(v, yes(value, *at)?),
                "shape" => self.shape(v, value),
                name if drawing::is(name) => (),
                name => self.graph.unused("nodes", *at, name),
            }
        }
        Ok(())
    }

    /// Notes whether a node is drawn as a record.
    fn shape(&mut self, v: VertexId, shape: &str) {
        if matches!(shape, "record" | "Mrecord") {
            self.records.insert(v);
        } else {
            self.records.remove(&v);
        }
    }
}

/// Replaces the attributes of all that follows, as far as they count.
fn keep<'t>(list: &mut Attributes<'t>, new: Attributes<'t>, counts: impl Fn(&str) -> bool) {
    for entry in new.into_iter().filter(|(name, ..)| counts(name)) {
        list.retain(|(name, ..)| *name != entry.0);
        list.push(entry);
    }
}

/// One end of edges.
enum Operand<'t> {
    Node(Cow<'t, str>),
    List(Vec<VertexId>),
}

impl<'t> Operand<'t> {
    /// Its nodes; a new one gets the attributes of all nodes.
    fn resolve(&mut self, all: &mut Statements<'t>) -> Vec<VertexId> {
        match self {
            Operand::List(nodes) => std::mem::take(nodes),
            Operand::Node(name) => {
                let is_new = all.graph.find(name).is_none();
                let v = all.graph.vertex(std::mem::take(name));
                for (name, value, at) in all.of_nodes.clone().iter().filter(|_| is_new) {
                    match &**name {
                        "terminal" => all.graph.terminal(v, yes(value, *at).unwrap_or(true)),
                        _ => all.shape(v, value),
                    }
                }
                vec![v]
            }
        }
    }
}

/// A value that is true or false.
fn yes(value: &str, at: usize) -> Result<bool, Wrong> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => wrong(at, format!("terminal is true or false, not '{}'", short(value))),
    }
}
