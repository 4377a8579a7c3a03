//! Rule "completeness": every receiver gets each of its messages once, and no other message is
//! carried.

use super::communicators::{Asked, Groups};
use super::groups::{Hop, by_message};
use super::plan::Plan;
use super::violation::{InOrder, Report, Rule, Violation};
use std::collections::{HashMap, HashSet};

/// A receiver that has the message of a source, and the copy that it has.
type Delivered = (usize, u32);

/// The violations of this rule. What is not asked for or delivered again is told in the order of the file,
/// what is missing in the order of senders and receivers.
pub(super) struct Completeness {
    surplus: InOrder<usize>,
    missing: InOrder<(usize, usize)>,
    /// By vertex, its place among the senders.
    place: Vec<Option<usize>>,
    /// What the present source has delivered, sorted.
    got: Vec<Delivered>,
}

impl Completeness {
    /// Nothing is found.
    pub fn new(plan: &Plan<'_>) -> Self {
        let mut place = vec![None; plan.graph.len()];
        plan.demand.senders.iter().enumerate().for_each(|(i, &s)| place[s] = Some(i));
        let (surplus, missing) = (InOrder::default(), InOrder::default());
        Completeness { surplus, missing, place, got: Vec::new() }
    }

    /// Checks the deliveries of a source against the demand; transfers are sorted by message.
    pub fn check(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        self.got.clear();
        if let Some(groups) = &plan.demand.groups {
            return self.grouped(plan, groups, source, hops);
        }
        if plan.demand.broadcast {
            by_message(hops).for_each(|hops| self.broadcast(plan, source, hops));
            self.got.sort_unstable();
        } else {
            self.personal(plan, source, hops);
        }
        if let Some(place) = self.place[source] {
            self.lacks(plan, (place, source));
        }
    }

    /// Adds what was found about other sources.
    pub fn absorb(&mut self, other: Self) {
        self.surplus.absorb(other.surplus);
        self.missing.absorb(other.missing);
    }

    /// Tells what was found.
    pub fn tell(self, report: &mut Report) {
        self.surplus.tell(report);
        self.missing.tell(report);
    }

    /// The messages of a source in all of its groups, each of which stays where it may be.
    fn grouped(&mut self, plan: &Plan<'_>, groups: &Groups, source: usize, hops: &[Hop]) {
        let all = groups.of_source(source);
        let pieces = plan.demand.pieces;
        let nowhere = plan.graph.len();
        // What is asked for, under its destination and the number of its first piece.
        let asked: HashMap<(u32, u64), &Asked> = all
            .iter()
            .map(|asked| ((asked.destination.unwrap_or(nowhere) as u32, asked.copy), asked))
            .collect();
        let mut got = HashSet::new();
        for hops in by_message(hops) {
            let Hop { destination, copy, .. } = hops[0];
            let whole = u64::from(copy - 1) / pieces;
            let Some(asked) = asked.get(&(destination, whole)) else {
                hops.iter().for_each(|hop| self.surplus.add(hop.id, || not_asked(plan, hop)));
                continue;
            };
            for hop in hops {
                got.insert((destination, copy, hop.to));
                let v = hop.to as usize;
                let is_free = !plan.graph.terminal[v] || plan.demand.relays;
                let straight = plan.demand.wormhole;
                if !is_free && !groups.may_hold(source, asked, v, straight) {
                    self.surplus.add(hop.id, || {
                        let m = plan.at(hop.id);
                        let (to, what) = (plan.name(m.to), plan.message(&m));
                        let why = format!("'{to}' gets {what}, which is not for it to pass on");
                        Violation::new(Rule::Completeness, why).by(plan, &[m])
                    });
                }
            }
        }
        for (place, asked) in all.iter().enumerate() {
            let destination = asked.destination.unwrap_or(nowhere) as u32;
            for r in groups.receivers(source, asked) {
                let has = |piece| {
                    got.contains(&(destination, (asked.copy * pieces + piece) as u32 + 1, r as u32))
                };
                if !(0..pieces).all(has) {
                    let at = self.place[source].unwrap_or(0);
                    self.missing.add((at, place), || {
                        let (to, from) = (plan.name(r), plan.name(source));
                        let why = format!("'{to}' never gets a message of '{from}'");
                        Violation::new(Rule::Completeness, why)
                    });
                }
            }
        }
    }

