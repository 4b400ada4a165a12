//! `tapecheck explain`: the whole reasoning behind one verdict.

use super::config::config;
use super::inputs::{JudgingArgs, RawArg, inputs, load, spelled_checks};
use super::target::{RunAtHand, Target};
use super::terminal::{cut, harmless, print};
use super::{Exit, Failure};
use crate::check::schema::Schemas;
use crate::check::{CheckFiles, Checks, Judge, Members, MetadataValue, VerdictLine};
use crate::corpus::CorpusReader;
use crate::recording::ExchangeKind;
use crate::redact::Told;
use crate::rulebook::{Decision, Field, Rulebook};
use crate::run::{Around, Located, Telling, ToldVerdict, Wanted, find_exchange, reading};
use crate::verdict::{Certainty, Place, SchemaOutcome, SignalSet, Verdict, Weighing};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much of a text is shown around a hit, in bytes.
const CONTEXT: usize = 40;
/// How much of a text is shown, in characters.
const LONGEST: usize = 300;

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
    /// Show regular expressions, and the signals and factors that do not hold, too
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    raw: RawArg,
    #[command(flatten)]
    judging: JudgingArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let text = self.written(|found| {
            let mut out = String::new();
            describe(&mut out, found);
            for (rulebook, checks) in found.rulebooks {
                reason(&mut out, found, rulebook, checks, self.verbose);
            }
            out
        })?;
        print(&text)
    }

    /// What `write` makes of the call under each rulebook.
    fn written(&self, write: impl Fn(&Found<'_>) -> String + Sync) -> Result<String, Failure> {
        let mut corpora = self.places.clone();
        let run = RunAtHand::take_from(&mut corpora)?.or_else(RunAtHand::latest);
        let target = Target::read(&self.exchange, &corpora, run.as_ref())?;
        let run = run.filter(|run| run.is_about(&target.paths));
        let (rulebook, mut origin_lines) = self.rulebook(run.as_ref())?;
        let mut loaded = vec![rulebook];
        for other in self.rulebook.iter().skip(1) {
            loaded.push(load(other)?);
        }
        let redactor = self.raw.redactor()?;
        let bounds = config().bounds;
        let reader = CorpusReader::new(&inputs(&target.paths), bounds)?;
        let files = self.check_files(run.as_ref(), &mut origin_lines);
        let checks = Checks::load(&files, &[])?;
        let mut rulebooks: Vec<(&Rulebook, Arc<Checks>)> = Vec::with_capacity(loaded.len());
        for rulebook in &loaded {
            let checks = checks.with_criteria(&rulebook.criteria);
            rulebooks.push((rulebook, Arc::new(checks?)));
        }
        let reader = reading(reader, &files, &Arc::new(checks));
        let found = find_exchange(reader, &bounds, &target.wanted, |located| {
            write(&Found {
                located,
                telling: &located.tell(&redactor),
                wanted: &target.wanted,
                origin_lines: &origin_lines,
                rulebooks: &rulebooks,
            })
        });
        target.only(found?)
    }

    /// The rulebook to judge under, and a line that says which it is and why.
    fn rulebook(&self, run: Option<&RunAtHand>) -> Result<(Rulebook, String), Failure> {
        let (rulebook, from) = match (self.rulebook.first(), run) {
            (Some(named), _) => (load(named)?, "from --rulebook".to_owned()),
            (None, Some(run)) => (run.rulebook()?, format!("from {}", run.name())),
            (None, None) => {
                let why = "the default: no run of these recordings is at hand".to_owned();
                (load(&config().rulebook)?, why)
            }
        };
        let line = format!("rulebook    {}, {}\n", harmless(&rulebook.name), harmless(&from));
        Ok((rulebook, line))
    }

    /// The files that are named here, else those that the run was made with, which are told.
    fn check_files(&self, run: Option<&RunAtHand>, origin_lines: &mut String) -> CheckFiles {
        let own = self.judging.files();
        let Some(run) = run.filter(|_| own == CheckFiles::default()) else { return own };
        run.warn_of_other_checks();
        let files = run.check_files();
        if files != CheckFiles::default() {
            let flags = spelled_checks(&files);
            let _ = writeln!(origin_lines, "checks      {flags}, from {}", harmless(&run.name()));
        }
        files
    }
}

/// A call that was found, and what it is explained with.
struct Found<'a> {
    located: &'a Located<'a>,
    telling: &'a Telling<'a>,
    wanted: &'a Wanted,
    /// Lines that say where rulebook and checks come from.
    origin_lines: &'a str,
    rulebooks: &'a [(&'a Rulebook, Arc<Checks>)],
}

impl Found<'_> {
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

