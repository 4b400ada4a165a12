//! `tapecheck explain`: the whole reasoning behind one verdict.

use super::config::config;
use super::inputs::{JudgingArgs, RawArg, inputs, load, spelled_checks};
use super::terminal::{cut, harmless, print};
use super::which_call::{RunAtHand, Target};
use super::{Exit, Failure};
use crate::check::schema::Schemas;
use crate::check::{CheckFiles, Checks, Judge, Members, MetadataValue, VerdictLine};
use crate::corpus::CorpusReader;
use crate::recording::ExchangeKind;
use crate::rulebook::{Brief, Decision, Field, Pattern, Rulebook};
use crate::run::{Located, MaskedCall, ToldVerdict, Wanted, find_exchange, reading};
use crate::verdict::{ByteSpan, Certainty, Fate, Observation, SchemaOutcome, Verdict, Weighing};
use std::cmp::Ordering;
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much of a text is shown around a hit, in bytes.
const CONTEXT: usize = 40;
/// How much of a text is shown, in characters.
const LONGEST: usize = 300;
/// So many pieces of evidence are shown.
const MOST_EVIDENCE: usize = 4;

#[derive(Debug, Default, clap::Args)]
pub(super) struct Args {
    /// The call: its key or the beginning of it, or `FILE:LINE` (`FILE:LINE:N` for the Nth call of a line)
    #[arg(value_name = "CALL")]
    exchange: String,
    /// Where to look: a run, recordings, or both [default: reports/latest]
    #[arg(value_name = "RUN|RECORDINGS")]
    places: Vec<PathBuf>,
    /// Rulebook: a built-in one or a file [default: that of the run, else calibrated]; repeatable, to see several side
    /// by side
    #[arg(long, value_name = "NAME|FILE")]
    rulebook: Vec<String>,
    /// Show the signals, their weights, the rules and everything that decided, too
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    raw: RawArg,
    #[command(flatten)]
    judging: JudgingArgs,
}

/// A call that was found, and what it is explained with.
struct Explained<'a> {
    located: &'a Located<'a>,
    telling: &'a MaskedCall<'a>,
    wanted: &'a Wanted,
    /// Where rulebook and checks come from.
    origins: &'a [(&'static str, String)],
    rulebooks: &'a [(&'a Rulebook, Arc<Checks>)],
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let text = self.written(|found| {
            let told = found.rulebooks.iter();
            let told: Vec<(&Rulebook, ToldVerdict<'_>)> = told
                .map(|(rulebook, checks)| (*rulebook, found.verdict(rulebook, checks)))
                .collect();
            let mut out = Lines(String::new());
            let are_several = told.len() > 1;
            for (rulebook, told) in &told {
                out.answer(rulebook, &told.verdict, are_several);
            }
            out.call(found);
            for (rulebook, told) in &told {
                if are_several {
                    out.line("");
                    out.line(format_args!("under {}", rulebook.name));
                }
                out.reasons(found, rulebook, told);
                if self.verbose {
                    out.arithmetic(found, rulebook, told);
                }
            }
            if !self.verbose {
                out.line("");
                out.line("--verbose shows all signals, their weights and the rule that decided");
            }
            out.0
        })?;
        print(&text)
    }

    /// What `write` makes of the call under each rulebook.
    fn written(&self, write: impl Fn(&Explained<'_>) -> String + Sync) -> Result<String, Failure> {
        let mut corpora = self.places.clone();
        let run = RunAtHand::take_from(&mut corpora)?.or_else(RunAtHand::latest);
        let target = Target::read(&self.exchange, &corpora, run.as_ref())?;
        let run = run.filter(|run| run.is_about(&target.paths));
        let (first, from) = match (self.rulebook.first(), &run) {
            (Some(named), _) => (load(named)?, "from --rulebook".to_owned()),
            (None, Some(run)) => (run.rulebook()?, format!("from {}", run.name())),
            (None, None) => (
                load(&config().rulebook)?,
                "the default: no run of these recordings is at hand".to_owned(),
            ),
        };
        let mut origins = vec![("rulebook", format!("{}, {from}", first.name))];
        let others = self.rulebook.iter().skip(1).map(|name| load(name));
        let loaded = std::iter::once(Ok(first)).chain(others).collect::<Result<Vec<_>, _>>()?;
        let mut files = self.judging.files();
        if let Some(run) = run.filter(|_| files == CheckFiles::default()) {
            run.warn_of_other_checks();
            files = run.check_files();
            if files != CheckFiles::default() {
                origins
                    .push(("checks", format!("{}, from {}", spelled_checks(&files), run.name())));
            }
        }
        let redactor = self.raw.redactor()?;
        let bounds = config().bounds;
        let checks = Checks::load(&files, &[])?;
        let with_checks = |rulebook| -> Result<(&Rulebook, _), Failure> {
            Ok((rulebook, Arc::new(checks.with_criteria(&rulebook.criteria)?)))
        };
        let rulebooks = loaded.iter().map(with_checks).collect::<Result<Vec<_>, _>>()?;
        let reader = CorpusReader::new(&inputs(&target.paths), bounds)?;
        let reader = reading(reader, &files, &Arc::new(checks));
        let found = find_exchange(reader, &bounds, &target.wanted, |located| {
            write(&Explained {
                located,
                telling: &located.tell(&redactor),
                wanted: &target.wanted,
                origins: &origins,
                rulebooks: &rulebooks,
            })
        });
        target.only(found?)
    }
}

