//! `--export`: the schedule in the format of another program, as soon as it is found.

use super::Args;
use crate::checkpoint::of_collective;
use crate::exported::{format, refused, save};
use crate::own_files::Inputs;
use ccsched_model::problem::{Collective, Switching};
use ccsched_model::schedule::ScheduleFile;
use ccsched_tools::export::{self, Format, Settings, Subject};
use std::borrow::Cow;
use std::path::PathBuf;

/// A format and a file.
#[derive(Clone, Debug)]
pub struct Export {
    format: &'static str,
    /// The file.
    pub path: PathBuf,
}

/// Reads `FORMAT=FILE`.
pub(super) fn export(text: &str) -> Result<Export, String> {
    let (name, path) = text
        .split_once('=')
        .filter(|(_, path)| !path.is_empty())
        .ok_or("a format and a file are asked for, such as msccl-xml=program.xml")?;
    let format = format(name)?;
    Ok(Export { format, path: path.into() })
}

impl Export {
    fn format(&self) -> ccsched_base::Result<&'static Format> {
        export::find(self.format)
    }

    /// Writes a schedule.
    ///
    /// # Errors
    /// What the format cannot express; a file that cannot be written.
    pub fn write(
        &self,
        schedule: &ScheduleFile,
        collective: Collective,
        all: &[Collective],
    ) -> anyhow::Result<()> {
        let subject = Subject::of(schedule)?;
        let written = export::write(self.format()?, &subject, &Settings::default());
        let path = of_collective(&self.path, collective, all);
        save(written.map_err(refused)?, &path, &Inputs::default())
    }
}

impl Args {
    /// With the switching of the programs of the export, unless another one is asked for.
    pub(super) fn with_switching_of_export(&self) -> Cow<'_, Args> {
        let format = self.export.as_ref().and_then(|export| export.format().ok());
        if self.problem.switching.is_some() || !format.is_some_and(|format| format.hosts) {
            return Cow::Borrowed(self);
        }
        let mut args = self.clone();
        args.problem.switching = Some(Switching::Hosts);
        Cow::Owned(args)
    }
}
