//! The network before its faults, for messages with one destination each that go straight there. A schedule of the
//! whole network loses the transfers over what is broken, and all others keep their steps: a shortest path that is
//! left is a shortest path of the rest.

use super::Reduction;
use crate::Method;
use crate::ground::in_step::InStep;
use ccsched_model::problem::{MessageId, Problem, Request, Roots};
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::{Lookup, VertexId};
use std::sync::Arc;

/// The name of the reduction.
pub const NAME: &str = "mended around faults";
/// If more than one of this many messages is left, other constructors need fewer steps.
const LEAST_SHARE: usize = 4;

/// A problem, and the same problem before the faults.
pub struct Mended {
    outer: Arc<Problem>,
    inner: Arc<Problem>,
    /// By message of `inner`, that of `outer`.
    messages: Vec<Option<MessageId>>,
}

impl Mended {
    /// None where there are no faults, or nothing is known of the network before them.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        let unbroken = problem.network().unbroken()?;
        let collective = problem.collective();
        let applies = collective.content().is_personal()
            && collective.roots() != Roots::One
            && problem.switching().holds_paths()
            && !problem.has_fixed_routes();
        if !applies {
            return None;
        }
        let request = Request {
            collective,
            switching: problem.switching(),
            ports: problem.ports(),
            routing: problem.routing(),
            pieces: problem.pieces(),
            ..problem.request().clone()
        };
        let inner = Arc::new(request.pose(unbroken.network().clone(), vec![]).ok()?);
        let messages = messages(&inner, problem);
        Some(Mended { outer: problem.clone(), inner, messages })
    }

    /// The transfers of a step that are possible without what is broken. A link that lost a part of its width
    /// carries fewer.
    fn left_of(&self, step: &Step, used: &mut InStep<'_>) -> Step {
        let (network, resources) = (self.outer.network(), self.outer.resources());
        let Some(unbroken) = network.unbroken() else { return Step::default() };
        let (mut left, mut path, mut wanted) = (Step::default(), Vec::new(), Vec::new());
        used.next();
        for t in step {
            path.clear();
            path.extend(t.channels.iter().map_while(|&c| unbroken.left_of(c)));
            let whole = self.messages[t.message as usize];
            let Some(message) = whole.filter(|_| path.len() == t.channels.len()) else { continue };
            wanted.clear();
            resources.uses(network, self.outer.switching(), &path, |r, _| wanted.push(r));
            if used.take_all(&wanted) {
                left.push(message, &path);
            }
        }
        left
    }
}

/// By message of the whole network, that of what is left of it.
fn messages(inner: &Problem, outer: &Problem) -> Vec<Option<MessageId>> {
    let left: Lookup<'_> = outer.network().lookup();
    let names = inner.network().vertices().iter();
    let vertices: Vec<Option<VertexId>> = names.map(|v| left.find(&v.name)).collect();
    let message = |id: MessageId| {
        let row = inner.message(id).mapped(|v| vertices[v as usize])?;
        outer.find_message(&row)
    };
    (0..inner.messages() as MessageId).map(message).collect()
}

impl Reduction for Mended {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        let of_part = |_, steps: &[Step]| {
            let mut used = InStep::new(self.outer.resources());
            steps.iter().map(|step| self.left_of(step, &mut used)).collect::<Vec<Step>>()
        };
        let mut plan = Plan::default();
        inner.each_part(of_part).into_iter().flatten().for_each(|step| plan.append(step));
        plan.tidy();
        plan
    }

    fn may_leave(&self) -> usize {
        self.outer.demands().len() / LEAST_SHARE
    }

    fn method(&self, inner: Method) -> Method {
        Method::Mended(Box::new(inner))
    }
}
