//! The refutation against exact solutions: it never rules out a feasible number of steps, and
//! rarely leaves an infeasible one open.

use super::solve;
use crate::support::share::{share, tries_all};
use crate::support::shrink::shrinking;
use crate::support::tiny;
use ccsched::bounds;
use ccsched::problem::{Collective, Content, Switching};
use ccsched::refute::{Verdict, refute};
use ccsched::rng::rng_of;

/// Returns how often the refutation proved more than every bound.
fn refuted(seed: u64, collective: Collective, switching: Switching, problems: usize) -> usize {
    let mut rng = rng_of(seed, 0, 0);
    let (mut drawn, mut longer, mut shown, mut beyond) = (0, 0, 0, 0);
    while drawn < problems {
        let problem = match switching {
            Switching::Hosts => tiny::of_some(&mut rng, collective, switching),
            Switching::Wormhole | Switching::StoreAndForward => tiny::problem(&mut rng, collective),
        };
        if problem.switching() != switching {
            continue;
        }
        let about = format!("problem {} of seed {seed}", drawn + 1);
        let checked = shrinking(&about, "--islands 1", &problem, |problem| {
            let exact = solve(problem, true).ok()?.steps;
            let verdict = |steps: usize| refute(problem, steps as u32, 100_000, &|| false);
            assert_eq!(verdict(exact), Verdict::Possible, "{exact} steps");
            Some((exact, exact > 1 && verdict(exact - 1) == Verdict::Impossible))
        });
        let Some((exact, is_shown)) = checked else { continue };
        drawn += 1;
        if exact > 1 {
            longer += 1;
            shown += usize::from(is_shown);
            let bound = bounds::all(&problem).first().map_or(0, |b| b.steps as usize);
            beyond += usize::from(is_shown && bound < exact);
        }
    }
    println!("{collective} {switching}: {shown} of {longer} shown, {beyond} beyond all bounds");
    assert!(longer * 2 >= drawn, "{longer} of {drawn} take several steps");
    // Between hosts some vertices store and others do not; the clauses leave a few more open.
    let least = if switching == Switching::Hosts && collective.content() == Content::Common {
        95
    } else {
        99
    };
    assert!(shown * 100 >= longer * least, "{shown} of {longer}");
    beyond
}

/// Scatters of all kinds; returns how often the refutation proved more than every bound.
fn scatters(first_seed: u64, switching: Switching, problems: usize) -> usize {
    let collectives = [Collective::Oas, Collective::Aas, Collective::Aog, Collective::Traffic];
    let counts =
        (first_seed..).zip(collectives).map(|(seed, c)| refuted(seed, c, switching, problems));
    counts.sum()
}

#[test]
fn broadcasts_between_hosts_that_store_are_too_short() {
    for collective in [Collective::Oab, Collective::Aab] {
        refuted(61, collective, Switching::Hosts, 40);
    }
}

#[test]
fn scatters_that_are_too_short() {
    let beyond = scatters(31, Switching::Wormhole, share(500));
    assert!(beyond >= if tries_all() { 10 } else { 1 }, "the bounds were enough but for {beyond}");
}

#[test]
fn stored_scatters_that_are_too_short() {
    let beyond = scatters(41, Switching::StoreAndForward, share(800));
    assert!(beyond >= share(50), "the bounds were enough but for {beyond}");
}

#[test]
fn one_to_all_broadcasts_that_are_too_short() {
    refuted(21, Collective::Oab, Switching::Wormhole, 400);
    refuted(22, Collective::Oab, Switching::StoreAndForward, 400);
}

#[test]
fn all_to_all_broadcasts_that_are_too_short() {
    refuted(23, Collective::Aab, Switching::Wormhole, 300);
    refuted(24, Collective::Aab, Switching::StoreAndForward, 300);
}