impl Explained<'_> {
    fn verdict<'v>(&'v self, rulebook: &'v Rulebook, checks: &Arc<Checks>) -> ToldVerdict<'v> {
        let schemas = Schemas::new(rulebook.schema.clone());
        let mut judge = Judge::new(rulebook, &schemas).with_checks(Arc::clone(checks));
        self.telling.verdict(&mut judge, rulebook)
    }
}

pub(super) fn validation_report(call: &str, run: &Path) -> Result<String, Failure> {
    let places = vec![run.to_owned()];
    let args = Args { exchange: call.to_owned(), places, ..Args::default() };
    args.written(|found| {
        let report = |(rulebook, checks): &(&Rulebook, Arc<Checks>)| {
            found.verdict(rulebook, checks).line().report()
        };
        found.rulebooks.iter().map(report).collect()
    })
}

/// Lines for people. No text in them breaks a line or acts on a terminal.
struct Lines(String);

impl Lines {
    fn line(&mut self, text: impl Display) {
        self.0.push_str(&harmless(&text.to_string()));
        self.0.push('\n');
    }

    fn row(&mut self, name: &str, value: impl Display) {
        self.line(format_args!("{name:<14}{value}"));
    }

    /// What became of the call, in a sentence, and who must act.
    fn answer(&mut self, rulebook: &Rulebook, verdict: &Verdict, is_one_of_several: bool) {
        let Verdict { fate, conclusion, .. } = verdict;
        let under = if is_one_of_several { format!("{}: ", rulebook.name) } else { String::new() };
        let Brief { outcome, kind, certainty, why } = rulebook.brief(conclusion);
        let is_told = !matches!(fate, Fate::Settled | Fate::NotSent);
        let named = |word: &str| format!(", {}", word.replace('_', " "));
        let word =
            with(kind.map(|kind| kind.name), named) + &with(is_told.then(|| fate.name()), named);
        let outcome = outcome.name().replace('_', " ");
        self.line(format_args!("{under}{outcome}{word}: {why}"));
        if let Some(kind) = kind {
            self.row("who must act", format!("{} · {}", kind.who.words(), kind.retry.words()));
        }
        if let Some(value) = certainty {
            let doubtful = if value < Certainty::DOUBTFUL { " · doubtful" } else { "" };
            self.row("certainty", format!("{}{doubtful}", Certainty::words(value)));
        }
    }

