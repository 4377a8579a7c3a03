//! The phases of signals and of sums among any number of ranks, each of which sends and receives some
//! messages a step. In a phase what a rank sends comes from consecutive ranks, the last before the first.

/// One transfer: what comes from `count` consecutive ranks, from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub from: usize,
    pub to: usize,
    pub first: usize,
    pub count: usize,
}

/// Transfers of which a rank sends one and gets one at most.
pub type Round = Vec<Sent>;

/// Rounds of transfers, all of what their senders have before the phase.
pub type Phase = Vec<Round>;

/// The most ranks whose phases are made.
const MOST_RANKS: usize = 1 << 14;
/// The most runs of windows that are tried for sums in the fewest phases.
const MOST_TRIES: usize = 1 << 16;

/// The fewest phases in which every rank can learn of all others: each makes at most `reach` + 1 times as
/// many ranks know.
pub fn fewest(ranks: usize, reach: usize) -> usize {
    let (mut phases, mut know) = (0, 1usize);
    while know < ranks {
        (phases, know) = (phases + 1, know.saturating_mul(reach + 1));
    }
    phases
}

/// Recursive doubling (Thakur, Rabenseifner, Gropp 2005, section 4.4), for any radix: the ranks are a box,
/// and along one side after the other all exchange their sums, at most `reach` a phase. Ranks that no box
/// has hand over to one of it before, and get the result after. All ranks add in the same order.
pub fn doubling(ranks: usize, reach: usize) -> Option<Vec<Phase>> {
    if !(2..=MOST_RANKS).contains(&ranks) {
        return None;
    }
    let (core, sides) = best_box(ranks, reach);
    // A rank of the box stands before those that it stands for.
    let (each, more) = ((ranks - core) / core, (ranks - core) % core);
    let place = |of_core: usize| of_core * (each + 1) + of_core.min(more);
    let mut folds = Vec::new();
    for of_core in 0..core {
        for (i, extra) in (place(of_core) + 1..place(of_core + 1)).enumerate() {
            let sent = Sent { from: extra, to: place(of_core), first: extra, count: 1 };
            grown(&mut folds, i).push(sent);
        }
    }
    let back = |sent: &Sent| Sent { from: sent.to, to: sent.from, first: 0, count: ranks };
    let unfolds: Vec<Round> = folds.iter().map(|round| round.iter().map(back).collect()).collect();
    let mut phases: Vec<Phase> = folds.chunks(reach).map(<[Round]>::to_vec).collect();
    let mut block = 1;
    for side in sides {
        let mut rounds = vec![Round::new(); side - 1];
        for of_core in 0..core {
            let (digit, start) = (of_core / block % side, of_core / block * block);
            let (first, end) = (place(start), place(start + block));
            for (away, round) in (1..).zip(&mut rounds) {
                // Exchanges where they can be: folded Clos networks pass them without conflict.
                let other =
                    if side.is_power_of_two() { digit ^ away } else { (digit + away) % side };
                let to = of_core + other * block - digit * block;
                let [from, to] = [of_core, to].map(place);
                round.push(Sent { from, to, first, count: end - first });
            }
        }
        phases.extend(rounds.chunks(reach).map(<[Round]>::to_vec));
        block *= side;
    }
    phases.extend(unfolds.chunks(reach).map(<[Round]>::to_vec));
    Some(phases)
}

/// The box of at most this many ranks with the fewest phases, and its sides.
fn best_box(ranks: usize, reach: usize) -> (usize, Vec<usize>) {
    let along = |side: usize| (side - 1).div_ceil(reach);
    // By size of a box: the fewest phases, and a side.
    let mut of: Vec<(usize, usize)> = (0..=ranks).map(|n| (along(n.max(1)), n)).collect();
    for n in 2..=ranks {
        for side in 2..=ranks / n {
            let phases = of[n].0 + along(side);
            if phases < of[n * side].0 {
                of[n * side] = (phases, side);
            }
        }
    }
    let folded = |core: usize| 2 * ((ranks - core).div_ceil(core)).div_ceil(reach);
    let core = (1..=ranks).rev().min_by_key(|&core| of[core].0 + folded(core)).unwrap_or(1);
    let (mut left, mut sides) = (core, Vec::new());
    while left > 1 {
        sides.push(of[left].1);
        left /= of[left].1;
    }
    sides.sort_unstable();
    (core, sides)
}

