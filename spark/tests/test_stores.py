"""Recordings and runs at addresses: a server of S3's protocol on this machine, and files."""

import logging
import os
import shutil
import time
from pathlib import Path

import pyarrow.dataset as dataset
import pyarrow.parquet as parquet
import pytest
from conftest import CLUSTER, HOME, assert_same
from faults import during, kill_one, slow
from pyarrow import fs

from tapecheck_spark import judge
from tapecheck_spark.stores import Place, Staged, shown

KEYS = {"AWS_ACCESS_KEY_ID": "anyone", "AWS_SECRET_ACCESS_KEY": "not-so-secret", "AWS_EC2_METADATA_DISABLED": "true"}
OF_EXECUTORS = {f"spark.executorEnv.{name}": value for name, value in KEYS.items()}


@pytest.fixture
def bucket(monkeypatch):
    """Makes addresses in a bucket, and copies folders there and back."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server.start()
    host, port = server.get_host_and_port()
    query = f"endpoint_override={host}:{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
    store, _ = fs.FileSystem.from_uri(f"s3://bucket?{query}")
    store.create_dir("bucket")
    yield lambda key: f"s3://bucket/{key}?{query}"
    server.stop()


def up(folder, address):
    """Copies a folder to an address."""
    Place(address).put_folder(folder)


def down(address, folder):
    Place(address).fetch_folder("", str(folder))
    return folder


def left_over(address):
    return [file for file in Place(address).files() if ".tapecheck-" in file]


def no_traces(run, *words):
    """No file of a run names a place on an executor's disk."""
    for path in Path(run).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert [word for word in words if word.encode() in content] == [], path


@pytest.mark.parametrize("master", ["local[2]", "standalone"])
def test_bundled_corpora_in_a_bucket_are_the_same(on, bucket, binary, local, tmp_path, master):
    up(HOME / "corpus", bucket("nights/corpus"))
    expected = local(HOME / "corpus")
    spark = on(master, **OF_EXECUTORS)
    judged = judge(spark, bucket("nights/corpus"), out=bucket("nights/run"), binary=binary, parts=6, nights=bucket("by-day"))
    assert judged.folder == "s3://bucket/nights/run"
    run = down(bucket("nights/run"), tmp_path / "run")
    no_traces(run, "/.tapecheck-", "not-so-secret")
    assert_same(binary, expected, run)
    assert left_over(bucket("nights")) == []
    by_day = dataset.dataset(Place(bucket("by-day")).path, filesystem=Place(bucket("by-day")).store, partitioning="hive")
    assert by_day.count_rows() == parquet.read_table(expected / "verdicts.parquet").num_rows


def test_a_killed_executor_costs_nothing_of_a_bucket(session, bucket, binary, local, recordings, tmp_path):
    up(recordings, bucket("recordings"))
    expected = local(recordings)
    spark = session(CLUSTER, **OF_EXECUTORS)
    work = lambda: judge(spark, bucket("recordings"), out=bucket("run"), binary=slow(binary, tmp_path), parts=6)
    during(lambda: (time.sleep(8), kill_one("CoarseGrainedExecutorBackend")), work)
    assert_same(binary, expected, down(bucket("run"), tmp_path / "run"))


def test_a_run_at_an_address_replaces_a_run_and_nothing_else(session, binary, local, recordings, tmp_path):
    # A run among recordings is passed over.
    shutil.copytree(local(recordings, "earlier"), recordings / "earlier")
    expected = local(recordings)
    spark = session("local[2]")
    address = f"file://{tmp_path}/run"
    other = tmp_path / "run" / "mine.txt"
    other.parent.mkdir(parents=True)
    other.write_text("keep this")
    with pytest.raises(FileExistsError, match="is not a tapecheck run"):
        judge(spark, f"file://{recordings}", out=address, binary=binary, parts=3)
    assert other.read_text() == "keep this"
    other.unlink()
    for _ in range(2):
        judge(spark, f"file://{recordings}", out=address, binary=binary, parts=3)
    assert_same(binary, expected, tmp_path / "run")
    assert [name for name in os.listdir(tmp_path) if ".tapecheck-" in name] == []


@pytest.mark.parametrize("names", [["../up.jsonl"], ["a", "a/b"]])
def test_names_that_no_disk_can_have_are_refused(tmp_path, names):
    with pytest.raises(ValueError, match="has a file whose name this machine cannot have"):
        Staged(f"file://{tmp_path}", dict.fromkeys(names, 3))


def test_errors_name_addresses_and_no_secrets(session, binary, bucket, tmp_path):
    address = bucket("nowhere").replace("s3://", "s3://anyone:not-so-secret@")
    with pytest.raises(FileNotFoundError) as error:
        judge(session("local[1]"), address, out=tmp_path / "run", binary=binary, parts=1)
    assert str(error.value) == "s3://bucket/nowhere is not there"
    assert shown("/plain/path") == "/plain/path"
