//! The columns of all tables as a document.

use super::column::{Column, Presence};
use super::table::Table;
use crate::count::{Dimension, DimensionSpec};
use std::fmt::Write as _;
use std::fs;

fn columns_document() -> String {
    let parts: [(&str, &[Table]); 6] = [
        (INTRODUCTION, &Table::ALL),
        (&(dimensions() + COMPARISONS), &Table::OF_COMPARISONS),
        (SWEEPS, &Table::OF_SWEEPS),
        (STATS, &Table::OF_STATS),
        (HISTORIES, &Table::OF_HISTORIES),
        (TRENDS, &Table::OF_TRENDS),
    ];
    let mut text = String::new();
    for (introduction, tables) in parts {
        text.push_str(introduction);
        for table in tables {
            describe(*table, &mut text);
        }
    }
    text + JSON_FILES
}

fn describe(table: Table, text: &mut String) {
    let files: Vec<_> =
        table.formats().iter().map(|format| format!("`{}`", table.file_name(*format))).collect();
    let _ = write!(
        text,
        "\n## {}\n\n{}\n{}\n\n| column | kind | empty? | meaning |\n|---|---|---|---|\n",
        table.name(),
        files.join(" and "),
        table.about()
    );
    for column in table.columns() {
        push_row(&column, text);
    }
}

fn push_row(column: &Column, text: &mut String) {
    let empty = match column.presence {
        Presence::Always => "",
        Presence::Sometimes => "yes",
    };
    let Column { name, kind, about, .. } = column;
    let _ = writeln!(text, "| `{name}` | {} | {empty} | {about} |", kind.name());
}

const SWEEPS: &str = "
# Tables of sweeps

