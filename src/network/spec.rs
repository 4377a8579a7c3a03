//! From what a user calls a network, a family's spec or a file, to the network.

use super::{LinkKind, Network, families, files, suggestion};
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
    let family = families::find(name)
        .ok_or_else(|| wrong(format!("there is no such family or file{}", did_you_mean(text))))?;
    let plan = (family.plan)(params).map_err(|why| {
        let usage = family.usage();
        let hint = did_you_mean(text);
        wrong(format!("{why} ({usage}: {}; for example {}){hint}", family.about, family.example))
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

/// The end of a complaint about a spec.
fn did_you_mean(text: &str) -> String {
    suggestion::nearest(text).map_or(String::new(), |spec| format!("; did you mean '{spec}'?"))
}
