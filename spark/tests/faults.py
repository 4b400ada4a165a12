"""What may happen to processes while parts run."""

import os
import signal
import threading
import time
from pathlib import Path


def processes():
    """Parent and command of each process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        found[int(folder.name)] = (parent, command)
    return found


def descendants(of, words):
    """The processes below one that have these words in their commands."""
    known = processes()

    def is_below(pid):
        while pid in known and pid != of:
            pid = known[pid][0]
        return pid == of

    return [pid for pid, (_, command) in known.items() if words in command and pid != of and is_below(pid)]


def kill_one(words, of=None, seconds=60):
    """Kills the first process below this one that has these words in its command, once there is one."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid in descendants(of or os.getpid(), words)[:1]:
            os.kill(pid, signal.SIGKILL)
            return pid
        time.sleep(0.1)
    raise AssertionError(f"no process has {words!r} in its command")


def slow(binary, tmp_path, script="sleep 2"):
    """The binary, with something before it."""
    path = tmp_path / "slow-tapecheck"
    path.write_text(f'#!/bin/sh\n{script}\nexec {binary} "$@"\n')
    path.chmod(0o755)
    return str(path)


def during(act, work):
    """What work returns while something else happens."""
    happened = []
    thread = threading.Thread(target=lambda: happened.append(act()))
    thread.start()
    result = work()
    thread.join()
    assert happened, "what was to happen meanwhile did not"
    return result
