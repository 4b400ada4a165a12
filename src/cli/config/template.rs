//! The commented file that `tapecheck init` writes.

use super::FILE;
use crate::rulebook::DEFAULT_RULEBOOK;

/// Every key with its default or an example, as a comment.
pub(in crate::cli) fn template() -> String {
    format!("# {FILE}{}", TEXT.replace("DEFAULT_RULEBOOK", DEFAULT_RULEBOOK))
}

const TEXT: &str = r#": settings for every tapecheck command in this folder and the folders below it.
# Flags override them. Paths are relative to this file. Uncomment what you need.

# Files and folders of recordings that `tapecheck run` reads if none are named.
# recordings = ["recordings"]

# The rulebook: a built-in one (`tapecheck list rulebooks`) or a TOML file.
# rulebook = "DEFAULT_RULEBOOK"

# Contracts, facts and criteria to check calls against, and schemas of envelopes.
# contracts = ["contracts/tools.toml"]
# facts = ["facts.toml"]
# criteria = ["criteria.toml"]
# envelope_request = "request.schema.json"
# envelope_response = "response.schema.json"
# Paths of HTTP requests that carry envelopes; `*` at the end stands for anything.
# envelope_paths = ["/mcp/v1"]

# Labels: what people say is right. Files among the recordings are found without this.
# labels = ["labels.jsonl"]
# Days after which `tapecheck label check` warns that a label is old.
# old_labels = 365

# The folder of baselines that `tapecheck gate` and `tapecheck review` use.
# baseline = "snapshots"

# The policy of `tapecheck gate`; without one the default policy applies.
# policy = "gate.toml"

# The history that each run is added to, and the name under which its nights form one series.
# history = "history"
# collection = "production"

# What is masked in recorded text: "builtin", "none", and files of additional rules.
# redact = ["builtin"]

# The format of all recordings, such as "claude-code" (`tapecheck list formats`); otherwise each shows what it is.
# read_as = "claude-code"

# The name that labels and decisions carry; otherwise $TAPECHECK_WHO, then $USER.
# who = "ci"

# Threads; otherwise one per core.
# jobs = 4

# The day that waivers end and labels grow old by; otherwise today (UTC).
# today = "2026-11-21"

# What random draws of `stats`, `tune` and `demo` begin with: equal seeds draw alike.
# seed = 1

[output]
# Where a run is written, and whether it has a page (report.html) and keeps masked texts.
# run = "reports/latest"
# page = true
# texts = true

[bounds]
# Longest line, or element of a JSON document, in bytes; longer ones are unreadable.
# max_line = 16777216
# Largest file of a program that is one JSON document, in bytes.
# max_document = 268435456
# Deepest nesting of JSON, at most 10000.
# max_depth = 4200
# Maximum expansion of a compressed recording; data beyond it is skipped.
# max_ratio = 250
# Calls of one session that may wait for their answers; beyond it the oldest counts as unanswered.
# max_waiting = 10000
# Whether symbolic links are followed.
# follow_links = true

[trend]
# How many earlier nights each night is compared with, at most.
# window = 28
# The day a call counts for: the day it was "recorded", or the night of its "run".
# day = "recorded"

[stats]
# Whether weights and thresholds are fitted again when a server is held out.
# refit = true

[tune]
# What to maximize: "balanced-accuracy", "f-beta:B" or "costs:MISSED:FALSE_ALARM".
# objective = "balanced-accuracy"
# Parts that servers are split into; each is evaluated once by what the others taught.
# folds = 5
# The largest weight, and the step between weights.
# largest_weight = 4.0
# weight_step = 1.0
"#;
