"""The driver's side: parts are dealt out to tasks, and put together."""

import json
import os
import shutil
import subprocess
import tempfile
import uuid
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from pyspark import SparkFiles, cloudpickle

from . import attempts, stores
from .attempts import PartFailed
from .stores import PARTS, Place, held_folder, is_address

#: What a task returns for each part: one schema for every batch. `programs` is a JSON list.
RESULT = "part int not null, folder string not null, attempts int not null, programs string not null"
#: Parts for each task that can run at once: tasks that end early take another.
PARTS_PER_SLOT = 3


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
    folder for parts that all of them can write (by default beside `out`). Each may be an address instead, such as
    `s3://bucket/prefix`; then `recordings` is one folder or file, and executors copy to their own disks what they read.
    `binary` is the tapecheck executable on the driver, which is sent to the executors (by default the one in PATH).
    `arguments` go to every `tapecheck run`, `merge_arguments` to `tapecheck merge`, such as `["--history", "DIR"]`. With
    `nights`, the verdicts are also written there as Parquet, a folder for each day, and replace those of an earlier run.
    """
    paths = [recordings] if isinstance(recordings, (str, os.PathLike)) else list(recordings)
    paths, (out,) = located(paths), located([out])
    beside = located([work])[0] if work else parent_of(out)
    binary = os.path.abspath(binary or shutil.which("tapecheck") or missing())
    context = spark.sparkContext
    parts = parts or max(1, context.defaultParallelism * PARTS_PER_SLOT)
    run_arguments = [*(["--rulebook", rulebook] if rulebook else []), *arguments]
    copied = any(is_address(place) for place in (*paths, out, beside))
    if copied and len(paths) > 1:
        raise ValueError("name one folder of recordings where an address is used")
    files = Place(paths[0]).recordings() if copied else None
    own = tempfile.mkdtemp(prefix="tapecheck-")
    # A file of the same name that was sent before would be kept: each call sends its own.
    sent = os.path.join(own, f"tapecheck-{uuid.uuid4().hex}")
    shutil.copy2(binary, sent)
    # Executors need not have this package.
    cloudpickle.register_pickle_by_value(attempts)
    cloudpickle.register_pickle_by_value(stores)
    work, held = (PARTS + uuid.uuid4().hex, None) if is_address(beside) else held_folder(beside)
    try:
        context.addFile(sent)
        limits = (hang_seconds, most_attempts)

        def run(numbers, known):
            one = part_task(os.path.basename(sent), paths, files, known, parts, (beside, work), run_arguments, limits)
            rows = spark.range(0, len(numbers), 1, numPartitions=len(numbers))
            return {row.part: row for row in rows.mapInArrow(each(one, numbers), RESULT).collect()}

        results = run([*range(1, parts + 1)], [])
        of_programs = {part: json.loads(row.programs) for part, row in results.items()}
        if copied:
            # Calls that two files of programs hold count in the first, and the last part tells of those without an answer.
            again = [part for part in results if of_programs[part] or part == parts]
            again = [part for part in again if any(of_programs[earlier] for earlier in range(1, part))]
            if again:
                results.update(run(again, sorted(file for found in of_programs.values() for file in found)))
        folders = [os.path.join(beside, work, results[part].folder) for part in sorted(results)]
        if copied:
            folders = [os.path.join(own, results[part].folder) for part in sorted(results)]
            for folder in folders:
                Place(beside).fetch_folder(f"{work}/{os.path.basename(folder)}", folder)
        merged = os.path.join(own, "run") if is_address(out) else out
        # The page names the run; of a folder of this process only its last part.
        named = os.path.basename(merged) if is_address(out) else merged
        command = [binary, "merge", *folders, "--out", named, "--quiet", *merge_arguments]
        done = subprocess.run(command, cwd=own, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise PartFailed(f"tapecheck merge ended with exit code {done.returncode}: {done.stderr.strip()}")
        if nights is not None:
            write_nights(os.path.join(merged, "verdicts.parquet"), Place(located([nights])[0]))
        if is_address(out):
            Place(out).replace_run(merged)
        return Judged(stores.shown(out), parts, sum(row.attempts - 1 for row in results.values()))
    finally:
        if copied:
            Place(beside).remove(work)
        else:
            shutil.rmtree(os.path.join(beside, work), ignore_errors=True)
        if held:
            held.close()
        shutil.rmtree(own, ignore_errors=True)


def located(paths):
    """Paths of this machine, whole, and addresses."""
    return [str(path) if is_address(path) else os.path.abspath(path) for path in paths]


def parent_of(path):
    """The folder of a path or an address."""
    if not is_address(path):
        return os.path.dirname(path)
    parts = urlsplit(path)
    return urlunsplit(parts._replace(path=os.path.dirname(parts.path.rstrip("/"))))


def write_nights(verdicts, nights):
    """Writes verdicts with a folder for each day, in place of those of an earlier run."""
    import pyarrow as pa
    from pyarrow import compute, dataset, fs

    for there in nights.store.get_file_info(fs.FileSelector(nights.path, allow_not_found=True)):
        if there.type == fs.FileType.Directory and there.base_name.startswith("day="):
            nights.store.delete_dir(there.path)
    source, day = dataset.dataset(verdicts), dataset.field("day")
    columns = {name: dataset.field(name) for name in source.schema.names}
    columns["day"] = compute.if_else(day == "", pa.scalar(None, pa.string()), day)
    by_day = {"partitioning": ["day"], "partitioning_flavor": "hive"}
    # Calls of many days follow each other in a run: rows of a day are gathered before they are written.
    rows = {"format": "parquet", "min_rows_per_group": 1 << 15}
    dataset.write_dataset(source.scanner(columns), nights.path, filesystem=nights.store, **rows, **by_day)


def missing():
    raise FileNotFoundError("tapecheck is not in PATH; name the executable with binary=")


def part_task(name, paths, files, known, parts, work, arguments, limits):
    """What an executor does with the number of a part."""
    run, run_copied = attempts.run_part, stores.run_copied_part

    def one(number):
        binary = SparkFiles.get(name)
        if files is not None:
            return (number, *run_copied(binary, paths[0], files, known, number, parts, work, arguments, *limits))
        folder, tries = run(binary, paths, number, parts, os.path.join(*work), arguments, *limits)
        return number, os.path.basename(folder), tries, "[]"

    return one


def each(one, numbers):
    """What an executor does with its batches of places in a list of parts."""

    def task(batches):
        import pyarrow as pa

        fields = [("part", pa.int32()), ("folder", pa.string()), ("attempts", pa.int32()), ("programs", pa.string())]
        schema = pa.schema([pa.field(field, kind, nullable=False) for field, kind in fields])
        for batch in batches:
            for place in batch.column(0).to_pylist():
                row = [pa.array([value], kind) for value, (_, kind) in zip(one(numbers[place]), fields)]
                yield pa.RecordBatch.from_arrays(row, schema=schema)

    return task
