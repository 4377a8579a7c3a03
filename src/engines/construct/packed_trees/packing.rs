//! Trees that share all channels: first switches are split off, so that links between terminals are left;
//! then trees are packed, each from its root to all terminals.

use ccsched_base::flow::Flow;

/// More than any capacity.
const ENDLESS: u64 = u64::MAX / 4;

/// Links between nodes: for each, what it carries, and the paths below it with their shares.
#[derive(Clone)]
pub(super) struct Links {
    nodes: usize,
    /// By `from * nodes + to`.
    width: Vec<i64>,
    /// By the same, paths of channels with what each carries.
    paths: Vec<Vec<(Vec<u32>, i64)>>,
}

/// Parts into which the widest link is split at a switch.
const ROUNDS: i64 = 64;

impl Links {
    pub fn new(nodes: usize) -> Self {
        Links { nodes, width: vec![0; nodes * nodes], paths: vec![Vec::new(); nodes * nodes] }
    }

    pub fn add(&mut self, from: usize, to: usize, path: Vec<u32>, width: i64) {
        let at = from * self.nodes + to;
        self.width[at] += width;
        match self.paths[at].iter_mut().find(|(other, _)| *other == path) {
            Some((_, its)) => *its += width,
            None => self.paths[at].push((path, width)),
        }
    }

    pub fn width(&self, from: usize, to: usize) -> i64 {
        self.width[from * self.nodes + to]
    }

    /// Takes a part of a link away: its paths with their shares.
    pub fn take(&mut self, from: usize, to: usize, mut width: i64) -> Vec<(Vec<u32>, i64)> {
        let at = from * self.nodes + to;
        self.width[at] -= width;
        let mut taken = Vec::new();
        while width > 0 {
            let Some((path, its)) = self.paths[at].last_mut() else { break };
            let part = width.min(*its);
            taken.push((path.clone(), part));
            (*its, width) = (*its - part, width - part);
            if *its == 0 {
                self.paths[at].pop();
            }
        }
        taken
    }

    /// The flow network of all links, with two nodes more.
    fn flow(&self) -> Flow {
        let mut flow = Flow::new(self.nodes + 2);
        for from in 0..self.nodes {
            for to in 0..self.nodes {
                let width = self.width(from, to);
                if width > 0 {
                    flow.arc(from, to, width as u64);
                }
            }
        }
        flow
    }

    /// Splits a switch off: as much as possible of each pair of links into it and out of it becomes a link
    /// of its own, as long as all terminals still get their trees. `may_pass` is asked for the ends of a pair
    /// and the length of its path.
    pub fn split_off(
        &mut self,
        switch: usize,
        (terminals, trees): (usize, i64),
        may_pass: &dyn Fn(usize, usize, usize) -> bool,
    ) {
        // In rounds, a part of each pair: where some pairs may not be joined, the others share the switch.
        let mut part = 1 + self.width.iter().max().copied().unwrap_or(0) / ROUNDS;
        while self.split_parts(switch, (terminals, trees), may_pass, part) {
            part += part / 2;
        }
    }

    /// Splits off at most `part` of each pair; whether there was any.
    fn split_parts(
        &mut self,
        switch: usize,
        (terminals, trees): (usize, i64),
        may_pass: &dyn Fn(usize, usize, usize) -> bool,
        part: i64,
    ) -> bool {
        let mut is_split = false;
        for by in 1..self.nodes {
            for from in 0..self.nodes {
                let to = (from + by) % self.nodes;
                let most = self.width(from, switch).min(self.width(switch, to)).min(part);
                if most == 0 {
                    continue;
                }
                let longest = |from: usize, to: usize| {
                    let paths = &self.paths[from * self.nodes + to];
                    paths.iter().map(|(path, _)| path.len()).max().unwrap_or(0)
                };
                if !may_pass(from, to, longest(from, switch) + longest(switch, to)) {
                    continue;
                }
                let most = most.min(self.slack([from, switch, to], (terminals, trees), most));
                if most > 0 {
                    self.join([from, switch, to], most);
                    is_split = true;
                }
            }
        }
        is_split
    }

    /// By how much a pair of links may be split off: what the cuts that lose by it have to spare.
    fn slack(
        &self,
        [from, switch, to]: [usize; 3],
        (terminals, trees): (usize, i64),
        most: i64,
    ) -> i64 {
        let (source, sink) = (self.nodes, self.nodes + 1);
        let wanted = trees * terminals as i64;
        let mut whole = self.flow();
        (0..terminals).for_each(|t| whole.arc(source, t, trees as u64));
        let mut least = most;
        for terminal in 0..terminals {
            // The ends on the side of the roots and the switch beyond, or the other way round.
            for (near, far) in [(&[from, to][..], &[switch][..]), (&[switch][..], &[from, to][..])]
            {
                if near.contains(&terminal) {
                    continue;
                }
                let mut cut = whole.clone();
                near.iter().for_each(|&v| cut.arc(source, v, ENDLESS));
                far.iter().chain([&terminal]).for_each(|&v| cut.arc(v, sink, ENDLESS));
                let most = (wanted + least) as u64;
                least = least.min(cut.run(source, sink, most) as i64 - wanted);
                if least <= 0 {
                    return 0;
                }
            }
        }
        least
    }

