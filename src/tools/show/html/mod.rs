//! A schedule as one page for a browser: the network with a player over the steps, filters, the fill
//! of the steps, a heat map of links over steps. The page holds everything, asks no server for
//! anything, and its policy forbids it to.

mod data;

use super::drawing::Drawing;
use super::scene::Scene;
use ccsched_base::{Error, Result};
use ccsched_model::schedule::ScheduleFile;
use data::Data;
use quick_xml::escape::escape;

/// The most transfers of a page; a browser holds more with difficulty.
pub const MOST_TRANSFERS: usize = 500_000;

const PAGE: &str = include_str!("page/page.html");
/// The look of pages: colours in light and dark, cards.
pub const STYLE: &str = include_str!("page/page.css");
/// The parts of the program of the page, in the order in which they use each other.
const SCRIPTS: [&str; 6] = [
    include_str!("page/model.js"),
    include_str!("page/colours.js"),
    include_str!("page/network.js"),
    include_str!("page/charts.js"),
    include_str!("page/words.js"),
    include_str!("page/main.js"),
];

/// The page of some steps, from 0.
///
/// # Errors
/// [`Error::Problem`]: unknown vertices and channels, with the place in the file; too many transfers; trees,
/// whose channels the page would count for each of their paths.
pub fn page(file: &ScheduleFile, steps: &[usize]) -> Result<String> {
    let transfers: usize = steps.iter().map(|&step| file.steps.places(step).len()).sum();
    if transfers > MOST_TRANSFERS {
        return Err(Error::problem(format!(
            "{transfers} transfers are too many for a page; the most are {MOST_TRANSFERS}: choose \
             some steps"
        )));
    }
    if file.is_multicast() {
        let why = "a page knows transfers from one terminal to another, and none that switches copy or add \
                   up; --svg draws them";
        return Err(Error::problem(why));
    }
    let scene = Scene::new(Drawing::of_file(file)?);
    let data = serde_json::to_string(&Data::of(file, &scene, steps))
        .expect("records of strings and numbers always serialize")
        // Names cannot end the script, nor begin a comment in it.
        .replace('<', "\\u003c");
    let script = format!("'use strict';\n(() => {{\n{}\n}})();", SCRIPTS.join("\n"));
    let title = format!("{} of {}", file.model.collective.to_uppercase(), file.network.name);
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + script.len() + data.len());
    let unit = super::unit(file);
    let template = PAGE.replace("{unit}", unit).replace("{Unit}", &capital(unit));
    // The data comes last, so that no mark in it is replaced.
    let mut rest = template.as_str();
    for (mark, text) in [
        ("{{TITLE}}", escape(&title).as_ref()),
        ("{{STYLE}}", STYLE),
        ("{{DATA}}", &data),
        ("{{SCRIPT}}", &script),
    ] {
        let (before, after) = rest.split_once(mark).expect("the template has all marks in order");
        page += before;
        page += text;
        rest = after;
    }
    Ok(page + rest)
}

/// A word with a capital letter.
fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_uppercase() + rest
}