    fn call(&mut self, found: &Explained<'_>) {
        let Explained { located, telling, .. } = found;
        let place = located.place();
        self.line("");
        self.row("call", located.keys.exchange);
        let nth = match found.wanted {
            Wanted::Line { line, nth: Some(nth) } if *line == place.line => format!(":{nth}"),
            Wanted::Line { .. } | Wanted::Key { .. } => String::new(),
        };
        let answer =
            with(located.answered().map(|it| it.line), |it| format!(" (answer at line {it})"));
        self.row("recording", format!("{}:{}{nth}{answer}", telling.file(), place.line));
        let (word, what) = match located.kind() {
            ExchangeKind::ToolCall => ("tool", telling.tool().to_string()),
            document => ("kind", document.name().to_owned()),
        };
        let scenario = with(telling.scenario(), |scenario| format!(" · scenario {scenario}"));
        self.row(word, format!("{what} of {}{scenario}", telling.server()));
        self.row("input", telling.input().cut(LONGEST));
        let code = with(telling.code(), |code| format!(" · code {}", code.cut(LONGEST)));
        self.row("reply", format!("{}{code}", located.reply_kind().name()));
        if let Some(document) = telling.document() {
            self.row("document", document.cut(LONGEST));
        }
        found.origins.iter().for_each(|(name, origin)| self.row(name, origin));
    }

    /// What the answer rests on, with the places in the texts; then what checks found.
    fn reasons(&mut self, found: &Explained<'_>, rulebook: &Rulebook, told: &ToldVerdict<'_>) {
        let (verdict, line) = (&told.verdict, told.line());
        if verdict.is_unwrapped {
            self.row("inside", "the reply's text is a result itself: that result was judged");
        }
        let text = found.telling.text(rulebook).cut(LONGEST);
        if !text.as_ref().is_empty() {
            self.row("text", text);
        }
        let mut places: Vec<(u32, u32)> = Vec::new();
        for hit in verdict.observation.iter().flat_map(|observation| &observation.hits) {
            let is_of_reply = matches!(hit.field, Field::Text | Field::Code);
            let overlaps = places.iter().any(|(start, end)| hit.start < *end && *start < hit.end);
            if places.len() == MOST_EVIDENCE || !is_of_reply || overlaps {
                continue;
            }
            places.push((hit.start, hit.end));
            let Some(pattern) = rulebook.patterns.get(usize::from(hit.pattern)) else {
                continue;
            };
            let name = if pattern.title.is_some() { pattern.name() } else { &*pattern.list };
            let around = |field, place| in_context(found.telling, rulebook, field, place);
            let place = around(hit.field, ByteSpan { start: hit.start, end: hit.end });
            self.row("evidence", format!("{place} ({})", name.replace('_', " ")));
            if let Some(place) = hit.call {
                self.row("", format!("quotes {}", around(Field::Input, place)));
            }
        }
        // What the first issue says of a reply stands above.
        let of_ending = usize::from(verdict.conclusion.ending_issue.is_some());
        for (at, issue) in line.issues.iter().enumerate() {
            if at >= of_ending {
                let place = with(issue.location, |place| format!(" at {place}"));
                let words = format!("{}{place}: {}", issue.kind, issue.message);
                self.row(issue.severity.name(), words);
            }
            let word = if at < of_ending { "to do" } else { "" };
            issue.suggestion.iter().for_each(|suggestion| self.row(word, suggestion));
        }
        self.schema(found, verdict);
        if verdict.checks.made().next().is_none() {
            return;
        }
        self.row("checks", line.metadata.validation_types_run.join(", "));
        for (word, named) in [("passed", &line.passed_criteria), ("failed", &line.failed_criteria)]
        {
            if !named.is_empty() {
                self.row(word, cut(&named.join(", "), LONGEST));
            }
        }
        told.sanitized.iter().for_each(|cleaned| self.row("sanitized", cleaned.cut(LONGEST)));
        let sentence = line.interpretation().text();
        let VerdictLine { decision, quality_score, .. } = line;
        self.row("advice", format!("{decision} · {sentence} · quality {quality_score}"));
    }

