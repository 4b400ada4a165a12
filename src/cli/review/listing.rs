//! What there is to decide, as text: for those without a terminal, with the commands that decide it.

use crate::cli::screen::words;
use crate::compare::show::{Piece, headline, moved, pieces, what_changed};
use crate::review::{Counts, Session, Subject, What};
use crate::verdict::{counted, cut, grouped, harmless};
use std::fmt::Write as _;

/// How many groups are listed.
const GROUPS: usize = 50;
/// How much of a judged text is shown.
const TEXT: usize = 100;
/// How much of a name is shown.
const NAME: usize = 60;

/// The groups that have all words of a filter, each with the commands that decide about it. `after` is
/// what was named, with the options that say what is meant.
pub(super) fn listing(session: &Session, filter: &str, after: &str) -> String {
    let groups = groups_with(session, &words(filter));
    let comparison = &session.material().comparison;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} -> {}: {} in {}",
        harmless(&comparison.before.name),
        harmless(&comparison.after.name),
        counted(session.counts().all(), "call"),
        counted(session.subjects().len() as u64, "group"),
    );
    if groups.is_empty() && !session.subjects().is_empty() {
        let words = harmless(filter);
        let _ = writeln!(text, "\nno group matches `{words}`; leave --filter out to see all");
    }
    for at in groups.iter().take(GROUPS) {
        group(&mut text, session, *at, after);
    }
    let more = groups.len().saturating_sub(GROUPS);
    if more > 0 {
        let _ = writeln!(
            text,
            "\n{} more; --filter WORDS shows those with the words",
            counted(more as u64, "group")
        );
    }
    text
}

pub(super) fn groups_with(session: &Session, words: &[String]) -> Vec<usize> {
    let subjects = session.subjects().iter().enumerate();
    subjects.filter(|(_, subject)| subject.fits(words)).map(|(at, _)| at).collect()
}

/// What was decided about a group, in three columns.
pub(super) fn mark(counts: Counts) -> &'static str {
    match counts.alike() {
        None if counts.open < counts.all() => "[/]",
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

pub(super) fn counts_words(counts: Counts) -> String {
    let parts = [
        (counts.accepted, What::Accept.done()),
        (counts.rejected, What::Reject.done()),
        (counts.skipped, What::Skip.done()),
        (counts.open, "not decided"),
    ];
    let counted = parts.into_iter().filter(|(count, _)| *count > 0);
    counted
        .map(|(count, words)| format!("{} {words}", grouped(count)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn group(text: &mut String, session: &Session, at: usize, after: &str) {
    let subject = &session.subjects()[at];
    let counts = session.counts_of(at);
    let (kind, head) = (subject.kind.words(), harmless(&head(session, at)));
    let _ = writeln!(text, "\n{} {}  {kind}  {head}", mark(counts), subject.id);
    let why = subject.explanation.as_ref();
    let why = why.map_or(String::new(), |why| format!("{}: ", what_changed(why.origin)));
    let _ = writeln!(
        text,
        "      {} on {} · {why}{} · {}",
        counted(counts.all(), "call"),
        counted(subject.places.len() as u64, "server"),
        harmless(&subject.title),
        subject.change(),
    );
    if let Some(labels) = subject.labels() {
        let _ = writeln!(text, "      {labels}");
    }
    if counts.open < counts.all() {
        let _ = writeln!(text, "      {}", counts_words(counts));
    }
    for place in &subject.shown {
        example(text, session, at, *place);
    }
    if counts.left() > 0 {
        let id = &subject.id;
        let named = if after.is_empty() { String::new() } else { format!(" {after}") };
        let _ = writeln!(text, "      tapecheck review{named} --accept {id}");
        let _ = writeln!(text, "      tapecheck review{named} --reject {id} --note WHY");
    }
}

/// What became of a group, and its first reply that says something.
pub(super) fn head(session: &Session, at: usize) -> String {
    let (subject, material) = (&session.subjects()[at], session.material());
    let shown = subject.shown.iter().filter_map(|place| {
        let flip = session.flip(at, *place)?;
        let (entry, side) = material.entry(flip)?;
        let [_, after] = material.excerpts(flip);
        let [server, tool] = [entry.server, entry.tool].map(|name| side.names.get(name));
        Some((server, tool, after.map(|after| after.text)))
    });
    let became = match (subject.from, subject.to) {
        (Some(from), Some(to)) => moved(from, to),
        (_, _) => subject.change(),
    };
    headline(shown, (subject.tools() as u64, session.counts_of(at).all()), &became)
}

fn example(text: &mut String, session: &Session, at: usize, place: u32) {
    let Some(flip) = session.flip(at, place) else { return };
    let material = session.material();
    let Some((entry, side)) = material.entry(flip) else { return };
    let _ = write!(
        text,
        "      {}/{}",
        cut(&harmless(side.names.get(entry.server)), NAME),
        cut(&harmless(side.names.get(entry.tool)), NAME)
    );
    let file = side.names.get(entry.file);
    if !file.is_empty() {
        let _ = write!(text, "  {}:{}", cut(&harmless(file), NAME), entry.line);
    }
    if let Some(by_label) = flip.by_label {
        let _ = write!(text, "  {}", by_label.words());
    }
    // The side on which something hits says more.
    let excerpt = material.excerpts(flip).into_iter().flatten().max_by_key(|one| one.spans.len());
    if let Some(excerpt) = excerpt {
        let marked = |piece: &Piece<'_>| {
            let words = harmless(piece.text);
            if piece.marked { format!("⟦{words}⟧") } else { words }
        };
        let words: String = pieces(&excerpt).iter().map(marked).collect();
        let _ = write!(text, "  {}", cut(&words, TEXT));
    }
    text.push('\n');
}

/// The groups that are there, for whoever named one that is not.
pub(super) fn known(subjects: &[Subject]) -> String {
    let ids: Vec<&str> = subjects.iter().take(20).map(|subject| subject.id.as_str()).collect();
    let more = subjects.len().saturating_sub(ids.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", ids.join(", "))
}