What `tapecheck diff RUN --set PATH=FROM..TO --out DIR` writes; [what-if.md](what-if.md#sweep-one-number) says how to
read it.
";

const INTRODUCTION: &str = "# Columns

What `tapecheck run` leaves in its folder (`reports/latest`, or `--out`):

| file | holds |
|---|---|
| `manifest.json` | what was judged, under what, with which bounds: [below](#manifestjson) |
| `summary.json` | the run at a glance: [below](#summaryjson) |
| `rulebook.toml` | the rulebook that judged, as one text that needs no other file |
| `verdicts.parquet` | a row per call |
| `issues.parquet` | a row per issue |
| `unreadable.csv` | a row per line or file that could not be judged |
| `rates.csv`, `rates.parquet` | shares of the classes, with intervals |
| `tools.csv`, `tools.parquet` | a row per tool |
| `issue_types.csv`, `issue_types.parquet` | how often each type of issue occurs |
| `counts.parquet` | everything that was counted, by day, server, tool and scenario |
| `sessions.jsonl` | a session report a line: [below](#sessionsjsonl) |
| `part.json` | only of a [part](cluster.md): everything it counted, for `tapecheck merge` |
| `report.html` | the run as one page that any browser opens, unless the configuration turns it off |

`--stdout jsonl` also writes each verdict to standard output, as a [line of JSON](#lines-of-verdicts).

The folder is built beside its place under a hidden name and moved there when it is whole: a run that
is killed or fails leaves the earlier one untouched, and the next one clears the remains away. A folder
that is not a run of tapecheck is never replaced.

Names and kinds of columns are stable; a new version may add columns.

- `text` is UTF-8, `int` a signed 64-bit integer, `float` a 64-bit floating-point number printed with
  the fewest digits that read back as the same number; shares are rounded to six decimals.
- `key` is a content hash: in Parquet its 16 bytes, of which `lower(hex(key))` in DuckDB and `.bin.encode(\"hex\")` in polars
  make the 32 digits that the program prints and CSV holds.
- An empty cell is null in Parquet and nothing at all in CSV.
- In CSV, a text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or
  a carriage return, perhaps after quotes) has an apostrophe in front, and characters that act on a
  terminal are spelled out, such as `\\u{1b}`. Parquet holds the text itself.
- The bytes depend on the recordings, the rulebook and the version, never on threads or on the order in
  which folders list their files.

This file is written from the column lists in the code, and a test holds it against them.
";

const COMPARISONS: &str = "
# Tables of comparisons

What `tapecheck diff --out DIR` writes; [diff.md](diff.md) says how to read it.
";

const STATS: &str = "
# Tables of statistics

What `tapecheck stats --out DIR` writes; [stats.md](stats.md) says how each number is reached.
";

/// The table of dimensions, and what is said below it.
fn dimensions() -> String {
    let mut text = String::from("\n| dimension | value | `n` |\n|---|---|---|\n");
    for dimension in Dimension::ALL {
        let (name, DimensionSpec { value, n, .. }) = (dimension.name(), dimension.spec());
        let _ = writeln!(text, "| `{name}` | {value} | {n} |");
    }
    text + BELOW_DIMENSIONS
}

const BELOW_DIMENSIONS: &str = "
Every call has one class, one outcome, one reply and one answer. At most 32,768 groups of day, server, tool and scenario are
counted each for itself: those whose names have the smallest hashes. The rest is counted by day under the server
`(other)`, and `counts.counted_as_other` in `summary.json` says how many calls that are.

Of types of issues that only recordings know, 1,000 are counted by name: those with the smallest hashes. All others are `unlisted_issue`, which counts a
call once for each of its types, at most once for each call there is.
";

const HISTORIES: &str = "
# Tables of histories

The file that `tapecheck run --history DIR` leaves for each run; [trends.md](trends.md#histories) says how it is
named and what it says of the run beside these columns.
";

const TRENDS: &str = "
# Tables of trends

What `tapecheck trend --out DIR` writes; [trends.md](trends.md) says how to read it.
";

const JSON_FILES: &str = "
# JSON files of a run

## manifest.json

`comparable` is the same for the same recordings, rulebook, settings, bounds and version, wherever and whenever they
are judged; `wall` is not, and nothing else in the folder depends on the machine or the hour.

| member | meaning |
|---|---|
| `format` | `tapecheck-run/7`; a run of another format is refused |
| `comparable.corpus_digest` | hash of the set of calls; neither order nor names of recordings change it |
| `comparable.rulebook` | `name`, and `digest`: hash of everything in it that can change a verdict |
| `comparable.checks` | hash of the contracts, facts, criteria, schemas and paths of envelopes that held, and of the folders they held for; absent where there were none |
| `comparable.check_files` | what that is the hash of: `kind` (the key that names it), `name` (of the contract, or the last part of the file's path) and `digest` |
| `comparable.redaction` | the rules that masked secrets: `rules` (`builtin`, `none`, names of files), and `digest`: hash of everything in them that can change a text |
| `comparable.part` | only of a [part](cluster.md): `number` and `of`, `files`, a hash of the names and sizes of all recordings, and `counted`, a hash of `part.json`. Commands other than `merge` refuse a part |
| `comparable.version` | version of tapecheck |
| `comparable.bounds` | the bounds in force, by the name of their flag |
| `comparable.read_as` | the format that `--read-as` or `read_as` named; absent where the content of each file showed it |
| `comparable.counts` | `recordings`, `unknown_files`, `lines`, `exchanges`, `other_traffic`, `unreadable`, `issues`, and, where there are any, `counted_as_other`: calls that are counted together as those of [`(other)`](#counts) |
| `wall.started_at`, `wall.seconds` | when the run began (UTC) and how long it took |
| `wall.threads`, `wall.inputs` | how many threads worked, and what was read, as it was named |
| `wall.checks` | the files that `--contract` and the keys of checks (`facts`, `criteria`, …) named; only where there are any |
| `wall.no_text` | `true` where the run keeps no texts (`output.texts = false`); only then |

`lines` = `exchanges` + `other_traffic` + `unreadable`; a run in which this does not hold fails.

## summary.json

What `tapecheck run --format json` prints.

| member | meaning |
|---|---|
| `counts` | as in the manifest |
| `overall_confidence` | confidences weighted by class and averaged, 0 to 100 |
| `outcomes` | object of outcomes with the count of tool calls, best first |
| `unknown` | object of reasons with the count of the tool calls whose outcome is `unknown`: the names of the column `fate` of `verdicts` |
| `documents` | the same of calls that are no tool calls |
| `classes`, `replies`, `issues` | objects of names with counts, in a fixed order |
| `business_logic`, `tool_failure` | errors judged to be one or the other |
| `hidden_failure`, `hidden_refusal` | replies that report a failure, or a refusal, without `isError` |
| `decisions`, `interpretations` | objects of names with the count of calls, as in the table of verdicts |
| `needs_review` | calls whose confidence is below 0.6 |
| `calls_with_errors` | calls that neither failed nor are invalid and have issues of severity `error`; `tapecheck show --filter errors` lists them |
| `blocking_issues`, `security_issues` | issues of severity `error`; issues about security |
| `retry_ladder` | for each demanded `quality`, how many valid verdicts have it: `accepted`, and their `share` of the valid ones (null where none is valid) |
| `sessions` | how many sessions there are (`total`), how many have errors (`failing`), and when the last call of all took place (`last_call`, empty text if no recording says it). Of very many sessions, `only_counted` have their issues counted and not listed; `other_errors` and `other_warnings` are those of sessions beyond the bound, which are not in `total` |
| `validation` | the [session report](session-reports.md) of all sessions together |
| `traffic` | lines that are no call of their own, by method |
| `formats` | recordings by recording format |
| `programs` | object of the [formats of programs](formats.md) with, of each, `recordings`, `calls`, `not_sent`, `reply_cut`, `reply_not_kept`, `duplicates`, `names_guessed` and `is_derived`; the sums of the columns of `recordings.csv` |
| `unreadable`, `unreadable_files` | unreadable lines, and files that could not be read to their end, by reason |
| `stripped_lines` | lines whose record was read behind the prefix of a log |
| `other_scenarios` | scenario categories beside `happy_path`, `edge_case`, `boundary` and `error_case`, with the count of their calls |
| `broken_files` | the first ten files that could not be read to their end: `file`, `kind`, `detail` |
| `other_files` | files that are no recordings: `file`, `kind`, `detail` (the first thousand) |
| `skipped` | how many files are no recordings, by kind and reason |
| `tools` | how many tools were called |
| `worst_tools` | the tools that surely fail the largest share of their calls, like `top_tools` |
| `top_tools` | the tools called most: `server`, `tool`, `status`, `overall_confidence`, `calls`, `failed`, `invalid` |
| `top_issues` | the most common issues: `severity`, `type`, `origin`, `count` |

## sessions.jsonl

A session is the calls of one recording that name the same session; without a name, those of the recording.
`sessions.jsonl` has one object per session, sorted by file and name:

| member | meaning |
|---|---|
| `file` | the recording, as a path below the folder of recordings |
| `session` | the recorded session, or the recording's name |
| `last_call` | when its last call took place; empty text if no recording says it |
| `report` | the [session report](session-reports.md): errors and warnings counted, the first 10 listed |

As many sessions have an object as fit into 16 MiB, counting 256 bytes and its names for each, and at most 16 MiB of their issues and
tasks are listed: those of the sessions whose names have the smallest hashes. The errors and warnings of all others are in `summary.json`.

`tapecheck show --report NAME` prints the text that `errorReport` names, of a session or of the whole run, from this file and the
tables. All issues of a session are rows of `issues.parquet`, which has the columns `file` and `session`.

## Lines of verdicts

What `tapecheck run --stdout jsonl` writes to standard output: one object per call, in the order of the recordings, each as
soon as it is reached. `tapecheck run - --stdout jsonl` reads a pipe that stays open, judges each line that
stands alone at once and each call when its answer comes. The summary goes to standard error. When the reader closes
the pipe, the run ends with 0 and replaces nothing. `valid`, `confidence`, `issues`, `quality_score` and `metadata`
are a ValidationResult; the other members say more.

| member | meaning |
|---|---|
| `key`, `file`, `line` | as in the table of verdicts |
| `valid` | whether no issue has the severity `error` |
| `confidence` | how confident the verdict is, 0 to 1: that of the class, but at most 0.89 beside an issue that says that something could not be settled |
| `issues` | `severity`, `type`, `message`, and perhaps `location` and `suggestion` |
| `quality_score` | 1 minus the rulebook's deduction for each issue, at least 0 |
| `metadata` | `validation_types_run`, `total_issues`, `error_count`, `warning_count`, `info_count` |
| `id` | the record's own id; absent where it has none |
| `server`, `tool`, `scenario` | as in the table of verdicts; `scenario` may be null |
| `outcome` | as in the table of verdicts: what became of the call |
| `because` | why, as the sentence that `explain` prints |
| `classification`, `is_valid`, `is_error` | as in the table of verdicts |
| `confidence_percent` | how confident the class is, 0 to 100 |
| `certainty` | the probability that the verdict is right, 0 to 1, as in the table of verdicts; null where the rulebook does not say |
| `business_logic`, `score`, `threshold` | null where the question does not arise |
| `decided_by` | the decision line that answered; absent where none did |
| `signals` | each signal that was looked at, true or false |
| `hits` | each pattern that hit: `list` (or signal), `pattern` (its text, or the name of a regex), `about` (what the regex looks for, where that is written), the bytes `start` to `end` of the text it was looked for in, and for a pattern that [quotes the call](rulebooks.md#what-the-caller-sent) `call`, the bytes `start` to `end` of the arguments |
| `error_kind`, `hidden_failure` | absent where the rulebook does not ask |
| `kind` | what the call is: `tool_call`, `envelope`, `judge_result`, `session_report` |
| `decision`, `interpretation`, `needs_review` | as in the table of verdicts |
| `good_enough` | whether the output is valid and its quality at least 0.7 |
| `passed_criteria`, `failed_criteria` | names of criteria that are met, and that are not |
| `parameter_keys` | names of the call's arguments; absent where it has no issues. Their values are not listed, though a reply that repeats one may be quoted; `explain` shows those that a contract cleaned |
| `evidence` | why the class is what it is, in the rulebook's words; about the outcome see `because` |
| `response_metadata` | what the reply consists of, null where the rulebook does not look: `contentTypes`, the rulebook's counts, `hasStructuredContent`, `hasMeta`, and `outputSchemaValidation` where there is a schema |
";

#[test]
fn the_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/columns.md");
    if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
        fs::write(path, columns_document()).expect("writable");
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == columns_document(),
        "docs/columns.md is out of date; run the tests with TAPECHECK_WRITE_DOCS=1 to write it"
    );
}

#[test]
fn every_column_is_named_once_and_explained() {
    let others = Table::OF_COMPARISONS.into_iter().chain(Table::OF_SWEEPS);
    let others = others.chain(Table::OF_STATS).chain(Table::OF_HISTORIES).chain(Table::OF_TRENDS);
    for table in Table::ALL.into_iter().chain(others) {
        let columns = table.columns();
        for (place, column) in columns.iter().enumerate() {
            assert!(column.about.ends_with('.'), "{}", column.name);
            assert!(columns[..place].iter().all(|earlier| earlier.name != column.name));
        }
    }
}
