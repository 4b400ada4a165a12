"""Asks the questions of docs/query.md in SQL and in polars; prints what both answer.

Reads a list of pairs of SQL and Python from standard input, as JSON. Python leaves a data frame called
`answer`. Prints the tables as a list of texts, as JSON; says so where DuckDB or polars is absent.
"""

import json
import sys

try:
    import duckdb
    import polars
except ImportError as error:
    print(f"absent: {error}")
    sys.exit()


def shown(cell):
    """A cell as people read it."""
    if cell is None:
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def table(columns, rows):
    """Columns side by side."""
    cells = [list(columns)] + [[shown(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(columns))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in cells)
    return "".join(line.rstrip() + "\n" for line in lines)


answers = []
for sql, python in json.load(sys.stdin):
    result = duckdb.sql(sql)
    by_sql = table(result.columns, result.fetchall())
    scope = {"pl": polars}
    exec(python, scope)
    frame = scope["answer"]
    if isinstance(frame, polars.LazyFrame):
        frame = frame.collect()
    by_polars = table(frame.columns, frame.rows())
    if by_sql != by_polars:
        sys.exit(f"{sql}\n{by_sql}\nis not what polars answers:\n{python}\n{by_polars}")
    answers.append(by_sql)
print(json.dumps(answers))
