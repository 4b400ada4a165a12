//! `manifest.json` and `summary.json`.

use super::files::PartOf;
use crate::count::List;
use crate::count::tally::wilson;
use crate::verdict::{Outcome, Who, counted, grouped};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Marks a folder as a run of ours.
pub const FORMAT: &str = "tapecheck-run/10";

/// Two runs of the same corpus under the same rulebook have the same comparable part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The folder's format, always [`FORMAT`].
    pub format: String,
    /// What depends on the corpus, the rulebook and the program alone.
    pub comparable: Comparable,
    /// What depends on the machine and the hour.
    pub wall: Wall,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparable {
    pub corpus_digest: String,
    pub rulebook: RulebookName,
    /// Hash of the contracts, facts and schemas of envelopes that held, and of where they held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub check_files: Vec<CheckFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction: Option<Redaction>,
    /// Which part of a run this is; `None` of a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
    pub version: String,
    pub bounds: Bounds,
    /// The format that every file was read in, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<String>,
    pub counts: Counts,
}

/// Something that exchanges were held against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckFile {
    /// The key that names it in files of settings.
    pub kind: String,
    /// A contract's own name, or the last part of a file's path.
    pub name: String,
    pub digest: String,
}

/// Which rules masked secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redaction {
    /// `builtin`, `none`, and the names of files.
    pub rules: Vec<String>,
    /// Hash of everything in them that can change a text.
    pub digest: String,
}

/// Bounds by the name of their flag.
pub type Bounds = BTreeMap<String, u64>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulebookName {
    pub name: String,
    /// Hash of everything in it that can change a verdict.
    pub digest: String,
}

/// How much was read. Lines are exchanges, other traffic or unreadable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub recordings: u64,
    pub unknown_files: u64,
    pub lines: u64,
    pub exchanges: u64,
    /// Lines that belong to no exchange of their own.
    pub other_traffic: u64,
    pub unreadable: u64,
    pub issues: u64,
    /// Exchanges that are counted together as those of the server `(other)`: there are too many servers, tools,
    /// scenarios and days to count each for itself.
    #[serde(default, skip_serializing_if = "is_none")]
    pub counted_as_other: u64,
}

/// When and how fast the run was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wall {
    /// When it began (RFC 3339, UTC).
    pub started_at: String,
    pub seconds: f64,
    pub threads: usize,
    /// What was read, as it was named.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// Files of checks by the name of their flag, as they were named.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, Vec<String>>,
    /// Whether no texts of exchanges were to be kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_text: bool,
}

impl Wall {
    /// What was read that is a file or folder.
    pub fn recordings(&self) -> Vec<PathBuf> {
        self.inputs.iter().filter(|input| *input != "-").map(PathBuf::from).collect()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub counts: Counts,
    /// The averaged confidence of all exchanges, 0 to 100.
    pub overall_confidence: f64,
    /// Calls by outcome, best first.
    #[serde(default, with = "named_counts")]
    pub outcomes: Vec<(String, u64)>,
    /// Calls of unknown outcome, by why it is unknown.
    #[serde(default, with = "named_counts")]
    pub unknown: Vec<(String, u64)>,
    /// Exchanges that are no calls, by outcome.
    #[serde(default, with = "named_counts")]
    pub documents: Vec<(String, u64)>,
    /// Exchanges by class, best first.
    #[serde(with = "named_counts")]
    pub classes: Vec<(String, u64)>,
    #[serde(with = "named_counts")]
    pub replies: Vec<(String, u64)>,
    /// Issues by severity, worst first.
    #[serde(with = "named_counts")]
    pub issues: Vec<(String, u64)>,
    /// Errors judged to be business logic.
    pub business_logic: u64,
    /// Errors judged not to be.
    pub tool_failure: u64,
    /// Replies that claim success and say that they failed.
    pub hidden_failure: u64,
    /// Replies that claim success and say that they refused.
    #[serde(default)]
    pub hidden_refusal: u64,
    /// How many calls did not work of each kind of error that occurred, in the rulebook's order.
    pub kinds: Vec<KindLine>,
    /// How many calls are on each list of what to act on.
    #[serde(with = "named_counts")]
    pub lists: Vec<(String, u64)>,
    /// What to do with what was judged, by decision.
    #[serde(with = "named_counts")]
    pub decisions: Vec<(String, u64)>,
    /// How verdicts read, by interpretation.
    #[serde(with = "named_counts")]
    pub interpretations: Vec<(String, u64)>,
    /// How many are too unsure to act upon.
    pub needs_review: u64,
    /// Calls that neither failed nor are invalid, in which checks found errors.
    #[serde(default)]
    pub calls_with_errors: u64,
    pub blocking_issues: u64,
    pub security_issues: u64,
    /// How many would be accepted as the demanded quality is lowered.
    pub retry_ladder: Vec<LadderRung>,
    pub sessions: SessionCounts,
    /// The session report of the whole run: all sessions as one.
    pub validation: serde_json::Value,
    /// Messages by JSON-RPC method.
    pub traffic: BTreeMap<String, u64>,
    pub formats: BTreeMap<String, u64>,
    /// What the files of programs hold, by format.
    #[serde(default)]
    pub programs: BTreeMap<String, OfProgram>,
    pub unreadable: BTreeMap<String, u64>,
    /// Files that could not be read, or not to their end, by reason.
    pub unreadable_files: BTreeMap<String, u64>,
    /// Lines whose record was read behind what a logger wrote before it.
    #[serde(default)]
    pub stripped_lines: u64,
    /// The first ten of these files, with what the system or the format said.
    #[serde(default)]
    pub broken_files: Vec<OtherFile>,
    /// How many files are no recordings, by kind and reason.
    #[serde(default)]
    pub skipped: BTreeMap<String, BTreeMap<String, u64>>,
    /// The files that are no recordings (the first thousand of them).
    pub other_files: Vec<OtherFile>,
    /// Calls of scenario categories that are none of the four known ones.
    #[serde(default)]
    pub other_scenarios: BTreeMap<String, u64>,
    pub tools: u64,
    /// The tools called most, the most called first.
    pub top_tools: Vec<ToolLine>,
    /// The tools that surely fail the largest share of their calls, the worst first.
    #[serde(default)]
    pub worst_tools: Vec<ToolLine>,
    /// The most common issues, the most common first.
    #[serde(default)]
    pub top_issues: Vec<IssueLine>,
}

/// What the files of one program hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfProgram {
    pub recordings: u64,
    pub calls: u64,
    pub not_sent: u64,
    pub reply_cut: u64,
    pub reply_not_kept: u64,
    pub duplicates: u64,
    pub names_guessed: u64,
    pub is_derived: bool,
}

