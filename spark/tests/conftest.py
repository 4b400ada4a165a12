"""A binary, recordings, sessions and clusters of Spark, and comparisons with what a local run writes."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from faults import descendants

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME / "spark" / "src"))
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
CLUSTER = "local-cluster[2,1,1024]"


@pytest.fixture(scope="session")
def binary():
    target = HOME / os.environ.get("CARGO_TARGET_DIR", "target")
    found = Path(os.environ.get("TAPECHECK", target / "debug" / "tapecheck"))
    assert found.exists(), f"build it first: {found} is missing"
    return str(found)


@pytest.fixture
def session():
    """Makes Spark sessions, one after the other."""
    from pyspark.sql import SparkSession

    opened = []

    def make(master, **settings):
        builder = SparkSession.builder.master(master).appName("tapecheck tests")
        fixed = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
        fixed |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
        if master.startswith("spark:"):
            fixed["spark.executor.memory"] = "700m"
        for name, value in {**fixed, **settings}.items():
            builder = builder.config(name, value)
        opened.append(builder.getOrCreate())
        opened[-1].sparkContext.setLogLevel("ERROR")
        return opened[-1]

    yield make
    for spark in opened:
        spark.stop()


@pytest.fixture
def standalone(tmp_path):
    """A master, and two workers on addresses of loopback."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []

    def start(name, host, *words):
        log = open(tmp_path / f"{name}.log", "wb")
        command = [home / "bin" / "spark-class", *words]
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_WORKER_DIR": str(tmp_path / name)}
        environment["SPARK_LOCAL_IP"] = host
        started.append(subprocess.Popen(command, stdout=log, stderr=log, env=environment))
        return started[-1]

    deploy = "org.apache.spark.deploy"
    start("master", "127.0.0.1", f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    master = f"spark://127.0.0.1:{port}"
    # Two hosts, since no task is made twice on one.
    hosts = ["127.0.0.1", "127.0.0.2"]
    words = ["--webui-port", "0", "-c", "1", "-m", "1g", master]
    workers = [start(f"worker-{host}", host, f"{deploy}.worker.Worker", "--host", host, *words) for host in hosts]
    yield master, workers
    for process in started:
        below = descendants(process.pid, "")
        process.kill()
        process.wait()
        for pid in below:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


@pytest.fixture
def on(session, request):
    """Makes a session where it is named: `standalone` starts a cluster."""

    def make(where, **settings):
        return session(request.getfixturevalue("standalone")[0] if where == "standalone" else where, **settings)

    return make


def call(number, text="fine"):
    reply = {"content": [{"type": "text", "text": f"{text} {number}"}], "isError": number % 4 == 1}
    at = f"2026-03-{number % 28 + 1:02}T10:00:00Z"
    named = {"server": f"server-{number % 3}", "tool": f"get_{number % 5}", "recorded_at": at}
    return json.dumps({"id": f"c-{number}", **named, "input": {"of": number}, "response": reply})


def wire(numbers):
    """Calls as messages: a call and its answer are paired by the program."""
    for number in numbers:
        asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": f"get_{number % 5}"}}
        answer = {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "ok"}]}}
        for side, message in (("c2s", asked), ("s2c", answer)):
            yield json.dumps({"ts": "2026-03-01T10:00:00Z", "dir": side, "server": "wire", "msg": message})


@pytest.fixture
def recordings(tmp_path):
    """Recordings in several layouts, one of them corrupt."""
    import gzip

    folder = tmp_path / "recordings"
    folder.mkdir()
    for file in range(6):
        lines = [call(number) for number in range(file * 40, file * 40 + 40)]
        (folder / f"lines-{file}.jsonl").write_text("\n".join([*lines, "not json"]) + "\n")
    (folder / "wire.jsonl").write_text("\n".join(wire(range(50))) + "\n")
    whole = gzip.compress(("\n".join(call(number) for number in range(900, 990)) + "\n").encode())
    (folder / "zz-corrupt.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    return folder


@pytest.fixture
def local(binary, tmp_path):
    """Makes a local run."""

    def run(recordings, name="local"):
        out = tmp_path / name
        subprocess.run([binary, "run", recordings, "--out", out, "--quiet"], check=True, stdin=subprocess.DEVNULL)
        return out

    return run


def differences(one, other):
    """The files in which two runs differ in rows, sums or texts, apart from times."""
    import pyarrow.parquet as parquet

    def files(run):
        found = (path for path in Path(run).rglob("*") if path.is_file())
        return {str(path.relative_to(run)): path for path in found if path.name != "report.html"}

    def content(path):
        if path.suffix == ".parquet":
            return parquet.read_table(path)
        if path.suffix == ".json":
            return {**json.loads(path.read_text()), "wall": None}
        return path.read_bytes()

    ones, others = files(one), files(other)
    differing = set(ones) ^ set(others)
    return sorted(differing | {name for name in set(ones) & set(others) if content(ones[name]) != content(others[name])})


def reports(binary, run, wall_of, before=None):
    """Every rendered report of a run, with the times of another, and what compares it with an earlier one."""
    manifest = json.loads((Path(run) / "manifest.json").read_text())
    manifest["wall"] = json.loads((Path(wall_of) / "manifest.json").read_text())["wall"]
    (Path(run) / "manifest.json").write_text(json.dumps(manifest, indent=2))
    named = Path(run).with_name("shown")
    Path(run).rename(named)
    written = named.with_name("report")
    commands = [["show", named, "--format", f"{name}={written}"] for name in ("html", "markdown", "json")]
    commands += [["trend", named, "--format", f"json={written}"], ["show", named]]
    if before is not None:
        compared = ["--format", f"json={written}"]
        commands += [["diff", before, named, *compared], ["gate", named, "--baseline", before, *compared]]
    shown = {}
    for command in commands:
        done = subprocess.run([binary, *command], capture_output=True)
        content = done.stdout + (written.read_bytes() if written.exists() else b"")
        assert done.returncode in (0, 1) and content, (command, done.stderr.decode())
        shown[" ".join(map(str, command))] = (done.returncode, content)
        written.unlink(missing_ok=True)
    named.rename(run)
    return shown


def assert_same(binary, local, spark, before=None):
    assert differences(local, spark) == [], "files that differ from those of the local run"
    one, other = (reports(binary, run, local, before) for run in (local, spark))
    assert [name for name in one if one[name] != other[name]] == [], "reports that differ"
