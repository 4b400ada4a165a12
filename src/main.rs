//! The `tapecheck` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    tapecheck::internals::cli::main()
}
