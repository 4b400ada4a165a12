"""For spark-submit: the flags of `tapecheck run` and a few of its own."""

import argparse
import os

from pyspark.sql import SparkSession

from tapecheck_spark import judge


def main(words=None):
    about = "Classifies recordings on Spark. Flags that are not listed here go to every `tapecheck run`."
    parser = argparse.ArgumentParser(prog="tapecheck-spark", description=about, allow_abbrev=False)
    parser.add_argument("recordings", nargs="+", metavar="RECORDINGS", help="files and folders that all machines see, or an address")
    parser.add_argument("--out", required=True, metavar="DIR", help="where to write the run, a path or an address")
    parser.add_argument("--rulebook", metavar="NAME|FILE")
    parser.add_argument("--parts", type=int, metavar="N", help="into how many parts the recordings are divided")
    parser.add_argument("--binary", metavar="FILE", help="the tapecheck executable [default: the one in PATH]")
    parser.add_argument("--work", metavar="DIR", help="a folder or an address for parts [default: beside --out]")
    parser.add_argument("--nights", metavar="DIR", help="also write verdicts as Parquet, a folder for each day")
    parser.add_argument("--history", metavar="DIR", help="add the run's counts to this history")
    parser.add_argument("--night", metavar="YYYY-MM-DD", help="the night of the run in the history")
    parser.add_argument("--hang-seconds", type=float, default=600, metavar="SECONDS")
    known, others = parser.parse_known_args(words)
    merging = []
    history = known.history and os.path.abspath(known.history)
    for flag, value in (("--history", history), ("--night", known.night)):
        merging += [flag, value] if value else []
    spark = SparkSession.builder.appName("tapecheck").getOrCreate()
    try:
        judged = judge(
            spark,
            known.recordings,
            out=known.out,
            rulebook=known.rulebook,
            parts=known.parts,
            binary=known.binary,
            work=known.work,
            arguments=others,
            merge_arguments=merging,
            nights=known.nights,
            hang_seconds=known.hang_seconds,
        )
        print(f"{judged.folder}: {judged.parts} parts, {judged.repeated} attempts repeated")
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
