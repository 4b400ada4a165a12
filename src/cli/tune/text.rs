//! A tuning as people read it.

use super::Report;
use super::json::beaten;
use crate::cli::terminal::{counted, cut, grouped, line_width, log_width};
use crate::compare::show;
use crate::count::tally::Interval;
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Share};
use crate::tune::{
    Change, FEWEST_SERVERS, Finding, Gain, LabelledReply, Means, Measured, Phrase, evidence,
    likelihood,
};
use crate::view::text::text;
use crate::view::{Block, Cell, Column, Item, Line, Section, Table};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Groups of flips that are shown.
const GROUPS: usize = 4;
/// Letters of a text that is shown.
pub(super) const TEXT: usize = 72;

impl Report<'_> {
    /// Everything, for people.
    pub(super) fn text(&self) -> String {
        let mut head = Section::new(Line::recorded(&*self.start.name).then(format!(
            " tuned with {} of {} for {}, seed {}",
            counted(self.replies.all.len() as u64, "label"),
            counted(self.replies.servers.len() as u64, "server"),
            self.fit.objective,
            self.fit.seed,
        )));
        head.text(format!("Errors: {}", verdict(self.gain)));
        if let Some(hidden) = &self.hidden {
            head.text(format!("Hidden failures: {}", verdict(hidden)));
        }
        let mut all = vec![head, self.folds()];
        all.extend(self.worth());
        all.push(self.changes());
        all.extend(self.examples());
        all.extend([self.proposals(), self.variants()]);
        if self.study.learned.changes.is_empty() {
            return text(&all, line_width());
        }
        all.push(self.labelled_flips());
        let Some(flips) = self.flips else {
            let next = "The run has several inputs; to compare all of them, use tapecheck diff";
            all.push(Section::new(next));
            return text(&all, line_width());
        };
        all.push(Section::new("All calls that would change"));
        // What leads to exchanges is not broken, as in a comparison by itself.
        let flips = show::sections(&flips.comparison, GROUPS, &self.command);
        text(&all, line_width()) + "\n" + &text(&flips, log_width())
    }

    fn folds(&self) -> Section {
        let folds = &self.study.folds;
        let mut table = Table::new([
            Column::left("part"),
            Column::right("servers"),
            Column::right("errors"),
            Column::right("before"),
            Column::right("after"),
            Column::right("classifier"),
        ]);
        for (number, fold) in folds.iter().enumerate().take(self.top) {
            let errors = fold.before.of(Label::BusinessLogic) + fold.before.of(Label::ToolFailure);
            let balanced = |it: &Confusion| Cell::number(it.balanced_accuracy(), 3);
            table.push([
                Cell::count(number as u64 + 1),
                Cell::count(fold.servers.len() as u64),
                Cell::count(errors),
                balanced(&fold.before),
                balanced(&fold.after),
                fold.classifier.as_ref().map_or_else(Cell::empty, balanced),
            ]);
        }
        let title = "On held-out servers (balanced accuracy over error replies)";
        let mut section = Section::new(title);
        section.table(table);
        self.more(&mut section, folds.len());
        let gain = |before: &Confusion, after: &Confusion| {
            Some(after.balanced_accuracy()? - before.balanced_accuracy()?)
        };
        let gains: Vec<f64> = folds.iter().filter_map(|it| gain(&it.before, &it.after)).collect();
        if let Some((mean, reach)) = mean_with_reach(&gains) {
            section.note(format!(
                "gain per part: {mean:+.3} on average, {:+.3} to {:+.3} (95 %, Student)",
                mean - reach,
                mean + reach,
            ));
        }
        let lacking = folds.len() - gains.len();
        if lacking > 0 {
            section.note(format!(
                "–: errors of only one class, in {}; the gain per part covers the other parts",
                counted(lacking as u64, "part")
            ));
        }
        section
    }

    fn worth(&self) -> Vec<Section> {
        let objective = self.fit.objective.to_string();
        let mut whole = [Confusion::default(), Confusion::default()];
        for fold in &self.study.folds {
            whole[0].merge(&fold.before);
            whole[1].merge(&fold.after);
        }
        let found = |label: Label| whole.each_ref().map(|it| it.recall(label));
        let mut all = Vec::new();
        let title = format!("All parts together, errors ({objective})");
        let mut section = gain_section(title, self.gain, ["before", "after"]);
        let errors = [Label::BusinessLogic, Label::ToolFailure];
        section.table(shares("found", errors.map(|label| (label.name(), found(label)))));
        all.push(section);
        if let Some(hidden) = &self.hidden {
            let title = format!("All parts together, hidden failures ({objective})");
            let mut section = gain_section(title, hidden, ["before", "after"]);
            let precision = whole.each_ref().map(|it| it.precision(Label::HiddenFailure));
            let recall = found(Label::HiddenFailure);
            section.table(shares("", [("precision", precision), ("recall", recall)]));
            all.push(section);
        }
        let questions = ["errors", "hidden failures"];
        for (gain, what) in self.over_classifier.iter().zip(questions) {
            let Some(gain) = gain else { continue };
            let title = format!("Against a plain classifier of words, {what} ({objective})");
            let mut section = gain_section(title, gain, ["classifier", "rulebook"]);
            section.note(beaten(gain));
            all.push(section);
        }
        all
    }

    fn changes(&self) -> Section {
        let changes = &self.study.learned.changes;
        if changes.is_empty() {
            return Section::new("No change is proposed.");
        }
        let from = if self.study.folds.len() == 1 {
            "learned without the evaluated servers"
        } else {
            "learned from all servers"
        };
        let mut section = Section::new(format!("Proposed changes ({from})"));
        section.items(changes.iter().map(|change| Item::new(change.to_string())).collect());
        section
    }

    fn proposals(&self) -> Section {
        let phrases = &self.study.learned.phrases[..];
        if phrases.is_empty() {
            return Section::new("No phrase separates the classes on several servers");
        }
        let item = |phrase: &Phrase| {
            let taken = if self.is_taken(phrase) { "+ " } else { "" };
            let line = Line::from(taken).then_recorded(&*phrase.text);
            let mut item = Item::new(line.then(format!("  {}", evidence(phrase))));
            let reply = phrase.evidence.examples.first().and_then(|at| self.replies.all.get(*at));
            let text = reply.map(|reply| Line::recorded(cut(&reply.text, TEXT)));
            item.below.extend(text.map(Block::Text));
            item
        };
        let title = "Phrases that separate the classes on several servers, strongest first";
        let mut section = Section::new(title);
        section.items(phrases.iter().take(self.top_phrases()).map(item).collect());
        section.more(phrases.len(), self.top_phrases(), &format!("--top {}", phrases.len()));
        if phrases.iter().any(|phrase| self.is_taken(phrase)) {
            section.note("+: adopted: it also helps on servers it was not learned from");
        }
        section
    }

    /// So many phrases are shown: all that are taken, and at least as many as of other things.
    fn top_phrases(&self) -> usize {
        let phrases = &self.study.learned.phrases;
        let last = phrases.iter().rposition(|phrase| self.is_taken(phrase));
        last.map_or(0, |last| last + 1).max(self.top)
    }

    /// The examples, own and inherited, that would not come out as expected any more.
    fn examples(&self) -> Option<Section> {
        let mut section = Section::new("Examples that would change");
        let item = |breaking: &super::Breaking| {
            let name = Line::recorded(cut(&breaking.example, TEXT));
            let mut item = Item::new(name.then(" (").then_recorded(&*breaking.rulebook).then(")"));
            let difference = Line::recorded(cut(&breaking.difference, TEXT));
            item.below.push(Block::Text(difference));
            item
        };
        section.items(self.breaking.iter().take(self.top).map(item).collect());
        self.more(&mut section, self.breaking.len());
        (!self.breaking.is_empty()).then_some(section)
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

    /// The labelled replies that the proposal changes.
    fn labelled_flips(&self) -> Section {
        let mut section = Section::new("Labelled replies that would change");
        section.text("(these labels were learned from, so this does not measure the gain)");
        let name = |label: Option<Label>| label.map_or("none", Label::name);
        let item = |reply: &&LabelledReply| {
            let [before, after] =
                [self.start, &self.study.learned.rulebook].map(|book| name(reply.answer(book)));
            let place = format!("{}:{} {}", reply.file, reply.line, reply.tool);
            let line = Line::recorded(place).then(format!(": {before} → {after}"));
            let mut item = Item::new(line);
            item.below.push(Block::Text(Line::recorded(cut(&reply.text, TEXT))));
            item
        };
        for (replies, what) in self.becoming().iter().zip(["wrong", "right"]) {
            section.text(format!("{} would become {what}", grouped(replies.len() as u64)));
            section.items(replies.iter().take(self.top).map(item).collect());
            self.more(&mut section, replies.len());
        }
        section
    }

    fn more(&self, section: &mut Section, all: usize) {
        section.more(all, self.top, &format!("--top {all}"));
    }
}

