//! What is told of the chosen group or call: the cause, the proof, and calls with what was said before
//! and after, side by side.

use super::listing::marked;
use crate::cli::screen::fit::{AFTER, BEFORE, FAINT, STRONG, columns, pad, plain, span, wrap};
use crate::compare::Proof;
use crate::review::{Material, Row, Session, Subject, rows};
use crate::verdict::counted;
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
        for (at, line) in wrap(text, room, LINES).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            self.push(vec![span(&pad(&format!(" {label}"), LABEL), STRONG), plain(&line)]);
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
                let sides = sides.map(|text| text.unwrap_or_else(|| "(absent)".to_owned()));
                let styles = if changed { [BEFORE, AFTER] } else { [Style::new(); 2] };
                self.beside(name, &sides, styles, changed);
            }
        }
        let excerpts = material.excerpts(call.flip);
        if excerpts.iter().any(Option::is_some) {
            let changed = matches!(&excerpts, [Some(one), Some(other)] if one.text != other.text);
            let texts =
                excerpts.map(|excerpt| excerpt.map_or("not kept".to_owned(), |it| marked(&it)));
            self.beside("text", &texts, [Style::new(); 2], changed);
        } else if is_recorded {
            self.field("text", &format!("not kept; see tapecheck explain {place}"));
        }
    }

    /// Two texts beside each other, with a sign between them that says whether they differ.
    fn beside(&mut self, label: &str, sides: &[String; 2], styles: [Style; 2], changed: bool) {
        let column = self.column();
        let [before, after] = sides.each_ref().map(|text| wrap(text, column, LINES));
        for at in 0..before.len().max(after.len()) {
            let label = if at == 0 { format!(" {label}") } else { String::new() };
            let [left, right] = [&before, &after].map(|lines| lines.get(at).map_or("", |it| it));
            let gap = column.saturating_sub(columns(left));
            self.push(vec![
                span(&pad(&label, LABEL), STRONG),
                span(left, styles[0]),
                plain(&" ".repeat(gap)),
                plain(if changed { " ≠ " } else { " │ " }),
                span(right, styles[1]),
            ]);
        }
    }

    fn column(&self) -> usize {
        (self.width.saturating_sub(LABEL + 4) / 2).max(1)
    }
}
