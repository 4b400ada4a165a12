//! A tuning as people read it.

use super::Told;
use super::json::beaten;
use crate::accuracy::{Confusion, Share};
use crate::cli::terminal::{bar, counted, cut, grouped, harmless, typed};
use crate::compare::show::as_text;
use crate::label::Label;
use crate::tune::{
    Change, FEWEST_SERVERS, Finding, Gain, LabelledReply, Means, Measured, Phrase, evidence,
    likelihood,
};
use std::fmt::Write as _;

/// Groups of flips that are shown.
const GROUPS: usize = 4;
/// Letters of a text that is shown.
const TEXT: usize = 72;
/// Letters of a bar.
const BAR: usize = 20;
/// The quantiles of Student's distribution for 95 %, by degrees of freedom from 1.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

impl Told<'_> {
    /// Everything, for people.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{} by {} of {}, for {}, seed {}",
            harmless(&self.start.name),
            counted(self.replies.all.len() as u64, "label"),
            counted(self.replies.servers.len() as u64, "server"),
            self.fit.objective,
            self.fit.seed,
        );
        self.folds(&mut out);
        self.worth(&mut out);
        self.changes(&mut out);
        self.examples(&mut out);
        self.proposals(&mut out);
        self.variants(&mut out);
        self.flips(&mut out);
        out
    }

    fn folds(&self, out: &mut String) {
        let has_classifier = self.study.folds.iter().any(|fold| fold.classifier.is_some());
        let classifier = if has_classifier { "  classifier" } else { "" };
        let _ = writeln!(
            out,
            "\nOn servers that nothing was learned from (balanced accuracy over error replies)\n  \
             part  servers  errors  before   after{classifier}"
        );
        for (number, fold) in self.study.folds.iter().enumerate().take(self.top) {
            let errors = fold.before.of(Label::BusinessLogic) + fold.before.of(Label::ToolFailure);
            let _ = write!(
                out,
                "  {:<4}  {:>7}  {:>6}  {:>6}  {:>6}",
                number + 1,
                fold.servers.len(),
                errors,
                balanced(&fold.before),
                balanced(&fold.after),
            );
            if let Some(classifier) = &fold.classifier {
                let _ = write!(out, "  {:>10}", balanced(classifier));
            }
            out.push('\n');
        }
        more(out, (self.top, self.study.folds.len()), "  ");
        let gains: Vec<f64> = self
            .study
            .folds
            .iter()
            .filter_map(|it| Some(it.after.balanced_accuracy()? - it.before.balanced_accuracy()?))
            .collect();
        if let Some((mean, reach)) = mean_with_reach(&gains) {
            let _ = writeln!(
                out,
                "  gain per part: {mean:+.3} on average, {:+.3} to {:+.3} (95 %, Student)",
                mean - reach,
                mean + reach,
            );
        }
        let lacking = self.study.folds.len() - gains.len();
        if lacking > 0 {
            let _ = writeln!(
                out,
                "  -: errors of one class only, in {}; the gain per part is that of the others",
                counted(lacking as u64, "part")
            );
        }
    }

    fn worth(&self, out: &mut String) {
        let objective = self.fit.objective.to_string();
        let _ = writeln!(out, "\nAll parts together, errors ({objective})");
        gain_lines(out, self.gain, ["before", "after"]);
        let mut whole = [Confusion::default(), Confusion::default()];
        for fold in &self.study.folds {
            whole[0].merge(&fold.before);
            whole[1].merge(&fold.after);
        }
        let _ = writeln!(out, "  {:<15} {:<30} after (95 %)", "found", "before");
        for label in [Label::BusinessLogic, Label::ToolFailure] {
            let [before, after] = [&whole[0], &whole[1]].map(|it| share(it.recall(label)));
            let _ = writeln!(out, "  {:<15} {before:<30} {after}", label.name());
        }
        if let Some(hidden) = &self.hidden {
            let _ = writeln!(out, "\nAll parts together, hidden failures ({objective})");
            gain_lines(out, hidden, ["before", "after"]);
            let _ = writeln!(out, "  {:<15} {:<30} after (95 %)", "", "before");
            let precision = whole.each_ref().map(|it| share(it.precision(Label::HiddenFailure)));
            let recall = whole.each_ref().map(|it| share(it.recall(Label::HiddenFailure)));
            for (name, [before, after]) in [("precision", precision), ("recall", recall)] {
                let _ = writeln!(out, "  {name:<15} {before:<30} {after}");
            }
        }
        let questions = ["errors", "hidden failures"];
        for (gain, what) in self.over_classifier.iter().zip(questions) {
            let Some(gain) = gain else { continue };
            let _ = writeln!(
                out,
                "\nAgainst a plain classifier of words, {what} ({objective})\n  {}",
                beaten(gain)
            );
            gain_lines(out, gain, ["classifier", "rulebook"]);
        }
        let _ = writeln!(out, "\nErrors: {}", verdict(self.gain));
        if let Some(hidden) = &self.hidden {
            let _ = writeln!(out, "Hidden failures: {}", verdict(hidden));
        }
    }

    fn changes(&self, out: &mut String) {
        let learned = &self.study.learned;
        let from = if self.study.folds.len() == 1 {
            "learned without the servers measured on"
        } else {
            "learned from all servers"
        };
        if learned.changes.is_empty() {
            let _ = writeln!(out, "\nNo change is proposed.");
            return;
        }
        let _ = writeln!(out, "\nProposed changes ({from})");
        for change in &learned.changes {
            let _ = writeln!(out, "  - {}", harmless(&change.to_string()));
        }
    }

    fn proposals(&self, out: &mut String) {
        let phrases = &self.study.learned.phrases[..];
        if phrases.is_empty() {
            let _ = writeln!(out, "\nNo phrase tells the classes apart on several servers.");
            return;
        }
        let _ = writeln!(
            out,
            "\nPhrases that tell the classes apart on several servers, the strongest first"
        );
        let wide =
            phrases.iter().map(|phrase| phrase.text.chars().count()).max().unwrap_or_default();
        for phrase in phrases.iter().take(self.top_phrases()) {
            let taken = if self.is_taken(phrase) { '+' } else { ' ' };
            let text = harmless(&phrase.text);
            let _ = writeln!(out, "  {taken} {text:<wide$}  {}", evidence(phrase));
            if let Some(reply) =
                phrase.evidence.examples.first().and_then(|at| self.replies.all.get(*at))
            {
                let _ = writeln!(out, "      {}", cut(&harmless(&reply.text), TEXT));
            }
        }
        more(out, (self.top_phrases(), phrases.len()), "  ");
        if phrases.iter().any(|phrase| self.is_taken(phrase)) {
            let _ = writeln!(out, "  +: taken, since it pays on servers on which it was not found");
        }
    }

    /// So many phrases are shown: all that are taken, and at least as many as of other things.
    fn top_phrases(&self) -> usize {
        let phrases = &self.study.learned.phrases;
        let last = phrases.iter().rposition(|phrase| self.is_taken(phrase));
        last.map_or(0, |last| last + 1).max(self.top)
    }

    /// The rulebook's own examples that would not come out as expected any more.
    fn examples(&self, out: &mut String) {
        if self.breaking.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "\nExamples of {} that would come out otherwise",
            harmless(&self.start.name)
        );
        for breaking in self.breaking.iter().take(self.top) {
            let [name, difference] =
                [&breaking.example, &breaking.difference].map(|text| cut(&harmless(text), TEXT));
            let _ = writeln!(out, "  - {name}\n      {difference}");
        }
        more(out, (self.top, self.breaking.len()), "  ");
    }

    /// The labelled replies of which something else would be said: what is wrong then, and what is right.
    pub(super) fn becoming(&self) -> [Vec<&LabelledReply>; 2] {
        let mut becoming = [Vec::new(), Vec::new()];
        for reply in &self.replies.all {
            let [before, after] =
                [self.start, &self.study.learned.rulebook].map(|book| reply.answer(book));
            if before != after {
                becoming[usize::from(after == Some(reply.label))].push(reply);
            }
        }
        becoming
    }

    /// Whether a phrase is part of the proposed changes.
    pub(super) fn is_taken(&self, phrase: &Phrase) -> bool {
        self.study.learned.changes.iter().any(|change| match change {
            Change::Phrases { label, entries, .. } => {
                *label == phrase.label && entries.contains(&phrase.text)
            }
            Change::Variant { .. }
            | Change::Weight { .. }
            | Change::Threshold { .. }
            | Change::NoLine { .. }
            | Change::Denominator { .. } => false,
        })
    }

    /// What the proposal changes: of labelled replies one by one, of all exchanges by cause.
    fn flips(&self, out: &mut String) {
        let learned = &self.study.learned;
        if learned.changes.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "\nLabelled replies that change if this is written\n  \
             (learned with their labels: no measure of what it is worth)"
        );
        let name = |label: Option<Label>| label.map_or("nothing", Label::name);
        for (replies, what) in self.becoming().iter().zip(["wrong", "right"]) {
            let _ = writeln!(out, "  {} {what} then", grouped(replies.len() as u64));
            for reply in replies.iter().take(self.top) {
                let [before, after] =
                    [self.start, &learned.rulebook].map(|book| name(reply.answer(book)));
                let _ = writeln!(
                    out,
                    "    {}:{} {}: {before} → {after}\n      {}",
                    harmless(&reply.file),
                    reply.line,
                    harmless(&reply.tool),
                    cut(&harmless(&reply.text), TEXT),
                );
            }
            more(out, (self.top, replies.len()), "    ");
        }
        let Some(flips) = self.flips else {
            let _ = writeln!(
                out,
                "\nThe run has several inputs; compare all of them with tapecheck diff."
            );
            return;
        };
        let _ = writeln!(out, "\nAll exchanges that change if this is written\n");
        out.push_str(&as_text(&flips.comparison, GROUPS, &self.command));
        if let Some(file) = &self.replaced {
            let file = typed(file);
            let _ = writeln!(
                out,
                "\nBEFORE stands for {file} as it was: a copy made before it is written,\n\
                 or what version control has of it."
            );
        }
    }
}