impl OfProgram {
    pub fn merge(&mut self, other: &Self) {
        // All of it, so that a new count cannot be forgotten here.
        let Self {
            recordings,
            calls,
            not_sent,
            reply_cut,
            reply_not_kept,
            duplicates,
            names_guessed,
            is_derived,
        } = other;
        self.recordings += recordings;
        self.calls += calls;
        self.not_sent += not_sent;
        self.reply_cut += reply_cut;
        self.reply_not_kept += reply_not_kept;
        self.duplicates += duplicates;
        self.names_guessed += names_guessed;
        self.is_derived = *is_derived;
    }
}

impl Summary {
    /// How many replies report a failure or a refusal without isError, in words; `None` where none does.
    pub fn without_flag(&self) -> Option<String> {
        let (failures, refusals) = (self.hidden_failure, self.hidden_refusal);
        let all = counted(failures + refusals, "reply");
        (failures + refusals > 0).then(|| {
            let kinds = [(refusals, "refusal"), (failures, "failure")].into_iter();
            let kinds = kinds.filter(|(count, _)| *count > 0);
            let kinds: Vec<String> = kinds.map(|(count, what)| counted(count, what)).collect();
            format!("{all} without isError: {}", kinds.join(", "))
        })
    }

    /// The calls that are on lists of what to act on and in no other count, in words, and the first of these lists.
    pub fn to_act_on(&self) -> Option<(String, &'static str)> {
        let words = [
            (List::Struggle, "repeated in vain"),
            (List::Slow, "slow or without an answer"),
            (List::Large, "with a large reply"),
        ];
        let mut lists = words.into_iter().filter_map(|(list, words)| {
            let (_, calls) = self.lists.iter().find(|(name, _)| name == list.name())?;
            (*calls > 0).then(|| (format!("{words} {}", grouped(*calls)), list.name()))
        });
        let (first, list) = lists.next()?;
        let others = lists.map(|(words, _)| format!(", {words}"));
        Some((first + &others.collect::<String>(), list))
    }

    /// Who must act so that calls work that did not: how many calls, and their kinds with counts, most first.
    pub fn who_must_act(&self) -> Vec<(Who, u64, String)> {
        let of = |who: Who| {
            let mut kinds: Vec<_> = self.kinds.iter().filter(|line| line.who == who).collect();
            kinds.sort_by_key(|line| Reverse(line.count));
            let count = kinds.iter().map(|line| line.count).sum();
            let words = |line: &&KindLine| {
                format!("{} {}", line.kind.replace('_', " "), grouped(line.count))
            };
            (who, count, kinds.iter().map(words).collect::<Vec<_>>().join(", "))
        };
        Who::ALL.into_iter().map(of).filter(|(_, count, _)| *count > 0).collect()
    }