/// One rank of each block of consecutive ranks for all of it: it collects by a tree in which a rank gets
/// at most `reach` sums a phase, the first ranks of the blocks double, and the results spread by the same
/// tree.
pub fn led(ranks: usize, reach: usize, block: usize) -> Option<Vec<Phase>> {
    if !(2..=MOST_RANKS).contains(&ranks) || block < 2 {
        return None;
    }
    let end = |start: usize| ranks.min(start + block);
    let (mut collects, mut distance) = (Vec::new(), 1);
    while distance < block.min(ranks) {
        let mut rounds = vec![Round::new(); reach];
        for start in (0..ranks).step_by(block) {
            for to in (start..end(start)).step_by(distance * (reach + 1)) {
                for (child, round) in (1..).zip(&mut rounds) {
                    let from = to + child * distance;
                    let count = end(start).min(from + distance).saturating_sub(from);
                    if count > 0 {
                        round.push(Sent { from, to, first: from, count });
                    }
                }
            }
        }
        rounds.retain(|round| !round.is_empty());
        collects.push(rounds);
        distance *= reach + 1;
    }
    let back = |sent: &Sent| Sent { from: sent.to, to: sent.from, first: 0, count: ranks };
    let turned = |round: &Round| round.iter().map(back).collect();
    let spreads = collects.iter().rev().map(|phase: &Phase| phase.iter().map(turned).collect());
    let spreads: Vec<Phase> = spreads.collect();
    let blocks = ranks.div_ceil(block);
    let of_blocks = |sent: Sent| {
        let sizes = (0..sent.count).map(|i| (sent.first + i) % blocks * block);
        let count = sizes.map(|start| end(start) - start).sum();
        let [from, to, first] = [sent.from, sent.to, sent.first].map(|number| number * block);
        Sent { from, to, first, count }
    };
    let inner = if blocks > 1 { doubling(blocks, reach)? } else { Vec::new() };
    let inner = inner.into_iter().map(|phase| {
        let of_round = |round: Round| round.into_iter().map(of_blocks).collect();
        phase.into_iter().map(of_round).collect()
    });
    Some(collects.into_iter().chain(inner).chain(spreads).collect())
}

/// The round of this number.
fn grown(rounds: &mut Vec<Round>, number: usize) -> &mut Round {
    if rounds.len() <= number {
        rounds.resize_with(number + 1, Round::new);
    }
    &mut rounds[number]
}

/// Dissemination (Hensgen, Finkel, Manber 1988; Bruck and others 1997) of signals, in the fewest phases:
/// a rank that knows of `w` ranks tells those at distances `w`, `2 w`, .. after it.
pub fn signals(ranks: usize, reach: usize) -> Option<Vec<Phase>> {
    if !(2..=MOST_RANKS).contains(&ranks) {
        return None;
    }
    let (mut phases, mut window) = (Vec::new(), 1);
    while window < ranks {
        let shifts = (1..=reach).map(|i| i * window).take_while(|&shift| shift < ranks);
        let run = |shift| Run { shift, skipped: 0, count: window.min(ranks - shift) };
        phases.push(shifts.map(|shift| shifted(ranks, run(shift))).collect());
        window = ranks.min(window * (reach + 1));
    }
    Some(phases)
}

/// What every rank sends to the one at a distance: of its window, without the `skipped` nearest ranks, the
/// `count` next ones.
#[derive(Clone, Copy, Debug)]
struct Run {
    shift: usize,
    skipped: usize,
    count: usize,
}

fn shifted(ranks: usize, Run { shift, skipped, count }: Run) -> Round {
    let sent = |from| Sent {
        from,
        to: (from + shift) % ranks,
        first: (from + 2 * ranks + 1 - skipped - count) % ranks,
        count,
    };
    (0..ranks).map(sent).collect()
}

/// Dissemination of sums, in the fewest phases, for nearly every number of ranks. A rank has the sums of
/// the ranks before it: of itself, and of windows that follow one another backwards. It sends the sum of
/// some neighbouring windows to a rank whose own end where they begin, so that no contribution counts twice.
pub fn sums(ranks: usize, reach: usize) -> Option<Vec<Phase>> {
    if !(2..=MOST_RANKS).contains(&ranks) {
        return None;
    }
    let mut windows = Windows { ranks, reach, parts: vec![1], runs: Vec::new(), tries: MOST_TRIES };
    let phases = fewest(ranks, reach);
    if !windows.fill(1, phases, reach, 1) {
        return None;
    }
    let of_phase = |left: usize| -> Phase {
        let runs = windows.runs.iter().filter(|run| run.0 == left);
        runs.map(|run| shifted(ranks, run.1)).collect()
    };
    Some((1..=phases).rev().map(of_phase).collect())
}

/// A search for the runs of sums.
struct Windows {
    ranks: usize,
    reach: usize,
    /// The lengths of the windows of a rank, backwards from itself.
    parts: Vec<usize>,
    /// The runs so far, each with the phases that are left when it is sent, its own included.
    runs: Vec<(usize, Run)>,
    tries: usize,
}

