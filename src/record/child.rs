//! The server as a process: in a group of its own, which is told when the recorder dies.

use rustix::process::{self as os, Pid, Signal, WaitOptions};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// The first argument that makes this program a server's first moment: it arranges for the signal that its recorder's
/// death sends, and becomes the server.
const HELPER: &str = "record-child";
/// Exit codes of shells for a command that is not there, and for one that cannot be run.
const NOT_FOUND: u8 = 127;
const NOT_RUN: u8 = 126;

pub(super) struct Server {
    pub(super) child: Child,
    pub(super) group: Group,
}

impl Server {
    /// Starts it, with what it reads and what it writes.
    pub(super) fn start(
        command: &[OsString],
        helper: Option<&Path>,
    ) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut command = started(command, helper)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("the server has no pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        // A write never waits; the server, at the other end, still does.
        rustix::io::ioctl_fionbio(&input, true)?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let group = Group(group.ok_or_else(missing)?);
        Ok((Self { child, group }, input, output))
    }
}

/// All processes that the server started and that did not leave its group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group(Pid);

impl Group {
    /// A group that is gone needs none.
    pub(super) fn kill(self, signal: Signal) {
        let _ = os::kill_process_group(self.0, signal);
    }

    /// Asked when the server itself was waited for.
    pub(super) fn is_gone(self) -> bool {
        while let Ok(Some(_)) = os::waitpgid(self.0, WaitOptions::NOHANG) {}
        os::test_kill_process_group(self.0).is_err()
    }
}

/// As a shell tells it.
pub(super) fn exit_code(status: ExitStatus) -> i32 {
    status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(NOT_RUN.into())
}

fn started(words: &[OsString], helper: Option<&Path>) -> io::Result<Command> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    // Without a helper nothing tells the server that its recorder died.
    let mut command = Command::new(helper.map_or(program.as_os_str(), Path::as_os_str));
    if helper.is_some() {
        command.arg(HELPER).arg(std::process::id().to_string()).arg(program);
    }
    command.args(arguments);
    Ok(command)
}

/// Becomes the server, where the program was started to do so. Returns an exit code if that is not possible.
pub(crate) fn as_helper(words: &[OsString], tell: fn(&str)) -> Option<u8> {
    let [_, helper, parent, program, arguments @ ..] = words else { return None };
    let parent = parent.to_str().filter(|_| helper == HELPER)?;
    let parent = parent.parse().ok().and_then(Pid::from_raw)?;
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
    }
    // It may have died before.
    if rustix::process::getppid() != Some(parent) {
        return Some(NOT_RUN);
    }
    let error = Command::new(program).args(arguments).exec();
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    let program = program.to_string_lossy();
    let next = "check the command behind `--`; programs are looked for in PATH";
    tell(&format!("error: cannot start the server {program}: {error}\n  next: {next}"));
    Some(if is_missing { NOT_FOUND } else { NOT_RUN })
}
