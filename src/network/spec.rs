//! From what a user calls a network, a family's spec or a file, to the network.

use super::{LinkKind, Network, families, files};
use crate::{Error, Result};
use std::path::Path;

/// The network that `text` names: a file where it has a slash or ends in `.toml`, else a member of
/// a family, `kautz:3,2` or `ring:8,half`, else a file of that name.
///
/// # Errors
/// Unknown families, wrong parameters, faulty files.
pub fn load(text: &str) -> Result<Network> {
    let path = Path::new(text);
    if text.contains('/') || text.ends_with(".toml") {
        return files::read(path);
    }
    let known = families::find(split(text).0).is_some();
    if !known && path.is_file() { files::read(path) } else { parse(text) }
}

/// The member of a family that `text` names.
///
/// # Errors
/// Unknown families, wrong parameters.
pub fn parse(text: &str) -> Result<Network> {
    let wrong = |why: String| Error::Spec { spec: text.to_string(), why };
    let (name, params, option) = split(text);
    let family = families::find(name).ok_or_else(|| wrong(unknown(name)))?;
    let plan = (family.plan)(params).map_err(|why| {
        let usage = family.usage();
        wrong(format!("{why} ({usage}: {}; for example {})", family.about, family.example))
    })?;
    let kind = kind(family.name, &plan, option).map_err(wrong)?;
    let mut canonical = family.name.to_string();
    if !plan.params.is_empty() {
        canonical = format!("{canonical}:{}", plan.params);
    }
    // `kautz:3,2,simplex` is `kautz:3,2`.
    if let (Some(option), false) = (option, plan.one_way) {
        canonical = format!("{canonical},{option}");
    }
    plan.build(canonical, kind)
}

/// Name, parameters, and what links are to be.
fn split(text: &str) -> (&str, &str, Option<&str>) {
    let (rest, option) = match text.rsplit_once(',') {
        Some((rest, option @ ("half" | "simplex"))) => (rest, Some(option)),
        _ => (text, None),
    };
    let end = rest.find([':', ',']).unwrap_or(rest.len());
    let params = &rest[end..];
    (&rest[..end], params.strip_prefix(':').unwrap_or(params), option)
}

fn kind(name: &str, plan: &families::Plan, option: Option<&str>) -> Result<LinkKind, String> {
    if let (Some(option), false) = (option, plan.is_direct()) {
        return Err(format!("'{option}' is for networks without switches, and {name} has some"));
    }
    match (option, plan.one_way) {
        (Some("half"), true) => Err(format!("the channels of {name} are one-way, not half duplex")),
        (Some("half"), false) => Ok(LinkKind::HalfDuplex),
        (None, false) => Ok(LinkKind::FullDuplex),
        (Some(_), _) | (None, true) => Ok(LinkKind::OneWay),
    }
}

/// Why there is no such network, and what there is.
fn unknown(name: &str) -> String {
    let hint = match families::nearest(name) {
        Some(family) => format!("; did you mean '{}'?", family.example),
        None => String::new(),
    };
    let list = families::list();
    format!(
        "there is no such family or file{hint}\nfamilies (',half' or ',simplex' after those \
         without switches makes their links half duplex or one-way):\n{list}"
    )
}