    /// Everything that the verdict follows from.
    fn arithmetic(&mut self, found: &Explained<'_>, rulebook: &Rulebook, told: &ToldVerdict<'_>) {
        let (verdict, line) = (&told.verdict, told.line());
        let VerdictLine { classification, confidence_percent, is_valid, .. } = &line;
        self.line("");
        let words = format!("{classification} · confidence {confidence_percent}");
        self.row("class", format!("{words} · is_valid {is_valid}"));
        if let Some(Certainty { line, value }) = verdict.conclusion.certainty {
            self.row(
                "certainty",
                format!("{value} ({})", rulebook.certainty[usize::from(line)].name),
            );
        }
        line.evidence.iter().for_each(|evidence| self.row("said", cut(evidence, LONGEST)));
        self.content(&line);
        if let Some(observation) = &verdict.observation {
            self.signals(found.telling, rulebook, verdict, observation);
            if let Some(weighing) = verdict.conclusion.weighing {
                self.weighing(rulebook, verdict, observation, weighing);
            }
        }
    }

    fn signals(
        &mut self,
        telling: &MaskedCall<'_>,
        rulebook: &Rulebook,
        verdict: &Verdict,
        observation: &Observation,
    ) {
        if let Some(answer) = verdict.conclusion.business_logic() {
            let answer = if answer { "yes" } else { "no" };
            self.line(format_args!("  business logic? {answer}"));
        }
        self.line("  signals");
        let looked_for = rulebook.looked_for(verdict.ground, verdict.conclusion.hidden_failure());
        let mut others = Vec::new();
        for (at, signal) in rulebook.signals.iter().enumerate().filter(|it| looked_for.has(it.0)) {
            if !observation.signals.has(at) {
                others.push(&*signal.name);
                continue;
            }
            self.line(format_args!("    ✓ {}", signal.name));
            for hit in observation.hits.iter().filter(|hit| signal.patterns.contains(&hit.pattern))
            {
                let Some(pattern) = rulebook.patterns.get(usize::from(hit.pattern)) else {
                    continue;
                };
                let around = |field, place| in_context(telling, rulebook, field, place);
                let at = around(hit.field, ByteSpan { start: hit.start, end: hit.end });
                let Pattern { list, title, text, .. } = pattern;
                self.line(format_args!("        {list}/{} at {at}", pattern.name()));
                if let Some(place) = hit.call {
                    self.line(format_args!("          quotes {}", around(Field::Input, place)));
                }
                if !pattern.about().is_empty() {
                    self.line(format_args!("          {}", pattern.about()));
                }
                if title.is_some() {
                    self.line(format_args!("          regex {text}"));
                }
            }
        }
        self.others(&others);
    }

    fn weighing(
        &mut self,
        rulebook: &Rulebook,
        verdict: &Verdict,
        observation: &Observation,
        weighing: Weighing,
    ) {
        self.line("  factors                     weight   sum");
        let mut sum = 0.0;
        let factors = rulebook.factors.iter();
        let (holding, others): (Vec<_>, Vec<_>) =
            factors.partition(|factor| observation.signals.has(factor.signal));
        for factor in holding {
            sum += factor.weight;
            self.line(format_args!("    ✓ {:<24}{:>6}{sum:>6}", factor.name, factor.weight));
        }
        self.others(&others.iter().map(|factor| &*factor.name).collect::<Vec<_>>());
        let most = if rulebook.clamp { ", at most 1" } else { "" };
        let (score, denominator) = (short(weighing.score), rulebook.denominator);
        self.line(format_args!("    score {score} = {sum} / {denominator}{most}"));
        self.line("  decision");
        let chosen = weighing.line.map(usize::from);
        for (at, line) in rulebook.decide.iter().enumerate() {
            let says = match line.decision {
                Decision::Return(true) => "business logic".to_owned(),
                Decision::Return(false) => "not business logic".to_owned(),
                Decision::Threshold(threshold) => format!("threshold {threshold}"),
            };
            let mark = if chosen == Some(at) { "→" } else { "·" };
            self.line(format_args!("    {mark} {}: {says}", line.name));
        }
        let line = chosen.and_then(|at| rulebook.decide.get(at));
        if line.is_some_and(|line| matches!(line.decision, Decision::Return(_))) {
            self.line("    this rule decides; the score is ignored");
        } else if let Some(threshold) = weighing.threshold {
            let distance = weighing.score - threshold;
            let side = match distance.total_cmp(&0.0) {
                Ordering::Less => format!("{} below", short(-distance)),
                Ordering::Equal => "exactly".to_owned(),
                Ordering::Greater => format!("{} above", short(distance)),
            };
            self.line(format_args!("    the score is {side} the threshold"));
        }
        let answer = verdict.conclusion.business_logic();
        let flips = answer.map(|answer| rulebook.flipping_signals(observation.signals, answer));
        let flips = flips.into_iter().flatten().map(|signal| {
            let word = if observation.signals.has(signal) { "without" } else { "with" };
            format!("{word} {}", rulebook.signals[signal].name)
        });
        let flips = flips.collect::<Vec<_>>().join(", ");
        let flips = if flips.is_empty() { "no single signal" } else { &flips };
        self.line(format_args!("    would change: {flips}"));
    }

