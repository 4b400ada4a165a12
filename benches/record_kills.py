"""How long processes of a recorded server live after the client, the recorder or the server was killed.

    python3 benches/record_kills.py target/release/tapecheck COUNT COMMAND…

COMMAND starts a server of MCP, such as `npx -y @modelcontextprotocol/server-memory`. Each time the server is set up as a
client does it, then one of the three is killed; all processes below the recorder must end, and the recording must be read.
"""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time


def below(pid):
    """All processes that a process started."""
    parents = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(text.rsplit(")", 1)[1].split()[1])
    found, news = [], [pid]
    while news:
        news = [child for child, parent in parents.items() if parent in news]
        found += news
    return found


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def once(program, command, victim, folder):
    child = subprocess.Popen(
        [program, "record", "--out", folder, "--", *command],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
    )
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "kills", "version": "1"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    child.stdin.write(json.dumps(call).encode() + b"\n")
    answer = child.stdout.readline()
    assert b"serverInfo" in answer, answer
    tree = below(child.pid)
    assert tree, "the server runs"
    time.sleep(0.02)
    begun = time.perf_counter()
    if victim == "client":
        child.stdin.close()
        child.stdout.close()
    elif victim == "server":
        os.kill(tree[0], signal.SIGKILL)
    else:
        child.send_signal(signal.Signals[victim])
    while left := [pid for pid in tree if runs(pid)]:
        if time.perf_counter() - begun > 10:
            return None, len(tree), left
        time.sleep(0.005)
    took = time.perf_counter() - begun
    for pipe in (child.stdin, child.stdout):
        pipe.close()
    child.wait(timeout=10)
    return took, len(tree), []


def main():
    program, count, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    victims = ["client", "SIGTERM", "SIGKILL", "server"]
    took, sizes = collections.defaultdict(list), set()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            victim = victims[number % len(victims)]
            time_of_it, size, left = once(program, command, victim, folder)
            sizes.add(size)
            if left:
                print(f"left after {victim}: {left}")
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
            took[victim].append(time_of_it or 10)
        files = list(pathlib.Path(folder).glob("*.jsonl"))
        lines = [json.loads(line) for file in files for line in file.open()]
        answered = sum("serverInfo" in json.dumps(line) for line in lines)
    print(f"{count} kills of `{' '.join(command)}`, {min(sizes)} to {max(sizes)} processes each")
    for victim, times in took.items():
        print(f"  {victim:8} longest {max(times):.2f} s, later than 3 s: {sum(time > 3 for time in times)} of {len(times)}")
    print(f"  {len(files)} recordings, {len(lines)} lines read, {answered} answers to initialize")


main()
