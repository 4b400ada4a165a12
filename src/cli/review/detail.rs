//! What is told of the chosen group or exchange: the cause, the proof, the matrix, and exchanges with
//! what was said before and after, side by side.

use crate::cli::screen::fit::{
    AFTER, BEFORE, FAINT, HIT, STRONG, columns, cut, pad, pad_left, plain, span, wrap,
};
use crate::compare::show::pieces;
use crate::compare::{Excerpt, Flip, Matrix, Proof};
use crate::review::{Row, Session, Subject, Target, rows};
use crate::verdict::{Answer, Classification, counted, grouped};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Columns of the words that stand before everything.
const LABEL: usize = 12;
/// Lines that a part of a verdict takes at most.
const LINES: usize = 4;

/// The lines, of any number.
pub(super) fn detail(session: &Session, target: Target, width: usize) -> Vec<Line<'static>> {
    let mut page = Page { lines: Vec::new(), width };
    match target {
        Target::Group(at) => page.group(session, at),
        Target::Exchange(at, place) => {
            let subject = &session.subjects()[at];
            page.field("cause", &subject.title);
            if let Some(flip) = session.flip(at, place) {
                page.exchange(session, flip, Parts::All);
            }
        }
    }
    page.lines
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    All,
    /// Those that changed, and how it stands.
    Changed,
}

struct Page {
    lines: Vec<Line<'static>>,
    width: usize,
}

impl Page {
    fn push(&mut self, spans: Vec<Span<'static>>) {
        self.lines.push(Line::from(spans));
    }

