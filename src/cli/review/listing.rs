//! What there is to decide, as text: for those without a terminal, with the commands that decide it.

use crate::cli::screen::words;
use crate::compare::Excerpt;
use crate::compare::show::{Piece, headline, labels_of, moved, pieces, what_changed};
use crate::review::{Counts, Session, What};
use crate::verdict::{counted, cut, grouped, harmless};
use std::fmt::Write as _;

/// How many groups are listed.
const GROUPS: usize = 50;
/// How much of a judged text is shown.
const TEXT: usize = 100;
/// How much of a name is shown.
const NAME: usize = 60;

/// The groups that have all words of a filter, each with the commands that decide about it.
pub(super) fn listing(session: &Session, filter: &str, command: &str) -> String {
    let groups = groups_with(session, &words(filter));
    let comparison = &session.material().comparison;
    let mut text = format!(
        "{} -> {}: {} in {}\n",
        harmless(&comparison.before.name),
        harmless(&comparison.after.name),
        counted(session.counts().all(), "call"),
        counted(session.subjects().len() as u64, "group"),
    );
    if groups.is_empty() && !session.subjects().is_empty() {
        let words = harmless(filter);
        let _ = writeln!(text, "\nno group matches `{words}`; leave --filter out to see all");
    }
    groups.iter().take(GROUPS).for_each(|at| group(&mut text, session, *at, command));
    if groups.len() > GROUPS {
        let more = counted((groups.len() - GROUPS) as u64, "group");
        let _ = writeln!(text, "\n{more} more; --filter WORDS shows those with the words");
    }
    text
}

pub(super) fn groups_with(session: &Session, words: &[String]) -> Vec<usize> {
    let subjects = session.subjects().iter().enumerate();
    subjects.filter(|(_, subject)| subject.fits(words)).map(|(at, _)| at).collect()
}

/// What was decided about a group, in three columns.
pub(super) fn mark(counts: &Counts) -> &'static str {
    let alike = What::ALL.into_iter().find(|what| counts.of(*what) == counts.all());
    match alike {
        None if counts.of(None) < counts.all() => "[/]",
        alike => mark_of(alike),
    }
}

pub(super) fn mark_of(what: Option<What>) -> &'static str {
    match what {
        None => "[ ]",
        Some(What::Accept) => "[a]",
        Some(What::Reject) => "[r]",
        Some(What::Skip) => "[s]",
    }
}

pub(super) fn counts_words(counts: &Counts) -> String {
    let words = What::ALL.map(|what| (Some(what), what.name()));
    let all = words.into_iter().chain([(None, "not decided")]);
    let all = all.filter(|(what, _)| counts.of(*what) > 0);
    let parts: Vec<String> =
        all.map(|(what, words)| format!("{} {words}", grouped(counts.of(what)))).collect();
    parts.join(", ")
}

fn group(text: &mut String, session: &Session, at: usize, command: &str) {
    let subject = &session.subjects()[at];
    let counts = session.counts_of(at);
    let (id, kind, head) = (&subject.id, subject.kind.words(), harmless(&head(session, at)));
    let _ = writeln!(text, "\n{} {id}  {kind}  {head}", mark(&counts));
    let why = subject.explanation.as_ref();
    let why = why.map_or(String::new(), |why| format!("{}: ", what_changed(why.origin)));
    let servers = counted(subject.places.len() as u64, "server");
    let is_begun = counts.of(None) < counts.all();
    let mut lines = vec![format!(
        "{} on {servers} · {why}{} · {}",
        counted(counts.all(), "call"),
        harmless(&subject.title),
        subject.change(),
    )];
    lines.extend(labels_of(&subject.by_labels));
    lines.extend(is_begun.then(|| counts_words(&counts)));
    lines.extend(subject.shown.iter().filter_map(|number| example(session, *number)));
    if counts.left() > 0 {
        lines.push(format!("{command} --accept {id}"));
        lines.push(format!("{command} --reject {id} --note WHY"));
    }
    for line in lines {
        let _ = writeln!(text, "      {line}");
    }
}

/// What became of a group, and its first reply that says something.
pub(super) fn head(session: &Session, at: usize) -> String {
    let (subject, material) = (&session.subjects()[at], session.material());
    let shown = subject.shown.iter().filter_map(|number| {
        let call = material.call(*number)?;
        let [_, after] = material.excerpts(call.flip);
        Some((call.server, call.tool, after.map(|after| after.text)))
    });
    let became = match (subject.from, subject.to) {
        (Some(from), Some(to)) => moved(from, to),
        (_, _) => subject.change(),
    };
    headline(shown, (subject.tools() as u64, subject.flips.len() as u64), &became)
}

fn example(session: &Session, number: u32) -> Option<String> {
    let material = session.material();
    let call = material.call(number)?;
    let name = |name: &str| cut(&harmless(name), NAME);
    let mut text = format!("{}/{}", name(call.server), name(call.tool));
    if !call.file.is_empty() {
        let _ = write!(text, "  {}:{}", name(call.file), call.line);
    }
    if let Some(by_label) = call.flip.by_label {
        let _ = write!(text, "  {}", by_label.words());
    }
    // The side on which something hits says more.
    let excerpts = material.excerpts(call.flip).into_iter().flatten();
    if let Some(excerpt) = excerpts.max_by_key(|one| one.spans.len()) {
        let _ = write!(text, "  {}", cut(&harmless(&marked(&excerpt)), TEXT));
    }
    Some(text)
}

/// The judged text, with marks around what patterns hit.
pub(super) fn marked(excerpt: &Excerpt) -> String {
    let mark = |piece: Piece<'_>| {
        if piece.marked { format!("⟦{}⟧", piece.text) } else { piece.text.to_owned() }
    };
    pieces(excerpt).into_iter().map(mark).collect()
}