fn verdict(gain: &Gain) -> String {
    let shuffled = likelihood(gain.shuffled);
    let none = match gain.finding {
        Finding::Gain => {
            return format!("there is a gain; with shuffled labels p {shuffled}");
        }
        Finding::TooFewServers => {
            return format!(
                "too few servers to show a gain: measured on {}, {FEWEST_SERVERS} are needed",
                counted(gain.servers, "server")
            );
        }
        Finding::NotMore => "it is no better than before".to_owned(),
        Finding::LikeConstant => {
            format!("it is no better than always giving the same answer ({:.3})", gain.constant)
        }
        Finding::LikeShuffled => {
            format!("labels shuffled within their servers do as well too often (p {shuffled})")
        }
        Finding::FewServersBringIt => format!(
            "too few servers gain (p {} with before and after swapped per server)",
            likelihood(gain.swapped)
        ),
        Finding::MoreGetWorse => "more replies, or servers, get worse than better".to_owned(),
    };
    format!("no gain: {none}")
}

/// Shares before and after, with the counts that they are made of.
fn shares(heading: &str, rows: [(&str, [Share; 2]); 2]) -> Table {
    let heads = ["before", "", "after", ""].map(Column::left);
    let mut table = Table::new([Column::left(heading)].into_iter().chain(heads));
    for (name, [before, after]) in rows {
        table.push([
            Cell::text(name),
            Cell::ratio(before),
            Cell::share_within(before),
            Cell::ratio(after),
            Cell::share_within(after),
        ]);
    }
    table
}

