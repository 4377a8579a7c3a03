//! What a search for the least time begins with.

use super::Choices;
use ccsched_bounds as bounds;
use ccsched_model::problem::{MessageId, Problem};
use ccsched_network::ChannelId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The messages of an earlier schedule in their order, each with its channels.
pub type FirstOrder = Vec<(MessageId, Vec<ChannelId>)>;

/// The form of a schedule of the least time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Synchronised steps, each of which takes a start-up time, here in bytes, and that of its longest
    /// message.
    Steps {
        /// The start-up time of a step, in bytes.
        startup: u64,
    },
    /// Each transfer has a start.
    Timed,
}

impl Form {
    /// Whether transfers have starts.
    pub fn is_timed(self) -> bool {
        self == Form::Timed
    }

    /// The start-up time of a step in bytes, if there are steps.
    pub fn startup(self) -> Option<u64> {
        match self {
            Form::Steps { startup } => Some(startup),
            Form::Timed => None,
        }
    }
}

/// What a search for the least time begins with.
#[derive(Clone)]
pub struct Start {
    /// The messages and their paths.
    pub choices: Arc<Choices>,
    /// The form of the schedule.
    pub form: Form,
    /// The order to begin with, if it is given.
    pub first: Option<Arc<FirstOrder>>,
    /// Of a form with steps, lengths of steps that no schedule undercuts.
    pub profile: Vec<u64>,
}

impl Start {
    /// The start for a problem whose messages have these paths.
    pub fn new(
        problem: &Problem,
        choices: Arc<Choices>,
        form: Form,
        first: Option<Arc<FirstOrder>>,
    ) -> Self {
        let profile = match form {
            Form::Timed => vec![],
            Form::Steps { .. } => bounds::bytes::profile(problem),
        };
        Start { choices, form, first, profile }
    }
}
