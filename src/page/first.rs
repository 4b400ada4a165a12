//! What happened, in one screen.

use super::Page;
use super::columns::{FRAME, MOST_COLUMNS, Tall, columns};
use super::earlier::{Against, Compared};
use super::headline::{nothing_judged, verdict};
use super::markup::{Html, Tag, tag};
use super::night::issue_types_worst_first;
use super::shown::Showing;
use super::trends::{change_words, series_name};
use super::words::{
    Align, bar, card, cell, class_words, filtered, head, more, number, percent, points, share,
    style,
};
use super::worst::worst;
use crate::compare::show::{cause_words, transition};
use crate::compare::{Answer, Comparison, Group, Kind};
use crate::verdict::{Classification, Severity, counted, cut, grouped};

/// So many types of issue are shown.
const TYPES: usize = 7;
/// So many changes that last are shown.
const OPEN: usize = 4;
/// So many kinds of error are shown.
const FEW: usize = 5;
/// So many causes of changes are shown, and so many characters of each.
const CAUSES: usize = 3;
const LONGEST_CAUSE: usize = 70;
/// How tall lines are, about, in pixels, so that columns can be made to end together.
const LINE: u32 = 33;
const CAUSE_LINES: u32 = 68;
const TILE: u32 = 66;
/// A number of more characters than this wants a wide tile, of which only two stand beside each other.
const LONGEST_OF_THREE: usize = 5;

pub(super) fn first_screen(page: &Page, showing: &Showing) -> Tag {
    let cards: Vec<Tall> = if page.run.manifest.comparable.counts.exchanges == 0 {
        vec![(0, nothing_judged(page, showing))]
    } else {
        let mut cards = vec![classes(page)];
        cards.extend(page.against.as_ref().map(|against| changed(page, against, showing)));
        cards.extend(open_changes(page, showing));
        cards.extend(answers(page));
        cards.extend(issue_types(page, showing));
        let worst = worst(page, showing, &cards);
        cards.extend(worst);
        cards
    };
    tag("section")
        .set("id", "tonight")
        .set("aria-labelledby", "verdict")
        .put(verdict(page, showing))
        .put(columns(cards, MOST_COLUMNS))
}

/// How tall so many lines of the same kind are, about.
fn lines(count: usize, height: u32) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(height)
}

fn classes(page: &Page) -> Tall {
    let counts = page.run.cells.classes();
    let total: u64 = counts.values().sum();
    let before = page.against.as_ref().map(|against| {
        let total: u64 = against.classes.values().sum();
        Classification::ALL.map(|class| share(against.of_class(class.name()), total))
    });
    let points_since = |class: Classification, now: f64| points(before?[class as usize], now);
    let has_moved =
        counts.iter().any(|(class, count)| points_since(*class, share(*count, total)).is_some());
    let mut at = 0.0;
    let parts = counts.iter().map(|(class, count)| {
        let width = share(*count, total) * 100.0;
        let part = tag("rect")
            .class(style(*class))
            .set("x", format!("{at:.2}%"))
            .set("width", format!("{width:.2}%"))
            .set("height", "100%");
        at += width;
        part
    });
    let whole = tag("svg").class("whole").set("aria-hidden", "true").all(parts);
    let rows = counts.iter().map(|(class, count)| {
        let part = share(*count, total);
        // A column in which nothing stands is none.
        let moved = has_moved.then(|| {
            tag("span").class("moved").text(points_since(*class, part).unwrap_or_default())
        });
        let title = class.name();
        let row = tag("a")
            .class("row")
            .set("href", filtered(&[("class", title)]))
            .put(tag("i").class(style(*class)).set("aria-hidden", "true"))
            .put(tag("span").class("name").text(class_words(*class)))
            .put(number(*count).set("data-count", format!("class {title}")))
            .put(tag("span").class("share").text(percent(part)))
            .maybe(moved);
        let is_none = *count == 0;
        tag("li").class(if is_none { "none" } else { "some" }).put(row)
    });
    let style = if has_moved { "rows classes compared" } else { "rows classes" };
    let card = card("Classes").put(whole).put(tag("ul").class(style).all(rows));
    (FRAME + 20 + lines(counts.len(), LINE), card)
}

