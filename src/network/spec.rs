//! Networks from a user's text: a family's spec or the path of a file.

use super::families::{WIDTHS, Widths};
use super::files::{Loaded, Reading};
use super::{LinkKind, MAX_CAPACITY, Network, families, files, suggestion};
use ccsched_base::{Error, Result};
use std::path::Path;

/// The network that `text` names: a file if it has a slash or ends in `.toml`, else a member of a
/// family, `kautz:3,2` or `ring:8,half`, else a file of that name.
///
/// # Errors
/// Unknown families, wrong parameters, faulty files.
pub fn load(text: &str) -> Result<Network> {
    load_as(text, &Reading::default())
}

/// The network that `text` names, with these settings. What the reader of a file did not use or had
/// to guess is logged; [`load_noticing`] returns it.
///
/// # Errors
/// As [`load`], and settings that a family or the format of the file has no use for.
pub fn load_as(text: &str, how: &Reading) -> Result<Network> {
    load_noticing(text, how).map(Loaded::logged)
}

/// The network of [`load_as`], with the format of its file and what the reader of that did not use or had to guess.
///
/// # Errors
/// As [`load_as`].
pub fn load_noticing(text: &str, how: &Reading) -> Result<Loaded> {
    let path = Path::new(text);
    let is_path = text.contains('/') || text.ends_with(".toml");
    let is_family = || families::find(split(text).0).is_some();
    if is_path || (!is_family() && path.exists() && !path.is_dir()) {
        return files::read_noticing(path, how);
    }
    let net = parse(text)?;
    if let Some(&setting) = how.given().first() {
        return Err(Error::field(setting, format!("it is for files, and '{text}' is none")));
    }
    Ok(Loaded { network: how.finish(net)?, notices: Vec::new(), format: None })
}

/// The member of a family that `text` names.
///
/// # Errors
/// Unknown families, wrong parameters.
pub fn parse(text: &str) -> Result<Network> {
    let (plan, canonical, kind, widths) = planned(text)?;
    plan.build(canonical, kind, widths)
}

/// Whether `text` names the member of a family.
fn is_valid(text: &str) -> bool {
    planned(text).is_ok()
}

/// The plan of the network that `text` names, its name, and its links.
fn planned(text: &str) -> Result<(families::Plan, String, LinkKind, Widths)> {
    let wrong = |why: String| Error::Spec { spec: text.to_string(), why };
    let (name, params, options) = split(text);
    let family = families::find(name)
        .ok_or_else(|| wrong(format!("there is no such family or file{}", did_you_mean(text))))?;
    let options = Options::read(&options).map_err(wrong)?;
    let plan = (family.plan)(params).map_err(|why| {
        let usage = family.usage();
        // The example stands there anyway, and numbers of its own are not what was meant.
        let digits = |spec: &str| spec.chars().filter(char::is_ascii_digit).collect::<String>();
        let meant = suggestion::nearest(text, is_valid).filter(|spec| digits(spec) == digits(text));
        let hint = meant.map_or(String::new(), |spec| format!("; did you mean '{spec}'?"));
        wrong(format!("{why} ({usage}: {}; for example {}){hint}", family.about, family.example))
    })?;
    let kind = kind(family.name, &plan, options.kind).map_err(wrong)?;
    let widths = options.widths(family.name, &plan).map_err(wrong)?;
    let mut canonical = family.name.to_string();
    if !plan.params.is_empty() {
        canonical = format!("{canonical}:{}", plan.params);
    }
    // `kautz:3,2,simplex` is `kautz:3,2`.
    if let (Some(option), false) = (options.kind, plan.one_way) {
        canonical = format!("{canonical},{option}");
    }
    for (name, value) in [("width", widths.width), ("up", widths.up), ("grow", widths.grow)] {
        if value > 1 {
            canonical = format!("{canonical},{name}={value}");
        }
    }
    Ok((plan, canonical, kind, widths))
}

/// Name, parameters, and the options of the links at the end.
fn split(text: &str) -> (&str, &str, Vec<&str>) {
    let is_option = |word: &str| {
        matches!(word, "half" | "simplex")
            || word.split_once('=').is_some_and(|(name, _)| WIDTHS.contains(&name))
    };
    let (mut rest, mut options) = (text, Vec::new());
    while let Some((before, word)) = rest.rsplit_once(',').filter(|(_, word)| is_option(word)) {
        rest = before;
        options.insert(0, word);
    }
    let end = rest.find([':', ',']).unwrap_or(rest.len());
    let params = &rest[end..];
    (&rest[..end], params.strip_prefix(':').unwrap_or(params), options)
}

/// The options of a spec.
struct Options<'t> {
    kind: Option<&'t str>,
    /// Values of [`WIDTHS`].
    widths: [Option<u32>; 3],
}

impl<'t> Options<'t> {
    fn read(words: &[&'t str]) -> Result<Self, String> {
        let mut options = Options { kind: None, widths: [None; 3] };
        for &word in words {
            let is_new = match word.split_once('=') {
                None => options.kind.replace(word).is_none(),
                Some((name, value)) => {
                    let value = value.parse().ok().filter(|v| (1..=MAX_CAPACITY).contains(v));
                    let Some(value) = value else {
                        return Err(format!(
                            "'{word}': {name} is a whole number from 1 to {MAX_CAPACITY}"
                        ));
                    };
                    let place = WIDTHS.iter().position(|&width| width == name).unwrap_or(0);
                    options.widths[place].replace(value).is_none()
                }
            };
            if !is_new {
                return Err(format!("'{word}': this option is given twice"));
            }
        }
        Ok(options)
    }

    fn widths(&self, name: &str, plan: &families::Plan) -> Result<Widths, String> {
        let [width, up, grow] = self.widths;
        if (up.is_some() || grow.is_some()) && !plan.has_levels() {
            return Err(format!(
                "'up' and 'grow' are for trees with links above those of their leaves; this {name} has \
                 none; 'width' makes all links wider"
            ));
        }
        let [width, up, grow] = [width, up, grow].map(|value| value.unwrap_or(1));
        let widths = Widths { width, up, grow };
        if widths != Widths::default() && plan.carries(widths) > families::MAX_CHANNELS {
            return Err(format!(
                "its channels would carry {} transfers a step; the maximum is {}",
                plan.carries(widths),
                families::MAX_CHANNELS
            ));
        }
        Ok(widths)
    }
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

/// The suggestion at the end of an error about a spec.
fn did_you_mean(text: &str) -> String {
    if Path::new(text).is_dir() {
        return "; it is a folder: name a file in it".into();
    }
    // Sizes alone are those of a grid.
    let grids = ["mesh", "torus"].map(|family| format!("{family}:{text}"));
    match suggestion::nearest(text, is_valid) {
        Some(spec) => format!("; did you mean '{spec}'?"),
        None if text.contains('x') && grids.iter().all(|spec| is_valid(spec)) => {
            format!("; did you mean '{}' or '{}'?", grids[0], grids[1])
        }
        None => String::new(),
    }
}