fn describe(out: &mut String, found: &Found<'_>) {
    let Found { located, telling, wanted, origin_lines, .. } = found;
    let (kind, place) = (located.kind(), located.place());
    let _ = writeln!(out, "call        {}", located.keys.exchange);
    out.push_str(origin_lines);
    let answer = located
        .answered()
        .map_or(String::new(), |place| format!(" (answer at line {})", place.line));
    let nth = match wanted {
        Wanted::Line { line, nth: Some(nth) } if *line == place.line => format!(":{nth}"),
        Wanted::Line { .. } | Wanted::Key { .. } => String::new(),
    };
    let _ = writeln!(out, "recording   {}:{}{nth}{answer}", telling.file(), place.line);
    let scenario =
        telling.scenario().map_or(String::new(), |scenario| format!(" · scenario {scenario}"));
    let (word, what) = match kind {
        ExchangeKind::ToolCall => ("tool", telling.tool().to_string()),
        ExchangeKind::Envelope | ExchangeKind::JudgeResult | ExchangeKind::SessionReport => {
            ("kind", kind.name().to_owned())
        }
    };
    let _ = writeln!(out, "{word:<12}{what} of {}{scenario}", telling.server());
    let _ = writeln!(out, "input       {}", telling.input().cut(LONGEST));
    let code =
        telling.code().map_or(String::new(), |code| format!(" · code {}", code.cut(LONGEST)));
    let _ = writeln!(out, "reply       {}{code}", located.reply_kind().name());
    if let Some(document) = telling.document() {
        let _ = writeln!(out, "document    {}", document.cut(LONGEST));
    }
}

fn reason(
    out: &mut String,
    found: &Found<'_>,
    rulebook: &Rulebook,
    checks: &Arc<Checks>,
    verbose: bool,
) {
    let told = found.verdict(rulebook, checks);
    let (verdict, line) = (&told.verdict, told.line());
    let _ = writeln!(out, "\nunder {}", rulebook.name);
    let _ = writeln!(
        out,
        "  verdict   {} · confidence {} · {}",
        line.classification,
        line.confidence_percent,
        meaning(found.located.kind(), line.is_valid),
    );
    if let Some(Certainty { line, value }) = verdict.conclusion.certainty {
        let line = harmless(&rulebook.certainty[usize::from(line)].name);
        let doubtful = if value < Certainty::DOUBTFUL { "doubtful · " } else { "" };
        let words = Certainty::words(value);
        let _ = writeln!(out, "  certainty {value} · {doubtful}{words} ({line})");
    }
    let why = if verdict.fate.is_unknown() {
        format!(" · {}", verdict.fate.name().replace('_', " "))
    } else {
        String::new()
    };
    let _ = writeln!(out, "  outcome   {}{why}", verdict.conclusion.outcome.name());
    let _ = writeln!(out, "  because   {}", harmless(rulebook.because(&verdict.conclusion)));
    if verdict.is_unwrapped {
        out.push_str("  inside    the reply's text is a result itself: that result was judged\n");
    }
    let text = found.telling.text(rulebook);
    if !text.as_ref().is_empty() {
        let _ = writeln!(out, "  text      {}", text.cut(LONGEST));
    }
    for evidence in &line.evidence {
        let _ = writeln!(out, "  evidence  {}", cut(&harmless(evidence), LONGEST));
    }
    judgement_reasons(out, found.telling, rulebook, verdict, verbose);
    if verbose {
        regexes(out, rulebook, verdict);
    }
    for issue in &line.issues {
        let place =
            issue.location.map_or(String::new(), |place| format!(" at {}", harmless(place)));
        let _ = writeln!(
            out,
            "  {:<9} {}{place}: {}",
            issue.severity.name(),
            harmless(issue.kind),
            harmless(issue.message)
        );
        if let Some(suggestion) = &issue.suggestion {
            let _ = writeln!(out, "            {}", harmless(suggestion));
        }
    }
    content_reasons(out, &line);
    schema_reasons(out, found, verdict, verbose);
    if verdict.checks.made().next().is_some() {
        check_reasons(out, &line, told.sanitized.as_ref());
    }
}

fn meaning(kind: ExchangeKind, is_valid: bool) -> &'static str {
    match (kind, is_valid) {
        (ExchangeKind::ToolCall, true) => "is_valid true",
        (ExchangeKind::ToolCall, false) => "is_valid false",
        (_, true) => "accepted",
        (_, false) => "not accepted",
    }
}

