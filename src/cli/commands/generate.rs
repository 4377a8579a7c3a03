//! `ccsched generate DIR`: man pages and shell completions, made from the command-line definitions
//! so that they cannot differ from the programs. Packagers and `make install` call it.

use anyhow::Context;
use ccsched_base::atomic;
use clap::Command;
use clap_complete::Shell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Shells with completions, each with its completion folder below `share`.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions"),
    (Shell::Zsh, "zsh/site-functions"),
    (Shell::Fish, "fish/vendor_completions.d"),
];
/// The folder of man pages below `share`.
const MAN: &str = "man/man1";

/// The target folder.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The folder, with the layout of `PREFIX/share`
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Writes the pages and completions of programs.
///
/// # Errors
/// A folder or a file cannot be written.
pub fn run(args: &Args, programs: Vec<Command>) -> anyhow::Result<ExitCode> {
    let man = args.folder.join(MAN);
    std::fs::create_dir_all(&man).with_context(|| man.display().to_string())?;
    for mut program in programs {
        // Pages of `help` would repeat the others.
        let documented = program.clone().disable_help_subcommand(true);
        clap_mangen::generate_to(documented, &man).with_context(|| man.display().to_string())?;
        completions(&args.folder, &mut program)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn completions(share: &Path, program: &mut Command) -> anyhow::Result<()> {
    let name = program.get_name().to_string();
    for (shell, folder) in SHELLS {
        let mut text = Vec::new();
        clap_complete::generate(shell, program, &name, &mut text);
        let file = match shell {
            Shell::Zsh => format!("_{name}"),
            Shell::Fish => format!("{name}.fish"),
            _ => name.clone(),
        };
        save(&share.join(folder), &file, &text)?;
    }
    Ok(())
}

fn save(folder: &Path, file: &str, text: &[u8]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    Ok(atomic::write(&folder.join(file), text)?)
}