    /// The receivers of a source's broadcast message, or of a piece of it. A second delivery is the rule "redundant". In
    /// wormhole networks others get the message only to send it on.
    fn broadcast(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        let is_for_nobody = |hop: &&Hop| {
            plan.demand.wormhole
                && !plan.demand.hosts
                && !plan.demand.receives[hop.to as usize]
                && hop.to as usize != source
        };
        if hops.iter().any(|hop| is_for_nobody(&hop)) {
            let mut senders: Vec<u32> = hops.iter().map(|hop| hop.from).collect();
            senders.sort_unstable();
            let is_kept = |hop: &&Hop| senders.binary_search(&hop.to).is_err();
            for hop in hops.iter().filter(is_for_nobody).filter(is_kept) {
                self.surplus.add(hop.id, || {
                    let m = plan.at(hop.id);
                    let (to, what) = (plan.name(m.to), plan.message(&m));
                    let why =
                        format!("'{to}' gets {what}, but is no receiver and never forwards it");
                    Violation::new(Rule::Completeness, why).by(plan, &[m])
                });
            }
        }
        for hop in hops {
            if plan.demand.sends[source] && u64::from(hop.copy) <= plan.demand.pieces {
                self.got.push((hop.to as usize, hop.copy));
            } else {
                self.surplus.add(hop.id, || not_asked(plan, hop));
            }
        }
    }

    /// The receivers of a source's messages, each to one destination; in the order of receivers.
    fn personal(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        for hops in by_message(hops) {
            let Hop { destination, copy, .. } = hops[0];
            let asked = plan.demand.messages(source, destination as usize);
            let is_asked = (1..=asked).contains(&u64::from(copy));
            let mut delivery = None;
            for hop in hops {
                if !is_asked {
                    self.surplus.add(hop.id, || not_asked(plan, hop));
                } else if let Some(first) = delivery {
                    self.surplus.add(hop.id, || {
                        let [m, first] = [hop.id, first].map(|id| plan.at(id));
                        let why = format!("{} was already delivered", plan.message(&m));
                        Violation::new(Rule::Completeness, why).by(plan, &[m, first])
                    });
                } else if hop.to == destination {
                    delivery = Some(hop.id);
                    self.got.push((destination as usize, copy));
                }
            }
        }
    }

    /// The receivers that lack a message of a sender.
    fn lacks(&mut self, plan: &Plan<'_>, (place, sender): (usize, usize)) {
        for (at, &r) in plan.demand.receivers.iter().enumerate() {
            let asked = plan.demand.messages(sender, r);
            let is_missing = |copy: &u64| self.got.binary_search(&(r, *copy as u32)).is_err();
            if let Some(copy) = (1..=asked).find(is_missing) {
                self.missing.add((place, at), || {
                    let copy = match plan.demand.pieces {
                        _ if asked == 1 => String::new(),
                        1 => format!(" (copy {copy})"),
                        pieces => {
                            let (copy, piece) = ((copy - 1) / pieces + 1, (copy - 1) % pieces);
                            format!(" (copy {copy}, piece {piece})")
                        }
                    };
                    let (to, from) = (plan.name(r), plan.name(sender));
                    let why = format!("'{to}' never gets the message of '{from}'{copy}");
                    Violation::new(Rule::Completeness, why)
                });
            }
        }
    }
}

fn not_asked(plan: &Plan<'_>, hop: &Hop) -> Violation {
    let m = plan.at(hop.id);
    let why = format!("the model does not ask for {}", plan.message(&m));
    Violation::new(Rule::Completeness, why).by(plan, &[m])
}
