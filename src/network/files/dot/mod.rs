//! DOT, the language of Graphviz. An edge of a `graph` is a two-way link; one of a `digraph` is a
//! one-way channel, unless every edge has its reverse. Of the attributes `label`, `pos`, `terminal`
//! (nodes) and those of `widths` (edges) count, the others are left out. Labels that are HTML, or layouts of
//! records, are no names: the id is.

mod drawing;
mod parts;
mod statements;
mod tokens;

use super::Source;
use super::mistake::Wrong;
use crate::Network;
use ccsched_base::Result;
use statements::Statements;
use tokens::{Token, Tokens};

/// Whether a text begins like a graph of DOT.
pub fn recognises(text: &str) -> bool {
    let mut tokens = Tokens::new(text);
    let mut next = || tokens.next().ok().flatten().map(|(_, token)| token);
    let mut token = next();
    let is = |token: &Option<Token>, word: &str| matches!(token, Some(Token::Id(id, false)) if id.eq_ignore_ascii_case(word));
    if is(&token, "strict") {
        token = next();
    }
    if !is(&token, "graph") && !is(&token, "digraph") {
        return false;
    }
    match next() {
        Some(Token::Sign("{")) => true,
        Some(Token::Id(..)) => matches!(next(), Some(Token::Sign("{"))),
        _ => false,
    }
}

/// A text in quotation marks, for writers. A backslash before the closing one would escape it.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Reads a file.
pub fn read(source: &Source) -> Result<Network> {
    parse(source).map_err(|wrong| wrong.in_file(source.path, source.text))
}

fn parse(source: &Source) -> Result<Network, Wrong> {
    let mut statements = Statements::new(source)?;
    statements.all()?;
    let (graph, name) = statements.finish();
    let name = name.filter(|name| !name.is_empty() && !name.contains(char::is_control));
    graph.build(name.unwrap_or_else(|| source.name()), source)
}
