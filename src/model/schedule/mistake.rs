//! Mistakes in the text of a schedule file, each with its line.

use serde_json::error::Category;
use std::io;

/// Why a file cannot be read.
#[derive(Debug)]
pub(super) enum Mistake {
    Unreadable(io::Error),
    /// Line, from 1, and reason.
    At(usize, String),
}

/// Line and text of the parser's error.
pub(super) fn explain(e: serde_json::Error) -> Mistake {
    let place = format!(" at line {} column {}", e.line(), e.column());
    let text = e.to_string().replace(&place, "");
    let why = match e.classify() {
        Category::Io => return Mistake::Unreadable(e.into()),
        Category::Eof => {
            "the file is cut short: it ends in the middle of the JSON text".to_string()
        }
        Category::Data if text.contains("enum Ports") => {
            "wrong shape: `ports` is \"all\" or a number from 1".to_string()
        }
        Category::Data => format!("wrong shape (column {}): {text}", e.column()),
        _ => format!(
            "not JSON (column {}): {text}; a schedule is a file of `solve --output`, and -t reads \
             networks",
            e.column()
        ),
    };
    Mistake::At(e.line().max(1), why)
}
