//! Violations: which rule is broken, in which step, on which channel, by which transfers.

use ccsched_base::cores;
use ccsched_model::schedule::file::TransferRecord;
use ccsched_model::schedule::printable::printable;
use std::fmt;

/// The checker stops after this many violations: further ones seldom add information.
const LIMIT: usize = 20;

/// The rules of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The network or the model is not consistent in itself.
    Structure,
    /// A transfer's channels are no simple path from its start to its end.
    Path,
    /// A path is longer than the routing allows.
    Routing,
    /// More transfers use a channel, or a half-duplex link, in one step than its capacity.
    Conflict,
    /// A terminal sends or receives more messages in a step than it has ports.
    Ports,
    /// A vertex sends a message that it does not have yet.
    Causality,
    /// A message is missing, delivered twice, or not asked for.
    Completeness,
    /// A broadcast message reaches a vertex that already has it; a vertex hands over its part of a sum
    /// twice.
    Redundant,
    /// A lower bound claims more than its argument gives, or more than the schedule has steps.
    Bounds,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Structure => "structure",
            Rule::Path => "path",
            Rule::Routing => "routing",
            Rule::Conflict => "conflict",
            Rule::Ports => "ports",
            Rule::Causality => "causality",
            Rule::Completeness => "completeness",
            Rule::Redundant => "redundant",
            Rule::Bounds => "bounds",
        })
    }
}

/// A transfer that takes part in a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Involved {
    /// Its step, from 0.
    pub step: usize,
    /// Its place in the step, from 0.
    pub index: usize,
    /// The transfer as the file has it.
    pub transfer: TransferRecord,
}

impl fmt::Display for Involved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 16;
        let t = &self.transfer;
        let what = if t.message.is_sum { "sum for" } else { "message of" };
        write!(f, "transfer {} ({what} {}", self.index + 1, t.message.source)?;
        if let Some(destination) = &t.message.destination {
            write!(f, " for {destination}")?;
        }
        let mut path: Vec<_> = t.channels.iter().take(SHOWN).map(|c| c.to_string()).collect();
        if t.channels.len() > SHOWN {
            path.push("...".into());
        }
        write!(f, ", {}->{} over [{}])", t.from, t.to, path.join(", "))
    }
}

/// A broken rule. Its text names the rule, the step, the channel and the transfers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The step, from 0; displayed from 1.
    pub step: Option<usize>,
    /// The channel, as an index into the network's channels.
    pub channel: Option<usize>,
    /// Where that channel starts and ends.
    pub ends: Option<(String, String)>,
    /// The transfers at fault; two or more if they conflict.
    pub transfers: Vec<Involved>,
    /// What is wrong and what would be right.
    pub why: String,
}

impl Violation {
    /// A violation without a step.
    pub(super) fn new(rule: Rule, why: impl Into<String>) -> Self {
        let why = why.into();
        Violation { rule, step: None, channel: None, ends: None, transfers: vec![], why }
    }

    /// Adds a channel by its index and the names of its ends.
    pub(super) fn channel(mut self, id: usize, from: &str, to: &str) -> Self {
        self.channel = Some(id);
        self.ends = Some((from.to_string(), to.to_string()));
        self
    }
}

impl fmt::Display for Violation {
    /// One line, whatever names the file has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text)?;
        f.write_str(&printable(&text))
    }
}

impl Violation {
    fn write(&self, f: &mut impl fmt::Write) -> fmt::Result {
        write!(f, "{}: ", self.rule)?;
        if let Some(step) = self.step {
            write!(f, "step {}: ", step + 1)?;
        }
        if let Some(channel) = self.channel {
            write!(f, "channel {channel}")?;
            if let Some((from, to)) = &self.ends {
                write!(f, " ({from}->{to})")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.why)?;
        for (i, involved) in self.transfers.iter().enumerate() {
            f.write_str(if i == 0 { ": " } else { " and " })?;
            if self.step != Some(involved.step) {
                write!(f, "step {} ", involved.step + 1)?;
            }
            write!(f, "{involved}")?;
        }
        Ok(())
    }
}

/// Collects violations up to the limit.
#[derive(Default)]
pub(super) struct Report {
    found: Vec<Violation>,
}

impl Report {
    /// Adds a violation unless the report is full.
    pub(super) fn add(&mut self, violation: Violation) {
        if !self.full() {
            self.found.push(violation);
        }
    }

    /// Adds what checks of parts find, each up to the limit, in the order of the parts.
    pub(super) fn in_parts<P: Send>(
        &mut self,
        parts: Vec<P>,
        check: impl Fn(P, &mut Report) + Sync,
    ) {
        let found = cores::each(parts, |part| {
            let mut report = Report::default();
            check(part, &mut report);
            report
        });
        found.into_iter().for_each(|report| self.absorb(report));
    }

    /// Adds what another report has.
    pub(super) fn absorb(&mut self, other: Report) {
        other.found.into_iter().for_each(|violation| self.add(violation));
    }

    /// Whether the limit is reached.
    pub(super) fn full(&self) -> bool {
        self.found.len() >= LIMIT
    }

    /// Whether nothing was found so far.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Everything found, in the order it was found.
    pub(super) fn into_found(self) -> Vec<Violation> {
        self.found
    }
}

/// Collects violations that are found in another order than they are to be told in: keeps the first
/// ones by this order, as many as a report takes.
pub(super) struct InOrder<K> {
    found: Vec<(K, Violation)>,
}

impl<K> Default for InOrder<K> {
    fn default() -> Self {
        InOrder { found: Vec::new() }
    }
}

impl<K: Ord> InOrder<K> {
    /// Adds the violation that `violation` makes at its place, unless enough come before it.
    pub(super) fn add(&mut self, place: K, violation: impl FnOnce() -> Violation) {
        let at = self.found.partition_point(|(other, _)| *other <= place);
        if at < LIMIT {
            self.found.truncate(LIMIT - 1);
            self.found.insert(at, (place, violation()));
        }
    }

    /// Adds those that others have found.
    pub(super) fn absorb(&mut self, other: Self) {
        other.found.into_iter().for_each(|(place, violation)| self.add(place, || violation));
    }

    /// Adds all of them to a report.
    pub(super) fn tell(self, report: &mut Report) {
        self.found.into_iter().for_each(|(_, violation)| report.add(violation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_by_place_are_told_in_order() {
        for count in [3, 19, 20, 21, 97] {
            let mut found = InOrder::default();
            // 36 and 97 have no common divisor, so every place below 97 comes once.
            for place in (0..97).map(|i| i * 36 % 97).filter(|place| *place < count) {
                found.add(place, || Violation::new(Rule::Path, place.to_string()));
            }
            let mut report = Report::default();
            found.tell(&mut report);
            let told: Vec<String> = report.into_found().into_iter().map(|v| v.why).collect();
            let first = 0..count.min(LIMIT as i32);
            assert_eq!(told, first.map(|place| place.to_string()).collect::<Vec<_>>());
        }
    }
}
