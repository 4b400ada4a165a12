#!/usr/bin/env python3
"""Records real MCP servers for corpus/recorded, over stdio and without a network.

    python3 corpus/record.py PACKAGES_DIR [SERVER ...]

PACKAGES_DIR holds what was installed by hand beforehand: `npm/` (an npm project
with the npm packages) and `py/NAME/` (one virtual environment for each PyPI
package). Which servers, started how and asked what, is in record_plans.py.

Each server runs in its own network, process and host-name namespaces (so an API
or a database is really unreachable) with an empty home. One session gives
NAME.jsonl, {"ts","dir","msg"} or {"ts","dir","raw"} a line, and
NAME.scenarios.jsonl, {"id","scenario"} a line. Paths of the machine that
recorded are rewritten: packages to /app, the server's home to /data/demo.
"""

import datetime
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from record_plans import PLANS

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE / "recorded"
ANSWER_LIMIT_S = 6.0
START_LIMIT_S = 40.0
ISOLATE = ["unshare", "--map-root-user", "--net", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child",
           "sh", "-c", 'hostname demo; ip link set lo up; exec "$@"', "sh"]
CLIENT = {"name": "tapecheck-recorder", "version": "1.0.0"}


class Session:
    """One server process and the lines that pass."""

    def __init__(self, command, home, environment):
        self.lines = []
        self.inbox = queue.Queue()
        self.next_id = 0
        self.process = subprocess.Popen(
            ISOLATE + command, cwd=home, env=environment, text=True, errors="replace",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for text in self.process.stdout:
            self.inbox.put(text.rstrip("\n"))
        self.inbox.put(None)

    def _note(self, direction, text):
        now = datetime.datetime.now(datetime.timezone.utc)
        line = {"ts": now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03}Z", "dir": direction}
        try:
            message = json.loads(text)
        except ValueError:
            message = None
        if isinstance(message, dict):
            line["msg"] = message
        else:
            line["raw"] = text
        self.lines.append(line)
        return message if isinstance(message, dict) else {}

    def send_text(self, text):
        self._note("c2s", text)
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except OSError:
            pass

    def send(self, message):
        self.send_text(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False))

    def request(self, method, params=None, limit=ANSWER_LIMIT_S):
        """Sends a request and waits for its answer; what else arrives meanwhile is recorded too."""
        self.next_id += 1
        request = {"id": self.next_id, "method": method}
        if params is not None:
            request["params"] = params
        self.send(request)
        return self.next_id, self.wait(lambda m: m.get("id") == request["id"] and "method" not in m, limit)

    def wait(self, wanted, limit):
        end = time.monotonic() + limit
        while (left := end - time.monotonic()) > 0:
            try:
                text = self.inbox.get(timeout=left)
            except queue.Empty:
                return None
            if text is None:
                return None
            message = self._note("s2c", text)
            if wanted(message):
                return message
            if "method" in message and "id" in message:
                refusal = {"code": -32601, "message": "The recorder offers nothing to servers"}
                self.send({"id": message["id"], "error": refusal})
        return None

    def close(self):
        self.wait(lambda _: False, 0.2)
        self.process.stdin.close()
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self.process.kill()


def record(name, plan, packages):
    home = pathlib.Path(tempfile.mkdtemp(prefix="home-"))
    for path, text in plan.get("files", {}).items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")
    base = packages / ("npm/node_modules" if plan["registry"] == "npm" else f"py/{plan['package']}")
    command = [part.replace("{base}", str(base)).replace("{home}", str(home)) for part in plan["command"]]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8", "TZ": "UTC"}
    environment |= {key: value.replace("{home}", str(home)) for key, value in plan.get("env", {}).items()}

    session = Session(command, home, environment)
    session.request("initialize", {
        "protocolVersion": plan.get("protocol", "2025-06-18"), "capabilities": {}, "clientInfo": CLIENT}, START_LIMIT_S)
    session.send({"method": "notifications/initialized"})
    session.request("tools/list", {})
    scenarios = []
    for entry in plan["calls"]:
        if isinstance(entry, str):
            session.send_text(entry)
            continue
        scenario, params = entry
        text = json.dumps(params, ensure_ascii=False).replace("{home}", str(home))
        call, _ = session.request("tools/call", json.loads(text))
        scenarios.append({"id": call, "scenario": scenario})
    session.request("ping")
    session.close()
    rewrites = [(str(home), "/data/demo"), (str(base), "/app"), (str(packages), "/app")]
    rewrites += [(prefix, "/app") for prefix in (sys.base_prefix, os.path.dirname(shutil.which("node") or "/app"))]
    write_lines(TARGET / f"{name}.jsonl", session.lines, rewrites)
    write_lines(TARGET / f"{name}.scenarios.jsonl", scenarios, [])
    shutil.rmtree(home, ignore_errors=True)
    print(f"{name}: {len(scenarios)} calls, {len(session.lines)} lines")


def write_lines(path, lines, rewrites):
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    for old, new in rewrites:
        text = text.replace(old, new)
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    packages = pathlib.Path(sys.argv[1]).resolve()
    TARGET.mkdir(exist_ok=True)
    for name in sys.argv[2:] or PLANS:
        record(name, PLANS[name], packages)


if __name__ == "__main__":
    main()
