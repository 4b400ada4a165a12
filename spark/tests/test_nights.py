"""What is done with a finished run: nights as Parquet, a history, comparisons."""

import json
import subprocess
from collections import Counter

import pyarrow.dataset as dataset
import pyarrow.parquet as parquet
import pytest
import traffic
from conftest import assert_same, call

from tapecheck_spark import judge


@pytest.fixture
def nights(tmp_path):
    """Recordings of three nights in all formats, and calls without a time."""
    folder = tmp_path / "nights"
    traffic.write(folder, 900, nights=3)
    untimed = [{**json.loads(call(number)), "recorded_at": None} for number in range(2000, 2010)]
    (folder / "untimed.jsonl").write_text("\n".join(json.dumps(one) for one in untimed) + "\n")
    return folder


def rows(table):
    """The rows of a table, in any order and with columns in any order. No day is an empty text or none at all."""
    made = ({**row, "day": row["day"] or None} for row in table.to_pylist())
    return Counter(json.dumps(row, sort_keys=True, default=str) for row in made)


def test_nights_hold_the_verdicts_of_each_day_however_often_they_are_written(session, binary, local, nights, tmp_path):
    expected = rows(parquet.read_table(local(nights) / "verdicts.parquet"))
    spark = session("local[2]")
    written = tmp_path / "written"
    for attempt in ("once", "twice"):
        judge(spark, nights, out=tmp_path / "run", binary=binary, parts=5, nights=str(written))
        assert rows(dataset.dataset(str(written), partitioning="hive").to_table()) == expected, attempt
    days = {path.name for path in written.iterdir() if path.is_dir()}
    assert days == {"day=2026-03-01", "day=2026-03-02", "day=2026-03-03", "day=__HIVE_DEFAULT_PARTITION__"}


def test_nights_are_read_by_duckdb_and_polars(session, binary, nights, tmp_path):
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    written = tmp_path / "written"
    judge(session("local[2]"), nights, out=tmp_path / "run", binary=binary, parts=5, nights=str(written))
    of_day = Counter(str(row["day"] or None) for row in parquet.read_table(tmp_path / "run" / "verdicts.parquet").to_pylist())
    query = f"select cast(day as varchar), count(*) from read_parquet('{written}/*/*.parquet', hive_partitioning=true) group by 1"
    assert Counter({str(day): count for day, count in duckdb.sql(query).fetchall()}) == of_day
    read = polars.scan_parquet(f"{written}/**/*.parquet", hive_partitioning=True).group_by("day").len().collect()
    assert Counter({str(day): count for day, count in read.rows()}) == of_day


def test_a_night_adds_to_a_history_once_and_trend_reads_it(session, binary, nights, tmp_path):
    spark = session("local[2]")
    shown = {}
    for name in ("local", "spark"):
        history = tmp_path / f"history-{name}"
        for night in ("2026-03-01", "2026-03-02", "2026-03-02", "2026-03-03"):
            adding = ["--history", str(history), "--night", night]
            recordings, out = nights / night, tmp_path / name / night
            if name == "local":
                subprocess.run([binary, "run", recordings, "--out", out, "--quiet", *adding], check=True)
            else:
                judge(spark, recordings, out=out, binary=binary, parts=3, merge_arguments=adding)
        runs = [path for path in history.rglob("*.parquet")]
        assert len(runs) == 3, "the second night counts once"
        trend = [binary, "trend", history, "--format", "json"]
        shown[name] = json.loads(subprocess.run(trend, capture_output=True, check=True).stdout)
    assert shown["spark"] == shown["local"]


def test_a_merged_run_is_compared_and_shown_as_any_other(session, binary, local, nights, tmp_path):
    before = local(nights, "before")
    file = nights / "2026-03-02" / "gateway-0.jsonl"
    lines = file.read_text().splitlines()
    failing = [line.replace('"content":[', '"isError":true,"content":[') for line in lines[:40]]
    file.write_text("\n".join([*failing, *lines[40:]]) + "\n")
    expected = local(nights)
    judge(session("local[2]"), nights, out=tmp_path / "run", binary=binary, parts=5)
    assert_same(binary, expected, tmp_path / "run", before)