/// A measure before and after, and whether what is gained may be chance.
fn gain_section(title: String, gain: &Gain, names: [&str; 2]) -> Section {
    let [first, second] = names;
    let mut table = Table::new([
        Column::left(""),
        Column::right("value"),
        Column::left("interval"),
        Column::left(""),
    ]);
    let sign = |by: Means| match by {
        Means::Draws => "",
        Means::Wilson => "*",
    };
    let ends = |it: Measured, is_signed| {
        Cell::interval(Interval { low: it.low, high: it.high }, 3, is_signed).signed(sign(it.by))
    };
    for (name, measured) in names.into_iter().zip([gain.before, gain.after]) {
        table.push([
            Cell::text(name),
            Cell::number(measured.value, 3),
            ends(measured, false),
            Cell::bar(measured.value),
        ]);
    }
    table.push([
        Cell::text("difference"),
        Cell::difference(gain.gain.value, 3),
        ends(gain.gain, true),
        Cell::empty(),
    ]);
    let mut section = Section::new(title);
    section.table(table);
    section.note("intervals: 90 %, bootstrap over servers");
    if [gain.before, gain.after, gain.gain].iter().any(|it| it.by == Means::Wilson) {
        section.note("*: no bootstrap variation; Wilson intervals (95 %) of the shares");
    }
    let [from, to] = gain.accuracy_difference;
    section.note(format!(
        "right: {} {second} only, {} {first} only, of {}; McNemar p {}, accuracy {from:+.3} to {to:+.3} \
         (95 %, Tango)",
        gain.gained,
        gain.lost,
        grouped(gain.replies),
        likelihood(gain.mcnemar),
    ));
    section.note(format!(
        "{} better, {} worse: sign test p {}",
        counted(gain.servers_better, "server"),
        gain.servers_worse,
        likelihood(gain.sign_test),
    ));
    section.note(format!(
        "chance of as large a gain: labels shuffled within servers p {}, servers swapped p {}",
        likelihood(gain.shuffled),
        likelihood(gain.swapped),
    ));
    section
}

/// The mean of some numbers and how far its interval (95 %) reaches; `None` of fewer than two.
fn mean_with_reach(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let error = (squares / freedom as f64 / count).sqrt();
    let student = StudentsT::new(0.0, 1.0, freedom as f64).ok()?;
    Some((mean, student.inverse_cdf(0.975) * error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_students_interval() {
        // 1, 2, 3, 4: standard error sqrt(5/3/4), 3 degrees of freedom.
        let (mean, reach) = mean_with_reach(&[1.0, 2.0, 3.0, 4.0]).expect("four");
        assert!((mean - 2.5).abs() < 1e-12);
        assert!((reach - 3.182_446_305 * (5.0_f64 / 12.0).sqrt()).abs() < 1e-8);
        assert_eq!(mean_with_reach(&[1.0]), None);
    }
}
