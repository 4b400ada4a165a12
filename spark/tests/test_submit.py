"""The command that is handed to spark-submit, and the one that is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from conftest import HOME, assert_same


@pytest.fixture
def installed(tmp_path):
    """The package, installed into a folder of its own as a reader of docs/cluster.md installs it."""
    shutil.copytree(HOME / "spark", tmp_path / "spark", ignore=shutil.ignore_patterns("__pycache__"))
    site = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, tmp_path / "spark"]
    subprocess.run(command, check=True)
    return site


def test_spark_submit_takes_the_flags_of_the_command_line(standalone, installed, binary, local, recordings, tmp_path):
    master, _ = standalone
    expected = local(recordings)
    spark = Path(pyspark.__file__).parent
    command = [spark / "bin" / "spark-submit", "--master", master, "--conf", "spark.executor.memory=700m"]
    command += [installed / "tapecheck_spark" / "job.py", recordings, "--out", tmp_path / "run", "--binary", binary]
    command += ["--parts", "4", "--rulebook", "calibrated", "--history", tmp_path / "history", "--night", "2026-03-01"]
    command += ["--config", "output.durations=false"]
    environment = {**os.environ, "SPARK_HOME": str(spark), "PYTHONPATH": str(installed)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "4 parts, 0 attempts repeated" in done.stdout
    assert len(list((tmp_path / "history").rglob("*.parquet"))) == 1
    assert_same(binary, expected, tmp_path / "run")


def test_the_installed_command_runs_on_this_machine(installed, binary, local, recordings, tmp_path):
    expected = local(recordings)
    environment = {**os.environ, "PYTHONPATH": str(installed), "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tapecheck").symlink_to(binary)
    command = [installed / "bin" / "tapecheck-spark", "recordings", "--out", "run", "--rulebook", "calibrated", "--parts", "3"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 parts, 0 attempts repeated" in done.stdout
    assert_same(binary, expected, tmp_path / "run")