    fn field(&mut self, label: &str, text: &str) {
        let room = self.width.saturating_sub(LABEL).max(1);
        for (at, spans) in wrap(&[plain(text)], room, LINES).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            let mut line = vec![span(&pad(&format!(" {label}"), LABEL), STRONG)];
            line.extend(spans);
            self.push(line);
        }
    }

    fn group(&mut self, session: &Session, at: usize) {
        let subject = &session.subjects()[at];
        self.cause(subject);
        self.field("change", &subject.change());
        let sizes = [
            counted(subject.flips.len() as u64, "call"),
            counted(subject.places.len() as u64, "server"),
            counted(subject.tools() as u64, "tool"),
        ];
        self.field("size", &sizes.join(" · "));
        if let Some(words) = subject.by_labels.words() {
            self.field("labels", &words);
        }
        let servers: Vec<&str> = subject.places.keys().map(String::as_str).take(20).collect();
        let more = subject.places.len().saturating_sub(servers.len());
        let more =
            if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
        self.field("servers", &format!("{}{more}", servers.join(", ")));
        if let Some(note) = &session.states()[at].note {
            self.field("note", note);
        }
        self.matrix(session, subject);
        let count = subject.shown.len();
        for (number, place) in subject.shown.iter().enumerate() {
            let Some(flip) = session.flip(at, *place) else { continue };
            self.push(Vec::new());
            let heading = format!(" example {} of {count}", number + 1);
            self.push(vec![span(&heading, STRONG)]);
            self.exchange(session, flip, Parts::Changed);
        }
    }

    fn cause(&mut self, subject: &Subject) {
        let Some(why) = &subject.explanation else {
            self.field("cause", &subject.title);
            return;
        };
        for (at, cause) in why.causes.iter().enumerate() {
            let label = if at == 0 { "cause" } else { "and" };
            self.field(label, &format!("{}  ({})", cause.change, cause.name));
        }
        if why.causes.is_empty() {
            self.field("cause", &subject.title);
        }
        let these = if why.causes.len() == 1 { "this" } else { "these" };
        let proof = match &why.proof {
            Proof::Proved => format!("proved: undoing {these} alone restores the earlier verdict"),
            Proof::Narrowed => {
                format!(
                    "proved: undoing {these} restores the earlier verdict; undoing fewer may be \
                     enough"
                )
            }
            Proof::Observed(reason) => format!("observed, not proved: {reason}"),
        };
        self.field("origin", &format!("{} · {proof}", why.origin.name()));
    }

    /// How everything that both sides have stood and stands; the cell of the group is in brackets.
    fn matrix(&mut self, session: &Session, subject: &Subject) {
        let (Some(from), Some(to)) = (subject.from, subject.to) else { return };
        let comparison = &session.material().comparison;
        if from.answer != to.answer || from.class == to.class {
            let names = Answer::LISTED.map(|answer| (answer, answer.words()));
            self.cells("answers", &comparison.answers, &names, (from.answer, to.answer));
        }
        if from.class != to.class {
            let names = Classification::ALL.map(|class| (class, class.name()));
            self.cells("classes", &comparison.classes, &names, (from.class, to.class));
        }
    }

    fn cells<T: Ord + Copy>(
        &mut self,
        label: &str,
        matrix: &Matrix<T>,
        names: &[(T, &str)],
        own: (T, T),
    ) {
        let used = |pick: fn(&(T, T)) -> T| -> Vec<(T, &str)> {
            let used =
                |value: &T| matrix.0.iter().any(|(at, count)| *count > 0 && pick(at) == *value);
            names.iter().filter(|(value, _)| used(value)).copied().collect()
        };
        let (before, after) = (used(|at| at.0), used(|at| at.1));
        let wide =
            before.iter().map(|(_, name)| columns(name)).max().unwrap_or(0).max("before".len());
        let mut head = pad(&format!(" {label}"), LABEL) + &pad("before", wide);
        for (_, name) in &after {
            head.push_str("  ");
            head.push_str(&pad_left(&format!("-> {name}"), 18));
        }
        self.push(vec![span(&cut(&head, self.width), STRONG)]);
        for (from, name) in before {
            let mut row = " ".repeat(LABEL) + &pad(name, wide);
            for (to, _) in &after {
                let count = matrix.0.get(&(from, *to)).copied().unwrap_or(0);
                let count = grouped(count);
                let cell =
                    if (from, *to) == own { format!("[{count}]") } else { format!("{count} ") };
                row.push_str("  ");
                row.push_str(&pad_left(&cell, 18));
            }
            self.push(vec![plain(&cut(&row, self.width))]);
        }
    }

    fn exchange(&mut self, session: &Session, flip: &Flip, parts: Parts) {
        let material = session.material();
        if let Some((entry, side)) = material.entry(flip) {
            let place = match side.names.get(entry.file) {
                "" => String::new(),
                file => format!(" · {file}:{}", entry.line),
            };
            let (server, tool) = (side.names.get(entry.server), side.names.get(entry.tool));
            self.field("call", &format!("{server}/{tool}{place}"));
            if parts == Parts::All {
                self.field("key", &entry.key.to_string());
            }
            if let Some(by_label) = flip.by_label {
                self.field("label", by_label.words());
            }
        }
        let [before, after] = material.verdicts(flip);
        let all = rows(before, after);
        let is_shown = |row: &&Row| {
            parts == Parts::All || row.changed || ["class", "answer"].contains(&row.name)
        };
        let column = self.column();
        let head = format!("{}{}   after", " ".repeat(LABEL), pad("before", column));
        self.push(vec![span(&head, FAINT)]);
        for row in all.iter().filter(is_shown) {
            let side = |at: usize, style: Style| {
                let text = row.sides[at].as_deref().unwrap_or("(absent)");
                vec![span(text, if row.changed { style } else { Style::new() })]
            };
            let sides = [side(0, BEFORE), side(1, AFTER)];
            self.beside(row.name, &sides, row.changed);
        }
        let excerpts = material.excerpts(flip);
        if excerpts.iter().any(Option::is_some) {
            let changed = matches!(&excerpts, [Some(one), Some(other)] if one.text != other.text);
            self.beside("text", &excerpts.map(|excerpt| text_spans(excerpt.as_ref())), changed);
        } else if let Some((entry, side)) = material.entry(flip)
            && !side.names.get(entry.file).is_empty()
        {
            let file = side.names.get(entry.file);
            self.field("text", &format!("not kept; see tapecheck explain {file}:{}", entry.line));
        }
    }

    /// Two texts beside each other, with a sign between them that says whether they differ.
    fn beside(&mut self, label: &str, sides: &[Vec<Span<'static>>; 2], changed: bool) {
        let column = self.column();
        let [before, after] = [0, 1].map(|at| wrap(&sides[at], column, LINES));
        for at in 0..before.len().max(after.len()) {
            let label = if at == 0 { format!(" {label}") } else { String::new() };
            let mut spans = vec![span(&pad(&label, LABEL), STRONG)];
            let left = before.get(at).cloned().unwrap_or_default();
            let used: usize = left.iter().map(Span::width).sum();
            spans.extend(left);
            spans.push(plain(&" ".repeat(column.saturating_sub(used))));
            spans.push(plain(if changed { " ≠ " } else { " │ " }));
            spans.extend(after.get(at).cloned().unwrap_or_default());
            self.push(spans);
        }
    }

    fn column(&self) -> usize {
        (self.width.saturating_sub(LABEL + 4) / 2).max(1)
    }
}

/// The judged text, with marks around what patterns hit.
fn text_spans(excerpt: Option<&Excerpt>) -> Vec<Span<'static>> {
    let Some(excerpt) = excerpt else { return vec![span("not kept", FAINT)] };
    let mut spans = Vec::new();
    for piece in pieces(excerpt) {
        if piece.marked {
            spans.push(span(&format!("⟦{}⟧", piece.text), HIT));
        } else {
            spans.push(plain(piece.text));
        }
    }
    spans
}