/// Which checks were made, and what becomes of the exchange by all that was found.
fn check_reasons(out: &mut String, line: &VerdictLine<'_>, sanitized: Option<&Told>) {
    let _ = writeln!(out, "  checks    {}", line.metadata.validation_types_run.join(", "));
    for (word, criteria) in [("passed", &line.passed_criteria), ("failed", &line.failed_criteria)] {
        if !criteria.is_empty() {
            let _ = writeln!(out, "  {word:<10}{}", cut(&harmless(&criteria.join(", ")), LONGEST));
        }
    }
    if let Some(arguments) = sanitized {
        let _ = writeln!(out, "  sanitized {}", arguments.cut(LONGEST));
    }
    let VerdictLine { decision, quality_score, .. } = line;
    let sentence = line.interpretation().text();
    let _ = writeln!(out, "  advice    {decision} · {sentence} · quality {quality_score}");
}

fn judgement_reasons(
    out: &mut String,
    telling: &Telling<'_>,
    rulebook: &Rulebook,
    verdict: &Verdict,
    verbose: bool,
) {
    let Some(observation) = &verdict.observation else { return };
    if let Some(answer) = verdict.conclusion.business_logic() {
        let _ = writeln!(out, "  business logic? {}", if answer { "yes" } else { "no" });
    }
    let observed = rulebook.looked_for(verdict.ground, verdict.conclusion.hidden_failure());
    let _ = writeln!(out, "  signals");
    let (holding, others): (Vec<_>, Vec<_>) = rulebook
        .signals
        .iter()
        .enumerate()
        .filter(|(at, _)| observed.has(*at))
        .partition(|(at, _)| observation.signals.has(*at));
    for (_, signal) in holding {
        let _ = writeln!(out, "    ✓ {}", signal.name);
        for hit in observation.hits.iter().filter(|hit| signal.patterns.contains(&hit.pattern)) {
            let Some(pattern) = rulebook.patterns.get(usize::from(hit.pattern)) else {
                continue;
            };
            let around = |field, place| {
                in_context(field, place, &telling.around(rulebook, field, place, CONTEXT))
            };
            let _ = writeln!(
                out,
                "        {}/{} at {}",
                pattern.list,
                harmless(pattern.name()),
                around(hit.field, Place { start: hit.start, end: hit.end }),
            );
            if let Some(place) = hit.call {
                let _ = writeln!(out, "          quotes {}", around(Field::Input, place));
            }
            if !pattern.about().is_empty() {
                let _ = writeln!(out, "          {}", harmless(pattern.about()));
            }
        }
    }
    not_holding(out, others.iter().map(|(_, signal)| &*signal.name), verbose);
    let Some(weighing) = verdict.conclusion.weighing else { return };
    let _ = writeln!(out, "  factors                     weight   sum");
    let mut sum = 0.0;
    let (holding, others): (Vec<_>, Vec<_>) =
        rulebook.factors.iter().partition(|factor| observation.signals.has(factor.signal));
    for factor in holding {
        sum += factor.weight;
        let _ = writeln!(out, "    ✓ {:<24}{:>6}{:>6}", factor.name, factor.weight, sum);
    }
    not_holding(out, others.iter().map(|factor| &*factor.name), verbose);
    let (score, denominator) = (short(weighing.score), rulebook.denominator);
    let _ = writeln!(out, "    score {score} = {sum} / {denominator}");
    let most = if rulebook.clamp { "; at most 1" } else { "" };
    let _ = writeln!(out, "      the weights of these factors, divided by {denominator}{most}");
    decision_reasons(out, rulebook, weighing);
    let flips = flipping_signals(rulebook, verdict, observation.signals);
    if flips.is_empty() {
        let _ = writeln!(out, "    no single signal would change the answer");
    } else {
        let _ = writeln!(out, "    would change: {}", flips.join(", "));
    }
}

/// What was asked and does not hold: of most there is nothing to say.
fn not_holding<'n>(out: &mut String, names: impl ExactSizeIterator<Item = &'n str>, verbose: bool) {
    if verbose {
        for name in names {
            let _ = writeln!(out, "    · {name}");
        }
    } else if names.len() > 0 {
        let _ =
            writeln!(out, "    others, which do not hold: {} (--verbose names them)", names.len());
    }
}

fn decision_reasons(out: &mut String, rulebook: &Rulebook, weighing: Weighing) {
    let _ = writeln!(out, "  decision");
    for (at, line) in rulebook.decide.iter().enumerate() {
        let says = match line.decision {
            Decision::Return(true) => "business logic".to_owned(),
            Decision::Return(false) => "not business logic".to_owned(),
            Decision::Threshold(threshold) => format!("threshold {threshold}"),
        };
        let chosen = weighing.line.map(usize::from) == Some(at);
        let mark = if chosen { "→" } else { "·" };
        let _ = writeln!(out, "    {mark} {}: {says}", line.name);
    }
    let line = weighing.line.and_then(|at| rulebook.decide.get(usize::from(at)));
    if line.is_some_and(|line| matches!(line.decision, Decision::Return(_))) {
        let _ = writeln!(out, "    this rule decides; the score is ignored");
    } else if let Some(threshold) = weighing.threshold {
        let distance = weighing.score - threshold;
        let side = match distance.total_cmp(&0.0) {
            Ordering::Less => format!("{} below", short(-distance)),
            Ordering::Equal => "exactly".to_owned(),
            Ordering::Greater => format!("{} above", short(distance)),
        };
        let _ = writeln!(out, "    the score is {side} the threshold");
    }
}