/// How many more there are than are shown, and how to see them.
fn more(out: &mut String, (shown, all): (usize, usize), indent: &str) {
    if all > shown {
        let more = grouped((all - shown) as u64);
        let _ = writeln!(out, "{indent}… and {more} more: --top {all}");
    }
}

fn verdict(gain: &Gain) -> String {
    let shuffled = likelihood(gain.shuffled);
    let none = match gain.finding {
        Finding::Gain => {
            return format!("there is a gain. Shuffled labels bring as much with p {shuffled}.");
        }
        Finding::TooFewServers => {
            return format!(
                "whether there is a gain cannot be told:\n  {} measured on, and {FEWEST_SERVERS} are \
                 needed.",
                counted(gain.servers, "server")
            );
        }
        Finding::NotMore => "it is not more than before".to_owned(),
        Finding::LikeConstant => {
            format!("it is no better than always giving the same answer ({:.3})", gain.constant)
        }
        Finding::LikeShuffled => {
            format!("labels shuffled within their servers bring as much too often (p {shuffled})")
        }
        Finding::FewServersBringIt => format!(
            "too few servers bring it (p {} if before and after are swapped on servers)",
            likelihood(gain.swapped)
        ),
        Finding::MoreGetWorse => "more replies, or servers, get worse than better".to_owned(),
    };
    format!("there is no gain:\n  {none}.")
}

