//! The network that an option names.

use crate::network::{Network, spec};
use crate::{Error, Result};

/// The network; the error of a wrong name says where the families are listed.
///
/// # Errors
/// Unknown families, wrong parameters, faulty files.
pub fn network(text: &str) -> Result<Network> {
    spec::load(text).map_err(|error| match error {
        Error::Spec { spec, why } => {
            let why = format!("{why}\n'ccsched topology --help' lists all families");
            Error::Spec { spec, why }
        }
        other => other,
    })
}