/// The signals that, changed alone, would change the answer.
fn flipping_signals(rulebook: &Rulebook, verdict: &Verdict, signals: SignalSet) -> Vec<String> {
    let answer = verdict.conclusion.business_logic();
    let flips = answer.map(|answer| rulebook.flipping_signals(signals, answer));
    let word = |signal| if signals.has(signal) { "without" } else { "with" };
    let flips = flips.into_iter().flatten();
    flips.map(|signal| format!("{} {}", word(signal), rulebook.signals[signal].name)).collect()
}

/// The regexes behind the names of the patterns that hit.
fn regexes(out: &mut String, rulebook: &Rulebook, verdict: &Verdict) {
    let hits = verdict.observation.iter().flat_map(|observation| &observation.hits);
    let numbers: BTreeSet<u16> = hits.map(|hit| hit.pattern).collect();
    let patterns = numbers.iter().filter_map(|number| rulebook.patterns.get(usize::from(*number)));
    let mut patterns = patterns.filter(|pattern| pattern.title.is_some()).peekable();
    if patterns.peek().is_some() {
        let _ = writeln!(out, "  regexes");
    }
    for pattern in patterns {
        let (list, name, text) = (&pattern.list, pattern.name(), harmless(&pattern.text));
        let _ = writeln!(out, "    {list}/{name}: {text}");
    }
}

fn in_context(field: Field, place: Place, around: &Around) -> String {
    let ellipsis = |is_cut| if is_cut { "…" } else { "" };
    format!(
        "{}..{} of the {}: {}{}⟦{}⟧{}{}",
        place.start,
        place.end,
        field.name(),
        ellipsis(around.is_cut_before),
        around.before,
        around.hit,
        around.after,
        ellipsis(around.is_cut_after),
    )
}

/// What the reply consists of, with the counts that the rulebook names.
fn content_reasons(out: &mut String, line: &VerdictLine<'_>) {
    let Some(Members(members)) = &line.response_metadata else { return };
    let (mut types, mut counts) = (String::new(), Vec::new());
    for (name, value) in members {
        match value {
            MetadataValue::Types(found) => types = found.join(", "),
            MetadataValue::Count(0)
            | MetadataValue::Flag(false)
            | MetadataValue::Validation { .. } => {}
            MetadataValue::Count(count) => counts.push(format!("{name} {count}")),
            MetadataValue::Flag(true) => counts.push((*name).to_owned()),
        }
    }
    let parts = [cut(&harmless(&types), LONGEST), harmless(&counts.join(", "))];
    let parts: Vec<&str> = parts.iter().map(|part| &**part).filter(|it| !it.is_empty()).collect();
    let _ = writeln!(out, "  content   {}", parts.join(" · "));
}

fn schema_reasons(out: &mut String, found: &Found<'_>, verdict: &Verdict, verbose: bool) {
    let schema = verdict.metadata.as_ref().and_then(|metadata| metadata.output_schema.as_ref());
    let Some(schema) = schema else {
        if found.located.has_output_schema() {
            let _ = writeln!(out, "  schema    not checked under this rulebook");
        } else if verbose {
            let _ = writeln!(out, "  schema    none: the tool declares no outputSchema");
        }
        return;
    };
    let structured = found.telling.structured();
    let of = match (schema.outcome, &structured) {
        (SchemaOutcome::Uncompilable | SchemaOutcome::NoJson, _) => "",
        (_, Some(_)) => " for structuredContent",
        (_, None) => " for the JSON in the text",
    };
    let _ = writeln!(out, "  schema    {}{of}", schema.outcome.name());
    if let Some(value) = structured.filter(|_| !of.is_empty()) {
        let _ = writeln!(out, "            {}", value.cut(LONGEST));
    }
    // An issue says the same of a reply that breaks its schema.
    let is_said = |error: &&String| verdict.issues.iter().any(|issue| issue.message == **error);
    if let Some(error) = schema.error.as_ref().filter(|error| !is_said(error)) {
        let _ = writeln!(out, "            {}", harmless(error));
    }
    if let Some(pointer) = &schema.pointer {
        let pointer = if pointer.is_empty() { "root" } else { pointer };
        let _ = writeln!(out, "            at {}", harmless(pointer));
    }
}

fn short(number: f64) -> String {
    let rounded = (number * 10_000.0).round() / 10_000.0;
    rounded.to_string()
}
