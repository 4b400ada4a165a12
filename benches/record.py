"""What `tapecheck record` adds to a call, how many messages a second it writes down, and how much memory it takes.

    python3 benches/record.py target/release/tapecheck [CALLS]

Three ways to talk to `cat` are compared in one run, each call in shuffled order: bare pipes, `tee` in both directions,
and the recorder. Only what is compared in one run can be compared: everything depends on what else the machine does.
"""

import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time


def message(number, size):
    text = "x" * max(0, size - 120)
    params = {"name": "find_part", "arguments": {"part": f"bolt-{number}", "note": text}}
    call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return (json.dumps(call) + "\n").encode()


class Way:
    def __init__(self, *command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.read = self.child.stdout

    def call(self, line):
        begun = time.perf_counter_ns()
        self.child.stdin.write(line)
        missing = len(line)
        while missing:
            missing -= len(self.read.read(1 << 20))
        return (time.perf_counter_ns() - begun) / 1000

    def end(self):
        self.child.stdin.close()
        return self.child.wait()


def written(folder):
    lines = [json.loads(line) for file in folder.glob("*.jsonl") for line in file.open()]
    kept = sum("msg" in line for line in lines)
    missing = sum(line["gap"]["messages"] for line in lines if "gap" in line)
    return kept, missing


def added(program, calls, place):
    ways = {
        "bare pipes": Way("cat"),
        "tee both ways": Way("sh", "-c", f"tee {place}/in | cat | tee {place}/out"),
        "record": Way(program, "record", "--out", f"{place}/added", "--", "cat"),
    }
    took = {name: [] for name in ways}
    for number in range(calls + 200):
        line = message(number, 300)
        for name in random.sample(list(ways), len(ways)):
            took[name].append(ways[name].call(line))
    for way in ways.values():
        way.end()
    print(f"{calls} calls of 300 bytes each way, in microseconds")
    bare = None
    for name, all_of_it in took.items():
        times = sorted(all_of_it[200:])
        middle, late = statistics.median(times), times[len(times) * 99 // 100]
        bare = bare or middle
        print(f"  {name:14} p50 {middle:7.1f} ({middle - bare:+.1f})   p99 {late:7.1f}")
    print("  written, missing:", *written(pathlib.Path(place, "added")))


def paced(program, rate, seconds, place):
    way = Way(program, "record", "--out", f"{place}/paced", "--", "cat")
    total = rate // 2 * seconds
    got = [0]

    def read():
        while part := way.read.read(1 << 20):
            got[0] += part.count(b"\n")

    reader = threading.Thread(target=read)
    reader.start()
    begun = time.perf_counter()
    for number in range(total):
        late = begun + number / (rate / 2) - time.perf_counter()
        if late > 0.001:
            time.sleep(late)
        way.child.stdin.write(message(number, 300))
    took = time.perf_counter() - begun
    way.end()
    reader.join()
    kept, missing = written(pathlib.Path(place, "paced"))
    print(f"{2 * total / took:,.0f} messages a second for {took:.1f} s: {got[0]:,} came back, {kept:,} written, {missing} missing")


def memory(program, place):
    way = Way(program, "record", "--out", f"{place}/memory", "--", "cat")
    line = message(1, 20_000_000)

    def send():
        for _ in range(5):
            way.child.stdin.write(line)
            for number in range(100):
                way.child.stdin.write(message(number, 30_000))

    sender = threading.Thread(target=send)
    sender.start()
    missing = 5 * (len(line) + sum(len(message(number, 30_000)) for number in range(100)))
    while missing:
        missing -= len(way.read.read(1 << 20))
    sender.join()
    status = pathlib.Path(f"/proc/{way.child.pid}/status").read_text().splitlines()
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    way.end()
    print(f"5 messages of 20 MB and 500 of 30 kB each way: at most {int(peak) / 1024:.0f} MiB of memory")
    print("  written, missing:", *written(pathlib.Path(place, "memory")))


def main():
    program, calls = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    with tempfile.TemporaryDirectory() as place:
        added(program, calls, place)
        paced(program, 5000, 5, place)
        memory(program, place)


main()
