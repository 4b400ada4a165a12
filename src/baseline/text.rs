//! The text of a baseline: digests and counts first, then a line for each exchange that is not
//! plainly fine, sorted so that moving tapes about changes nothing.

use crate::check::schema::Schemas;
use crate::check::{CheckFiles, Judge, VerdictLine};
use crate::corpus::{Bounds, CorpusError, CorpusReader, Input};
use crate::rulebook::Rulebook;
use crate::run::{CorpusDigest, DriveError, Located, Settings, SettingsError, for_each_exchange};
use crate::tape::{ExchangeKind, Key, ReplyKind};
use crate::verdict::{Classification, Verdict};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

/// Marks the text as a baseline of ours, with the version of its grammar.
const FORMAT: &str = "tapecheck-baseline/1";
/// How many digits of a key a line shows.
const DIGITS: usize = 12;

/// Why there is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The collection cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The files that exchanges are held against cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The thread that judges it cannot be started.
    #[error(transparent)]
    Drive(#[from] DriveError),
}

/// The baseline of a collection (a folder of tapes) under a rulebook, with the collection's settings.
pub fn baseline_text(
    collection: &Path,
    rulebook: &Rulebook,
    bounds: &Bounds,
) -> Result<String, BaselineError> {
    let inputs = [Input::Path(collection.to_owned())];
    let settings = Settings::load(&inputs, &CheckFiles::default(), bounds)?;
    let reader = settings.reading(CorpusReader::new(&inputs, *bounds)?);
    let settings = settings.with_criteria(&rulebook.criteria).map_err(SettingsError::from)?;
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(rulebook, &schemas);
    let mut sheet = Sheet::default();
    for_each_exchange(reader, bounds, |located| {
        judge.go_by(settings.of_folder(located.folder));
        let verdict = judge.judge(located.exchange);
        sheet.add(located, &verdict, rulebook);
        ControlFlow::<()>::Continue(())
    })?;
    Ok(sheet.text(rulebook))
}

#[derive(Default)]
struct Sheet {
    digest: CorpusDigest,
    before: HashMap<Key, u32>,
    classes: BTreeMap<Classification, u64>,
    answers: BTreeMap<&'static str, u64>,
    exchanges: u64,
    lines: Vec<String>,
}

impl Sheet {
    fn add(&mut self, located: &Located<'_>, verdict: &Verdict, rulebook: &Rulebook) {
        let key = located.keys.exchange;
        let before = self.before.entry(key).or_default();
        self.digest.add(key, *before);
        *before += 1;
        self.exchanges += 1;
        *self.classes.entry(verdict.classification).or_default() += 1;
        let answer = verdict.judgement.as_ref().and_then(|judgement| judgement.business_logic);
        if let Some(answer) = answer {
            *self
                .answers
                .entry(if answer { "business logic" } else { "tool failure" })
                .or_default() += 1;
        }
        if !is_plainly_fine(located, verdict) {
            self.lines.push(line(located, &VerdictLine::new(located.exchange, verdict, rulebook)));
        }
    }

    fn text(mut self, rulebook: &Rulebook) -> String {
        self.lines.sort_unstable();
        let mut text = String::new();
        let _ = writeln!(text, "{FORMAT}");
        let _ = writeln!(text, "corpus {}", self.digest);
        let _ = writeln!(text, "rulebook {} {}", rulebook.name, rulebook.digest);
        let _ = writeln!(text, "exchanges {}", self.exchanges);
        for (class, count) in &self.classes {
            let _ = writeln!(text, "  {} {count}", class.name());
        }
        for (answer, count) in &self.answers {
            let _ = writeln!(text, "  {answer} {count}");
        }
        let _ = writeln!(text, "not plainly fine {}", self.lines.len());
        for line in &self.lines {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

/// A result that is no error, got the best class and raised nothing.
fn is_plainly_fine(located: &Located<'_>, verdict: &Verdict) -> bool {
    let exchange = located.exchange;
    // A request in an envelope may well stand alone.
    let is_answered =
        exchange.kind != ExchangeKind::ToolCall || exchange.reply.kind() == ReplyKind::Result;
    is_answered
        && verdict.classification == Classification::FullyWorking
        && verdict.issues.is_empty()
        && verdict.hidden_failure != Some(true)
}

/// Repeats of a key are not numbered here: which of them comes first depends on the tapes' names.
fn line(located: &Located<'_>, verdict: &VerdictLine) -> String {
    let key = located.keys.exchange.to_string();
    let id = verdict.id.as_deref().unwrap_or("-");
    let mut line = format!(
        "{}/{} [{}] {} {} {} {}",
        one_line(&verdict.server),
        one_line(&verdict.tool),
        one_line(id),
        &key[..DIGITS],
        located.exchange.reply.kind().name(),
        verdict.classification,
        verdict.confidence_percent,
    );
    if let Some(answer) = verdict.business_logic {
        let answer = if answer { "business logic" } else { "tool failure" };
        let _ = write!(line, " | {answer} {}", four(verdict.score.unwrap_or_default()));
        if let Some(threshold) = verdict.threshold {
            let _ = write!(line, " of {}", four(threshold));
        }
        if let Some(decided_by) = &verdict.decided_by {
            let _ = write!(line, " by {decided_by}");
        }
    }
    if verdict.hidden_failure == Some(true) {
        line.push_str(" | hidden failure");
    }
    if let Some(kind) = &verdict.error_kind {
        let _ = write!(line, " | {kind}");
    }
    let facts: Vec<&str> = verdict
        .facts
        .iter()
        .filter(|(_, holds)| **holds == true)
        .map(|(name, _)| name.as_str())
        .collect();
    if !facts.is_empty() {
        let _ = write!(line, " | {}", facts.join(" "));
    }
    for issue in &verdict.issues {
        let _ = write!(line, " | {} {}", issue.severity, one_line(&issue.kind));
    }
    line
}

fn four(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

/// Recorded names may hold anything; here they must stay within their line.
fn one_line(name: &str) -> String {
    name.chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect()
}
