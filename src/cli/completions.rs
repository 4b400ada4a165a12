//! `tapecheck completions`: what shells complete, and the manual page.

use super::terminal::{cannot_print, print};
use super::{Command, Exit, Failure};
use clap::CommandFactory as _;
use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A shell, or `man` for the manual page
    #[arg(value_name = "SHELL")]
    shell: Wanted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Wanted {
    Bash,
    Elvish,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
    Zsh,
    /// The manual page, as roff
    Man,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let mut command = Command::command();
        let mut text = Vec::new();
        let mut complete = |shell: Shell| {
            clap_complete::generate(shell, &mut command, "tapecheck", &mut text);
            Ok(())
        };
        match self.shell {
            Wanted::Bash => complete(Shell::Bash),
            Wanted::Elvish => complete(Shell::Elvish),
            Wanted::Fish => complete(Shell::Fish),
            Wanted::PowerShell => complete(Shell::PowerShell),
            Wanted::Zsh => complete(Shell::Zsh),
            Wanted::Man => manual(&mut text),
        }
        .map_err(|error| cannot_print(&error))?;
        print(&String::from_utf8_lossy(&text))
    }
}

/// The commands one after the other, each with its options.
fn manual(text: &mut Vec<u8>) -> std::io::Result<()> {
    let mut command = Command::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(text)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let man = clap_mangen::Man::new(verb.clone());
        man.render_name_section(text)?;
        man.render_synopsis_section(text)?;
        man.render_options_section(text)?;
    }
    Ok(())
}
