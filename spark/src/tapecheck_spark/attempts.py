"""One part of a run: a child process, started again when it dies or hangs."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

#: The end of what a child wrote to standard error that goes into errors.
TAIL = 4000
#: How often a running child is looked at, in seconds.
GLANCE = 0.2
PR_SET_PDEATHSIG = 1


class PartFailed(RuntimeError):
    """A part that could not be classified, with what the child said."""


def die_with_parent():
    """Ends the child when the Python worker is killed: nobody would wait for it any more."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def executable(binary, scratch):
    """The binary, which may have lost its permission to run on the way to this machine."""
    if os.access(binary, os.X_OK):
        return binary
    copy = os.path.join(scratch, "tapecheck")
    shutil.copyfile(binary, copy)
    os.chmod(copy, 0o755)
    return copy


def run_part(binary, recordings, number, parts, work, arguments=(), hang_seconds=600, most_attempts=20, home=None):
    """Classifies a part and returns its folder and how many attempts that took. `home` is the folder of paths that are relative.

    The child notes the record at hand in a journal. A record that ended two attempts is passed over in the next one and
    becomes an unreadable line. A child that stays at one record for `hang_seconds` is killed, which counts as an end.
    """
    # Attempts of several machines never share a folder: the one that the driver hears of counts.
    out = os.path.join(work, f"part-{number}-{uuid.uuid4().hex}")
    scratch = tempfile.mkdtemp(prefix="tapecheck-")
    journal = os.path.join(scratch, "journal")
    command = [executable(binary, scratch), "run", *recordings, "--part", f"{number}/{parts}", "--out", out]
    command += ["--journal", journal, "--quiet", *arguments]
    said = ""
    try:
        for attempt in range(1, most_attempts + 1):
            code, said = run_child(command, scratch, journal, hang_seconds, home)
            if code in (0, 1):
                return out, attempt
            if code > 0:
                break
        else:
            raise PartFailed(f"part {number}/{parts} ended {most_attempts} times without a result: {said}")
        raise PartFailed(f"part {number}/{parts} ended with exit code {code}: {said}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def run_child(command, scratch, journal, hang_seconds, home):
    """Runs a command to its end and returns its exit code, negative after a signal, and what it said."""
    errors = os.path.join(scratch, "errors")
    with open(errors, "wb") as sink:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=sink,
            cwd=home or scratch,
            preexec_fn=die_with_parent,
        )
        try:
            noted, since = None, time.monotonic()
            while child.poll() is None:
                time.sleep(GLANCE)
                now = time.monotonic()
                note = read(journal)
                if note != noted:
                    noted, since = note, now
                elif now - since > hang_seconds:
                    child.kill()
                    child.wait()
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    return child.returncode, read(errors)[-TAIL:].decode("utf-8", "replace").strip()


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