impl Windows {
    /// Fills the window in the phases, and the runs of the present one, that are left; `known` windows
    /// were there before the phase.
    fn fill(&mut self, window: usize, phases: usize, runs: usize, known: usize) -> bool {
        if window == self.ranks {
            return true;
        }
        if self.tries == 0 || phases == 0 {
            return false;
        }
        self.tries -= 1;
        if runs == 0 {
            return self.fill(window, phases - 1, self.reach, self.parts.len());
        }
        // The most that is reached: every run sends all that was known before its phase.
        let before: usize = self.parts[..known].iter().sum();
        let later = (1..phases).fold(1usize, |most, _| most.saturating_mul(self.reach + 1));
        if (window + runs * before).saturating_mul(later) < self.ranks {
            return false;
        }
        for run in self.candidates(window, phases, known) {
            self.parts.push(run.count);
            self.runs.push((phases, run));
            if self.fill(window + run.count, phases, runs - 1, known) {
                return true;
            }
            self.parts.pop();
            self.runs.pop();
        }
        false
    }

    /// Runs that may come next, one of each length, the longest first.
    fn candidates(&self, window: usize, phases: usize, known: usize) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut skipped = 0;
        for start in 0..known {
            let mut count = 0;
            for end in start..known {
                count += self.parts[end];
                let shift = window - skipped;
                let others = self.runs.iter().rev().take_while(|other| other.0 == phases);
                let is_new = others.map(|other| other.1.shift).all(|other| other != shift);
                if window + count <= self.ranks && is_new {
                    runs.push(Run { shift, skipped, count });
                }
            }
            skipped += self.parts[start];
        }
        runs.sort_by_key(|run| std::cmp::Reverse(run.count));
        runs.dedup_by_key(|run| run.count);
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Carries the phases out; panics if a contribution counts twice, a rank sends what it lacks, or to
    /// more than its ports. Returns whether all know all.
    fn simulate(ranks: usize, ports: usize, adds: bool, phases: &[Phase]) -> bool {
        // By rank, the sums that it has.
        let mut sums: Vec<Vec<Vec<usize>>> = (0..ranks).map(|r| vec![vec![r]]).collect();
        for phase in phases {
            let before = sums.clone();
            assert!(phase.len() <= ports);
            for round in phase {
                let mut ends: Vec<usize> = round.iter().map(|sent| sent.from).collect();
                ends.extend(round.iter().map(|sent| ranks + sent.to));
                ends.sort_unstable();
                assert!(ends.windows(2).all(|two| two[0] < two[1]));
            }
            for sent in phase.iter().flatten() {
                assert!(sent.from != sent.to);
                let what: Vec<usize> = (0..sent.count).map(|i| (sent.first + i) % ranks).collect();
                // A sum is sent as a whole, a signal by itself.
                let is_of = |sum: &&Vec<usize>| !adds || sum.iter().all(|r| what.contains(r));
                let covered = before[sent.from].iter().filter(is_of).flatten();
                let mut all: Vec<usize> = covered.copied().filter(|r| what.contains(r)).collect();
                all.sort_unstable();
                all.dedup();
                assert_eq!(all.len(), what.len(), "{sent:?} of {before:?}");
                if adds && sent.count < ranks {
                    let has = sums[sent.to].iter().flatten();
                    assert!(has.filter(|r| what.contains(r)).count() == 0, "{sent:?}");
                }
                if sent.count == ranks {
                    sums[sent.to].clear();
                }
                sums[sent.to].push(what);
            }
        }
        sums.iter().all(|sums| {
            let mut all: Vec<usize> = sums.concat();
            all.sort_unstable();
            all.dedup();
            all.len() == ranks
        })
    }

    #[test]
    fn sums_and_signals_reach_all_ranks() {
        for ports in 1..=4 {
            for ranks in 2..=70 {
                let doubling = doubling(ranks, ports).unwrap();
                assert!(simulate(ranks, ports, true, &doubling), "{ranks} {ports}");
                let signals = signals(ranks, ports).unwrap();
                assert_eq!(signals.len(), fewest(ranks, ports));
                assert!(simulate(ranks, ports, false, &signals), "{ranks} {ports}");
                for block in [2, 5, 8, 70] {
                    let led = led(ranks, ports, block).unwrap();
                    assert!(simulate(ranks, ports, true, &led), "{ranks} {ports} {block}");
                }
                let sums = sums(ranks, ports).unwrap();
                assert_eq!(sums.len(), fewest(ranks, ports));
                assert!(simulate(ranks, ports, true, &sums), "{ranks} {ports}");
            }
        }
    }

    #[test]
    fn boxes_have_the_fewest_steps() {
        let steps = |ranks, ports| doubling(ranks, ports).unwrap().len();
        assert_eq!([2, 16, 256].map(|n| steps(n, 1)), [1, 4, 8]);
        assert_eq!([9, 27, 81].map(|n| steps(n, 2)), [2, 3, 4]);
        // A side of three takes two phases.
        assert_eq!([3, 5, 7, 12, 24].map(|n| steps(n, 1)), [2, 4, 4, 4, 5]);
        assert_eq!(steps(8, 7), 1);
    }
}