/// What errors are, and whether replies that claim success hide one.
fn answers(page: &Page) -> Option<Tall> {
    let counts = page.run.cells.answers();
    let asked = [Answer::BusinessLogic, Answer::ToolFailure, Answer::HiddenFailure];
    let total: u64 = asked.iter().filter_map(|answer| counts.get(answer)).sum();
    if total == 0 {
        return None;
    }
    let row = |answer: Answer| {
        let count = counts.get(&answer).copied().unwrap_or(0);
        let (style, what) = match answer {
            Answer::BusinessLogic => ("k0", "business logic"),
            Answer::ToolFailure => ("k4", "tool failure"),
            Answer::HiddenFailure => ("k3", "hidden failure"),
            Answer::NotAsked | Answer::Fine => ("k2", "not asked"),
        };
        let row = tag("a")
            .class("row")
            .set("href", filtered(&[("answer", answer.name())]))
            .put(tag("i").class(style).set("aria-hidden", "true"))
            .put(tag("span").class("name").text(what))
            .put(number(count).set("data-count", format!("answer {}", answer.name())))
            .put(tag("span").class("share").text(percent(share(count, total))));
        tag("li").class(if count == 0 { "none" } else { "some" }).put(row)
    };
    let kinds = page.run.cells.error_kinds();
    let largest = kinds.first().map_or(0, |(_, count)| *count);
    let shown = kinds.iter().take(FEW).map(|(kind, count)| {
        let row = tag("a")
            .class("row")
            .set("href", filtered(&[("kind", kind)]))
            .put(tag("span").class("name").text(kind.replace('_', " ")))
            .put(bar(share(*count, largest), "k2"))
            .put(number(*count));
        tag("li").put(row)
    });
    let kinds = (!kinds.is_empty()).then(|| {
        let title = if page.run.summary.hidden_failure > 0 {
            "Kinds of error, hidden failures among them"
        } else {
            "Kinds of error"
        };
        let mut part: Html = tag("h4").text(title).into();
        part.push(tag("ul").class("rows thin kinds").all(shown));
        if let Some(rest) = more(kinds.len().saturating_sub(FEW), "kind", "the table below") {
            part.push(rest);
        }
        part
    });
    let rows = tag("ul").class("rows classes").all(asked.map(row));
    let few = page.run.cells.error_kinds().len().min(FEW);
    let height = FRAME + lines(asked.len(), LINE) + if few > 0 { 65 + lines(few, LINE) } else { 0 };
    Some((height, card("What failures are").put(rows).maybe(kinds)))
}

fn changed(page: &Page, against: &Against, showing: &Showing) -> Tall {
    let name = against.called(showing);
    let card =
        card("What changed").put(tag("p").class("note").text(format!("since {}", name.as_ref())));
    let told = |words: &str| tag("p").text(words);
    match &against.comparison {
        Compared::Equal => (
            FRAME + 70,
            card.put(told(
                "Nothing: the exchanges, the rulebook, the checks and the program are the same.",
            )),
        ),
        Compared::Each(comparison) => each_changed(card, comparison, showing),
        Compared::Counts => {
            let now = &page.run.summary;
            let rows = now.classes.iter().filter_map(|(name, after)| {
                let before = against.of_class(name);
                let row = || {
                    tag("tr")
                        .put(tag("th").set("scope", "row").text(name.replace('_', " ")))
                        .put(cell(Align::Right).text(grouped(before)))
                        .put(cell(Align::Right).text(grouped(*after)))
                };
                (before != *after).then(row)
            });
            let rows: Vec<Tag> = rows.collect();
            if rows.is_empty() {
                let words = "No class has more or fewer exchanges than before.";
                return (FRAME + 70, card.put(told(words)));
            }
            let height = FRAME + 60 + lines(rows.len(), LINE);
            let columns = [("class", Align::Left), ("before", Align::Right), ("now", Align::Right)];
            (height, card.put(tag("table").put(head(&columns)).put(tag("tbody").all(rows))))
        }
    }
}

fn each_changed(card: Tag, comparison: &Comparison, showing: &Showing) -> Tall {
    let kinds = [
        (Kind::Regressed, "got worse", "worse"),
        (Kind::Fixed, "got better", "better"),
        (Kind::Altered, "other reasons", "other"),
        (Kind::Added, "new", "other"),
        (Kind::Gone, "gone", "other"),
    ];
    let shown: Vec<(String, &str, &str)> = kinds
        .into_iter()
        .map(|(kind, words, style)| (kind, comparison.kind(kind), words, style))
        .filter(|(kind, count, ..)| *count > 0 || matches!(kind, Kind::Regressed | Kind::Fixed))
        .map(|(_, count, words, style)| {
            (grouped(count), words, if count == 0 { "none" } else { style })
        })
        .collect();
    let (tiles_style, beside) = if shown.iter().any(|(count, ..)| count.len() > LONGEST_OF_THREE) {
        ("tiles long", 2)
    } else {
        ("tiles", 3)
    };
    let tile_lines = shown.len().div_ceil(beside);
    let tiles = shown.into_iter().map(|(count, words, style)| {
        tag("li").class(style).put(tag("strong").text(count)).put(tag("span").text(words))
    });
    let groups = comparison.groups.iter().take(CAUSES).map(|group| {
        let causes = showing.words(&short_causes(group));
        let causes = causes.as_ref().replace("->", "→");
        tag("li").put(tag("a").set("href", format!("#group-{}", group.id)).text(causes)).put(
            tag("span").class("note").text(format!(
                "{}: {}",
                counted(group.exchanges, "exchange"),
                arrow(&transition(group.from, group.to))
            )),
        )
    });
    let groups = tag("ol").class("causes").all(groups);
    let has_groups = !comparison.groups.is_empty();
    let causes = comparison.groups.len().min(CAUSES);
    let height = FRAME + 54 + lines(tile_lines, TILE) + lines(causes, CAUSE_LINES);
    (height, card.put(tag("ul").class(tiles_style).all(tiles)).maybe(has_groups.then_some(groups)))
}

