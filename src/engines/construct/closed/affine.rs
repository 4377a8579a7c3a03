//! All-to-all scatter of a balanced dragonfly by the affine plane over a finite field, in as many
//! steps as a terminal has messages.
//!
//! Every group has a routers with p terminals and p global links each, hence q = ap terminals, and
//! there are q other groups; q is a prime power and a is at least 2p. The terminals of a group are
//! the elements of GF(q), its routers the cosets of the elements below p.
//!
//! *Between groups*, q^2 steps: in every step each terminal of a group sends to a different group.
//! In step (x, y) group g is rotated by u = y + gx, and the last group by u = x. These are lines of
//! the affine plane, where two lines that are not parallel meet once; so every pair of groups sees
//! every pair of rotations once. For group b, whose link is number k at router r, the sender is
//! u + c and the receiver c' - u, with c at router r - k and c' at router r + p + k. For every u,
//! the local hops of a group have the difference k - u on the way out and p + k - u on the way in,
//! each difference once for every r: no local channel is used twice.
//!
//! *Within groups*, q - 1 steps: terminal i of router r sends to terminal j of router r + d in step
//! ((i + 1) d, j - i), with products and sums of routers in GF(a). The step and any one of sender,
//! receiver and pair of different routers determine the others: no channel is used twice.
//!
//! *Shorter routes.* Two routers that have links to the same router of a third group may be nearer by these
//! two. If routing is minimal, their few messages are not in these steps. The links between groups have
//! no room for them there; so they share other steps with the messages within groups.

use super::draft::Draft;
use ccsched_base::field::Field;
use ccsched_model::problem::Problem;
use ccsched_model::routing::DistanceTable;
use ccsched_model::schedule::Plan;
use ccsched_network::{Dragonfly, VertexId};

/// The schedule, if the network is such a dragonfly and routing allows all its routes.
pub fn plan(problem: &Problem) -> Option<Plan> {
    let dragonfly = dragonfly(problem)?;
    let plane = Plane::new(&dragonfly)?;
    let mut draft = plane.between_groups(problem);
    plane.within_groups(&mut draft);
    draft.finish()
}

/// The steps between groups, if the network is such a dragonfly and routing does not allow all routes
/// between groups: messages within groups then go beside those that are missing.
pub fn part(problem: &Problem) -> Option<Plan> {
    let dragonfly = dragonfly(problem)?;
    let plane = Plane::new(&dragonfly)?;
    let plan = plane.between_groups(problem).unfinished()?;
    let messages = problem.demands().len() - problem.senders().len() * (plane.q - 1);
    (plan.transfers().count() < messages).then_some(plan)
}

/// The dragonfly, if all its terminals take part and paths are free.
fn dragonfly(problem: &Problem) -> Option<Dragonfly> {
    let applies = (problem.lgl().is_some() || !problem.has_fixed_routes())
        && problem.senders().iter().copied().eq(problem.network().terminals());
    if applies { Dragonfly::find(problem.network()).ok() } else { None }
}

/// Whether routing allows a length between two terminals.
fn allowed(problem: &Problem) -> impl Fn((VertexId, VertexId), usize) -> bool + use<> {
    let senders = problem.senders().iter().copied();
    let is_free = problem.lgl().is_none();
    let distances = is_free.then(|| DistanceTable::from(problem.network(), senders));
    let slack = problem.routing().slack() as usize;
    move |(from, to), length| {
        let is_short =
            |table: &DistanceTable| length <= usize::from(table.row(from)[to as usize]) + slack;
        distances.as_ref().is_none_or(is_short)
    }
}

/// The field, and the offsets that follow from the places of links.
struct Plane<'d> {
    dragonfly: &'d Dragonfly,
    field: Field,
    q: usize,
    /// Terminals of a router.
    p: usize,
    /// For group g and another: the elements c and c' of g, at `[g * groups + other]`.
    offsets: Vec<(usize, usize)>,
}

impl<'d> Plane<'d> {
    /// None where the dragonfly is not balanced, or there is no such field.
    fn new(dragonfly: &'d Dragonfly) -> Option<Self> {
        let (a, groups) = (dragonfly.size(), dragonfly.groups());
        let (p, q) = (dragonfly.hosts(0, 0).len(), groups - 1);
        let is_even =
            (0..groups).all(|group| (0..a).all(|place| dragonfly.hosts(group, place).len() == p));
        if !is_even || a * p != q || a < 2 * p {
            return None;
        }
        let field = Field::new(q)?;
        let mut offsets = vec![(0, 0); groups * groups];
        for group in 0..groups {
            let mut links = vec![0; a];
            for other in (0..groups).filter(|&other| other != group) {
                let r = dragonfly.gates(group, other).0;
                let k = links[r];
                links[r] += 1;
                // Links are bidirectional between routers of the same number, p at each.
                if k == p || dragonfly.gates(other, group).1 != r {
                    return None;
                }
                let (sender, receiver) = (field.sub(r, k), field.add(r, p + k));
                offsets[group * groups + other] = (sender * p + k, receiver * p + k);
            }
        }
        Some(Plane { dragonfly, field, q, p, offsets })
    }

    fn terminal(&self, group: usize, element: usize) -> VertexId {
        self.dragonfly.hosts(group, element / self.p)[element % self.p]
    }

    /// The steps between groups, of the messages for which routing allows it.
    fn between_groups<'p>(&self, problem: &'p Problem) -> Draft<'p> {
        let (f, q) = (&self.field, self.q);
        let mut draft = Draft::new(problem, q * q + q);
        let is_allowed = allowed(problem);
        for step in 0..q * q {
            let (x, y) = (step / q, step % q);
            let rotation = |g: usize| if g < q { f.add(y, f.mul(g, x)) } else { x };
            let rotations: Vec<usize> = (0..=q).map(rotation).collect();
            for from in 0..=q {
                for to in (0..=q).filter(|&to| to != from) {
                    let sender = f.add(rotations[from], self.offsets[from * (q + 1) + to].0);
                    let receiver = f.sub(self.offsets[to * (q + 1) + from].1, rotations[to]);
                    let ends = (self.terminal(from, sender), self.terminal(to, receiver));
                    let route = self.dragonfly.route(ends.0, ends.1);
                    if is_allowed(ends, route.len()) {
                        draft.route(step, ends, route);
                    }
                }
            }
        }
        draft
    }

    fn within_groups(&self, draft: &mut Draft<'_>) {
        let (a, p, q) = (self.dragonfly.size(), self.p, self.q);
        // A divisor of a prime power.
        let Some(f) = Field::new(a) else { return };
        for r in 0..a {
            for d in 0..a {
                for (i, j) in (0..p).flat_map(|i| (0..p).map(move |j| (i, j))) {
                    let step = q * q + f.mul(i + 1, d) * p + (j + p - i) % p;
                    let (sender, receiver) = (r * p + i, f.add(r, d) * p + j);
                    for group in (0..=q).filter(|_| sender != receiver) {
                        let ends = (self.terminal(group, sender), self.terminal(group, receiver));
                        draft.route(step, ends, self.dragonfly.route(ends.0, ends.1));
                    }
                }
            }
        }
    }
}
