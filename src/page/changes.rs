//! What changed exchange by exchange: from which class to which, and by what cause.

use super::Page;
use super::first::arrow;
use super::markup::{Html, Tag, tag};
use super::shown::Showing;
use super::words::{Align, card, cell, class_words, head, more, place_of, scrolling, section};
use crate::compare::show::{cause_words, differences, overlap_words, transition};
use crate::compare::{Comparison, Example, Excerpt, Group, Kind, Proof};
use crate::verdict::{counted, cut, grouped};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// So many groups are shown.
pub(super) const GROUPS: usize = 10;
/// So many exchanges of each.
pub(super) const EXAMPLES: usize = 2;
/// So many causes are in the heading of a group, and so many characters of each.
const CAUSES: usize = 2;
const LONGEST_CAUSE: usize = 70;

/// The name of the section, by which links lead to it.
pub(super) const SECTION: &str = "changes";

/// The section; `None` where nothing changed, or nobody knows.
pub(super) fn changes(page: &Page, showing: &Showing) -> Option<Tag> {
    let against = page.against.as_ref()?;
    let comparison = against.each()?;
    if comparison.flips.is_empty() {
        return None;
    }
    let mut about = vec![
        format!("Held against {}.", against.called(showing).as_ref()),
        format!("{}.", overlap_words(&comparison.overlap)),
    ];
    let differ = differences(&comparison.before, &comparison.after);
    if !differ.is_empty() {
        about.push(format!("What differs: {}.", arrow(&differ.join("; "))));
    }
    let left_out: u64 = comparison.groups.iter().skip(GROUPS).map(|group| group.exchanges).sum();
    let shown = comparison.groups.iter().take(GROUPS).map(|group| of_group(page, group, showing));
    let groups = tag("div").class("groups").all(shown);
    let more = more(
        comparison.groups.len().saturating_sub(GROUPS),
        "group",
        &format!("tapecheck diff BEFORE AFTER, with {}", counted(left_out, "exchange")),
    );
    let matrix = (comparison.classes.moved() > 0).then(|| matrix(comparison));
    // What came or went without a class or a cause is told on the first screen.
    if matrix.is_none() && comparison.groups.is_empty() {
        return None;
    }
    if comparison.groups.iter().any(|group| group.explanation.proof == Proof::Proved) {
        about.push("Proved is a cause that, put back, brings the earlier verdict back.".to_owned());
    }
    Some(
        section(SECTION, "What changed, and why")
            .put(tag("p").class("about").text(about.join(" ")))
            .maybe(matrix)
            .put(groups)
            .maybe(more),
    )
}

/// Classes before and after.
fn matrix(comparison: &Comparison) -> Html {
    let (before, after) = comparison.classes.values();
    let mut columns = vec![("before ↓   now →".to_owned(), Align::Left)];
    columns.extend(after.iter().map(|class| (class_words(*class), Align::Right)));
    let columns: Vec<(&str, Align)> =
        columns.iter().map(|(name, align)| (name.as_str(), *align)).collect();
    let rows = before.iter().map(|from| {
        let cells = after.iter().map(|to| {
            let count = comparison.classes.get(*from, *to);
            let (style, mark) = match from.cmp(to) {
                _ if count == 0 => return cell(Align::Right).text("·"),
                Ordering::Equal => ("right stayed", ""),
                Ordering::Less => ("right worse", "▼ "),
                Ordering::Greater => ("right better", "▲ "),
            };
            tag("td").class(style).text(format!("{mark}{}", grouped(count)))
        });
        tag("tr").put(tag("th").set("scope", "row").text(class_words(*from))).all(cells)
    });
    let table = tag("table").class("matrix").put(head(&columns)).put(tag("tbody").all(rows));
    let card = card("From class to class").put(scrolling("Classes before and after", table));
    card.into()
}