    /// What was looked for and does not hold.
    fn others(&mut self, names: &[&str]) {
        if !names.is_empty() {
            self.line(format_args!("    others, which do not hold: {}", names.join(", ")));
        }
    }

    /// What the reply consists of, with the counts that the rulebook names.
    fn content(&mut self, line: &VerdictLine<'_>) {
        let Some(Members(members)) = &line.response_metadata else { return };
        let types = members.iter().find_map(|(_, value)| match value {
            MetadataValue::Types(types) => Some(types.join(", ")),
            _ => None,
        });
        let counts = members.iter().filter_map(|(name, value)| match value {
            MetadataValue::Count(count) if *count > 0 => Some(format!("{name} {count}")),
            MetadataValue::Flag(true) => Some((*name).to_owned()),
            _ => None,
        });
        let counts = counts.collect::<Vec<_>>().join(", ");
        let mut parts = vec![types.unwrap_or_default(), counts];
        parts.retain(|part| !part.is_empty());
        self.row("content", cut(&parts.join(" · "), LONGEST));
    }

    fn schema(&mut self, found: &Explained<'_>, verdict: &Verdict) {
        let schema = verdict.metadata.as_ref().and_then(|metadata| metadata.output_schema.as_ref());
        let Some(schema) = schema else {
            if found.located.has_output_schema() {
                self.row("schema", "not checked under this rulebook");
            }
            return;
        };
        let structured = found.telling.structured();
        let (of, value) = match (schema.outcome, structured) {
            (SchemaOutcome::Uncompilable | SchemaOutcome::NoJson, _) => ("", None),
            (_, None) => (" for the JSON in the text", None),
            (_, value) => (" for structuredContent", value),
        };
        self.row("schema", format!("{}{of}", schema.outcome.name()));
        if let Some(value) = value {
            self.row("", value.cut(LONGEST));
        }
        // An issue says the same of a reply that breaks its schema.
        let is_said = |error: &&String| verdict.issues.iter().any(|issue| issue.message == **error);
        schema.error.iter().filter(|error| !is_said(error)).for_each(|error| self.row("", error));
        if let Some(pointer) = &schema.pointer {
            self.row("", format!("at {}", if pointer.is_empty() { "root" } else { pointer }));
        }
    }
}

/// The words for what is there.
fn with<T>(value: Option<T>, words: impl FnOnce(T) -> String) -> String {
    value.map_or_else(String::new, words)
}

fn in_context(
    telling: &MaskedCall<'_>,
    rulebook: &Rulebook,
    field: Field,
    place: ByteSpan,
) -> String {
    let around = telling.around(rulebook, field, place, CONTEXT);
    let mut words = format!("{}..{} of the {}: ", place.start, place.end, field.name());
    let ellipsis = |is_cut| if is_cut { "…" } else { "" };
    let (before, after) = (ellipsis(around.is_cut_before), ellipsis(around.is_cut_after));
    let _ = write!(words, "{before}{}⟦{}⟧{}{after}", around.before, around.hit, around.after);
    words
}

fn short(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
