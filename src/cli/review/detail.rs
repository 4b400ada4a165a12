//! What is told of the chosen group or exchange: the cause, the proof, the matrix, and exchanges with
//! what was said before and after, side by side.

use crate::cli::screen::fit::{
    AFTER, BEFORE, FAINT, HIT, STRONG, columns, cut, pad, pad_left, plain, span, wrap,
};
use crate::compare::show::pieces;
use crate::compare::{Excerpt, Matrix, Proof};
use crate::review::{Material, Row, Session, Subject, rows};
use crate::verdict::{Answer, Classification, counted, grouped};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Columns of the words that stand before everything.
const LABEL: usize = 12;
/// Lines that a part of a verdict takes at most.
const LINES: usize = 4;

/// What there is to say about a group, in any number of lines.
pub(super) fn of_group(session: &Session, at: usize, width: usize) -> Vec<Line<'static>> {
    let mut page = Page { lines: Vec::new(), width };
    page.group(session, &session.subjects()[at]);
    page.lines
}

/// What there is to say about a call of a group.
pub(super) fn of_call(
    session: &Session,
    at: usize,
    number: u32,
    width: usize,
) -> Vec<Line<'static>> {
    let mut page = Page { lines: Vec::new(), width };
    page.field("cause", &session.subjects()[at].title);
    page.call(session.material(), number, true);
    page.lines
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

    fn group(&mut self, session: &Session, subject: &Subject) {
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
        self.field("servers", &servers.join(", "));
        if let Some(note) = &subject.state.note {
            self.field("note", note);
        }
        self.matrix(session, subject);
        let count = subject.shown.len();
        for (at, number) in (1..).zip(&subject.shown) {
            self.push(Vec::new());
            self.push(vec![span(&format!(" example {at} of {count}"), STRONG)]);
            self.call(session.material(), *number, false);
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

    /// A call with all that was said of it, or with what changed and how it stands.
    fn call(&mut self, material: &Material, number: u32, is_whole: bool) {
        let Some(call) = material.call(number) else { return };
        let is_recorded = !call.file.is_empty();
        let place = format!("{}:{}", call.file, call.line);
        let at = if is_recorded { format!(" · {place}") } else { String::new() };
        self.field("call", &format!("{}/{}{at}", call.server, call.tool));
        if is_whole {
            self.field("key", &call.key.to_string());
        }
        if let Some(by_label) = call.flip.by_label {
            self.field("label", &by_label.words());
        }
        let column = self.column();
        let head = format!("{}{}   after", " ".repeat(LABEL), pad("before", column));
        self.push(vec![span(&head, FAINT)]);
        for Row { name, sides, changed } in rows(material.verdicts(call.flip)) {
            if is_whole || changed || ["class", "answer"].contains(&name) {
                let side = |at: usize, style: Style| {
                    let text = sides[at].as_deref().unwrap_or("(absent)");
                    vec![span(text, if changed { style } else { Style::new() })]
                };
                self.beside(name, &[side(0, BEFORE), side(1, AFTER)], changed);
            }
        }
        let excerpts = material.excerpts(call.flip);
        if excerpts.iter().any(Option::is_some) {
            let changed = matches!(&excerpts, [Some(one), Some(other)] if one.text != other.text);
            self.beside("text", &excerpts.map(|excerpt| text_spans(excerpt.as_ref())), changed);
        } else if is_recorded {
            self.field("text", &format!("not kept; see tapecheck explain {place}"));
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