fn of_group(page: &Page, group: &Group, showing: &Showing) -> Tag {
    let (style, words) = match group.kind {
        Kind::Regressed => ("tag worse", "▼ worse"),
        Kind::Fixed => ("tag better", "▲ better"),
        Kind::Altered => ("tag other", "other reasons"),
        Kind::Added => ("tag other", "new"),
        Kind::Gone => ("tag other", "gone"),
        Kind::Same => ("tag other", "same"),
    };
    let proof = match &group.explanation.proof {
        Proof::Proved => "proved".to_owned(),
        Proof::Narrowed => "proved, though fewer changes may do".to_owned(),
        Proof::Observed(reason) => format!("observed: {}", showing.words(reason).as_ref()),
    };
    let facts = [
        counted(group.exchanges, "exchange"),
        counted(group.servers, "server"),
        counted(group.tools, "tool"),
        arrow(&transition(group.from, group.to)),
        format!("cause: {}", group.explanation.origin.name()),
        proof,
    ];
    let (title, causes) = causes(group, showing);
    let shown = group.examples.iter().take(EXAMPLES);
    let examples: Vec<Tag> = shown.map(|one| example(page, one, showing)).collect();
    let examples = (!examples.is_empty()).then(|| {
        tag("details")
            .put(tag("summary").text(counted(examples.len() as u64, "example")))
            .all(examples)
    });
    tag("article")
        .class("group")
        .set("id", format!("group-{}", group.id))
        .put(
            tag("h3")
                .put(tag("span").class(style).text(words))
                .put(Html::text(format!(" {title}"))),
        )
        .put(tag("p").class("facts").all(facts.into_iter().map(|fact| tag("span").text(fact))))
        .maybe(causes)
        .maybe(examples)
}

/// A heading of one line, as far as that can be, and all causes where it could not name them.
fn causes(group: &Group, showing: &Showing) -> (String, Option<Tag>) {
    let words = cause_words(group);
    let words = words.iter().map(|cause| showing.words(cause).as_ref().replace("->", "→"));
    let words: Vec<String> = words.collect();
    let named: Vec<String> =
        words.iter().take(CAUSES).map(|cause| cut(cause, LONGEST_CAUSE)).collect();
    let mut title = named.join("; ");
    let others = group.explanation.causes.len().saturating_sub(CAUSES);
    if others > 0 {
        let _ = write!(title, "; and {}", counted(others as u64, "more change"));
    }
    let is_whole = others == 0 && named.iter().eq(words.iter());
    let all = (!is_whole).then(|| {
        let items = words.into_iter().map(|cause| tag("li").text(cause));
        tag("details")
            .put(tag("summary").text("The causes in full"))
            .put(tag("ul").class("plain").all(items))
    });
    (title, all)
}

fn example(page: &Page, example: &Example, showing: &Showing) -> Tag {
    let key = example.key.to_string();
    let is_there = page.run.chosen.iter().any(|row| row.key == key);
    let name = format!(
        "{} · {}",
        showing.name(&example.server).as_ref(),
        showing.name(&example.tool).as_ref()
    );
    let name = if is_there {
        Html::from(tag("a").set("href", place_of(&key)).text(name))
    } else {
        Html::text(name)
    };
    let place = format!("{}:{}", showing.name(&example.file).as_ref(), example.line);
    let [before, after] = &example.lines;
    let lines = [("before", before), ("now", after)].map(|(word, line)| {
        tag("div")
            .put(tag("dt").text(word))
            .put(tag("dd").text(arrow(showing.words(line).as_ref())))
    });
    let text = example.excerpts[1].as_ref().or(example.excerpts[0].as_ref());
    tag("div")
        .class("example")
        .put(tag("p").put(name).put(tag("span").class("of").text(format!(" {place}"))))
        .put(tag("dl").all(lines))
        .maybe(text.map(|text| passage(text, showing)))
}

/// A judged text with its hits marked.
fn passage(excerpt: &Excerpt, showing: &Showing) -> Tag {
    let pieces = showing.pieces(&excerpt.text, &excerpt.spans).into_iter().map(|piece| {
        if piece.patterns.is_empty() {
            Html::text(piece.text)
        } else {
            tag("mark").set("title", piece.patterns.join(", ")).text(piece.text).into()
        }
    });
    tag("pre").class("text").set("tabindex", "0").all(pieces)
}

/// What stands in a cell of a plain table.
pub(super) fn count_cell(count: u64) -> Tag {
    let cell = cell(Align::Right);
    if count == 0 { cell.text("·") } else { cell.text(grouped(count)) }
}