fn gain_lines(out: &mut String, gain: &Gain, names: [&str; 2]) {
    let [first, second] = names;
    let line = |out: &mut String, name: &str, measured: Measured| {
        let Measured { value, low, high, by } = measured;
        let by = star(by);
        let filled = bar(value, BAR);
        let _ = writeln!(out, "  {name:<15} {value:.3} [{low:.3} to {high:.3}]{by} {filled}");
    };
    line(out, names[0], gain.before);
    line(out, names[1], gain.after);
    let Measured { value, low, high, by } = gain.gain;
    let _ = writeln!(
        out,
        "  {:<15} {value:+.3} [{low:+.3} to {high:+.3}]{}(90 %, servers drawn anew)",
        "difference",
        star(by),
    );
    if [gain.before, gain.after, gain.gain].iter().any(|it| it.by == Means::Wilson) {
        out.push_str("  *: all draws are alike; by Wilson's intervals (95 %) of the shares\n");
    }
    let [from, to] = gain.accuracy_difference;
    let _ = writeln!(
        out,
        "  right: {} {second} only, {} {first} only, of {}; McNemar p {},\n  \
         accuracy {:+.3} to {:+.3} (95 %, Tango)",
        gain.gained,
        gain.lost,
        grouped(gain.replies),
        likelihood(gain.mcnemar),
        from,
        to,
    );
    let _ = writeln!(
        out,
        "  {} better, {} worse: sign test p {}",
        counted(gain.servers_better, "server"),
        gain.servers_worse,
        likelihood(gain.sign_test),
    );
    let _ = writeln!(
        out,
        "  as much by chance: labels shuffled within servers p {},\n  servers swapped p {}",
        likelihood(gain.shuffled),
        likelihood(gain.swapped),
    );
}

/// Marks an interval that is not of draws.
fn star(by: Means) -> &'static str {
    match by {
        Means::Draws => " ",
        Means::Wilson => "* ",
    }
}

fn balanced(confusion: &Confusion) -> String {
    confusion.balanced_accuracy().map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

fn share(share: Share) -> String {
    let interval = share.interval();
    match share.value() {
        Some(value) => format!(
            "{}/{} {value:.3} [{:.3} to {:.3}]",
            share.hits, share.of, interval.low, interval.high
        ),
        None => "-".to_owned(),
    }
}

/// The mean of some numbers and how far its interval (95 %) reaches; `None` of fewer than two.
fn mean_with_reach(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let error = (squares / freedom as f64 / count).sqrt();
    let quantile = STUDENT.get(freedom - 1).copied().unwrap_or(1.96);
    Some((mean, quantile * error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_students_interval() {
        // 1, 2, 3, 4: standard error sqrt(5/3/4), 3 degrees of freedom.
        let (mean, reach) = mean_with_reach(&[1.0, 2.0, 3.0, 4.0]).expect("four");
        assert!((mean - 2.5).abs() < 1e-12);
        assert!((reach - 3.182 * (5.0_f64 / 12.0).sqrt()).abs() < 1e-9);
        assert_eq!(mean_with_reach(&[1.0]), None);
    }
}
