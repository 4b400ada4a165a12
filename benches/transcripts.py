"""Times the reading of transcripts of which few lines hold calls.

    python3 benches/transcripts.py target/release/tapecheck [MEGABYTES] [FILES]

Writes transcripts of Claude Code into a temporary folder (1,000 MB in 200 files by default; one line in 250 belongs to an
MCP call), runs the program over them five times, and prints megabytes per second of processor time and the peak memory.
"""

import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

WORDS = "read the file then change its test and run it again until nothing fails any more".split()


def line(rng, kind, number, session, content):
    return json.dumps({
        "parentUuid": f"{number - 1:032x}", "isSidechain": False, "sessionId": session, "version": "2.1.0", "type": kind,
        "uuid": f"{number:032x}", "timestamp": "2026-05-01T10:00:00.000Z", "cwd": "/srv/site",
        "message": {"role": kind, "content": content}}) + "\n"


def transcript(rng, path, size):
    session, number, written = path.stem, 0, 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            number += 1
            text = " ".join(rng.choices(WORDS, k=rng.randrange(40, 400)))
            if number % 500 == 0:
                use = {"type": "tool_use", "id": f"toolu_{session}_{number}", "name": "mcp__docs__search", "input": {"q": text[:40]}}
                reply = {"type": "tool_result", "tool_use_id": use["id"], "content": [{"type": "text", "text": text}]}
                lines = line(rng, "assistant", number, session, [use]) + line(rng, "user", number, session, [reply])
            elif number % 2:
                use = {"type": "tool_use", "id": f"toolu_b{number}", "name": "Bash", "input": {"command": text}}
                lines = line(rng, "assistant", number, session, [use])
            else:
                reply = {"type": "tool_result", "tool_use_id": f"toolu_b{number - 1}", "content": text}
                lines = line(rng, "user", number, session, [reply])
            written += file.write(lines)
    return written


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    megabytes = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    files = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        sources = pathlib.Path(folder) / "projects"
        sources.mkdir()
        total = sum(transcript(rng, sources / f"s{n:05}.jsonl", megabytes * 1_000_000 // files) for n in range(files))
        rates = []
        for _ in range(5):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            subprocess.run([program, "run", sources, "--out", f"{folder}/out", "--quiet", "--config", "output.page=false"],
                           check=True, cwd=folder, env=os.environ)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            rates.append((total / 1e6 / seconds, total / 1e6 / (time.monotonic() - start)))
        rates.sort()
        print(f"{total / 1e6:.0f} MB in {files} files; MB per second of processor time: least {rates[0][0]:.0f}, "
              f"middle {rates[2][0]:.0f}; by the clock, middle {sorted(r[1] for r in rates)[2]:.0f}; "
              f"peak memory {after.ru_maxrss / 1024:.0f} MiB")


main()