    pub fn calls(&self, outcome: Outcome) -> u64 {
        count_of(&self.outcomes, outcome)
    }

    /// How many calls have an outcome that enters shares.
    pub fn known_calls(&self) -> u64 {
        let known = Outcome::ALL.into_iter().filter(|outcome| outcome.tells());
        known.map(|outcome| self.calls(outcome)).sum()
    }

    /// Why outcomes of calls are unknown, in words; empty where all are known.
    pub fn why_unknown(&self) -> String {
        let words =
            |(why, count): &(String, u64)| format!("{} {}", grouped(*count), why.replace('_', " "));
        let whys: Vec<String> = self.unknown.iter().map(words).collect();
        whys.join(", ")
    }

    pub fn documents(&self, outcome: Outcome) -> u64 {
        count_of(&self.documents, outcome)
    }

    pub fn all_documents(&self) -> u64 {
        self.documents.iter().map(|(_, count)| count).sum()
    }

    /// What was judged: calls, documents or both, with their counts.
    pub fn judged(&self) -> String {
        let documents = self.all_documents();
        let calls = counted(self.counts.exchanges.saturating_sub(documents), "call");
        match documents {
            0 => calls,
            all if all == self.counts.exchanges => counted(all, "document"),
            some => format!("{calls} and {}", counted(some, "document")),
        }
    }

    /// The same without counts.
    pub fn classified(&self) -> &'static str {
        match self.all_documents() {
            0 => "calls",
            all if all == self.counts.exchanges => "documents",
            _ => "calls and documents",
        }
    }

    /// How many calls and documents failed or are invalid.
    pub fn bad(&self) -> u64 {
        let bad = Outcome::ALL.into_iter().filter(|outcome| outcome.is_bad());
        bad.map(|outcome| self.calls(outcome) + self.documents(outcome)).sum()
    }
}

fn count_of(counts: &[(String, u64)], outcome: Outcome) -> u64 {
    counts.iter().find(|(name, _)| name == outcome.name()).map_or(0, |(_, count)| *count)
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindLine {
    pub kind: String,
    pub who: Who,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueLine {
    pub severity: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// Empty in runs of earlier versions.
    #[serde(default)]
    pub origin: String,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderRung {
    /// The quality that is demanded.
    pub quality: f64,
    /// How many valid verdicts have it.
    pub accepted: u64,
    /// Their share of the valid ones; `None` where none is valid.
    pub share: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCounts {
    /// Those that are counted one by one: all, up to a bound.
    pub total: u64,
    /// Those with at least one error.
    pub failing: u64,
    /// When the last call of all took place; empty text where no recording says it.
    pub last_call: String,
    /// Those whose issues are counted and not listed: there was no room for them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub only_counted: u64,
    /// Errors of further sessions, which are not counted one by one.
    #[serde(default, skip_serializing_if = "is_none")]
    pub other_errors: u64,
    #[serde(default, skip_serializing_if = "is_none")]
    pub other_warnings: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over by reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherFile {
    /// Its path below the corpus.
    pub file: String,
    /// What it was taken for.
    pub kind: String,
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolLine {
    pub server: String,
    pub tool: String,
    /// Its class by the rulebook's status rule.
    pub status: String,
    /// Its averaged confidence, 0 to 100.
    pub overall_confidence: f64,
    pub calls: u64,
    #[serde(default)]
    pub failed: u64,
    #[serde(default)]
    pub invalid: u64,
}

impl ToolLine {
    /// Calls that are failed or invalid.
    pub fn bad(&self) -> u64 {
        self.failed + self.invalid
    }

    /// The share of its calls that are failed or invalid, at least, with 95 %.
    pub(super) fn surely_bad(&self) -> f64 {
        wilson(self.bad(), self.calls).low
    }
}

/// Counts by name, in their order, as an object of JSON.
mod named_counts {
    use serde::Deserialize as _;
    use serde::de::{Deserializer, Error as _};
    use serde::ser::Serializer;
    use serde_json::{Map, Value};

    type Named = Vec<(String, u64)>;

    pub(super) fn serialize<S: Serializer>(counts: &Named, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(counts.iter().map(|(name, count)| (name, count)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Named, D::Error> {
        let members = Map::<String, Value>::deserialize(from)?.into_iter();
        let counts = members.map(|(name, count)| Some((name, count.as_u64()?)));
        counts.collect::<Option<_>>().ok_or_else(|| D::Error::custom("a count is not a number"))
    }
}
