//! Squares of links. In a product of lines and rings, opposite links of a square have the same
//! direction, and neighbouring ones belong to different dimensions. A band is a set of links that
//! squares show to have one direction.

use super::routers::Routers;

/// A grid has fewer dimensions, so that its directions are bits.
const MOST_LINKS: usize = 32;

/// The squares of routers.
pub struct Squares {
    /// By router and place among its links: bits of those that span a square with it.
    pub with: Vec<Vec<u32>>,
    /// By link, its band, and whether its ends are in the order against the one of the band.
    band: Vec<(usize, bool)>,
    /// By band.
    pub links: Vec<Vec<usize>>,
}

impl Squares {
    /// None if the squares are not those of a grid.
    pub fn of(routers: &Routers) -> Option<Self> {
        let near = &routers.near;
        if near.iter().any(|links| links.len() > MOST_LINKS) {
            return None;
        }
        let mut bands = Bands { joined: (0..routers.links.len()).map(|l| (l, false)).collect() };
        let mut with: Vec<Vec<u32>> = near.iter().map(|links| vec![0; links.len()]).collect();
        // By router, the link that leads there from the neighbour at hand.
        let mut leads: Vec<Option<usize>> = vec![None; near.len()];
        let turned = |link: usize, from: u32| routers.links[link].ends[0] != from;
        for (v, links) in (0..).zip(near) {
            for (i, &(a, to_a)) in links.iter().enumerate() {
                near[a as usize].iter().for_each(|&(w, link)| leads[w as usize] = Some(link));
                for (j, &(b, to_b)) in (i + 1..).zip(&links[i + 1..]) {
                    let corners = near[b as usize].iter().filter(|(w, _)| *w != v);
                    let mut corners =
                        corners.filter_map(|&(w, link)| Some((leads[w as usize]?, link)));
                    let Some((from_a, from_b)) = corners.next() else { continue };
                    if corners.next().is_some()
                        || !bands.join(to_a, from_b, turned(to_a, v) != turned(from_b, b))
                        || !bands.join(to_b, from_a, turned(to_b, v) != turned(from_a, a))
                    {
                        return None;
                    }
                    with[v as usize][i] |= 1 << j;
                    with[v as usize][j] |= 1 << i;
                }
                near[a as usize].iter().for_each(|&(w, _)| leads[w as usize] = None);
            }
        }
        let mut numbers = vec![usize::MAX; routers.links.len()];
        let (mut band, mut links) = (Vec::new(), Vec::<Vec<usize>>::new());
        for link in 0..routers.links.len() {
            let (root, is_turned) = bands.root(link);
            if numbers[root] == usize::MAX {
                numbers[root] = links.len();
                links.push(Vec::new());
            }
            links[numbers[root]].push(link);
            band.push((numbers[root], is_turned));
        }
        Some(Squares { with, band, links })
    }

    /// The band of a link, and whether it runs backwards along the link that leaves a router.
    pub fn band(&self, routers: &Routers, link: usize, from: u32) -> (usize, bool) {
        let (band, is_turned) = self.band[link];
        (band, is_turned != (routers.links[link].ends[0] != from))
    }
}

/// Links that are joined to bands: by link another one, and whether its ends are in the other order.
struct Bands {
    joined: Vec<(usize, bool)>,
}

impl Bands {
    fn root(&mut self, link: usize) -> (usize, bool) {
        let (mut at, mut is_turned) = (link, false);
        while self.joined[at].0 != at {
            // Halves the way of the next look-up.
            let (next, turn) = self.joined[at];
            let (beyond, more) = self.joined[next];
            self.joined[at] = (beyond, turn ^ more);
            is_turned ^= turn;
            at = next;
        }
        (at, is_turned)
    }

    /// Joins the bands of two links; false if they are one already, in the other order.
    fn join(&mut self, a: usize, b: usize, is_turned: bool) -> bool {
        let ((a, turn), (b, other)) = (self.root(a), self.root(b));
        let is_turned = is_turned ^ turn ^ other;
        if a == b {
            return !is_turned;
        }
        self.joined[a.max(b)] = (a.min(b), is_turned);
        true
    }
}
