"""The driver's side: parts are dealt out to tasks, and put together."""

import fcntl
import glob
import os
import shutil
import subprocess
import tempfile
import uuid
from dataclasses import dataclass

from pyspark import SparkFiles, cloudpickle

from . import attempts
from .attempts import PartFailed

#: What a task returns for each part: one schema for every batch.
RESULT = "part int not null, folder string not null, attempts int not null"
#: Parts for each task that can run at once: tasks that end early take another.
PARTS_PER_SLOT = 3
#: What names of folders for parts begin with; `tapecheck run` reads no recordings there.
PARTS = ".tapecheck-parts-"
#: The file in such a folder that its driver has locked.
LOCK = "driver"


@dataclass(frozen=True)
class Judged:
    """A finished run."""

    folder: str
    parts: int
    #: Attempts beyond the first of each part.
    repeated: int


def judge(
    spark,
    recordings,
    *,
    out,
    rulebook=None,
    parts=None,
    binary=None,
    work=None,
    arguments=(),
    merge_arguments=(),
    nights=None,
    hang_seconds=600,
    most_attempts=20,
):
    """Classifies recordings on Spark and writes the run folder that a local run would write.

    `recordings` is a path or a list of paths that driver and executors see alike, `out` the folder of the run, and `work` a
    folder for parts that all of them can write (by default beside `out`). `binary` is the tapecheck executable on the
    driver, which is sent to the executors (by default the one in PATH). `arguments` go to every `tapecheck run`,
    `merge_arguments` to `tapecheck merge`, such as `["--history", "DIR"]`. With `nights`, the verdicts are also written
    there as Parquet, a folder for each day, and replace those of an earlier run.
    """
    paths = [recordings] if isinstance(recordings, (str, os.PathLike)) else list(recordings)
    paths = [os.path.abspath(path) for path in paths]
    out = os.path.abspath(out)
    binary = os.path.abspath(binary or shutil.which("tapecheck") or missing())
    context = spark.sparkContext
    parts = parts or max(1, context.defaultParallelism * PARTS_PER_SLOT)
    work, held = work_folder(os.path.abspath(work or os.path.dirname(out)))
    run_arguments = [*(["--rulebook", rulebook] if rulebook else []), *arguments]
    # A file of the same name that was sent before would be kept: each call sends its own.
    sent = os.path.join(tempfile.mkdtemp(prefix="tapecheck-"), f"tapecheck-{uuid.uuid4().hex}")
    shutil.copy2(binary, sent)
    # Executors need not have this package.
    cloudpickle.register_pickle_by_value(attempts)
    try:
        context.addFile(sent)
        task = part_task(os.path.basename(sent), paths, parts, work, run_arguments, hang_seconds, most_attempts)
        numbers = spark.range(1, parts + 1, 1, numPartitions=parts)
        results = numbers.mapInArrow(task, RESULT).collect()
        folders = [row.folder for row in sorted(results, key=lambda row: row.part)]
        merged = [binary, "merge", *folders, "--out", out, "--quiet", *merge_arguments]
        done = subprocess.run(merged, cwd=work, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise PartFailed(f"tapecheck merge ended with exit code {done.returncode}: {done.stderr.strip()}")
        if nights is not None:
            write_nights(os.path.join(out, "verdicts.parquet"), nights)
        return Judged(out, parts, sum(row.attempts - 1 for row in results))
    finally:
        shutil.rmtree(work, ignore_errors=True)
        held.close()
        shutil.rmtree(os.path.dirname(sent), ignore_errors=True)


def work_folder(beside):
    """A new folder for parts, and the open file that this process has locked in it. Folders of drivers that ended are removed."""
    os.makedirs(beside, exist_ok=True)
    for file in glob.glob(os.path.join(glob.escape(beside), f"{PARTS}*", LOCK)):
        with open(file, "ab") as held:
            if lock(held):
                shutil.rmtree(os.path.dirname(file), ignore_errors=True)
    work = os.path.join(beside, PARTS + uuid.uuid4().hex)
    os.mkdir(work)
    # Others look for the file when it has been locked.
    held = open(os.path.join(work, "begun"), "ab")
    lock(held)
    os.rename(held.name, os.path.join(work, LOCK))
    return work, held


def lock(file):
    """Whether an open file could be locked until it is closed, be it by a kill."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def write_nights(verdicts, nights):
    """Writes verdicts with a folder for each day, in place of those of an earlier run."""
    import pyarrow as pa
    from pyarrow import compute, dataset

    for day in glob.glob(os.path.join(glob.escape(nights), "day=*")):
        shutil.rmtree(day)
    source, day = dataset.dataset(verdicts), dataset.field("day")
    columns = {name: dataset.field(name) for name in source.schema.names}
    columns["day"] = compute.if_else(day == "", pa.scalar(None, pa.string()), day)
    by_day = {"partitioning": ["day"], "partitioning_flavor": "hive"}
    # Calls of many days follow each other in a run: rows of a day are gathered before they are written.
    dataset.write_dataset(source.scanner(columns), nights, format="parquet", min_rows_per_group=1 << 15, **by_day)


def missing():
    raise FileNotFoundError("tapecheck is not in PATH; name the executable with binary=")


def part_task(name, paths, parts, work, arguments, hang_seconds, most_attempts):
    """What an executor does with its batches of numbers of parts."""
    run = attempts.run_part

    def task(batches):
        import pyarrow as pa

        fields = [("part", pa.int32()), ("folder", pa.string()), ("attempts", pa.int32())]
        schema = pa.schema([pa.field(field, kind, nullable=False) for field, kind in fields])
        binary = SparkFiles.get(name)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                values = (number, *run(binary, paths, number, parts, work, arguments, hang_seconds, most_attempts))
                row = [pa.array([value], kind) for value, (_, kind) in zip(values, fields)]
                yield pa.RecordBatch.from_arrays(row, schema=schema)

    return task