/// What caused a group in a line: the first cause, and how many others.
fn short_causes(group: &Group) -> String {
    let first = cause_words(group).into_iter().next().unwrap_or_default();
    let first = cut(&first, LONGEST_CAUSE);
    match group.explanation.causes.len().saturating_sub(1) {
        0 => first,
        others => format!("{first}; and {}", counted(others as u64, "more change")),
    }
}

/// The arrow as people see it.
pub(super) fn arrow(words: &str) -> String {
    words.replace("->", "→").replace('_', " ")
}

/// What became worse some nights ago and still is.
fn open_changes(page: &Page, showing: &Showing) -> Option<Tall> {
    let mut rows = Vec::new();
    for trend in &page.trends {
        for series in &trend.series {
            let open = series.changes.iter().filter(|it| it.is_open() && it.worse == Some(true));
            rows.extend(open.map(|change| {
                let name = series_name(trend, &series.name, showing);
                tag("li").put(tag("a").set("href", "#trends").text(name)).put(
                    tag("span").class("note").text(change_words((trend, series), change, showing)),
                )
            }));
        }
    }
    let left_out = rows.len().saturating_sub(OPEN);
    rows.truncate(OPEN);
    (!rows.is_empty()).then(|| {
        let height = FRAME + lines(rows.len(), CAUSE_LINES);
        let card = card("Worse for some nights").put(tag("ul").class("causes").all(rows));
        (height, card.maybe(more(left_out, "change", "the trends below")))
    })
}

fn issue_types(page: &Page, showing: &Showing) -> Option<Tall> {
    let now = &page.run.issue_types.0;
    let earlier = page.against.as_ref().map(|against| &against.known);
    let is_new = |name: &(String, String)| earlier.is_some_and(|known| !known.contains(name));
    let types = issue_types_worst_first(&page.run.issue_types);
    let new = types.iter().filter(|(name, _)| is_new(name)).count();
    let gone = earlier.map(|known| known.iter().filter(|name| !now.contains_key(*name)).count());
    if types.is_empty() && gone.unwrap_or(0) == 0 {
        return None;
    }
    let rows = types.iter().take(TYPES).map(|(name, tally)| {
        let (severity, kind) = name;
        let words = showing.name(kind).as_ref().replace('_', " ");
        let filter = format!("{severity} {kind}");
        // What is new is no alarm where it is only told.
        let style = if severity == Severity::Error.name() { "tag new worse" } else { "tag new" };
        let new = is_new(name).then(|| tag("span").class(style).text("new"));
        let row = tag("a")
            .class("row")
            .set("href", filtered(&[("issue", showing.name(&filter).as_ref())]))
            .put(tag("span").class("name").text(words).maybe(new))
            .put(tag("span").class("of").text(severity))
            .put(number(tally.count))
            .put(tag("span").class("of").text(counted(tally.servers, "server")));
        tag("li").put(row)
    });
    let gone = gone.filter(|gone| *gone > 0).map(|gone| {
        let gone = u64::try_from(gone).unwrap_or(u64::MAX);
        tag("p").class("note").text(format!("{} no longer found", counted(gone, "type")))
    });
    let none_new = (new == 0 && earlier.is_some() && !types.is_empty())
        .then(|| tag("p").class("note").text("none of them is new"));
    let notes = u32::from(none_new.is_some()) + u32::from(gone.is_some());
    let more_than = if types.len() > TYPES { 30 } else { 0 };
    let height = FRAME - 8 + notes * 22 + more_than + lines(types.len().min(TYPES), LINE);
    let rows = (!types.is_empty()).then(|| tag("ul").class("rows thin").all(rows));
    let rest = types.get(TYPES..).unwrap_or_default();
    let place = match rest.iter().filter(|(name, _)| is_new(name)).count() {
        0 => "issue_types.csv".to_owned(),
        new => format!("issue_types.csv, {new} of them new"),
    };
    let more = more(rest.len(), "type", &place);
    Some((height, card("Issue types").maybe(none_new).maybe(rows).maybe(more).maybe(gone)))
}