    /// Makes one link of a part of two.
    fn join(&mut self, [from, switch, to]: [usize; 3], width: i64) {
        let mut first = self.take(from, switch, width);
        let mut then = self.take(switch, to, width);
        while let (Some((a, of_a)), Some((b, of_b))) = (first.last_mut(), then.last_mut()) {
            let part = (*of_a).min(*of_b);
            let path = [&a[..], &b[..]].concat();
            (*of_a, *of_b) = (*of_a - part, *of_b - part);
            self.add(from, to, path, part);
            first.pop_if(|(_, left)| *left == 0);
            then.pop_if(|(_, left)| *left == 0);
        }
    }
}

/// Equal trees of a root.
#[derive(Clone)]
pub(super) struct Trees {
    pub root: usize,
    /// How many they are.
    pub number: i64,
    /// The nodes that they reach, as bits.
    reached: u64,
    /// By node, its distance from the root.
    depth: Vec<u32>,
    /// The links from the root on.
    pub links: Vec<(usize, usize)>,
}

/// By which links trees grow first, of those that are as near to the root: wide ones are inside of a box, narrow
/// ones lead to the next.
#[derive(Clone, Copy)]
pub(super) enum First {
    Wide,
    Narrow,
}

/// The most terminals: their sets are bits.
pub(super) const MOST: usize = 64;

fn all_of(terminals: usize) -> u64 {
    u64::MAX >> (MOST - terminals)
}

/// Packs trees: `trees` from each of the nodes below `terminals`, which alone have links (Schrijver,
/// Combinatorial Optimization, section 53; each extension is checked by one flow). None if they do not fit.
pub(super) fn pack(
    links: &Links,
    terminals: usize,
    trees: i64,
    first: First,
) -> Option<Vec<Trees>> {
    let mut left = links.clone();
    let all = all_of(terminals);
    let begin = |root: usize| Trees {
        root,
        number: trees,
        reached: 1 << root,
        depth: vec![0; terminals],
        links: Vec::new(),
    };
    let mut classes: Vec<Trees> = (0..terminals).map(begin).collect();
    let mut at = 0;
    // The flattest first, all of them side by side.
    while let Some(class) = {
        let open = (0..classes.len()).filter(|&c| classes[c].reached != all);
        open.min_by_key(|&c| (classes[c].reached.count_ones(), c))
    } {
        at += 1;
        if at > MOST * MOST * MOST {
            return None;
        }
        let (from, to, number) = extension(&left, &classes, class, first)?;
        left.width[from * left.nodes + to] -= number;
        if number < classes[class].number {
            let rest = Trees { number: classes[class].number - number, ..classes[class].clone() };
            classes.push(rest);
        }
        let its = &mut classes[class];
        its.number = number;
        its.reached |= 1 << to;
        its.depth[to] = its.depth[from] + 1;
        its.links.push((from, to));
    }
    Some(classes)
}

/// A link by which some of the trees of a class may grow, near the root if there is a choice, and how many.
fn extension(
    left: &Links,
    classes: &[Trees],
    class: usize,
    first: First,
) -> Option<(usize, usize, i64)> {
    let Trees { reached, depth, number, .. } = &classes[class];
    let terminals = depth.len();
    let is_in = |v: usize| reached >> v & 1 == 1;
    let mut links: Vec<(usize, usize)> = (0..terminals)
        .filter(|&from| is_in(from))
        .flat_map(|from| (0..terminals).map(move |to| (from, to)))
        .filter(|&(from, to)| !is_in(to) && left.width(from, to) > 0)
        .collect();
    links.sort_by_key(|&(from, to)| match first {
        First::Wide => (depth[from], -left.width(from, to)),
        First::Narrow => (depth[from], left.width(from, to)),
    });
    links.into_iter().find_map(|(from, to)| {
        let most = left.width(from, to).min(*number);
        let most = most.min(spare(left, classes, class, (from, to), most));
        (most > 0).then_some((from, to, most))
    })
}

/// How many trees of a class may take a link: what the cuts around its begin have to spare for the trees that
/// are still inside them.
fn spare(
    left: &Links,
    classes: &[Trees],
    class: usize,
    (from, to): (usize, usize),
    most: i64,
) -> i64 {
    let terminals = classes[class].depth.len();
    let all = all_of(terminals);
    let others = || {
        let numbered = classes.iter().enumerate();
        numbered.filter(|&(c, trees)| c != class && trees.reached != all).map(|(_, trees)| trees)
    };
    let mut flow = Flow::new(terminals + others().count());
    for a in 0..terminals {
        for b in 0..terminals {
            if left.width(a, b) > 0 {
                flow.arc(a, b, left.width(a, b) as u64);
            }
        }
    }
    let mut sum = 0;
    for (node, trees) in (terminals..).zip(others()) {
        sum += trees.number;
        flow.arc(from, node, trees.number as u64);
        (0..terminals).filter(|&v| trees.reached >> v & 1 == 1).for_each(|v| {
            flow.arc(node, v, ENDLESS);
        });
    }
    flow.run(from, to, (sum + most) as u64) as i64 - sum
}
