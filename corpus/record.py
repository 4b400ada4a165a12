#!/usr/bin/env python3
"""Records real MCP servers, over stdio and without a network.

    python3 corpus/record.py COLLECTION PACKAGES_DIR [SERVER ...]

PACKAGES_DIR holds what was installed by hand beforehand: one folder for each
server, with the server's name: an npm project or a virtual environment. Which
servers, started how and asked what, is in COLLECTION/plans*.py (for `recorded`
in record_plans.py).

Each server runs in namespaces of its own, as on an almost empty machine: it sees
the system's programs and the interpreters (to read), its packages as /app, and
its home, /data/demo, with the files of the plan. There is no network but the
loopback interface, so an API or a database is really unreachable. One session
gives NAME.jsonl, {"ts","dir","msg"} or {"ts","dir","raw"} a line. Where a plan
names scenarios, NAME.scenarios.jsonl has them, {"id","scenario"} a line.
"""

import datetime
import importlib.util
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import record_plans

HERE = pathlib.Path(__file__).resolve().parent
CALL_LIMIT_S = 20.0
START_LIMIT_S = 60.0
SESSION_LIMIT_S = 240.0
HOME = "/data/demo"
PYTHONS = str(pathlib.Path(sys.base_prefix).parent)
CLIENT = {"name": "tapecheck-recorder", "version": "1.0.0"}
UNSHARE = ["unshare", "--map-root-user", "--net", "--uts", "--ipc", "--pid", "--fork", "--mount", "--kill-child",
           "sh", "-c"]
ENTER = """
set -e
root=$1 packages=$2 home=$3 python=$4; shift 4
hostname demo; ip link set lo up
mount -t tmpfs none $root
cd $root
mkdir -p usr etc proc dev/shm tmp app data/demo run var/tmp .$python
ln -s usr/bin bin; ln -s usr/sbin sbin; ln -s usr/lib lib; ln -s usr/lib64 lib64
for name in /usr $python; do mount --rbind $name .$name; mount -o remount,bind,ro .$name; done
mount -t tmpfs none usr/local
mount --bind $packages app; mount -o remount,bind,ro app
mount --bind $home data/demo
mount -t proc none proc
for name in null zero full random urandom; do touch dev/$name; mount --bind /dev/$name dev/$name; done
ln -s /proc/self/fd dev/fd
mkdir etc/ssl
for name in alternatives fonts java-17-openjdk ld.so.cache mime.types ssl/certs; do
  if test -e /etc/$name; then cp -r --no-preserve=ownership --no-dereference /etc/$name etc/$name; fi
done
printf 'demo:x:0:0:demo:/data/demo:/bin/sh\n' > etc/passwd
printf 'demo:x:0:\n' > etc/group
printf '127.0.0.1 localhost demo\n' > etc/hosts
printf 'hosts: files dns\n' > etc/nsswitch.conf
chmod 1777 tmp
exec chroot . sh -c 'cd /data/demo; exec "$@"' sh "$@"
"""


class Session:
    """One server process and the lines that pass."""

    def __init__(self, command, packages, home, environment):
        self.lines = []
        self.inbox = queue.Queue()
        self.next_id = 0
        self.end = time.monotonic() + SESSION_LIMIT_S
        self.root = tempfile.mkdtemp(prefix="root-")
        enter = [ENTER, "sh", self.root, str(packages), str(home), PYTHONS]
        self.process = subprocess.Popen(
            UNSHARE + enter + command, env=environment, text=True, errors="replace",
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

    def request(self, method, params=None, limit=CALL_LIMIT_S):
        """Sends a request and waits for its answer; what else arrives meanwhile is recorded too."""
        self.next_id += 1
        request = {"id": self.next_id, "method": method}
        if params is not None:
            request["params"] = params
        self.send(request)
        return self.next_id, self.wait(lambda m: m.get("id") == request["id"] and "method" not in m, limit)

    def wait(self, wanted, limit):
        end = min(time.monotonic() + limit, self.end)
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
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self.process.kill()
        os.rmdir(self.root)


def record(name, plan, packages, target):
    home = pathlib.Path(tempfile.mkdtemp(prefix="home-"))
    for path, content in plan.get("files", {}).items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    base = "/app/node_modules" if plan["registry"] == "npm" else "/app"
    command = [fill(part, base) for part in plan["command"]]
    environment = {"PATH": "/usr/sbin:/usr/bin:/bin", "HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC",
                   "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {key: fill(value, base) for key, value in plan.get("env", {}).items()}

    session = Session(command, (packages / name).resolve(), home, environment)
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
        call, _ = session.request("tools/call", json.loads(fill(json.dumps(params, ensure_ascii=False), base, session.lines)))
        if scenario:
            scenarios.append({"id": call, "scenario": scenario})
    session.request("ping")
    session.close()
    write_lines(target / f"{name}.jsonl", session.lines)
    if scenarios:
        write_lines(target / f"{name}.scenarios.jsonl", scenarios)
    shutil.rmtree(home, ignore_errors=True)
    print(f"{name}: {sum(not isinstance(entry, str) for entry in plan['calls'])} calls, {len(session.lines)} lines")


def fill(text, base, lines=()):
    text = text.replace("{base}", base).replace("{home}", HOME)
    return re.sub(r"\{last:(.*?)\}", lambda found: last(json.loads(f'"{found[1]}"'), lines), text)


def last(pattern, lines):
    """The last text that the server answered and the first group of the pattern matches."""
    for line in reversed(lines):
        content = line.get("msg", {}).get("result", {}).get("content") if line["dir"] == "s2c" else None
        for block in content or []:
            if found := re.findall(pattern, block.get("text", "")):
                return found[-1]
    return "none"


def write_lines(path, lines):
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    path.write_bytes(text.replace(PYTHONS, "/app").encode("utf-8", "backslashreplace"))


def plans_of(collection):
    if collection == "recorded":
        return record_plans.PLANS
    plans = {}
    for path in sorted((HERE / collection).glob("plans*.py")):
        spec = importlib.util.spec_from_file_location(f"{collection}_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        plans |= module.PLANS
    return plans


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    collection, packages = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    plans = plans_of(collection)
    for name in sys.argv[3:] or plans:
        record(name, plans[name], packages, HERE / collection)


if __name__ == "__main__":
    main()
