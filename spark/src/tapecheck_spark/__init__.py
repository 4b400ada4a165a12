"""Runs tapecheck over recordings on Apache Spark.

Each task classifies one part of the recordings with `tapecheck run --part` and returns where it wrote it; the driver puts
the parts together with `tapecheck merge`. The result is the run folder that one machine would have written.
"""

from .attempts import PartFailed
from .judge import Judged, judge

__all__ = ["Judged", "PartFailed", "judge"]
